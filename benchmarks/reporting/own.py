"""One rule for all reports: how much of what a policy did was its own, and what that makes of it.

A decision is not a policy's own where something else was played for it: a random or default move
or plan after a bad, late or missing answer, a move of whoever plays on after a forfeit. What it was
not asked for, such as the only legal move, is no decision of its; time that passes on a clock is
none either; and what a policy does to weaken itself is its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from stratagym.benchmarks.reporting.page import NOTHING, Page, Table, code, count, plain_text

MARKED, MOST = 0.10, 0.50
"""Shares of decisions that are not a policy's own: above the first it is marked, above the second
there is no result."""
NO_RESULT = "no result"
COLUMN = "not own"
WORDS = (
    f"**{COLUMN}**: share of a language model's decisions that were not its own: its answer was "
    "bad, late or missing, and a random or default move or plan took its place. What it was not "
    "asked for is no decision of its. **!** marks more than "
    f"{MARKED:.0%}. Above {MOST:.0%}, or where no answer could be read or none was good, there is "
    f"**{NO_RESULT}**: no score, rating or level, and its games are in nobody else's."
)
"""What a report says of the rule."""
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
        """Of the decisions, those that were not the policy's; None without decisions."""
        return self.replaced / self.decisions if self.decisions else None

    @property
    def is_result(self) -> bool:
        """Whether what came of it says anything of the policy."""
        if self.answers and (not self.readable or self.replaced == self.decisions):
            return False
        return self.replaced <= MOST * self.decisions

    @property
    def is_marked(self) -> bool:
        return self.is_result and self.replaced > MARKED * self.decisions

    def record(self) -> dict[str, Any]:
        """As it stands in ``summary.json``."""
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
    """Whether a policy has a result; who was never asked has."""
    return own is None or own["result"]


def share_text(own: Record | None) -> str:
    """``12% !``; a dash where nothing was played for any decision."""
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
    table: Table, policies: Iterable[Sequence[str]], owns: Records, *, behind: int = 1
) -> Table:
    """The table with a column that tells the shares, and its rows marked by them.

    Rows of policies without a result say so, and nothing else. Where no policy of the table was
    asked for anything, it is the table as it was.

    Args:
        policies: by row, those whose play is in it. owns: by policy, as ``Own.record`` has it.
        behind: the column comes behind so many, which are headings.
    """
    rows = list(zip(table.rows, policies, strict=True))
    if not any(owns[name]["answers"] for _, names in rows for name in names if name in owns):
        return table
    out = Table(
        [*table.columns[:behind], COLUMN, *table.columns[behind:]],
        left=[k + (k >= behind) for k in table.left],
        aside=table.aside,
    )
    for at, (row, names) in enumerate(rows):
        own = [owns.get(name) for name in names]
        cells = [*row[:behind], " / ".join(map(share_text, own)), *row[behind:]]
        if not all(map(is_result, own)):
            out.void.append(at)
            cells[behind + 1 :] = [NO_RESULT, *[NOTHING] * (len(row) - behind - 1)]
        elif any(one is not None and one["marked"] for one in own):
            out.marked.append(at)
        out.rows.append(cells)
    return out


def words(*scopes: tuple[str, Records]) -> list[str]:
    """What the column means, then who is marked or has no result; nothing if nobody was asked.

    Args:
        scopes: (where, such as the title of a game, or empty; policies there).
    """
    every = [(where, name, own) for where, owns in scopes for name, own in owns.items()]
    if not any(own["answers"] for *_, own in every):
        return []
    return [WORDS, *filter(None, (remark(name, own, where) for where, name, own in every))]


def add_words(page: Page, *scopes: tuple[str, Records]) -> None:
    """``words`` in a report."""
    for at, said in enumerate(words(*scopes)):
        (page.note(said, warning=True) if at else page.text(said))


def print_words(console: Console, *scopes: tuple[str, Records]) -> None:
    """``words`` on the screen."""
    for said in words(*scopes):
        console.print(plain_text(said), highlight=False, markup=False)


def remark(name: str, own: Record, where: str = "") -> str:
    """What to mind of a policy that is marked or has no result; empty for any other."""
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
