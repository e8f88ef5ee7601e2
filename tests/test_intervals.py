"""Intervals of means hold what they say: with few cases, rare losses, and cases that are alike."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats as scipy_stats

from stratagym.benchmarks.boards.summary import Answers
from stratagym.benchmarks.reporting import page
from stratagym.benchmarks.reporting.stats import (
    COUNT,
    FREE,
    RESULT,
    Bounds,
    jackknife,
    mean_rate,
    ratio_rate,
    t_quantile,
)

HANABI = (0.0, 25.0)
Draw = Callable[[np.random.Generator, int], np.ndarray]


def points(mean: float, spread: float, lost: float) -> Draw:
    """Scores of Hanabi, 0 where all lives are lost."""

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        scores = np.clip(np.rint(rng.normal(mean, spread, n)), 0, 25)
        return np.where(rng.random(n) < lost, 0, scores)

    return draw


def duplicates(rng: np.random.Generator, n: int) -> np.ndarray:
    """Big blinds per 100 hands of pairs of matches of 20 hands, all-ins among them."""
    all_in = np.where(rng.random((n, 40)) < 0.03, rng.choice([-100.0, 100.0], (n, 40)), 0.0)
    return 100 * (rng.normal(0, 4, (n, 40)) + all_in).mean(1) + 50


CASES: dict[str, tuple[Draw, Bounds]] = {
    "kept points": (points(17, 2, 0), HANABI),
    "strict points, one game in ten lost": (points(17, 2, 0.1), HANABI),
    "strict points, a third lost": (points(12, 4, 0.35), HANABI),
    "strict points, one in fifty lost": (points(19, 1.5, 0.02), HANABI),
    "points without known bounds": (points(17, 2, 0), FREE),
    "wins, draws, losses": (lambda rng, n: rng.choice([-1.0, 0, 1], n, p=[0.2, 0.3, 0.5]), RESULT),
    "nearly always won": (lambda rng, n: rng.choice([-1.0, 1], n, p=[0.05, 0.95]), RESULT),
    "margins of hold'em": (duplicates, FREE),
}


@pytest.mark.parametrize("n", [2, 3, 5, 10, 30])
@pytest.mark.parametrize("case", CASES)
def test_95_percent_intervals_hold_the_mean(case, n, seed):
    draw, bounds = CASES[case]
    rng = np.random.default_rng(seed)
    mean = draw(rng, 400_000).mean()
    held = told = 0
    # Where bounds help, far more than 95% hold it; where they do not, luck has to be kept small.
    for _ in range(6000 if bounds == FREE else 2000):
        rate = mean_rate(draw(rng, n), bounds=bounds)
        if rate.low is not None:
            told += 1
            held += rate.low <= mean <= rate.high
    # An interval that is not given holds nothing and claims nothing.
    assert told > 1900 or (bounds == FREE and n == 2)
    assert held >= 0.93 * told, f"{held / told:.3f} of {told}"


def test_one_case_or_equal_cases_make_no_point_interval():
    for values in ([19.0], [19.0] * 2, [19.0] * 400):
        free = mean_rate(np.array(values))
        assert (free.value, free.low, free.high) == (19, None, None)
        assert page.mean_text(free.record()) == "19.00 [–]"
        assert page.rate_text(free.record()) == "19.00 [–]"
        assert free.text() == "19.00 [–]"
        bounded = mean_rate(np.array(values), bounds=HANABI)
        if len(values) == 1:
            assert bounded.low is None
        else:
            assert bounded.low < 19 < bounded.high
    # Three hundred games without a loss leave room for about one in a hundred.
    losses = 1 - mean_rate(np.full(300, 19.0), bounds=HANABI).low / 19
    assert 0.005 < losses < 0.015
    assert page.against(mean_rate(np.array([19.0])).record(), 0) == 0
    assert "<i style" not in page.RateCell(mean_rate(np.array([19.0])).record(), 0, 25).html()


def test_many_cases_have_the_usual_interval(seed):
    rng = np.random.default_rng(seed)
    values = points(17, 2, 0.05)(rng, 4000)
    rate = mean_rate(values, bounds=HANABI)
    half = 1.96 * values.std(ddof=1) / len(values) ** 0.5
    assert rate.value - rate.low == pytest.approx(half, rel=0.03)
    assert rate.high - rate.value == pytest.approx(half, rel=0.03)


def test_intervals_stay_within_their_bounds(seed):
    rng = np.random.default_rng(seed)
    for _ in range(300):
        values = points(22, 6, 0.2)(rng, int(rng.integers(2, 9)))
        rate = mean_rate(values, bounds=HANABI)
        assert 0 <= rate.low <= rate.value <= rate.high <= 25
    assert mean_rate(np.array([0.0, 0, 3]), bounds=COUNT).low == 0


def test_cases_of_a_cluster_go_together(seed):
    rng = np.random.default_rng(seed)
    deals = rng.normal(0, 5, 40)
    twice = np.repeat(deals, 2) + rng.normal(0, 1, 80)
    together = mean_rate(twice, np.repeat(np.arange(40), 2), bounds=FREE)
    means = twice.reshape(40, 2).mean(1)
    half = t_quantile(0.975, 39) * means.std(ddof=1) / 40**0.5
    assert together.high - together.value == pytest.approx(half)
    assert together.n == 80


def test_the_jackknife_of_a_mean_and_a_ratio_are_theirs(seed):
    rng = np.random.default_rng(seed)
    values, sizes = rng.normal(3, 2, 60), rng.integers(1, 9, 60).astype(float)
    rate = jackknife(lambda kept: float(values[kept].mean()), 60)
    plain = mean_rate(values, bounds=FREE)
    assert (rate.low, rate.high) == pytest.approx((plain.low, plain.high))
    sums = rng.binomial(sizes.astype(int), 0.4).astype(float)
    rate = jackknife(lambda kept: float(sums[kept].sum() / sizes[kept].sum()), 60)
    plain = ratio_rate(sums, sizes, bounds=FREE)
    assert (rate.low, rate.high) == pytest.approx((plain.low, plain.high), abs=0.01)
    many = rng.normal(3, 2, 5000)
    rate = jackknife(lambda kept: float(many[kept].mean()), 5000)
    assert rate.high - rate.low == pytest.approx(4 * 2 / 5000**0.5, rel=0.25)
    # What rests on one case has no interval.
    alone = np.array([0.0, 0, 5, 0])
    rate = jackknife(lambda k: float(alone[k].sum() / n) if (n := alone[k].any()) else np.nan, 4)
    assert (rate.value, rate.low) == (5, None)
    assert jackknife(lambda kept: 1.0, 1).low is None
    assert jackknife(lambda kept: 1.0, 0).value is None


def test_quantiles_are_those_of_students_t():
    for p in (0.9, 0.975, 0.995):
        for degrees in (*range(1, 40), 99, 100, 101, 150, 1000, 10**6):
            assert t_quantile(p, degrees) == pytest.approx(scipy_stats.t.ppf(p, degrees), rel=1e-7)


def test_illegal_answers_are_counted_by_turns_that_were_asked():
    def turns(*kinds: str) -> float | None:
        answers = Answers()
        for kind in kinds:
            ply, _, what = kind.partition(" ")
            answers.add({"item": "m", "ply": int(ply), "kind": what})  # type: ignore[typeddict-item]
        return answers.illegal_a_turn

    assert turns("0 illegal", "0 unparseable", "0 illegal") == 3  # never a legal answer
    assert turns("0 ok", "2 illegal", "2 ok", "4 ok") == pytest.approx(1 / 3)
    assert turns("0 transport", "2 illegal", "2 ok") == 1
    assert turns("0 transport") is None
