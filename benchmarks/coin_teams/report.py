"""The report of the coin game in teams: returns, inference, what was taken."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.coin_teams.summary import bounds_of
from stratagym.benchmarks.replaying.album import end_report
from stratagym.benchmarks.reporting.own import add_words, marked, print_words
from stratagym.benchmarks.reporting.page import Page, RateCell, Table, code, count, mean_text
from stratagym.benchmarks.reporting.plots import COLOURS, drawing
from stratagym.benchmarks.reporting.sections import (
    cut_short,
    model_table,
)
from stratagym.envs import spec

Summary = Mapping[str, Any]


def _bounds(summary: Summary) -> tuple[float, float]:
    return bounds_of(spec("coin_game").make_rules(**summary["config"]["rules"]))


def return_table(summary: Summary) -> Table:
    """Returns with hidden goals and with all goals known, and the difference on the same starts."""
    ends = _bounds(summary)
    table = Table(["team of", "return", "all goals known", "inference gap", "games", "cut short"])
    for row in summary["teams"]:
        table.rows.append(
            [
                code(row["policy"]),
                RateCell(row["returns"], *ends),
                RateCell(row["told"], *ends),
                mean_text(row["gap"], sign="+"),
                count(row["games"]),
                cut_short(row),
            ]
        )
    return _marked(table, summary)


def _marked(table: Table, summary: Summary) -> Table:
    """A table with a row for each team, with what was not the policies' own."""
    return marked(table, [[row["policy"]] for row in summary["teams"]], summary["own"])


def process_table(summary: Summary) -> Table:
    """What a seat took in a game, and the shares of bad coins and wasted moves."""
    names = next((list(row["process"]) for row in summary["teams"] if row["process"]), [])
    table = Table(["team of", *(name.replace("_", " ") for name in names)])
    for row in summary["teams"]:
        cells = [RateCell(row["process"].get(name), strip=False) for name in names]
        table.rows.append([code(row["policy"]), *cells])
    return _marked(table, summary)


def draw_returns(folder: Path, summary: Summary) -> Path:
    """Mean returns with their intervals, and beside them those with all goals told."""
    rows = [row for row in summary["teams"] if row["returns"] is not None]
    with drawing(folder, "returns", 6.0, 1.2 + 0.4 * len(rows)) as figure:
        axes = figure.subplots()
        for kind, colour, shift, label in (
            ("returns", COLOURS[0], -0.12, "goals hidden"),
            ("told", COLOURS[1], 0.12, "all goals known"),
        ):
            shown = [(k, row[kind]) for k, row in enumerate(rows) if row[kind] is not None]
            if not shown:
                continue
            means = [rate["value"] for _, rate in shown]
            sides = [
                [abs((rate[end] if rate[end] is not None else rate["value"]) - rate["value"])
                 for _, rate in shown]
                for end in ("low", "high")
            ]  # fmt: skip
            places = [k + shift for k, _ in shown]
            axes.errorbar(
                means, places, xerr=sides, fmt="o", color=colour, markersize=5, capsize=2.5,
                label=label,
            )  # fmt: skip
        axes.set_yticks(range(len(rows)), [row["policy"] for row in rows])
        axes.set_ylim(max(1, len(rows)) - 0.5, -0.5)
        axes.set_xlabel("mean return")
        axes.grid(axis="x")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
    return folder / "returns.png"


def write(folder: Path, summary: Summary) -> None:
    """Write the figure, ``report.md`` and ``report.html``."""
    config = summary["config"]
    low, high = _bounds(summary)
    page = Page(
        "Coin game in teams",
        f"Every policy sits in all seats and plays the same starts. Returns go from {low:g} to "
        f"{high:g}; intervals are 95%, over starts; the mark on a strip is random play.",
    )
    page.figures_in_brief(
        [
            (count(summary["games"]), "games"),
            (str(len(config["named"])), "policies"),
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
    table = Table(["team of", "return", "all goals known", "inference gap", "games"])
    for row in summary["teams"]:
        rates = [mean_text(row[name], 1) for name in ("returns", "told")]
        gap = mean_text(row["gap"], 1, sign="+")
        table.rows.append([code(row["policy"]), *rates, gap, count(row["games"])])
    console.print(_marked(table, summary).rich("Coin game, returns of teams"))
    print_words(console, ("", summary["own"]))
    console.print(process_table(summary).rich("What a seat took in a game"))
    if summary["models"]:
        console.print(model_table(summary).rich("Language models"))
