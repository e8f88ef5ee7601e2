"""Published planning tasks as data, with plans and what is known of them; for comparison only."""

from __future__ import annotations

import csv
import json
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from stratagym.envs.planning.grounding import Grounded, ground
from stratagym.envs.planning.pddl import Domain, number_text, read_domain, read_problem


def domain_of(name: str, strict: bool = False) -> Domain:
    """A domain that is built in."""
    module = import_module(f"stratagym.envs.planning.domains.{name.lower()}")
    return read_domain(module.STRICT_PDDL if strict else module.PDDL, name)


def _lists(formula: Any) -> str:
    return formula if isinstance(formula, str) else f"({' '.join(map(_lists, formula))})"


def problem_of(task: dict[str, Any]) -> str:
    """A task's PDDL."""
    objects = " ".join(f"{' '.join(names)} - {kind}" for kind, names in task["objects"].items())
    facts = [f"({atom})" for atom in task["init"]]
    facts += [f"(= ({place}) {number_text(x)})" for place, x in task["values"].items()]
    metric = f"(:metric {' '.join(map(_lists, task['metric']))})" if task["metric"] else ""
    return (
        f"(define (problem {task['domain']}) (:domain {task['domain']}) (:objects {objects}) "
        f"(:init {' '.join(facts)}) (:goal {_lists(task['goal'])}) {metric})"
    )


def grounded(task: dict[str, Any]) -> Grounded:
    """A task's grounded problem, in the domain that is built in."""
    return _grounded(task["domain"], task["file"], problem_of(task))


@cache
def _grounded(name: str, file: str, text: str) -> Grounded:
    domain = domain_of(name)
    return ground(domain, read_problem(text, domain, file))


def samples(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "planning" / "samples.json").read_text())


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "planning" / name).open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def mutated(plan: list[str], kind: str, index: int) -> list[str]:
    """A plan with one fault, by the rules of the samples."""
    changed = list(plan)
    words = changed[index].split() if index < len(changed) else []
    if kind == "drop_last":
        changed.pop()
    elif kind == "drop_one":
        changed.pop(index)
    elif kind == "swap":
        at = min(index, len(changed) - 2)
        changed[at], changed[at + 1] = changed[at + 1], changed[at]
    elif kind == "unknown_action":
        changed[index] = " ".join(["teleport", *words[1:]])
    elif kind == "unknown_object":
        changed[index] = " ".join([*words[:-1], "nobody"])
    elif kind == "arity":
        changed[index] = " ".join([*words, words[-1]])
    return changed
