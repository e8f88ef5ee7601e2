"""Tables of reports by their columns: what each shows of a summary's row, under which heading."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from stratagym.benchmarks.reporting.games import Games
from stratagym.benchmarks.reporting.own import Records, marked
from stratagym.benchmarks.reporting.page import (
    NOTHING,
    Cell,
    RateCell,
    Table,
    code,
    count,
    mean_text,
)

Row = Mapping[str, Any]
Column = Callable[[Row], Cell]
Columns = Mapping[str, Column]
"""Columns by their headings."""


def table_of(
    rows: Iterable[Row],
    columns: Columns,
    owns: Records,
    who: Sequence[str] = ("policy",),
    *,
    left: Sequence[int] = (),
    behind: int = 1,
    games: Callable[[Row], Games] | None = None,
) -> Table:
    """A line for each row, with what was not the policies' own as ``own.marked`` has it.

    Args:
        owns: by policy. who: the fields of a row that name its policies.
        left: columns aligned to the left beside the first.
        behind: how many columns are headings of their lines.
        games: those that a row is of; by default those of the policies that it names.
    """
    listed = list(rows)
    table = Table(list(columns), left=left)
    table.rows += [[cell(row) for cell in columns.values()] for row in listed]
    table.games = [games(row) for row in listed] if games else ()
    return marked(table, [[row[name] for name in who] for row in listed], owns, behind=behind)


def named(field: str = "policy") -> Column:
    """A name exactly as it is."""
    return lambda row: code(row[field])


def rate(field: str, low: float = 0.0, high: float = 1.0, *, strip: bool = True) -> Column:
    """A rate with its interval, and a strip from ``low`` to ``high``."""
    return lambda row: RateCell(row[field], low, high, strip)


def rates(fields: Iterable[str], part: str = "") -> dict[str, Column]:
    """Rates without a strip under their own names; of ``row[part]``, where that is given."""

    def column(field: str) -> Column:
        return lambda row: RateCell((row[part] if part else row).get(field), strip=False)

    return {field.replace("_", " "): column(field) for field in fields}


def mean(field: str, digits: int = 2, sign: str = "") -> Column:
    """A mean with its interval as text; with ``sign="+"``, of differences."""
    return lambda row: mean_text(row[field], digits, sign)


def share(field: str, part: str = "") -> Column:
    """A share of ``Counts`` with its interval and of how many; of ``row[part]``, where given."""
    return lambda row: share_text((row[part] if part else row)[field])


def share_text(found: Mapping[str, Any]) -> str:
    """``33% [20%, 50%] of 12``; a dash of none."""
    if found["value"] is None:
        return NOTHING
    return f"{found['value']:.0%} [{found['low']:.0%}, {found['high']:.0%}] of {found['total']}"


def total(field: str = "games") -> Column:
    """A whole number."""
    return lambda row: count(row[field])
