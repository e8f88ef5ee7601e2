"""``python -m benchmarks.play``: what a person is shown."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from ours import all_games, our_games
from scripts import ROOT

from stratagym.benchmarks.play import __main__ as play
from stratagym.benchmarks.reporting.terminal import Screen
from stratagym.envs import core, spec
from stratagym.testing import RandomGame
from stratagym.testing.contract import Contract

HIDING = [name for name in all_games() if spec(name).information == "imperfect"]
PLANS = ("battle_card", "elemental_duel", "tower_defence")
OPTIONS = [
    *((name, {}) for name in HIDING),
    *((name, {"rounds": 2, "updates": "both"}) for name in PLANS),
    *((name, {"rounds": 3, "over_budget": "loses"}) for name in PLANS),
    ("hanabi", {"players": 4}),
    ("coin_game", {"players": 3, "goals": "all"}),
    ("dou_dizhu", {"bidding": "points", "plays": "whole"}),
    ("texas_holdem", {"raises": "chips", "stacks": "carry"}),
    ("mcr_mahjong", {"flowers": True, "hands": 4, "wall": "one"}),
]


def screen(game: str, rules, states: np.ndarray, seat: int) -> str:
    """What a person in a seat that is to move reads before the first word is typed."""
    file = io.StringIO()
    console = Screen(file=file, width=10_000)
    console.input = lambda *_, **__: "q"
    table = play._Table(spec(game), rules, [None], seat, 0, console)
    table.states[:] = states
    assert table._ask() is None
    return file.getvalue()


def asked(played: RandomGame, number: int) -> Iterator[tuple[np.ndarray, int]]:
    """(states, seat to move) of some decisions of a random game, the last included."""
    last = len(played.states) - 1
    for at in {last * k // number for k in range(number + 1)}:
        yield played.states[at], played.players[at]


@pytest.mark.parametrize(("game", "options"), OPTIONS, ids=str)
def test_a_person_sees_nothing_that_the_seat_may_not_know(game, options, seed):
    contract = Contract(game, seed, None)
    rules = contract.rules = contract.spec.make_rules(**options)
    played, view = contract.played(), contract.spec.module("view")
    for states, mover in asked(played, 12):
        for seat in range(rules.num_players):
            other = states.copy()
            core.determinize_at(rules, other, 0, seat, np.uint64(seed))
            contract._same_texts(view, other, states, seat, mover)
            if seat == mover:
                shown = [screen(game, rules, one, seat) for one in (states, other)]
                assert shown[0] == shown[1]
                assert view.seat_text(rules, states[0], seat) in shown[0]
    contract.told_moves_tell_what_is_seen()


# --- lists of moves, on a terminal ---------------------------------------------------------------

DECISIONS = 3
PLAY_ALL = """
import json, os, sys
from stratagym.benchmarks.play import __main__ as play
from stratagym.benchmarks.harness import cli

answers = os.fdopen(int(sys.argv[1]), "w")
ask = play._Table._ask

def telling(table):
    s, view = table.states[0], table.view
    asked.append(table.facts.name)
    if asked.count(table.facts.name) > int(sys.argv[3]):
        return None
    legal = play.legal_list(table.rules, table.states)
    moves = [view.action_to_string(table.rules, s, action) for action in legal]
    print(json.dumps([table.facts.name, moves]), file=answers, flush=True)
    return ask(table)

asked = []
play._Table._ask = telling
for game, seeds in json.loads(sys.argv[2]):
    # Again where a game asked nothing: in Werewolf a seat may be dead after the first night.
    for seed in seeds:
        try:
            cli.run(play.APP, [game, "--opponent", "random", "--seed", str(seed)])
        except SystemExit as ended:
            if ended.code:
                raise
        if game in asked:
            break
"""
# Of seven in Werewolf one dies in the first night at most: 20 such games in a row are one in 1e16.
GAMES_UNTIL_ASKED = 20


class Terminal:
    """A pseudo-terminal with a program in it, as wide as wanted."""

    def __init__(self, columns: int, played: list[tuple[str, list[int]]], errors: Path):
        own, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        modes = termios.tcgetattr(there)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(there, termios.TCSANOW, modes)
        told, telling = os.pipe()
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
        with errors.open("wb") as printed:
            self.process = subprocess.Popen(
                [sys.executable, "-c", PLAY_ALL, str(telling), json.dumps(played), str(DECISIONS)],
                stdin=there, stdout=there, stderr=printed, cwd=ROOT, pass_fds=[telling],
                env={**environment, "TERM": "xterm-256color"},
            )  # fmt: skip
        os.close(there)
        os.close(telling)
        self.file, self.legal, self.errors = own, os.fdopen(told), errors

    def type(self, words: str) -> None:
        os.write(self.file, f"{words}\n".encode())

    def read(self) -> list[str]:
        """The lines up to the next question, as they stand on the screen."""
        text = b""
        while not text.endswith(b"Your move: "):
            assert select.select([self.file], [], [], 300)[0], (text[-500:], self.printed())
            text += os.read(self.file, 1 << 16)
        shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode())
        return shown.replace("\r", "").split("\n")

    def close(self) -> None:
        """Wait for the end, which has to be a good one."""
        code = self.process.wait(60)
        os.close(self.file)
        assert code == 0, self.printed()

    def printed(self) -> str:
        """The last of what the program printed as errors."""
        return self.errors.read_text(errors="replace")[-2000:]


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_every_legal_move_stands_on_the_screen(columns, seed, tmp_path):
    """In the list, or in what ``?`` tells where there are more than 60, and none of them broken."""
    rng = np.random.default_rng(seed)
    seeds = rng.integers(2**32, size=(len(our_games()), GAMES_UNTIL_ASKED)).tolist()
    played = list(zip(our_games(), seeds, strict=True))
    terminal, seen = Terminal(columns, played, tmp_path / "errors"), set()
    for told in terminal.legal:
        game, legal = json.loads(told)
        lines = terminal.read()
        if len(legal) > play.LISTED:
            assert "? lists them all" in " ".join(" ".join(lines).split()), (game, lines)
            terminal.type("?")
            lines = terminal.read()
        assert all(len(line) <= columns for line in lines), (game, lines)
        assert not any("\\x" in line or "\xa0" in line for line in lines), (game, lines)
        # The moves alone: a board could hold their letters too.
        listed = [line for line in lines if line.startswith(("Legal moves:", f"  {legal[0]}:"))]
        shown = "\n".join(lines[lines.index(listed[0]) :])
        for move in legal:
            found = re.search(rf"(?<![^\s\]]){re.escape(move)}(?=:|\s)", shown)
            assert found, (game, move, shown)
        terminal.type(str(rng.choice(legal)))
        seen.add(game)
    terminal.close()
    assert seen == set(our_games())
