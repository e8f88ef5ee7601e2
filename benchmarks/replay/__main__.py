"""Step through a recorded game, in the terminal or as one page for a browser.

    python -m benchmarks.replay RUN --list
    python -m benchmarks.replay RUN --match 3
    python -m benchmarks.replay RUN --match 3 --html game.html
    python -m benchmarks.replay RUN --game chess --html games.html
    python -m benchmarks.replay RUN --policies llm --ended-by forfeit --list

The game is played again from its rules, seed and actions, and a line says whether the outcome
agrees with the record. The decisions of a run without games, such as LudoBench's spots, are shown
one by one.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from cyclopts import Parameter
from rich.table import Table

from stratagym.benchmarks.harness import cli, replays
from stratagym.benchmarks.harness.progress import progress_bar
from stratagym.benchmarks.harness.records import read_config
from stratagym.benchmarks.harness.replays import Replay, Run
from stratagym.benchmarks.replaying import page
from stratagym.benchmarks.replaying.album import album
from stratagym.benchmarks.replaying.credit import remarks
from stratagym.benchmarks.replaying.decisions import replay_decisions
from stratagym.benchmarks.replaying.evaluator import evaluator
from stratagym.benchmarks.replaying.seats import seen_by
from stratagym.benchmarks.replaying.terminal import Terminal
from stratagym.benchmarks.reporting.terminal import Screen, one_line, output_console, say

NAME = "replay"
DIAGRAMS = ("pictures", "text")
LISTED = 40
"""Games that are listed at most where several fit."""


@Parameter(name="*")
@dataclass(kw_only=True)
class Args:
    match: str | None = None
    """The game: its name, or its number in the list; for single decisions, the item."""
    policies: str | None = None
    """Only games with these policies, separated by commas; the beginning of a name is enough."""
    game: str | None = None
    """Only this game, such as chess."""
    ended_by: str | None = None
    """Only games that ended so: terminal, truncated, forfeit or transport."""
    kind: str | None = None
    """For single decisions, only those of this kind: ok, unparseable, illegal, transport or
    overtime."""
    list: bool = False
    """Only list the games that match."""
    all: bool = False
    """Print everything at once, including prompts; always so without a terminal."""
    html: str | None = None
    """Write a self-contained page for the browser to this file. If several games match, the page
    holds all of them, up to its maximum size."""
    diagrams: str = "pictures"
    """How the page shows boards: pictures, or text, which makes a much smaller page."""
    seat: int | None = None
    """Show the games as this seat saw them, without what was hidden from it."""
    evaluate: str | None = None
    """The judge of positions: an engine, such as "uci:stockfish?nodes=2000", scores every move; any
    other policy shows the move that it would play. Default: the game's solver, if it has one."""


def main(record: str, /, args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Step through a recorded game, in the terminal or as a page for the browser.

    Parameters
    ----------
    record
        Folder of a run, or its games.jsonl or decisions.jsonl, a log of Inspect (.json, .eval), or
        saved games of Diplomacy (.json, .jsonl).
    """
    cli.choice("--diagrams", args.diagrams, DIAGRAMS)
    console = output_console()
    run = replays.find(Path(record))
    games = _chosen(run, args) if run.games else []
    if args.list and run.games:
        _list(games, console)
        return
    if args.html is not None and len(games) > 1:
        found = album(
            run,
            [number for number, _ in games],
            pictures=args.diagrams == "pictures",
            remarks=remarks,
            seat=args.seat,
        )
        if not found.scenes:
            raise cli.InputError(found.problems[0])
        for problem in found.problems:
            say(f"{cli_name()}: {problem}")
        _write(Path(args.html), found.page(f"{run.folder}: replays"), console)
        return
    if len(games) > 1:
        _list(games, console)
        raise cli.InputError(f"{len(games)} games fit; choose one by number or name with --match")
    replay = run.replay(games[0][1]) if games else _single_decisions(run, args)
    if args.seat is not None:
        replay = seen_by(replay, args.seat)
    evaluate = evaluator(replay.positions[0].spec, args.evaluate)
    for problem in replay.problems:
        say(f"{cli_name()}: the record does not agree: {problem}")
    if args.html is not None:
        evaluations = [evaluate(p) if p.is_open else None for p in _watched(replay)]
        pictures = args.diagrams == "pictures"
        html = page.page(replay, evaluations, pictures=pictures, remarks=remarks)
        _write(Path(args.html), html, console)
        return
    terminal = Terminal(replay, evaluate, console)
    if args.all or not (sys.stdin.isatty() and sys.stdout.isatty()):
        terminal.show_all()
    else:
        terminal.step()


def _write(path: Path, html: str, console: Screen) -> None:
    content = html.encode("utf-8", "replace")
    try:
        path.write_bytes(content)
    except OSError as error:
        raise cli.InputError(f"--html {path}: cannot be written ({error.strerror})") from None
    title = unescape(html.partition("<title>")[2].partition("</title>")[0])
    said = f"{path}: {title}, {len(content) / 1e6:.1f} MB"
    console.print(said, soft_wrap=True)


def cli_name() -> str:
    """The command as lines on standard error name it."""
    return f"python -m benchmarks.{NAME}"


# --- which game ----------------------------------------------------------------------------------


def _chosen(run: Run, args: Args) -> list[tuple[int, dict[str, Any]]]:
    """(number, record) of the games that the options choose."""
    chosen = [
        (number, game)
        for number, game in enumerate(run.games, 1)
        if replays.fits(game, cli.words(args.policies or ""))
        and args.game in (None, game["game"])
        and args.ended_by in (None, game["ended_by"])
    ]
    if args.match is not None:
        named = [x for x in chosen if x[1]["match"] == args.match]
        chosen = named or [x for x in chosen if str(x[0]) == args.match]
    if not chosen:
        raise cli.InputError(
            f"{run.folder}: none of its {len(run.games)} games fits; see them with --list"
        )
    return chosen


def _list(games: list[tuple[int, dict[str, Any]]], console: Screen) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("", "match", "seats", "returns", "ended by", "moves"):
        numbers = column in ("", "moves")
        table.add_column(
            column, justify="right" if numbers else "left", no_wrap=numbers, overflow="fold"
        )
    for number, game in games[:LISTED]:
        table.add_row(
            str(number),
            one_line(game["match"]),
            one_line(" – ".join(game["seats"])),
            "–"
            if game["returns"] is None
            else " ".join(f"{x + 0.0:+.3g}" for x in game["returns"]),
            one_line(game["ended_by"]),
            str(len(game["actions"])),
        )
    console.print(table)
    if len(games) > LISTED:
        console.print(f"... and {len(games) - LISTED} more; narrow them down with the filters")


def _single_decisions(run: Run, args: Args) -> Replay:
    for option, value in (("--ended-by", args.ended_by), ("--seat", args.seat)):
        if value is not None:
            raise cli.InputError(f"{option}: {run.folder} holds decisions, no games")
    chosen = [
        record
        for record in run.decisions
        if replays.fits(record, cli.words(args.policies or ""))
        and args.game in (None, record["game"])
        and args.kind in (None, record["kind"])
        and args.match in (None, record["item"])
    ]
    if not chosen:
        raise cli.InputError(f"{run.folder}: none of its {len(run.decisions)} decisions fits")
    there = (run.folder / "config.json").exists()
    settings = read_config(run.folder) if there else {}
    return replay_decisions(run, chosen, settings)


def _watched(replay: Replay) -> Any:
    """The positions of a replay, with a progress bar."""
    with progress_bar() as bar:
        yield from bar.track(replay.positions, description="positions")


APP = cli.app(NAME, main, former={"--boards": "--diagrams"})

if __name__ == "__main__":
    cli.run(APP)
