"""Games that repeat each other move by move, and what they are worth as evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.records import GameRecord, gone_seats
from stratagym.envs import spec


@dataclass(frozen=True)
class Evidence:
    """What the games of a pairing show; a round are the games of one seed.

    Two players who leave nothing to chance play the same round for every seed. Where at most
    half of the rounds are different, each different one counts as one, however often it was played:
    it is one cluster of an interval, and ratings weigh the pairing's games so. Means stay those of
    all games.

    Attributes:
        clusters: (G,) int64: the games that go together. different, rounds: how many rounds are
            different, and were played.
    """

    clusters: np.ndarray
    different: int
    rounds: int

    @property
    def repeats(self) -> bool:
        return 0 < 2 * self.different <= self.rounds

    @property
    def weight(self) -> float:
        """Of a game in a likelihood."""
        return self.different / self.rounds if self.repeats else 1.0

    def record(self) -> dict[str, Any]:
        """As it stands in ``summary.json``: ``repeats``, where there are any, else nothing."""
        if not self.repeats:
            return {}
        return {"repeats": {"different": self.different, "rounds": self.rounds}}


def evidence(games: Sequence[GameRecord]) -> Evidence:
    """What finished games of one pairing show.

    In a game with chance other seeds are other games, whatever is played.
    """
    seeds = np.array([game["seed"] for game in games], np.uint64)
    _, rounds = np.unique(seeds, return_inverse=True)
    played: defaultdict[int, list[Any]] = defaultdict(list)
    for game, number in zip(games, rounds.tolist(), strict=True):
        dealt = 0 if spec(game["game"]).chance == "deterministic" else game["seed"]
        lost = tuple(sorted(gone_seats(game)))
        played[number].append((*game["seats"], dealt, lost, *game["actions"]))
    kinds: dict[Any, int] = {}
    kind = [
        kinds.setdefault(tuple(sorted(played[number], key=repr)), len(kinds))
        for number in range(len(played))
    ]
    found = Evidence(rounds.astype(np.int64), len(kinds), len(kind))
    if not found.repeats:
        return found
    return Evidence(np.array(kind, np.int64)[rounds], len(kinds), len(kind))
