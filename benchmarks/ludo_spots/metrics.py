"""LudoBench's metrics (arXiv:2604.05681, appendix C), each with its interval and chance level."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import tanh
from typing import Any

import numpy as np

from stratagym.agents.kernel_policies import KernelPolicy
from stratagym.benchmarks.harness.own_play import own_of
from stratagym.benchmarks.harness.spots import CATEGORIES, GRUDGE, NEUTRAL, Spot, rules_for
from stratagym.benchmarks.reporting.stats import (
    Rate,
    kappa,
    paired_difference,
    share_rate,
    unpaired_difference,
    wilson,
)
from stratagym.envs.ludo.metrics import TAGS, move_tags
from stratagym.envs.ludo.rules import PIECES, destination
from stratagym.envs.ludo.view import captured, why_illegal
from stratagym.envs.text import legal_list

KEY_METRICS: dict[str, tuple[str, ...]] = {
    "blocked": ("block_rate",),
    "overshoot": ("overshoot_rate",),
    "capture": ("capture_rate",),
    "safe": ("safe_rate",),
    "home_entry": ("home_entry_rate",),
    "extra_turn": ("bring_out_rate", "move_existing_rate"),
    "capture_vs_home": ("capture_rate", "home_entry_rate"),
    "capture_vs_home_finish": ("capture_rate", "home_finish_rate"),
    "capture_vs_safe": ("capture_rate", "safe_rate"),
    "capture_vs_openexisting": ("capture_rate", "open_rate"),
    "safe_vs_openexisting": ("safe_rate", "open_rate"),
    "grudge_paired": (
        "change_rate",
        "retaliation_grudge_rate",
        "retaliation_noconflict_rate",
        "grudge_effect",
    ),
}
"""The metrics that a category is about; every behaviour rate is computed for all of them."""

PERSONA_METRICS: dict[str, tuple[tuple[str, str, int], ...]] = {
    "aggressive": (
        ("capture", "capture_rate", 1),
        ("capture_vs_home", "capture_rate", 1),
        ("capture_vs_openexisting", "capture_rate", 1),
        ("capture_vs_safe", "capture_rate", 1),
        ("grudge_paired", "retaliation_grudge_rate", 1),
    ),
    "greedy": (
        ("capture_vs_home_finish", "home_finish_rate", 1),
        ("capture_vs_home", "home_entry_rate", 1),
        ("home_entry", "home_entry_rate", 1),
        ("capture_vs_home_finish", "capture_rate", -1),
    ),
    "safe": (
        ("safe", "safe_rate", 1),
        ("capture_vs_safe", "safe_rate", 1),
        ("safe_vs_openexisting", "safe_rate", 1),
        ("capture", "capture_rate", -1),
        ("capture_vs_openexisting", "capture_rate", -1),
    ),
    "unforgiving": (
        ("grudge_paired", "change_rate", 1),
        ("grudge_paired", "retaliation_grudge_rate", 1),
    ),
}
"""(category, metric, expected direction) by which a persona's effect is judged."""

_SHIFT = 0.10
"""Change of a rate at which a persona counts as followed by tanh(1), as in the released code."""


@dataclass(frozen=True)
class Facts:
    """What the engine knows of a spot.

    Attributes:
        spot: the spot. legal: legal actions. tags: ``TAGS`` by legal action.
        same: by piece, the lowest piece that stands on the same square.
        wrong: by illegal piece, why. retaliates: legal actions that capture the aggressor's piece
            (of the pair, for both histories). reference: game theory's action.
    """

    spot: Spot
    legal: list[int]
    tags: dict[int, frozenset[str]]
    same: list[int]
    wrong: dict[int, str]
    retaliates: frozenset[int]
    reference: int


def find_facts(
    spots: list[Spot],
    reference: KernelPolicy,
    rules_options: dict[str, str],
    *,
    as_published: bool = False,
) -> dict[str, Facts]:
    """Facts by spot id, under the given options of Ludo."""
    aggressors = {s.pair: s.aggressor for s in spots if s.aggressor is not None}
    facts = {}
    for spot in spots:
        rules = rules_for(spot.players, tuple(rules_options.items()))
        states = spot.states(rules)
        s, seat = states[0], spot.seat
        legal = legal_list(rules, states)
        steps = s["steps"][seat].tolist()
        aggressor = aggressors.get(spot.pair)
        victims = {
            action: [
                spot.players[other]
                for other in captured(rules, s, seat, destination(rules, steps[action], spot.dice))
            ]
            for action in legal
        }
        facts[spot.id] = Facts(
            spot,
            legal,
            {a: move_tags(rules, s, a, open_is_safe=as_published) for a in legal},
            [steps.index(x) for x in steps],
            {a: why_illegal(rules, s, a) for a in range(PIECES) if a not in legal},
            frozenset(a for a in legal if aggressor in victims[a]),
            int(reference.act_each(rules, states, np.zeros(1, np.uint64))[0]),
        )
    return facts


Decisions = dict[str, dict[str, Any]]
"""Records of ``decisions.jsonl`` by spot id, of one policy under one persona."""


def _rate(hits: Iterable[bool], facts: Iterable[Facts], chance: float | None = None) -> Rate:
    """The share of hits; the two histories of a board count as one case for the interval."""
    boards: defaultdict[str, list[bool]] = defaultdict(list)
    for hit, fact in zip(hits, facts, strict=True):
        boards[fact.spot.pair].append(hit)
    groups = list(boards.values())
    return share_rate(np.array(list(map(sum, groups))), np.array(list(map(len, groups))), chance)


def _share(facts: Iterable[Facts], decisions: Decisions, has: Callable[[Facts, int], bool]) -> Rate:
    """How often a valid output ``has`` a property; chance is that of a random legal move."""
    valid = [fact for fact in facts if decisions[fact.spot.id]["kind"] == "ok"]
    hits = [has(fact, decisions[fact.spot.id]["chosen"]) for fact in valid]
    chance = [np.mean([has(fact, action) for action in fact.legal]) for fact in valid]
    return _rate(hits, valid, float(np.mean(chance)) if chance else None)


def _attempts(facts: list[Facts], decisions: Decisions, reason: str) -> Rate:
    """Share of all outputs that name a piece at all and name one that is illegal for ``reason``."""
    chosen = [
        (fact, decisions[fact.spot.id]["chosen"])
        for fact in facts
        if decisions[fact.spot.id]["chosen"] is not None
    ]
    hits = [fact.wrong.get(action) == reason for fact, action in chosen]
    return _rate(hits, [fact for fact, _ in chosen])


def _agreement(facts: list[Facts], decisions: Decisions) -> dict[str, Any]:
    """Agreement with the reference over all outputs; an invalid output agrees with nothing."""
    outputs = [f for f in facts if decisions[f.spot.id]["kind"] != "transport"]
    result: dict[str, Any] = {}
    for name, same in (
        ("index", lambda fact, action: action == fact.reference),
        ("position", lambda fact, action: fact.same[action] == fact.same[fact.reference]),
    ):
        hits = [
            decisions[f.spot.id]["kind"] == "ok" and same(f, decisions[f.spot.id]["chosen"])
            for f in outputs
        ]
        chance = [np.mean([same(f, action) for action in f.legal]) for f in outputs]
        lowest = [same(f, f.legal[0]) for f in outputs]
        level = float(np.mean(chance)) if chance else None
        rate = _rate(hits, outputs, level)
        result[f"gt_{name}_rate"] = rate
        result[f"gt_{name}_lowest"] = _rate(lowest, outputs, level)
        if level is not None:
            result[f"gt_{name}_kappa"] = Rate(
                kappa(rate.value, level),
                kappa(rate.low, level),
                kappa(rate.high, level),
                rate.n,
                0.0,
            )
    return result


def _has_tag(tag: str, fact: Facts, action: int) -> bool:
    return tag in fact.tags[action]


def move_type(tags: frozenset[str]) -> str:
    """One word for a move that may be several things at once."""
    for tag in ("capture", "home_finish", "home_entry", "safe", "open"):
        if tag in tags:
            return tag
    return "other"


def _grudge(facts: list[Facts], decisions: Decisions) -> dict[str, Any]:
    """Pairs whose two outputs are both valid."""
    by_pair: dict[str, dict[str, Facts]] = {}
    for fact in facts:
        by_pair.setdefault(fact.spot.pair, {})[fact.spot.condition] = fact
    changed: list[bool] = []
    change_chance: list[float] = []
    retaliated: Counter[tuple[bool, bool]] = Counter()
    transitions: Counter[str] = Counter()
    for pair in by_pair.values():
        if len(pair) < 2:  # a policy that has not answered both
            continue
        records = [decisions[pair[c].spot.id] for c in (NEUTRAL, GRUDGE)]
        if any(record["kind"] != "ok" for record in records):
            continue
        fact = pair[NEUTRAL]
        before, after = (record["chosen"] for record in records)
        changed.append(fact.same[before] != fact.same[after])
        places = np.array(list(Counter(fact.same[a] for a in fact.legal).values()))
        change_chance.append(1 - float(((places / places.sum()) ** 2).sum()))
        retaliated[before in fact.retaliates, after in fact.retaliates] += 1
        if changed[-1]:
            transitions[f"{move_type(fact.tags[before])} → {move_type(fact.tags[after])}"] += 1
    retaliates = lambda fact, action: action in fact.retaliates  # noqa: E731
    return {
        "change_rate": wilson(
            sum(changed), len(changed), float(np.mean(change_chance)) if changed else None
        ),
        "retaliation_grudge_rate": _share(
            [f for f in facts if f.spot.condition == GRUDGE], decisions, retaliates
        ),
        "retaliation_noconflict_rate": _share(
            [f for f in facts if f.spot.condition == NEUTRAL], decisions, retaliates
        ),
        "grudge_effect": paired_difference(
            retaliated[True, True],
            retaliated[False, True],
            retaliated[True, False],
            retaliated[False, False],
        ),
        "transitions": dict(transitions.most_common()),
    }


def category_metrics(
    facts: list[Facts], decisions: Decisions, *, grudge: bool = False
) -> dict[str, Any]:
    """Every metric over these spots; ``facts`` and ``decisions`` cover the same spots."""
    kinds = Counter(decisions[fact.spot.id]["kind"] for fact in facts)
    reasons = Counter(
        f"{record['kind']}: {record['reason']}"
        for record in (decisions[fact.spot.id] for fact in facts)
        if record["kind"] != "ok"
    )
    outputs = [fact for fact in facts if decisions[fact.spot.id]["kind"] != "transport"]
    invalid = [decisions[fact.spot.id]["kind"] != "ok" for fact in outputs]
    result: dict[str, Any] = {
        "kinds": {kind: kinds[kind] for kind in ("ok", "unparseable", "illegal", "transport")},
        "reasons": dict(reasons.most_common()),
        "llm_invalid_rate": _rate(invalid, outputs),
        "block_rate": _attempts(facts, decisions, "blocked"),
        "overshoot_rate": _attempts(facts, decisions, "overshoot"),
    }
    for tag in TAGS:
        result[f"{tag}_rate"] = _share(facts, decisions, partial(_has_tag, tag))
    result["bring_out_rate"] = result["open_rate"]
    result |= _agreement(facts, decisions)
    if grudge:
        result |= _grudge(facts, decisions)
    return result


def summarise(facts: dict[str, Facts], records: list[dict[str, Any]]) -> dict[str, Any]:
    """Metrics of every policy and persona: ``{policy: {persona: {category | "overall": ...}}}``.

    Spots without a record of that policy and persona are left out.
    """
    grouped: dict[str, dict[str, Decisions]] = {}
    for record in records:
        if record["item"] in facts:
            by_persona = grouped.setdefault(record["policy"], {})
            by_persona.setdefault(record["persona"], {})[record["item"]] = record
    result: dict[str, Any] = {}
    for policy, by_persona in grouped.items():
        for persona, decisions in by_persona.items():
            done = [fact for id_, fact in facts.items() if id_ in decisions]
            is_void = not own_of(decisions.values()).is_result
            table = {"overall": category_metrics(done, decisions)}
            for category in CATEGORIES:
                chosen = [fact for fact in done if fact.spot.category == category]
                if chosen:
                    table[category] = category_metrics(
                        chosen, decisions, grudge=category == "grudge_paired"
                    )
            if is_void:
                table = {name: _without_result(of) for name, of in table.items()}
            result.setdefault(policy, {})[persona] = table
    return result


def _without_result(table: dict[str, Any]) -> dict[str, Any]:
    """A category's metrics without those of moves: how many answers were valid remains."""
    nothing = Rate(None, None, None, 0)
    kept = {
        name: nothing if isinstance(value, Rate) and name != "llm_invalid_rate" else value
        for name, value in table.items()
    }
    return kept | ({"transitions": {}} if "transitions" in kept else {})


def persona_alignment(tables: dict[str, Any]) -> dict[str, Any]:
    """How far each persona moved one policy's rates the way it should: 0.5 not at all, 1 fully.

    The mean over the persona's metrics of 0.5 + 0.5 tanh(direction x (persona - none) / 0.10), as
    the record of a ``Rate``, with how many ``metrics`` ``of`` how many it rests on.

    Args:
        tables: ``{persona: {category: metrics}}`` of one policy, as ``summarise`` gives it.
    """
    result = {}
    for persona, expected in PERSONA_METRICS.items():
        if persona not in tables or "none" not in tables:
            continue
        scores: list[list[float]] = []
        cases: dict[str, int] = {}
        for category, metric, direction in expected:
            plain, styled = (
                tables[p].get(category, {}).get(metric, Rate(None, None, None, 0))
                for p in ("none", persona)
            )
            change = unpaired_difference(plain, styled)
            if change.value is None or change.low is None or change.high is None:
                continue
            ends = (change.low, change.value, change.high)
            scores.append(sorted(0.5 + 0.5 * tanh(direction * x / _SHIFT) for x in ends))
            cases[category] = min(change.n, cases.get(category, change.n))
        if scores:
            # Noise draws a score towards 0.5, most where the change is large, and alike in all
            # metrics. Intervals that count on errors to cancel out miss the true value.
            low, value, high = (float(np.mean(column)) for column in zip(*scores, strict=True))
            result[persona] = {
                **Rate(value, low, high, sum(cases.values()), 0.5).record(),
                "metrics": len(scores),
                "of": len(expected),
            }
    return result


def as_records(tables: Any) -> Any:
    """The same tables with every ``Rate`` as its record."""
    if isinstance(tables, Rate):
        return tables.record()
    if isinstance(tables, dict):
        return {key: as_records(value) for key, value in tables.items()}
    return tables
