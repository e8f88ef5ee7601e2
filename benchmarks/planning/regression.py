"""Logistic regression of solved problems on their length and complexity, with a domain's own level.

Lengths, applicable actions and pairs of states and actions go together, and all differ between
domains; so one regression holds all of them, and an intercept for each domain.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

PREDICTORS = ("length", "applicable", "state_actions")
FEWEST = 30
"""Problems that a regression needs."""
SLOPE_SD = 5.0
"""Standard deviation of the slopes' normal prior: weak, and ends where the data separate."""
SPREADS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Standard deviations of the domains' intercepts that are tried."""
_Z = 1.959964
_STEPS = 100


@dataclass(frozen=True)
class Fit:
    """A fitted regression.

    Attributes:
        slopes: (P,) change of the log odds for one standard deviation of each predictor.
        errors: (P,) standard errors, by Laplace's approximation.
        spread: standard deviation of the domains' intercepts. evidence: log marginal likelihood of
            it, by the same approximation.
    """

    slopes: np.ndarray
    errors: np.ndarray
    spread: float
    evidence: float


def fit(x: np.ndarray, solved: np.ndarray, domain: np.ndarray, spread: float) -> Fit:
    """The most probable regression, by Newton's method.

    Args:
        x: (N, P) standardized predictors. solved: (N,) 0 or 1. domain: (N,) numbers from 0.
        spread: standard deviation of the domains' normal intercepts.
    """
    n, p = x.shape
    design = np.hstack([np.ones((n, 1)), x, np.eye(int(domain.max()) + 1)[domain]])
    precision = np.full(design.shape[1], spread**-2)
    precision[: p + 1] = SLOPE_SD**-2
    weights = np.zeros(design.shape[1])

    def worth(at: np.ndarray) -> float:
        """The log posterior, but for a constant."""
        told = design @ at
        return float(solved @ told - np.logaddexp(0, told).sum() - 0.5 * precision @ at**2)

    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(design @ weights, -500, 500)))
        slope = design.T @ (solved - chance) - precision * weights
        curve = (design * (chance * (1 - chance))[:, None]).T @ design + np.diag(precision)
        step = np.linalg.solve(curve, slope)
        while worth(weights + step) < worth(weights) and np.abs(step).max() > 1e-12:
            step /= 2
        weights = weights + step
        if np.abs(step).max() < 1e-9:
            break
    errors = np.sqrt(np.diag(np.linalg.inv(curve)))
    _, volume = np.linalg.slogdet(curve)
    evidence = worth(weights) + 0.5 * float(np.log(precision).sum()) - 0.5 * float(volume)
    return Fit(weights[1 : p + 1], errors[1 : p + 1], spread, evidence)


def regression(
    answers: Sequence[Mapping[str, Any]], hard: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any] | None:
    """Solved or not on log10 of the best length, log10 of the applicable actions, and the pairs.

    Predictors are standardized over the problems that have all three; one that does not vary is
    left out. The domain is a random effect: an intercept, normal around 0 with the standard
    deviation of ``SPREADS`` under which the answers are most likely.

    Returns:
        ``n`` problems, ``spread``, and by predictor its slope with the 95% interval; None for fewer
        than ``FEWEST`` problems, or where all or none are solved.
    """
    rows, solved, names = [], [], []
    for one in answers:
        figures = hard[one["item"]]
        if not one["reference"] or figures["state_actions"] is None:
            continue
        rows.append(
            [
                math.log10(one["reference"]),
                math.log10(max(1.0, figures["applicable"])),
                figures["state_actions"],
            ]
        )
        solved.append(one["verdict"] == "valid")
        names.append(one["domain"])
    if len(rows) < FEWEST or len(set(solved)) < 2:
        return None
    x = np.array(rows)
    kept = np.flatnonzero(x.std(0) > 1e-9)
    x = ((x - x.mean(0)) / np.where(x.std(0) > 1e-9, x.std(0), 1.0))[:, kept]
    _, domain = np.unique(names, return_inverse=True)
    y = np.array(solved, float)
    best = max((fit(x, y, domain, spread) for spread in SPREADS), key=lambda one: one.evidence)
    return {
        "n": len(rows),
        "domains": int(domain.max()) + 1,
        "spread": best.spread,
        "slopes": {
            PREDICTORS[k]: {
                "value": float(slope),
                "low": float(slope - _Z * error),
                "high": float(slope + _Z * error),
                "n": len(rows),
            }
            for k, slope, error in zip(kept.tolist(), best.slopes, best.errors, strict=True)
        },
    }
