"""Ratings against ``choix``, against known strengths, and whatever the order of games."""

from __future__ import annotations

import numpy as np
import pytest

from stratagym.benchmarks.reporting import ratings
from stratagym.benchmarks.reporting.ratings import SCALE, START, davidson, rate, rate_on_ladder


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
    assert won.value - won.low > 50 and lost.high - lost.value > 50
    assert won.high - won.value > won.value - won.low  # how much better cannot be seen


def test_where_somebody_won_all_games_little_is_certain():
    few, many = (
        rate([("winner", "loser", 1.0, k) for k in range(games)])["winner"] for games in (4, 40)
    )
    assert few["low"] < many["low"] < few["high"] < many["high"] < 4000
    assert few["low"] > START and few["high"] - few["bradley_terry"] > 200


def test_games_of_a_seed_that_end_alike_count_once(rng):
    def width(games):
        rated = rate(games)["a"]
        return rated["high"] - rated["low"]

    ends = (rng.permutation(200) < 120).astype(float)
    once = width([("a", "b", x, k) for k, x in enumerate(ends)])
    twice = width([("a", "b", x, k) for k, x in enumerate(ends) for _ in range(2)])
    apart = width([("a", "b", x, 2 * k + n) for k, x in enumerate(ends) for n in range(2)])
    assert twice == pytest.approx(once, rel=0.02)
    assert apart == pytest.approx(once / np.sqrt(2), rel=0.02)


def test_a_rating_on_a_ladder_is_the_likeliest_and_its_interval_ends_where_that_says(rng):
    optimize = pytest.importorskip("scipy.optimize", reason="pip install 'stratagym[test]'")
    stats = pytest.importorskip("scipy.stats", reason="pip install 'stratagym[test]'")
    anchors, ties, one_seed = {"low": -100.0, "high": 250.0}, 0.8, 0
    games = [
        (str(name), float(points), one_seed)
        for name, points in zip(
            rng.permutation(["low"] * 30 + ["high"] * 20), [0, 0.5, 1, 1, 0.5] * 10, strict=True
        )
    ]
    rated = rate_on_ladder(games, anchors, ties)
    mean = np.mean([anchors[name] for name, _, _ in games])

    def surprise(rating):
        own = 10 ** (rating / 400)
        prior = own / (own + 10 ** (mean / 400))
        total = -np.log(prior * (1 - prior)) / 2  # one more game, drawn, without nu
        for name, points, _ in games:
            other = 10 ** (anchors[name] / 400)
            drawn = ties * (own * other) ** 0.5
            mine = {1.0: own, 0.5: drawn, 0.0: other}[points]
            total -= np.log(mine / (own + drawn + other))
        return total

    best = optimize.minimize_scalar(surprise, (-500, 800))
    assert rated.value == pytest.approx(best.x, abs=0.1) and rated.n == 50
    for end in (rated.low, rated.high):
        assert 2 * (surprise(end) - best.fun) == pytest.approx(stats.chi2.ppf(0.95, 1), rel=0.01)


def test_games_of_a_seed_that_end_alike_count_once_on_a_ladder_too(rng):
    results = list(
        zip(["low", "high"] * 100, rng.permutation([0.0, 0.5, 1.0, 1.0] * 50), strict=True)
    )

    def width(copies, seeds):
        games = [
            (name, float(points), seeds * k + n % seeds)
            for k, (name, points) in enumerate(results)
            for n in range(copies)
        ]
        rated = rate_on_ladder(games, {"low": 0.0, "high": 200.0}, 0.3)
        return rated.high - rated.low

    twice = width(copies=2, seeds=1)
    assert width(copies=4, seeds=1) == pytest.approx(twice, rel=0.02)
    assert twice > 1.25 * width(copies=2, seeds=2)  # 1.41 where seeds vary as chance has them
    assert rate_on_ladder([], {}, 0.3).n == 0


def test_an_interval_ends_where_the_profile_likelihood_says(rng):
    optimize = pytest.importorskip("scipy.optimize", reason="pip install 'stratagym[test]'")
    stats = pytest.importorskip("scipy.stats", reason="pip install 'stratagym[test]'")
    wins, _ = simulate(rng, np.array([0.0, 100.0, 250.0]), 0.0, 40)
    pairs = [(i, j) for i, j in np.argwhere(wins > 0) for _ in range(int(wins[i, j]))]
    one_seed = 0  # nothing to see of how games of a seed go together
    rated = rate([("abc"[i], "abc"[j], 1.0, one_seed) for i, j in pairs])
    fit = np.array([rated[name]["bradley_terry"] - START for name in "abc"]) / SCALE

    def surprise(r):
        log_p = -np.log1p(np.exp(r[None, :] - r[:, None]))
        drawn = np.log(np.exp(r / 2) / (1 + np.exp(r)))  # half a win and half a loss
        return -(wins * log_p).sum() - drawn.sum()

    for place, name in enumerate("abc"):
        for end in (rated[name]["low"], rated[name]["high"]):
            held = (end - START) / SCALE

            def others(x, place=place, held=held):
                rest = fit.sum() - held  # only differences are known: the mean stays
                return np.insert([x, rest - x], place, held)

            best = optimize.minimize_scalar(lambda x, others=others: surprise(others(x))).fun
            below = 2 * (best - surprise(fit))
            assert below == pytest.approx(stats.chi2.ppf(0.95, 1), rel=0.01)


def test_intervals_hold_the_truth_about_as_often_as_they_say(rng):
    anchors = {"a": 0.0, "b": 250.0, "c": 500.0}
    truth, held = 300.0, 0
    for _ in range(60):
        games = []
        for name, rating in anchors.items():
            p = 1 / (1 + np.exp((rating - truth) / SCALE))
            games += [(name, float(rng.random() < p), k) for k in range(40)]
        rated = rate_on_ladder(games, anchors, 0.0)
        held += rated.low <= truth <= rated.high
    assert held >= 46  # of 60; 57 are expected, and fewer than 46 never come by luck
