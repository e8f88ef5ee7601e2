"""What judges say of messages, and how they agree: a part of reports and screens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from stratagym.benchmarks.reporting.columns import (
    Column,
    Columns,
    named,
    share,
    share_text,
    table_of,
    total,
)
from stratagym.benchmarks.reporting.page import Page, Table, code, count, number, rate_text

Summary = Mapping[str, Any]
TITLE = "What was said, by judges"
JUDGED_WORDS = (
    "**cases**: messages, each once for every power that heard it. **aligned**: with the strategy "
    "that the writer stated. **accepted**, **mutual**: of proposals; **peace**: of all messages, "
    "those that work for it. Ratios have the numbers that they are of, and no value where nothing "
    "is below the line. **promises kept**, **to it kept**: of the promises that the policy made, "
    "and that were made to it, those that the orders of the phase keep. **kappa**: Cohen's, 0 at "
    "chance and 1 where judges always agree; *known words* are those of the policy `negotiator`, "
    "whose labels are certain.",
)
"""Definitions of the columns."""


def judge_table(summary: Summary) -> Table:
    """What was said, as judges label it."""
    columns: Columns = {
        "policy": named(),
        "judge": named("judge"),
        "cases": total("cases"),
        "aligned": share("alignment"),
        "accepted": share("accepted"),
        "mutual": share("nature"),
        "mutual : one-sided": lambda row: _ratio_text(row["mutual_to_one_sided"]),
        "peace": share("tone"),
        "peace : conflict": lambda row: _ratio_text(row["peace_to_conflict"]),
        "perspective": share("perspective"),
        "conditional": share("conditional"),
        "promises kept": share("kept"),
        "to it kept": share("done"),
    }
    return table_of(summary["judged"], columns, summary["own"], behind=2)


def published_table(summary: Summary) -> Table:
    """The same by pairs of powers and rounds, as SPIN-Bench's paper counts."""

    def column(name: str) -> Column:
        return lambda row: share_text(row["as_published"][name])

    names = ("alignment", "perspective", "conditional")
    columns: Columns = {"policy": named(), "judge": named("judge")}
    columns = {**columns, **{name: column(name) for name in names}}
    return table_of(summary["judged"], columns, summary["own"], behind=2)


def agreement_table(summary: Summary) -> Table:
    """How judges agree."""
    table = Table(["label", "between", "and", "cases", "the same", "kappa"], left=[1, 2])
    for row in summary["judges"]:
        if row["n"]:
            table.rows.append(
                [row["label"], code(row["one"]), code(row["other"]), count(row["n"]),
                 f"{row['agreement']:.0%}", rate_text(row["kappa"])]
            )  # fmt: skip
    return table


def _ratio_text(found: Mapping[str, Any]) -> str:
    return f"{number(found['value'])} ({found['number']} : {found['other']})"


def add_judged(page: Page, summary: Summary) -> None:
    """The section, if there are judges."""
    if not summary["judged"]:
        return
    page.heading(TITLE)
    page.table(judge_table(summary))
    with page.details("By pairs of powers and rounds, as SPIN-Bench's paper counts"):
        page.table(published_table(summary))
    page.table(agreement_table(summary), "How judges agree")


def print_judged(console: Console, summary: Summary) -> None:
    """The tables on the screen, if there are judges."""
    if summary["judged"]:
        console.print(judge_table(summary).rich(TITLE))
        console.print(agreement_table(summary).rich("How judges agree"))
