"""Gomoku in SGF, ``GM[4]``: rules as ``Freestyle``, ``Standard`` or ``Renju``.

An opening is told as ``ON``, with the choices that were made in it: ``swap2, more, white``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from stratagym.envs.gomoku.rules import (
    AT_LEAST,
    BOARD_FULL,
    CENTRE,
    EXACT,
    FREE,
    NO_LEGAL_CELL,
    RENJU,
    SWAP2,
)
from stratagym.envs.sgf import GOMOKU, GameRecord, Point

GAME = GOMOKU
_RULES = {AT_LEAST: "Freestyle", EXACT: "Standard", RENJU: "Renju"}
_LINES = {"freestyle": "at_least", "standard": "exact", "renju": "renju"}
_OPENINGS = {FREE: "", CENTRE: "centre", SWAP2: "swap2"}
_FROM_TOP = ", rows from the top"
_CHOICES = ("black", "white", "more")
"""In the order of their actions."""


def start(rules: Any) -> GameRecord:
    """A record without moves.

    Lines of other lengths, and rows that words count from the top, are told behind the rules:
    ``Freestyle 4, rows from the top``.
    """
    told = _RULES[rules.line] + (f" {rules.connect}" if rules.connect != 5 else "")
    record = GameRecord(
        GAME, rules.columns, rules.rows, rules=told + _FROM_TOP * bool(rules.from_top)
    )
    if rules.opening != FREE:
        record.more["ON"] = [_OPENINGS[rules.opening]]
    return record


def options(record: GameRecord) -> dict[str, Any]:
    """The options of a record; rules that are not known are freestyle with five in a line.

    Under ``swap2`` the choices have to be told, or the game is read as one without an opening: its
    colours alternate too.
    """
    found = re.fullmatch(
        rf"(freestyle|standard|renju)(?: ([0-9]))?({_FROM_TOP})?", record.rules.lower()
    )
    opening, *chosen = _told(record)
    if opening not in ("centre", "swap2"):
        opening = "free"
    if opening == "swap2" and len(record.moves) > 3 and not chosen:
        opening = "free"
    return {
        "columns": record.columns,
        "rows": record.rows,
        "connect": int(found[2] or 5) if found else 5,
        "line": _LINES[found[1]] if found else "at_least",
        "opening": opening,
        "numbering": "top" if found and found[3] else "bottom",
    }


def _told(record: GameRecord) -> list[str]:
    """The opening and the choices made in it, as ``ON`` tells them."""
    return [word.strip().lower() for word in record.more.get("ON", [""])[0].split(",")]


def tell_choices(record: GameRecord, rules: Any, actions: Sequence[int]) -> None:
    """Write swap2's choices behind the opening."""
    first = rules.columns * rules.rows
    record.more["ON"] = [", ".join(["swap2", *(_CHOICES[action - first] for action in actions)])]


def choices(record: GameRecord, rules: Any) -> list[int]:
    """The actions that swap2's choices are, in the order in which they were made."""
    first = rules.columns * rules.rows
    return [first + _CHOICES.index(word) for word in _told(record)[1:] if word in _CHOICES]


def move(rules: Any, s: Any, action: int) -> tuple[int, Point] | None:
    """(colour, point); None for swap2's choices."""
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
