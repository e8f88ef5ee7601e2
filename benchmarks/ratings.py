"""Ratings from results: Elo's scale, Bradley-Terry and Davidson's draws, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.benchmarks.stats import CONFIDENCE, Rate

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


@dataclass(frozen=True)
class Davidson:
    """A fit of ``davidson``: (N,) ratings on Elo's scale, and the weight of draws, nu."""

    ratings: np.ndarray
    ties: float


def davidson(
    wins: np.ndarray,
    draws: np.ndarray,
    *,
    fixed: np.ndarray,
    ties: float | None = None,
    prior: float = 0.0,
    around: float = START,
) -> Davidson:
    """Bradley-Terry with draws (Davidson 1970) and anchors, by Newton's method.

    Of two players of strengths a and b the first wins with a probability in proportion to a, the
    second to b, and they draw in proportion to nu sqrt(ab); ratings are 400 log10 of strengths.
    The likelihood is concave in ratings and log nu, so the answer does not depend on any order.

    Args:
        wins: (N, N) games that the row won against the column.
        draws: (N, N) games drawn between both, symmetric.
        fixed: (N,) ratings of anchors, nan for players to be rated. One player at least is fixed
            or there is a prior, or only differences mean something.
        ties: nu, where it is known; estimated by default, 0 where nothing was drawn.
        prior: drawn games of every player to be rated against a player of rating ``around``; they
            keep ratings finite and do not enter nu.
    """
    estimate = ties is None and draws.sum() > 0
    nu = ties if ties is not None else 1.0 if estimate else 0.0
    n = len(wins)
    free = np.isnan(fixed)
    r = np.where(free, 0.0, (fixed - around) / SCALE)
    log_nu = np.log(nu) if nu else -np.inf
    games = wins + wins.T + draws
    unknown = np.append(free, estimate)
    for _ in range(200):
        half = (r[:, None] - r[None, :]) / 2
        parts = np.exp(half), np.full((n, n), np.exp(log_nu)), np.exp(-half)
        total = sum(parts)
        win, tie = parts[0] / total, parts[1] / total
        own = 1.0 / (1.0 + np.exp(-r))
        # With x = win - loss from the row's side, a rating's score is the sum of x / 2.
        mean = 2 * win + tie - 1
        surplus = (wins - wins.T - games * mean).sum(1) / 2 + prior * (0.5 - own) * free
        gradient = np.append(surplus, (draws - games * tie).sum() / 2)
        spread = games * (1 - tie - mean**2) / 4
        cross = -(games * mean * tie).sum(1) / 2
        hessian = np.zeros((n + 1, n + 1))
        hessian[:n, :n] = np.diag(spread.sum(1) + prior * own * (1 - own) * free) - spread
        hessian[:n, n] = hessian[n, :n] = cross
        hessian[n, n] = (games * tie * (1 - tie)).sum() / 2
        move = np.zeros(n + 1)
        move[unknown] = np.linalg.lstsq(
            hessian[np.ix_(unknown, unknown)], gradient[unknown], rcond=None
        )[0]
        r += np.clip(move[:n], -1, 1)
        log_nu += np.clip(move[n], -1, 1)
        if np.abs(move).max(initial=0.0) < 1e-10:
            break
    return Davidson(np.where(free, around + SCALE * r, fixed), float(np.exp(log_nu)))


def rate_on_ladder(
    results: Sequence[tuple[str, float, int]],
    anchors: Mapping[str, float],
    ties: float,
    *,
    draws: int = 500,
    seed: int = 0,
) -> Rate:
    """One player's rating on a ladder's scale, with its 95% interval from resampling seeds.

    The anchors and the weight of draws stay as the ladder has them. ``PRIOR_DRAWS`` games drawn
    with a player of the opponents' mean rating keep the answer finite.

    Args:
        results: (opponent, points of the player: 1, 0.5 or 0, seed of the game).
        anchors: the opponents' ratings. ties: nu of ``davidson``.
    """
    if not results:
        return Rate(None, None, None, 0)
    names = sorted({opponent for opponent, _, _ in results})
    place = {name: k for k, name in enumerate(names)}
    seeds, cluster = np.unique([s for *_, s in results], return_inverse=True)
    counts = np.zeros((len(seeds), 3, len(names)))  # lost, drawn, won
    for (opponent, points, _), at in zip(results, cluster, strict=True):
        counts[at, round(2 * points), place[opponent]] += 1
    ratings = np.array([anchors[name] for name in names])
    around = float(np.average(ratings, weights=counts.sum((0, 1))))

    def fit(lost: np.ndarray, drawn: np.ndarray, won: np.ndarray) -> float:
        n = len(names) + 1
        wins, equal = np.zeros((n, n)), np.zeros((n, n))
        wins[0, 1:], wins[1:, 0] = won, lost
        equal[0, 1:] = equal[1:, 0] = drawn
        fixed = np.append(np.nan, ratings)
        found = davidson(
            wins, equal, fixed=fixed, ties=ties, prior=PRIOR_DRAWS, around=around
        ).ratings
        return float(found[0])

    rng = np.random.default_rng(seed)
    drawn_again = [
        fit(*counts[rng.integers(len(seeds), size=len(seeds))].sum(0)) for _ in range(draws)
    ]
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(drawn_again, [tail, 100 - tail])
    return Rate(fit(*counts.sum(0)), float(low), float(high), len(results))


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
