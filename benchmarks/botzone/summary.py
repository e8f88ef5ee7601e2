"""The content of ``summary.json``: what the climbs came to, and what all games together say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import isnan, nan
from typing import Any

import numpy as np

from stratagym.agents.core import Policy
from stratagym.agents.ladders import Ladder
from stratagym.benchmarks.botzone import answers
from stratagym.benchmarks.botzone.shares import share_of
from stratagym.benchmarks.harness import climb_summary as levels
from stratagym.benchmarks.harness.botzone_games import first_side
from stratagym.benchmarks.harness.climb import Climb, Result, ScoreClimb
from stratagym.benchmarks.harness.games import Games
from stratagym.benchmarks.harness.matches import place_of
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.reporting.correlation import spearman
from stratagym.benchmarks.reporting.own import is_result
from stratagym.benchmarks.reporting.stats import RESULT, Rate, mean_rate
from stratagym.envs import spec
from stratagym.envs.core import GameSpec

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
    nothing = Rate(None, None, None, 0)
    shares = {name: dict.fromkeys(ladders, nothing) for name in policies}
    every = climbs
    climbs = [c for c in every if is_result(found["own"][c.plan.ladder.game.name][c.policy])]
    for climb in climbs:
        game = climb.plan.ladder.game.name
        shares[climb.policy][game] = share_of(climb, climb.outcome())
        for level in found["games"][game][climb.policy]["levels"]:
            # Where nobody can win, drawing all games is passing.
            level |= few_decided(level, climb.plan.ladder.is_solved(level["level"]))
    for rows in found["games"].values():
        for level in (level for row in rows.values() for level in row["levels"]):
            level.setdefault("few", False)
    collected = answers.collect(run.decisions(), every)
    return {
        **found,
        "progress": {name: progress(own) for name, own in shares.items()},
        "movers": movers(climbs),
        "answers": answers.by_game(collected, found["games"]),
        "alike": alike(shares),
        "patterns": patterns(climbs),
    }


# --- levels --------------------------------------------------------------------------------------


def few_decided(level: Mapping[str, Any], is_solved: bool = False) -> dict[str, Any]:
    """``decided`` of a level's games, and whether it was passed on ``few`` of them.

    What the early stop settled rests on enough.

    Args:
        is_solved: whether the level plays perfectly, so that drawing all games passes it.
    """
    if level["win_rate"] is None:
        return {"decided": level["games"], "few": False}
    decided = level["win_rate"]["n"]
    few = decided < FEW_DECIDED or decided < FEW_SHARE * level["games"]
    counts = level["passed"] and not level["settled_early"] and not is_solved
    return {"decided": decided, "few": bool(counts and few)}


def progress(shares: Mapping[str, Rate]) -> dict[str, Any]:
    """``by_game`` shares of the ladders climbed and their ``mean``, whose interval adds up theirs.

    The games' errors are independent, so the mean's squares are their sum (Newcombe's way with
    unequal ends).
    """
    values = np.array([rate.value for rate in shares.values() if rate.value is not None])
    ends = [(r.low, r.high) for r in shares.values() if r.value is not None and r.low is not None]
    mean = Rate(None, None, None, 0)
    if len(values):
        n, value = len(values), float(values.mean())
        low = high = None
        if len(ends) == n:
            lows, highs = np.array(ends, float).T
            low = max(0.0, value - float(np.linalg.norm(values - lows)) / n)
            high = min(1.0, value + float(np.linalg.norm(highs - values)) / n)
        mean = Rate(value, low, high, n)
    return {
        "by_game": {game: rate.record() for game, rate in shares.items()},
        "mean": {**mean.record(), "of": len(shares)},
    }


# --- who moves first -----------------------------------------------------------------------------


def movers(climbs: Sequence[Climb | ScoreClimb]) -> dict[str, Any]:
    """By game, each policy's results as first and as second mover, and what moving first is worth.

    Only games of two sides, and ladders of wins. ``advantage`` is the mean of a seed's points
    as first mover less those as second, against the same opponent; ``all`` has all policies. Its
    interval is over seeds where they deal cards; on boards they decide the players' own dice
    alone, and every pair of games counts for itself.
    """
    found: dict[str, Any] = {}
    for climb in climbs:
        if isinstance(climb, ScoreClimb) or len(climb.plan.sides) != 2:
            continue
        ladder = climb.plan.ladder
        game = ladder.game.name
        first = climb.plan.sides[first_side(game, ladder.options)]
        own = [(level.level, result) for level in climb.levels for result in level.results]
        group = found.setdefault(game, {"first_side": list(first), "policies": {}, "pairs": []})
        pairs = _pairs(own, first)
        group["pairs"] += pairs
        group["policies"][climb.policy] = {
            "first": _tally(own, first, True),
            "second": _tally(own, first, False),
            "advantage": _advantage(ladder.game, pairs).record(),
        }
    for game, group in found.items():
        group["all"] = _advantage(spec(game), group.pop("pairs")).record()
    return found


def _seat(result: Result) -> int:
    seat = place_of(result.record).seat
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


def _pairs(own: Sequence[tuple[int, Result]], first: Sequence[int]) -> list[tuple[int, float]]:
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


def _advantage(game: GameSpec, pairs: Sequence[tuple[int, float]]) -> Rate:
    seeds = np.array([seed for seed, _ in pairs], np.uint64)
    clusters = None if game.chance == "deterministic" else seeds
    return mean_rate(np.array([gain for _, gain in pairs]), clusters, bounds=RESULT)


# --- patterns of winning hands -------------------------------------------------------------------


def patterns(climbs: Sequence[Climb | ScoreClimb]) -> dict[str, Any]:
    """By game and policy, how many different patterns its wins were made of, as the game counts.

    ``lowest`` is over the games of Lv0 and Lv1, as the paper's table 4, ``all`` over all.
    """
    found: dict[str, Any] = {}
    for climb in climbs:
        game = climb.plan.ladder.game
        metrics: Any = game.optional_module("metrics")
        if not hasattr(metrics, "diversity"):
            continue
        rules = game.make_rules(**climb.plan.ladder.options)
        levels_played = climb.outcome().levels
        own = {}
        for name, chosen in (
            ("lowest", [level for level in levels_played if level.level < 2]),
            ("all", levels_played),
        ):
            records = [result.record for level in chosen for result in level.results]
            if records:
                games = Games(records)
                counts = metrics.game_counts(rules, games.seeds, games.actions, games.plies)
                seats = [counts[g, levels.seats_of(climb, r)] for g, r in enumerate(records)]
                own[name] = _known(metrics.diversity(metrics.fans_of_wins(np.concatenate(seats))))
        found.setdefault(game.name, {})[climb.policy] = own
    return found


def _known(value: Any) -> Any:
    """With null for what is not a number."""
    if isinstance(value, dict):
        return {name: _known(of) for name, of in value.items()}
    return None if value != value else value


# --- how alike the games are ---------------------------------------------------------------------


def alike(shares: Mapping[str, Mapping[str, Rate]]) -> dict[str, Any]:
    """Spearman's rank correlation of each two games over the policies that played both.

    Args:
        shares: of the ladders climbed, by policy and game.
    """
    games = list(next(iter(shares.values()), {}))
    pairs = []
    for one, other in combinations(games, 2):
        both = [
            (a, b)
            for own in shares.values()
            if (a := own[one].value) is not None and (b := own[other].value) is not None
        ]
        found = spearman(*zip(*both, strict=True)) if len(both) >= LEAST_POLICIES else nan
        correlation = None if isnan(found) else found
        pairs.append({"games": [one, other], "policies": len(both), "correlation": correlation})
    return {"pairs": pairs}
