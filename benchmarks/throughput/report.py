"""The rates of ``throughput`` as JSON, as a table on the screen and in Markdown, and as bars."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stratagym.benchmarks.harness.measuring import machine_line, short, spread_of
from stratagym.benchmarks.reporting import marked
from stratagym.benchmarks.reporting.terminal import Screen
from stratagym.benchmarks.throughput.entries import OURS, Entry
from stratagym.benchmarks.throughput.shapes import SHAPES
from stratagym.envs import core, spec

UNIT = "player decisions per CPU-second, one thread, random legal play"
BLUE, ORANGE, GREY = "#0072b2", "#e69f00", "#c9c9c9"
COLUMNS = ("", "threads", "batch", "median", "min", "max", "ours / peer", "faster")
NUMBERS = range(1, 6)
MARK = "throughput"
BEGIN, END = marked.marks(MARK)
"""What stands between these lines of a page is written by ``--page``."""


@dataclass(frozen=True)
class Method:
    """Where and how rates were taken.

    Attributes:
        machine: ``measuring.machine()``. seconds: of a repeat. repeats: how many.
        empty_calls: ``measuring.empty_calls()``, nanoseconds.
    """

    machine: dict[str, Any]
    seconds: float
    repeats: int
    empty_calls: dict[str, float]

    @property
    def line(self) -> str:
        return (
            f"Rates are {UNIT}, unless the heading names something else that is counted. Each "
            f"rate is the median of {self.repeats} repeats of {self.seconds:g} s, with minimum and "
            "maximum. A ratio is the median of the ratios of single repeats, with the 95% interval "
            "of the sign test. The last column names the faster of the two, or neither if the "
            "interval contains 1."
        )

    @property
    def calls_line(self) -> str:
        direct, looked_up = (self.empty_calls[name] for name in ("direct", "looked_up"))
        return (
            "A call of an empty compiled function from Python takes "
            f"{direct:.0f} ns through core.direct and {looked_up:.0f} ns without it. A Python step "
            "of a state makes two such calls (legal_actions and apply_action) and a list."
        )


def document(entries: list[Entry], method: Method) -> dict[str, Any]:
    """Everything, for ``--json`` and ``throughput.json``."""
    return {
        "schema": 1,
        "unit": UNIT,
        "machine": method.machine,
        "seconds": method.seconds,
        "repeats": method.repeats,
        "empty_calls_ns": method.empty_calls,
        "shapes": {key: shape.title for key, shape in SHAPES.items()},
        "record_bytes": record_bytes(entries),
        "entries": [
            {
                "game": entry.by.ours,
                "shape": entry.by.shape,
                "name": entry.by.name,
                "version": entry.version or None,
                "played": entry.by.game,
                "same_game": entry.by.same_game,
                "clock": entry.clock,
                "threads": entry.threads,
                "batch": entry.batch,
                "rate": spread_of(entry.rates),
                "per_cpu_second": spread_of([sample.rate("cpu") for sample in entry.samples]),
                "per_second": spread_of([sample.rate("wall") for sample in entry.samples]),
                "ours_over_peer": spread_of(entry.ratios),
                "interval": entry.interval,
                "faster": entry.faster or None,
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
        return [f"{entry.label}: {entry.missing}", *[""] * (len(COLUMNS) - 1)]
    rates = (short(spread[key]) for key in COLUMNS[3:6])
    batch = "" if entry.batch is None else str(entry.batch)
    return [entry.label, str(entry.threads), batch, *rates, *last(entry)]


def last(entry: Entry) -> tuple[str, str]:
    """The ratio, and who is faster."""
    other = entry.ratios and not entry.by.same_game
    return ratio(entry), "other game" if other else entry.faster


def ratio(entry: Entry) -> str:
    if not entry.ratios:
        return ""
    times = f"{short(entry.ratio)}x"
    if entry.interval:
        times += f" [{short(entry.interval[0])}, {short(entry.interval[1])}]"
    return times


def standing(entries: list[Entry]) -> str:
    """Where ours is faster, slower or neither, among peers of the same game."""
    compared = [entry for entry in entries if entry.faster]
    counts = Counter(
        "ours" if entry.faster == OURS else "neither" if entry.faster == "neither" else "peer"
        for entry in compared
    )
    lost = [
        f"{entry.label} ({entry.title}: {ratio(entry)})"
        for entry in compared
        if entry.faster not in (OURS, "neither")
    ]
    line = (
        f"In {len(compared)} comparisons of the same game, stratagym is faster in "
        f"{counts['ours']}, the peer in {counts['peer']}, and neither in {counts['neither']}."
    )
    return line + (f" The peer is faster in: {'; '.join(lost)}." if lost else "")


def missing(entries: list[Entry]) -> list[str]:
    """A line for every peer that was not measured."""
    return [f"{entry.title}: {entry.label}: {entry.missing}" for entry in entries if entry.missing]


def record_bytes(entries: list[Entry]) -> dict[str, int]:
    """How large a state of each game is, with the usual options."""
    games = dict.fromkeys(entry.by.ours for entry in entries)
    return {game: core.new_states(spec(game).make_rules()).itemsize for game in games}


def notes(entries: list[Entry]) -> list[str]:
    """How large our states are, and what to know of the peers: each note with its peers."""
    sizes = ", ".join(f"{game} {size:,}" for game, size in record_bytes(entries).items())
    peers: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for entry in entries:
        for note in entry.by.notes:
            peers[note][entry.label] = None
    about = [f"{'; '.join(labels)}: {note}" for note, labels in peers.items()]
    return [f"Size of a state of stratagym in bytes: {sizes}.", *about]


def screen(entries: list[Entry], method: Method) -> None:
    """A line an entry: its median, its ratio and who is faster; the rest is in the files."""
    console = Screen(soft_wrap=True)
    console.print(machine_line(method.machine))
    for entry in entries:
        if entry.is_ours:
            console.print(f"\n{entry.title}", style="bold")
        rate = spread_of(entry.rates)
        told = ("", entry.missing, "") if rate is None else (short(rate["median"]), *last(entry))
        console.print(f"  {entry.label:<48}{told[0]:>6}  {told[1]:<22}  {told[2]}".rstrip())
    console.print("", method.line, method.calls_line, standing(entries), *notes(entries), sep="\n")


def body(entries: list[Entry], method: Method) -> str:
    """Everything in Markdown, without a heading."""
    dashes = ["---:" if i in NUMBERS else "---" for i in range(len(COLUMNS))]
    rows = [list(COLUMNS), dashes]
    for entry in entries:
        if entry.is_ours:
            rows.append([f"**{entry.title}**", *[""] * (len(COLUMNS) - 1)])
        row = cells(entry)
        if entry.faster not in ("", "neither", OURS):
            row[-1] = f"**{row[-1]}**"
        rows.append(row)
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    listed = "\n".join(f"- {note}" for note in notes(entries))
    said = f"{method.line} {method.calls_line}"
    parts = [machine_line(method.machine), standing(entries), table, said, listed]
    return "\n\n".join(part for part in parts if part) + "\n"


def markdown(entries: list[Entry], method: Method) -> str:
    return f"# Throughput\n\n{body(entries, method)}"


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
        colour = BLUE if entry.is_ours else ORANGE if entry.by.same_game else GREY
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
    axes.set_xlim(10 ** math.floor(math.log10(min(medians))), max(medians) * 30)
    labels = ((OURS, BLUE), ("peer", ORANGE), ("peer, other game", GREY))
    figure.legend(
        handles=[Patch(color=colour, label=label) for label, colour in labels],
        loc="outside lower center", ncols=3, frameon=False, fontsize=8,
    )  # fmt: skip
    figure.savefig(path, dpi=150)


def _row(axes: Any) -> Any:
    """Coordinates: x as a fraction of the width, y as the bars'."""
    return axes.get_yaxis_transform()
