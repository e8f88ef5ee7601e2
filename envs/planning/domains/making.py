"""What generators of problems have in common: chances, sizes, and the problem that they put
together.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from stratagym.envs.planning.pddl import Atom, Formula, Problem

Item = TypeVar("Item")
Made = tuple[Problem, list[Atom]]
"""A problem and a plan that solves it."""


@dataclass(frozen=True)
class Instance:
    """A problem that is built in: the text of its domain, and a plan that solves it."""

    domain_text: str
    problem: Problem
    plan: tuple[Atom, ...]


class Draws:
    """All chance of one problem, the same for the same arguments on every machine.

    Attributes:
        size: 1 to 9, or ``"spin"``. variant: of the domain. name: for the problem.
    """

    def __init__(self, domain: str, size: int | str, instance: int, variant: str = "published"):
        self.size, self.variant = size, variant
        self.name = f"{domain}-{size}-{instance}".lower().replace("_", "-")
        # Only ``random()`` is promised to stay the same from one Python to the next.
        self._random = random.Random(f"{domain} {size} {instance}").random

    def unit(self) -> float:
        """Uniform in [0, 1)."""
        return self._random()

    def below(self, n: int) -> int:
        """A whole number from 0 to ``n - 1``."""
        return int(self._random() * n)

    def between(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``."""
        return low + self.below(high - low + 1)

    def happens(self, probability: float) -> bool:
        return self._random() < probability

    def one_of(self, items: Sequence[Item]) -> Item:
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[Item]) -> list[Item]:
        found = list(items)
        for k in range(len(found) - 1, 0, -1):
            j = self.below(k + 1)
            found[k], found[j] = found[j], found[k]
        return found

    def some_of(self, items: Iterable[Item], n: int) -> list[Item]:
        """``n`` of the items, none twice, in any order."""
        return self.shuffled(items)[:n]

    def measure(self, least: int, middle: int, most: int) -> int:
        """A parameter of the problem: ``least`` at size 1, ``middle`` at 5, ``most`` at 9.

        Linear between them, halves up; at size ``"spin"`` uniform from ``least`` to ``most``.
        """
        if not isinstance(self.size, int):
            return self.between(least, most)
        low, high, steps = (
            (least, middle, self.size - 1) if self.size < 5 else (middle, most, self.size - 5)
        )
        return (4 * low + (high - low) * steps + 2) // 4


def problem_of(
    draws: Draws,
    domain: str,
    objects: Mapping[str, Sequence[str]],
    atoms: Iterable[str],
    goal: Iterable[str],
    values: Mapping[str, float] | None = None,
    metric: Formula | None = None,
    others: Iterable[Formula] = (),
) -> Problem:
    """A problem from words such as ``on a b``.

    Args:
        domain: its name in PDDL. objects: by type. others: what is wanted besides ``goal``.
    """
    return Problem(
        name=draws.name,
        domain=domain,
        objects={one: (kind,) for kind, names in objects.items() for one in names},
        atoms=tuple(dict.fromkeys(tuple(atom.split()) for atom in atoms)),
        values={tuple(place.split()): float(value) for place, value in (values or {}).items()},
        goal=("and", *(wanted(atom) for atom in goal), *others),
        metric=metric,
    )


def wanted(atom: str) -> Formula:
    """``on a b`` as a formula."""
    name, *args = atom.split()
    return ("atom", name, tuple(args))


def value(place: str) -> Formula:
    """``fuel truck1`` as a number."""
    name, *args = place.split()
    return ("value", name, tuple(args))


def compared(operator: str, left: Any, right: Any) -> Formula:
    """A comparison; a plain number stands for itself."""
    return (
        "compare",
        operator,
        *(one if isinstance(one, tuple) else ("number", float(one)) for one in (left, right)),
    )


def mended(text: str, *changes: tuple[str, str]) -> str:
    """A domain's text with some of it replaced; each piece stands in it once."""
    for old, new in changes:
        if text.count(old) != 1:
            raise ValueError(f"{old!r} stands {text.count(old)} times in the domain")
        text = text.replace(old, new)
    return text
