"""The metrics of AdvGameBench, by the paper's definitions and as its released program has them.

Every metric is a sum over a number of cases within each game, so that intervals can take a game, an
opponent and a role as one cluster: ``cases`` gives both, ``rate`` adds them up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from stratagym.benchmarks.advgame.rounds import LOST, WON, Round
from stratagym.benchmarks.reporting.correlation import slope
from stratagym.benchmarks.reporting.stats import FREE, SHARE, Bounds, Rate, clustered, ratio_rate

COUNTED = 10
"""Rounds that the paper's tables count."""
EPSILON = 1e-9


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
    """The rounds that its evaluator keeps: right after the side's own updates, never the first.

    Even rounds for who updates first, odd ones for the other.
    """
    parity = 0 if game.first else 1
    return [one for one in game.rounds if one.number % 2 == parity and one.number > 1]


def published_file(games: Sequence[Game]) -> dict[str, float]:
    """What the evaluator makes of one file: the matches of a role and an order, one after another.

    All metrics of no rows are 0, and so is the CSR without a changed row. A draw is no win.
    """
    rows = [(one, one.plans[game.role], game.role) for game in games for one in kept_rows(game)]
    won = [float(one.score[role] == WON) for one, _, role in rows]
    changed = [a.cost != b.cost for (_, a, _), (_, b, _) in pairwise(rows)]
    wins = [win for win, is_changed in zip(won[1:], changed, strict=True) if is_changed]
    return {
        "WR": float(np.mean(won)) if rows else 0.0,
        "OBR": float(np.mean([plan.over for _, plan, _ in rows])) if rows else 0.0,
        "ORR": float(np.mean(changed)) if changed else 0.0,
        "CSR": float(np.mean(wins)) if wins else 0.0,
        "slope": slope(won) if len(won) > 1 else 0.0,
    }


def as_published(games: Sequence[Game]) -> dict[str, float | None]:
    """The mean of its files, one a game, role and order, in each the opponents one by one."""
    files: dict[Any, list[Game]] = {}
    for game in sorted(games, key=lambda one: (one.opponent, one.seed)):
        files.setdefault((game.game, game.role, game.first), []).append(game)
    found = [published_file(own) for own in files.values()]
    names = ("WR", "OBR", "ORR", "CSR", "slope")
    return {name: float(np.mean([f[name] for f in found])) if found else None for name in names}


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


def by_cluster(games: Sequence[Game], metric: str) -> list[np.ndarray]:
    """By game, (clusters, 2): the sums and the numbers of cases of its clusters."""
    of: dict[str, list[Game]] = {}
    for game in games:
        of.setdefault(game.game, []).append(game)
    parts = []
    for own in of.values():
        found, index = cases(own, metric), clusters_of(own)
        parts.append(np.stack([np.bincount(index, found[:, k]) for k in range(2)], 1))
    return parts


def mean_over_games(games: Sequence[Game], metric: str) -> Rate:
    """The mean of each game's own rate, with its interval over clusters within games."""
    parts = [part[:, None] for part in by_cluster(games, metric)]
    return clustered(parts, bounds=METRICS[metric][1])


def first_move_advantage(games: Sequence[Game], metric: str) -> Rate:
    """FMA: the mean of a metric over matches as first to update minus that as second.

    Per game, then the mean of games; a match counts where it has a case, a game where both orders
    have. The interval is over clusters, each with its matches of both orders.
    """
    parts = []
    for name in dict.fromkeys(game.game for game in games):
        own = [game for game in games if game.game == name]
        index, found = clusters_of(own), cases(own, metric)
        found[:, 0] /= np.maximum(found[:, 1], 1)
        found[:, 1] = found[:, 1] > 0
        part = np.zeros((int(index.max()) + 1, 2, 2))
        orders = np.array([0 if game.first else 1 for game in own])
        np.add.at(part, (index, orders), found)
        parts.append(part)
    return clustered(parts, (1, -1), bounds=METRICS[metric][1])


def pairs_of(games: Sequence[Game], others: Sequence[Game]) -> list[tuple[Game, Game]]:
    """Matches of the same game, opponent and setting."""
    known: Mapping[Any, Game] = {(game.game, game.setting): game for game in others}
    both = ((game, known.get((game.game, game.setting))) for game in games)
    return [(game, other) for game, other in both if other is not None]


def paired(games: Sequence[Game], others: Sequence[Game], metric: str) -> Rate:
    """A metric of ``games`` minus that of ``others``, pooled over the same opponents and settings.

    The interval is over clusters, both sides together; ``n`` is the number of matches.
    """
    pairs = pairs_of(games, others)
    if not pairs:
        return Rate(None, None, None, 0)
    index = clusters_of([game for game, _ in pairs])
    sides = [cases([pair[k] for pair in pairs], metric) for k in range(2)]
    return difference(sides[0], sides[1], index, METRICS[metric][1])


def difference(one: np.ndarray, other: np.ndarray, index: np.ndarray, bounds: Bounds) -> Rate:
    """A ratio of sums minus another, with its interval over clusters.

    Args:
        one, other: (N, 2), a sum and a number of cases each. index: (N,) clusters from 0.
        bounds: what a case of either can be.
    """
    sums = np.zeros((int(index.max()) + 1, 2, 2))
    np.add.at(sums, index, np.stack([one, other], 1))
    rate = clustered([sums], (1, -1), bounds=bounds)
    return rate if rate.value is None else replace(rate, n=len(index))
