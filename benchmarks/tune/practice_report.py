"""What is told of a practice: mean returns before and after, and the curve."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.reporting.page import Page, RateCell, Table, code, count, mean_text
from stratagym.benchmarks.reporting.plots import COLOURS, drawing
from stratagym.benchmarks.reporting.sections import add_run
from stratagym.envs import spec

Summary = Mapping[str, Any]
CURVE = "practice_curve"


def result_table(summary: Summary) -> Table:
    """Mean returns before and after, and the gain."""
    table = Table(["", "mean return", "games"])
    for name in ("before", "after", "gain"):
        rate = summary[name]
        table.rows.append([name, RateCell(rate, strip=False), count(rate["n"])])
    return table


def brief(summary: Summary) -> str:
    practice = summary["config"]["practice"]
    games = sum(line["games"] for line in summary["curve"])
    return (
        f"{practice['updates']} updates by {count(games)} games, {summary['cpu_s']:.0f} "
        f"CPU-seconds; mean return after less before, paired by game: "
        f"{mean_text(summary['gain'], sign='+')}."
    )


def draw_curve(folder: Path, summary: Summary) -> None:
    """``practice_curve.png``: the mean return of the games of each update."""
    lines = summary["curve"]
    with drawing(folder, CURVE, 7.2, 3.4) as figure:
        axes = figure.subplots()
        at = [line["updates"] for line in lines]
        axes.plot(at, [line["mean_return"] for line in lines], color=COLOURS[0], marker="o",
                  markersize=3, label="mean return")  # fmt: skip
        axes.plot(at, [line["reward"] for line in lines], color=COLOURS[1], marker="s",
                  markersize=3, label="mean reward")  # fmt: skip
        axes.set_xlabel("update")
        axes.locator_params(axis="x", integer=True)
        axes.set_ylabel(f"of {lines[0]['games']} games")
        axes.grid(axis="y")
        axes.legend()


def write(folder: Path, summary: Summary) -> None:
    """Write ``report.md`` and ``report.html``."""
    config = summary["config"]
    draw_curve(folder, summary)
    practice = config["practice"]
    page = Page(
        f"A language model practises {spec(config['game']).title}",
        f"{code(config['policies'][0]['model'])} against {code(practice['opponent'])}, "
        f"seed {config['seed']}.",
    )
    page.text(brief(summary))
    page.table(result_table(summary))
    page.text(
        "Games for the rating have the same seeds before and after, which no update saw. Answers "
        "are drawn at temperature 1, one for a move, and a bad one forfeits, as in practice. "
        "Intervals are 95%, over seeds."
    )
    page.figure(
        folder / f"{CURVE}.png",
        "Mean return and mean reward of the games of each update, played before it.",
        "Curve",
    )
    add_run(page, config)
    page.write(folder)


def screen(console: Console, summary: Summary) -> None:
    """Print the final table."""
    game = spec(summary["config"]["game"]).title
    console.print(result_table(summary).rich(f"{game}: games at temperature 1"))
    console.print(brief(summary), soft_wrap=True, highlight=False)
    file = summary["adapter"]["file"]
    model = summary["config"]["policies"][0]["path"]
    console.print(f"Policy: gguf:{model}?lora={file}", soft_wrap=True, highlight=False)
