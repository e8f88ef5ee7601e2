"""The report of tables of any number of seats: standings, and how they depend on the seat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.harness.outcomes import seats_called
from stratagym.benchmarks.harness.seatings import MIXED, ONE, TEAMS
from stratagym.benchmarks.harness.standings import PARTS
from stratagym.benchmarks.replaying.album import end_report
from stratagym.benchmarks.reporting.columns import (
    Column,
    Columns,
    Row,
    mean,
    named,
    rate,
    table_of,
    total,
)
from stratagym.benchmarks.reporting.games import Games
from stratagym.benchmarks.reporting.own import add_words
from stratagym.benchmarks.reporting.page import Page, Table, number_of
from stratagym.benchmarks.reporting.plots import draw_means, short_labels
from stratagym.benchmarks.reporting.sections import cut_short, print_end
from stratagym.envs import spec

Summary = Mapping[str, Any]
TITLES = {
    MIXED: "All policies at one table",
    ONE: "One policy among seats of another",
    TEAMS: "Every seat of one policy",
}
PART_TITLES = {"by_seat": "seat", "by_side": "side", "by_role": "role"}
GAMES: Columns = {"games": total(), "cut short": cut_short}


def figures(*, strip: bool = False) -> dict[str, Column]:
    """Columns of a standing."""
    return {
        "mean return": mean("return"),
        "mean rank": mean("rank"),
        "first places": rate("first", strip=strip),
    }


def rows_of(summary: Summary, seating: str) -> Iterator[dict[str, Any]]:
    """The standings at the tables of a seating, with ``policy`` and those that it sits ``among``.

    How a table's games ended is in each of its rows.
    """
    for table in summary["tables"]:
        if table["seating"] != seating:
            continue
        names = table["policies"]
        ended = {name: table[name] for name in ("endings", "transport_aborted")}
        for name in names[:1] if seating == ONE else names:
            rest = names[-1] if seating == ONE else ""
            yield {"policy": name, "among": rest, **table["standings"][name], **ended}


def standing_table(summary: Summary, seating: str) -> Table:
    """One row for each policy of each table: return, rank, first places, games.

    A team has no rank of its own: it has all of them.
    """
    shown: Columns = {"mean return": mean("return")} if seating == TEAMS else figures(strip=True)
    return _table(summary, seating, rows_of(summary, seating), {}, {**shown, **GAMES})


def part_table(summary: Summary, seating: str, part: str) -> Table:
    """One row for each policy and seat, side or role; no rows where there is nothing to tell."""
    title = PART_TITLES[part]
    called = _names_of_seats(summary["config"]) if part == "by_seat" else {}
    rows = [
        {**own, "policy": row["policy"], "among": row["among"], title: called.get(label, label)}
        for row in rows_of(summary, seating)
        for label, own in row[part].items()
    ]
    heading: Columns = {title: lambda row: row[title]}
    return _table(summary, seating, rows, heading, {**figures(), "times": total("seats")})


def _table(
    summary: Summary, seating: str, rows: Iterable[Row], headings: Columns, columns: Columns
) -> Table:
    who = ("policy", "among") if seating == ONE else ("policy",)
    shown = {name: named(name) for name in who} | {**headings}
    return table_of(
        rows, {**shown, **columns}, summary["own"], who,
        left=range(1, len(shown)), behind=len(shown),
        games=lambda row: games_of(seating, [row[name] for name in who]),
    )  # fmt: skip


def games_of(seating: str, names: Sequence[str]) -> Games:
    """The games of a table of a seating, by the policies that a row names."""
    own = "" if seating == MIXED else f"{'/'.join(names)}/"
    return Games((names[0],), f"{seating}/{own}")


def _names_of_seats(config: Mapping[str, Any]) -> dict[str, str]:
    """By their numbers, the names that a game has for its seats; empty where it has none."""
    game = spec(config["game"])
    names = seats_called(game, game.make_rules(**config["rules"]), 0)
    if all(str(seat) in name for seat, name in enumerate(names)):
        return {}
    return {str(seat): name for seat, name in enumerate(names)}


def draw_ranks(folder: Path, summary: Summary, seating: str) -> Path:
    """Mean ranks with their intervals, the best on top, and where equal players are."""
    rows = [row for row in rows_of(summary, seating) if row["rank"]["value"] is not None]
    names = [f"{row['policy']} among {row['among']}".removesuffix(" among ") for row in rows]
    return draw_means(
        folder, f"ranks_{seating}", list(short_labels(names, 40).values()),
        {"": [row["rank"] for row in rows]}, "mean rank, 1 is the best",
        rows[0]["rank"]["chance"] if rows else None,
    )  # fmt: skip


def write(folder: Path, summary: Summary) -> None:
    """Write the figures, ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        f"{spec(config['game']).title}: tables of {config['seats']} seats",
        "Every seed is played once from each seat. Intervals are 95%, over seeds.",
    )
    page.figures_in_brief(
        [
            number_of(summary["games"], "game"),
            number_of(len(config["named"]), "policy", "policies"),
            number_of(config["seats"], "seat"),
        ]
    )
    for seating in config["seatings"]:
        page.heading(TITLES[seating])
        if seating != TEAMS:
            page.figure(
                draw_ranks(folder, summary, seating),
                "Mean ranks with 95% intervals; the dashed line is the mean rank of equal players.",
                f"Mean ranks: {TITLES[seating].lower()}",
            )
        page.table(standing_table(summary, seating))
        for part in PARTS:
            own = part_table(summary, seating, part)
            if own.rows:
                with page.details(f"Results by {PART_TITLES[part]}"):
                    page.table(own)
    add_words(page, ("", summary["own"]))
    end_report(page, folder, summary, WORDS)


WORDS = (
    "**mean return**: the mean of the returns of the seats that the policy had.",
    "**mean rank**: the mean rank of the policy's sides by their results, from 1 for the best. "
    "Sides with equal results share the mean of their ranks, so the mean rank of equal players is "
    "the middle one.",
    "**first places**: how often the policy's side came first, as a share. If k sides share the "
    "first place, each counts 1/k. The mark on a strip is the share between equal players.",
    "**times**: how often the policy had that seat, side or role.",
)


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    for seating in summary["config"]["seatings"]:
        console.print(standing_table(summary, seating).rich(TITLES[seating]))
    print_end(console, summary)
