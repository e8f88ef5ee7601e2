"""The content of ``summary.json``: metrics by scene, capability scores, ranks, differences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from stratagym.benchmarks.dsgbench.measured import own_seats, sizes_of, values_of
from stratagym.benchmarks.dsgbench.players import CHANCE, Player
from stratagym.benchmarks.dsgbench.scenes import ITERATIONS, Scene
from stratagym.benchmarks.dsgbench.score import (
    Metric,
    Part,
    SceneValues,
    Score,
    Scoring,
    end_of,
    rate_of,
    score_of,
)
from stratagym.benchmarks.harness.games import Games
from stratagym.benchmarks.harness.whole_games import Played
from stratagym.benchmarks.reporting.stats import FREE, SHARE, mean_rate

SHARES = ("WR", "GA", "AHR", "SMHR")
"""Metrics that are shares in every scene."""
Replies = Mapping[str, Sequence[Mapping[str, Any]]]
"""Answers of language models, by match."""


@dataclass(frozen=True)
class Plan:
    """What a run plays and how it is scored.

    Attributes:
        scenes, players: of the run. anchors: labels of players that stand below the others.
        scoring: of the file, or of a scene of one's own. as_published: by the released code.
        allow_partial: whether an overall score is made of a part of the capabilities.
    """

    scenes: Sequence[Scene]
    players: Sequence[Player]
    anchors: Sequence[str]
    scoring: Scoring
    as_published: bool
    allow_partial: bool

    def labels(self, scene: Scene) -> list[str]:
        """Who plays a scene."""
        return [one.label for one in self.players if scene.game in one.policies] + [CHANCE]


def replies_by_match(decisions: Iterable[Mapping[str, Any]]) -> Replies:
    """Answers to questions for moves, by the match that they are of."""
    found: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for one in decisions:
        if "facts" not in one:
            found[one["item"]].append(one)
    return found


def add_up(games: Played, plan: Plan, replies: Replies, usage: Mapping[str, Any]) -> dict[str, Any]:
    """The benchmark's own parts of the summary."""
    values: dict[str, dict[str, SceneValues]] = defaultdict(dict)
    scenes = []
    for scene in plan.scenes:
        rows = []
        for label in plan.labels(scene):
            own = games[scene.pairing(label)]
            if not len(own):
                continue
            found = _values(own, scene, replies, plan.as_published)
            values[label][scene.name] = found
            rows.append(_row(label, own, scene, found, plan.scoring, replies))
        scenes.append({"scene": scene.name, "paper": ITERATIONS.get(scene.game), "policies": rows})
    scores = {
        label: score_of(values[label], plan.scoring, allow_partial=plan.allow_partial)
        for label in [*(one.label for one in plan.players), CHANCE]
    }
    ranked = [one.label for one in plan.players if one.label not in plan.anchors]
    below = [*plan.anchors, CHANCE]
    counts = {label: _played(games, plan, label) for label in scores}
    board = [
        _line(label, scores[label], counts[label], _of_model(usage, plan, label))
        for label in [*_sorted(ranked, scores), *below]
    ]
    for line in board:
        line["anchor"] = line["policy"] in below
    for label, (low, high) in _ranks(ranked, scores).items():
        next(line for line in board if line["policy"] == label)["rank"] = [low, high]
    return {
        "score": plan.scoring.version,
        "as_published": plan.as_published,
        "capability_weights": dict(plan.scoring.weights),
        "scenes": scenes,
        "board": board,
        "differences": _differences(ranked, scores, counts),
    }


def _values(games: Games, scene: Scene, replies: Replies, as_published: bool) -> SceneValues:
    told = []
    for record in games.records:
        seats = own_seats(record, scene.seats)
        answers = [one for one in replies.get(record["match"], ()) if one["seat"] in seats]
        told.append(values_of(record, seats, answers, as_published))
    names = list(dict.fromkeys(name for row in told for name in row))
    arrays = {name: np.array([row.get(name, np.nan) for row in told]) for name in names}
    return SceneValues(arrays, games.seeds, sizes_of(games.records[0]))


def metrics_of(scoring: Scoring, scene: str) -> list[Metric]:
    """The metrics of a scene that count in a score."""
    parts: Iterable[Part] = (part for own in scoring.capabilities.values() for part in own)
    return [metric for part in parts if scene in part.scenes for metric in part.metrics]


def _row(
    label: str, games: Games, scene: Scene, found: SceneValues, scoring: Scoring, replies: Replies
) -> dict[str, Any]:
    """A policy's metrics in a scene, its results, how long games took and what failed."""
    scored = {metric.name: metric for metric in metrics_of(scoring, scene.name)}
    metrics = {}
    for name, values in found.values.items():
        there = ~np.isnan(values)
        bounds = SHARE if name in SHARES else FREE
        if name in scored and (values[there] >= scored[name].low).all():
            ends = scored[name].low, end_of(scored[name].high, found.sizes)
            bounds = ends if (values[there] <= ends[1]).all() else FREE
        metrics[name] = mean_rate(values[there], found.seeds[there], bounds=bounds).record()
    beyond = {}
    for metric in scored.values():
        if metric.name in found.values:
            values = found.values[metric.name]
            own = values[~np.isnan(values)]
            high = end_of(metric.high, found.sizes)
            beyond[metric.name] = int(((own < metric.low - 1e-9) | (own > high + 1e-9)).sum())
    results, asked = Counter[str](), list[float]()
    kinds: Counter[str] = Counter()
    for record in games.records:
        seats = own_seats(record, scene.seats)
        results[_result(found, len(asked))] += 1
        own_replies = [one for one in replies.get(record["match"], ()) if one["seat"] in seats]
        kinds.update(one["kind"] for one in own_replies)
        asked.append(len(own_replies) or record["plies"] * len(seats) / len(record["seats"]))
    drawn = sum(_is_drawn(record) for record in games.records)
    return {
        "policy": label,
        "games": len(games),
        "metrics": metrics,
        "beyond": beyond,
        "won": results["won"],
        "drawn": drawn,
        "lost": len(games) - results["won"] - drawn,
        "decisions": float(np.mean(asked)),
        "kinds": dict(kinds),
        "endings": games.endings,
        "transport_aborted": games.aborted,
    }


def _result(found: SceneValues, k: int) -> str:
    return "won" if found.values["WR"][k] == 1 else "other"


def _is_drawn(record: Any) -> bool:
    returns = record["returns"]
    return returns is not None and len(set(returns)) == 1


# --- the board -----------------------------------------------------------------------------------


def _played(games: Played, plan: Plan, label: str) -> int:
    return sum(len(games[scene.pairing(label)]) for scene in plan.scenes)


def _of_model(usage: Mapping[str, Any], plan: Plan, label: str) -> Mapping[str, Any]:
    """Tokens and cost of a player's answers, if it is a language model."""
    names = {
        policy.name
        for one in plan.players
        if one.label == label
        for policy in one.policies.values()
    }
    return next((usage[name] for name in names if name in usage), {})


def _line(label: str, score: Score, games: int, used: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "policy": label,
        "capabilities": {name: rate_of(own, games) for name, own in score.capabilities.items()},
        "covered": {name: list(own) for name, own in score.covered.items()},
        "overall": rate_of(score.overall, games),
        "missing": score.missing,
        "games": games,
        "tokens_in": used.get("tokens_in"),
        "tokens_out": used.get("tokens_out"),
        "cost": used.get("cost"),
    }


def _sorted(labels: Sequence[str], scores: Mapping[str, Score]) -> list[str]:
    """Labels by their overall score, those without one behind, as they were named."""
    order = {label: scores[label].overall for label in labels}
    return sorted(labels, key=lambda label: -(order[label] or (-1.0, 0))[0])


def _ranks(labels: Sequence[str], scores: Mapping[str, Score]) -> dict[str, tuple[int, int]]:
    """The ranks by overall score in the middle 95% of samples, of those that have one."""
    having = [label for label in labels if scores[label].overall is not None]
    if not having:
        return {}
    samples = np.stack([scores[label].overall[1] for label in having])  # type: ignore[index]
    ranks = 1 + (samples[None] > samples[:, None]).sum(1)
    ends = np.quantile(ranks, (0.025, 0.975), axis=1, method="nearest")
    return {label: (int(low), int(high)) for label, low, high in zip(having, *ends, strict=True)}


def _differences(
    labels: Sequence[str], scores: Mapping[str, Score], games: Mapping[str, int]
) -> list[dict[str, Any]]:
    """By pair: the first's score less the second's, by capability and overall, over seeds."""
    found = []
    for one, other in combinations(labels, 2):
        row: dict[str, Any] = {"one": one, "other": other}
        both = [scores[one], scores[other]]
        for name in [*both[0].capabilities, "overall"]:
            a, b = ((s.overall if name == "overall" else s.capabilities[name]) for s in both)
            told = None
            if a is not None and b is not None:
                told = rate_of((a[0] - b[0], a[1] - b[1]), min(games[one], games[other]))
            row[name] = told
        found.append(row)
    return found
