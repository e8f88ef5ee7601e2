"""The report of whole games between policies: win-rate matrices and how each side played."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.replaying.album import add_replays
from stratagym.benchmarks.reporting.cross_table import both_ways, draw_cross_table
from stratagym.benchmarks.reporting.games import Games
from stratagym.benchmarks.reporting.own import add_words, marked, print_words
from stratagym.benchmarks.reporting.page import Page, RateCell, Table, code, count, number
from stratagym.benchmarks.reporting.sections import (
    add_models,
    add_run,
    cut_short,
    model_table,
)

Summary = Mapping[str, Any]


def _players(summary: Summary) -> list[int]:
    return sorted({row["players"] for row in summary["pairings"]})


def pairing_table(summary: Summary, players: int) -> Table:
    """One row per pairing: win rate, chance, games, plies per game, games not played to the end."""
    table = Table(["pairing", "wins", "chance", "games", "plies", "cut short"])
    rows = [row for row in summary["pairings"] if row["players"] == players]
    for row in rows:
        rate, plies = row["win_rate"], row["mean_plies"]
        table.rows.append(
            [
                f"{code(row['one'])} v {code(row['rest'])}",
                RateCell(rate),
                number(rate["chance"]),
                count(rate["n"]),
                "–" if plies is None else f"{plies:.0f}",
                cut_short(row),
            ]
        )
    table.games = [_games(row) for row in rows]
    return marked(table, [(row["one"], row["rest"]) for row in rows], summary["own"])


def _games(row: Mapping[str, Any]) -> Games:
    """The games of a pairing."""
    return Games(matches=f"{row['players']}p/{row['one']}/{row['rest']}/")


def process_table(summary: Summary, players: int) -> Table:
    """What a seat of each side did in a game, on average."""
    rows = [row for row in summary["pairings"] if row["players"] == players and row["process"]]
    names = list(rows[0]["process"]["one"]) if rows else []
    table, sides = Table(["side", *(name.replace("_", " ") for name in names)]), []
    for row in rows:
        for side, against_whom in (("one", "rest"), ("rest", "one")):
            means = row["process"][side]
            table.rows.append(
                [
                    f"{code(row[side])} against {code(row[against_whom])}",
                    *(f"{means[name]['value']:.2f}" for name in names),
                ]
            )
            sides.append([row[side]])
    table.games = [_games(row) for row in rows for _ in range(2)]
    return marked(table, sides, summary["own"])


def draw_matrix(folder: Path, summary: Summary, players: int) -> Path:
    """Win rate of the row's policy against one or several players of the column's policy."""
    names = [policy["name"] for policy in summary["config"]["policies"]]
    rates = {
        (row["one"], row["rest"]): row["win_rate"]
        for row in summary["pairings"]
        if row["players"] == players
    }
    size = 1.25 * len(names)
    rest = "the column" if players == 2 else f"{players - 1} of the column"
    return draw_cross_table(
        folder, f"wins_{players}p", names, names, both_ways(rates) if players == 2 else rates,
        size=(1.9 + size, 1.3 + 0.55 * size), colours="RdBu", limits=(0, 2 / players),
        level=1 / players, text=_percent, title=f"Games won by the row against {rest}",
    )  # fmt: skip


def _percent(rate: Mapping[str, Any]) -> str:
    value, low, high = (100 * rate[key] for key in ("value", "low", "high"))
    return f"{value:.0f}%\n[{low:.0f}, {high:.0f}]"


def write(folder: Path, summary: Summary) -> None:
    """Write the figures, ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        "Ludo arena",
        "Whole games; every seed is played once from each seat. Intervals are 95%, over seeds; "
        "only a sole winner counts as a win.",
    )
    page.figures_in_brief(
        [
            (count(sum(row["win_rate"]["n"] for row in summary["pairings"])), "games"),
            (str(len(config["policies"])), "policies"),
        ]
    )
    for players in _players(summary):
        rest = "" if players == 2 else f", one against {players - 1} of the other"
        page.heading(f"{players} players{rest}")
        page.figure(
            draw_matrix(folder, summary, players),
            f"Chance is {number(1 / players)}; bold cells differ from it.",
            f"Matrix of win rates with {players} players",
        )
        page.table(pairing_table(summary, players))
        with page.details("How each side played: means per game and seat"):
            page.table(process_table(summary, players))
    add_words(page, ("", summary["own"]))
    add_models(page, summary)
    add_replays(page, folder)
    add_run(page, config)
    page.write(folder)


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    for players in _players(summary):
        console.print(pairing_table(summary, players).rich(f"{players} players"))
    print_words(console, ("", summary["own"]))
    if summary["models"]:
        console.print(model_table(summary).rich("Language models"))
