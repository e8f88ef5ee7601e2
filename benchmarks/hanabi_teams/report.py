"""The report of Hanabi in teams: scores by number of players, process metrics, teammates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from stratagym.benchmarks.replaying.album import end_report
from stratagym.benchmarks.reporting.cross_table import draw_cross_table
from stratagym.benchmarks.reporting.games import Games
from stratagym.benchmarks.reporting.own import (
    NO_RESULT,
    add_words,
    is_result,
    marked,
    print_words,
)
from stratagym.benchmarks.reporting.page import (
    NOTHING,
    Page,
    RateCell,
    Table,
    code,
    count,
    mean_text,
)
from stratagym.benchmarks.reporting.plots import drawing, looks
from stratagym.benchmarks.reporting.sections import (
    cut_short,
    model_table,
)

Summary = Mapping[str, Any]
FULL_SCORE = 25


def _rows(summary: Summary, part: str, players: int) -> list[dict[str, Any]]:
    return [row for row in summary[part] if row["players"] == players]


def _marked(table: Table, summary: Summary, players: int) -> Table:
    """A table with a row for each team of one policy, with what was not the policies' own."""
    rows = _rows(summary, "teams", players)
    begin = _begin(summary, players)
    table.games = [Games(matches=f"{begin}{row['policy']}/{row['policy']}/") for row in rows]
    return marked(table, [[row["policy"]] for row in rows], summary["own"])


def _begin(summary: Summary, players: int) -> str:
    """What the names of all games with so many players begin with."""
    return f"{players}p-{summary['config']['rules'][players]['score']}/"


def score_table(summary: Summary, players: int) -> Table:
    """The three scores of teams of one policy."""
    table = Table(["team of", "strict", "keep", "SPIN", "published", "games", "cut short"])
    for row in _rows(summary, "teams", players):
        table.rows.append(
            [
                code(row["policy"]),
                *(RateCell(row[s], 0, FULL_SCORE) for s in ("strict", "keep", "spin")),
                NOTHING if row["published"] is None else f"{row['published']:.0f}",
                count(row["games"]),
                cut_short(row),
            ]
        )
    return _marked(table, summary, players)


def end_table(summary: Summary, players: int) -> Table:
    """How games of teams of one policy ended, and how far they are from the best team."""
    table = Table(["team of", "perfect", "all lives lost", "strict minus best team"])
    for row in _rows(summary, "teams", players):
        shares = (RateCell(row[name]) for name in ("perfect", "all_lives_lost"))
        table.rows.append([code(row["policy"]), *shares, mean_text(row["to_best"], sign="+")])
    return _marked(table, summary, players)


def short_score_table(summary: Summary, players: int) -> Table:
    """The scores of teams of one policy, as a screen has room for."""
    table = Table(["team of", "strict", "keep", "SPIN", "games"])
    for row in _rows(summary, "teams", players):
        scores = [mean_text(row[s], 1) for s in ("strict", "keep", "spin")]
        table.rows.append([code(row["policy"]), *scores, count(row["games"])])
    return _marked(table, summary, players)


def _within(rate: Mapping[str, Any] | None) -> str:
    """``17.1 ±0.4``, by the longer side of the interval."""
    if rate is None or rate["value"] is None:
        return NOTHING
    if rate["low"] is None:
        return mean_text(rate, 1)
    side = max(rate["value"] - rate["low"], rate["high"] - rate["value"])
    return f"{rate['value']:.1f} ±{side:.1f}"


def cases_table(summary: Summary, players: int) -> Table:
    """Denominators of the process metrics."""
    of = {
        "moves": "hints",
        "hints": "useful_hints",
        "plays": "misplays",
        "discards": "useless_discards",
        "discards and misplays": "critical_losses",
    }
    table = Table(["team of", *of])
    for row in _rows(summary, "teams", players):
        cases = [count(row["process"][name]["n"]) for name in of.values()]
        table.rows.append([code(row["policy"]), *cases])
    return table


def process_table(summary: Summary, players: int, names: list[str]) -> Table:
    """Process metrics of teams of one policy, with their denominators."""
    table = Table(["team of", *(name.replace("_", " ") for name in names)])
    for row in _rows(summary, "teams", players):
        cells = [RateCell(row["process"][name], strip=False) for name in names]
        table.rows.append([code(row["policy"]), *cells])
    return _marked(table, summary, players)


def mixed_table(summary: Summary, players: int) -> Table:
    """Every policy among every teammate."""
    table = Table(
        ["team", "strict", "keep", "lives lost", "minus the two own teams", "games", "cut short"]
    )
    for row in _rows(summary, "mixed", players):
        others = players - 1
        table.rows.append(
            [
                f"{code(row['policy'])} and {others} {code(row['teammate'])}",
                RateCell(row["strict"], 0, FULL_SCORE),
                RateCell(row["keep"], 0, FULL_SCORE),
                RateCell(row["all_lives_lost"], strip=False),
                mean_text(row["to_own_teams"], sign="+"),
                count(row["games"]),
                cut_short(row),
            ]
        )
    rows = _rows(summary, "mixed", players)
    # With two players either is the other's teammate, and gives the games their name.
    begin = _begin(summary, players)
    table.games = [Games((row["policy"], row["teammate"]), begin) for row in rows]
    return marked(table, [(row["policy"], row["teammate"]) for row in rows], summary["own"])


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
        "over deals; the mark on a strip is a team of random players.",
    )
    page.figures_in_brief(
        [
            (count(summary["games"]), "games"),
            (str(len(config["named"])), "policies"),
        ]
    )
    page.figure(
        draw_scores(folder, summary),
        "Strict scores: a team that loses all its lives has 0 points.",
        "Mean scores by number of players",
    )
    for players in config["players"]:
        page.heading(f"{players} players")
        page.table(score_table(summary, players), "Teams of one policy")
        page.table(end_table(summary, players), "How their games ended")
        first, second = process_names(summary)
        page.table(process_table(summary, players, first), "How they played: shares")
        page.table(process_table(summary, players, second), "How they played: means per game")
        with page.details("Denominators of the shares"):
            page.table(cases_table(summary, players))
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


def process_names(summary: Summary) -> tuple[list[str], list[str]]:
    """Names of the process metrics: shares, and means a game."""
    names = list(summary["teams"][0]["process"])
    return names[:7], names[7:]


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    for players in summary["config"]["players"]:
        console.print(short_score_table(summary, players).rich(f"{players} players, own teams"))
        if summary["config"]["teammates"]:
            console.print(
                cross_table(summary, players).rich(f"{players} players, among teammates: strict")
            )
    print_words(console, ("", summary["own"]))
    if summary["models"]:
        console.print(model_table(summary).rich("Language models"))
