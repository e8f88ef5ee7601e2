"""All pairings of policies as a heat map, and as a table of wins, draws and losses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stratagym.benchmarks.reporting.own import marked
from stratagym.benchmarks.reporting.page import RateCell, Table, against, code
from stratagym.benchmarks.reporting.plots import drawing, heat_map, short_labels

Rates = Mapping[tuple[str, str], Mapping[str, Any]]
"""Rates by (row, column), as they stand in summaries."""


def both_ways(rates: Rates) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Every rate together with its complement, the rate of the other policy."""
    found = dict(rates)
    for (one, other), rate in rates.items():
        if rate["value"] is not None:
            found[other, one] = {
                **rate,
                "value": 1 - rate["value"],
                "low": None if rate["high"] is None else 1 - rate["high"],
                "high": None if rate["low"] is None else 1 - rate["low"],
            }
    return found


def draw_cross_table(
    folder: Path,
    name: str,
    rows: Sequence[str],
    columns: Sequence[str],
    rates: Rates,
    *,
    text: Callable[[Mapping[str, Any]], str],
    size: tuple[float, float],
    colours: str,
    limits: tuple[float, float],
    level: float = 0.0,
    differences: Rates | None = None,
    title: str = "",
    below: bool = False,
) -> Path:
    """Draw ``folder/name.png``; cells whose interval excludes ``level`` are bold.

    Args:
        text: what a cell says. size: in inches. colours, limits: as in ``heat_map``.
        differences: what is held against ``level`` in place of ``rates``.
        below: the columns' names stand below, where there is room for long ones.
    """
    empty = {"value": None}
    grid = [[rates.get((a, b), empty) for b in columns] for a in rows]
    held = rates if differences is None else differences
    tested = [[held.get((a, b), empty) for b in columns] for a in rows]
    with drawing(folder, name, *size) as figure:
        axes = figure.subplots()
        heat_map(
            axes,
            [[rate["value"] for rate in line] for line in grid],
            list(short_labels(rows).values()),
            list(short_labels(columns).values()),
            colours=colours,
            limits=limits,
            texts=[["" if rate["value"] is None else text(rate) for rate in line] for line in grid],
            strong=[
                [rate["value"] is not None and against(rate, level) != 0 for rate in line]
                for line in tested
            ],
        )
        if below:
            axes.tick_params(axis="x", labelrotation=40)
            axes.set_xlabel("against")
        else:
            axes.xaxis.tick_top()
            axes.set_title(title, fontsize=10, pad=9)
    return folder / f"{name}.png"


def wdl(row: Mapping[str, Any], nothing: str = "0") -> str:
    """``3-0-5``: wins, draws and losses from their rates; ``nothing`` for each without games."""
    return "-".join(
        nothing if row[key]["value"] is None else str(round(row[key]["n"] * row[key]["value"]))
        for key in ("wins", "draws", "losses")
    )


def wdl_table(summary: Mapping[str, Any], *, full: bool = True) -> Table:
    """Every pairing with its wins, draws and losses; their shares if ``full``."""
    shares = ["wins", "draws", "losses"] if full else []
    table = Table(["pairing", "W-D-L", "score", *shares, "different"])
    for row in summary["pairings"]:
        table.rows.append(
            [
                f"{code(row['a'])} – {code(row['b'])}",
                wdl(row),
                RateCell(row["score"]),
                *(RateCell(row[key], strip=False) for key in shares),
                f"{row['different_games']}/{row['score']['n']}",
            ]
        )
    return marked(table, [(row["a"], row["b"]) for row in summary["pairings"]], summary["own"])
