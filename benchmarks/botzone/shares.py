"""How much of a ladder was climbed, with an interval that knows a level may be passed by luck."""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.benchmarks.harness.climb import PASS, Climb, LevelResult, Outcome, ScoreClimb
from stratagym.benchmarks.reporting.stats import CONFIDENCE, Rate

RESAMPLES = 1000


def share_of(climb: Climb | ScoreClimb, outcome: Outcome) -> Rate:
    """0 at the ladder's foot, 1 where its last level was passed; no value where broken off.

    On a ladder of wins the interval is a bootstrap over seeds of every level that was played
    (rounds that repeat each other are one), with one more seed won and one lost, as
    ``ratio_rate`` has them, where the level was not settled early. A resample ends at the first
    level that it does not pass, or at the foot of the first that was not played. On a ladder of
    scores it is the interval of the progress.
    """
    whole = climb.plan.top + 1
    games = sum(len(level.results) for level in outcome.levels)
    if outcome.aborted or not games:
        return Rate(None, None, None, 0)
    # Without a decided game there is no progress.
    value = (outcome.level if outcome.value is None else outcome.value) / whole
    if isinstance(climb, Climb):
        low, high = _interval(climb)
        return Rate(value, min(value, low / whole), max(value, high / whole), games)
    progress = outcome.progress
    if progress is None or progress.low is None or progress.high is None:
        return Rate(value, None, None, games)
    low, high = ((outcome.level + end) / whole for end in (progress.low, progress.high))
    return Rate(value, low, high, games)


def _interval(climb: Climb) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    reached = np.full(RESAMPLES, float(len(climb.levels)))
    climbing = np.ones(RESAMPLES, bool)
    for found in climb.levels:
        passed, progress = resampled(found, climb.plan.ladder.is_solved(found.level), rng)
        stops = climbing & ~passed
        reached[stops] = found.level + progress[stops]
        climbing &= passed
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(reached, (tail, 100 - tail))
    return float(low), float(high)


def resampled(
    found: LevelResult, is_solved: bool, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Whether each resample passes the level, and its progress there, both (RESAMPLES,)."""
    if found.by_points:
        return _resampled_points(found, rng)
    index, label_of = _clusters(found)
    more = 0 if found.settled_early or is_solved else 2
    won, drawn, lost = np.zeros((3, len(index) + more))
    for result in found.results:
        of = {1.0: won, 0.5: drawn, 0.0: lost}[result.points]
        of[index[label_of[result.opponent, result.seed]]] += 1
    if more:
        won[-2] = lost[-1] = len(found.results) / max(1, len(index))
    picks = rng.integers(0, len(won), (RESAMPLES, len(won)))
    wins, draws, losses = (each[picks].sum(1) for each in (won, drawn, lost))
    if is_solved:
        rate = draws / np.maximum(1, wins + draws + losses)
        return losses == 0, rate
    decided = wins + losses
    rate = np.divide(wins, decided, out=np.zeros(RESAMPLES), where=decided > 0)
    return (decided > 0) & (rate >= PASS), np.minimum(1.0, 2 * rate)


def _clusters(found: LevelResult) -> tuple[dict[Any, int], dict[tuple[str, int], Any]]:
    """The place of each cluster among those that are drawn, and ``found.clusters()``."""
    label_of = found.clusters()
    ordered = sorted(set(label_of.values()), key=lambda label: (isinstance(label, tuple), label))
    return {label: k for k, label in enumerate(ordered)}, label_of


def _resampled_points(
    found: LevelResult, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The same on a ladder of points: passed without a loss of points in the mean."""
    index, label_of = _clusters(found)
    earned, won, lost = np.zeros((3, len(index) + 2))
    for result in found.results:
        k = index[label_of[result.opponent, result.seed]]
        earned[k] += result.earned
        won[k] += result.points == 1.0
        lost[k] += result.points == 0.0
    typical = np.abs(earned).sum() / max(1, len(index))
    earned[-2:] = typical, -typical
    won[-2] = lost[-1] = 1.0
    picks = rng.integers(0, len(earned), (RESAMPLES, len(earned)))
    total, wins, losses = (each[picks].sum(1) for each in (earned, won, lost))
    decided = wins + losses
    rate = np.divide(wins, decided, out=np.zeros(RESAMPLES), where=decided > 0)
    return (decided > 0) & (total >= 0), np.minimum(1.0, 2 * rate)
