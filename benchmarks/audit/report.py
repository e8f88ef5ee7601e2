"""What was found, on screen and as a page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.audit.faults import FAULTS
from stratagym.benchmarks.harness.files import write_text
from stratagym.benchmarks.harness.replays import Run
from stratagym.benchmarks.replaying.album import NAME, album
from stratagym.benchmarks.reporting.page import (
    NOTHING,
    Page,
    RateCell,
    Table,
    code,
    count,
    number_of,
)

Summary = Mapping[str, Any]
Places = Mapping[tuple[str, int | None], str]
"""Addresses by a match's name and a ply, None for the game as a whole."""


def fault_table(summary: Summary) -> Table:
    """A row for each fault that was found, by game, policy and reader."""
    table = Table(["fault", "game", "policy", "reader", "found", "of", "share"], left=[1, 2])
    for row in summary["faults"]:
        table.rows.append(
            [
                code(row["fault"]), row["game"], code(row["policy"]),
                str(row.get("reader", NOTHING)), count(row["found"]), count(row["of"]),
                RateCell(row["rate"], strip=False),
            ]
        )  # fmt: skip
    return table


def answer_table(summary: Summary) -> Table:
    """A row for each policy in a game: bad answers by kind and reason, and how much was legal."""
    columns = ["game", "policy", "reader", "replies", "unparseable", "illegal", "legal moves",
               "median s", "median tokens", "reasons"]  # fmt: skip
    table = Table(columns, left=[1, 9])
    for row in summary["answers"]:
        reasons = ", ".join(f"{reason} {n}" for reason, n in row["reasons"].items())
        table.rows.append(
            [
                row["game"], code(row["policy"]), str(row["reader"]), count(row["replies"]),
                RateCell(row["unparseable"], strip=False), RateCell(row["illegal"], strip=False),
                *(NOTHING if row[name] is None else f"{row[name]:g}" for name in
                  ("legal_moves", "median_latency_s", "median_tokens_out")),
                reasons or NOTHING,
            ]
        )  # fmt: skip
    return table


def example_table(summary: Summary, places: Places) -> Table:
    """Where the faults show; a match leads to its place on the page of replays."""
    table = Table(["fault", "match", "ply", "attempt", "what is there"], left=[1, 4])
    for row in summary["faults"]:
        for one in row["examples"]:
            at = (NOTHING if one[name] is None else str(one[name]) for name in ("ply", "attempt"))
            if address := places.get((one["match"], one["ply"])):
                table.addresses[len(table.rows), 1] = address
            table.rows.append([code(row["fault"]), code(one["match"]), *at, code(one["shown"])])
    return table


def checked(summary: Summary) -> str:
    """What was looked for without finding it, in a sentence."""
    found = {row["fault"] for row in summary["faults"]}
    looked = {row["fault"]: 0 for row in summary["clean"] if row["fault"] not in found}
    for row in summary["clean"]:
        if row["fault"] in looked:
            looked[row["fault"]] += row["of"]
    if not looked:
        return ""
    told = ", ".join(f"{code(name)} ({count(n)})" for name, n in looked.items())
    return f"Looked for and not found, with how many cases were looked at: {told}."


def passed_over(summary: Summary) -> str:
    """What could not be looked at, in a sentence."""
    told = ", ".join(f"{what}: {count(n)}" for what, n in summary["passed_over"].items())
    return f"Not looked at: {told}." if told else ""


def write_replays(folder: Path, summary: Summary, run: Run) -> tuple[dict[Any, str], str]:
    """Write ``replays.html`` with the games in which faults show.

    Returns:
        Where on it each example is, as ``Places``, and a sentence on what it leaves out.
    """
    numbers = {game["match"]: number for number, game in enumerate(run.games, 1)}
    shown = [one for row in summary["faults"] for one in row["examples"]]
    wanted = sorted({numbers[one["match"]] for one in shown if one["match"] in numbers})
    found = album(run, wanted) if wanted else None
    if found is None or not found.scenes:
        return {}, ""
    write_text(folder / NAME, found.page(f"Audit of {summary['run']}: replays"))
    places: dict[Any, str] = {}
    for number in found.scenes:
        game = run.games[number - 1]
        places[game["match"], None] = f"{NAME}#g{number}"
        # An answer is shown with the position that its move leads to.
        for k, after in enumerate(run.replay(game).positions):
            places.setdefault((game["match"], after.ply - 1), f"{NAME}#g{number}.{k}")
    return places, found.left_out()


def write(folder: Path, summary: Summary, run: Run) -> None:
    """Write ``report.md`` and ``report.html``, and ``replays.html`` where games have faults."""
    places, left_out = write_replays(folder, summary, run)
    lead = "What went wrong between models and games, from the records alone. Intervals are 95%."
    page = Page(f"Audit of {summary['run']}", lead)
    faults = sum(row["found"] for row in summary["faults"])
    page.figures_in_brief(
        [number_of(summary["replies"], "reply", "replies"), number_of(faults, "fault")]
    )
    page.heading("Faults")
    if summary["faults"]:
        page.table(fault_table(summary))
        page.table(example_table(summary, places), "Where they show, with links to the positions.")
        if left_out:
            page.text(left_out)
    for sentence in (checked(summary), passed_over(summary)):
        if sentence:
            page.text(sentence)
    page.heading("Answers")
    page.table(answer_table(summary))
    page.heading("What the faults are")
    page.bullets(f"{code(name)}: {words}" for name, words in FAULTS.items())
    page.write(folder)


def screen(console: Console, summary: Summary) -> None:
    """Print the tables."""
    if summary["faults"]:
        console.print(fault_table(summary).rich("Faults"))
        console.print(example_table(summary, {}).rich("Where they show"))
    else:
        console.print("No fault was found.")
    for sentence in (checked(summary), passed_over(summary)):
        if sentence:
            console.print(sentence.replace("`", ""), soft_wrap=True)
    console.print(answer_table(summary).rich("Answers"))
