"""A composite process score, which the paper names and gives no formula for.

``process`` is the mean of planning, (init-win + the slope on a scale from 0 to 1) / 2; revision,
CSR; and constraint, 1 - OBR. A part without a case is left out; ``parts`` says how many there are.
``process_vs_redraw`` has .5 + (CSR - the CSR of the policy's redraws) / 2 for revision instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stratagym.benchmarks.advgamebench.metrics import Game, cases, clusters_of

RADAR = ("WR", "CSR", "1 - ORR", "1 - OBR", "slope")
STEEPEST = 0.3
"""The largest least squares slope of five results of 0 or 1."""
RESAMPLES = 1000
WEIGHTS = 1000
_USED = ("WR", "init-win", "slope", "CSR", "ORR", "OBR")


def scores(
    of: Mapping[str, Sequence[Game]],
    redraws: Mapping[str, Sequence[Game]] | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """By policy: the parts, ``process``, ``process_vs_redraw``, ``radar`` and ``radar_area`` with
    intervals, ranks.

    Intervals are of resampled clusters, the same for all parts. Ranks are by ``process`` under
    random weights of the three parts, drawn uniformly.

    Args:
        of: matches by policy. redraws: by policy, the matches in which it was asked for first plans
            instead of revisions.
    """
    found: dict[str, Any] = {}
    rng = np.random.default_rng(seed)
    for name, games in of.items():
        index = clusters_of(games)
        sums = {m: _by_cluster(cases(games, m), index) for m in _USED}
        size = len(next(iter(sums.values())))
        sums[REDRAW] = _of_clusters(games, (redraws or {}).get(name, ()), size)
        whole = _parts({m: total.sum(0) for m, total in sums.items()})
        drawn = []
        for _ in range(RESAMPLES if size > 1 else 0):
            chosen = rng.integers(size, size=size)
            drawn.append(_composites(_parts({m: t[chosen].sum(0) for m, t in sums.items()})))
        found[name] = {**whole, "radar_axes": _axes(whole)}
        for k, (title, value) in enumerate(_composites(whole).items()):
            column = np.array([list(one.values())[k] for one in drawn], float)
            known = column[~np.isnan(column)]
            low, high = np.quantile(known, [0.025, 0.975]) if len(known) else (None, None)
            found[name][title] = {
                "value": None if np.isnan(value) else value,
                "low": None if low is None else float(low),
                "high": None if high is None else float(high),
                "n": size,
            }
    weights = rng.dirichlet(np.ones(3), WEIGHTS)
    parts = np.array(
        [[one[p] if one[p] is not None else np.nan for p in PARTS] for one in found.values()]
    )
    for name, ranks in zip(found, _ranks(parts, weights), strict=True):
        found[name]["ranks"] = {
            "low": int(ranks.min()),
            "median": float(np.median(ranks)),
            "high": int(ranks.max()),
        }
    return found


PARTS = ("planning", "revision", "constraint")
REDRAW = "CSR of redraws"


def _by_cluster(found: np.ndarray, index: np.ndarray) -> np.ndarray:
    return np.stack([np.bincount(index, found[:, k]) for k in range(2)], 1)


def _of_clusters(games: Sequence[Game], others: Sequence[Game], size: int) -> np.ndarray:
    """(size, 2): the CSR of ``others`` by the clusters of ``games``."""
    number = dict(zip((game.cluster for game in games), clusters_of(games), strict=True))
    sums = np.zeros((size, 2))
    for game, found in zip(others, cases(others, "CSR"), strict=True):
        if game.cluster in number:
            sums[number[game.cluster]] += found
    return sums


def _parts(total: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Metrics, the parts made of them, and how many of these there are."""
    of = {m: float(t[0] / t[1]) if t[1] else None for m, t in total.items()}
    planning = None
    if of["init-win"] is not None and of["slope"] is not None:
        planning = (of["init-win"] + _on_scale(of["slope"])) / 2
    constraint = None if of["OBR"] is None else 1 - of["OBR"]
    found: dict[str, Any] = {
        **of, "planning": planning, "revision": of["CSR"], "constraint": constraint,
    }  # fmt: skip
    found["parts"] = sum(found[part] is not None for part in PARTS)
    return found


def _on_scale(slope: float) -> float:
    return min(1.0, max(0.0, (slope + STEEPEST) / (2 * STEEPEST)))


def _axes(of: Mapping[str, Any]) -> list[float | None]:
    """The axes of the radar, in the order of ``RADAR``."""
    return [
        of["WR"],
        of["CSR"],
        None if of["ORR"] is None else 1 - of["ORR"],
        None if of["OBR"] is None else 1 - of["OBR"],
        None if of["slope"] is None else _on_scale(of["slope"]),
    ]


def _composites(of: Mapping[str, Any]) -> dict[str, float]:
    known = [of[part] for part in PARTS if of[part] is not None]
    axes = _axes(of)
    whole = [x for x in axes if x is not None]
    nan = float("nan")
    against = nan
    if of["CSR"] is not None and of[REDRAW] is not None:
        revision = 0.5 + (of["CSR"] - of[REDRAW]) / 2
        others = [of[part] for part in ("planning", "constraint") if of[part] is not None]
        against = float(np.mean([*others, revision]))
    return {
        "process": float(np.mean(known)) if known else nan,
        "process_vs_redraw": against,
        "radar": float(np.mean(whole)) if whole else nan,
        "radar_area": sum(a * b for a, b in zip(whole, whole[1:] + whole[:1], strict=True)) / 5
        if len(whole) == 5
        else nan,
    }


def _ranks(parts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(policies, weights): places from 1 by the weighted mean of the parts that there are."""
    known = ~np.isnan(parts)
    values = np.nan_to_num(parts) @ weights.T / np.maximum(known @ weights.T, 1e-12)
    return 1 + (values[None, :, :] > values[:, None, :] + 1e-12).sum(1)
