"""Our players as an engine that speaks GTP, for referees and graphical interfaces.

python -m stratagym.agents.gtp_server --game reversi --policy "alphabeta:5?tactic=12"

It reads commands from its input and answers each. A seat that may pass need not be told to: a move
of the other colour passes for it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from inspect import signature
from typing import Any

import numpy as np

from stratagym import __version__
from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.serving import Refused, chosen, serve
from stratagym.envs import core, spec


class Session:
    """One conversation: a game, and the policy that is asked for moves.

    Raises:
        ValueError: the game has no words of the protocol, or the policy is none, in one line.
    """

    def __init__(self, game: str, policy: str, seed: int = 0):
        self.spec = spec(game)
        words = self.spec.optional_module("gtp")
        if words is None:
            raise ValueError(f"{game} has no words of the protocol GTP")
        self.words = words
        self.policy = make_policy(self.spec, policy)
        self.seed, self.decisions = seed, 0
        self.rules = self.spec.make_rules()
        self.commands = sorted(name[4:] for name in dir(self) if name.startswith("_do_"))
        self._clear()

    def _clear(self) -> None:
        self.states, (self.legal, self.probs) = (
            core.new_states(self.rules),
            core.new_scratch(self.rules),
        )
        self.seat = core.start_at(self.rules, self.states, 0, np.uint64(self.seed), self.probs)
        self.before: list[np.ndarray] = []

    def _change(self, **options: Any) -> None:
        """Change options of the game and leave the others as they are. Raises ``ValueError``."""
        self.rules = self.spec.make_rules(**self.spec.options_of(self.rules) | options)

    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        """The answer to every line that holds a command, until ``quit``."""
        for line in lines:
            words = line.partition("#")[0].split()
            number = words.pop(0) if words and words[0].isdecimal() else ""
            if not words:
                continue
            name, *arguments = words
            try:
                yield f"={number} {self._answer(name, arguments)}".rstrip() + "\n\n"
            except Refused as error:
                yield f"?{number} {error}\n\n"
            if name == "quit":
                return

    def _answer(self, name: str, arguments: list[str]) -> str:
        if name not in self.commands:
            raise Refused("unknown command")
        command = getattr(self, f"_do_{name}")
        if len(arguments) != len(signature(command).parameters):
            raise Refused("syntax error")
        return command(*arguments)

    def _choices(self) -> list[int]:
        n = core.legal_actions_at(self.rules, self.states, 0, self.legal) if self.seat >= 0 else 0
        return [int(action) for action in self.legal[:n]]

    def _turn_to(self, colour: str) -> np.ndarray:
        """Make it a colour's turn: the other seat passes, if it may.

        Returns:
            The states before that, (1,), for who undoes the move that follows.
        """
        names = {
            name: seat for seat, long in enumerate(self.words.COLOURS) for name in (long, long[0])
        }
        if colour.lower() not in names:
            raise Refused("syntax error")
        before = self.states.copy()
        if self.seat >= 0 and self.seat != names[colour.lower()]:
            last = self._choices()[-1]
            if self.words.vertex(self.rules, last) != "pass":
                raise Refused("not this colour's turn")
            self._play(last)
        return before

    def _play(self, action: int) -> None:
        self.seat, _ = core.play_at(self.rules, self.states, 0, action, self.legal, self.probs)

    def _back_to(self, states: np.ndarray) -> None:
        self.states = states
        self.seat = core.current_player_at(self.rules, self.states, 0)

    def _do_protocol_version(self) -> str:
        return "2"

    def _do_name(self) -> str:
        return f"stratagym {self.policy.name}"

    def _do_version(self) -> str:
        return __version__

    def _do_known_command(self, name: str) -> str:
        return "true" if name in self.commands else "false"

    def _do_list_commands(self) -> str:
        return "\n".join(self.commands)

    def _do_quit(self) -> str:
        return ""

    def _do_boardsize(self, size: str) -> str:
        try:
            self._change(size=size)
        except ValueError:
            raise Refused("unacceptable size") from None
        self._clear()
        return ""

    def _do_clear_board(self) -> str:
        self._clear()
        return ""

    def _do_komi(self, komi: str) -> str:
        if "komi" not in self.spec.options:
            return ""  # for who says it in every game
        try:
            self._change(komi=komi)
        except ValueError:
            raise Refused("syntax error") from None
        return ""

    def _do_play(self, colour: str, vertex: str) -> str:
        before = self._turn_to(colour)
        for action in self._choices():
            if self.words.vertex(self.rules, action).lower() == vertex.lower():
                self._play(action)
                self.before.append(before)
                return ""
        self._back_to(before)
        raise Refused("illegal move")

    def _do_genmove(self, colour: str) -> str:
        before = self._turn_to(colour)
        if self.seat < 0:
            return "pass"
        self.decisions += 1
        seed = int(core.derive_seed(np.uint64(self.seed), np.uint64(self.decisions)))
        try:
            action = chosen(self.policy, decision_for(self.spec, self.rules, self.states, seed))
        except Refused:
            self._back_to(before)
            raise
        told = str(self.words.vertex(self.rules, action))
        self._play(action)
        self.before.append(before)
        return told

    def _do_undo(self) -> str:
        if not self.before:
            raise Refused("cannot undo")
        self._back_to(self.before.pop())
        return ""

    def _do_final_score(self) -> str:
        if self.seat >= 0:
            raise Refused("cannot score")
        return str(self.words.score(self.rules, self.states[0]))

    def _do_showboard(self) -> str:
        text: Any = self.spec.module("view").board_text(self.rules, self.states[0])
        return "\n" + str(text)


def main(arguments: list[str] | None = None) -> int:
    """Answer what is read from standard input; exit status 2 for bad options, in one line."""
    game = {"default": "reversi", "help": "a game with words of the protocol"}
    return serve("gtp_server", Session, arguments, game=game)


if __name__ == "__main__":
    sys.exit(main())
