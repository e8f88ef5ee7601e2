"""One rule for all reports: the share of a policy's decisions that were its own, and what follows
from it.

A decision is not a policy's own if something else was played instead: a random or default move or
plan after a bad, late or missing answer, or a move of the player that plays on after a forfeit.
Moves for which the policy was not asked, such as an only legal move, and time that passes on a
clock do not count as decisions. The random moves with which a policy weakens itself are its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from stratagym.benchmarks.reporting.games import Games
from stratagym.benchmarks.reporting.page import NOTHING, Page, Table, code, count, plain_text

MARKED, MOST = 0.10, 0.50
"""Shares of decisions that are not a policy's own: above the first the policy is marked, above the
second it has no result."""
NO_RESULT = "no result"
NOT_MEASURED = "not measured"
"""What stands in place of the rating or level of a policy that has no result."""
COLUMN = "not own"
WORDS = (
    f"**{COLUMN}**: share of a language model's decisions that were not its own, because its "
    "answer was bad, late or missing and a random or default move or plan was played instead. "
    "Moves for which the model was not asked do not count as its decisions. **!** marks more than "
    f"{MARKED:.0%}. Above {MOST:.0%}, or if no answer could be read or none was good, the policy "
    f"has **{NO_RESULT}**: it has no score, its rating or level is **{NOT_MEASURED}**, and its "
    "games do not count for any other policy."
)
"""The rule as reports state it."""
Record = Mapping[str, Any]
Records = Mapping[str, Record]


@dataclass(frozen=True)
class Own:
    """A policy's decisions, in some games or in all.

    Attributes:
        decisions: those that something was played for. replaced: of these, those in which that was
            not the policy's. answers, readable: of a policy that answers in words, how many
            answers came, and how many named a move or plan, legal or not.
    """

    decisions: int = 0
    replaced: int = 0
    answers: int = 0
    readable: int = 0

    def __add__(self, other: Own) -> Own:
        return Own(
            self.decisions + other.decisions,
            self.replaced + other.replaced,
            self.answers + other.answers,
            self.readable + other.readable,
        )

    @property
    def share(self) -> float | None:
        """Share of the decisions that were not the policy's own; None without decisions."""
        return self.replaced / self.decisions if self.decisions else None

    @property
    def is_result(self) -> bool:
        """Whether the games say anything about the policy."""
        if self.answers and (not self.readable or self.replaced == self.decisions):
            return False
        return self.replaced <= MOST * self.decisions

    @property
    def is_marked(self) -> bool:
        return self.is_result and self.replaced > MARKED * self.decisions

    def record(self) -> dict[str, Any]:
        """The record for ``summary.json``."""
        return {
            "decisions": self.decisions,
            "not_own": self.replaced,
            "share": self.share,
            "answers": self.answers,
            "readable": self.readable,
            "marked": self.is_marked,
            "result": self.is_result,
        }


def is_result(own: Record | None) -> bool:
    """Whether a policy has a result; a policy that was never asked has one."""
    return own is None or own["result"]


def share_text(own: Record | None) -> str:
    """The share as text, such as ``12% !``; a dash if nothing was played for any decision."""
    if own is None or (not own["decisions"] and not own["answers"]):
        return "0%"
    if own["share"] is None:
        return f"{NOTHING} !"
    # Rounded so that the figure never lies on the other side of a limit.
    shown = f"{own['share']:.0%}"
    if shown in (f"{MARKED:.0%}", f"{MOST:.0%}"):
        shown = f"{own['share']:.1%}"
    return f"{shown} !" if own["marked"] or not own["result"] else shown


def marked(
    table: Table,
    policies: Iterable[Sequence[str]],
    owns: Records,
    *,
    behind: int = 1,
    nothing: str = NO_RESULT,
) -> Table:
    """The table with a column of the shares, and its rows marked accordingly.

    Rows of policies without a result say only that. If no policy of the table was asked for
    anything, the table has no such column. Rows are linked to the policies' games, unless the table
    says which games they are of.

    Args:
        policies: by row, those whose play is in it. owns: by policy, as ``Own.record`` has it.
        behind: the column comes behind so many, which are headings.
        nothing: what rows of policies without a result say.
    """
    rows = list(zip(table.rows, policies, strict=True))
    table.games = table.games or [Games(tuple(names)) for _, names in rows]
    if not any(owns[name]["answers"] for _, names in rows for name in names if name in owns):
        return table
    out = Table(
        [*table.columns[:behind], COLUMN, *table.columns[behind:]],
        left=[k + (k >= behind) for k in table.left],
        aside=table.aside,
        games=table.games,
    )
    for at, (row, names) in enumerate(rows):
        own = [owns.get(name) for name in names]
        cells = [*row[:behind], " / ".join(map(share_text, own)), *row[behind:]]
        if not all(map(is_result, own)):
            out.void.append(at)
            cells[behind + 1 :] = [nothing, *[NOTHING] * (len(row) - behind - 1)]
        elif any(one is not None and one["marked"] for one in own):
            out.marked.append(at)
        out.rows.append(cells)
    return out


def words(*scopes: tuple[str, Records]) -> list[str]:
    """What the column means, then the policies that are marked or have no result; nothing if no
    policy was asked.

    Args:
        scopes: (where, such as the title of a game, or empty; policies there).
    """
    every = [(where, name, own) for where, owns in scopes for name, own in owns.items()]
    if not any(own["answers"] for *_, own in every):
        return []
    return [WORDS, *filter(None, (remark(name, own, where) for where, name, own in every))]


def add_words(page: Page, *scopes: tuple[str, Records]) -> None:
    """Add ``words`` to a report."""
    for at, said in enumerate(words(*scopes)):
        (page.note(said, warning=True) if at else page.text(said))


def print_words(console: Console, *scopes: tuple[str, Records]) -> None:
    """Print ``words`` on the screen."""
    for said in words(*scopes):
        console.print(plain_text(said), highlight=False, markup=False)


def remark(name: str, own: Record, where: str = "") -> str:
    """The remark on a policy that is marked or has no result; empty for any other policy."""
    if own["result"] and not own["marked"]:
        return ""
    whose = code(name) + (f", {where}" if where else "")
    if not own["readable"]:
        return f"{whose}: none of {count(own['answers'])} answers could be read: {NO_RESULT}."
    if own["share"] is None:
        return f"{whose}: none of {count(own['answers'])} answers was good: {NO_RESULT}."
    said = (
        f"{whose}: {count(own['not_own'])} of {count(own['decisions'])} decisions were not "
        f"its own ({share_text(own).removesuffix(' !')})"
    )
    return f"{said}." if own["result"] else f"{said}: {NO_RESULT}."
