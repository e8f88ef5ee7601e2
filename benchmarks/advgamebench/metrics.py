"""The metrics of AdvGameBench, by the paper's definitions and as its released program has them.

Every metric is a sum over a number of cases within each game, so that intervals can take a game, an
opponent and a role as one cluster: ``cases`` gives both, ``rate`` adds them up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from stratagym.benchmarks.advgamebench.rounds import LOST, WON, Round
from stratagym.benchmarks.reporting.correlation import slope
from stratagym.benchmarks.reporting.stats import FREE, RESULT, SHARE, Bounds, Rate, ratio_rate

COUNTED = 10
"""Rounds that the paper's tables count."""
EPSILON = 1e-9
RESAMPLES = 2000


@dataclass(frozen=True)
class Game:
    """A policy's game.

    Attributes:
        game: its name. opponent: a policy. role: the policy's seat. first: whether it is the first
            to plan anew. seed: of the game. rounds: all of it.
        broke: of the first answers to its first question, by name of what is wrong; empty for none.
            Of policies that do not answer in words, what is wrong with the plan itself.
    """

    game: str
    opponent: str
    role: int
    first: bool
    seed: int
    rounds: tuple[Round, ...]
    broke: str = ""

    @property
    def cluster(self) -> tuple[str, str, int]:
        """Games that count as one for intervals."""
        return self.game, self.opponent, self.role

    @property
    def setting(self) -> tuple[str, int, bool, int]:
        """The same for two policies that are compared."""
        return self.opponent, self.role, self.first, self.seed

    def scores(self) -> list[float]:
        """1, 0.5 or 0 of each round."""
        return [one.score[self.role] for one in self.rounds]

    def updates(self) -> list[tuple[Round, Round]]:
        """(the round before, the round after) of each time that the policy planned anew."""
        pairs = zip(self.rounds, self.rounds[1:], strict=False)
        return [(before, after) for before, after in pairs if after.asks(self.role)]

    def revised(self, before: Round, after: Round) -> bool:
        """Whether the policy's plan became another."""
        return after.plans[self.role].differs(before.plans[self.role])


Cases = tuple[float, float]
"""A sum, and among how many cases."""


def _after(game: Game, feedback: float) -> list[tuple[Round, Round]]:
    """Updates after rounds that were won, lost or drawn."""
    return [(a, b) for a, b in game.updates() if a.score[game.role] == feedback]


def win_rate(game: Game) -> Cases:
    scores = game.scores()
    return sum(scores), len(scores)


def win_rate_10(game: Game) -> Cases:
    scores = game.scores()[:COUNTED]
    return sum(scores), len(scores)


def initial_win(game: Game) -> Cases:
    return float(game.scores()[:1] == [WON]), len(game.scores()[:1])


def over_budget(game: Game) -> Cases:
    """Plans over budget, of those that were handed in; to keep one is not to hand one in."""
    plans = [r.plans[game.role] for r in game.rounds if r.asks(game.role)]
    handed_in = [plan for plan in plans if not plan.kept]
    return sum(plan.over for plan in handed_in), len(handed_in)


def rule_violation(game: Game) -> Cases:
    """First answers, before any is asked for again, that break a rule or the budget."""
    return float(bool(game.broke)), float(bool(game.rounds))


def violation_over(game: Game) -> Cases:
    return float(game.broke == "over_budget"), float(bool(game.rounds))


def violation_other(game: Game) -> Cases:
    return float(game.broke not in ("", "over_budget")), float(bool(game.rounds))


def over_correction(game: Game) -> Cases:
    """ORR: revisions after a lost round, of the times that there was a lost round to answer."""
    pairs = _after(game, LOST)
    return sum(game.revised(*pair) for pair in pairs), len(pairs)


def revision_after_success(game: Game) -> Cases:
    pairs = _after(game, WON)
    return sum(game.revised(*pair) for pair in pairs), len(pairs)


def _revisions(game: Game) -> list[tuple[Round, Round]]:
    return [pair for pair in _after(game, LOST) if game.revised(*pair)]


def _is_won(game: Game, pair: tuple[Round, Round]) -> bool:
    return pair[1].score[game.role] == WON


def _is_mended(game: Game, pair: tuple[Round, Round]) -> bool:
    before, after = (one.plans[game.role] for one in pair)
    return before.is_bad and not after.is_bad


def correction_success(game: Game) -> Cases:
    """CSR: of revisions after a lost round, those that win the next or mend what was bad."""
    pairs = _revisions(game)
    return sum(_is_won(game, p) or _is_mended(game, p) for p in pairs), len(pairs)


def correction_won(game: Game) -> Cases:
    pairs = _revisions(game)
    return sum(_is_won(game, p) for p in pairs), len(pairs)


def correction_mended(game: Game) -> Cases:
    """Of revisions of a bad plan, those that are good."""
    pairs = [p for p in _revisions(game) if p[0].plans[game.role].is_bad]
    return sum(_is_mended(game, p) for p in pairs), len(pairs)


def constructive(game: Game) -> Cases:
    """Of revisions after a lost round, those that come nearer against the same plan."""
    pairs = _revisions(game)
    better = [b.value[game.role] > a.value[game.role] + EPSILON for a, b in pairs]
    return sum(better), len(pairs)


def improvement(game: Game) -> Cases:
    """The slope of the results after its updates, in order."""
    results = [after.score[game.role] for _, after in game.updates()]
    return (slope(results), 1.0) if len(results) > 1 else (0.0, 0.0)


METRICS: dict[str, tuple[Callable[[Game], Cases], Bounds]] = {
    "WR": (win_rate, SHARE),
    "WR_10": (win_rate_10, SHARE),
    "init-win": (initial_win, SHARE),
    "OBR": (over_budget, SHARE),
    "RVR": (rule_violation, SHARE),
    "RVR over budget": (violation_over, SHARE),
    "RVR other": (violation_other, SHARE),
    "ORR": (over_correction, SHARE),
    "revision after success": (revision_after_success, SHARE),
    "CSR": (correction_success, SHARE),
    "CSR won": (correction_won, SHARE),
    "CSR mended": (correction_mended, SHARE),
    "slope": (improvement, FREE),
    "constructive": (constructive, SHARE),
}


# --- as the released program has them ------------------------------------------------------------


def kept_rows(game: Game) -> list[Round]:
    """The rounds that its evaluator keeps: right after the side's own updates, the first dropped.

    Even rounds for who updates first, odd ones for the other.
    """
    parity = 0 if game.first else 1
    return [one for one in game.rounds if one.number % 2 == parity and one.number > 1][1:]


def published_wins(game: Game) -> Cases:
    rows = kept_rows(game)
    return sum(one.score[game.role] == WON for one in rows), len(rows)


def published_over_budget(game: Game) -> Cases:
    """A standing plan counts again."""
    rows = kept_rows(game)
    return sum(one.plans[game.role].over for one in rows), len(rows)


def _changed(games: Sequence[Game]) -> list[tuple[Game, Round, bool]]:
    """Every kept row but the first of all, with whether its cost is another than the row before's.

    The evaluator reads one file with the rows of all opponents, one after the other.
    """
    rows = [(game, one) for game in games for one in kept_rows(game)]
    return [
        (game, one, one.plans[game.role].cost != before.plans[other.role].cost)
        for (other, before), (game, one) in pairwise(rows)
    ]


def published_over_correction(games: Sequence[Game]) -> float | None:
    """Rows whose cost is another than that of the row before, of all but the first."""
    rows = _changed(games)
    return sum(changed for *_, changed in rows) / len(rows) if rows else None


def published_correction(games: Sequence[Game]) -> float | None:
    """Of these rows, those that are won; a win after a win counts."""
    changed = [(game, one) for game, one, is_changed in _changed(games) if is_changed]
    if not changed:
        return None
    return sum(one.score[game.role] == WON for game, one in changed) / len(changed)


def published_slope(games: Sequence[Game]) -> float | None:
    """One line through the results of all kept rows."""
    rows = [one.score[game.role] for game in games for one in kept_rows(game)]
    return float(slope(rows)) if len(rows) > 1 else None


def as_published(games: Sequence[Game]) -> dict[str, float | None]:
    """All of them; games in the order of their file: by role, order of updates and opponent."""
    ordered = sorted(games, key=lambda one: (one.role, not one.first, one.opponent, one.seed))
    wins = np.sum([published_wins(game) for game in ordered] or [(0, 0)], 0)
    over = np.sum([published_over_budget(game) for game in ordered] or [(0, 0)], 0)
    # One file a role and an order.
    files: dict[tuple[int, bool], list[Game]] = {}
    for game in ordered:
        files.setdefault((game.role, game.first), []).append(game)
    return {
        "WR": float(wins[0] / wins[1]) if wins[1] else None,
        "OBR": float(over[0] / over[1]) if over[1] else None,
        "ORR": _mean(published_over_correction(own) for own in files.values()),
        "CSR": _mean(published_correction(own) for own in files.values()),
        "slope": _mean(published_slope(own) for own in files.values()),
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


# --- adding up -----------------------------------------------------------------------------------


def cases(games: Sequence[Game], metric: str) -> np.ndarray:
    """(games, 2): the sum and the number of cases of each game."""
    count, _ = METRICS[metric]
    return np.array([count(game) for game in games], float).reshape(-1, 2)


def clusters_of(games: Sequence[Game]) -> np.ndarray:
    """(games,) numbers of their clusters, from 0."""
    known: dict[Any, int] = {}
    return np.array([known.setdefault(game.cluster, len(known)) for game in games], np.int64)


def rate(games: Sequence[Game], metric: str) -> Rate:
    """A metric over games pooled, with its interval over clusters."""
    if not games:
        return Rate(None, None, None, 0)
    found, index = cases(games, metric), clusters_of(games)
    sums, sizes = (np.bincount(index, found[:, k]) for k in range(2))
    return ratio_rate(sums, sizes, bounds=METRICS[metric][1])


def mean_over_games(games: Sequence[Game], metric: str, seed: int = 0) -> Rate:
    """The mean of each game's own rate, with a bootstrap interval over clusters within games."""
    by_game: dict[str, list[Game]] = {}
    for game in games:
        by_game.setdefault(game.game, []).append(game)
    parts = []
    for own in by_game.values():
        found, index = cases(own, metric), clusters_of(own)
        parts.append(np.stack([np.bincount(index, found[:, k]) for k in range(2)], 1))
    parts = [part for part in parts if part[:, 1].sum() > 0]
    if not parts:
        return Rate(None, None, None, 0)
    value = float(np.mean([part[:, 0].sum() / part[:, 1].sum() for part in parts]))
    rng = np.random.default_rng(seed)
    drawn = np.zeros((len(parts), RESAMPLES))
    for k, part in enumerate(parts):
        chosen = part[rng.integers(len(part), size=(RESAMPLES, len(part)))].sum(1)
        with np.errstate(invalid="ignore", divide="ignore"):
            drawn[k] = chosen[:, 0] / chosen[:, 1]
    means = drawn.mean(0)  # nan where a game has no case in a resample
    n = int(sum(part[:, 1].sum() for part in parts))
    if min(map(len, parts)) < 2:
        return Rate(value, None, None, n)
    known = means[~np.isnan(means)]
    if not len(known):
        return Rate(value, None, None, n)
    low, high = np.quantile(known, [0.025, 0.975])
    return Rate(value, float(low), float(high), n)


def first_move_advantage(games: Sequence[Game], metric: str) -> Rate:
    """FMA: a metric when first to update minus when second; per game, then the mean of games.

    The interval is over clusters, each with its games of both orders.
    """
    by_game: dict[str, list[float]] = {}
    weights: list[float] = []
    for cluster in dict.fromkeys(game.cluster for game in games):
        own = [game for game in games if game.cluster == cluster]
        sides = [np.sum(cases([g for g in own if g.first is f], metric), 0) for f in (True, False)]
        if all(side.shape == (2,) and side[1] > 0 for side in sides):
            first, second = (side[0] / side[1] for side in sides)
            by_game.setdefault(cluster[0], []).append(first - second)
    values = [value for own in by_game.values() for value in own]
    if not values:
        return Rate(None, None, None, 0)
    weights = [1 / len(own) for own in by_game.values() for _ in own]
    sums, sizes = np.multiply(values, weights), np.array(weights)
    bounds = RESULT if METRICS[metric][1] == SHARE else FREE
    found = ratio_rate(sums, sizes, bounds=bounds)
    return Rate(found.value, found.low, found.high, len(values))


def paired(games: Sequence[Game], others: Sequence[Game], metric: str) -> Rate:
    """A metric of ``games`` minus that of ``others``, over the same opponents and settings."""
    known: Mapping[Any, Game] = {(game.game, game.setting): game for game in others}
    pairs = [
        (game, known[game.game, game.setting])
        for game in games
        if (game.game, game.setting) in known
    ]
    if not pairs:
        return Rate(None, None, None, 0)
    index = clusters_of([game for game, _ in pairs])
    sides = [cases([pair[k] for pair in pairs], metric) for k in range(2)]
    whole = [side.sum(0) for side in sides]
    if not all(total[1] for total in whole):
        return Rate(None, None, None, 0)
    value = whole[0][0] / whole[0][1] - whole[1][0] / whole[1][1]
    rng = np.random.default_rng(0)
    size = int(index.max()) + 1
    sums = [np.stack([np.bincount(index, side[:, k]) for k in range(2)], 1) for side in sides]
    if size < 2:
        return Rate(float(value), None, None, len(pairs))
    chosen = rng.integers(size, size=(RESAMPLES, size))
    with np.errstate(invalid="ignore", divide="ignore"):
        one, other = (total[chosen].sum(1) for total in sums)
        drawn = one[:, 0] / one[:, 1] - other[:, 0] / other[:, 1]
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return Rate(float(value), float(low), float(high), len(pairs))
