"""Step through a recorded game, in the terminal or as one page for a browser.

    python -m benchmarks.replay results/board_solvers/20261121-120000
    python -m benchmarks.replay RUN --match 3 --html game.html
    python -m benchmarks.replay RUN --policy llm --ended-by forfeit --all

The game is played again from its rules, seed and actions, and a line says whether the outcome is
the recorded one. Where a run holds decisions without games, as LudoBench's spots do, these are
shown one by one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cyclopts import Parameter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from stratagym.agents.core import Policy, decision_for, make_policy
from stratagym.agents.engines import UCIEngine
from stratagym.agents.perfect import Perfect, ranks, solver_of
from stratagym.benchmarks.boards.judging import move_scores
from stratagym.benchmarks.harness import cli, replays
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.progress import progress_bar
from stratagym.benchmarks.harness.replays import Position, Run, Story
from stratagym.benchmarks.replaying import page

NAME = "replay"
BOARDS = ("pictures", "text")
LISTED = 40
"""Games that are listed at most where several fit."""


@Parameter(name="*")
@dataclass(kw_only=True)
class Args:
    match: str | None = None
    """The game: its name, or its number in the list; of single decisions, the item."""
    policy: str | None = None
    """Only games with these policies, separated by commas; the beginning of a name is enough."""
    game: str | None = None
    """Only this game, such as chess."""
    ended_by: str | None = None
    """Only games that ended so: terminal, truncated, forfeit or transport."""
    kind: str | None = None
    """Of single decisions, only those of this kind: ok, unparseable, illegal, transport or
    overtime."""
    list: bool = False
    """List the games that fit, and do no more."""
    all: bool = False
    """Print everything at once, prompts included; so it is where there is no terminal."""
    html: str | None = None
    """Write a page for the browser to this file; it needs no network and nothing beside it."""
    boards: str = "pictures"
    """What the page draws: pictures, or text, which is much smaller."""
    evaluate: str | None = None
    """Who judges positions: an engine scores every move, such as "uci:stockfish?nodes=2000", any
    other policy says what it would play. Default: the game's solver where there is one."""


def main(record: str, /, args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Step through a recorded game, in the terminal or as a page for the browser.

    Parameters
    ----------
    record
        Folder of a run, or its games.jsonl or decisions.jsonl.
    """
    if args.boards not in BOARDS:
        raise cli.InputError(f"--boards {args.boards!r}: choose from: {', '.join(BOARDS)}")
    console = Console(highlight=False)
    run = replays.find(Path(record))
    story = _single_decisions(run, args) if not run.games else _game(run, args, console)
    if story is None:
        return
    evaluator = _evaluator(story, args)
    for problem in story.problems:
        print(f"{cli_name()}: the record does not agree: {problem}", file=sys.stderr)
    if args.html is not None:
        evaluations = [evaluator(position) for position in _watched(story)]
        html = page.page(story, evaluations, pictures=args.boards == "pictures")
        try:
            Path(args.html).write_text(html, encoding="utf-8")
        except OSError as error:
            raise cli.InputError(
                f"--html {args.html}: cannot be written ({error.strerror})"
            ) from None
        megabytes = len(html.encode()) / 1e6
        console.print(f"{args.html}: {story.title}, {megabytes:.1f} MB", soft_wrap=True)
        return
    teller = _Teller(story, evaluator, console)
    if args.all or not (sys.stdin.isatty() and sys.stdout.isatty()):
        teller.tell_all()
    else:
        teller.step()


def cli_name() -> str:
    """The command as lines on standard error name it."""
    return f"python -m benchmarks.{NAME}"


# --- which game ----------------------------------------------------------------------------------


def _game(run: Run, args: Args, console: Console) -> Story | None:
    """The game that the options choose, played again; None if only a list was asked for."""
    chosen = [
        (number, game)
        for number, game in enumerate(run.games, 1)
        if replays.fits(game, cli.words(args.policy or ""))
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
    if args.list or len(chosen) > 1:
        _list(chosen, console)
        if args.list:
            return None
        raise cli.InputError(f"{len(chosen)} games fit; choose one by number or name with --match")
    return replays.retell(chosen[0][1], run.answers)


def _list(games: list[tuple[int, dict[str, Any]]], console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("", "match", "seats", "returns", "ended by", "moves"):
        table.add_column(column, justify="right" if column in ("", "moves") else "left")
    for number, game in games[:LISTED]:
        table.add_row(
            str(number),
            Text(shown(game["match"])),
            Text(shown(" – ".join(game["seats"]))),
            "–"
            if game["returns"] is None
            else " ".join(f"{x + 0.0:+.3g}" for x in game["returns"]),
            game["ended_by"],
            str(len(game["actions"])),
        )
    console.print(table)
    if len(games) > LISTED:
        console.print(f"... and {len(games) - LISTED} more; narrow them down with the filters")


def _single_decisions(run: Run, args: Args) -> Story:
    if args.ended_by is not None:
        raise cli.InputError(f"--ended-by: {run.folder} holds decisions, no games")
    chosen = [
        record
        for record in run.decisions
        if replays.fits(record, cli.words(args.policy or ""))
        and args.game in (None, record["game"])
        and args.kind in (None, record["kind"])
        and args.match in (None, record["item"])
    ]
    if not chosen:
        raise cli.InputError(f"{run.folder}: none of its {len(run.decisions)} decisions fits")
    config = run.folder / "config.json"
    settings = json.loads(config.read_text(encoding="utf-8")) if config.exists() else {}
    return replays.retell_decisions(run, chosen, settings)


# --- evaluation ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evaluation:
    """What a judge makes of a position.

    Attributes:
        judge: its name. scores, ranks: of each legal move, for the mover, where it scores them.
        choice: what it would play, where it does not.
    """

    judge: str
    scores: list[float | None] | None = None
    ranks: list[int] | None = None
    choice: int | None = None


Evaluator = Callable[[Position], Evaluation | None]


def _evaluator(story: Story, args: Args) -> Evaluator:
    """A function from positions to what the chosen judge makes of them."""
    game = story.positions[0].spec
    judge: Policy
    if args.evaluate is not None:
        try:
            judge = make_policy(game, args.evaluate)
        except (ValueError, ModuleNotFoundError) as error:
            raise cli.InputError(f"--evaluate: {error}") from None
    elif solver_of(game.name) is not None:
        judge = make_policy(game, "perfect")
    else:
        return lambda position: None

    def evaluate(position: Position) -> Evaluation | None:
        if not position.legal or position.states is None:
            return None
        seed = item_seed(0, judge.name, str(position.ply))
        view = decision_for(game, position.rules, position.states, seed)
        if not isinstance(judge, Perfect | UCIEngine):
            return Evaluation(judge.name, choice=judge.act(view))
        scores = move_scores(judge, view)
        found = [float(x) if np.isfinite(x) else None for x in scores]
        return Evaluation(judge.name, found, ranks(scores).tolist())

    return evaluate


def _watched(story: Story) -> Any:
    """The positions of a story, with a progress bar."""
    with progress_bar() as bar:
        yield from bar.track(story.positions, description="positions")


# --- the terminal --------------------------------------------------------------------------------


def shown(text: str) -> str:
    """Text for a terminal: control characters, which could steer it, by their code."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)


class _Teller:
    """Prints positions, one after the other or as keys ask for them."""

    def __init__(self, story: Story, evaluator: Evaluator, console: Console):
        self.story, self.evaluator, self.console = story, evaluator, console

    def tell_all(self) -> None:
        """Everything, from the first position to the last."""
        self._head()
        for k in range(len(self.story.positions)):
            self._tell(k, prompts=True)
        self._end()

    def step(self) -> None:
        """One position at a time, as the person at the keyboard wants."""
        last = len(self.story.positions) - 1
        keys = "enter, → next   ← back   home, end   p prompts   q quit"
        at, prompts = 0, False
        with _keyboard() as read:
            while True:
                self.console.clear()
                if at == 0:
                    self._head()
                self._tell(at, prompts)
                if at == last:
                    self._end()
                self.console.print(f"[dim]{keys}[/dim]")
                key = read()
                if key in ("q", ""):
                    return
                prompts ^= key == "p"
                at = {"next": at + 1, "back": at - 1, "home": 0, "end": last}.get(key, at)
                at = min(max(at, 0), last)

    def _print(self, text: str, style: str = "") -> None:
        self.console.print(Text(shown(text), style=style), soft_wrap=True)

    def _head(self) -> None:
        self._print(self.story.title, "bold")
        for name, value in self.story.facts:
            self._print(f"{name}: {value}")

    def _end(self) -> None:
        if self.story.result is not None:
            self._print("\nReturns", "bold")
            for seat, policy, value in self.story.result:
                self._print(f"seat {seat} {policy}: {value + 0.0:+.3g}")  # and no -0
        for problem in self.story.problems:
            self._print(f"The record does not agree: {problem}", "bold red")
        if not self.story.problems:
            self._print(self.story.agrees)

    def _tell(self, k: int, prompts: bool) -> None:
        position = self.story.positions[k]
        self.console.print()
        self._print(position.heading, "bold")
        for said in position.chance:
            self._print(said, "cyan")
        self._print(position.board())
        for answer in position.answers:
            self._answer(answer, prompts)
        evaluation = self.evaluator(position)
        if evaluation is not None:
            self._print(_judged(position, evaluation), "dim")
        if position.action is not None:
            self._print(f"Move: {position.move(position.action)}   {position.told()}", "green")

    def _answer(self, answer: dict[str, Any], prompts: bool) -> None:
        if answer["prompt"] is None and answer["reply"] is None:
            return
        reason = f" ({answer['reason']})" if answer["reason"] else ""
        self._print(
            f"Answer {answer['attempt']}: {answer['kind']}{reason}{page.usage(answer)}",
            "" if answer["kind"] == "ok" else "red",
        )
        if prompts:
            for message in answer["prompt"] or []:
                self._print(f"[{message['role']}]", "dim")
                self._print(message["content"])
        if answer.get("reasoning"):
            self._print("[reasoning]", "dim")
            self._print(answer["reasoning"])
        if answer["reply"] is not None:
            self._print("[reply]", "dim")
            self._print(answer["reply"] or "(empty)")


def _judged(position: Position, evaluation: Evaluation) -> str:
    if evaluation.choice is not None:
        return f"{evaluation.judge} would play {position.move(evaluation.choice)}"
    assert evaluation.scores is not None
    by_score = sorted(
        zip(position.legal, evaluation.scores, strict=True),
        key=lambda pair: -np.inf if pair[1] is None else -pair[1],
    )
    scores = (f"{position.move(a)} {'–' if x is None else f'{x:+g}'}" for a, x in by_score)
    return f"{evaluation.judge}: {'  '.join(scores)}"


@contextmanager
def _keyboard() -> Any:
    """A function that waits for a key: ``next``, ``back``, ``home``, ``end``, or its character.

    Where single keys cannot be read (no termios), a line is read: an empty one is ``next``.
    """
    try:
        import termios
        import tty
    except ModuleNotFoundError:
        yield _read_line
        return
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield _read_key
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


ARROWS = {"A": "back", "B": "next", "C": "next", "D": "back", "H": "home", "F": "end"}
"""The last letter of what arrow, home and end keys send."""


def _read_key() -> str:
    import os
    import select

    number = sys.stdin.fileno()
    key = os.read(number, 1)
    if key == b"\x1b":
        rest = os.read(number, 2) if select.select([number], [], [], 0.05)[0] else b""
        return ARROWS.get(rest.decode("ascii", "replace")[-1:], "other")
    if key in (b"\n", b"\r", b" "):
        return "next"
    return "q" if key in (b"", b"\x04") else key.decode("ascii", "replace")


def _read_line() -> str:
    try:
        said = input().strip()
    except EOFError:
        return "q"
    return {"": "next", "b": "back"}.get(said, said)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
