"""Play a game in the terminal against any policy.

python -m benchmarks.play
python -m benchmarks.play ludo
python -m benchmarks.play ludo --opponent gt:3 --rules players=2
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from cyclopts import Parameter
from rich.cells import cell_len

from stratagym.agents import hooks
from stratagym.agents.core import decision_for
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.options import ModelArgs
from stratagym.benchmarks.harness.policies import make_policies
from stratagym.benchmarks.reporting.terminal import Screen
from stratagym.envs import core, games, spec
from stratagym.envs.text import ILLEGAL, legal_list

NAME = "play"
LISTED = 60
"""Moves that are listed one by one at most."""


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(ModelArgs):
    opponent: str | None = None
    """Policy of the other seats; several policies, separated by commas, take the seats in turn.
    Default heuristic, or random in games that have none."""
    seat: int = 0
    """Your seat; -1 to watch."""
    rules: str = ""
    """Options of the game, such as players=2,stacking=safe."""
    seed: int | None = None
    """Seed of the game; by default a new one each time."""


def main(game: str | None = None, *, args: Args = Args()) -> None:  # noqa: B008 - cyclopts' way
    """Play a game in the terminal.

    Parameters
    ----------
    game
        Name of the game; you are asked for it if you give none.
    """
    console = Screen()
    if game is None and (game := _asked_for(console)) is None:
        return
    try:
        facts = spec(game)
        rules = facts.make_rules(**cli.pairs("--rules", args.rules))
    except ValueError as error:
        raise cli.InputError(str(error)) from None
    if not -1 <= args.seat < rules.num_players:
        raise cli.InputError(
            f"--seat {args.seat}: the seats are 0 to {rules.num_players - 1}, or -1 to watch"
        )
    usual = "random" if hooks.found(facts, "heuristic") is None else "heuristic"
    if args.opponent is None and usual == "random":
        console.print(f"{facts.title} has no heuristic; random plays the other seats.")
    policies = make_policies(facts, args.opponent or usual, args, option="--opponent")
    seed = secrets.randbits(32) if args.seed is None else args.seed
    console.print(f"{facts.title}, seed {seed}.")
    if args.seat >= 0:
        does = " and tells what they do" if facts.information == "perfect" else ""
        console.print(
            "Type a move as it is listed, or the number in brackets where one stands in front of "
            f"it; ? lists all moves{does}, q ends."
        )
    _Table(facts, rules, policies, args.seat, seed, console).play()


def _asked_for(console: Screen) -> str | None:
    """The game that the person names; None to stop."""
    known = games()
    if not sys.stdin.isatty():
        raise cli.InputError(f"name a game: {', '.join(known)}")
    for number, name in enumerate(known, 1):
        console.print(f"  [{number}] {name}")
    while True:
        try:
            said = console.input("Which game? ").strip()
        except EOFError:
            return None
        if said in ("q", "quit"):
            return None
        if said in known:
            return said
        if said.isdecimal() and 1 <= int(said) <= len(known):
            return known[int(said) - 1]
        console.print("  A name or a number of the list, or q to end.")


class _Table:
    """One game at the terminal."""

    def __init__(
        self,
        facts: core.GameSpec,
        rules: Any,
        policies: list[Any],
        seat: int,
        seed: int,
        console: Screen,
    ):
        self.facts, self.rules, self.view = facts, rules, facts.module("view")
        self.seat, self.seed, self.console = seat, seed, console
        others = [k for k in range(rules.num_players) if k != seat]
        self.policies = {k: policies[n % len(policies)] for n, k in enumerate(others)}
        self.states = core.new_states(rules)
        self.legal, self.probs = core.new_scratch(rules)
        self.ply = 0

    def play(self) -> None:
        """Until the game is over or the person has had enough."""
        player = core.start_at(
            self.rules, self.states, 0, np.uint64(self.seed & (2**64 - 1)), self.probs
        )
        told: list[str] = []
        if self.seat >= 0:
            self.console.print(f"You are {self._name(self.seat)}.")
        while player >= 0:
            number = core.turn_at(self.rules, self.states, 0)
            if player == self.seat:
                action = self._ask()
                if action is None:
                    self.console.print("Ended; nothing is kept.")
                    return
            else:
                policy = self.policies[player]
                seed = item_seed(self.seed, policy.name, str(self.ply))
                action = policy.act(decision_for(self.facts, self.rules, self.states, seed))
            who = "you" if player == self.seat else self.policies[player].name
            said = self.view.move_text(self.rules, self.states[0], action)
            if said:  # a claim passed up in mahjong is not told
                told.append(f"  {said} ({who})")
            player, _ = core.play_at(self.rules, self.states, 0, action, self.legal, self.probs)
            self.ply += 1
            # What is decided at the same time is told when all have.
            open_turn = player >= 0 and core.turn_at(self.rules, self.states, 0) == number
            if not (self.facts.is_simultaneous and open_turn):
                for line in told:
                    self.console.print(line)
                told = []
        self._show_board()
        returns = np.zeros(self.rules.num_players)
        core.returns_at(self.rules, self.states, 0, returns)
        ended = "Stopped by a limit of the rules" if player == core.TRUNCATED else "Game over"
        result = "  ".join(f"{self._name(k)}: {x + 0.0:+.4g}" for k, x in enumerate(returns))
        self.console.print(f"{ended}. {result}")

    def _name(self, seat: int) -> str:
        return self.view.seat_name(self.rules, self.states[0], seat)

    def _show_board(self) -> None:
        """What the person may see of the position."""
        s = self.states[0]
        if self.seat < 0:
            board = self.view.board_text(self.rules, s)
        else:
            board = self.view.seat_text(self.rules, s, self.seat)
        self.console.print("\n" + board)

    def _ask(self) -> int | None:
        """The person's move; None to stop."""
        s, legal = self.states[0], legal_list(self.rules, self.states)
        self._show_board()
        moves = {self.view.action_to_string(self.rules, s, action): action for action in legal}
        listed, numbered = self._listed(moves, legal)
        self.console.print(listed)
        while True:
            try:
                said = self.console.input("Your move: ").strip()
            except EOFError:
                return None
            if said in ("q", "quit"):
                return None
            if said in numbered:
                return numbered[said]
            if said in moves:
                return moves[said]
            if said == "?":
                self._explain(moves)
                continue
            try:
                action = self.view.string_to_action(self.rules, s, said)
                if action in legal:
                    return action
                why = self.view.why_illegal(self.rules, s, action)
            except ValueError as error:
                why = str(error)
            self.console.print(f"  {ILLEGAL}: {why}.")
            self.console.print(listed)

    def _listed(self, moves: dict[str, int], legal: list[int]) -> tuple[str, dict[str, int]]:
        """The list of legal moves, and the moves by the numbers in front of them.

        Moves that are numbers themselves have no others. Of more than ``LISTED`` moves some stand
        for all, beside what the game's view says of them.
        """
        if len(moves) > LISTED:
            names = list(moves)
            some = "; ".join((names[0], names[len(names) // 2], names[-1]))
            said = f"{len(names)} legal moves, such as {some}. ? lists them all."
            if hasattr(self.view, "legal_text"):
                told = self.view.legal_text(self.rules, self.states[0], self.seat, legal)
                # Some views say what there is in a few words, others name every move.
                said = said if all(name in told for name in names) else f"{told}\n{said}"
            return said, {}
        numbered = {}
        if not any(move.isdecimal() for move in moves):
            numbered = {str(number): action for number, action in enumerate(moves.values(), 1)}
        return self._in_lines("Legal moves:", moves, bool(numbered)), numbered

    def _explain(self, moves: dict[str, int]) -> None:
        """All moves, with what they do unless that would foretell cards or plans."""
        if self.facts.information != "perfect":
            self.console.print(self._in_lines("Legal moves:", moves))
            return
        for name, action in moves.items():
            told = self.view.move_text(self.rules, self.states[0], action)
            self.console.print(f"  {name}: {told}")

    def _in_lines(self, head: str, moves: Iterable[str], numbered: bool = False) -> str:
        """Moves beside each other in lines that the screen has room for, none of them broken."""
        lines = [head]
        for number, move in enumerate(moves, 1):
            word = f"[{number}] {move}" if numbered else move
            if len(lines[-1]) + 2 + cell_len(word) > self.console.width:
                lines.append(" " + word)
            else:
                lines[-1] += "  " + word
        return "\n".join(lines)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
