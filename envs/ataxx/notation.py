"""Ataxx as engines that speak UCI write it: Fairy-Stockfish and its kin.

Black's stones, who moves first, are their White's ``P``; rows are numbered alike.
"""

from __future__ import annotations

import re
from typing import Any

from stratagym.envs.ataxx.rules import NO_BLOCKS, PASS, SIDE, Rules, blocks_of
from stratagym.envs.ataxx.view import string_to_action

VARIANT = "ataxx"
"""What the option ``UCI_Variant`` calls the game."""
_RULES = Rules(0, 100, 0, 0)


def why_not(rules: Any) -> str:
    """Why engines cannot play under these rules, or nothing."""
    if rules.botzone:
        return "Botzone's judge ends games that engines pass in"
    return "" if blocks_of.py_func(rules) == NO_BLOCKS else "cells are blocked"


def fen(s: Any) -> str:
    """The position as FEN: stones and who is to move."""
    own, opp = int(s["own"]), int(s["opp"])
    black, white = (opp, own) if s["player"] else (own, opp)
    rows = []
    for row in range(SIDE):
        marks = "".join(
            "P" if black >> k & 1 else "p" if white >> k & 1 else "1"
            for k in range(8 * row, 8 * row + SIDE)
        )
        rows.append(re.sub("1+", lambda ones: str(len(ones[0])), marks))
    return f"{'/'.join(rows)} {'b' if s['player'] else 'w'} - - 0 1"


def parse_uci(s: Any, text: str) -> int:
    """The action a move names, legal or not: ``P@b2``, ``a1c3``, or ``0000`` for a pass.

    A pass is a stone's move to its own cell, too.

    Raises:
        ValueError: it names none, in one word.
    """
    cells = re.fullmatch("(?:[Pp]@|([a-g][1-7]))([a-g][1-7])", text)
    if text != "0000" and not cells:
        raise ValueError("no_such_move")
    if not cells or cells[1] == cells[2]:
        return PASS
    return string_to_action(_RULES, s, (cells[1] or "") + cells[2])
