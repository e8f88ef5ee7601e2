"""The report of board games against solvers: results, the quality of moves, ratings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from stratagym.benchmarks.board_solvers.boards import BOARDS
from stratagym.benchmarks.replaying.album import add_replays
from stratagym.benchmarks.reporting.cross_table import wdl
from stratagym.benchmarks.reporting.own import add_words, marked, print_words
from stratagym.benchmarks.reporting.page import NOTHING, Page, RateCell, Table, code, count, number
from stratagym.benchmarks.reporting.sections import RATINGS, add_models, add_run, model_table

Summary = Mapping[str, Any]


def quality_table(summary: Summary, board: str) -> Table:
    """Results against the solver, and how good the moves were."""
    table = Table(["policy", "W-D-L", "top 1", "chance", "top 3", BOARDS[board].loss])
    for name, row in summary["boards"][board]["policies"].items():
        lost = row["score_loss"]["value"]
        table.rows.append(
            [
                code(name),
                wdl(row, nothing=NOTHING),
                RateCell(row["top_1"]),
                number(row["top_1"]["chance"]),
                RateCell(row["top_3"]),
                "–" if lost is None else f"{lost:.2f}",
            ]
        )
    found = summary["boards"][board]
    return marked(table, [[name] for name in found["policies"]], found["own"])


def legality_table(summary: Summary, board: str) -> Table:
    """Illegal moves of language models; no rows where only built-in policies played."""
    table = Table(
        ["model", "mean illegal answers per turn (IMT)", "games lost by illegal answers (IML)"]
    )
    for name, row in summary["boards"][board]["policies"].items():
        imt, iml = row["illegal_moves_per_turn"], row["games_lost_by_illegal_moves"]
        if iml is not None:
            table.rows.append([code(name), "–" if imt is None else f"{imt:.2f}", RateCell(iml)])
    return table


def rating_table(summary: Summary, board: str) -> Table:
    """Bradley-Terry with its interval, and Elo's fixed point."""
    table = Table(["player", "Bradley-Terry", "95%", "Elo", "points", "games"])
    ratings = summary["boards"][board]["ratings"]
    rows = sorted(ratings.items(), key=lambda item: -item[1]["bradley_terry"])
    for name, row in rows:
        table.rows.append(
            [
                code(name),
                f"{row['bradley_terry']:.0f}",
                f"[{row['low']:.0f}, {row['high']:.0f}]",
                f"{row['elo']:.0f}",
                f"{row['points']:g}",
                count(row["games"]),
            ]
        )
    return marked(table, [[name] for name, _ in rows], summary["boards"][board]["own"])


def write(folder: Path, summary: Summary) -> None:
    """Write ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        "Board games against solvers",
        "Top k is the share of moves among the solver's best k, where equal scores share a rank; "
        "chance is the same share for a random legal move. Intervals are 95%, over games.",
    )
    for board in config["boards"]:
        page.heading(BOARDS[board].title)
        page.text(
            f"{config['games'][board]} games per pairing, with the sides swapped after half of "
            f"them; opponent and judge: {code(config['solvers'][board])}."
        )
        if board in config.get("openings", {}):
            page.text(
                f"Every game begins with {config['openings'][board]} random moves, which no figure "
                "counts; both sides play from the same positions."
            )
        with page.games(f"{board}/"):
            page.table(quality_table(summary, board))
            legality = legality_table(summary, board)
            if legality.rows:
                page.table(legality, "Illegal moves")
            page.table(rating_table(summary, board), "Ratings of all games")
    page.heading("Definitions")
    add_words(page, *_owns(summary))
    page.bullets(
        [
            "**IMT**: mean number of illegal or unreadable answers per turn in which the model was "
            "asked.",
            "**IML**: share of all games that the model lost because none of its "
            f"{1 + config['retries_illegal']} answers was a legal move.",
            "**Score loss**: the best score minus the score of the move, at most 1000; in chess "
            "in centipawns, elsewhere in the solver's points (a later win or a sooner loss).",
            *(
                f"**{loss[0].upper()}{loss[1:]}**: the same in {game}, in {loss.split()[0]} at "
                "the end of the game."
                for loss, game in (("discs lost", "reversi"), ("points lost", "go"))
                if any(BOARDS[board].loss == loss for board in config["boards"])
            ),
            RATINGS,
        ]
    )
    add_models(page, summary)
    add_replays(page, folder)
    add_run(page, config)
    page.write(folder)


def _owns(summary: Summary) -> list[tuple[str, Mapping[str, Any]]]:
    return [(BOARDS[board].title, found["own"]) for board, found in summary["boards"].items()]


def screen(console: Console, summary: Summary) -> None:
    """Print the final tables."""
    for board in summary["config"]["boards"]:
        solver = summary["config"]["solvers"][board]
        console.print(quality_table(summary, board).rich(f"{BOARDS[board].title} against {solver}"))
        legality = legality_table(summary, board)
        if legality.rows:
            console.print(legality.rich("Illegal moves"))
        console.print(rating_table(summary, board).rich("Ratings"))
    print_words(console, *_owns(summary))
    if summary["models"]:
        console.print(model_table(summary).rich("Language models"))
