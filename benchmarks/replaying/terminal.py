"""A replay in the terminal: all at once, or position by position as keys ask for them."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any

import numpy as np
from rich.text import Text

from stratagym.benchmarks.harness.replays import Position, Replay
from stratagym.benchmarks.replaying.evaluator import Evaluation, Evaluator
from stratagym.benchmarks.replaying.scenes import facts_of, said, usage
from stratagym.benchmarks.replaying.steps import steps
from stratagym.benchmarks.reporting.terminal import Screen, printable


class Terminal:
    """Prints steps, one after the other or as keys ask for them."""

    def __init__(self, replay: Replay, evaluator: Evaluator, console: Screen):
        self.replay, self.evaluator, self.console = replay, evaluator, console
        self.steps = steps(replay)

    def show_all(self) -> None:
        """Everything, from the first position to the last."""
        self._head()
        for k, step in enumerate(self.steps):
            if step.moment is not None and step.decided is None:
                self._print(step.heading, "cyan")
            else:
                self._show(k, prompts=True)
        self._end()

    def step(self) -> None:
        """One position at a time, as the person at the keyboard wants."""
        last = len(self.steps) - 1
        keys = "enter, → next   ← back   home, end   p prompts   q quit"
        at, prompts = 0, False
        with _keyboard() as read:
            while True:
                self.console.clear()
                if at == 0:
                    self._head()
                self._show(at, prompts)
                if at == last:
                    self._end()
                self._print(keys, "dim")
                key = read()
                if key in ("q", ""):
                    return
                prompts ^= key == "p"
                at = {"next": at + 1, "back": at - 1, "home": 0, "end": last}.get(key, at)
                at = min(max(at, 0), last)

    def _print(self, text: str, style: str = "") -> None:
        self.console.print(Text(printable(text), style=style), soft_wrap=True)

    def _head(self) -> None:
        self._print(self.replay.title, "bold")
        for name, value in self.replay.facts:
            self._print(f"{name}: {value}")

    def _end(self) -> None:
        if self.replay.result is not None:
            self._print("\nReturns", "bold")
            for seat, policy, value in self.replay.result:
                name = self.replay.positions[-1].name(seat)
                self._print(f"{name}, {policy}: {value + 0.0:+.3g}")  # and no -0
        for problem in self.replay.problems:
            self._print(f"The record does not agree: {problem}", "bold red")
        if not self.replay.problems:
            self._print(self.replay.agrees)

    def _show(self, k: int, prompts: bool) -> None:
        step = self.steps[k]
        self.console.print()
        self._print(step.heading, "bold")
        # What changed nothing is shown below the position that it was about.
        before, after = (None, step.decided) if step.decided is step.shown else (step.decided, None)
        if before is not None:
            self._decision(before, prompts)
        for news in step.news:
            self._print(news, "cyan")
        self._print(step.board())
        if after is not None:
            self._decision(after, prompts)

    def _decision(self, position: Position, prompts: bool) -> None:
        for answer in position.answers:
            self._answer(position, answer, prompts)
        evaluation = self.evaluator(position) if position.is_open else None
        if evaluation is not None:
            self._print(_judged(position, evaluation), "dim")
        if position.action is not None:
            move = f"{position.move(position.action)}   " if position.is_open else ""
            self._print(f"Move: {move}{position.told() if self.replay.whole else ''}", "green")
            if position.instead:
                self._print(position.instead, "yellow")
        elif any("facts" not in answer for answer in position.answers):
            self._print("Nothing was played.", "red")
        for question in position.asked:
            self._print(f"Asked beside: {question['item']}", "bold")
            self._answer(position, question, prompts)

    def _answer(self, position: Position, answer: dict[str, Any], prompts: bool) -> None:
        if answer["prompt"] is None and answer["reply"] is None:
            return
        reason = f" ({answer['reason']})" if answer["reason"] else ""
        self._print(
            f"Answer {answer['attempt']}: {answer['kind']}{reason}{usage(answer)}",
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
        if found := facts_of(answer):
            self._print(f"Judged: {found}", "green")
        for to, text in said(position, answer):
            self._print(f"[said to {to}]", "dim")
            self._print(text)
        for move, refused in answer.get("rejected") or []:
            self._print(f"Refused: {move} ({refused})", "red")


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
