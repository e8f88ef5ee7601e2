"""A composite process score, which the paper names and gives no formula for.

``process`` is the mean of planning, (init-win + the slope on a scale from 0 to 1) / 2; revision,
CSR; and constraint, 1 - OBR. A part without a case, such as the revision of a policy that never
revises, is not in it: ``parts`` names those that are, and policies are ranked among those with the
same parts only. ``process_vs_redraw`` has .5 + (CSR - the CSR of the policy's redraws) / 2 for
revision instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from stratagym.benchmarks.advgame.metrics import Game, cases, clusters_of
from stratagym.benchmarks.reporting.stats import SHARE, jackknife

RADAR = ("WR", "CSR", "1 - ORR", "1 - OBR", "slope")
STEEPEST = 0.3
"""The largest least squares slope of five results of 0 or 1."""
WEIGHTS = 1000
PARTS = ("planning", "revision", "constraint")
REDRAW = "CSR of redraws"
_USED = ("WR", "init-win", "slope", "CSR", "ORR", "OBR")
_COMPOSITES = ("process", "process_vs_redraw", "radar", "radar_area")


def scores(
    of: Mapping[str, Sequence[Game]],
    redraws: Mapping[str, Sequence[Game]] | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """By policy: the parts, ``process``, ``process_vs_redraw``, ``radar`` and ``radar_area`` with
    intervals, ranks.

    Intervals are over clusters, by the jackknife; there is none where the score would have other
    parts without one of them. Ranks are by ``process`` under random weights of the parts, drawn
    uniformly, among the policies with the same parts; ``of`` is how many these are.

    Args:
        of: matches by policy. redraws: by policy, the matches in which it was asked for first plans
            instead of revisions.
    """
    found: dict[str, Any] = {}
    for name, games in of.items():
        index = clusters_of(games)
        sums = {m: _by_cluster(cases(games, m), index) for m in _USED}
        size = len(next(iter(sums.values())))
        sums[REDRAW] = _of_clusters(games, (redraws or {}).get(name, ()), size)
        whole = _parts({m: total.sum(0) for m, total in sums.items()})
        found[name] = {**whole, "radar_axes": _axes(whole)}

        def composite(
            kept: np.ndarray, title: str, sums: Any = sums, parts: Any = whole["parts"]
        ) -> float:
            some = _parts({m: total[kept].sum(0) for m, total in sums.items()})
            return _composites(some)[title] if some["parts"] == parts else float("nan")

        for title in _COMPOSITES:
            rate = jackknife(partial(composite, title=title), size, bounds=SHARE)
            found[name][title] = rate.record() | {"n": size}
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, one in found.items():
        groups.setdefault(tuple(one["parts"]), []).append(name)
    rng = np.random.default_rng(seed)
    for parts, names in groups.items():
        weights = rng.dirichlet(np.ones(max(1, len(parts))), WEIGHTS)
        values = np.array([[found[name][part] for part in parts] or [0.0] for name in names])
        for name, ranks in zip(names, _ranks(values, weights), strict=True):
            found[name]["ranks"] = {
                "low": int(ranks.min()),
                "median": float(np.median(ranks)),
                "high": int(ranks.max()),
                "of": len(names),
            }
    return found


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
    """Metrics, the parts made of them, and which of these there are."""
    of = {m: float(t[0] / t[1]) if t[1] else None for m, t in total.items()}
    planning = None
    if of["init-win"] is not None and of["slope"] is not None:
        planning = (of["init-win"] + _on_scale(of["slope"])) / 2
    constraint = None if of["OBR"] is None else 1 - of["OBR"]
    found: dict[str, Any] = {
        **of, "planning": planning, "revision": of["CSR"], "constraint": constraint,
    }  # fmt: skip
    found["parts"] = [part for part in PARTS if found[part] is not None]
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
        "radar": float(np.mean(whole)) if len(whole) == len(axes) else nan,
        "radar_area": sum(a * b for a, b in zip(whole, whole[1:] + whole[:1], strict=True)) / 5
        if len(whole) == len(axes)
        else nan,
    }


def _ranks(parts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(policies, weights): places from 1 by the weighted mean of the parts."""
    values = parts @ weights.T
    return 1 + (values[None, :, :] > values[:, None, :] + 1e-12).sum(1)
