"""Breakthrough as engines that speak UCI write it: Fairy-Stockfish and its kin.

Their White moves first, from the bottom up, and its pawns are ``P``: their board is ours upside
down, with Black's pawns theirs.
"""

from __future__ import annotations

import re
from typing import Any

from stratagym.envs.breakthrough.rules import Rules
from stratagym.envs.breakthrough.view import string_to_action

VARIANT = "breakthrough"
"""What the option ``UCI_Variant`` calls the game."""
_RULES = Rules(8, 8)


def why_not(rules: Any) -> str:
    """Why engines cannot play under these rules, or nothing."""
    size = rules.rows, rules.columns
    return "" if size == (8, 8) else f"the board is {size[0]} x {size[1]}, not 8 x 8"


def fen(s: Any) -> str:
    """The position as FEN: pawns and who is to move."""
    black, white = int(s["black"]), int(s["white"])
    rows = []
    for row in range(7, -1, -1):
        marks = "".join(
            "P" if black >> k & 1 else "p" if white >> k & 1 else "1"
            for k in range(8 * row, 8 * row + 8)
        )
        rows.append(re.sub("1+", lambda ones: str(len(ones[0])), marks))
    return f"{'/'.join(rows)} {'b' if s['player'] else 'w'} - - 0 1"


def parse_uci(s: Any, text: str) -> int:
    """The action a move such as ``a2a3`` names, legal or not.

    Raises:
        ValueError: it names none, in one word.
    """
    if not re.fullmatch("[a-h][1-8][a-h][1-8]", text):
        raise ValueError("no_such_move")
    cells = text[0] + str(9 - int(text[1])), text[2] + str(9 - int(text[3]))
    return string_to_action(_RULES, s, "".join(cells))
