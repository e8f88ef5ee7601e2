"""The report of a tournament: ratings, the cross table, answers of language models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from stratagym.benchmarks.replaying.album import add_replays
from stratagym.benchmarks.reporting.cross_table import both_ways, draw_cross_table, wdl_table
from stratagym.benchmarks.reporting.own import NOT_MEASURED, add_words, marked, print_words
from stratagym.benchmarks.reporting.page import (
    NOTHING,
    Page,
    RateCell,
    Table,
    code,
    count,
    number,
    number_of,
    plain_text,
)
from stratagym.benchmarks.reporting.sections import (
    RATINGS,
    add_failures,
    add_run,
    model_table,
    repeated,
)
from stratagym.envs import spec

Summary = Mapping[str, Any]


def rating_table(summary: Summary) -> Table:
    """Players by rating, with forfeits and games that were broken off and continued."""
    table = Table(
        ["player", "Bradley-Terry", "95%", "Elo", "points", "games", "forfeits", "continued"]
    )
    rows = _by_rating(summary)
    for name, row in rows:
        if row["bradley_terry"] is None:
            forfeits = RateCell(row["forfeits"], strip=False)
            breaks = count(row["transport_breaks"])
            unrated: list[str | RateCell] = [
                code(name),
                NOT_MEASURED,
                NOTHING,
                NOTHING,
                "0",
                "0",
                forfeits,
                breaks,
            ]
            table.rows.append(unrated)
            continue
        table.rows.append(
            [
                code(name),
                f"{row['bradley_terry']:.0f}",
                f"[{row['low']:.0f}, {row['high']:.0f}]",
                f"{row['elo']:.0f}",
                f"{row['points']:g}",
                count(row["games"]),
                RateCell(row["forfeits"], strip=False),
                count(row["transport_breaks"]),
            ]
        )
    return marked(table, [[name] for name, _ in rows], summary["own"], nothing=NOT_MEASURED)


def repeat_notes(summary: Summary) -> list[str]:
    """A remark on every pairing whose games repeat each other."""
    rows = (row for row in summary["pairings"] if "repeats" in row)
    return [repeated(row["a"], row["b"], row["repeats"]) for row in rows]


def _by_rating(summary: Summary) -> list[tuple[str, Mapping[str, Any]]]:
    """The players, best rated first."""
    rows = summary["policies"].items()
    return sorted(rows, key=lambda item: -(item[1]["bradley_terry"] or -np.inf))


def role_table(summary: Summary) -> Table:
    """The first policy's score in each role, by pairing; no rows if all roles are alike."""
    return _split_table(summary, "roles", "as {}")


def mover_table(summary: Summary) -> Table:
    """The first policy's score where its side moved first and second; no rows without turns."""
    return _split_table(summary, "movers", "moving {}")


def _split_table(summary: Summary, part: str, heading: str) -> Table:
    rows = [row for row in summary["pairings"] if part in row]
    names = list(rows[0][part]) if rows else []
    table = Table(["policy", "against", *(heading.format(name) for name in names)], left=[1])
    for row in rows:
        rates = (RateCell(rate, strip=False) for rate in row[part].values())
        table.rows.append([code(row["a"]), code(row["b"]), *rates])
    return marked(table, [(row["a"], row["b"]) for row in rows], summary["own"], behind=2)


def draw(folder: Path, summary: Summary) -> Path:
    """Heat map of every row player's score against every column player, best rated first."""
    names = [name for name, _ in _by_rating(summary)]
    scores = {(row["a"], row["b"]): row["score"] for row in summary["pairings"]}
    size = 0.62 * len(names)
    return draw_cross_table(
        folder, "cross_table", names, names, both_ways(scores),
        size=(2.4 + size, 1.6 + 0.62 * size), colours="RdBu", limits=(0.0, 1.0), level=0.5,
        text=lambda rate: number(rate["value"]), below=True,
    )  # fmt: skip


def write(folder: Path, summary: Summary) -> None:
    """Write ``report.md``, ``report.html`` and the cross table as a picture."""
    config = summary["config"]
    page = Page(
        f"{spec(config['game']).title}: a tournament",
        "A score counts a draw as half a win. Intervals are 95%, over seeds; every seed was played "
        "from both seats.",
    )
    rounds = "" if config["rounds"] is None else f", {config['rounds']} rounds"
    page.figures_in_brief(
        [
            number_of(len(summary["policies"]), "policy", "policies"),
            number_of(sum(row["score"]["n"] for row in summary["pairings"]), "game"),
            number_of(config["games"], "game per pairing", "games per pairing"),
            (config["format"].replace("_", " "), f"format{rounds}"),
        ]
    )
    page.heading("Ratings")
    page.table(rating_table(summary))
    add_words(page, ("", summary["own"]))
    page.heading("Cross table")
    page.figure(
        draw(folder, summary),
        "Score of the row against the column; bold where the interval excludes one half.",
        "Heat map of scores between all policies",
    )
    page.table(wdl_table(summary))
    roles = role_table(summary)
    if roles.rows:
        page.table(roles, "Scores by role, on the same seeds")
    movers = mover_table(summary)
    if movers.rows:
        page.table(movers, "Scores by who moved first, on the same seeds")
    if summary["models"]:
        page.heading("Language models")
        page.table(model_table(summary), "Answers by kind")
        add_failures(page, summary)
    for said in repeat_notes(summary):
        page.note(said, warning=True)
    page.heading("Definitions")
    page.bullets(
        [
            RATINGS,
            "**Forfeits**: share of games lost because no legal answer came, or none in time.",
            "**Continued**: how often a game was broken off by a transport failure and then "
            "continued; the failure never counts as play.",
            "**Different**: how many of the games are no repeats of another one with the same "
            "moves and the same first player.",
        ]
    )
    add_replays(page, folder)
    add_run(page, config)
    page.write(folder)


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    config = summary["config"]
    console.print(rating_table(summary).rich(f"{spec(config['game']).title}: ratings"))
    print_words(console, ("", summary["own"]))
    console.print(wdl_table(summary, full=False).rich("Pairings"))
    for said in repeat_notes(summary):
        console.print(plain_text(said), highlight=False, markup=False)
    roles = role_table(summary)
    if roles.rows:
        console.print(roles.rich("Scores by role"))
    if summary["models"]:
        console.print(model_table(summary).rich("Language models"))
