"""Plans of planners, other built-in policies and language models, and what they come to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from stratagym.agents.core import Policy, decision_for
from stratagym.agents.games.planning import Planner, find_plan
from stratagym.benchmarks.harness.decisions import OVERTIME, TRANSPORT, Question, item_seed
from stratagym.benchmarks.planning.example import OneShot
from stratagym.benchmarks.planning.metrics import NO_PLAN
from stratagym.benchmarks.planning.tasks import GAME, Item
from stratagym.envs import core
from stratagym.envs.planning.checking import VERDICTS, check_plan, move_text
from stratagym.envs.text import OK, TextOptions

NAME = "planning"
UNREADABLE = VERDICTS.index("unreadable")


def question(item: Item, seed: int, text: TextOptions, one_shot: bool = False) -> Question:
    """The question for a whole plan, with a solved example in front where it is ``one_shot``."""
    extra = {"task": "plan", "domain": item.domain, "size": item.size}
    asked = (NAME, item.name, GAME, item.rules, item.states(), seed, 0, text)
    if one_shot:
        form = text.position or GAME.module("view").POSITION_FORMS[0]
        return OneShot(*asked, extra=extra, form=form)
    return Question(*asked, extra=extra)


def planned(policy: Policy, item: Item, seed: int, states: int) -> dict[str, Any]:
    """The record of a built-in policy's plan.

    Args:
        states: the most that a planner may generate.
    """
    asked = question(item, seed, TextOptions())
    generated = None
    if isinstance(policy, Planner):
        start = item_seed(seed, item.name) % (1 << 31)
        found = find_plan(item.grounded.task, policy.level, budget=states, seed=start)
        # A random walk is a plan, wherever it leads.
        plan = found.closest if found.plan is None and not policy.level else found.plan
        generated = found.generated
    else:
        plan = _played(policy, item, item_seed(seed, item.name, policy.name))
    moves = [] if plan is None else [move_text(item.grounded.actions[k]) for k in plan.tolist()]
    view = GAME.module("view")
    facts = {"verdict": UNREADABLE}
    if plan is not None:
        text = json.dumps({"plan": moves})
        facts = view.plan_facts(item.rules, asked.position[0], text, ())
    return asked.record(
        policy.name,
        kind=OK,
        reason="" if plan is not None else NO_PLAN,
        attempt=1,
        actions=None if plan is None else plan.tolist(),
        plan=facts,
        generated=generated,
    )


def _played(policy: Policy, item: Item, seed: int) -> np.ndarray:
    """What a policy plays in the environment until that ends."""
    states, scratch = item.states(), core.new_scratch(item.rules)
    actions: list[int] = []
    while core.current_player_at(item.rules, states, 0) >= 0:
        drawn = int(core.derive_seed(np.uint64(seed % (1 << 63)), np.uint64(len(actions))))
        action = policy.act(decision_for(GAME, item.rules, states, drawn))
        core.play_at(item.rules, states, 0, action, *scratch)
        actions.append(int(action))
    return np.array(actions, np.int64)


def all_planned(
    policies: Sequence[Policy], items: Sequence[Item], seed: int, states: int, threads: int
) -> Iterator[dict[str, Any]]:
    """Records of all policies' plans, problem after problem; ``threads`` problems at a time."""

    def work(item: Item) -> list[dict[str, Any]]:
        return [planned(policy, item, seed, states) for policy in policies]

    with ThreadPoolExecutor(threads) as pool:
        for records in pool.map(work, items):
            yield from records


def last_of(
    records: Iterable[Mapping[str, Any]],
) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The last record of each policy and problem that a reply or a plan came for."""
    return {
        (record["policy"], record["item"]): record
        for record in records
        if record.get("task") == "plan" and record["kind"] not in (TRANSPORT, OVERTIME)
    }


def without_reply(records: Iterable[Mapping[str, Any]], policy: str) -> dict[str, int]:
    """Problems of a policy to which no reply came: in time (``late``), or at all (``failed``)."""
    kinds: dict[str, set[str]] = {}
    for record in records:
        if record.get("task") == "plan" and record["policy"] == policy:
            kinds.setdefault(record["item"], set()).add(record["kind"])
    open_ones = [own for own in kinds.values() if own <= {TRANSPORT, OVERTIME}]
    late = sum(OVERTIME in own for own in open_ones)
    return {"late": late, "failed": len(open_ones) - late}


def answers_of(
    records: Iterable[Mapping[str, Any]],
    items: Mapping[str, Item],
    references: Mapping[str, int],
    costs: Mapping[str, float] = {},
) -> dict[str, list[dict[str, Any]]]:
    """By policy, what its plans come to, as ``metrics`` has answers; the last records count.

    Problems to which no reply came are left out.

    Args:
        references: lengths of the best plans known. costs: their least metrics, of problems that
            have one.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    last = last_of(records)
    shortest: dict[str, int] = {}
    for (_, name), record in last.items():
        facts = record.get("plan") or {}
        if facts.get("verdict") == VERDICTS.index("valid"):
            shortest[name] = min(shortest.get(name, facts["length"]), facts["length"])
    for (policy, name), record in last.items():
        item = items.get(name)
        if item is None:
            continue
        facts = record.get("plan") or {}
        found.setdefault(policy, []).append(
            {
                "policy": policy,
                "item": name,
                "domain": item.domain,
                "size": item.size,
                "verdict": _verdict(record, facts),
                "step": facts.get("step"),
                "met": facts.get("met", 0),
                "parts": facts.get("parts", 0),
                "length": facts.get("length", 0),
                "reference": references.get(name, 0),
                "shortest": shortest.get(name, 0),
                "numeric": item.is_numeric,
                "barred": item.barred,
                "cost": facts.get("metric_milli", 0) / 1000 if item.grounded.task.has_metric else 0,
                "best_cost": costs.get(name, 0),
            }
        )
    return found


def _verdict(record: Mapping[str, Any], facts: Mapping[str, int]) -> str:
    if record.get("generated") is not None and record["reason"] == NO_PLAN:
        return NO_PLAN
    return VERDICTS[facts.get("verdict", UNREADABLE)]


def references_of(items: Iterable[Item], records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The length of the best plan known of each problem: its own, or a valid one of a planner.

    Plans of language models are no references, so that none is measured by its own.
    """
    found = {item.name: len(item.plan) for item in items if item.plan}
    for name, facts in _planners_plans(records):
        found[name] = min(found.get(name, facts["length"]), facts["length"])
    return found


def costs_of(items: Iterable[Item], records: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The least metric among the plans known, of each problem that has a metric."""
    found, with_metric = {}, set()
    for item in items:
        if not item.grounded.task.has_metric:
            continue
        with_metric.add(item.name)
        if item.plan:
            moves = [move_text(item.grounded.actions[k]) for k in item.plan]
            found[item.name] = check_plan(item.grounded, moves).metric
    for name, facts in _planners_plans(records):
        if name in with_metric:
            cost = facts["metric_milli"] / 1000
            found[name] = min(found.get(name, cost), cost)
    return found


def _planners_plans(
    records: Iterable[Mapping[str, Any]],
) -> Iterator[tuple[str, Mapping[str, int]]]:
    """(problem, facts) of each valid plan of a planner."""
    for record in records:
        facts = record.get("plan") or {}
        is_planner = str(record["policy"]).startswith("planner:")
        if is_planner and record["item"] and facts.get("verdict") == VERDICTS.index("valid"):
            yield record["item"], facts
