"""What is told of a tuning: tables before and after, the curve, the page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from stratagym.benchmarks.replaying.album import add_replays
from stratagym.benchmarks.reporting import levels
from stratagym.benchmarks.reporting.page import (
    NOTHING,
    Page,
    RateCell,
    Table,
    code,
    count,
    mean_text,
    number,
)
from stratagym.benchmarks.reporting.plots import COLOURS, MARKERS, drawing
from stratagym.benchmarks.reporting.sections import add_run
from stratagym.envs import spec

Summary = Mapping[str, Any]
SHARES = ("readable", "legal", "optimal")
CURVE = "tuning_curve"
WORDS = (
    "**readable**: share of first answers from which a move could be read; **legal**: that name a "
    "legal move.",
    "**optimal**: share of all first answers that play a move of the best score (the soonest win, "
    "the draw, the latest loss), an illegal answer none, in positions in which some legal move is "
    "worse; its chance is that of random legal moves.",
    "**points**: 1 for a win and 0.5 for a draw, a forfeit being a loss; in a game three bad "
    "answers to one question forfeit.",
)


def position_table(summary: Summary) -> Table:
    """What became of the answers to held-out positions."""
    columns = [name for name in SHARES if all(row[name] for row in summary["positions"].values())]
    table = Table(["", *columns, "positions"])
    for name, row in summary["positions"].items():
        n = count(row["legal"]["n"])
        table.rows.append([name, *(RateCell(row[column]) for column in columns), n])
    return table


def random_table(summary: Summary) -> Table:
    """Games against random play."""
    table = Table(["", "points against random", "mean return", "forfeits", "games"])
    for name, row in summary["random"].items():
        points = row["points"]
        table.rows.append(
            [name, RateCell(points), RateCell(row["return"], strip=False), count(row["forfeits"]),
             count(points["n"])]
        )  # fmt: skip
    return table


def curve_table(summary: Summary) -> Table:
    """The looks at held-out positions during training."""
    columns = [name for name in SHARES if summary["curve"][0][name]]
    table = Table(["updates", "CPU-seconds", "loss", *columns])
    for line in summary["curve"]:
        loss = NOTHING if line["loss"] is None else number(line["loss"])
        cells = [RateCell(line[name]) for name in columns]
        table.rows.append([count(line["updates"]), f"{line['cpu_s']:.0f}", loss, *cells])
    return table


def brief(summary: Summary) -> str:
    told = f"{count(summary['examples']['train'])} examples, {summary['cpu_s']:.0f} CPU-seconds of"
    if summary["gain"] is None:
        return f"{told} tuning."
    gain = mean_text(summary["gain"], sign="+")
    return f"{told} tuning; mean return against random, after less before, paired by seed: {gain}."


def draw_curve(folder: Path, summary: Summary) -> None:
    """``tuning_curve.png``: the looks with their intervals."""
    lines = summary["curve"]
    with drawing(folder, CURVE, 7.2, 3.6) as figure:
        axes = figure.subplots()
        at = [line["updates"] for line in lines]
        for k, name in enumerate(name for name in SHARES if lines[0][name]):
            found = [line[name] for line in lines]
            values = [rate["value"] for rate in found]
            axes.plot(at, values, color=COLOURS[k], marker=MARKERS[k], markersize=4, label=name)
            low, high = (np.array([rate[end] for rate in found], float) for end in ("low", "high"))
            axes.fill_between(at, low, high, color=COLOURS[k], alpha=0.15, linewidth=0)
            if found[0]["chance"] is not None:
                axes.axhline(found[0]["chance"], color=COLOURS[k], linewidth=0.8, linestyle=":")
        axes.set_ylim(0, 1.02)
        axes.locator_params(axis="x", integer=True)
        axes.set_xlabel("updates")
        axes.set_ylabel(f"share of {lines[0]['legal']['n']} held-out positions")
        axes.grid(axis="y")
        axes.legend()


def write(folder: Path, summary: Summary) -> None:
    """Write ``report.md`` and ``report.html``."""
    config = summary["config"]
    draw_curve(folder, summary)
    page = Page(
        f"A language model tuned on {spec(config['game']).title}",
        f"{code(config['policies'][0]['model'])} before and after, by the moves of "
        f"{code(config['expert'])}, seed {config['seed']}.",
    )
    page.text(brief(summary))
    page.heading("Held-out positions")
    page.table(position_table(summary))
    page.heading("Games with random play")
    page.table(random_table(summary))
    page.bullets(list(WORDS))
    page.heading("Tuning")
    said = (
        "Greedy answers to held-out positions during tuning, with 95% intervals; the dotted line "
        "is what random legal moves come to."
    )
    page.figure(folder / f"{CURVE}.png", said, "Curve")
    page.table(curve_table(summary))
    if summary["ladder"] is not None:
        page.heading("Level on the ladder")
        page.table(levels.level_table(summary["ladder"], config["game"]))
        page.table(levels.opponent_table(summary["ladder"], config["game"]), "Results by opponent")
    add_replays(page, folder)
    add_run(page, config)
    page.write(folder)


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    game = summary["config"]["game"]
    console.print(position_table(summary).rich(f"{game}: first answers to held-out positions"))
    console.print(random_table(summary).rich(f"{game}: games with random play"))
    if summary["ladder"] is not None:
        table = levels.level_table(summary["ladder"], game)
        console.print(table.rich(summary["ladder"]["anchors"][game]["ladder"]))
    console.print(brief(summary), soft_wrap=True, highlight=False)
    model = summary["config"]["policies"][0]["model"]
    policy = f"gguf:{model}?lora={summary['adapter']['file']}"
    console.print(f"Policy: {policy}", soft_wrap=True, highlight=False)
