"""Ratings from results: Elo's scale, Bradley-Terry and Davidson's draws, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from stratagym.benchmarks.reporting.stats import CONFIDENCE, Rate

SCALE = 400.0 / np.log(10.0)
"""Elo points of one unit of Bradley-Terry's log odds."""
START = 1000.0
PRIOR_DRAWS = 1.0
"""Drawn games against a player rated ``START`` that are added for each player; keeps ratings
finite."""


def _expected(ratings: np.ndarray) -> np.ndarray:
    """(N, N) expected score of the row against the column."""
    return 1.0 / (1.0 + np.exp((ratings[None, :] - ratings[:, None]) / SCALE))


def bradley_terry(scores: np.ndarray, prior: float = PRIOR_DRAWS) -> np.ndarray:
    """Maximum-likelihood ratings (Bradley and Terry 1952) on Elo's scale.

    Args:
        scores: (N, N) points of the row against the column, a draw counting one half.
        prior: drawn games of every player against a player of rating ``START``.
    """
    unknown = np.full(len(scores), np.nan)
    return davidson(scores, np.zeros_like(scores), fixed=unknown, ties=0.0, prior=prior).ratings


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
    rated = np.isnan(fixed)
    x = np.append(np.where(rated, 0.0, (fixed - around) / SCALE), np.log(nu) if nu else -np.inf)
    unknown = np.eye(len(x))[:, np.append(rated, estimate)]
    x, _ = _likeliest(wins, draws, x, unknown, prior * rated)
    return Davidson(np.where(rated, around + SCALE * x[:-1], fixed), float(np.exp(x[-1])))


def _likeliest(
    wins: np.ndarray, draws: np.ndarray, x: np.ndarray, directions: np.ndarray, prior: np.ndarray
) -> tuple[np.ndarray, float]:
    """The best of ``x + directions @ anything``, and the logarithm of its likelihood.

    Args:
        x: (N + 1,) natural logarithms of strengths and of nu. directions: (N + 1, M).
        prior: (N,) drawn games against a player of strength 1.
    """
    x, n = x.copy(), len(wins)
    games = wins + wins.T + draws
    move = np.ones(1)
    for _ in range(200):
        win, tie = np.exp(_log_chances(x))
        own = 1.0 / (1.0 + np.exp(-x[:-1]))
        if not directions.size or np.abs(move).max() < 1e-10:
            break
        surplus = _surplus(wins, games, win, tie) + prior * (0.5 - own)
        gradient = np.append(surplus, (draws - games * tie).sum() / 2)
        hessian = np.zeros((n + 1, n + 1))
        hessian[:n, :n] = _information(games, win, tie) + np.diag(prior * own * (1 - own))
        hessian[:n, n] = hessian[n, :n] = -(games * (2 * win + tie - 1) * tie).sum(1) / 2
        hessian[n, n] = (games * tie * (1 - tie)).sum() / 2
        move = np.linalg.lstsq(
            directions.T @ hessian @ directions, directions.T @ gradient, rcond=None
        )[0]
        x += directions @ np.clip(move, -1, 1)
    log_win, log_tie = _log_chances(x)
    drawn = draws > 0
    likelihood = (wins * log_win).sum() + (draws[drawn] * log_tie[drawn]).sum() / 2
    return x, float(likelihood + (prior * np.log(own * (1 - own))).sum() / 2)


def _log_chances(x: np.ndarray) -> np.ndarray:
    """(2, N, N) logarithms of the chances that the row wins against the column; that both draw."""
    half = (x[:-1, None] - x[None, :-1]) / 2
    total = np.logaddexp(np.logaddexp(half, -half), x[-1])
    return np.stack([half - total, x[-1] - total])


def _surplus(wins: np.ndarray, games: np.ndarray, win: np.ndarray, tie: np.ndarray) -> np.ndarray:
    """(..., N) points above expectation, of (..., N, N) games."""
    return (wins - np.swapaxes(wins, -1, -2) - games * (2 * win + tie - 1)).sum(-1) / 2


def _information(games: np.ndarray, win: np.ndarray, tie: np.ndarray) -> np.ndarray:
    """(N, N) Fisher's information of logarithms of strengths."""
    spread = games * (1 - tie - (2 * win + tie - 1) ** 2) / 4
    return np.diag(spread.sum(1)) - spread


def _intervals(
    wins: np.ndarray,
    draws: np.ndarray,
    x: np.ndarray,
    rated: np.ndarray,
    prior: np.ndarray,
) -> np.ndarray:
    """Ends of the 95% intervals of the strengths' logarithms, (len(rated), 2).

    An interval holds what is not significantly less likely than ``x``, the likeliest, when the
    other players' ratings follow. Games of one cluster may go together: where clusters' surplus
    varies by more than independent games would, log likelihoods are divided by how much more
    (Chandler and Bate 2007). They are never multiplied: where somebody won every game nothing
    varies, and yet little is certain. Without anchors only differences mean something, so the
    players' mean stays.

    Args:
        wins, draws: (C, N, N), by cluster. x, prior: as in ``_likeliest``. rated: (R,) indices.
    """
    n = wins.shape[-1]
    table = wins.sum(0), draws.sum(0)
    games = wins + np.swapaxes(wins, 1, 2) + draws
    win, tie = np.exp(_log_chances(x))
    floats = len(rated) == n
    basis = _keeping_mean(np.arange(n), n) if floats else np.eye(n)[:, rated]
    information = basis.T @ _information(games.sum(0), win, tie) @ basis
    surplus = _surplus(wins, games, win, tie) @ basis
    surplus -= surplus.mean(0)
    clusters = len(surplus)
    inverse = basis @ np.linalg.pinv(information)
    varies = inverse @ (surplus.T @ surplus) @ inverse.T * clusters / max(1, clusters - 1)
    expected = inverse @ basis.T
    _, highest = _likeliest(*table, x, np.zeros((n + 1, 0)), prior)
    limit = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2) ** 2
    ends = np.empty((len(rated), 2))
    for row, player in enumerate(rated):
        dispersion = max(1.0, varies[player, player] / expected[player, player])
        others = rated[rated != player]
        free = _keeping_mean(others, n + 1) if floats else np.eye(n + 1)[:, others]
        for column, step in enumerate((-1.0, 1.0)):
            end = 0.0
            while abs(step) > 1e-4:
                held = x.copy()
                held[player] += end + step
                if floats:
                    held[others] -= (end + step) / max(1, n - 1)
                _, likelihood = _likeliest(*table, held, free, prior)
                if 2 * (highest - likelihood) < limit * dispersion:
                    end += step
                else:
                    step /= 2
            ends[row, column] = x[player] + end
    return ends


def _keeping_mean(players: np.ndarray, size: int) -> np.ndarray:
    """(size, len(players) - 1) orthonormal directions that keep the mean of these players."""
    m = len(players)
    basis = np.zeros((size, max(0, m - 1)))
    if m > 1:
        basis[players] = np.linalg.qr(np.eye(m) - 1 / m)[0][:, : m - 1]
    return basis


def rate_on_ladder(
    results: Sequence[tuple[str, float, int]],
    anchors: Mapping[str, float],
    ties: float,
    weights: Sequence[float] | None = None,
) -> Rate:
    """One player's rating on a ladder's scale with its 95% interval, as ``rate`` has it.

    The anchors and the weight of draws stay as the ladder has them. ``PRIOR_DRAWS`` games drawn
    with a player of the opponents' mean rating keep the answer finite.

    Args:
        results: (opponent, points of the player: 1, 0.5 or 0, seed of the game).
        anchors: the opponents' ratings. ties: nu of ``davidson``.
        weights: of each result in the likelihood, below 1 where games repeat each other; default 1.
    """
    if not results:
        return Rate(None, None, None, 0)
    names = sorted({opponent for opponent, _, _ in results})
    place = {name: k for k, name in enumerate(names, 1)}
    seeds, cluster = np.unique([s for *_, s in results], return_inverse=True)
    n = 1 + len(names)
    wins, draws = np.zeros((len(seeds), n, n)), np.zeros((len(seeds), n, n))
    each = np.ones(len(results)) if weights is None else np.asarray(weights, float)
    for (opponent, points, _), weight, at in zip(results, each, cluster, strict=True):
        other = place[opponent]
        if points == 0.5:
            draws[at, 0, other] += weight
            draws[at, other, 0] += weight
        else:
            wins[at, 0, other] += weight * points
            wins[at, other, 0] += weight * (1 - points)
    fixed = np.array([np.nan, *(anchors[name] for name in names)])
    around = float(np.average([anchors[opponent] for opponent, _, _ in results], weights=each))
    table = wins.sum(0), draws.sum(0)
    fit = davidson(*table, fixed=fixed, ties=ties, prior=PRIOR_DRAWS, around=around)
    x = np.append((fit.ratings - around) / SCALE, np.log(ties) if ties else -np.inf)
    rated = np.array([0])
    ((low, high),) = around + SCALE * _intervals(
        wins, draws, x, rated, PRIOR_DRAWS * np.isnan(fixed)
    )
    return Rate(float(fit.ratings[0]), float(low), float(high), len(results))


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
    results: Sequence[tuple[str, str, float, int]], weights: Sequence[float] | None = None
) -> dict[str, dict[str, Any]]:
    """Ratings of all players with 95% intervals by profile likelihood, a seed's games as one.

    Args:
        results: (player, opponent, points of the player: 1, 0.5 or 0, seed of the game).
        weights: of each result in the ratings, below 1 where games repeat each other; default 1.

    Returns:
        By player: ``bradley_terry``, ``low``, ``high``, ``elo``, ``games``, ``points``.
    """
    if not results:
        return {}
    names = sorted({name for a, b, _, _ in results for name in (a, b)})
    place = {name: k for k, name in enumerate(names)}
    seeds, cluster = np.unique([s for *_, s in results], return_inverse=True)
    tables = np.zeros((len(seeds), len(names), len(names)))
    each = np.ones(len(results)) if weights is None else np.asarray(weights, float)
    games, earned = np.zeros(len(names), int), np.zeros(len(names))
    for (a, b, points, _), weight, at in zip(results, each, cluster, strict=True):
        tables[at, place[a], place[b]] += weight * points
        tables[at, place[b], place[a]] += weight * (1 - points)
        games[[place[a], place[b]]] += 1
        earned[[place[a], place[b]]] += points, 1 - points
    scores = tables.sum(0)
    bt = bradley_terry(scores)
    x = np.append((bt - START) / SCALE, -np.inf)
    prior = np.full(len(names), PRIOR_DRAWS)
    ends = _intervals(tables, np.zeros_like(tables), x, np.arange(len(names)), prior)
    low, high = (START + SCALE * ends).T
    fixed = elo(scores)
    return {
        name: {
            "bradley_terry": float(bt[k]),
            "low": float(low[k]),
            "high": float(high[k]),
            "elo": float(fixed[k]),
            "games": int(games[k]),
            "points": float(earned[k]),
        }
        for name, k in place.items()
    }
