"""Gomoku in SGF, ``GM[4]``: rules as ``Freestyle``, ``Standard`` or ``Renju``."""

from __future__ import annotations

import re
from typing import Any

from stratagym.envs.gomoku.rules import AT_LEAST, BOARD_FULL, EXACT, NO_LEGAL_CELL, RENJU
from stratagym.envs.sgf import GOMOKU, GameRecord, Point

GAME = GOMOKU
_RULES = {AT_LEAST: "Freestyle", EXACT: "Standard", RENJU: "Renju"}
_LINES = {"freestyle": "at_least", "standard": "exact", "renju": "renju"}


def start(rules: Any) -> GameRecord:
    """A record without moves. Lines of other lengths are told behind the rules: ``Freestyle 4``."""
    told = _RULES[rules.line] + (f" {rules.connect}" if rules.connect != 5 else "")
    return GameRecord(GAME, rules.columns, rules.rows, rules=told)


def options(record: GameRecord) -> dict[str, Any]:
    """The options of a record; rules that are not known are freestyle with five in a line."""
    found = re.fullmatch(r"(freestyle|standard|renju)(?: ([0-9]))?", record.rules.lower())
    return {
        "columns": record.columns,
        "rows": record.rows,
        "connect": int(found[2] or 5) if found else 5,
        "line": _LINES[found[1]] if found else "at_least",
    }


def move(rules: Any, s: Any, action: int) -> tuple[int, Point] | None:
    """(colour, point); None for swap2's choices, which show in who is Black."""
    if action >= rules.columns * rules.rows:
        return None
    row, column = divmod(action, rules.columns)
    return int(s["stones"]) & 1, (column, row)


def black(s: Any) -> int:
    """The seat that plays Black."""
    return int(s["black"])


def result(rules: Any, s: Any) -> str:
    """``B+``, ``W+``, ``Draw``, or nothing while the game goes on."""
    if s["winner"] >= 0:
        return "B+" if s["winner"] == s["black"] else "W+"
    return "Draw" if s["ended"] in (BOARD_FULL, NO_LEGAL_CELL) else ""
