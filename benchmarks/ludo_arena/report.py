"""The report of whole games between policies: win-rate matrices and how each side played."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.replaying.album import end_report
from stratagym.benchmarks.reporting.columns import Column, Columns, rate, table_of
from stratagym.benchmarks.reporting.cross_table import both_ways, draw_cross_table
from stratagym.benchmarks.reporting.games import Games
from stratagym.benchmarks.reporting.own import add_words
from stratagym.benchmarks.reporting.page import NOTHING, Page, Table, code, count, number, number_of
from stratagym.benchmarks.reporting.sections import cut_short, print_end

Summary = Mapping[str, Any]


def _players(summary: Summary) -> list[int]:
    return sorted({row["players"] for row in summary["pairings"]})


def _rows(summary: Summary, players: int) -> list[dict[str, Any]]:
    return [row for row in summary["pairings"] if row["players"] == players]


PAIRING: Columns = {
    "pairing": lambda row: f"{code(row['one'])} v {code(row['rest'])}",
    "wins": rate("win_rate"),
    "chance": lambda row: number(row["win_rate"]["chance"]),
    "games": lambda row: count(row["win_rate"]["n"]),
    "plies": lambda row: NOTHING if row["mean_plies"] is None else f"{row['mean_plies']:.0f}",
    "cut short": cut_short,
}


def pairing_table(summary: Summary, players: int) -> Table:
    """One row per pairing: win rate, chance, games, plies per game, games not played to the end."""
    return table_of(_rows(summary, players), PAIRING, summary["own"], ("one", "rest"), games=_games)


def _games(row: Mapping[str, Any]) -> Games:
    """The games of a pairing."""
    return Games(matches=f"{row['players']}p/{row['one']}/{row['rest']}/")


def process_table(summary: Summary, players: int) -> Table:
    """What a seat of each side did in a game, on average."""
    sides = [
        {"side": row[side], "against": row[other], "pairing": row, "means": row["process"][side]}
        for row in _rows(summary, players)
        for side, other in (("one", "rest"), ("rest", "one"))
        if row["process"]
    ]
    names = list(sides[0]["means"]) if sides else []
    columns: Columns = {
        "side": lambda row: f"{code(row['side'])} against {code(row['against'])}",
        **{name.replace("_", " "): _value(name) for name in names},
    }
    return table_of(
        sides, columns, summary["own"], ("side",), games=lambda row: _games(row["pairing"])
    )


def _value(name: str) -> Column:
    return lambda row: f"{row['means'][name]['value']:.2f}"


def draw_matrix(folder: Path, summary: Summary, players: int) -> Path:
    """Win rate of the row's policy against one or several players of the column's policy."""
    names = [policy["name"] for policy in summary["config"]["policies"]]
    rates = {(row["one"], row["rest"]): row["win_rate"] for row in _rows(summary, players)}
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
        "Whole games between policies. Every seed is played once from each seat. Intervals are "
        "95%, over seeds; only a sole winner counts as a win.",
    )
    page.figures_in_brief(
        [
            number_of(sum(row["win_rate"]["n"] for row in summary["pairings"]), "game"),
            number_of(len(config["policies"]), "policy", "policies"),
        ]
    )
    for players in _players(summary):
        rest = "" if players == 2 else f", one against {players - 1} of the other"
        page.heading(f"{players} players{rest}")
        page.figure(
            draw_matrix(folder, summary, players),
            f"The chance level is {number(1 / players)}; cells in bold differ from it.",
            f"Matrix of win rates with {players} players",
        )
        page.table(pairing_table(summary, players))
        with page.details("How each side played: means per game and seat"):
            page.table(process_table(summary, players))
    add_words(page, ("", summary["own"]))
    end_report(page, folder, summary)


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    for players in _players(summary):
        console.print(pairing_table(summary, players).rich(f"{players} players"))
    print_end(console, summary)
