"""The report of Hanabi in teams: scores by number of players, process metrics, teammates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from stratagym.benchmarks.hanabi_teams.summary import A_GAME, FULL_SCORE, RATES
from stratagym.benchmarks.replaying.album import end_report
from stratagym.benchmarks.reporting.columns import (
    Column,
    Columns,
    mean,
    named,
    rate,
    rates,
    table_of,
    total,
)
from stratagym.benchmarks.reporting.cross_table import draw_cross_table
from stratagym.benchmarks.reporting.games import Games
from stratagym.benchmarks.reporting.own import NO_RESULT, add_words, is_result, marked
from stratagym.benchmarks.reporting.page import (
    NOTHING,
    Page,
    Table,
    code,
    count,
    mean_text,
    number_of,
)
from stratagym.benchmarks.reporting.plots import drawing, looks
from stratagym.benchmarks.reporting.sections import cut_short, print_end

Summary = Mapping[str, Any]


def _cases(name: str) -> Column:
    return lambda row: count(row["process"][name]["n"])


CASES: Columns = {
    "moves": _cases("hints"),
    "hints": _cases("useful_hints"),
    "plays": _cases("misplays"),
    "discards": _cases("useless_discards"),
    "discards and misplays": _cases("critical_losses"),
}
"""What the process metrics are shares of."""
OWN_TEAMS: dict[str, Columns] = {
    "Teams of one policy": {
        **{name: rate(name.lower(), 0, FULL_SCORE) for name in ("strict", "keep", "SPIN")},
        "published": lambda row: NOTHING if row["published"] is None else f"{row['published']:.0f}",
        "games": total(),
        "cut short": cut_short,
    },
    "How their games ended": {
        "perfect": rate("perfect"),
        "all lives lost": rate("all_lives_lost"),
        "strict minus best team": mean("to_best", sign="+"),
    },
    "How they played: shares": rates(RATES, "process"),
    "How they played: means per game": rates(A_GAME, "process"),
}
"""The tables of teams of one policy by their captions, behind the column of the policies."""
SHORT: Columns = {
    **{name: mean(name.lower(), 1) for name in ("strict", "keep", "SPIN")},
    "games": total(),
}
"""The scores as a screen has room for."""
MIXED: Columns = {
    "team": lambda row: f"{code(row['policy'])} and {row['players'] - 1} {code(row['teammate'])}",
    "strict": rate("strict", 0, FULL_SCORE),
    "keep": rate("keep", 0, FULL_SCORE),
    "lives lost": rate("all_lives_lost", strip=False),
    "minus the two own teams": mean("to_own_teams", sign="+"),
    "games": total(),
    "cut short": cut_short,
}


def _rows(summary: Summary, part: str, players: int) -> list[dict[str, Any]]:
    return [row for row in summary[part] if row["players"] == players]


def team_table(summary: Summary, players: int, columns: Columns, *, owned: bool = True) -> Table:
    """A row for each team of one policy; ``owned`` tells what was not the policies' own."""
    begin = _begin(summary, players)
    return table_of(
        _rows(summary, "teams", players), {"team of": named(), **columns},
        summary["own"] if owned else {},
        games=lambda row: Games(matches=f"{begin}{row['policy']}/{row['policy']}/"),
    )  # fmt: skip


def _begin(summary: Summary, players: int) -> str:
    """What the names of all games with so many players begin with."""
    return f"{players}p-{summary['config']['rules'][players]['score']}/"


def mixed_table(summary: Summary, players: int) -> Table:
    """Every policy among every teammate."""
    # With two players either is the other's teammate, and gives the games their name.
    who, begin = ("policy", "teammate"), _begin(summary, players)
    return table_of(
        _rows(summary, "mixed", players), MIXED, summary["own"], who,
        games=lambda row: Games((row["policy"], row["teammate"]), begin),
    )  # fmt: skip


def _within(rate: Mapping[str, Any] | None) -> str:
    """``17.1 ±0.4``, by the longer side of the interval."""
    if rate is None or rate["value"] is None:
        return NOTHING
    if rate["low"] is None:
        return mean_text(rate, 1)
    side = max(rate["value"] - rate["low"], rate["high"] - rate["value"])
    return f"{rate['value']:.1f} ±{side:.1f}"


def cross_table(summary: Summary, players: int) -> Table:
    """Mean strict scores: rows policies, columns teammates; an own team where they are the same."""
    grid, mates = _grid(summary, players), summary["config"]["teammates"]
    table = Table(["policy", *(code(mate) for mate in mates)])
    for name in summary["config"]["named"]:
        cells = [
            _within(grid.get((name, mate))) if is_result(summary["own"][mate]) else NO_RESULT
            for mate in mates
        ]
        table.rows.append([code(name), *cells])
    return marked(table, [[name] for name in summary["config"]["named"]], summary["own"])


def _grid(summary: Summary, players: int) -> dict[tuple[str, str], Mapping[str, Any]]:
    grid = {(r["policy"], r["teammate"]): r["strict"] for r in _rows(summary, "mixed", players)}
    return grid | {
        (row["policy"], row["policy"]): row["strict"] for row in _rows(summary, "teams", players)
    }


def draw_scores(folder: Path, summary: Summary) -> Path:
    """Mean strict scores of teams of one policy by number of players, with intervals."""
    config = summary["config"]
    names = list(dict.fromkeys([*config["named"], *config["teammates"]]))
    look = looks(names, names)
    with drawing(folder, "scores", 7.0, 4.2) as figure:
        axes = figure.subplots()
        for k, name in enumerate(names):
            rows = [
                row
                for row in summary["teams"]
                if row["policy"] == name and row["strict"]["value"] is not None
            ]
            if not rows:
                continue
            # Beside one another, so that intervals do not hide each other.
            at = [row["players"] + 0.04 * (k - (len(names) - 1) / 2) for row in rows]
            mean = np.array([row["strict"]["value"] for row in rows])
            ends = np.array([[row["strict"][x] for row in rows] for x in ("low", "high")], float)
            axes.errorbar(
                at,
                mean,
                yerr=np.abs(ends - mean),
                color=look[name].colour,
                marker=look[name].marker,
                markersize=5,
                linewidth=1.2,
                capsize=2.5,
                label=look[name].label,
            )
        axes.set_xticks(sorted(config["players"]))
        axes.set_xlabel("players")
        axes.set_ylabel("points of 25, strict")
        axes.set_ylim(-0.5, FULL_SCORE + 0.5)
        axes.grid(axis="y")
        axes.set_title("Teams of one policy: mean score and 95% interval", loc="left")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
    return folder / "scores.png"


def draw_teammates(folder: Path, summary: Summary, players: int) -> Path:
    """The cross table as a heat map; bold where a mixed team differs from the two own teams."""
    rows, columns = summary["config"]["named"], summary["config"]["teammates"]
    return draw_cross_table(
        folder, f"teammates_{players}p", rows, columns, _grid(summary, players),
        differences={
            (r["policy"], r["teammate"]): r["to_own_teams"]
            for r in _rows(summary, "mixed", players)
        },
        size=(2.2 + 1.25 * len(columns), 1.2 + 0.55 * len(rows)),
        colours="Blues", limits=(0, FULL_SCORE),
        text=lambda rate: mean_text(rate, 1).replace(" [", "\n["),
        title=f"The row's policy and {players - 1} of the column",
    )  # fmt: skip


def write(folder: Path, summary: Summary) -> None:
    """Write the figures, ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        "Hanabi in teams",
        "Every team plays the same deals. Scores are points of 25; intervals are 95%, "
        "over deals; the mark on a strip (in report.html) is a team of random players.",
    )
    page.figures_in_brief(
        [
            number_of(summary["games"], "game"),
            number_of(len(config["named"]), "policy", "policies"),
        ]
    )
    page.figure(
        draw_scores(folder, summary),
        "Strict scores: a team that loses all its lives has 0 points.",
        "Mean scores by number of players",
    )
    for players in config["players"]:
        page.heading(f"{players} players")
        for caption, columns in OWN_TEAMS.items():
            page.table(team_table(summary, players, columns), caption)
        with page.details("Denominators of the shares"):
            page.table(team_table(summary, players, CASES, owned=False))
        if config["teammates"]:
            page.figure(
                draw_teammates(folder, summary, players),
                "Strict scores of one policy among teammates, every deal played from every seat. "
                "Bold: the score differs from the mean of the two teams of one policy.",
                f"Scores among teammates with {players} players",
            )
            with page.details("Mixed teams in numbers"):
                page.table(mixed_table(summary, players))
    add_words(page, ("", summary["own"]))
    end_report(page, folder, summary, WORDS)


WORDS = (
    "**strict**: points, 0 once all lives are lost or the game is forfeited. **keep**: points in "
    "any case.",
    "**SPIN**: points before the game's last move, as SPIN-Bench logged them. SPIN-Bench dealt "
    "five cards to four players, so with four players this score comes from separate games under "
    "`score=spin`; with two, three and five players it comes from the same games.",
    "**perfect**, **all lives lost**: share of games with 25 points, and of those in which all "
    "lives were lost; Wilson intervals. **strict minus best team**: strict score minus that of the "
    "best team, on the same deals.",
    "**published**: mean score of that agent in Walton-Rivers et al. 2017, in round numbers.",
    "**hints**: share of all moves. **useful**: share of hints that rule something out about a "
    "card that is playable now. **repeated**: share of hints that rule nothing out.",
    "**misplays**: share of plays. **useless**, **playable discards**: share of discards of cards "
    "that can never be played any more, or that are playable now. **critical losses**: share of "
    "discards and misplays that lose the last copy of a card still needed.",
    "**points lost**: points out of reach at the end because all copies of a card are gone. "
    "**wasted tokens**: repeated hints, and fives played while no token was missing. **tokens "
    "left**: unused at the end.",
    "**minus the two own teams**: strict score minus the mean of the two policies' own teams, on "
    "the same deals.",
)


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    for players in summary["config"]["players"]:
        own = team_table(summary, players, SHORT)
        console.print(own.rich(f"{players} players, own teams"))
        if summary["config"]["teammates"]:
            console.print(
                cross_table(summary, players).rich(f"{players} players, among teammates: strict")
            )
    print_end(console, summary)
