"""Breakthrough in words: ``a7a6`` is a pawn's cell and where it goes, ``a7b6*`` a capture."""

from __future__ import annotations

import re
from typing import Any

from stratagym.envs.breakthrough.rules import TWO_ROWS_FROM, squares_of
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import board_move, labelled_grid, marks_text

PROMPT_VERSION, MERGED_VERSION = "breakthrough-2", "breakthrough-1"
EARLIER_PROMPTS = {"breakthrough-1": POSITION_FIRST}
ANSWER = board_move(
    "<from><to>",
    r"[A-Za-z][0-9]{1,2} ?[-x]? ?[A-Za-z][0-9]{1,2}\*?",
    what="the pawn's cell and the cell it goes to",
)
POSITION_FORMS, TITLES = ("grid", "list"), False
PAWNS, COLOURS = "bw", ("black", "white")
WAYS = ("down", "up")
RULES_BRIEF = (
    "Pawns go one cell straight or diagonally forward and capture diagonally only; the first pawn "
    "on its farthest row wins."
)
HINTS = (
    "If a pawn of yours can reach its last row now, move it there.",
    "An enemy pawn one step from its last row has to be captured at once.",
    "Before you move, look at which of your pawns could be captured and whether another guards it.",
    "A pawn that no enemy pawn can get in front of any more wins if it is first: count the steps.",
    "Leave pawns on your first row as long as you can: they capture those that break through.",
)
PERSONAS = {
    "none": "",
    "runner": "You love to attack. You push pawns forward, and exchange only to open a path.",
    "guardian": (
        "You are careful. You keep your pawns together, each guarded by another, and capture "
        "whatever comes near."
    ),
}
RENAMED = {
    "breakthrough": "crossing", "pawn": "runner", "pawns": "runners", "board": "meadow",
    "cell": "patch", "cells": "patches", "captures": "tags", "capture": "tag",
    "captured": "tagged", "black": "amber", "white": "teal",
}  # fmt: skip
"""The game's words under ``TextOptions.renamed``; b and w name columns too and stay."""


def columns_of(rules: Any) -> str:
    """The columns' letters."""
    return "abcdefgh"[: rules.columns]


def _grid(rules: Any, s: Any) -> str:
    """Rows of b, w and ``.``, the top row first, labelled on all edges."""
    sides = int(s["black"]), int(s["white"])
    rows = {
        rules.rows - row: marks_text(*sides, range(8 * row, 8 * row + rules.columns), PAWNS)
        for row in range(rules.rows)
    }
    return labelled_grid(columns_of(rules), rows)


def board_text(rules: Any, s: Any) -> str:
    """The board for a terminal, with the last move, and whose turn it is or who has won."""
    lines = [_grid(rules, s)]
    if s["last"] >= 0:
        lines.append(_last_text(rules, s))
    winner = int(s["winner"])
    lines.append(f"{PAWNS[s['player']]} to move" if winner < 0 else f"{PAWNS[winner]} has won")
    return "\n".join(lines)


def _last_text(rules: Any, s: Any) -> str:
    return f"Last move: {PAWNS[1 - s['player']]} {action_to_string(rules, s, int(s['last']))}"


def _cell(rules: Any, square: int) -> str:
    return f"{columns_of(rules)[square & 7]}{rules.rows - (square >> 3)}"


def _leaves_board(rules: Any, action: int) -> bool:
    """Whether an action's number names a step off the board, which no move's text does."""
    (cell, way) = action // 12, action % 12 >> 1
    row = cell // rules.columns + (1 if way < 3 else -1)
    column = cell % rules.columns + way % 3 - 1
    return not (0 <= row < rules.rows and 0 <= column < rules.columns)


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """The two cells, such as ``a7a6``, and ``*`` behind a capture."""
    if _leaves_board(rules, action):
        return f"action {action}"
    cells = "".join(_cell(rules, int(square)) for square in squares_of.py_func(rules, action))
    return cells + "*" * (action & 1)


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action a move's text names, legal or not: two cells or the action's number.

    ``a7b6``, ``a7-b6`` and ``a7xb6`` name the capture where an enemy pawn stands on b6.

    Raises:
        ValueError: ``off_board``, ``not_your_piece``, ``too_far`` if no pawn of the seat to move
            steps so, or ``no_such_move``.
    """
    text = text.strip().lower()
    if re.fullmatch(r"[0-9]{1,3}", text) and int(text) < rules.num_actions:
        return int(text)
    match = re.fullmatch(r"([a-z])([0-9]{1,2}) ?[-x]? ?([a-z])([0-9]{1,2})\*?", text)
    if not match:
        raise ValueError("no_such_move")
    cells = []
    for name, number in ((match[1], match[2]), (match[3], match[4])):
        column, row = columns_of(rules).find(name), rules.rows - int(number)
        if column < 0 or not 0 <= row < rules.rows:
            raise ValueError("off_board")
        cells.append((row, column))
    (row, column), (to_row, to_column) = cells
    down, right = to_row - row, to_column - column
    seat = int(s["player"])
    if down != (1, -1)[seat] or abs(right) > 1:
        mine = int(s[COLOURS[seat]]) >> 8 * row + column & 1
        raise ValueError("too_far" if mine else "not_your_piece")
    enemy = int(s[("white", "black")[seat]]) >> 8 * to_row + to_column & 1
    taking = enemy or text.endswith("*")
    # A straight step has no number of a capture in use; why_illegal says what is wrong with it.
    capture = int(bool(taking and right))
    return ((row * rules.columns + column) * 6 + 3 * seat + right + 1) * 2 + capture


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move told in one sentence."""
    start, end = squares_of.py_func(rules, action)
    done = "captured on" if action & 1 else "moved to"
    return f"{PAWNS[s['player']]} on {_cell(rules, start)} {done} {_cell(rules, end)}."


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """``not_your_piece``, ``off_board``, ``too_far``, ``blocked``, ``occupied`` or ``no_capture``.

    ``blocked`` is a straight step onto a pawn, ``occupied`` a diagonal one onto an own pawn,
    ``no_capture`` a capture where no enemy pawn stands.
    """
    seat = int(s["player"])
    own, other = (int(s[side]) for side in (("black", "white")[:: -1 if seat else 1]))
    cell, way = action // 12, action % 12 >> 1
    start = 8 * (cell // rules.columns) + cell % rules.columns
    if not own >> start & 1:
        return "not_your_piece"
    if (way >= 3) != (seat == 1):
        return "too_far"
    if _leaves_board(rules, action):
        return "off_board"
    end = squares_of.py_func(rules, action)[1]
    if way % 3 == 1 and (own | other) >> end & 1:
        return "blocked"
    if own >> end & 1 or (other >> end & 1 and not action & 1):
        return "occupied"
    return "no_capture"


def seat_name(rules: Any, s: Any, player: int) -> str:
    """The colour, with the letter of its pawns."""
    return f"{COLOURS[player].capitalize()} ({PAWNS[player]})"


def role_text(rules: Any, player: int) -> str:
    """Whose pawns the seat has."""
    return (
        f"You play breakthrough with the {COLOURS[player]} pawns, shown as {PAWNS[player]}, which "
        f"move {WAYS[player]} the board; your opponent has the {COLOURS[1 - player]} ones, shown "
        f"as {PAWNS[1 - player]}, which move {WAYS[1 - player]}."
    )


def rules_text(rules: Any) -> str:
    """The rules in force, with how cells and moves are named."""
    rows = "two rows" if rules.rows >= TWO_ROWS_FROM else "one row"
    return (
        f"Rules: {notation_text(rules)} Black starts with {rows} of pawns at the top and moves "
        f"down, White with {rows} at the bottom and moves up. The players move one pawn in turn, "
        "Black first. A pawn goes one cell forward, straight or diagonally, onto an empty cell. "
        "It may also go one cell diagonally forward onto a cell with an enemy pawn and so "
        "captures it, which is removed from the board; straight ahead it captures nothing and is "
        "blocked by any pawn. Nobody has to capture. Whoever first has a pawn on the row farthest "
        "from its own side, or captures the last enemy pawn, wins. There is no draw."
    )


def notation_text(rules: Any) -> str:
    """How cells and moves are named."""
    columns, rows = columns_of(rules), rules.rows
    return (
        f"The board has {rules.columns} columns, a to {columns[-1]} from the left, and {rows} "
        f"rows, 1 to {rows} from the bottom; a cell is named by its column and row. A move is the "
        f"pawn's cell and the cell it goes to, such as a{rows - 1}{columns[1]}{rows - 2}, with or "
        "without a * behind a capture."
    )


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """The board as a grid, or a list of the cells by whose pawns are on them."""
    if form == "grid":
        told = f"The board now (a dot is an empty cell):\n{_grid(rules, s)}"
    else:
        told = "The pawns now:"
        for mark, side in zip(PAWNS, COLOURS, strict=True):
            names = [_cell(rules, k) for k in range(8 * rules.rows) if int(s[side]) >> k & 1]
            told += f"\n{mark}: {' '.join(names) or 'none'}"
        told += "\nAll other cells are empty."
    if s["last"] >= 0:
        told += f"\n\n{_last_text(rules, s)}"
    return f"{told}\n\nIt is your turn: move one pawn {PAWNS[player]}."
