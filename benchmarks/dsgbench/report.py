"""The leaderboard of a run: scores by capability, metrics by scene, differences, table 6 apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.dsgbench.score import TABLE_6
from stratagym.benchmarks.replaying.album import end_report
from stratagym.benchmarks.reporting.columns import Column, Columns, table_of
from stratagym.benchmarks.reporting.games import Games
from stratagym.benchmarks.reporting.own import add_words
from stratagym.benchmarks.reporting.page import (
    NOTHING,
    Page,
    Table,
    code,
    count,
    mean_text,
    number_of,
    rate_text,
)
from stratagym.benchmarks.reporting.sections import cut_short, print_end

Summary = Mapping[str, Any]
TITLES = {
    "strategic": "strategic planning",
    "real_time": "real time",
    "social": "social reasoning",
    "team": "team collaboration",
    "adaptive": "adaptive learning",
}
PLAIN = ("WR", "GA", "AHR", "SMHR", "CPR", "WS", "1-BIR", "ASR", "IRP", "KSR", "VSS", "SUR", "TRP")
"""Metrics that are shares."""
DEFINITIONS = (
    "**Score**: by capability, the weighted mean of metrics in their ranges, 0 to 100; overall, "
    "the weighted mean of capabilities. Ranges and weights are ours, in one versioned file; the "
    "paper's own were never published, so scores compare among runs of one version only.",
    "**(1/4 games)**: a partial capability, how many of its games were played. Without all there "
    "is no overall score, unless `--allow-partial` makes one of what was played.",
    "**rank**: the middle 95% of ranks over bootstrap samples of the seeds.",
    "**WR**: games won, ties are no wins. **GA**: valid names among the names in replies; 1 for "
    "policies without words.",
    "**chance**: random play in every seat. **beyond**: games whose metric left its range, and "
    "counts as its end.",
)


def _capability(name: str) -> Column:
    def cell(row: Mapping[str, Any]) -> str:
        rate, (there, games) = row["capabilities"][name], row["covered"][name]
        if rate is None:
            return NOTHING
        part = "" if there == games else f" ({there}/{games} games)"
        return mean_text(rate, 1) + part

    return cell


def _rank(row: Mapping[str, Any]) -> str:
    if "rank" not in row:
        return NOTHING
    low, high = row["rank"]
    return str(low) if low == high else f"{low}-{high}"


def _optional(field: str) -> Column:
    def cell(row: Mapping[str, Any]) -> str:
        value = row[field]
        return NOTHING if value is None else count(round(value))

    return cell


def _cost(row: Mapping[str, Any]) -> str:
    return NOTHING if row["cost"] is None else f"{row['cost']:.2f}"


def board_table(summary: Summary) -> Table:
    """One row a policy: five capabilities, overall, rank, games, tokens, cost."""
    columns: Columns = {
        "policy": lambda row: code(row["policy"]) + (" (published)" if _is(summary) else ""),
        "overall": lambda row: mean_text(row["overall"], 1),
        "rank": _rank,
        **{TITLES.get(name, name): _capability(name) for name in summary["capability_weights"]},
        "games": lambda row: count(row["games"]),
        "tokens in": _optional("tokens_in"),
        "tokens out": _optional("tokens_out"),
        "cost": _cost,
    }
    return table_of(summary["board"], columns, summary["own"], games=lambda row: Games())


def _is(summary: Summary) -> bool:
    return bool(summary["as_published"])


def scene_table(scene: Mapping[str, Any], summary: Summary) -> Table:
    """One row a policy: every metric with its interval, results, decisions."""
    names = list(dict.fromkeys(name for row in scene["policies"] for name in row["metrics"]))

    def metric(name: str) -> Column:
        def cell(row: Mapping[str, Any]) -> str:
            rate = row["metrics"].get(name)
            text = rate_text(rate) if name in PLAIN else mean_text(rate)
            beyond = row["beyond"].get(name)
            return f"{text}, {beyond} beyond" if beyond else text

        return cell

    columns: Columns = {
        "policy": lambda row: code(row["policy"]),
        **{name: metric(name) for name in names},
        "W-D-L": lambda row: f"{row['won']}-{row['drawn']}-{row['lost']}",
        "decisions": lambda row: f"{row['decisions']:.0f}",
        "failures": _failures,
        "cut short": cut_short,
    }
    return table_of(
        scene["policies"],
        columns,
        summary["own"],
        games=lambda row: Games(matches=f"{scene['scene']}/{row['policy']}/"),
    )


def _failures(row: Mapping[str, Any]) -> str:
    failed = {kind: n for kind, n in row["kinds"].items() if kind != "ok"}
    return ", ".join(f"{n} {kind}" for kind, n in sorted(failed.items())) or NOTHING


def difference_table(summary: Summary) -> Table:
    """By pair of policies: differences of scores over the same seeds."""
    names = [*summary["capability_weights"], "overall"]
    columns: Columns = {
        "pair": lambda row: f"{code(row['one'])} less {code(row['other'])}",
        **{TITLES.get(name, name): _difference(name) for name in names},
    }
    return table_of(summary["differences"], columns, summary["own"], ("one", "other"))


def _difference(name: str) -> Column:
    return lambda row: mean_text(row[name], 1, "+")


def published_table() -> Table:
    """The paper's table 6."""
    table = Table(["model", *TITLES.values(), "overall"])
    for model, row in TABLE_6.items():
        table.rows.append([code(model), *(f"{value:.2f}" for value in row)])
    return table


def write(folder: Path, summary: Summary) -> None:
    """Write ``report.md`` and ``report.html``."""
    page = Page("DSGBench", lead(summary))
    page.figures_in_brief(
        [
            number_of(sum(row["games"] for row in summary["board"]), "game"),
            number_of(len(summary["scenes"]), "scene"),
            number_of(sum(not row["anchor"] for row in summary["board"]), "policy", "policies"),
        ]
    )
    page.heading("Leaderboard")
    page.table(board_table(summary))
    for line in remarks(summary["board"]):
        page.note(line)
    if summary["differences"]:
        page.heading("Differences over the same seeds")
        page.table(difference_table(summary))
    for scene in summary["scenes"]:
        page.heading(scene["scene"])
        if scene["paper"]:
            page.text(f"The paper's table 4 has {scene['paper']} iterations a game.")
        page.table(scene_table(scene, summary))
    page.heading("As published, not comparable")
    page.text(
        "The paper's table 6 rests on other games, ranges and opponents. Only its arithmetic can "
        "be checked: the weights of the capabilities give its last column to .005."
    )
    page.table(published_table())
    add_words(page, ("", summary["own"]))
    end_report(page, folder, summary, DEFINITIONS)


def lead(summary: Summary) -> str:
    """What the report is of, in a sentence or two."""
    reading = "as the released code computes them" if _is(summary) else "by the paper's formulas"
    return (
        f"Five capabilities in DSGBench's scenes, score `{summary['score']}`, metrics {reading}. "
        "Intervals are 95%, over seeds."
    )


def remarks(board: Sequence[Mapping[str, Any]]) -> list[str]:
    """Which metrics had no case."""
    return [
        f"{code(row['policy'])} has no case of {', '.join(row['missing'])}: left out, not 0."
        for row in board
        if row["missing"]
    ]


def screen(console: Console, summary: Summary) -> None:
    """Print the leaderboard and the scenes."""
    console.print(board_table(summary).rich(f"DSGBench, {summary['score']}"))
    for scene in summary["scenes"]:
        console.print(scene_table(scene, summary).rich(scene["scene"]))
    print_end(console, summary)
