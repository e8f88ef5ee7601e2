"""Who sits where at a table of any number of seats: alone, among others, or all mixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.match_play import AnswerProtocol
from stratagym.benchmarks.harness.matches import Match, Place
from stratagym.benchmarks.harness.pairings import (
    duel_matches,
    duel_seating,
    seated,
    team_matches,
)
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


@dataclass(frozen=True)
class Plan:
    """What is the same for all tables of a run.

    Attributes:
        benchmark: as in records. options: of the game.
        parties: the seats that go to one policy together: the sides, or else each seat.
        games: of a table, rounded up so that every seed is played from everywhere. seed: of seeds.
    """

    benchmark: str
    game: GameSpec
    options: dict[str, Any]
    parties: Sides
    games: int
    seed: int
    protocol: AnswerProtocol

    def matches(self, table: Table) -> list[Match]:
        """All games of a table, a seed's games one after the other."""
        what = self.benchmark, table.name, self.game.name, self.options
        if table.seating == TEAMS:
            seats = sum(map(len, self.parties))
            return team_matches(
                *what, seats, self.games, self.seed, table.policies[0], self.protocol
            )
        if table.seating == ONE:
            pair = table.policies[0], table.policies[1]
            return duel_matches(*what, self.parties, self.games, self.seed, pair, self.protocol)
        return self._mixed(table)

    def _mixed(self, table: Table) -> list[Match]:
        """All policies at one table, which move on by a party from game to game of a seed.

        They are dealt in turn, so that all play as often; who follows whom is drawn by the seed.
        """
        n, names = len(self.parties), table.policies
        seeds, _ = duel_seating(n, self.games, self.seed)
        found = []
        for k, seed in enumerate(seeds[::n].tolist()):
            dealt = [names[(k * n + place) % len(names)] for place in range(n)]
            drawn = [dealt[place] for place in np.random.default_rng(seed).permutation(n)]
            for turned in range(n):
                seats = seated(self.parties, drawn[n - turned :] + drawn[: n - turned])
                found.append(
                    Match(
                        self.benchmark,
                        f"{table.name}/{k}/{turned}",
                        self.game.name,
                        self.options,
                        seed,
                        seats,
                        self.protocol,
                        Place(table.name, k, None),
                    )
                )
        return found


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
