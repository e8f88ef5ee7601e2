"""A pairing's recorded games as arrays, with the rates that every benchmark needs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.matches import place_of
from stratagym.benchmarks.harness.outcomes import placed_results
from stratagym.benchmarks.harness.records import (
    GameRecord,
    gone_seats,
    returns_of,
    side_leads_of,
    sides_of,
)
from stratagym.benchmarks.harness.repeats import Evidence, evidence
from stratagym.benchmarks.reporting.stats import Rate, mean_rate
from stratagym.envs import core, spec
from stratagym.envs.checks import SEED_MASK
from stratagym.envs.core import GameSpec
from stratagym.envs.facts import Sides, first_places, ranks_of, side_returns


@dataclass(frozen=True)
class Games:
    """Finished games with the same seats, in the order of their records.

    Sides are the same, or as many where roles are dealt.

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
    def evidence(self) -> Evidence:
        """Which games go together in intervals: those of a seed, or that repeat each other."""
        return evidence(self.records)

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

    @cached_property
    def side_of_seat(self) -> np.ndarray:
        """The number of each seat's side, (G, S) int64."""
        found = np.zeros((len(self), len(self.records[0]["seats"]) if self.records else 0), int)
        for row, record in zip(found, self.records, strict=True):
            for k, side in enumerate(sides_of(record)):
                row[list(side)] = k
        return found

    @cached_property
    def results(self) -> np.ndarray:
        """By side, the sum of its seats' returns, (G, sides) float64.

        Minus infinity behind the sides of games that have fewer, as where no roles were dealt.
        """
        if not any("roles" in record for record in self.records):
            return side_returns(self.sides, self.returns)
        found = np.full((len(self), max(len(sides_of(r)) for r in self.records)), -np.inf)
        for row, record, returns in zip(found, self.records, self.returns, strict=True):
            sides = sides_of(record)
            row[: len(sides)] = side_returns(sides, returns)
        return found

    @cached_property
    def placed(self) -> np.ndarray:
        """``results`` as places go by them, (G, sides): who forfeits among many is last."""
        found = self.results.copy()
        for row, record in zip(found, self.records, strict=True):
            if gone := gone_seats(record):
                sides = sides_of(record)
                row[: len(sides)] = placed_results(sides, returns_of(record), gone)
        return found

    @cached_property
    def is_gone(self) -> np.ndarray:
        """Which seats forfeited, (G, S) bool."""
        found = np.zeros(self.side_of_seat.shape, bool)
        for row, record in zip(found, self.records, strict=True):
            row[list(gone_seats(record))] = True
        return found

    @property
    def ranks(self) -> np.ndarray:
        """The rank of each seat's side, (G, S) float64: 1 for the best, and ties share theirs.

        A seat that forfeits has the last rank, and leaves that of those with it to them.
        """
        ranks = self._by_seat(ranks_of(self.placed))
        for row, record in zip(ranks, self.records, strict=True):
            gone, sides = gone_seats(record), sides_of(record)
            for side in sides if gone else ():
                if not gone.issuperset(side):
                    row[[seat for seat in side if seat in gone]] = len(sides)
        return ranks

    @property
    def firsts(self) -> np.ndarray:
        """The share of each seat's side in the first place, (G, S) float64: 1, or less if tied."""
        return np.where(self.is_gone, 0.0, self._by_seat(first_places(self.placed)))

    def _by_seat(self, values: np.ndarray) -> np.ndarray:
        """(G, sides) to (G, S)."""
        return np.take_along_axis(values, self.side_of_seat, 1)

    def own_counts(self, count: Callable[[Any, Any, Any], np.ndarray]) -> np.ndarray:
        """What the seats' own moves were like, (G, S, counts): nothing that a stand-in did.

        Args:
            count: (N, S, counts) of N games from their seeds (N,), actions (N, longest) and numbers
                of decisions (N,).
        """
        found = count(self.seeds, self.actions, self.plies)
        for g, record in enumerate(self.records):
            for one in record.get("stand_ins", ()):
                game, plies = slice(g, g + 1), np.array([one["ply"]], np.int64)
                until = count(self.seeds[game], self.actions[game], plies)
                found[g, one["seat"]] = until[0, one["seat"]]
        return found

    def is_seat_of(self, policy: str) -> np.ndarray:
        """Which seats are the policy's, (G, S) bool."""
        found = [[name == policy for name in record["seats"]] for record in self.records]
        return np.array(found, bool).reshape(self.side_of_seat.shape)

    def returns_of(self, policy: str) -> np.ndarray:
        """Of the side of the policy's first seat, (G,) float64."""
        if not self.records:
            return np.zeros(0)
        return self.results[np.arange(len(self)), self._side_of(policy)]

    def _side_of(self, policy: str) -> np.ndarray:
        """The number of the side of the policy's first seat in each game, (G,) int64."""
        return self.side_of_seat[np.arange(len(self)), self.is_seat_of(policy).argmax(1)]

    def score_of(self, policy: str) -> np.ndarray:
        """1, 0.5 or 0 for a win, draw or loss of the policy's side, (G,) float64."""
        if not self.records:
            return np.zeros(0)
        leads = np.stack([side_leads_of(record) for record in self.records])
        return 0.5 + 0.5 * np.sign(leads[np.arange(len(self)), self._side_of(policy)])

    def by_role(self, policy: str) -> dict[str, dict[str, Any]]:
        """The policy's score by the side that it was on; nothing where all sides are alike."""
        if not self.records:
            return {}
        dealt = np.array(["roles" in record for record in self.records])
        told = dealt if dealt.any() else ~dealt  # a game may end before its roles are dealt
        own, score = self._side_of(policy)[told], self.score_of(policy)[told]
        records = [self.records[int(told.argmax())]]
        return role_rates(records, own, score, self.evidence.clusters[told])

    def by_mover(self, policy: str) -> dict[str, dict[str, Any]]:
        """The policy's score in games that its side began, and in the others (``second``).

        Nothing where seats decide at the same time, or there are not two sides.
        """
        if not self.records or len(self.sides) != 2:
            return {}
        game = spec(self.records[0]["game"])
        if game.is_simultaneous:
            return {}
        score, own = self.score_of(policy), self._side_of(policy)
        begins = own == self.side_of_seat[np.arange(len(self)), self._first_seats(game)]
        return {
            name: mean_rate(score[mine], self.evidence.clusters[mine]).record()
            for name, mine in (("first", begins), ("second", ~begins))
        }

    def _first_seats(self, game: GameSpec) -> list[int]:
        """The seat that each game's first decision fell to."""
        rules = game.make_rules(**self.records[0]["rules"])
        states, (_, probs) = core.new_states(rules), core.new_scratch(rules)
        seeds, at = np.unique(self.seeds & np.uint64(SEED_MASK), return_inverse=True)
        first = [int(core.start_at(rules, states, 0, seed, probs)) for seed in seeds]
        return [first[k] for k in at]

    @property
    def endings(self) -> dict[str, int]:
        """The number of games by how they ended."""
        return dict(Counter(record["ended_by"] for record in self.records))

    @property
    def mean_plies(self) -> float | None:
        """The mean number of decisions; None without games."""
        return float(np.mean(self.plies)) if self.records else None

    def rate(self, values: Any, **options: Any) -> Rate:
        """The mean of values (G,) with its interval over seeds; repeated games count once."""
        return mean_rate(np.asarray(values), self.evidence.clusters, **options)


def role_rates(
    records: Sequence[GameRecord], own: np.ndarray, score: np.ndarray, clusters: np.ndarray
) -> dict[str, dict[str, Any]]:
    """Mean scores by side, where some side has several seats; else nothing.

    Sides are called as the game's view has it in ``SIDE_NAMES``, or by their seats.

    Args:
        records: any of the games. own: (G,) the side that the score is of. score: (G,).
        clusters: (G,), of the games that go together.
    """
    return {
        name: mean_rate(score[own == k], clusters[own == k]).record()
        for k, name in enumerate(side_names(records))
    }


def side_names(records: Sequence[GameRecord]) -> list[str]:
    """What the sides of these games are called; nothing where each seat is a side of its own.

    Args:
        records: of one game; the sides are those of the first.
    """
    sides = sides_of(records[0]) if records else ()
    if all(len(side) == 1 for side in sides) and not any("roles" in r for r in records[:1]):
        return []
    named = getattr(spec(records[0]["game"]).module("view"), "SIDE_NAMES", None)
    if named is None and "roles" in records[0]:
        return [f"side {k}" for k in range(len(sides))]
    return list(named or [f"seats {', '.join(map(str, side))}" for side in sides])[: len(sides)]


def by_pairing(records: Iterable[GameRecord]) -> defaultdict[str, Games]:
    """Games by pairing, in the order of their records; none of a pairing that has no record."""
    groups: defaultdict[str, list[GameRecord]] = defaultdict(list)
    for record in records:
        groups[place_of(record).pairing].append(record)
    return defaultdict(lambda: Games([]), {name: Games.of(own) for name, own in groups.items()})
