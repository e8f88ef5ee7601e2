"""The report of a run on ladders: all games in one table, then game by game."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.replaying.album import add_replays
from stratagym.benchmarks.reporting.levels import (
    WORDS,
    draw_levels,
    level_table,
    model_table,
    owns,
    policy_names,
    repeat_notes,
    write_game,
)
from stratagym.benchmarks.reporting.own import COLUMN, add_words, print_words, share_text
from stratagym.benchmarks.reporting.page import NOTHING, Page, Table, code, number_of, plain_text
from stratagym.benchmarks.reporting.sections import add_models, add_run
from stratagym.benchmarks.reporting.sections import model_table as whole_model_table
from stratagym.envs import spec

Summary = Mapping[str, Any]


def overview_table(summary: Summary) -> Table:
    """Policies by games: level and progress, and the mean over games of both as one number."""
    table = Table(["policy", *(spec(game).title for game in summary["games"]), "mean"])
    for name in policy_names(summary):
        mean = summary["mean_level_progress"][name]
        shown = NOTHING if mean["value"] is None else f"{mean['value']:.2f}"
        if mean["games"] < mean["of"]:
            shown += f" ({mean['games']} of {mean['of']} games)"
        cells = [
            result_text(own[name], summary["own"][game].get(name)) if name in own else NOTHING
            for game, own in summary["games"].items()
        ]
        table.rows.append([code(name), *cells, shown])
    return table


def result_text(row: Mapping[str, Any], own: Mapping[str, Any] | None) -> str:
    """``Lv3, 45%``, and how much of the play was not the policy's own, if it was asked."""
    if own is None or not own["answers"]:
        return str(row["result"])
    return f"{row['result']}; {share_text(own)} {COLUMN}"


def write(folder: Path, summary: Summary) -> None:
    """Write the figure, ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        "Anchored levels",
        "Policies climb frozen ladders of opponents. To pass a level, a policy has to win half of "
        "the decided games. The level of a policy is the first that it did not pass; the progress "
        "is how close it came to passing. Intervals are 95%, over seeds; those of ratings by "
        "profile likelihood.",
    )
    games = summary["games"]
    played = sum(
        level["games"] for own in games.values() for row in own.values() for level in row["levels"]
    )
    page.figures_in_brief(
        [
            number_of(played, "game"),
            number_of(len(policy_names(summary)), "policy", "policies"),
            number_of(len(games), "ladder"),
        ]
    )
    page.figure(
        draw_levels(folder, summary),
        "Level and progress; the bar is the interval of the progress within the level. A policy "
        "that passed the last level is *topped*.",
        "Levels of all policies, a panel for each game",
    )
    if len(games) > 1:
        page.heading("All games")
        page.table(
            overview_table(summary),
            "Level and progress in each game. The mean is over level plus progress; it is only a "
            "summary, because levels of different games are not the same distance apart.",
        )
    for game in games:
        write_game(page, summary, game)
    page.heading("Definitions")
    page.bullets(WORDS)
    add_words(page, *owns(summary))
    add_models(page, summary)
    add_replays(page, folder)
    add_run(page, config)
    page.write(folder)


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    for game in summary["games"]:
        console.print(level_table(summary, game).rich(summary["anchors"][game]["ladder"]))
        for said in repeat_notes(summary, game):
            console.print(plain_text(said), highlight=False, markup=False)
        models = model_table(summary, game)
        if models.rows:
            console.print(models.rich("Language models"))
    if len(summary["games"]) > 1:
        console.print(overview_table(summary).rich("All games"))
    print_words(console, *owns(summary))
    if summary["models"]:
        console.print(whole_model_table(summary).rich("Language models, all games"))
