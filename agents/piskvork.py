"""Engines that speak the Gomocup protocol (Petříček and Laštovička), as policies for gomoku.

``piskvork:rapfi?turn_ms=500`` is an engine of yours that is given half a second a move. It is
told the whole position before every move: stones, not the order in which they came.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from stratagym.agents.core import Decision, PolicyString
from stratagym.agents.engines import TIMEOUT_S, Engine, find_engine, timeout_of
from stratagym.envs import core
from stratagym.envs.gomoku.lines import BLACK, WHITE
from stratagym.envs.gomoku.rules import AT_LEAST, EXACT, IN_TURN, RENJU

TURN_MS = 1000
RULE_BITS = {AT_LEAST: 0, EXACT: 1, RENJU: 4}
"""What the protocol calls the kinds of lines, in ``INFO rule``."""
_TALK = ("MESSAGE", "DEBUG")


def stones_of(rules: Any, s: Any) -> tuple[list[int], list[int]]:
    """Black's and White's cells, ascending."""
    found: tuple[list[int], list[int]] = ([], [])
    for colour in (BLACK, WHITE):
        for row in range(rules.rows):
            line = int(s["lines"][colour, 0, row])
            found[colour].extend(
                row * rules.columns + column
                for column in range(rules.columns)
                if line >> column & 1
            )
    return found


class PiskvorkEngine(Engine):
    """An engine that speaks the Gomocup protocol.

    Args:
        engine: a program's name or path.
        turn_ms: milliseconds a move that it is told to keep to.
        timeout_s: seconds after which it is given up.

    Raises:
        ValueError: the engine is not installed.
        PolicyFault: from ``act`` and ``identity``; from ``act`` too where the engine does not
            know the game's rules or the size of its board.
    """

    _farewell = "END"

    def __init__(self, engine: str, turn_ms: int = TURN_MS, timeout_s: float = TIMEOUT_S):
        super().__init__([find_engine(engine)], timeout_s)
        self.turn_ms = turn_ms
        self.name = f"piskvork:{engine}?turn_ms={turn_ms}{self._timeout_word}"

    def _greet(self) -> None:
        told = dict(re.findall(r'(\w+) *= *"([^"]*)"', self._ask("ABOUT")))
        self._identity = f"{told.get('name', '')} {told.get('version', '')}".strip()[:100]

    def _ask(self, *commands: str) -> str:
        """The answer to commands, of which the last has one."""
        for command in commands:
            self._send(command)
        asked = commands[-1].split()[0]
        said = f"its answer to {asked!r}"
        answer = self._read(lambda line: bool(line) and line.split()[0] not in _TALK, said)[-1]
        if answer.split()[0] in ("ERROR", "UNKNOWN"):
            raise self._fault(f"answers {answer[:80]!r} to {asked!r}")
        return answer

    def act(self, decision: Decision) -> int:
        rules, s = decision.rules, decision.states[0]
        if len(decision.legal) == 1:
            return int(decision.legal[0])
        if rules.connect != 5 or s["phase"] != IN_TURN:
            what = "swap2" if rules.connect == 5 else f"lines of {rules.connect}"
            raise self._fault(f"cannot play: the protocol has no {what}")
        self._start()
        if rules.columns == rules.rows:
            answer = self._ask(f"START {rules.columns}")
        else:
            answer = self._ask(f"RECTSTART {rules.columns},{rules.rows}")
        if answer.split()[0] != "OK":
            raise self._fault(f"answers {answer[:80]!r} to 'START'")
        self._send(f"INFO timeout_turn {self.turn_ms}")
        self._send(f"INFO rule {RULE_BITS[rules.line]}")
        told = self._ask(*self._position(rules, s))
        move = re.fullmatch(r"([0-9]{1,2}) *, *([0-9]{1,2})", told)
        if move and int(move[1]) < rules.columns:
            action = int(move[2]) * rules.columns + int(move[1])
            if action in decision.legal:
                return action
        raise self._fault(f"plays {told[:20]!r}, which is no legal move")

    def _position(self, rules: Any, s: np.void) -> list[str]:
        """Commands that show the stones and ask for a move, black and white ones in turn."""
        if not s["stones"]:
            return ["BEGIN"]
        own = int(s["stones"]) & 1
        stones = stones_of(rules, s)
        lines = ["BOARD"]
        for k in range(int(s["stones"])):
            row, column = divmod(stones[k & 1][k >> 1], rules.columns)
            lines.append(f"{column},{row},{1 if k & 1 == own else 2}")
        return [*lines, "DONE"]


def piskvork_policy(spec: core.GameSpec, text: PolicyString) -> PiskvorkEngine:
    """``piskvork:ENGINE?turn_ms=N&timeout_s=SECONDS``.

    Raises:
        ValueError: not gomoku, a bad option, or an engine that is not installed, in one line.
    """
    if spec.name != "gomoku":
        raise ValueError(f"policy piskvork: Gomocup's engines play gomoku, not {spec.name}")
    if set(text.options) - {"turn_ms", "timeout_s"} or not text.argument:
        raise ValueError("policy piskvork: write piskvork:ENGINE?turn_ms=N&timeout_s=SECONDS")
    try:
        turn_ms = int(text.options.get("turn_ms", TURN_MS))
        timeout_s = timeout_of(text.options)
        if not 1 <= turn_ms <= 10**6:
            raise ValueError
    except ValueError:
        raise ValueError(
            "policy piskvork: milliseconds of turn_ms and seconds of timeout_s are needed"
        ) from None
    return PiskvorkEngine(text.argument, turn_ms, timeout_s)
