"""Our gomoku players as an engine of the Gomocup protocol, for its managers.

python -m stratagym.agents.piskvork_server --policy "alphabeta:4?tactic=1"

It reads commands from its input and answers each that has an answer. Rules come by ``INFO rule``;
limits of time are not kept: they are the policy's, such as ``alphabeta:900ms``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from stratagym import __version__
from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.piskvork import RULE_BITS
from stratagym.agents.serving import Refused, chosen, serve
from stratagym.envs import core, spec

_LINES = dict(zip(RULE_BITS.values(), ("at_least", "exact", "renju"), strict=True))


class Session:
    """One conversation: a board, and the policy that is asked for moves.

    Raises:
        ValueError: the policy is none, in one line.
    """

    def __init__(self, policy: str, seed: int = 0):
        self.spec = spec("gomoku")
        self.policy = make_policy(self.spec, policy)
        self.seed, self.decisions, self.bits = seed, 0, 0
        self.size: tuple[int, int] | None = None
        self.stones: list[int] = []  # in the order they were placed, Black first
        self.board: list[str] | None = None  # the lines of BOARD so far

    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        """The answer to every command that has one, until ``END``."""
        for line in lines:
            words = line.strip().split(None, 1)
            if not words:
                continue
            name, argument = words[0].upper(), words[1] if len(words) > 1 else ""
            if name == "END":
                return
            try:
                if self.board is not None:
                    answer = self._on_board(line.strip())
                elif hasattr(self, f"_do_{name.lower()}"):
                    answer = getattr(self, f"_do_{name.lower()}")(argument)
                else:
                    answer = "UNKNOWN command"
            except Refused as error:
                answer = f"ERROR {error}"
            if answer:
                yield answer + "\n"

    # --- what there is to say ---

    def _do_about(self, argument: str) -> str:
        return f'name="stratagym {self.policy.name}", version="{__version__}"'

    def _do_start(self, argument: str) -> str:
        return self._begin(argument, argument)

    def _do_rectstart(self, argument: str) -> str:
        columns, _, rows = argument.partition(",")
        return self._begin(columns, rows)

    def _begin(self, columns: str, rows: str) -> str:
        self.size = None
        if not all(re.fullmatch(r" *[0-9]{1,3} *", part) for part in (columns, rows)):
            raise Refused("a size is needed")
        self.size = int(columns), int(rows)
        self.stones = []
        try:
            self._rules()
        except Refused:
            self.size = None
            raise
        return "OK"

    def _do_restart(self, argument: str) -> str:
        self._rules()
        self.stones = []
        return "OK"

    def _do_info(self, argument: str) -> str:
        """Rules are heeded, all else is taken note of by nobody; neither is answered."""
        key, _, value = argument.partition(" ")
        if key.lower() == "rule" and re.fullmatch(r" *[0-9]{1,3} *", value):
            self.bits = int(value)
        return ""

    def _do_begin(self, argument: str) -> str:
        if self.stones:
            raise Refused("the board is not empty")
        return self._move()

    def _do_turn(self, argument: str) -> str:
        self._place(self._cell(argument))
        return self._move()

    def _do_play(self, argument: str) -> str:
        """A stone of the side to move that somebody else has chosen."""
        cell = self._cell(argument)
        self._place(cell)
        return self._told(cell)

    def _do_takeback(self, argument: str) -> str:
        if not self.stones or self.stones[-1] != self._cell(argument):
            raise Refused("this is not the last stone")
        self.stones.pop()
        return "OK"

    def _do_board(self, argument: str) -> str:
        self._rules()
        self.board = []
        return ""

    def _on_board(self, line: str) -> str:
        """A line of ``BOARD``: column, row, 1 for an own stone and 2 for one of the opponent's."""
        assert self.board is not None
        if line.upper() != "DONE":
            self.board.append(line)
            return ""
        lines, self.board = self.board, None
        stones: dict[str, list[int]] = {"1": [], "2": [], "3": []}  # 3 marks cells, for nobody
        for told in lines:
            point, _, whose = told.rpartition(",")
            if whose.strip() not in stones:
                raise Refused("1 or 2 is needed behind a cell")
            stones[whose.strip()].append(self._cell(point))
        own, other = stones["1"], stones["2"]
        if len({*own, *other}) < len(own + other) or len(other) - len(own) not in (0, 1):
            raise Refused("no position in which it is this side's turn")
        black, white = (own, other) if len(own) == len(other) else (other, own)
        self.stones = [(white if k % 2 else black)[k // 2] for k in range(len(own + other))]
        return self._move()

    # --- what it does ---

    def _rules(self) -> Any:
        if self.size is None:
            raise Refused("no game has been started")
        columns, rows = self.size
        # Bit 1 is a continuous game, which is the manager's affair.
        line = _LINES.get(self.bits & ~2)
        if line is None:
            raise Refused(f"the rules {self.bits} are not known")
        try:
            return self.spec.make_rules(columns=columns, rows=rows, line=line)
        except ValueError as error:
            raise Refused(str(error)) from None

    def _cell(self, text: str) -> int:
        match = re.fullmatch(r" *([0-9]{1,2}) *, *([0-9]{1,2}) *", text)
        if self.size is None or not match:
            raise Refused("no game has been started" if self.size is None else "a cell is needed")
        column, row = int(match[1]), int(match[2])
        if column >= self.size[0] or row >= self.size[1]:
            raise Refused("this is off the board")
        return row * self.size[0] + column

    def _told(self, cell: int) -> str:
        assert self.size is not None
        return f"{cell % self.size[0]},{cell // self.size[0]}"

    def _position(self) -> tuple[Any, np.ndarray, np.ndarray]:
        """(rules, record, legal actions) of the board as it stands."""
        rules = self._rules()
        states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
        seat = core.start_at(rules, states, 0, np.uint64(self.seed), probs)
        for cell in self.stones:
            if seat < 0:
                raise Refused("the game is over")
            seat, _ = core.play_at(rules, states, 0, cell, legal, probs)
        n = core.legal_actions_at(rules, states, 0, legal) if seat >= 0 else 0
        return rules, states, legal[:n]

    def _place(self, cell: int) -> None:
        _, _, legal = self._position()
        if cell not in legal:
            raise Refused("this cell is not allowed")
        self.stones.append(cell)

    def _move(self) -> str:
        rules, states, legal = self._position()
        if not len(legal):
            raise Refused("the game is over")
        self.decisions += 1
        seed = int(core.derive_seed(np.uint64(self.seed), np.uint64(self.decisions)))
        action = chosen(self.policy, decision_for(self.spec, rules, states, seed))
        self.stones.append(action)
        return self._told(action)


def main(arguments: list[str] | None = None) -> int:
    """Answer what is read from standard input; exit status 2 for bad options, in one line."""
    return serve("piskvork_server", Session, arguments)


if __name__ == "__main__":
    sys.exit(main())
