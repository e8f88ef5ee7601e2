"""A pairing's recorded games as arrays, with the rates that every benchmark needs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.matches import place_of
from stratagym.benchmarks.harness.records import GameRecord, sides_of
from stratagym.benchmarks.reporting.stats import Rate, mean_rate
from stratagym.envs import spec
from stratagym.envs.facts import Sides, side_leads, side_returns


@dataclass(frozen=True)
class Games:
    """Finished games with the same seats and sides, in the order of their records.

    Attributes:
        records: of the G games. aborted: how many more a transport failure broke off for good.
    """

    records: list[GameRecord]
    aborted: int = 0

    @classmethod
    def of(cls, records: Iterable[GameRecord]) -> Games:
        """The finished games among ``records``; the others are only counted."""
        found = list(records)
        whole = [record for record in found if record["ended_by"] != TRANSPORT]
        return cls(whole, len(found) - len(whole))

    def __len__(self) -> int:
        return len(self.records)

    @cached_property
    def seeds(self) -> np.ndarray:
        """(G,) uint64."""
        return np.array([record["seed"] for record in self.records], np.uint64)

    @cached_property
    def plies(self) -> np.ndarray:
        """Decisions, (G,) int64."""
        return np.array([record["plies"] for record in self.records], np.int64)

    @cached_property
    def actions(self) -> np.ndarray:
        """(G, longest game) int32, zeros behind a game's end."""
        found = np.zeros((len(self), self.plies.max(initial=1)), np.int32)
        for g, record in enumerate(self.records):
            found[g, : self.plies[g]] = record["actions"]
        return found

    @cached_property
    def returns(self) -> np.ndarray:
        """By seat, (G, S) float64."""
        return np.array([record["returns"] for record in self.records], np.float64)

    @cached_property
    def sides(self) -> Sides:
        """The seats that win together, as the records have it; none without games."""
        return sides_of(self.records[0]) if self.records else ()

    def side_returns(self, sides: Sides | None = None) -> np.ndarray:
        """By side, the sum of its seats' returns, (G, sides); by default the records' sides."""
        return side_returns(self.sides if sides is None else sides, self.returns)

    def is_seat_of(self, policy: str) -> np.ndarray:
        """Which seats are the policy's, (G, S) bool."""
        return np.array([[name == policy for name in r["seats"]] for r in self.records], bool)

    def returns_of(self, policy: str) -> np.ndarray:
        """Of the side of the policy's first seat, (G,) float64."""
        if not self.records:
            return np.zeros(0)
        return self.side_returns()[np.arange(len(self)), self._side_of(policy)]

    def _side_of(self, policy: str) -> list[int]:
        """The number of the side of the policy's first seat in each game."""
        side_of = {seat: k for k, side in enumerate(self.sides) for seat in side}
        return [side_of[seat] for seat in self.is_seat_of(policy).argmax(1).tolist()]

    def score_of(self, policy: str) -> np.ndarray:
        """1, 0.5 or 0 for a win, draw or loss of the policy's side, (G,) float64."""
        if not self.records:
            return np.zeros(0)
        leads = side_leads(self.sides, self.returns)
        return 0.5 + 0.5 * np.sign(leads[np.arange(len(self)), self._side_of(policy)])

    def by_role(self, policy: str) -> dict[str, dict[str, Any]]:
        """The policy's score by the side that it was on; nothing where all sides are alike."""
        own = np.array(self._side_of(policy) if self.records else [], int)
        return role_rates(self.records[:1], own, self.score_of(policy), self.seeds)

    @property
    def endings(self) -> dict[str, int]:
        """The number of games by how they ended."""
        return dict(Counter(record["ended_by"] for record in self.records))

    @property
    def mean_plies(self) -> float | None:
        """The mean number of decisions; None without games."""
        return float(np.mean(self.plies)) if self.records else None

    def rate(self, values: Any, **options: Any) -> Rate:
        """The mean of values (G,) with its interval over seeds."""
        return mean_rate(np.asarray(values), self.seeds, **options)


def role_rates(
    records: Sequence[GameRecord], own: np.ndarray, score: np.ndarray, seeds: np.ndarray
) -> dict[str, dict[str, Any]]:
    """Mean scores by side, where some side has several seats; else nothing.

    Sides are called as the game's view has it in ``SIDE_NAMES``, or by their seats.

    Args:
        records: any of the games. own: (G,) the side that the score is of. score, seeds: (G,).
    """
    sides = sides_of(records[0]) if records else ()
    if all(len(side) == 1 for side in sides):
        return {}
    named = getattr(spec(records[0]["game"]).module("view"), "SIDE_NAMES", None)
    names = named or [f"seats {', '.join(map(str, side))}" for side in sides]
    return {
        name: mean_rate(score[own == k], seeds[own == k]).record() for k, name in enumerate(names)
    }


def by_pairing(records: Iterable[GameRecord]) -> defaultdict[str, Games]:
    """Games by pairing, in the order of their records; none of a pairing that has no record."""
    groups: defaultdict[str, list[GameRecord]] = defaultdict(list)
    for record in records:
        groups[place_of(record).pairing].append(record)
    return defaultdict(lambda: Games([]), {name: Games.of(own) for name, own in groups.items()})
