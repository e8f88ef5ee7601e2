"""The decisions of a run of ``ludo_spots``: which are asked for, and what is made of them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from statistics import median
from typing import Any

from stratagym.agents.core import Policy
from stratagym.agents.kernel_policies import KernelPolicy
from stratagym.benchmarks.harness import pairings, records, spots
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.errors import InputError
from stratagym.benchmarks.harness.own_play import own_of
from stratagym.benchmarks.harness.policies import tokens_apart
from stratagym.benchmarks.ludo_spots import metrics
from stratagym.envs.text import OK


def digest(chosen: list[spots.Spot]) -> str:
    """SHA-256 of the spots, by which a resumed run knows that they are the same."""
    text = json.dumps([spot.record() for spot in chosen])
    return hashlib.sha256(text.encode()).hexdigest()


def recorded(decisions: Path, retry_transport: bool) -> set[tuple[str, str, str]]:
    """(policy, persona, item) of the decisions recorded already."""
    return {
        (record["policy"], record["persona"], record["item"])
        for record in records.read_decisions(decisions.parent)
        if not (retry_transport and record["kind"] == TRANSPORT)
    }


def summarise(
    decisions: Path,
    chosen: list[spots.Spot],
    invalid: list[spots.Invalid],
    policies: list[Policy],
    config: dict[str, Any],
    reference: KernelPolicy,
    head_to_head: int,
) -> dict[str, Any]:
    """The content of ``summary.json``, from the records on disk.

    Args:
        reference: whose choices the agreement rates compare with.
        head_to_head: games of each pair of built-in policies.
    """
    as_published = config["as_published"]
    rules_options = spots.AS_PUBLISHED_RULES if as_published else {}
    facts = metrics.find_facts(chosen, reference, rules_options, as_published=as_published)
    taken: list[dict[str, Any]] = [*map(dict, records.read_decisions(decisions.parent))]
    for record in taken:
        fact = facts.get(record["item"])
        if fact and record["kind"] == OK and record["chosen"] not in fact.legal:
            raise InputError(
                f"{decisions}: {record['item']}, {record['policy']}: {record['chosen']} is no "
                "legal move there: the file was changed; start a new run"
            )
    tables = metrics.summarise(facts, taken)
    return {
        "config": config,
        "reference": reference.name,
        "boards": len({spot.pair for spot in chosen}),
        "categories": {
            category: sum(spot.category == category for spot in chosen)
            for category in spots.CATEGORIES
            if any(spot.category == category for spot in chosen)
        },
        "invalid_entries": [str(entry) for entry in invalid],
        "own": {
            policy: {persona: _own(policy, persona, taken) for persona in by_persona}
            for policy, by_persona in tables.items()
        },
        "policies": metrics.as_records(tables),
        "persona_alignment": {
            policy: metrics.persona_alignment(by_persona)
            for policy, by_persona in tables.items()
            if len(by_persona) > 1
        },
        "usage": {policy: _usage(policy, taken) for policy in tables},
        "head_to_head": pairings.head_to_head(
            [policy for policy in policies if isinstance(policy, KernelPolicy)],
            spots.GAME.make_rules(players=2, **rules_options),
            head_to_head,
            config["seed"],
        ),
    }


def _own(policy: str, persona: str, taken: list[dict[str, Any]]) -> dict[str, Any]:
    """How many of a policy's decisions as a persona were its own."""
    asked = (policy, persona)
    return own_of(r for r in taken if (r["policy"], r["persona"]) == asked).record()


def _usage(policy: str, taken: list[dict[str, Any]]) -> dict[str, Any]:
    """Tokens, time and money of a policy's decisions; None where nothing was counted."""
    own = [record for record in taken if record["policy"] == policy]

    def total(values: list[Any]) -> Any:
        known = [value for value in values if value is not None]
        return sum(known) if known else None

    latencies = [r["latency_s"] for r in own if r["latency_s"] is not None]
    return {
        "decisions": len(own),
        "tokens_in": total([r["tokens_in"] for r in own]),
        "tokens_out": total([r["tokens_out"] for r in own]),
        **tokens_apart(own),
        "retries": total([r["retries"] for r in own]),
        "truncated": sum(r["reason"] == "truncated" for r in own),
        "median_latency_s": median(latencies) if latencies else None,
        "cost": total([r["cost"] for r in own]),
    }
