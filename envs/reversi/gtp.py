"""Reversi over GTP, the Go Text Protocol, as Debian's ``gtp-rhino`` speaks it."""

from __future__ import annotations

from typing import Any

from stratagym.envs.reversi.rules import disc_difference
from stratagym.envs.words import COLOURS


def why_not(rules: Any) -> str:
    """Why engines cannot play under these rules, or nothing."""
    if rules.size != 8:
        return f"the board has 8 rows, not {rules.size}"
    return "passes are forced, not voluntary" if rules.voluntary else ""


def setup(rules: Any, s: Any) -> list[str]:
    """Commands that give an engine the position; a command of Rhino's own sets boards up."""
    discs = [int(s["own"]), int(s["opp"])][:: -1 if s["player"] else 1]
    board = "".join(
        "X" if discs[0] >> k & 1 else "O" if discs[1] >> k & 1 else "." for k in range(64)
    )
    return [f"grhino-setup_board {board} {COLOURS[s['player']]}"]


def vertex(rules: Any, action: int) -> str:
    """What the protocol calls an action: ``f5``, or ``pass``. Rows count from the top."""
    row, column = divmod(action, rules.size)
    return "pass" if action == rules.size**2 else f"{'abcdefgh'[column]}{row + 1}"


def score(rules: Any, s: Any) -> str:
    """The result as it stands: ``B+12``, ``W+4`` or ``0``."""
    difference = int(disc_difference(rules, s))
    return f"{'W' if difference < 0 else 'B'}+{abs(difference)}" if difference else "0"
