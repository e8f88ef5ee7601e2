"""Ratings from results: Elo's scale and Bradley-Terry, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagym.benchmarks.stats import CONFIDENCE

SCALE = 400.0 / np.log(10.0)
"""Elo points of one unit of Bradley-Terry's log odds."""
START = 1000.0
PRIOR_DRAWS = 1.0
"""Games that each player is taken to have drawn at rating ``START``; keeps ratings finite."""


def _expected(ratings: np.ndarray) -> np.ndarray:
    """(N, N) expected score of the row against the column."""
    return 1.0 / (1.0 + np.exp((ratings[None, :] - ratings[:, None]) / SCALE))


def bradley_terry(scores: np.ndarray, prior: float = PRIOR_DRAWS) -> np.ndarray:
    """Maximum-likelihood ratings (Bradley and Terry 1952) on Elo's scale, by Newton's method.

    Args:
        scores: (N, N) points of the row against the column, a draw counting one half.
        prior: drawn games of every player against a player of rating ``START``.
    """
    games = scores + scores.T
    r = np.zeros(len(scores))
    for _ in range(100):
        p = 1.0 / (1.0 + np.exp(r[None, :] - r[:, None]))
        own = 1.0 / (1.0 + np.exp(-r))
        gradient = (scores - games * p).sum(1) + prior * (0.5 - own)
        weight = games * p * (1 - p)
        hessian = np.diag(weight.sum(1) + prior * own * (1 - own)) - weight
        move = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        r += np.clip(move, -1, 1)
        if np.abs(move).max() < 1e-10:
            break
    return START + SCALE * r


def elo(scores: np.ndarray, k: float = 32.0, passes: int = 100_000) -> np.ndarray:
    """Elo ratings that another pass over all games would not change, whatever the games' order.

    Starting at ``START``, every pass moves each rating by ``k`` times its mean surplus of points a
    game, until nothing moves; ``PRIOR_DRAWS`` as above.
    """
    games = scores + scores.T
    ratings = np.full(len(scores), START)
    played = games.sum(1) + PRIOR_DRAWS
    for _ in range(passes):
        against_start = 1.0 / (1.0 + np.exp((START - ratings) / SCALE))
        surplus = (scores - games * _expected(ratings)).sum(1)
        move = k * (surplus + PRIOR_DRAWS * (0.5 - against_start)) / played
        ratings += move
        if np.abs(move).max() < 1e-6:
            break
    return ratings


def rate(
    results: Sequence[tuple[str, str, float, int]], *, draws: int = 500, seed: int = 0
) -> dict[str, dict[str, Any]]:
    """Ratings of all players with 95% intervals from resampling seeds.

    Args:
        results: (player, opponent, points of the player: 1, 0.5 or 0, seed of the game).

    Returns:
        By player: ``bradley_terry``, ``low``, ``high``, ``elo``, ``games``, ``points``.
    """
    names = sorted({name for a, b, _, _ in results for name in (a, b)})
    place = {name: k for k, name in enumerate(names)}
    seeds, cluster = np.unique([s for *_, s in results], return_inverse=True)
    tables = np.zeros((len(seeds), len(names), len(names)))
    for (a, b, points, _), at in zip(results, cluster, strict=True):
        tables[at, place[a], place[b]] += points
        tables[at, place[b], place[a]] += 1 - points
    scores = tables.sum(0)
    rng = np.random.default_rng(seed)
    drawn = [
        bradley_terry(tables[rng.integers(len(seeds), size=len(seeds))].sum(0))
        for _ in range(draws)
    ]
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(drawn, [tail, 100 - tail], axis=0)
    bt, fixed = bradley_terry(scores), elo(scores)
    games = (scores + scores.T).sum(1)
    return {
        name: {
            "bradley_terry": float(bt[k]),
            "low": float(low[k]),
            "high": float(high[k]),
            "elo": float(fixed[k]),
            "games": int(games[k]),
            "points": float(scores[k].sum()),
        }
        for name, k in place.items()
    }
