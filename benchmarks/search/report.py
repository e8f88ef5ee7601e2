"""The tables and the report of ``search``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.harness.measuring import machine_line, short
from stratagym.benchmarks.replaying.album import add_replays
from stratagym.benchmarks.reporting.page import NOTHING, Page, RateCell, Table, code, count
from stratagym.benchmarks.reporting.sections import add_run
from stratagym.benchmarks.search import searches
from stratagym.envs import spec


def _rates(row: dict[str, float] | None) -> list[str]:
    if row is None:
        return ["–", "–"]
    return [short(row["median"]), f"{short(row['min'])}–{short(row['max'])}"]


def speed_table(summary: dict[str, Any]) -> Table:
    """Simulations per CPU-second."""
    table = Table(["game", "simulations", "ours/s", "range", "OpenSpiel/s", "range", "ratio"])
    for board, row in summary["speed"].items():
        ratio = "–" if row["ratio"] is None else f"{short(row['ratio']['median'])}x"
        table.rows.append(
            [
                spec(board).title,
                count(row["simulations"]),
                *_rates(row["ours"]),
                *_rates(row["openspiel"]),
                ratio,
            ]
        )
    return table


def strength_table(summary: dict[str, Any]) -> Table:
    """Results at equal simulations."""
    return _results(summary["strength"], "openspiel", "OpenSpiel")


def rival_table(summary: dict[str, Any]) -> Table:
    """Results against other policies."""
    return _results(summary["strength"], "rival", "against")


def _results(rows: list[dict[str, Any]], other: str, title: str) -> Table:
    columns = ["game", "ours", title, "games", "W-D-L", "points", "ms per move", "cut", "plies"]
    table = Table(columns, left=(1, 2))
    for row in rows:
        if other not in row:
            continue
        n = row["points"]["n"]
        results = (round(row[key]["value"] * n) for key in ("wins", "draws", "losses"))
        table.rows.append(
            [
                spec(row["game"]).title,
                code(row["ours"]),
                code(row[other]),
                count(n),
                "-".join(map(str, results)),
                RateCell(row["points"]),
                " / ".join(map(short, row["ms"])) if row["ms"] else NOTHING,
                count(row["cut"]),
                f"{row['mean_plies']:.0f}",
            ]
        )
    return table


def decision_table(summary: dict[str, Any]) -> Table:
    """Decisions per CPU-second."""
    table = Table(["game", "policy", "decisions/s", "range"], left=(1,))
    for row in summary["decisions"]:
        title = spec(row["game"]).title
        table.rows.append([title, code(row["policy"]), *_rates(row["rate"])])
    return table


def sections(summary: dict[str, Any]) -> list[tuple[str, str, Table]]:
    """(title, what it shows, table) of what was measured."""
    config, plies = summary["config"], searches.PLIES
    found: list[tuple[str, str, Callable[[dict[str, Any]], Table], str]] = [
        (
            "Simulations",
            "Simulations of Monte Carlo tree search per CPU-second, in one thread and with random "
            f"playouts, from {len(plies)} positions after {plies[0]} to {plies[-1]} random moves. "
            f"The table shows the median and the range of {config['repeats']} repeats; the two "
            "searches ran in turn.",
            speed_table,
            "speed",
        ),
        (
            "Equal simulations",
            "The search of stratagym against OpenSpiel's, with the same number of simulations and "
            f"the same exploration constant ({config['exploration']:g}). Every opening of "
            f"{config['opening']} random moves is played once with either side. Points are the "
            "share of wins plus half the share of draws, so .50 is equal strength. Intervals are "
            "95%, over openings.",
            strength_table,
            "strength",
        ),
        (
            "Against other policies",
            f"Every opening of {config['opening']} random moves is played once with either side. "
            "Milliseconds are CPU time of each side in this process; the CPU time of an engine's "
            "own process is not included.",
            rival_table,
            "strength",
        ),
        (
            "Other searches",
            "Decisions per CPU-second, in one thread. The searches of Ludo decide in "
            f"{config['spots']} LudoBench spots; alpha-beta decides in positions after random "
            "moves, each time with an empty hash table.",
            decision_table,
            "decisions",
        ),
    ]
    tables = [(title, text, make(summary)) for title, text, make, key in found if summary[key]]
    return [section for section in tables if section[2].rows]


def markdown(summary: dict[str, Any]) -> str:
    """What was measured, for a page of the documentation."""
    parts = [f"{machine_line(summary['machine'])}; seed {summary['config']['seed']}."]
    for title, text, table in sections(summary):
        parts += [f"**{title}.** {text}", table.markdown()]
    return "\n\n".join(part.strip() for part in parts)


def write(folder: Path, summary: dict[str, Any]) -> None:
    """Write ``report.md`` and ``report.html``."""
    page = Page("Searches", f"Measured on {machine_line(summary['machine'])}.")
    for title, text, table in sections(summary):
        page.heading(title)
        page.text(text)
        page.table(table)
    add_replays(page, folder)
    add_run(page, summary["config"])
    page.write(folder)


def screen(console: Console, summary: dict[str, Any], folder: Path) -> None:
    """Print the final tables."""
    console.print(machine_line(summary["machine"]), highlight=False)
    for title, _, table in sections(summary):
        console.print(table.rich(title))
    console.print(f"Report: {folder / 'report.html'}", soft_wrap=True, highlight=False)
