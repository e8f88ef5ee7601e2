"""The rates of ``throughput`` as JSON, as a table on the screen and in Markdown, and as bars."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from stratagym.benchmarks.reporting.terminal import output_console
from stratagym.benchmarks.speed.entries import Entry
from stratagym.benchmarks.speed.measuring import machine_line, short, spread_of
from stratagym.benchmarks.speed.shapes import SHAPES

UNIT = "player decisions per CPU-second, one thread, random legal play"
OURS, PEER, OTHER_GAME = "#0072b2", "#e69f00", "#c9c9c9"
COLUMNS = ("", "median", "min", "max", "ours / peer")


@dataclass(frozen=True)
class Method:
    """Where and how rates were taken: ``measuring.machine()``, and repeats of so many seconds."""

    machine: dict[str, Any]
    seconds: float
    repeats: int

    @property
    def line(self) -> str:
        return (
            f"Rates are {UNIT}, or what the heading counts; median, min and max of {self.repeats} "
            f"repeats of {self.seconds:g} s. Ratios are medians over the repeats."
        )


def document(entries: list[Entry], method: Method) -> dict[str, Any]:
    """Everything, for ``--json`` and ``throughput.json``."""
    return {
        "schema": 1,
        "unit": UNIT,
        "machine": method.machine,
        "seconds": method.seconds,
        "repeats": method.repeats,
        "shapes": {key: shape.title for key, shape in SHAPES.items()},
        "entries": [
            {
                "game": entry.by.ours,
                "shape": entry.by.shape,
                "name": entry.by.name,
                "version": entry.version or None,
                "played": entry.by.game,
                "same_game": entry.by.same_game,
                "rate": spread_of(entry.rates),
                "ours_over_peer": spread_of(entry.ratios),
                "missing": entry.missing or None,
                "notes": entry.by.notes,
            }
            for entry in entries
        ],
    }


def cells(entry: Entry) -> list[str]:
    """The entry as a row under ``COLUMNS``."""
    spread = spread_of(entry.rates)
    if spread is None:
        return [f"{entry.label}: {entry.missing}", "", "", "", ""]
    return [entry.label, *(short(spread[key]) for key in COLUMNS[1:4]), ratio(entry)]


def ratio(entry: Entry) -> str:
    if not entry.ratios:
        return ""
    times = f"{short(statistics.median(entry.ratios))}x"
    return times if entry.by.same_game else f"{times} other game"


def notes(entries: list[Entry]) -> list[str]:
    """What to know of the peers, each thing once."""
    lines = [f"{entry.label}: {note}" for entry in entries for note in entry.by.notes]
    return list(dict.fromkeys(lines))


def screen(entries: list[Entry], method: Method) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in COLUMNS:
        table.add_column(
            name,
            justify="right" if name in COLUMNS[1:4] else "left",
            no_wrap=name in COLUMNS[1:4],
            overflow="fold",
        )
    for entry in entries:
        if entry.is_ours:
            table.add_section()
            table.add_row(Text(entry.title, "bold"))
        table.add_row(*(Text(cell) for cell in cells(entry)))
    console = output_console()
    console.print(
        machine_line(method.machine), table, method.line, *notes(entries), sep="\n", markup=False
    )


def markdown(entries: list[Entry], method: Method) -> str:
    rows = [COLUMNS, ["---", "---:", "---:", "---:", "---"]]
    for entry in entries:
        if entry.is_ours:
            rows.append([f"**{entry.title}**", "", "", "", ""])
        rows.append(cells(entry))
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    listed = "\n".join(f"- {note}" for note in notes(entries))
    return (
        f"# Throughput\n\n{machine_line(method.machine)}\n\n{table}\n\n{method.line}\n\n{listed}\n"
    )


def plot(entries: list[Entry], method: Method, path: Path) -> None:
    """Bars on a log axis, one group a game and call shape; whiskers from min to max."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    # From the top down: a group's title takes a line, each entry one, then half a line of space.
    y, headings, bars = 0.0, [], []
    for entry in entries:
        if entry.is_ours:
            headings.append((y + 0.5, entry.title))
            y += 1.5
        bars.append((y, entry))
        y += 1
    figure = Figure(figsize=(9, 1.2 + 0.24 * y), layout="constrained")
    axes = figure.subplots()
    axes.set(xscale="log", ylim=(y - 0.3, -0.2), xlabel=UNIT)
    axes.set_title(machine_line(method.machine), fontsize=8)
    axes.set_yticks([at for at, _ in bars], [entry.label for _, entry in bars], fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)
    for at, entry in bars:
        colour = OURS if entry.is_ours else PEER if entry.by.same_game else OTHER_GAME
        spread = spread_of(entry.rates)
        if spread is None:
            axes.text(0.01, at, entry.missing, fontsize=8, va="center", transform=_row(axes))
            continue
        middle = spread["median"]
        whisker = [[middle - spread["min"]], [spread["max"] - middle]]
        axes.barh(at, middle, 0.8, color=colour, xerr=whisker, error_kw={"lw": 1, "capsize": 2})
        text = short(middle) + (f"   ours / peer: {ratio(entry)}" if entry.ratios else "")
        axes.annotate(
            text, (spread["max"], at), (4, 0), textcoords="offset points", fontsize=8, va="center"
        )
    for at, heading in headings:
        axes.text(0.005, at, heading, fontsize=9, weight="bold", va="center", transform=_row(axes))
    medians = [statistics.median(entry.rates) for entry in entries if entry.rates]
    # Room for the numbers to the right of the longest bar.
    axes.set_xlim(10 ** math.floor(math.log10(min(medians))), max(medians) * 6)
    labels = (("stratagym", OURS), ("peer", PEER), ("peer, other game", OTHER_GAME))
    figure.legend(
        handles=[Patch(color=colour, label=label) for label, colour in labels],
        loc="outside lower center", ncols=3, frameon=False, fontsize=8,
    )  # fmt: skip
    figure.savefig(path, dpi=150)


def _row(axes: Any) -> Any:
    """Coordinates: x as a fraction of the width, y as the bars'."""
    return axes.get_yaxis_transform()
