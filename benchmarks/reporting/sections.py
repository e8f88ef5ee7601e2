"""Parts that the reports of whole games share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from stratagym.benchmarks.reporting.page import NOTHING, Page, Table, code, count

Summary = Mapping[str, Any]

RATINGS = (
    "**Bradley-Terry**: maximum likelihood on Elo's scale around 1000; every player counts one "
    "drawn game at 1000, so that ratings stay finite. **Elo**: the fixed point for K = 32, "
    "whatever the games' order. Where somebody won all games of a pairing, the distance is a lower "
    "bound that rests on that drawn game, and so is the interval's far end. Intervals of ratings "
    "are by profile likelihood, with the mean of all ratings held."
)
"""What a report says of the ratings in its tables."""


def cut_short(row: Mapping[str, Any]) -> str:
    """How many of a row's games were not played to the end, by how they ended; a dash for none."""
    cut = {how: n for how, n in row["endings"].items() if how != "terminal"}
    if row["transport_aborted"]:
        cut["transport"] = row["transport_aborted"]
    return ", ".join(f"{n} {how}" for how, n in cut.items()) or NOTHING


def rules_text(rules: Mapping[str, Any]) -> str:
    """Options of a game as ``name=value``, separated by commas."""
    return ", ".join(f"{name}={value}" for name, value in rules.items())


def counted_apart(used: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Headings and fields of the tokens that a server counted apart for at least one model."""
    fields = {"tokens reasoning": "tokens_reasoning", "tokens cached": "tokens_cached"}
    models = list(used)
    return {name: field for name, field in fields.items() if any(field in m for m in models)}


def model_table(summary: Summary) -> Table:
    """The answers of language models by kind."""
    kinds = ["ok", "unparseable", "illegal", "transport"]
    if any("overtime" in model["kinds"] for model in summary["models"].values()):
        kinds.append("overtime")
    apart = counted_apart(summary["models"].values())
    table = Table(["model", "answers", *kinds, "tokens in", "tokens out", *apart, "cost"])
    for name, model in summary["models"].items():
        cost = model["cost"]
        table.rows.append(
            [
                code(name),
                count(model["answers"]),
                *(count(model["kinds"].get(kind, 0)) for kind in kinds),
                count(model["tokens_in"]),
                count(model["tokens_out"]),
                *(NOTHING if n is None else count(n) for n in map(model.get, apart.values())),
                NOTHING if cost is None else f"{cost:.4f}",
            ]
        )
    return table


def add_models(page: Page, summary: Summary) -> None:
    """A section on the answers of language models, if there were any."""
    if not summary["models"]:
        return
    page.heading("Language models")
    page.table(model_table(summary))
    for name, model in summary["models"].items():
        if model["reasons"]:
            reasons = ", ".join(f"{reason} {n}" for reason, n in model["reasons"].items())
            page.text(f"{code(name)}, answers that were not played: {reasons}.")


def add_options(
    page: Page, rules: Mapping[str, str], config: Mapping[str, Any], names: Iterable[str]
) -> None:
    """A section with the options in force.

    Args:
        rules: text of a game's options by the heading of their row.
        names: the fields of ``config`` that are listed below them.
    """
    page.heading("Options in force")
    table = Table(["option", "value"], left=[1])
    table.rows += [[heading, said] for heading, said in rules.items()]
    table.rows += [[name, str(config[name])] for name in names]
    page.table(table)


def rules_by_players(config: Mapping[str, Any]) -> dict[str, str]:
    """``rules`` of ``add_options`` where they stand by number of players."""
    return {f"rules, {n} players": rules_text(rules) for n, rules in config["rules"].items()}
