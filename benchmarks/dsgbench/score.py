"""DSGBench's capability score: equation 3, with our ranges and weights, versioned in one file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.cli import InputError

FILE = Path(__file__).parent / "data" / "score.json"
BY_GAME, BY_METRIC = "game", "metric"
WEIGHTS = (BY_GAME, BY_METRIC)
SAMPLES = 2000
"""Bootstrap samples of a score."""
TABLE_6 = {
    "gemini-1.5-flash": (72.88, 48.45, 60.17, 22.46, 64.23, 56.16),
    "gpt-3.5-turbo": (32.94, 52.32, 74.25, 26.18, 47.68, 47.01),
    "gpt-4o": (54.59, 40.47, 83.27, 34.31, 52.79, 54.10),
    "deepseek-v2.5": (51.92, 46.97, 68.23, 26.85, 68.50, 53.75),
    "llama-3.1-70b-instruct": (51.47, 66.35, 40.78, 26.33, 34.35, 45.11),
    "llama-3.1-8b-instruct": (0.0, 36.99, 0.0, 0.0, 17.72, 10.94),
}
"""The paper's table 6: five capabilities and Overall. It rests on other games than these, so no
figure here compares with it; only its arithmetic does."""


@dataclass(frozen=True)
class Metric:
    """A metric of a part of a capability.

    Attributes:
        low, high: its range; ``high`` may depend on the scene, as ``408/turns`` does.
        weight: its share of the capability.
    """

    name: str
    low: float
    high: float | str
    weight: float

    def normalised(self, value: float, sizes: Mapping[str, float]) -> float:
        """0 .. 1: where a mean lies in the range; what is beyond it counts as its end.

        Args:
            sizes: numbers of the scene that ranges name, such as ``turns``.
        """
        high = end_of(self.high, sizes)
        return min(max((value - self.low) / (high - self.low), 0.0), 1.0)


@dataclass(frozen=True)
class Part:
    """What a game adds to a capability: metrics of some of its scenes, taken together."""

    scenes: tuple[str, ...]
    metrics: tuple[Metric, ...]

    @property
    def game(self) -> str:
        return self.scenes[0].partition("/")[0]


@dataclass(frozen=True)
class Scoring:
    """How metrics become a score.

    Attributes:
        version: of the file. weights: of the capabilities, summing to 1.
        capabilities: by name, what each is made of; the weights of its metrics sum to 1.
    """

    version: str
    weights: Mapping[str, float]
    capabilities: Mapping[str, tuple[Part, ...]]


def end_of(high: float | str, sizes: Mapping[str, float]) -> float:
    """The upper end of a range: a number, a size of the scene, or a number by a size."""
    if not isinstance(high, str):
        return float(high)
    above, _, below = high.partition("/")
    if not below:
        return float(sizes[above])
    return float(above) / float(sizes[below])


@lru_cache(maxsize=8)
def scoring(weights: str = BY_GAME, as_published: bool = False) -> Scoring:
    """The scoring of the file.

    Args:
        weights: ``game``: the games of a capability share it equally, and the metrics of a game
            its share; ``metric``: all its metrics share it equally.
        as_published: the ranges of metrics that have others as the released code reads them.
    """
    told = json.loads(FILE.read_text(encoding="utf-8"))
    ranges = told["as_published"] if as_published else {}
    return Scoring(
        told["version"],
        told["weights"],
        {
            name: _parts([(part["scenes"], part["metrics"]) for part in parts], weights, ranges)
            for name, parts in told["capabilities"].items()
        },
    )


def _parts(
    told: Sequence[tuple[Sequence[str], Mapping[str, Any]]], weights: str, ranges: Mapping[str, Any]
) -> tuple[Part, ...]:
    every = sum(len(metrics) for _, metrics in told)
    found = []
    for scenes, metrics in told:
        share = 1 / every if weights == BY_METRIC else 1 / len(told) / len(metrics)
        own = []
        for name, usual in metrics.items():
            low, high = ranges.get(name, usual)
            own.append(Metric(name, low, high, share))
        found.append(Part(tuple(scenes), tuple(own)))
    return tuple(found)


def overall(weights: Mapping[str, float], values: Sequence[float]) -> float:
    """The weighted sum of capabilities, as equation 3 and table 6 have it."""
    return float(np.dot(list(weights.values()), values))


@dataclass(frozen=True)
class SceneValues:
    """A policy's metrics in one scene.

    Attributes:
        values: by metric, (G,) float64, nan where a game has no case of it.
        seeds: (G,) which games go together. sizes: numbers that ranges name.
    """

    values: Mapping[str, np.ndarray]
    seeds: np.ndarray
    sizes: Mapping[str, float] = field(default_factory=dict)


Played = Mapping[str, SceneValues]
"""By scene."""


@dataclass
class Score:
    """What a policy comes to.

    Attributes:
        capabilities: by name, 0 .. 100 and its samples (SAMPLES,); None where nothing was played.
        covered: by name, how many of its games were played, and of how many.
        overall: of all capabilities, None where one is not whole and that is not allowed.
        missing: metrics that have no value, though their games were played.
    """

    capabilities: dict[str, tuple[float, np.ndarray] | None]
    covered: dict[str, tuple[int, int]]
    overall: tuple[float, np.ndarray] | None
    missing: list[str]


def score_of(
    played: Played, rules: Scoring, *, allow_partial: bool = False, seed: int = 0
) -> Score:
    """A policy's score, with bootstrap samples over the seeds of each scene.

    The samples of a scene are the same draws of seeds for every policy, so that differences of
    policies are paired where they played the same seeds.

    Args:
        allow_partial: whether an overall score is made of what was played: parts that are missing
            are left out, and the weights of the others scaled up.
    """
    draws = {scene: _draws(scene, own, seed) for scene, own in played.items()}
    found: dict[str, tuple[float, np.ndarray] | None] = {}
    covered, missing = {}, []
    for name, parts in rules.capabilities.items():
        whole, total, weight = 0.0, np.zeros(SAMPLES), 0.0
        there = 0
        for part in parts:
            scenes = [scene for scene in part.scenes if scene in played]
            there += len(scenes) == len(part.scenes)
            if not scenes:
                continue
            for metric in part.metrics:
                value = _metric(metric, [(played[scene], draws[scene]) for scene in scenes])
                if value is None:
                    missing.append(f"{part.game}: {metric.name}")
                    continue
                whole += metric.weight * value[0]
                total += metric.weight * value[1]
                weight += metric.weight
        covered[name] = there, len(parts)
        found[name] = (100 * whole / weight, 100 * total / weight) if weight else None
    complete = all(there == parts for there, parts in covered.values())
    if not complete and not allow_partial:
        return Score(found, covered, None, missing)
    kept = {name: value for name, value in found.items() if value is not None}
    weight = sum(rules.weights[name] for name in kept)
    if not weight:
        return Score(found, covered, None, missing)
    mean = sum(rules.weights[name] * value for name, (value, _) in kept.items()) / weight
    samples = sum((rules.weights[name] * own for name, (_, own) in kept.items()), np.zeros(SAMPLES))
    return Score(found, covered, (mean, samples / weight), missing)


def _draws(scene: str, own: SceneValues, seed: int) -> np.ndarray:
    """How often each of a scene's seeds is drawn, (SAMPLES, seeds)."""
    n = len(np.unique(own.seeds))
    generator = np.random.default_rng([seed, *scene.encode()])
    return generator.multinomial(n, np.full(n, 1 / n), SAMPLES).astype(float)


def _metric(
    metric: Metric, scenes: Sequence[tuple[SceneValues, np.ndarray]]
) -> tuple[float, np.ndarray] | None:
    """A metric's place in its range, and that of its samples: of all games of its scenes."""
    sums, sizes = np.zeros(1 + SAMPLES), np.zeros(1 + SAMPLES)
    high = 0.0
    for own, draws in scenes:
        values = own.values.get(metric.name)
        if values is None:
            continue
        high = max(high, end_of(metric.high, own.sizes))
        _, index = np.unique(own.seeds, return_inverse=True)
        there = ~np.isnan(values)
        by_seed = np.bincount(index, np.where(there, values, 0.0), draws.shape[1])
        cases = np.bincount(index, there.astype(float), draws.shape[1])
        sums += np.concatenate([[by_seed.sum()], draws @ by_seed])
        sizes += np.concatenate([[cases.sum()], draws @ cases])
    if not sizes[0]:
        return None
    # A sample without a case of the metric says nothing of it: it has the mean of all games.
    means = np.where(sizes > 0, sums / np.maximum(sizes, 1e-9), sums[0] / sizes[0])
    placed = np.clip((means - metric.low) / (high - metric.low), 0.0, 1.0)
    return float(placed[0]), placed[1:]


def rate_of(value: tuple[float, np.ndarray] | None, n: int) -> dict[str, Any] | None:
    """A score as ``summary.json`` has it, with the 95% interval of its samples."""
    if value is None:
        return None
    low, high = np.quantile(value[1], (0.025, 0.975))
    if math.isclose(low, high):
        return {"value": value[0], "low": None, "high": None, "n": n, "chance": None}
    return {"value": value[0], "low": float(low), "high": float(high), "n": n, "chance": None}


def check_weights(weights: Mapping[str, float], what: str) -> None:
    """Raises ``InputError`` unless weights are numbers from 0 to 1 that sum to 1."""
    good = all(isinstance(w, int | float) and 0 <= w <= 1 for w in weights.values())
    if not good or not math.isclose(sum(weights.values()), 1, abs_tol=1e-9):
        told = ", ".join(f"{name} {weight}" for name, weight in weights.items())
        raise InputError(f"{what}: weights have to sum to 1, and these do not: {told}")
