"""What models answered, beside what was played: plans asked for again, and what was passed over."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from stratagym.benchmarks.advgame.matches import Plan, Setting
from stratagym.benchmarks.advgame.metrics import Game, clusters_of
from stratagym.benchmarks.harness.records import DecisionRecord
from stratagym.benchmarks.reporting.stats import mean_rate, ratio_rate
from stratagym.envs import sealed, spec

READABLE = ("ok", "illegal")


def answers(decisions: Iterable[DecisionRecord], policies: Sequence[str]) -> dict[str, Any]:
    """By policy that answers in words: its first answer to each question, and the one that stood.

    Questions without a readable answer are in none of the shares. Shares of plans that are over
    budget or break a rule, first and as they stood; how many plans were asked for again; in how
    many readable answers something meant nothing, such as a price, and how many such members.
    """
    asked: defaultdict[str, defaultdict[Any, list[DecisionRecord]]]
    asked = defaultdict(lambda: defaultdict(list))
    for record in decisions:
        if record["policy"] in policies and record["kind"] in READABLE:
            question = record["item"], record["seat"], record["ply"]
            asked[record["policy"]][question].append(record)
    return {name: _of(asked[name]) for name in policies if name in asked}


def _of(asked: Mapping[Any, Sequence[DecisionRecord]]) -> dict[str, Any]:
    matches = np.array([item for item, *_ in asked])
    ordered = [sorted(own, key=lambda one: one["attempt"]) for own in asked.values()]

    def share(values: Iterable[bool]) -> dict[str, Any]:
        return mean_rate(np.array(list(values), float), matches).record()

    every = [record for own in ordered for record in own]
    ignored = [record.get("plan", {}).get("ignored", 0) for record in every]
    return {
        "questions": len(ordered),
        "answers": len(every),
        "over budget, first": share(_is_over(own[0]) for own in ordered),
        "over budget, last": share(_is_over(own[-1]) for own in ordered),
        "broken, first": share(_is_broken(own[0]) for own in ordered),
        "broken, last": share(_is_broken(own[-1]) for own in ordered),
        "asked again": sum(_is_over(record) for own in ordered for record in own[:-1]),
        "ignored": sum(ignored),
        "with ignored": sum(n > 0 for n in ignored),
    }


def _is_over(record: DecisionRecord) -> bool:
    return record.get("plan", {}).get("over", 0) > 0


def _is_broken(record: DecisionRecord) -> bool:
    return record["kind"] == "illegal" and not _is_over(record)


def stale(
    every: Sequence[tuple[Setting, Game]], plan: Plan, policy: str, factor: float
) -> dict[str, Any]:
    """Of a policy's plans over a budget that was cut by ``factor``, those that fit the whole one.

    The share with its interval over clusters; ``n`` are plans over budget. They are as handed in,
    the last answer where a model was asked again.
    """
    games = [(s, game) for s, game in every if (s.policy, s.factor) == (policy, factor)]
    found = []
    for setting, game in games:
        whole = spec(setting.game).make_rules(**plan.options_of(setting._replace(factor=1), True))
        budget = sealed.budget_of.py_func(whole, setting.role)
        plans = [r.plans[game.role] for r in game.rounds if r.asks(game.role)]
        over = [one for one in plans if one.over and not one.kept]
        is_cut = setting.factor < 1
        found.append((is_cut * sum(one.cost <= budget for one in over), is_cut * len(over)))
    index = clusters_of([game for _, game in games])
    counts = np.array(found, float).reshape(-1, 2)
    sums, sizes = (np.bincount(index, counts[:, k]) for k in range(2))
    return ratio_rate(sums, sizes, bounds=(0.0, 1.0)).record()
