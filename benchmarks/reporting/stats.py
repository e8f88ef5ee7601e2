"""Rates and their uncertainty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

CONFIDENCE = 0.95
FEW = 20
GROUPS = 200
"""Parts that are left out in turn, at most."""
Bounds = tuple[float, float]
"""The least and the most that a single case can be."""
SHARE: Bounds = (0.0, 1.0)
RESULT: Bounds = (-1.0, 1.0)
COUNT: Bounds = (0.0, float("inf"))
FREE: Bounds = (-float("inf"), float("inf"))


@dataclass(frozen=True)
class Rate:
    """A proportion or mean with its 95% interval.

    Attributes:
        value: None where ``n`` is 0. low, high: None where the cases do not tell how far off the
            value may be, too.
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
        """``0.88 [0.74, 0.95]``; a dash for what there is none of."""
        if self.value is None:
            return "–"
        value = f"{self.value:.{digits}f}"
        if self.low is None or self.high is None:
            return f"{value} [–]"
        return f"{value} [{self.low:.{digits}f}, {self.high:.{digits}f}]"


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


def mean_rate(
    values: np.ndarray,
    clusters: np.ndarray | None = None,
    *,
    bounds: Bounds | None = None,
    chance: float | None = None,
) -> Rate:
    """Mean of ``values`` (N,) with its interval, as ``ratio_rate`` gives it.

    Args:
        clusters: (N,) labels; cases that share one (a seed, a board) count as one. Without it
            every case is its own cluster.
        bounds: what a value can be. By default those of shares where all values lie between 0 and
            1, those of results where all are -1, 0 or 1, and none otherwise.
    """
    values = np.asarray(values, float)
    if len(values) == 0:
        return Rate(None, None, None, 0, chance)
    if bounds is None:
        is_result = bool(np.isin(values, (-1, 0, 1)).all())
        bounds = RESULT if is_result else FREE
        bounds = SHARE if values.min() >= 0 and values.max() <= 1 else bounds
    labels = np.arange(len(values)) if clusters is None else clusters
    _, index = np.unique(labels, return_inverse=True)
    return ratio_rate(np.bincount(index, values), np.bincount(index), bounds=bounds, chance=chance)


def ratio_rate(
    sums: np.ndarray, sizes: np.ndarray, *, bounds: Bounds = SHARE, chance: float | None = None
) -> Rate:
    """``sums.sum() / sizes.sum()`` with an interval by Student's t over clusters.

    Few cases show little of what is rare: four games of 19 points say nothing of the one in ten
    that is lost. So where ``bounds`` are known, the interval is that of the cases and one more at
    each bound, as Agresti and Caffo (2000) add a success and a failure. Where they are not, cases
    that are all alike have no interval, and a single case never has one.

    A share of fewer than ``FEW`` clusters, or of clusters that are all alike, gets Wilson's
    interval instead, as if a cluster were one case.

    Args:
        sums, sizes: (N,) by cluster: what is counted, and among how many cases. Clusters without
            a case are left out.
        bounds: what a single case can be; infinite where nobody knows.
    """
    sums, sizes = np.asarray(sums, float)[sizes > 0], np.asarray(sizes, float)[sizes > 0]
    if len(sums) == 0:
        return Rate(None, None, None, 0, chance)
    value, cases = float(sums.sum() / sizes.sum()), int(sizes.sum())
    if bounds == SHARE and (len(sums) < FEW or _alike(sums / sizes)):
        few = wilson(value * len(sums), len(sums))
        return Rate(value, few.low, few.high, cases, chance)
    low, high = _t_interval(sums, sizes, bounds)
    return Rate(value, low, high, cases, chance)


def jackknife(
    statistic: Callable[[np.ndarray], float], clusters: int, *, bounds: Bounds = FREE
) -> Rate:
    """Any smooth statistic of clusters with an interval by the jackknife (Tukey 1958).

    Each cluster is left out once, or each of ``GROUPS`` groups of them where there are more; the
    interval is that of ``ratio_rate`` for the pseudo-values. There is none where the statistic
    rests on one cluster alone.

    Args:
        statistic: of the numbers (K,) of the clusters that count; nan where it has no value.
        clusters: how many there are. bounds: what the statistic can be.
    """
    every = np.arange(clusters)
    whole = statistic(every) if clusters else float("nan")
    if np.isnan(whole):
        return Rate(None, None, None, 0)
    groups = min(clusters, GROUPS)
    if groups < 2:
        return Rate(float(whole), None, None, clusters)
    without = [statistic(np.delete(every, g)) for g in np.array_split(every, groups)]
    if np.isnan(without).any():
        return Rate(float(whole), None, None, clusters)
    shifts = (groups - 1) * (np.mean(without) - np.array(without))
    low, high = _t_interval(whole + shifts, np.ones(groups), bounds)
    return Rate(float(whole), low, high, clusters)


def _alike(values: np.ndarray) -> bool:
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max(initial=1.0))


def _t_interval(
    sums: np.ndarray, sizes: np.ndarray, bounds: Bounds
) -> tuple[float, float] | tuple[None, None]:
    """The ends of ``ratio_rate``'s interval; the ratio's error is linearised."""
    if len(sums) < 2:
        return None, None
    value = sums.sum() / sizes.sum()
    if np.isfinite(bounds).all():
        size = sizes.mean()
        sums = np.append(sums, np.multiply(bounds, size))
        sizes = np.append(sizes, [size, size])
    elif _alike(sums / sizes):
        return None, None
    n, centre = len(sums), sums.sum() / sizes.sum()
    spread = ((sums - centre * sizes) ** 2).sum() * n / (n - 1)
    half = t_quantile(0.5 + CONFIDENCE / 2, n - 1) * spread**0.5 / sizes.sum()
    low, high = min(value, centre - half), max(value, centre + half)
    return float(max(bounds[0], low)), float(min(bounds[1], high))


@lru_cache(maxsize=4096)
def t_quantile(p: float, degrees: int) -> float:
    """The value that Student's t with a whole number of degrees of freedom stays below, 0.5 < p.

    By bisection of its distribution in closed form (Abramowitz and Stegun, 26.7.3 and 26.7.4); for
    more than 100 degrees by the normal quantile and its correction (26.7.5). Right to 1e-8.
    """
    if degrees > 100:
        z = NormalDist().inv_cdf(p)
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        )
        return z + sum(term / degrees**k for k, term in enumerate(terms, 1))
    odd = degrees % 2
    k = np.arange(1 + odd, degrees - 1, 2)
    factors = np.cumprod(k / (k + 1)) if len(k) else np.zeros(0)

    def within(angle: float) -> float:
        """How likely t lies between -x and x, for ``angle`` = atan(x / sqrt(degrees))."""
        cosine, sine = np.cos(angle), np.sin(angle)
        powers = cosine ** (k + 1)
        if odd:
            inner = sine * (cosine + (factors * powers).sum()) if degrees > 1 else 0.0
            return float((angle + inner) * 2 / np.pi)
        return float(sine * (1 + (factors * powers).sum()))

    low, high = 0.0, np.pi / 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < 2 * p - 1 else (low, middle)
    return float(np.tan((low + high) / 2) * degrees**0.5)


def kappa(agreement: float | None, chance: float) -> float | None:
    """Agreement corrected for chance (Cohen 1960): 0 at chance level, 1 where always equal."""
    if agreement is None or chance >= 1:
        return None
    return (agreement - chance) / (1 - chance)
