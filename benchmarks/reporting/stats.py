"""Rates and their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

CONFIDENCE = 0.95
FEW = 20
GROUPS = 200
"""The most parts that the jackknife leaves out in turn."""
TOGETHER = 0.1
"""How much cases of a cluster correlate where nobody knows: what corrections for few clusters are
made for. In simulations with 0 to 0.5 intervals hold what they say best by it."""
Bounds = tuple[float, float]
"""The smallest and the largest possible value of a single case."""
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
        """The record for ``summary.json``."""
        return asdict(self)

    def complement(self) -> Rate:
        """The rate of the opposite."""
        if self.value is None or self.low is None or self.high is None:
            return self
        chance = None if self.chance is None else 1 - self.chance
        return Rate(1 - self.value, 1 - self.high, 1 - self.low, self.n, chance)

    def text(self, digits: int = 2) -> str:
        """The rate as ``0.88 [0.74, 0.95]``; a dash for a missing value or interval."""
        if self.value is None:
            return "–"
        value = f"{self.value:.{digits}f}"
        if self.low is None or self.high is None:
            return f"{value} [–]"
        return f"{value} [{self.low:.{digits}f}, {self.high:.{digits}f}]"


def wilson(
    successes: float, n: float, chance: float | None = None, *, confidence: float = CONFIDENCE
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
    return Rate(p, float(low), float(high), int(n), chance)


def share_rate(sums: np.ndarray, sizes: np.ndarray, chance: float | None = None) -> Rate:
    """A share with Wilson's interval as if each cluster of cases were one case.

    Unequal clusters count as fewer (Kish): as the equal ones that would have the same error if
    all cases of a cluster went together.

    Args:
        sums, sizes: (N,) by cluster, hits and cases.
    """
    cases = float(sizes.sum())
    if not cases:
        return Rate(None, None, None, 0, chance)
    n = cases**2 / float((np.asarray(sizes, float) ** 2).sum())
    few = wilson(float(sums.sum()) / cases * n, n)
    return Rate(float(sums.sum()) / cases, few.low, few.high, int(cases), chance)


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
    """Mean of ``values`` (N,) with an interval: of hits that of ``ratio_rate``, else ``clustered``.

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
    sums, sizes = np.bincount(index, values), np.bincount(index)
    if bounds == SHARE and not np.isin(values, (0, 0.5, 1)).all():  # no hits, but values between
        rate = clustered([np.stack([sums, sizes], 1)[:, None]], bounds=bounds)
        return replace(rate, chance=chance)
    return ratio_rate(sums, sizes, bounds=bounds, chance=chance)


def paired_means(
    after: Mapping[int, Sequence[float]],
    before: Mapping[int, Sequence[float]],
    *,
    bounds: Bounds = FREE,
) -> Rate:
    """The mean over the seeds that both have of the mean after minus the mean before.

    Args:
        after, before: values by seed. bounds: what a difference can be.
    """
    differences = [np.mean(after[seed]) - np.mean(before[seed]) for seed in after if seed in before]
    return mean_rate(np.array(differences, float), bounds=bounds, chance=0.0)


def ratio_rate(
    sums: np.ndarray, sizes: np.ndarray, *, bounds: Bounds = SHARE, chance: float | None = None
) -> Rate:
    """``sums.sum() / sizes.sum()`` with the interval of ``clustered``.

    A share of fewer than ``FEW`` clusters, or of clusters that are all alike, gets that of
    ``share_rate`` instead.

    Args:
        sums, sizes: (N,) by cluster: what is counted, and among how many cases. Clusters without
            a case are left out.
        bounds: what a single case can be; infinite where nobody knows.
    """
    sums, sizes = np.asarray(sums, float)[sizes > 0], np.asarray(sizes, float)[sizes > 0]
    if len(sums) == 0:
        return Rate(None, None, None, 0, chance)
    if bounds == SHARE and (len(sums) < FEW or _alike(sums / sizes)):
        return share_rate(sums, sizes, chance)
    rate = clustered([np.stack([sums, sizes], 1)[:, None]], bounds=bounds)
    return replace(rate, chance=chance)


def clustered(
    parts: Sequence[np.ndarray], signs: Sequence[float] = (1.0,), *, bounds: Bounds = FREE
) -> Rate:
    """A mean of ratios, or of differences between ratios, with its interval over clusters.

    The mean over strata, such as games, of the sum of ``signs`` times ratios; a ratio is a sum over
    the stratum's clusters by a number of cases over them. ``n`` is the number of cases.

    The interval is by Student's t for clusters of unequal sizes: the error is linearised, the
    variance is that of the clusters, each corrected for how much the mean follows it (CR2, Bell
    and McCaffrey 2002), and the quantile is that of the statistic's own distribution, found by
    Imhof's formula (1961) where those two approximate it by a number of degrees of freedom; with
    equal clusters it is Student's. Both are for cases of a cluster that correlate by ``TOGETHER``.

    Few cases show little of what is rare: four games of 19 points say nothing of the one in ten
    that is lost. So where ``bounds`` are known, the interval is that of the cases and one cluster
    more at each bound, as Agresti and Caffo (2000) add a success and a failure. Where they are not,
    fewer than three clusters have no interval, and neither have clusters that are all alike. A
    single cluster never has one.

    Args:
        parts: by stratum, (clusters, ratios, 2): sums and numbers of cases. Strata that lack a case
            of some ratio count nowhere.
        signs: of the ratios, such as 1 and -1.
        bounds: what a single case can be, of any of the ratios; infinite where nobody knows.
    """
    weights = np.asarray(signs, float)
    kept = [part[part[..., 1].any(1)] for part in parts if part[..., 1].sum(0).all()]
    if not kept:
        return Rate(None, None, None, 0)
    cases, clusters = int(sum(part[..., 1].sum() for part in kept)), sum(map(len, kept))
    value = _value(kept, weights)
    # By ratio: the least and the most that its part of the sum can be.
    ends = np.sort(np.multiply.outer(weights, bounds), 1)
    low_end, high_end = ends.sum(0).tolist()
    is_bounded = math.isfinite(low_end) and math.isfinite(high_end)
    if clusters < 2 or (not is_bounded and (clusters < 3 or min(map(len, kept)) < 2)):
        return Rate(value, None, None, cases)
    centre = value
    if is_bounded:
        kept = [_with_bounds(part, ends / weights[:, None], len(kept)) for part in kept]
        centre = _value(kept, weights)
    errors, table = [], []
    for at, part in enumerate(kept):
        sums, sizes = part[..., 0], part[..., 1]
        whole = sizes.sum(0)
        share = weights / whole / len(kept)
        errors.append(((sums - sizes * sums.sum(0) / whole) * share).sum(1))
        padded = np.zeros((len(part), len(kept), len(weights)))
        padded[:, at] = sizes
        table.append(padded.reshape(len(part), -1))
    error = np.concatenate(errors)
    if np.abs(error).max() <= 1e-12 * max(1.0, abs(centre)):
        return Rate(value, None, None, cases)
    whole_table = np.ascontiguousarray(np.concatenate(table))
    corrections, quantile = _small_sample(whole_table.tobytes(), tuple(weights) * len(kept))
    half = quantile * float((corrections * error**2).sum()) ** 0.5
    low, high = min(value, centre - half), max(value, centre + half)
    return Rate(value, max(low_end, low), min(high_end, high), cases)


def _value(parts: Sequence[np.ndarray], weights: np.ndarray) -> float:
    totals = [part.sum(0) for part in parts]
    return float(sum(weights @ (total[:, 0] / total[:, 1]) for total in totals) / len(totals))


def _with_bounds(part: np.ndarray, ends: np.ndarray, strata: int) -> np.ndarray:
    """A stratum with two clusters more, the least and the most that can be, ``ends`` (ratios, 2).

    Of the usual size, shared out among the strata: each adds to the error in the same direction.
    """
    sizes = part[..., 1].mean(0) / strata
    more = np.empty((2, *part.shape[1:]))
    more[..., 0], more[..., 1] = ends.T * sizes, sizes
    return np.concatenate([part, more])


@lru_cache(maxsize=64)
def _small_sample(table: bytes, signs: tuple[float, ...]) -> tuple[np.ndarray, float]:
    """(what each cluster's squared error counts, how many standard errors an interval reaches).

    It depends on the sizes of clusters alone, which a report's rates often have in common.

    Args:
        table: sizes (clusters, ratios), as bytes of floats. signs: of the ratios, (ratios,).
    """
    sizes, weights = np.frombuffer(table).reshape(-1, len(signs)), np.array(signs)
    clusters = len(sizes)
    if (sizes == sizes[0]).all():
        usual = t_quantile(0.5 + CONFIDENCE / 2, clusters - 1)
        return np.full(clusters, clusters / (clusters - 1)), usual
    kinds, which, n = np.unique(sizes, axis=0, return_inverse=True, return_counts=True)
    whole = sizes.sum(0)
    share, factor = kinds / whole, (weights / whole) ** 2
    own = kinds * (1 - TOGETHER) + kinds**2 * TOGETHER  # a cluster's variance
    # Covariances of the clusters' errors: what a mean takes out of one it puts into all others.
    both = (factor * own) @ share.T
    shared = (share * factor * (n @ own)) @ share.T - both - both.T
    variance = (factor * own).sum(1)
    left = variance + np.diag(shared)
    scale = np.divide(variance, left, out=np.zeros(len(n)), where=left > 1e-12 * variance)
    root = np.sqrt(scale * n)
    matrix = root[:, None] * shared * root + np.diag(scale * variance)
    values = np.concatenate([scale * variance, np.linalg.eigvalsh(matrix)])
    times = np.concatenate([n - 1, np.ones(len(n), int)])
    values = np.round(values / (values * times).sum(), 6)
    kept = (values > 0) & (times > 0)
    terms, at = np.unique(values[kept], return_inverse=True)
    counts = np.bincount(at, times[kept]).astype(int)
    return scale[which.ravel()], _quantile(tuple(terms.tolist()), tuple(counts.tolist()))


@lru_cache(maxsize=16384)
def _quantile(terms: tuple[float, ...], counts: tuple[int, ...]) -> float:
    """What the size of z / sqrt(q) stays below with the confidence of intervals.

    z is standard normal, q a sum of independent chi-squares of ``counts`` degrees of freedom times
    ``terms``, with mean 1. By Imhof's integral (Biometrika 48, 1961), on a scale of logarithms.
    """
    if len(terms) == 1:
        return t_quantile(0.5 + CONFIDENCE / 2, counts[0])
    step = 0.08
    grid = np.exp(np.arange(-10, 10, step))
    times = np.array([1, *counts])[:, None]

    def within(x: float) -> float:
        factors = np.array([-1.0, *(x * x * term for term in terms)])
        angles = factors[:, None] * (grid / np.abs(factors).max())
        turned = (times * np.arctan(angles)).sum(0) / 2
        faded = np.exp((times * np.log1p(angles**2)).sum(0) / -4)
        return 0.5 + float((np.sin(turned) * faded).sum()) * step / np.pi

    low, high = 1.9, t_quantile(0.5 + CONFIDENCE / 2, 1)
    while high - low > 1e-4 * low:
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < CONFIDENCE else (low, middle)
    return (low + high) / 2


def jackknife(
    statistic: Callable[[np.ndarray], float], clusters: int, *, bounds: Bounds = FREE
) -> Rate:
    """Any smooth statistic of clusters with an interval by the jackknife (Tukey 1958).

    Each cluster is left out once, or each of ``GROUPS`` groups of them where there are more; the
    interval is that of ``clustered`` for the pseudo-values. There is none where the statistic
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
    values = np.stack([whole + shifts, np.ones(groups)], 1)
    return replace(clustered([values[:, None]], bounds=bounds), value=float(whole), n=clusters)


def _alike(values: np.ndarray) -> bool:
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max(initial=1.0))


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
