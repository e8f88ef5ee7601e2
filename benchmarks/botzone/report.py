"""The report of a run of BotzoneBench: one table, its reasons, and every game below."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.botzone import plots, tables
from stratagym.benchmarks.botzone.brief import in_brief
from stratagym.benchmarks.botzone.summary import FEW_DECIDED
from stratagym.benchmarks.harness.botzone_games import BY_GAME
from stratagym.benchmarks.replaying.album import add_replays
from stratagym.benchmarks.reporting import levels
from stratagym.benchmarks.reporting.own import add_words, print_words
from stratagym.benchmarks.reporting.page import Page, number_of
from stratagym.benchmarks.reporting.sections import add_models, add_run, model_table

Summary = Mapping[str, Any]


def write(folder: Path, summary: Summary) -> None:
    """Write the figures, ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        "BotzoneBench",
        "How far policies climb the ladders of opponents in the games of BotzoneBench, which "
        "mistakes they make, and what it costs. Intervals are 95%, over seeds.",
    )
    played = sum(
        level["games"]
        for own in summary["games"].values()
        for row in own.values()
        for level in row["levels"]
    )
    page.figures_in_brief(
        [
            number_of(played, "game"),
            number_of(len(config["policies"]), "policy", "policies"),
            (f"{len(summary['games'])} of {len(BY_GAME)}", "ladders"),
        ]
    )
    if config["as_published"]:
        page.note(
            "The run follows the paper's protocol and its judges' rules, but the ladders are this "
            "project's: levels are not those of the paper, and have no ratings under these rules."
        )
    page.bullets(in_brief(summary))
    _write_skill(page, folder, summary)
    _write_answers(page, folder, summary)
    _write_movers(page, summary)
    _write_play(page, summary)
    _write_alike(page, folder, summary)
    page.heading("Game by game")
    for game in summary["games"]:
        levels.write_game(page, summary, game, 3)
    page.heading("Definitions")
    page.bullets(levels.WORDS)
    add_words(page, *levels.owns(summary))
    add_models(page, summary)
    add_replays(page, folder)
    add_run(page, config)
    page.write(folder)


def _write_skill(page: Page, folder: Path, summary: Summary) -> None:
    page.heading("Skill")
    page.table(
        tables.skill_table(summary),
        "The highest level reached and the **progress** on it (the paper's table 2), with the "
        "interval of the progress.",
    )
    if tables.any_few(summary):
        page.note(
            f"{tables.FEW} A lower level was passed on few decided games: fewer than "
            f"{FEW_DECIDED}, or less than a quarter of the games at that level. Draws do not count "
            "for passing: one win in thirty-two games passes a level if the other games are drawn.",
            warning=True,
        )
    page.table(
        tables.progress_table(summary),
        "**Share of each ladder climbed**, 1 if the last level is passed. Ladders have different "
        "numbers of steps, which are not the same distance apart, so the mean is only a summary. "
        "The intervals cover that a level may be passed or missed by luck; the interval of the "
        "mean takes the errors of the games as independent.",
    )
    page.figure(
        levels.draw_levels(folder, summary),
        "Level and progress; the bar is the interval of the progress within the level. A policy "
        "that passed the last level is *topped*.",
        "Levels of all policies, a panel for each game",
    )
    with page.details("Wins, draws and losses, level by level (the paper's tables A1 to A6)"):
        for level, table in tables.level_tables(summary):
            page.table(table, f"**Lv{level}**")


def _write_answers(page: Page, folder: Path, summary: Summary) -> None:
    if not summary["answers"]:
        return
    page.heading("Mistakes")
    page.table(
        tables.error_table(summary),
        "Decisions answered well at the first try, shares of all answers that were illegal, "
        "unreadable or too late, games lost by them, and requests that were not answered.",
    )
    page.bullets(tables.reasons(summary))
    page.heading("Thinking")
    page.table(
        tables.token_table(summary),
        "Tokens for a decision, with all its answers. Reasoning is listed separately if the "
        "server counts it; otherwise it is included in the tokens of the reply.",
    )
    if plots.has_thinking(summary):
        page.figure(
            plots.draw_thinking(folder, summary),
            "Left: what a decision costs in tokens of reply and reasoning, and how much of the "
            "ladder was climbed, a point for each game. Right: the same tokens by the level of the "
            "opponent, as a multiple of those at Lv0.",
            "Tokens for a decision against the share of the ladder climbed, and by level",
        )


def _write_movers(page: Page, summary: Summary) -> None:
    if not summary["movers"]:
        return
    page.heading("First and second mover")
    page.table(
        tables.mover_table(summary),
        "Wins, draws and losses as first and as second mover, as the paper's table 6 counts wins. "
        "The **advantage** is the mean of a seed's points (1, ½, 0) as first mover minus its "
        "points as second mover, against the same opponent, with an interval over seeds (in board "
        "games over pairs of games). Above 0 it pays to move first. In Fight the Landlord the "
        "first mover is the landlord, in mahjong the side of East.",
    )


def _write_play(page: Page, summary: Summary) -> None:
    shown = [(game, table) for game, table in tables.play_tables(summary) if table.rows]
    patterns = list(tables.pattern_tables(summary))
    if not shown and not patterns:
        return
    page.heading("How they played")
    for game, table in shown:
        page.table(table, BY_GAME[game].play_title)
    for table in patterns:
        page.table(
            table,
            "**Patterns of winning hands** (the paper's table 4): the number of different "
            "patterns, in total and by value, and their share of all patterns in all wins. A "
            "policy that wins more shows more patterns, so compare the number expected in 20 wins.",
        )


def _write_alike(page: Page, folder: Path, summary: Summary) -> None:
    known = [pair for pair in summary["alike"]["pairs"] if pair["correlation"] is not None]
    if not known:
        return
    page.heading("How alike the games are")
    fewest = min(pair["policies"] for pair in known)
    page.figure(
        plots.draw_alike(folder, summary),
        f"Spearman's rank correlation of the shares climbed, over the policies that played both "
        f"games (at least {fewest}). With few policies it says little.",
        "Rank correlations between the games",
    )


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    console.print(tables.skill_table(summary).rich("BotzoneBench"))
    print_words(console, *levels.owns(summary))
    if summary["answers"]:
        console.print(tables.error_table(summary).rich("Mistakes"))
        console.print(tables.token_table(summary).rich("Tokens for a decision"))
    if summary["movers"]:
        console.print(tables.mover_table(summary, pooled=True).rich("First mover's advantage"))
    if summary["models"]:
        console.print(model_table(summary).rich("Language models"))
