"""Correlations over policies, with all figures that show the uncertainty of a few points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from stratagym.benchmarks.reporting.stats import t_quantile

FEWEST = 5
"""The smallest number of points for which a correlation is reported."""
SHUFFLES = 10_000


@dataclass(frozen=True)
class Correlation:
    """A correlation of ``n`` points.

    Attributes:
        pearson, spearman: coefficients. p, p_spearman: two-sided, by Student's t, n - 2 degrees.
        p_shuffled: two-sided, the share of shuffles of one side as far from 0.
        low, high: the least and the greatest Pearson coefficient with one point left out.
        without_low, without_high: the numbers of those points.
    """

    n: int
    pearson: float
    p: float
    spearman: float
    p_spearman: float
    p_shuffled: float
    low: float
    high: float
    without_low: int
    without_high: int

    def record(self) -> dict[str, Any]:
        """The record for ``summary.json``."""
        return asdict(self)


def pearson(x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray) -> float:
    """The coefficient; nan where one side does not vary."""
    a, b = np.asarray(x, float), np.asarray(y, float)
    a, b = a - a.mean(), b - b.mean()
    spread = (a @ a * (b @ b)) ** 0.5
    return float(a @ b / spread) if spread > 0 else float("nan")


def spearman(x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray) -> float:
    """The rank coefficient, equal values at their mean rank; nan where one side does not vary."""
    return pearson(ranks(x), ranks(y))


def ranks(values: Sequence[float] | np.ndarray) -> np.ndarray:
    """Ranks from 1, the mean of their places for equal values, (N,) float64."""
    values = np.asarray(values, float)
    _, index, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[index]


def p_of(r: float, n: int) -> float:
    """The two-sided p value of a coefficient, by Student's t."""
    if n < 3 or np.isnan(r):
        return float("nan")
    if abs(r) >= 1:
        return 0.0
    t = abs(r) * ((n - 2) / (1 - r * r)) ** 0.5
    low, high = 0.5 + 1e-9, 1 - 1e-12
    if t >= t_quantile(high, n - 2):
        return 0.0
    for _ in range(60):  # the quantile grows with its share
        middle = (low + high) / 2
        low, high = (middle, high) if t_quantile(middle, n - 2) < t else (low, middle)
    return float(2 * (1 - (low + high) / 2))


def correlation(
    x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray, seed: int = 0
) -> Correlation | None:
    """The correlation with its uncertainty; None for too few points or constant values.

    Args:
        seed: of the shuffles.
    """
    a, b = np.asarray(x, float), np.asarray(y, float)
    n = len(a)
    if n < FEWEST or np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    r, rho = pearson(a, b), spearman(a, b)
    every = np.arange(n)
    without = np.array([pearson(np.delete(a, k), np.delete(b, k)) for k in every])
    rng = np.random.default_rng(seed)
    shuffled = np.array([abs(pearson(a, rng.permutation(b))) for _ in range(SHUFFLES)])
    return Correlation(
        n=n,
        pearson=r,
        p=p_of(r, n),
        spearman=rho,
        p_spearman=p_of(rho, n),
        p_shuffled=float((1 + (shuffled >= abs(r) - 1e-12).sum()) / (1 + SHUFFLES)),
        low=float(np.nanmin(without)),
        high=float(np.nanmax(without)),
        without_low=int(np.nanargmin(without)),
        without_high=int(np.nanargmax(without)),
    )


def holm(p: Sequence[float]) -> list[float]:
    """Holm's adjustment (1979) of several p-values, in their order."""
    order = np.argsort(p)
    adjusted, most = np.empty(len(p)), 0.0
    for place, k in enumerate(order):
        most = max(most, min(1.0, (len(p) - place) * p[k]))
        adjusted[k] = most
    return adjusted.tolist()


def slope(values: Sequence[float] | np.ndarray) -> float:
    """The least squares slope of values over 0, 1, 2, ...; nan for fewer than two."""
    y = np.asarray(values, float)
    if len(y) < 2:
        return float("nan")
    x = np.arange(len(y)) - (len(y) - 1) / 2
    return float(x @ (y - y.mean()) / (x @ x))
