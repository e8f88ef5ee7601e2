"""What a run's records come to: the content of ``summary.json``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.decisions import OVERTIME, TRANSPORT
from stratagym.benchmarks.planning import (
    metrics,
    plans,
    probe,
    published,
    retrieval,
    spatial,
    stepwise,
    strictly,
)
from stratagym.benchmarks.planning.complexity import complexity
from stratagym.benchmarks.planning.regression import regression
from stratagym.benchmarks.planning.tasks import Item
from stratagym.benchmarks.reporting.correlation import FEWEST, correlation, p_of, pearson
from stratagym.benchmarks.reporting.stats import wilson

AXES = "applicable", "state_actions"
RESAMPLED = 2_000
"""Draws of domains with replacement, for intervals of correlations."""
COUNTED_STATES = 10_000
"""States that are counted for a problem's complexity; beyond that pairs are estimated."""


def summary(
    config: Mapping[str, Any],
    items: Sequence[Item],
    taken: Sequence[Mapping[str, Any]],
    facts: Sequence[retrieval.Retrieval],
    places: Sequence[spatial.Scene],
    steps: str,
    refused: Mapping[str, str],
) -> dict[str, Any]:
    """The whole summary, from the records."""
    by_name = {item.name: item for item in items}
    walked, counts = stepwise.as_plans(taken, by_name)
    taken = [*taken, *walked]
    references = plans.references_of(items, taken)
    answers = plans.answers_of(taken, by_name, references, plans.costs_of(items, taken))
    hard = {item.name: complexity(item, COUNTED_STATES).record() for item in items}
    found: dict[str, Any] = {
        "config": dict(config),
        "problems": {
            "asked": len(items),
            "refused": dict(refused),
            "odd": {item.name: item.odd for item in items if item.odd},
            "barred": {item.name: item.barred for item in items if item.barred},
            "published": published.TASKS,
        },
        "references": references,
        "complexity": hard,
        "policies": {
            policy: {
                **metrics.summary_of(own, steps),
                "complexity": correlations(_counted(own), hard),
                "regression": regression(_counted(own), hard),
                "no_reply": plans.without_reply(taken, policy),
            }
            for policy, own in answers.items()
        },
        "pairs": [
            {"policies": [one, other], **metrics.paired(answers[one], answers[other])}
            for k, one in enumerate(answers)
            for other in list(answers)[k + 1 :]
        ],
    }
    strict = strictly.scored(plans.last_of(taken).values(), by_name)
    if strict:
        found["strictly"] = strict
    if counts:
        found["steps"] = counts
    if config.get("probe"):
        found["probe"] = {
            policy: {**own, "without": probe.probes(taken, by_name, policy, config["seed"])[1]}
            for policy, own in probe.scored(taken).items()
        }
    if facts:
        found["retrieval"] = {
            "questions": len(facts),
            "walks": sum(one.source == "walk" for one in facts),
            "baselines": retrieval.baselines(facts),
            "policies": {
                policy: retrieval.scored([one for one in facts if one.name in own], own)
                for policy, own in _facts_of(taken, "retrieve").items()
            },
        }
    if places:
        found["spatial"] = {
            "scenes": len(places),
            "baselines": {name: rate.record() for name, rate in spatial.baselines(places).items()},
            "policies": {
                policy: spatial.scored(
                    [scene for scene in places if scene.name in own],
                    {name: one.get("right", 0) for name, one in own.items()},
                )
                for policy, own in _facts_of(taken, "spatial").items()
            },
        }
    found["retrieval_against_errors"] = retrieval_against_errors(
        facts, _facts_of(taken, "retrieve"), answers
    )
    return found


def _counted(answers: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Without problems of which no plan can count."""
    return [one for one in answers if not one["barred"]]


def _facts_of(
    taken: Sequence[Mapping[str, Any]], task: str
) -> dict[str, dict[str, Mapping[str, int]]]:
    """By policy and item, the facts of replies to questions that are no plans.

    Questions to which no reply came are left out, as problems are.
    """
    found: dict[str, dict[str, Mapping[str, int]]] = {}
    for record in taken:
        if record.get("task") == task:
            own = found.setdefault(record["policy"], {})
            if record["kind"] not in (TRANSPORT, OVERTIME):
                own[record["item"]] = record.get("facts") or {}
    return found


def correlations(
    answers: Sequence[Mapping[str, Any]], hard: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Accuracy of domains against the means of their complexity (figure 5 of the paper).

    Each domain is a point: the mean of log10 of the applicable actions, or of the logarithm of
    pairs of states and actions, and the accuracy. Domains without a number of states are left out
    of the second axis.
    """
    points: dict[str, dict[str, Any]] = {}
    for domain, own in metrics.by(answers, lambda one: one["domain"]).items():
        figures = [hard[one["item"]] for one in own]
        pairs = [one["state_actions"] for one in figures if one["state_actions"] is not None]
        points[domain] = {
            "applicable": float(
                np.mean([math.log10(max(1.0, one["applicable"])) for one in figures])
            ),
            "state_actions": float(np.mean(pairs)) if len(pairs) == len(figures) else None,
            "accuracy": metrics.accuracy(own).record(),
        }
    found: dict[str, Any] = {"points": points}
    for axis in AXES:
        shown = [one for one in points.values() if one[axis] is not None]
        x, y = [one[axis] for one in shown], [one["accuracy"]["value"] for one in shown]
        fit = correlation(x, y)
        found[axis] = None if fit is None else fit.record()
        found[f"{axis}_interval"] = None if fit is None else interval(resampled(np.array([x, y])))
    both = [one for one in points.values() if all(one[axis] is not None for axis in AXES)]
    found["stronger"] = None
    if all(found[axis] is not None for axis in AXES) and len(both) >= FEWEST:
        y = [one["accuracy"]["value"] for one in both]
        sides = [np.array([[one[axis] for one in both], y]) for axis in AXES]
        values = [abs(pearson(*side)) for side in sides]
        low, high = interval(np.abs(resampled(sides[1])) - np.abs(resampled(sides[0])))
        found["stronger"] = {
            "value": values[1] - values[0], "low": low, "high": high, "n": len(both)
        }  # fmt: skip
    return found


def resampled(points: np.ndarray) -> np.ndarray:
    """Pearson coefficients of points (2, N) that are drawn anew with replacement, (M,).

    The same places are drawn for every N points; draws in which one side does not vary are left
    out as NaN.
    """
    n = points.shape[1]
    drawn = np.random.default_rng(0).integers(n, size=(RESAMPLED, n))
    x, y = (side[drawn] - side[drawn].mean(1, keepdims=True) for side in points)
    spread = np.sqrt((x * x).sum(1) * (y * y).sum(1))
    return np.divide((x * y).sum(1), spread, out=np.full(RESAMPLED, np.nan), where=spread > 1e-12)


def interval(values: np.ndarray) -> list[float]:
    """The middle 95% of what is no NaN."""
    low, high = np.nanquantile(values, (0.025, 0.975))
    return [float(low), float(high)]


def retrieval_against_errors(
    facts: Sequence[retrieval.Retrieval],
    replies: Mapping[str, Mapping[str, Mapping[str, int]]],
    answers: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:
    """Exact answers to factual questions beside plans that break a condition.

    Of each policy that has both: the share of exact answers among the questions that ask for all
    properties, and the shares of plans with the verdict ``precondition`` and of the class BC, on
    all domains and on those three (``own``) that facts are asked of. Correlations are over
    policies; the domains of a policy are no points of theirs.

    Args:
        replies: facts of replies, by policy and question. answers: as ``metrics`` has them.
    """
    rows = []
    whole = [one for one in facts if one.setting == "all"]
    for policy, own in replies.items():
        plans_of = _counted(answers.get(policy, ()))
        asked = [one for one in whole if one.name in own]
        if not plans_of or not asked:
            continue
        here = [one for one in plans_of if one["domain"] in retrieval.DOMAINS]
        domains = {}
        for domain in retrieval.DOMAINS:
            some = [one for one in asked if one.domain == domain]
            broken = [one for one in here if one["domain"] == domain]
            if some and broken:
                domains[domain] = {"retrieval": _exact(some, own), **_broken(broken)}
        rows.append(
            {
                "policy": policy,
                "retrieval": _exact(asked, own),
                **_broken(plans_of),
                "own": _broken(here),
                "domains": domains,
            }
        )
    x = [row["retrieval"]["value"] for row in rows]
    return {
        "policies": rows,
        "correlations": {
            f"{where} {what}": _small(
                x, [(row if where == "all" else row["own"])[what]["value"] for row in rows]
            )
            for where in ("own", "all")
            for what in ("precondition", "BC")
        },
        "published": _small(*map(list, zip(*published.RETRIEVAL_AND_BC.values(), strict=True))),
    }


def _exact(
    asked: Sequence[retrieval.Retrieval], replies: Mapping[str, Mapping[str, int]]
) -> dict[str, Any]:
    hits = sum(replies[one.name].get("exact", 0) for one in asked)
    return wilson(hits, len(asked)).record()


def _broken(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Shares of plans that break an action's condition, and of those that break any constraint."""
    kinds = [one["verdict"] for one in answers]
    return {
        "precondition": wilson(kinds.count("precondition"), len(kinds)).record(),
        "BC": wilson(sum(kind in metrics.BROKEN for kind in kinds), len(kinds)).record(),
    }


def _small(x: Sequence[float], y: Sequence[float | None]) -> dict[str, Any] | None:
    """Pearson's r with its p value over a few policies; None for fewer than three."""
    pairs = [(a, b) for a, b in zip(x, y, strict=True) if a is not None and b is not None]
    if len(pairs) < 3:
        return None
    r = pearson(*zip(*pairs, strict=True))
    return None if math.isnan(r) else {"r": r, "p": p_of(r, len(pairs)), "n": len(pairs)}
