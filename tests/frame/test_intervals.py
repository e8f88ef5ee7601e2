"""Intervals of means hold what they say: with few cases, rare losses, and cases that are alike.

    python tests/frame/test_intervals.py

prints how often clustered ones hold the truth, over all distributions, as a table for the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pytest
from scipy import stats as scipy_stats

from stratagym.benchmarks.board_solvers.summary import Answers
from stratagym.benchmarks.reporting import page
from stratagym.benchmarks.reporting.stats import (
    COUNT,
    FREE,
    RESULT,
    SHARE,
    Bounds,
    Rate,
    clustered,
    jackknife,
    mean_rate,
    ratio_rate,
    t_quantile,
)
from stratagym.benchmarks.reporting.stats import _quantile as _quantile

HANABI = (0.0, 25.0)
Draw = Callable[[np.random.Generator, int], np.ndarray]


def points(mean: float, spread: float, lost: float) -> Draw:
    """Scores of Hanabi, 0 where all lives are lost."""

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        scores = np.clip(np.rint(rng.normal(mean, spread, n)), 0, 25)
        return np.where(rng.random(n) < lost, 0, scores)

    return draw


def duplicates(rng: np.random.Generator, n: int) -> np.ndarray:
    """Big blinds per 100 hands of pairs of matches of 20 hands, all-ins among them.

    A hand comes to a normal number with deviation 4, and three in 100 to 100 more or less.
    """
    all_ins = rng.binomial(40, 0.03, n)
    won = 2 * rng.binomial(all_ins, 0.5) - all_ins
    return 100 * (rng.normal(0, 4 / 40**0.5, n) + 100 * won / 40) + 50


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
    mean = np.mean([draw(rng, 10_000).mean() for _ in range(40)])
    held = told = 0
    # Where bounds help, far more than 95% hold it; where they do not, luck has to be kept small.
    samples = 6000 if bounds == FREE else 2000
    for values in draw(rng, samples * n).reshape(samples, n):
        rate = mean_rate(values, bounds=bounds)
        if rate.low is not None:
            told += 1
            held += rate.low <= mean <= rate.high
    # An interval that is not given holds nothing and claims nothing.
    assert told > 1900 or (bounds == FREE and n == 2 and told == 0)
    assert held >= 0.93 * told, f"{held / told:.3f} of {told}"


# --- clusters ----------------------------------------------------------------------------------

SHARES: dict[str, tuple[Draw, Bounds]] = {
    "won one time in two": (lambda rng, n: (rng.random(n) < 0.5).astype(float), SHARE),
    "won one time in twenty": (lambda rng, n: (rng.random(n) < 0.05).astype(float), SHARE),
    "likeness": (lambda rng, n: rng.beta(2, 3, n), SHARE),
}
CLUSTERS = (3, 6, 18, 60)
TOGETHER = (0.0, 0.2, 0.5)
"""Intraclass correlations."""
SIZES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "equal": lambda rng, k: np.full(k, 4),
    "unequal": lambda rng, k: rng.integers(1, 9, k),
}
POOL = 20
"""Sizes of clusters that are drawn for a design; their quantiles are found once."""
LEAST, MOST = 0.93, 0.97


def samples_of(
    draw: Draw, rng: np.random.Generator, sizes: np.ndarray, rho: float, samples: int
) -> np.ndarray:
    """(samples, clusters, 2): sums and numbers of cases that are distributed as ``draw`` has them.

    A case is its cluster's with probability root ``rho``, so that two of one correlate by ``rho``.
    """
    k, n = len(sizes), int(sizes.sum())
    common = np.repeat(draw(rng, samples * k).reshape(samples, k), sizes, axis=1)
    own = draw(rng, samples * n).reshape(samples, n)
    values = np.where(rng.random((samples, n)) < rho**0.5, common, own)
    sums = np.add.reduceat(values, np.cumsum(sizes) - sizes, axis=1)
    return np.stack([sums, np.broadcast_to(sizes.astype(float), sums.shape)], 2)


def cases_of(draw: Draw, rng: np.random.Generator, sizes: np.ndarray, rho: float) -> np.ndarray:
    """(clusters, 2): one sample."""
    return samples_of(draw, rng, sizes, rho, 1)[0]


def mean_of_one(parts: Sequence[np.ndarray], bounds: Bounds) -> Rate:
    (part,) = parts
    return ratio_rate(part[:, 0], part[:, 1], bounds=bounds)


def mean_of_many(parts: Sequence[np.ndarray], bounds: Bounds) -> Rate:
    return clustered([part[:, None] for part in parts], bounds=bounds)


def paired(parts: Sequence[np.ndarray], bounds: Bounds) -> Rate:
    return clustered([np.stack(parts, 1)], (1, -1), bounds=bounds)


STATISTICS: dict[str, tuple[Callable[[Sequence[np.ndarray], Bounds], Rate], int, bool]] = {
    "mean": (mean_of_one, 1, False),
    "mean of three games": (mean_of_many, 3, False),
    "paired difference": (paired, 2, True),
}
"""(what is estimated, of how many parts, whether they share clusters and so differ by 0)."""


def coverage(
    case: str, statistic: str, clusters: int, sizes: str, rho: float, n: int, seed: int
) -> tuple[int, int]:
    """(how many intervals hold the truth, how many there are) of ``n`` samples."""
    draw, bounds = (CASES | SHARES)[case]
    rng = np.random.default_rng(seed)
    truth = np.mean([draw(rng, 10_000).mean() for _ in range(50)])
    estimate, parts, is_paired = STATISTICS[statistic]
    each = clusters if is_paired or parts == 1 else clusters // parts
    assert n % POOL == 0
    told = held = 0
    for _ in range(POOL):
        own = [SIZES[sizes](rng, each) for _ in range(parts)]
        for sample in zip(*(samples_of(draw, rng, k, rho, n // POOL) for k in own), strict=True):
            rate = estimate(sample, bounds)
            if rate.low is not None:
                told += 1
                held += rate.low <= (0.0 if is_paired else truth) <= rate.high
    return held, told


Design = tuple[str, int, str, float]
DRAWN = 6
"""Of 66 designs, how many a run tries of each distribution."""


def designs(statistics: Sequence[str] = tuple(STATISTICS)) -> Iterator[Design]:
    """(statistic, clusters, sizes, correlation); three games have two clusters each at least."""
    for statistic in statistics:
        for clusters in CLUSTERS:
            for sizes in SIZES:
                for rho in TOGETHER:
                    if clusters > 3 or statistic != "mean of three games":
                        yield statistic, clusters, sizes, rho


def check_coverage(case: str, which: Iterable[Design], n: int, seed: int) -> None:
    _, bounds = (CASES | SHARES)[case]
    for design in which:
        held, told = coverage(case, *design, n, seed)
        assert told >= 0.9 * n
        # Three standard errors of chance; true coverages lie .015 within and more.
        low, high = (3 * (p * (1 - p) / told) ** 0.5 for p in (LEAST, MOST))
        assert held >= (LEAST - low) * told, f"{design}: {held / told:.3f} of {told}"
        if bounds == FREE:
            assert held <= (MOST + high) * told, f"{design}: {held / told:.3f} of {told}"


def test_clustered_intervals_hold_the_mean(seed):
    """Fewer samples than below: what is .05 off is seen."""
    check_coverage("points without known bounds", designs(("mean",)), 300, seed)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES | SHARES)
def test_clustered_intervals_hold_means_and_differences(case, seed):
    """In designs that each run draws, since all take half an hour; the command above takes all."""
    every = list(designs())
    drawn = np.random.default_rng(seed).choice(len(every), DRAWN, replace=False)
    check_coverage(case, [every[k] for k in drawn], 4000, seed)


def test_clusters_of_one_size_have_students_t_and_strata_have_clusters_of_their_own(seed):
    rng = np.random.default_rng(seed)
    parts = [cases_of(duplicates, rng, np.full(k, 5), 0.3) for k in (6, 6, 6)]
    rate = mean_of_many(parts, FREE)
    means = [part[:, 0] / part[:, 1] for part in parts]
    variance = sum(mean.var(ddof=1) / 6 for mean in means) / 9
    assert rate.value == pytest.approx(np.mean([mean.mean() for mean in means]))
    # Fifteen degrees of freedom, as all strata weigh alike.
    half = t_quantile(0.975, 15) * variance**0.5
    assert rate.high - rate.value == pytest.approx(half, rel=1e-3)
    both = paired(parts[:2], FREE)
    apart = means[0] - means[1]
    half = t_quantile(0.975, 5) * apart.std(ddof=1) / 6**0.5
    assert both.high - both.value == pytest.approx(half) and both.n == 60
    # A stratum without a case counts nowhere; one cluster of a stratum tells no width.
    assert mean_of_many([*parts, np.zeros((2, 2))], FREE) == rate
    assert mean_of_many([parts[0], parts[1][:1]], FREE).low is None
    assert mean_of_many([parts[0][:2]], FREE).low is None
    assert mean_of_many([], FREE).value is None


def test_quantiles_for_unequal_clusters_are_those_of_their_distribution(seed):
    """Against a million draws of z / sqrt(q)."""
    rng = np.random.default_rng(seed)
    terms = np.array([0.55, 0.3, 0.1, 0.05])
    z, q = rng.normal(size=1_000_000), rng.normal(size=(1_000_000, 4)) ** 2 @ terms
    within = np.mean(np.abs(z) <= _quantile(tuple(terms), (1, 1, 1, 1)) * q**0.5)
    assert within == pytest.approx(0.95, abs=0.0012)


def test_one_case_or_equal_cases_make_no_point_interval():
    assert mean_rate(np.array([18.0, 20.0]), bounds=FREE).low is None  # two say too little
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


def table(n: int, seed: int = 1) -> Iterator[str]:
    """Coverages by distribution and number of clusters: least and most over all designs of them."""
    yield f"| {n:,} samples of each | {' | '.join(f'{k} clusters' for k in CLUSTERS)} |"
    yield f"| --- |{' ---: |' * len(CLUSTERS)}"
    for statistic in STATISTICS:
        for case, (_, bounds) in (CASES | SHARES).items():
            cells = []
            for clusters in CLUSTERS:
                chosen = [d for d in designs([statistic]) if d[1] == clusters]
                found = [coverage(case, *d[:3], d[3], n, seed) for d in chosen]
                shares = [held / told for held, told in found if told]
                cells.append(f"{min(shares):.3f} to {max(shares):.3f}" if shares else "–")
            known = "" if bounds == FREE else ", bounds known"
            yield f"| {statistic}: {case}{known} | {' | '.join(cells)} |"


if __name__ == "__main__":
    for line in table(4000):
        print(line, flush=True)
