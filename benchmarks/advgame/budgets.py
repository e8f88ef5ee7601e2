"""What becomes of a policy with more or less of its budget, and what the budget alone is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stratagym.benchmarks.advgame import metrics
from stratagym.benchmarks.advgame.answers import stale
from stratagym.benchmarks.advgame.matches import Plan, Setting
from stratagym.benchmarks.advgame.metrics import Game
from stratagym.benchmarks.reporting.stats import COUNT, FREE, Rate, ratio_rate

CURVES = ("OBR", "RVR", "WR", "init-win")
SPENT = "spent"


def summary(every: Sequence[tuple[Setting, Game]], plan: Plan) -> dict[str, Any]:
    """By policy and factor: metrics, what was spent, and the differences to the whole budget.

    Players that fill any budget are among them: what they win is what the budget alone is worth.
    Nothing of a run with one budget.
    """
    if len(plan.factors) == 1:
        return {}
    found: dict[str, Any] = {}
    for name in (*plan.policies, *plan.yardsticks):
        own = [one for one in every if one[0].policy == name]
        of = {f: [one for one in own if one[0].factor == f] for f in plan.factors}
        whole = [game for _, game in of.get(1.0, [])]
        found[name] = {
            f"{factor:g}": {
                **_point([g for _, g in part], whole),
                "stale": stale(part, plan, name, factor),
            }
            for factor, part in of.items()
            if part
        }
    return {name: points for name, points in found.items() if points}


def _point(games: Sequence[Game], whole: Sequence[Game]) -> dict[str, Any]:
    differences: Mapping[str, Rate] = {m: metrics.paired(games, whole, m) for m in CURVES}
    if pairs := metrics.pairs_of(games, whole):
        index = metrics.clusters_of([game for game, _ in pairs])
        sides = [_spent([pair[k] for pair in pairs]) for k in range(2)]
        differences = {**differences, SPENT: metrics.difference(sides[0], sides[1], index, FREE)}
    sums, index = _spent(games), metrics.clusters_of(games)
    by_cluster = [np.bincount(index, sums[:, k]) for k in range(2)]
    return {
        **{metric: metrics.rate(games, metric).record() for metric in CURVES},
        SPENT: ratio_rate(*by_cluster, bounds=COUNT).record(),
        "matches": len(games),
        "differences": {name: rate.record() for name, rate in differences.items()},
    }


def _spent(games: Sequence[Game]) -> np.ndarray:
    """(games, 2): cost by budget summed over rounds, and rounds."""
    return np.array(
        [(sum(one.spent[g.role] for one in g.rounds), len(g.rounds)) for g in games], float
    ).reshape(-1, 2)
