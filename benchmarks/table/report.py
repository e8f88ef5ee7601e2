"""The report of tables of any number of seats: standings, and how they depend on the seat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from stratagym.benchmarks.harness.standings import PARTS
from stratagym.benchmarks.replaying.album import end_report
from stratagym.benchmarks.reporting.games import Games
from stratagym.benchmarks.reporting.own import add_words, marked, print_words
from stratagym.benchmarks.reporting.page import Page, RateCell, Table, code, count, mean_text
from stratagym.benchmarks.reporting.plots import COLOURS, drawing, short_labels
from stratagym.benchmarks.reporting.sections import cut_short, model_table
from stratagym.benchmarks.table.seatings import MIXED, ONE, TEAMS
from stratagym.envs import core, spec
from stratagym.envs.views import seat_names

Summary = Mapping[str, Any]
Row = Mapping[str, Any]
TITLES = {
    MIXED: "All policies at one table",
    ONE: "One policy among seats of another",
    TEAMS: "Every seat of one policy",
}
PART_TITLES = {"by_seat": "seat", "by_side": "side", "by_role": "role"}
FIGURES = ("mean return", "mean rank", "first places")


def rows_of(summary: Summary, seating: str) -> Iterator[tuple[str, str, Row, Row]]:
    """(policy, those that it sits among, its standing, the table) of the tables of a seating."""
    for table in summary["tables"]:
        if table["seating"] != seating:
            continue
        names = table["policies"]
        for name in names[:1] if seating == ONE else names:
            yield name, names[-1] if seating == ONE else "", table["standings"][name], table


def standing_table(summary: Summary, seating: str) -> Table:
    """One row for each policy of each table: return, rank, first places, games.

    A team has no rank of its own: it has all of them.
    """
    among = ["among"] if seating == ONE else []
    figures = FIGURES[:1] if seating == TEAMS else FIGURES
    table = Table(["policy", *among, *figures, "games", "cut short"], left=[1] if among else [])
    names = []
    for name, rest, row, played in rows_of(summary, seating):
        table.rows.append(
            [
                code(name),
                *([code(rest)] if among else []),
                *figure_cells(row, strip=True)[: len(figures)],
                count(row["games"]),
                cut_short(played),
            ]
        )
        names.append([name, rest] if among else [name])
    table.games = [games_of(seating, row) for row in names]
    return marked(table, names, summary["own"], behind=1 + len(among))


def part_table(summary: Summary, seating: str, part: str) -> Table:
    """One row for each policy and seat, side or role; no rows where there is nothing to tell."""
    among = ["among"] if seating == ONE else []
    table = Table(
        ["policy", *among, PART_TITLES[part], *FIGURES, "times"], left=[1, 2] if among else [1]
    )
    names = []
    called = seats_called(summary["config"]) if part == "by_seat" else {}
    for name, rest, row, _ in rows_of(summary, seating):
        for label, own in row[part].items():
            table.rows.append(
                [
                    code(name),
                    *([code(rest)] if among else []),
                    called.get(label, label),
                    *figure_cells(own),
                    count(own["seats"]),
                ]
            )
            names.append([name, rest] if among else [name])
    table.games = [games_of(seating, row) for row in names]
    return marked(table, names, summary["own"], behind=2 + len(among))


def games_of(seating: str, names: Sequence[str]) -> Games:
    """The games of a table of a seating, by the policies that a row names."""
    own = "" if seating == MIXED else f"{'/'.join(names)}/"
    return Games((names[0],), f"{seating}/{own}")


def seats_called(config: Mapping[str, Any]) -> dict[str, str]:
    """By their numbers, the names that a game has for its seats; empty where it has none."""
    game = spec(config["game"])
    rules = game.make_rules(**config["rules"])
    states, (_, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(0), probs)
    names = seat_names(game.module("view"), rules, states[0])
    if all(str(seat) in name for seat, name in enumerate(names)):
        return {}
    return {str(seat): name for seat, name in enumerate(names)}


def figure_cells(row: Row, strip: bool = False) -> list[str | RateCell]:
    """The cells of ``FIGURES``."""
    return [
        mean_text(row["return"]),
        mean_text(row["rank"]),
        RateCell(row["first"], strip=strip),
    ]


def draw_ranks(folder: Path, summary: Summary, seating: str) -> Path:
    """Mean ranks with their intervals, the best on the left, and where equal players are."""
    rows = [row for row in rows_of(summary, seating) if row[2]["rank"]["value"] is not None]
    labels = short_labels([f"{name} among {rest}" if rest else name for name, rest, *_ in rows], 40)
    with drawing(folder, f"ranks_{seating}", 6.0, 1.2 + 0.4 * len(rows)) as figure:
        axes = figure.subplots()
        for at, (_, _, row, _) in enumerate(rows):
            rank = row["rank"]
            low, high = (rank[end] if rank[end] is not None else rank["value"]
                         for end in ("low", "high"))  # fmt: skip
            axes.errorbar(
                [rank["value"]], [at], xerr=[[rank["value"] - low], [high - rank["value"]]],
                fmt="o", color=COLOURS[0], markersize=5, capsize=2.5,
            )  # fmt: skip
        if rows:
            axes.axvline(rows[0][2]["rank"]["chance"], color=COLOURS[1], linestyle="--")
        axes.set_yticks(range(len(rows)), list(labels.values()))
        axes.set_ylim(max(1, len(rows)) - 0.5, -0.5)
        axes.set_xlabel("mean rank, 1 is the best")
        axes.grid(axis="x")
    return folder / f"ranks_{seating}.png"


def write(folder: Path, summary: Summary) -> None:
    """Write the figures, ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        f"{spec(config['game']).title}: tables of {config['seats']} seats",
        "Every seed is played once from each seat. Intervals are 95%, over seeds.",
    )
    page.figures_in_brief(
        [
            (count(summary["games"]), "games"),
            (str(len(config["named"])), "policies"),
            (str(config["seats"]), "seats"),
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
    print_words(console, ("", summary["own"]))
    if summary["models"]:
        console.print(model_table(summary).rich("Language models"))
