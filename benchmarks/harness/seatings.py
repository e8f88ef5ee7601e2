"""Who sits where at a table of any number of seats: alone, among others, or all mixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.pairings import Contest
from stratagym.envs.core import GameSpec
from stratagym.envs.facts import Sides, alone

MIXED, ONE, TEAMS = "mixed", "one", "teams"
SEATINGS = (MIXED, ONE, TEAMS)
"""All policies at one table; one policy among seats of another; every seat of one policy."""


@dataclass(frozen=True)
class Table:
    """Games that are counted together.

    Attributes:
        seating: of ``SEATINGS``.
        policies: of one among others that one and the others', of a team its own, else all.
    """

    seating: str
    policies: tuple[str, ...]

    @property
    def name(self) -> str:
        """What its matches' names begin with."""
        return self.seating if self.seating == MIXED else "/".join((self.seating, *self.policies))


def matches_of(contest: Contest, parties: Sides, table: Table) -> list[Match]:
    """All games of a table, a seed's games one after the other.

    Args:
        parties: the seats that go to one policy together: the sides, or else each seat.
    """
    if table.seating == TEAMS:
        return contest.team(table.name, sum(map(len, parties)), table.policies[0])
    if table.seating == ONE:
        return contest.among(table.name, parties, (table.policies[0], table.policies[1]))
    return contest.mixed(table.name, parties, table.policies)


def parties_of(game: GameSpec, rules: Any) -> Sides:
    """The seats that go to one policy together: sides that play against each other, else seats.

    Where roles are dealt a seat's side changes from seed to seed, so that each goes for itself.
    """
    sides = game.sides_of(rules)
    return sides if sides is not None and len(sides) > 1 else alone(rules.num_players)


def tables(seatings: Sequence[str], policies: Sequence[str], parties: int) -> list[Table]:
    """The tables of a run; of two parties, either is the other's opponent."""
    found = []
    for seating in seatings:
        if seating == MIXED:
            found.append(Table(MIXED, tuple(policies)))
        elif seating == TEAMS:
            found += [Table(TEAMS, (name,)) for name in policies]
        else:
            found += [
                Table(ONE, (a, b))
                for a, b in permutations(policies, 2)
                if parties > 2 or policies.index(a) < policies.index(b)
            ]
    return found
