"""Whole games of Ludo: their pairings, and the content of ``summary.json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from typing import Any

from stratagym.benchmarks.harness.games import Games
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.pairings import Contest
from stratagym.benchmarks.harness.whole_games import Played
from stratagym.benchmarks.reporting.stats import COUNT
from stratagym.envs.facts import alone
from stratagym.envs.ludo.metrics import COUNTS, game_counts


@dataclass(frozen=True)
class Pairing:
    """One policy against the rest, in games of ``players``."""

    players: int
    one: str
    rest: str

    @property
    def name(self) -> str:
        return f"{self.players}p/{self.one}/{self.rest}"

    def matches(self, contest: Contest) -> list[Match]:
        """All matches of the pairing, in the order of their seeds."""
        own = replace(contest, options={"players": self.players, **contest.options})
        return own.among(self.name, alone(self.players), (self.one, self.rest))


def all_pairings(players: Sequence[int], policies: Sequence[str]) -> list[Pairing]:
    """Everybody against everybody else; with two players it does not matter who is named first."""
    return [
        Pairing(n, a, b)
        for n in players
        for a, b in permutations(policies, 2)
        if n > 2 or policies.index(a) > policies.index(b)
    ]


def pairing_rows(
    games: Played, pairings: Sequence[Pairing], rules: Mapping[int, Any]
) -> list[dict[str, Any]]:
    """``pairings`` of the summary. ``rules`` are the kernel's, by number of players."""
    return [_row(games[p.name], p, rules[p.players]) for p in pairings]


def _row(games: Games, pairing: Pairing, rules: Any) -> dict[str, Any]:
    # 1 is winning alone; where somebody forfeits, the others share it.
    won = games.returns_of(pairing.one) == 1
    return {
        "players": pairing.players,
        "one": pairing.one,
        "rest": pairing.rest,
        "win_rate": games.rate(won, chance=1 / pairing.players).record(),
        "endings": games.endings,
        "transport_aborted": games.aborted,
        "mean_plies": games.mean_plies,
        "process": _process(games, pairing, rules),
    }


def _process(games: Games, pairing: Pairing, rules: Any) -> dict[str, Any]:
    """Per game and seat of each side: the mean of every count, with its interval."""
    if not len(games):
        return {}
    counts = games.own_counts(partial(game_counts, rules))
    is_one = games.is_seat_of(pairing.one)
    result = {}
    for side, mine in (("one", is_one), ("rest", ~is_one)):
        per_game = (counts * mine[:, :, None]).sum(1) / mine.sum(1)[:, None]
        result[side] = {
            name: games.rate(per_game[:, k], bounds=COUNT).record() for k, name in enumerate(COUNTS)
        }
    return result
