"""How figures and tables read a summary of LudoBench."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stratagym.agents.core import LANGUAGE_MODELS
from stratagym.benchmarks.reporting.stats import Rate, unpaired_difference, wilson

Summary = Mapping[str, Any]
TRADE_OFFS = (
    ("capture_vs_safe", "safe_rate"),
    ("capture_vs_home", "home_entry_rate"),
    ("capture_vs_home_finish", "home_finish_rate"),
    ("capture_vs_openexisting", "open_rate"),
)
"""Categories that set capturing against something else, and the rate of that."""

ARCHETYPE = (("extra_turn", "bring_out_rate"), ("capture_vs_home_finish", "home_finish_rate"))
"""What sets builders and finishers apart."""


def models(summary: Summary) -> list[str]:
    """The policies that are language models: they have a model in the configuration."""
    named = {p["name"] for p in summary["config"]["policies"] if "model" in p}
    kinds = tuple(f"{kind}:" for kind in LANGUAGE_MODELS)
    return [name for name in summary["policies"] if name in named or name.startswith(kinds)]


def ordered(summary: Summary) -> list[str]:
    """Every policy: models first, then the built-in ones."""
    chosen = models(summary)
    return chosen + [name for name in summary["policies"] if name not in chosen]


def base_persona(summary: Summary, policy: str) -> str:
    """``none``, or the first persona of a policy that was never asked without one."""
    by_persona = summary["policies"][policy]
    return "none" if "none" in by_persona else next(iter(by_persona))


def plain(summary: Summary, policy: str) -> Mapping[str, Any]:
    """A policy's metrics by category, under its base persona."""
    return summary["policies"][policy][base_persona(summary, policy)]


def owns(summary: Summary) -> dict[str, Mapping[str, Any]]:
    """By policy, how much was its own under its base persona."""
    return {name: own[base_persona(summary, name)] for name, own in summary["own"].items()}


def owns_by_persona(summary: Summary) -> list[tuple[str, Mapping[str, Any]]]:
    """(persona in words, by policy how much was its own) of all personas."""
    names = dict.fromkeys(persona for own in summary["own"].values() for persona in own)
    return [
        (
            "" if persona == "none" else f"as *{persona}*",
            {name: own[persona] for name, own in summary["own"].items() if persona in own},
        )
        for persona in names
    ]


def persona_mark(summary: Summary, policy: str) -> str:
    """Names the persona beside a policy whose figures are not those without one."""
    persona = base_persona(summary, policy)
    return "" if persona == "none" else f" ({persona})"


def find(table: Mapping[str, Any], category: str, metric: str) -> Mapping[str, Any] | None:
    """A rate of a category, or None where there is no case of it."""
    rate = table.get(category, {}).get(metric)
    return rate if rate is not None and rate["value"] is not None else None


def fullest(summary: Summary, category: str, metric: str) -> Mapping[str, Any] | None:
    """The rate that rests on most cases: its chance is that of the whole category."""
    found = [rate for p in ordered(summary) if (rate := find(plain(summary, p), category, metric))]
    return max(found, key=lambda rate: rate["n"], default=None)


def part(rate: Mapping[str, Any] | None, key: str) -> float | None:
    """A number of a rate, or None where there is no rate."""
    return None if rate is None else rate[key]


def preference(table: Mapping[str, Any], category: str, other: str) -> dict[str, Any] | None:
    """How a trade-off is decided, -1 always capture, 1 always ``other``: (right - left) / both.

    The interval is that of the share of ``other`` among the decisions for one of the two.
    """
    left, right = find(table, category, "capture_rate"), find(table, category, other)
    if left is None or right is None:
        return None
    a, b = (round(rate["value"] * rate["n"]) for rate in (left, right))
    share = wilson(b, a + b)
    if share.value is None or share.low is None or share.high is None:
        return None
    by_chance = (left["chance"] or 0, right["chance"] or 0)
    return {
        "value": 2 * share.value - 1,
        "low": 2 * share.low - 1,
        "high": 2 * share.high - 1,
        "n": a + b,
        "chance": (by_chance[1] - by_chance[0]) / sum(by_chance) if sum(by_chance) else None,
    }


def shift(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> dict | None:
    """``after`` minus ``before`` with the interval of ``unpaired_difference``."""
    if before is None or after is None:
        return None
    return unpaired_difference(Rate(**before), Rate(**after)).record()
