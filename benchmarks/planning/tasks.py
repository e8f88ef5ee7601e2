"""The planning problems of a run: made here, or read from files as they were published."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.errors import InputError
from stratagym.envs import core, spec
from stratagym.envs.planning.domains import NAMES, SIZES
from stratagym.envs.planning.grounding import Grounded
from stratagym.envs.planning.pddl import Problem, problem_text
from stratagym.envs.planning.problems import choose, grounded_of

GAME = spec("planning")
SPATIAL, SEQUENTIAL, RESOURCE = "spatial", "sequential", "resource"
GROUPS = {
    SPATIAL: ("drone", "floortile", "grid", "logistics", "sokoban", "termes"),
    SEQUENTIAL: (
        "Multi_Agent_coordination", "assembly", "barman", "blocksworld", "briefcaseworld",
        "cooperate_sequential_gripper", "elevator",
    ),
    RESOURCE: (
        "counters", "depots", "freecell", "markettrader", "rovers", "satellite",
        "settlersnumeric", "sugar",
    ),
}  # fmt: skip
"""Each domain in one group, as the code of SPIN-Bench has it."""
ALSO = {
    SPATIAL: ("depots", "elevator", "rovers"),
    SEQUENTIAL: (),
    RESOURCE: ("cooperate_sequential_gripper",),
}  # fmt: skip
"""Domains that the paper counts in these groups besides (appendix A.1)."""
NUMERIC = ("counters", "drone", "markettrader", "settlersnumeric", "sugar")
"""Domains with numbers in conditions or goals."""
PUBLISHED = "published"
"""In place of the size of a problem that was read from files."""
UNREAD, UNSOLVABLE = "unread", "unsolvable"
_UNSOLVABLE = (
    "1cca3a3a66cec4e86a681b7a218c4738b5a99ae850a8fdf7897638f1e2a1d7e1",
    "473cf33b537f519468f20d26e3ea4af332c1e7c8d739c3e632a5b44e54fc9942",
)
"""SHA-256 of the two published problems without a plan, as ``problem_text`` writes them without
their names: p20 of rovers, and pfile7 of settlersnumeric, where a rail is wanted between places
that no land connects."""


@dataclass(frozen=True)
class Item:
    """One problem of a run.

    Attributes:
        name: unique in the run. options: of the game, by which its rules are made. plan: actions
            of a plan that solves it, by number, or None where none is known. odd: what is strange
            about a published file; empty for nothing. barred: why no plan of a published problem
            can count: ``unread`` where SPIN-Bench's validator refuses the problem, ``unsolvable``
            where there is none; empty for all others.
    """

    name: str
    domain: str
    size: str
    options: dict[str, Any]
    rules: Any
    grounded: Grounded
    plan: tuple[int, ...] | None = None
    odd: str = ""
    barred: str = ""

    @property
    def is_numeric(self) -> bool:
        return self.domain in NUMERIC

    def states(self) -> np.ndarray:
        """The position at the start, (1,) record."""
        states = core.new_states(self.rules)
        core.start_at(self.rules, states, 0, np.uint64(0), core.new_scratch(self.rules)[1])
        return states


def groups_of(domain: str, as_paper: bool) -> tuple[str, ...]:
    """The groups that a domain counts in."""
    return tuple(
        name
        for name, domains in GROUPS.items()
        if domain in domains or (as_paper and domain in ALSO[name])
    )


def generated(
    domains: Sequence[str], sizes: Sequence[Any], instances: Iterable[int]
) -> Iterator[Item]:
    """Fresh problems: every domain in every size with every number."""
    for domain in domains:
        for size in sizes:
            for instance in instances:
                options = {"domain": domain, "size": size, "instance": instance}
                chosen = choose(**options, task="", domain_file="", variant="published")
                plan = tuple(chosen.grounded.action_of[action] for action in chosen.plan)
                name = f"{domain}-{size}-{instance}"
                rules = GAME.make_rules(**options)
                yield Item(name, domain, str(size), options, rules, chosen.grounded, plan)


def published(
    folder: Path, domains: Sequence[str], distinct: bool = False
) -> Iterator[Item | tuple[str, str]]:
    """Problems from files: ``<domain>/domain.pddl`` and ``<domain>/instances/*.pddl``, or one
    folder with ``domain.pddl`` and its problems.

    Args:
        distinct: leave out copies: problems that differ from one before in their names alone.

    Yields:
        Items in natural order of names, and (name, reason) for files that cannot be played.

    Raises:
        InputError: no such files.
    """
    seen: dict[tuple[str, str], str] = {}
    pairs = [(path.parent.name, path) for path in sorted(folder.glob("*/domain.pddl"))]
    if (folder / "domain.pddl").exists():
        pairs = [(folder.name, folder / "domain.pddl")]
    if not pairs:
        raise InputError(f"--tasks {folder}: no domain.pddl in it or in a folder of it")
    for domain, path in pairs:
        if domains and domain not in domains:
            continue
        files = [*(path.parent / "instances").glob("*.pddl"), *path.parent.glob("*.pddl")]
        for file in sorted((f for f in files if f != path), key=lambda f: natural(f.name)):
            name = f"{domain}/{file.stem}"
            options = {"task": str(file), "domain_file": str(path)}
            try:
                rules = GAME.make_rules(**options)
            except ValueError as error:
                yield name, str(error)
                continue
            grounded = grounded_of(rules)
            content = domain, problem_text(replace(grounded.problem, name="")).partition("\n")[2]
            if distinct and content in seen:
                yield name, f"a copy of {seen[content]}"
                continue
            seen.setdefault(content, name)
            odd, barred = _oddity(grounded.problem)
            yield Item(name, domain, PUBLISHED, options, rules, grounded, None, odd, barred)


def _oddity(problem: Problem) -> tuple[str, str]:
    """(what is strange about a published problem, why no plan of it can count)."""
    if problem.ignored:
        return f"sets what its domain does not declare: {', '.join(problem.ignored)}", UNREAD
    if "." in problem.name:
        return "the validator of SPIN-Bench ends at the dot in its name", UNREAD
    text = problem_text(replace(problem, name=""))
    if hashlib.sha256(text.encode()).hexdigest() in _UNSOLVABLE:
        return "has no plan", UNSOLVABLE
    return "", ""


def natural(name: str) -> list[Any]:
    """A key that puts p2 before p10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def domains_of(text: str) -> list[str]:
    """The domains that an option names; all for nothing. Raises ``InputError``."""
    names = [name.strip() for name in text.split(",") if name.strip()] or list(NAMES)
    known = {name.lower(): name for name in NAMES}
    for name in names:
        if name.lower() not in known:
            raise InputError(f"--domains: unknown {name!r}; choose from: {', '.join(NAMES)}")
    return list(dict.fromkeys(known[name.lower()] for name in names))


def sizes_of(text: str) -> list[Any]:
    """The sizes that an option names. Raises ``InputError``."""
    known = {str(size): size for size in SIZES}
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise InputError(f"--sizes: {name!r}; choose from: {', '.join(known)}")
    if not names:
        raise InputError(f"--sizes: name at least one of: {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names)]
