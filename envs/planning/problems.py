"""Which problem is played: one of a domain that is built in, or one from a file.

A process that is given rules only, such as a worker, makes the words from the PDDL in them.
"""

from __future__ import annotations

import warnings
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from stratagym.envs.data_files import MARK, read_data_file
from stratagym.envs.planning.checking import check_plan, move_text
from stratagym.envs.planning.domains import make_instance
from stratagym.envs.planning.grounding import Grounded, ground
from stratagym.envs.planning.pddl import Atom, problem_text, read_domain, read_problem

MOST_GROUNDED = 64
"""Problems that a process keeps."""


@dataclass(frozen=True)
class Chosen:
    """A problem, with its texts and the plan that came with it; empty without one."""

    grounded: Grounded
    domain_text: str
    problem_text: str
    plan: tuple[Atom, ...] = ()


@lru_cache(maxsize=MOST_GROUNDED)
def grounded_from(domain_text: str, problem: str, domain_file: str, file: str) -> Grounded:
    """A grounded problem from PDDL; the files are what messages call the texts."""
    domain = read_domain(domain_text, domain_file)
    return ground(domain, read_problem(problem, domain, file))


def grounded_of(rules: Any) -> Grounded:
    """The grounded problem of rules, with all its names."""
    found = _grounded.get(rules.number)
    if found is None:
        domain, problem = zlib.decompress(rules.text.tobytes()).decode().split("\0")
        found = _keep(rules.number, grounded_from(domain, problem, "domain", "problem"))
    return found


def texts_of(rules: Any) -> tuple[str, str]:
    """Domain and problem of rules as PDDL."""
    domain, problem = zlib.decompress(rules.text.tobytes()).decode().split("\0")
    return domain, problem


_grounded: dict[int, Grounded] = {}


def _keep(number: int, grounded: Grounded) -> Grounded:
    if len(_grounded) >= MOST_GROUNDED:
        _grounded.pop(next(iter(_grounded)), None)
    _grounded[number] = grounded
    return grounded


def choose(
    domain: str, size: int | str, instance: int, task: str, domain_file: str, variant: str
) -> Chosen:
    """The problem that the options name.

    Raises:
        ValueError: options that do not go together, or files that are no PDDL as it is read here.
    """
    if bool(task) != bool(domain_file):
        raise ValueError("planning: task and domain_file name one problem together; give both")
    if not task:
        return _made(domain, size, instance, variant)
    domain_text, text = (_text(name) for name in (domain_file, task))
    shown = [name.rpartition(MARK)[0] for name in (domain_file, task)]
    grounded = grounded_from(domain_text, text, shown[0], shown[1])
    if ignored := grounded.problem.ignored:
        listed = ", ".join(ignored)
        warnings.warn(f"{shown[1]}: passed over, as {shown[0]} has none: {listed}", stacklevel=2)
    return Chosen(grounded, domain_text, text)


@lru_cache(maxsize=MOST_GROUNDED)
def _made(domain: str, size: int | str, instance: int, variant: str) -> Chosen:
    made = make_instance(domain, size, instance, variant)
    text = problem_text(made.problem)
    grounded = grounded_from(made.domain_text, text, domain, made.problem.name)
    checked = check_plan(grounded, list(map(move_text, made.plan)))
    if checked.verdict != "valid":
        raise RuntimeError(f"{made.problem.name}: its plan is no plan: {checked}")
    return Chosen(grounded, made.domain_text, text, made.plan)


def _text(file: str) -> str:
    try:
        return read_data_file(file).decode("utf-8").replace("\0", " ")
    except UnicodeDecodeError:
        raise ValueError(f"{file.rpartition(MARK)[0]}: no text in UTF-8") from None
