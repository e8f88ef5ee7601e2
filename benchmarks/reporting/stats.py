"""Rates and their uncertainty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

CONFIDENCE = 0.95
FEW = 20


@dataclass(frozen=True)
class Rate:
    """A proportion or mean with its 95% interval.

    Attributes:
        value, low, high: None where ``n`` is 0.
        n: cases it rests on. chance: its expectation for uniformly random play, if that is known.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    chance: float | None = None

    def record(self) -> dict[str, Any]:
        """As it stands in ``summary.json``."""
        return asdict(self)

    def complement(self) -> Rate:
        """The rate of the opposite."""
        if self.value is None or self.low is None or self.high is None:
            return self
        chance = None if self.chance is None else 1 - self.chance
        return Rate(1 - self.value, 1 - self.high, 1 - self.low, self.n, chance)

    def text(self, digits: int = 2) -> str:
        """``.88 [.74, .95]``, or a dash without cases."""
        if self.value is None or self.low is None or self.high is None:
            return "–"
        value, low, high = (f"{x:.{digits}f}" for x in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]"


def wilson(
    successes: float, n: int, chance: float | None = None, *, confidence: float = CONFIDENCE
) -> Rate:
    """Wilson's score interval (Wilson 1927) for ``successes`` out of ``n``."""
    if n == 0:
        return Rate(None, None, None, 0, chance)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    p = successes / n
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Rate(p, float(low), float(high), n, chance)


def paired_difference(both: int, after_only: int, before_only: int, neither: int) -> Rate:
    """Share with a property after minus share before, over pairs: Newcombe's method 10 (1998).

    Unlike a bootstrap it has a width where no pair changed.
    """
    n = both + after_only + before_only + neither
    if n == 0:
        return Rate(None, None, None, 0, 0.0)
    after, before = wilson(both + after_only, n), wilson(both + before_only, n)
    assert after.value is not None and after.low is not None and after.high is not None
    assert before.value is not None and before.low is not None and before.high is not None
    margins = (
        (both + after_only)
        * (before_only + neither)
        * (both + before_only)
        * (after_only + neither)
    )
    cross: float = both * neither - after_only * before_only
    if cross > 0:
        cross = max(cross - n / 2, 0)
    phi = cross / margins**0.5 if margins else 0.0
    down = (after.value - after.low, before.high - before.value)
    up = (after.high - after.value, before.value - before.low)
    below, above = ((x**2 - 2 * phi * x * y + y**2) ** 0.5 for x, y in (down, up))
    value = after.value - before.value
    return Rate(value, value - below, value + above, n, 0.0)


def unpaired_difference(before: Rate, after: Rate) -> Rate:
    """``after`` minus ``before`` with Newcombe's interval (1998, method 10), as if unpaired.

    Over pairs whose cases go together it is wider than need be.
    """
    if before.value is None or before.low is None or before.high is None:
        return Rate(None, None, None, 0, 0.0)
    if after.value is None or after.low is None or after.high is None:
        return Rate(None, None, None, 0, 0.0)
    change = after.value - before.value
    below = (after.value - after.low) ** 2 + (before.high - before.value) ** 2
    above = (after.high - after.value) ** 2 + (before.value - before.low) ** 2
    return Rate(change, change - below**0.5, change + above**0.5, min(after.n, before.n), 0.0)


def bootstrap_mean(
    values: np.ndarray,
    clusters: np.ndarray | None = None,
    *,
    chance: float | None = None,
    draws: int = 2000,
    seed: int = 0,
) -> Rate:
    """Mean of ``values`` (N,) with a percentile interval from resampling whole clusters.

    A share of fewer than ``FEW`` clusters, or whose cases are all alike, gets Wilson's interval
    instead, as if a cluster were one case: resampling knows only what it has seen.

    Args:
        clusters: (N,) labels; cases that share one (a seed, a board) are drawn together. Without
            it every case is its own cluster.
    """
    values = np.asarray(values, float)
    if len(values) == 0:
        return Rate(None, None, None, 0, chance)
    labels = np.arange(len(values)) if clusters is None else clusters
    _, index = np.unique(labels, return_inverse=True)
    return bootstrap_ratio(
        np.bincount(index, values),
        np.bincount(index),
        share=bool(values.min() >= 0 and values.max() <= 1),
        chance=chance,
        draws=draws,
        seed=seed,
    )


def bootstrap_ratio(
    sums: np.ndarray,
    sizes: np.ndarray,
    *,
    share: bool = True,
    chance: float | None = None,
    draws: int = 2000,
    seed: int = 0,
) -> Rate:
    """``sums.sum() / sizes.sum()`` with a percentile interval from resampling clusters.

    Args:
        sums, sizes: (N,) by cluster: what is counted, and among how many cases.
        share: whether it is a share; of fewer than ``FEW`` clusters with any case, or of clusters
            that are all alike, it gets Wilson's interval, as ``bootstrap_mean`` says.
    """
    sums, sizes = np.asarray(sums, float)[sizes > 0], np.asarray(sizes, float)[sizes > 0]
    if len(sums) == 0:
        return Rate(None, None, None, 0, chance)
    value, cases = float(sums.sum() / sizes.sum()), int(sizes.sum())
    alike = bool(np.all(sums == value * sizes))
    if (len(sums) < FEW or alike) and share:
        few = wilson(value * len(sums), len(sums))
        return Rate(value, few.low, few.high, cases, chance)
    rng = np.random.default_rng(seed)
    means = np.empty(draws)
    for k in range(draws):
        drawn = rng.integers(len(sums), size=len(sums))
        means[k] = sums[drawn].sum() / sizes[drawn].sum()
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    return Rate(value, float(low), float(high), cases, chance)


def bootstrap_statistic(
    statistic: Callable[[np.ndarray], float], clusters: int, *, draws: int = 1000, seed: int = 0
) -> Rate:
    """Any statistic of clusters with a percentile interval from resampling them.

    Args:
        statistic: of the numbers (K,) of the clusters that were drawn, with repetitions; draws
            for which it is nan are left out. clusters: how many there are.
    """
    whole = statistic(np.arange(clusters)) if clusters else float("nan")
    if np.isnan(whole):
        return Rate(None, None, None, 0)
    rng = np.random.default_rng(seed)
    values = [statistic(rng.integers(clusters, size=clusters)) for _ in range(draws)]
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.nanpercentile(values, [tail, 100 - tail])
    return Rate(float(whole), float(low), float(high), clusters)


def kappa(agreement: float | None, chance: float) -> float | None:
    """Agreement corrected for chance (Cohen 1960): 0 at chance level, 1 where always equal."""
    if agreement is None or chance >= 1:
        return None
    return (agreement - chance) / (1 - chance)
