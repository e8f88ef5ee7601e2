"""The report of the coin game in teams: returns, inference, what was taken."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.coin_teams.summary import bounds_of
from stratagym.benchmarks.replaying.album import end_report
from stratagym.benchmarks.reporting.columns import (
    Columns,
    mean,
    named,
    rate,
    rates,
    table_of,
    total,
)
from stratagym.benchmarks.reporting.own import add_words, print_words
from stratagym.benchmarks.reporting.page import Page, Table, number_of
from stratagym.benchmarks.reporting.plots import draw_means
from stratagym.benchmarks.reporting.sections import cut_short, model_table
from stratagym.envs import spec

Summary = Mapping[str, Any]


def _bounds(summary: Summary) -> tuple[float, float]:
    return bounds_of(spec("coin_game").make_rules(**summary["config"]["rules"]))


def return_table(summary: Summary) -> Table:
    """Returns with hidden goals and with all goals known, and the difference on the same starts."""
    ends = _bounds(summary)
    columns: Columns = {
        "team of": named(),
        "return": rate("returns", *ends),
        "all goals known": rate("told", *ends),
        "inference gap": mean("gap", sign="+"),
        "games": total(),
        "cut short": cut_short,
    }
    return table_of(summary["teams"], columns, summary["own"])


SHORT: Columns = {
    "team of": named(),
    "return": mean("returns", 1),
    "all goals known": mean("told", 1),
    "inference gap": mean("gap", 1, "+"),
    "games": total(),
}
"""What a screen has room for."""


def process_table(summary: Summary) -> Table:
    """What a seat took in a game, and the shares of bad coins and wasted moves."""
    names = next((list(row["process"]) for row in summary["teams"] if row["process"]), [])
    return table_of(
        summary["teams"], {"team of": named(), **rates(names, "process")}, summary["own"]
    )


def draw_returns(folder: Path, summary: Summary) -> Path:
    """Mean returns with their intervals, and beside them those with all goals told."""
    rows = [row for row in summary["teams"] if row["returns"] is not None]
    kinds = {"goals hidden": "returns", "all goals known": "told"}
    return draw_means(
        folder, "returns", [row["policy"] for row in rows],
        {kind: [row[name] for row in rows] for kind, name in kinds.items()}, "mean return",
    )  # fmt: skip


def write(folder: Path, summary: Summary) -> None:
    """Write the figure, ``report.md`` and ``report.html``."""
    config = summary["config"]
    low, high = _bounds(summary)
    page = Page(
        "Coin game in teams",
        f"Every policy sits in all seats and plays the same starts. Returns go from {low:g} to "
        f"{high:g}; intervals are 95%, over starts; the mark on a strip (in report.html) is "
        "random play.",
    )
    page.figures_in_brief(
        [
            number_of(summary["games"], "game"),
            number_of(len(config["named"]), "policy", "policies"),
        ]
    )
    page.figure(
        draw_returns(folder, summary), "Mean returns and 95% intervals.", "Mean returns by policy"
    )
    page.table(return_table(summary), "Returns")
    page.table(process_table(summary), "Coins that a seat took per game, and wasted moves")
    add_words(page, ("", summary["own"]))
    end_report(page, folder, summary, WORDS)


WORDS = (
    "**return**: mean of the seats' returns; with two players they are equal. A forfeit is 0.",
    "**all goals known**: the same starts, with every seat told the goals of all seats.",
    "**inference gap**: return with all goals known minus return with hidden goals, start by "
    "start: what a policy would gain if it knew the others' goals. A policy that ignores them has "
    "0.",
    "**own, others, neither coins**: coins that a seat took in a game, of its own goal, of another "
    "seat's goal and of nobody's goal. **neither share**: share of the coins taken that are of "
    "nobody's goal.",
    "**wasted**: share of the moves that stood still or ran into the border or a player.",
)


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    returns = table_of(summary["teams"], SHORT, summary["own"])
    console.print(returns.rich("Coin game, returns of teams"))
    print_words(console, ("", summary["own"]))
    console.print(process_table(summary).rich("What a seat took in a game"))
    if summary["models"]:
        console.print(model_table(summary).rich("Language models"))
