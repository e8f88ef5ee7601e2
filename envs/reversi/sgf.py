"""Reversi in SGF, ``GM[2]``: the four discs of the start are not told."""

from __future__ import annotations

from typing import Any

from stratagym.envs.reversi.gtp import score
from stratagym.envs.reversi.rules import GOING
from stratagym.envs.sgf import (
    OTHELLO,
    GameRecord,
    move_on_square_board,
    result_of_score,
    seat_of_black,
)

GAME = OTHELLO
_VOLUNTARY = "voluntary passes"


def start(rules: Any) -> GameRecord:
    """A record without moves."""
    told = _VOLUNTARY if rules.voluntary else ""
    return GameRecord(GAME, rules.size, rules.size, rules=told)


def options(record: GameRecord) -> dict[str, Any]:
    """The options of a record; passes are forced unless its rules are ``voluntary passes``."""
    if record.columns != record.rows:
        raise ValueError(f"sgf: no reversi on a board of {record.columns} x {record.rows}")
    passing = "voluntary" if record.rules == _VOLUNTARY else "forced"
    return {"size": record.columns, "passing": passing}


move, black = move_on_square_board, seat_of_black


def result(rules: Any, s: Any) -> str:
    """``B+12``, ``W+4``, ``Draw``, or nothing while the game goes on."""
    return "" if s["over"] == GOING else result_of_score(score(rules, s))
