"""Ratings against ``choix``, against known strengths, and whatever the order of games."""

from __future__ import annotations

import numpy as np
import pytest

from stratagym.benchmarks import ratings
from stratagym.benchmarks.ratings import SCALE, START, davidson, rate_on_ladder


def simulate(rng, strengths, ties, games):
    """(wins, draws), each (N, N), of ``games`` games of every pair, by Davidson's model."""
    n = len(strengths)
    wins, draws = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            a, b = np.exp(strengths[[i, j]] / SCALE)
            weights = np.array([a, ties * np.sqrt(a * b), b])
            won, drawn, lost = rng.multinomial(games, weights / weights.sum())
            wins[i, j], wins[j, i] = won, lost
            draws[i, j] = draws[j, i] = drawn
    return wins, draws


def choix_ratings(wins):
    choix = pytest.importorskip("choix", reason="pip install 'stratagym[test]'")
    pairs = [(i, j) for i, j in np.argwhere(wins > 0) for _ in range(int(wins[i, j]))]
    return choix.opt_pairwise(len(wins), pairs, tol=1e-10)


def test_without_draws_the_fit_is_that_of_choix(rng):
    wins, draws = simulate(rng, rng.normal(0, 150, 6), 0.0, 60)
    theirs = choix_ratings(wins)
    fixed = np.full(6, np.nan)
    fixed[0] = SCALE * theirs[0]
    fit = davidson(wins, draws, fixed=fixed)
    np.testing.assert_allclose(fit.ratings / SCALE, theirs, atol=1e-3)
    assert fit.ties == 0
    free = (ratings.bradley_terry(wins, prior=0.0) - START) / SCALE
    np.testing.assert_allclose(free - free.mean(), theirs - theirs.mean(), atol=1e-3)


def test_a_player_among_anchors_is_rated_as_by_choix(rng):
    wins, draws = simulate(rng, rng.normal(0, 150, 5), 0.0, 80)
    theirs = SCALE * choix_ratings(wins)
    fixed = theirs.copy()
    fixed[3] = np.nan
    fit = davidson(wins, draws, fixed=fixed)
    assert fit.ratings[3] == pytest.approx(theirs[3], abs=1e-3 * SCALE)
    np.testing.assert_array_equal(np.delete(fit.ratings, 3), np.delete(theirs, 3))


def test_known_strengths_and_draws_are_found(rng):
    strengths = np.array([0.0, 200.0, 350.0, 500.0])
    wins, draws = simulate(rng, strengths, 0.7, 20_000)
    fixed = np.array([0.0, np.nan, np.nan, np.nan])
    fit = davidson(wins, draws, fixed=fixed)
    np.testing.assert_allclose(fit.ratings, strengths, atol=20)
    assert fit.ties == pytest.approx(0.7, abs=0.05)


def test_the_fit_is_the_likeliest(rng):
    optimize = pytest.importorskip("scipy.optimize", reason="pip install 'stratagym[test]'")
    wins, draws = simulate(rng, np.array([0.0, 100.0, 250.0]), 0.5, 40)

    def surprise(x):
        r, total = np.array([0.0, x[0], x[1]]), 0.0
        for i in range(3):
            for j in range(3):
                if i == j:
                    continue
                a, b = np.exp(r[[i, j]])
                both = a + b + np.exp(x[2]) * np.sqrt(a * b)
                total -= wins[i, j] * np.log(a / both)
                total -= draws[i, j] / 2 * np.log(np.exp(x[2]) * np.sqrt(a * b) / both)
        return total

    found = optimize.minimize(surprise, np.zeros(3), method="BFGS", options={"gtol": 1e-8})
    fit = davidson(wins, draws, fixed=np.array([0.0, np.nan, np.nan]))
    np.testing.assert_allclose(fit.ratings[1:] / SCALE, found.x[:2], atol=1e-3)
    assert np.log(fit.ties) == pytest.approx(found.x[2], abs=1e-3)


def test_a_rating_does_not_depend_on_the_order_of_games(rng):
    anchors = {"low": 0.0, "middle": 200.0, "high": 400.0}
    games = [
        (str(rng.choice(list(anchors))), float(rng.choice([0, 0.5, 1])), int(rng.integers(20)))
        for _ in range(90)
    ]
    first = rate_on_ladder(games, anchors, 0.3)
    rng.shuffle(games)
    again = rate_on_ladder([tuple(game) for game in games], anchors, 0.3)
    assert (first.low, first.value, first.high) == pytest.approx(
        (again.low, again.value, again.high), abs=1e-6
    )
    assert first.low < first.value < first.high


def test_one_who_wins_or_loses_all_has_a_finite_rating():
    anchors = {"low": 0.0, "high": 200.0}
    won = rate_on_ladder([(name, 1.0, k) for k in range(16) for name in anchors], anchors, 0.1)
    lost = rate_on_ladder([(name, 0.0, k) for k in range(16) for name in anchors], anchors, 0.1)
    assert lost.value < 0 < 200 < won.value < 2000
    assert lost.value > -2000


def test_intervals_hold_the_truth_about_as_often_as_they_say(rng):
    anchors = {"a": 0.0, "b": 250.0, "c": 500.0}
    truth, held = 300.0, 0
    for _ in range(60):
        games = []
        for name, rating in anchors.items():
            p = 1 / (1 + np.exp((rating - truth) / SCALE))
            games += [(name, float(rng.random() < p), k) for k in range(40)]
        rate = rate_on_ladder(games, anchors, 0.0, draws=200)
        held += rate.low <= truth <= rate.high
    assert held >= 46  # of 60; 57 are expected, and fewer than 46 never come by luck
