"""The content of ``summary.json``: what the climbs came to, and what only all games together say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from stratagym.agents.core import Policy
from stratagym.agents.ladders import Ladder
from stratagym.benchmarks.botzonebench import answers
from stratagym.benchmarks.botzonebench.games import first_side
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.levels import summary as levels
from stratagym.benchmarks.levels.climb import Climb, Result, ScoreClimb
from stratagym.benchmarks.reporting.stats import RESULT, Rate, mean_rate

FEW_DECIDED, FEW_SHARE = 8, 0.25
"""A level passed on fewer decided games, or on a smaller share of its games, is marked."""
LEAST_POLICIES = 4
"""Ranks of fewer policies say nothing of how alike two games are."""


def summarise(
    run: Run,
    climbs: Sequence[Climb | ScoreClimb],
    ladders: Mapping[str, Ladder],
    policies: Mapping[str, Policy],
) -> dict[str, Any]:
    """The summary of a run, from its climbs and the records on disk."""
    found = levels.summarise(run, climbs, ladders, policies)
    for own in found["games"].values():
        for row in own.values():
            for level in row["levels"]:
                level |= few_decided(level)
    highest = found["config"]["highest"]
    collected = answers.collect(run.decisions(), climbs)
    return {
        **found,
        "progress": {name: progress(found["games"], highest, name) for name in policies},
        "movers": movers(climbs),
        "answers": answers.by_game(collected, found["games"]),
        "alike": alike(found["games"], highest),
    }


# --- levels --------------------------------------------------------------------------------------


def few_decided(level: Mapping[str, Any]) -> dict[str, Any]:
    """``decided`` of a level's games, and whether it was passed on ``few`` of them."""
    if level["win_rate"] is None:
        return {"decided": level["games"], "few": False}
    decided = level["win_rate"]["n"]
    few = decided < FEW_DECIDED or decided < FEW_SHARE * level["games"]
    return {"decided": decided, "few": bool(level["passed"] and decided and few)}


def share_of(row: Mapping[str, Any] | None, highest: int) -> Rate:
    """How much of a ladder was climbed: 0 at its foot, 1 where its last level was passed.

    The interval is that of the progress on the level that was not passed.
    """
    if row is None or row["level_progress"] is None or row["broken_off"]:
        return Rate(None, None, None, 0)
    whole, progress = highest + 1, row["progress"]
    if progress is None or progress["low"] is None:
        low = high = None if progress is not None else 1.0
    else:
        low, high = ((row["level"] + progress[end]) / whole for end in ("low", "high"))
    games = sum(level["games"] for level in row["levels"])
    return Rate(row["level_progress"] / whole, low, high, games)


def progress(
    games: Mapping[str, Mapping[str, Any]], highest: Mapping[str, int], policy: str
) -> dict[str, Any]:
    """``by_game`` shares of the ladders climbed and their ``mean``, whose interval adds up theirs.

    The games' errors are independent, so the mean's squares are their sum (Newcombe's way with
    unequal ends).
    """
    shares = {game: share_of(own.get(policy), highest[game]) for game, own in games.items()}
    known = [rate for rate in shares.values() if rate.value is not None]
    mean = Rate(None, None, None, 0)
    if known:
        n, value = len(known), float(np.mean([rate.value for rate in known]))
        low = high = None
        if all(rate.low is not None for rate in known):
            down = sum((rate.value - rate.low) ** 2 for rate in known) ** 0.5 / n  # type: ignore[operator]
            up = sum((rate.high - rate.value) ** 2 for rate in known) ** 0.5 / n  # type: ignore[operator]
            low, high = max(0.0, value - down), min(1.0, value + up)
        mean = Rate(value, low, high, n)
    return {
        "by_game": {game: rate.record() for game, rate in shares.items()},
        "mean": {**mean.record(), "of": len(shares)},
    }


# --- who moves first -----------------------------------------------------------------------------


def movers(climbs: Sequence[Climb | ScoreClimb]) -> dict[str, Any]:
    """By game, each policy's results as first and as second mover, and what moving first is worth.

    Only games of two sides, and ladders of wins. ``advantage`` is the mean of a seed's points
    as first mover less those as second, against the same opponent; ``all`` has all policies.
    """
    found: dict[str, Any] = {}
    for climb in climbs:
        if isinstance(climb, ScoreClimb) or len(climb.plan.sides) != 2:
            continue
        ladder = climb.plan.ladder
        game = ladder.game.name
        first = climb.plan.sides[first_side(game, ladder.options)]
        own = [(level.level, result) for level in climb.levels for result in level.results]
        group = found.setdefault(game, {"sides": [list(first)], "policies": {}, "pairs": []})
        pairs = _pairs(own, first)
        group["pairs"] += pairs
        group["policies"][climb.policy] = {
            "first": _tally(own, first, True),
            "second": _tally(own, first, False),
            "advantage": _advantage(pairs).record(),
        }
    for group in found.values():
        group["all"] = _advantage(group.pop("pairs")).record()
    return found


def _seat(result: Result) -> int:
    seat = levels.place_of(result.record).seat
    assert seat is not None
    return seat


def _tally(
    own: Sequence[tuple[int, Result]], first: Sequence[int], as_first: bool
) -> dict[str, int]:
    words = {1.0: "wins", 0.5: "draws", 0.0: "losses"}
    counted = Counter(
        words[result.points] for _, result in own if (_seat(result) in first) == as_first
    )
    return {word: counted[word] for word in words.values()}


def _pairs(
    own: Sequence[tuple[int, Result]], first: Sequence[int]
) -> list[tuple[int, float]]:
    """(seed, points as first less points as second) of every seed that was played both ways."""
    by_place: defaultdict[tuple[int, str, int], dict[bool, float]] = defaultdict(dict)
    for level, result in own:
        key = (level, result.opponent, result.seed)
        by_place[key][_seat(result) in first] = result.points
    return [
        (seed, points[True] - points[False])
        for (_, _, seed), points in by_place.items()
        if len(points) == 2
    ]


def _advantage(pairs: Sequence[tuple[int, float]]) -> Rate:
    seeds = np.array([seed for seed, _ in pairs], np.uint64)
    return mean_rate(np.array([gain for _, gain in pairs]), seeds, bounds=RESULT)


# --- how alike the games are ---------------------------------------------------------------------


def alike(games: Mapping[str, Mapping[str, Any]], highest: Mapping[str, int]) -> dict[str, Any]:
    """Spearman's rank correlation of each two games over the policies that played both."""
    shares = {
        game: {
            name: rate.value
            for name, row in own.items()
            if (rate := share_of(row, highest[game])).value is not None
        }
        for game, own in games.items()
    }
    pairs = []
    for one, other in combinations(games, 2):
        both = [name for name in shares[one] if name in shares[other]]
        values = [[shares[game][name] for name in both] for game in (one, other)]
        pairs.append(
            {"games": [one, other], "policies": len(both), "correlation": spearman(*values)}
        )
    return {"pairs": pairs}


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Rank correlation, ties at their mean rank; None for too few, or where one side is all ties."""
    if len(one) < LEAST_POLICIES:
        return None
    a, b = (_ranks(np.asarray(values, float)) for values in (one, other))
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return float((a * b).sum() / size) if size else None


def _ranks(values: np.ndarray) -> np.ndarray:
    return np.array([(values < v).sum() + ((values == v).sum() + 1) / 2 for v in values])
