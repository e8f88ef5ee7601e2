"""Parts that the reports of whole games share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console

from stratagym.benchmarks.reporting.games import Games
from stratagym.benchmarks.reporting.own import print_words
from stratagym.benchmarks.reporting.page import NOTHING, Page, Table, code, count

Summary = Mapping[str, Any]

RATINGS = (
    "**Bradley-Terry**: maximum likelihood ratings on Elo's scale around 1000; one drawn game "
    "against a player rated 1000 is added for every player, so that ratings stay finite. **Elo**: "
    "ratings by which nobody's would be expected to change if the games were played again "
    "(K = 32); the order of the games does not matter. If one player won all games of a pairing, "
    "the true distance between the two ratings can be larger than shown, because only the added "
    "drawn games limit it; the same holds for that end of the interval. Intervals of ratings are "
    "by profile likelihood, with the mean of all ratings fixed."
)
"""What a report says of the ratings in its tables."""


def repeated(a: str, b: str, found: Mapping[str, int]) -> str:
    """The remark on two players whose games repeat each other.

    Args:
        found: ``repeats`` of a summary: how many rounds are different, and were played.
    """
    return (
        f"Of {code(a)} against {code(b)}, only {found['different']} of {found['rounds']} rounds "
        "(the games of one seed) are different, because both players leave little to chance. "
        "Rounds that repeat each other count once in intervals and ratings."
    )


def cut_short(row: Mapping[str, Any], ends: Collection[str] = ("terminal",)) -> str:
    """How many of a row's games were not played to the end, by how they ended; a dash for none.

    Args:
        ends: how a game ends that was played to the end.
    """
    cut = {how: n for how, n in row["endings"].items() if how not in ends}
    if row["transport_aborted"]:
        cut["transport"] = row["transport_aborted"]
    return ", ".join(f"{n} {how}" for how, n in cut.items()) or NOTHING


def counted_apart(used: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Headings and fields of the tokens that a server counted apart for at least one model."""
    fields = {"tokens reasoning": "tokens_reasoning", "tokens cached": "tokens_cached"}
    models = list(used)
    return {name: field for name, field in fields.items() if any(field in m for m in models)}


def model_table(summary: Summary) -> Table:
    """The answers of language models by kind, and what they cost: tokens, seconds, money."""
    kinds = ["ok", "unparseable", "illegal", "transport"]
    if any("overtime" in model["kinds"] for model in summary["models"].values()):
        kinds.append("overtime")
    apart = counted_apart(summary["models"].values())
    columns = ["model", "answers", *kinds, "truncated", "tokens in", "tokens out", *apart]
    table = Table([*columns, "median latency", "cost"])
    for name, model in summary["models"].items():
        cost = model["cost"]
        table.rows.append(
            [
                code(name),
                count(model["answers"]),
                *(count(model["kinds"].get(kind, 0)) for kind in kinds),
                count(model.get("reasons", {}).get("truncated", 0)),
                count(model["tokens_in"]),
                count(model["tokens_out"]),
                *(NOTHING if n is None else count(n) for n in map(model.get, apart.values())),
                seconds_text(model["median_latency_s"]),
                cost_text(cost),
            ]
        )
    return table


def print_end(console: Console, summary: Summary) -> None:
    """The end of what a script prints: whose play was not its own, and what models answered."""
    print_words(console, ("", summary["own"]))
    if summary["models"]:
        console.print(model_table(summary).rich("Language models"))


def seconds_text(seconds: float | None) -> str:
    """``0.25 s``; a dash where nothing was measured."""
    return NOTHING if seconds is None else f"{seconds:.2f} s"


def cost_text(cost: float | None) -> str:
    """What answers cost at the prices given; a dash without prices."""
    return NOTHING if cost is None else f"{cost:.4f}"


def add_models(page: Page, summary: Summary) -> None:
    """A section on the answers of language models, if there were any."""
    if not summary["models"]:
        return
    page.heading("Language models")
    page.table(model_table(summary))
    for name, model in summary["models"].items():
        if model["reasons"]:
            reasons = ", ".join(f"{reason} {n}" for reason, n in model["reasons"].items())
            page.text(f"Answers of {code(name)} that were not played, by reason: {reasons}.")
    add_failures(page, summary)


def add_failures(page: Page, summary: Summary) -> None:
    """What servers said where no answer came, if there was such a thing."""
    for name, model in summary["models"].items():
        if model.get("failures"):
            said = "; ".join(f"{n} times {code(words)}" for words, n in model["failures"].items())
            page.text(f"Requests of {code(name)} that came to no answer: {said}.")


LABELS = {
    "again": "ask again after an illegal answer",
    "chance": "policies added for the chance level",
    "ask_forced": "ask even if only one move is legal",
    "forfeit": "after a forfeit, in games of more than two sides",
    "invalid": "after the last bad answer",
    "list_legal": "legal moves in prompts",
    "named": "policies in this order",
    "renamed": "made-up names in prompts",
    "text": "prompts",
    "time_limit_s": "seconds for a move, all answers together",
    "told": "games with all goals known",
    "tries": "most answers for one move",
    "tries_on_violation": "most answers for a plan over budget",
}
"""Options whose names do not explain themselves."""
MODEL_OPTIONS = {
    "model": "model", "base_url": "address", "temperature": "temperature",
    "max_tokens": "token limit of a reply", "top_p": "top p", "top_k": "top k", "seed": "seed",
    "reasoning_effort": "reasoning effort", "thinking_budget": "thinking budget",
    "extra_body": "other fields of requests", "timeout_s": "seconds to wait", "retries": "retries",
    "client": "client",
}  # fmt: skip
"""The settings of a model that are shown; only these, so that no key is ever shown."""
LONGEST = 60
"""Most characters of an option's text that are shown, such as the text of a prompt file."""


def add_run(
    page: Page,
    config: Mapping[str, Any],
    rows: Sequence[tuple[str, str]] | None = None,
) -> None:
    """The foot of a report: how to repeat the run, and every option in force in words.

    Args:
        rows: (option, value) pairs that replace those of the configuration.
    """
    begun = config.get("begun")
    page.heading("The run")
    page.text(
        "The run began with a version of stratagym that recorded neither the day nor the command."
        if begun is None
        else f"The run began on {begun['date']} with stratagym {begun['version']}."
    )
    table = Table(["option", "value"], left=[1])
    table.rows += [list(row) for row in [*_policy_rows(config), *(rows or option_rows(config))]]
    table.games = [Games()] * len(table.rows)  # an option's value leads to no games
    page.table(table)
    if begun is not None:
        page.text("To repeat the run (keys of models are read from the environment):")
        page.listing(begun["command"])


def _policy_rows(config: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows = []
    for policy in config.get("policies", ()):
        policy = {"name": policy} if isinstance(policy, str) else policy
        own = {**policy, **config.get("connections", {}).get(policy["name"], {})}
        said = ", ".join(
            f"{word} {code(own[name]) if name in ('model', 'base_url') else in_words(own[name])}"
            for name, word in MODEL_OPTIONS.items()
            if own.get(name) is not None
        )
        rows.append(("policy", code(policy["name"]) + (f": {said}" if said else "")))
    return rows


def option_rows(config: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(option, value) of all of a configuration but its policies, in words."""
    rows = []
    for name, value in config.items():
        if name in ("schema", "benchmark", "policies", "connections", "begun"):
            continue
        nested = isinstance(value, Mapping) and any(isinstance(x, Mapping) for x in value.values())
        parts = value.items() if nested else [("", value)]
        label = LABELS.get(name, name.replace("_", " "))
        rows += [(f"{label}, {part}" if part else label, in_words(own)) for part, own in parts]
    return rows


def in_words(value: Any) -> str:
    """A value of a configuration: ``yes``, ``none``, ``a, b``, ``stacking=blocks, home=exact``."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ({}, []):
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(
            f"{LABELS[k]}: {in_words(v)}" if k in LABELS else f"{k}={in_words(v)}"
            for k, v in value.items()
        )
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(in_words(each) for each in value)
    text = f"{value:g}" if isinstance(value, float) else str(value)
    if not text:
        return "default"
    if len(text) > LONGEST or "\n" in text:
        return f"{len(text):,} characters, from {code(text.strip()[:LONGEST])}"
    return text
