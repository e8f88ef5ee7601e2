"""Tic-tac-toe in words: grid, moves, prompt and reply.

In words a square has a row and a column from 1 to 3; rows count from the top, columns from the
left, and ``2,3`` is the right square of the middle row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from stratagym.envs.tictactoe.rules import LINES
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import MARKS, mark_name, marks_text, move_line

PROMPT_VERSION, MERGED_VERSION = "tictactoe-3", "tictactoe-1"
EARLIER_PROMPTS = {"tictactoe-2": POSITION_FIRST}
ANSWER = move_line(
    "<row>,<column>",
    r"-?[0-9]+\s*,\s*-?[0-9]+",
    note=", the row's number before the column's",
    what="the square, the row's number before the column's,",
)
POSITION_FORMS = ("grid", "list", "lines")
BY_ROWS = [
    sorted(3 * (action % 3) + action // 3 for action in range(9) if line >> action & 1)
    for line in (*LINES[3:6], *LINES[:3], *LINES[6:])
]
"""The squares of rows, columns and diagonals, counted row by row."""
TITLES = False
seat_name = mark_name
HINTS = (
    "Finish a line of your own if you can, and else one that your opponent would finish.",
    "Two lines that could be finished at once cannot both be blocked.",
    "The middle square belongs to four lines, a corner to three, an edge to two.",
)
RULES_TEXT = (
    "Rules: the players mark one empty square of a 3 x 3 grid in turn, X first. Whoever has "
    "three marks in a row, a column or a diagonal wins at once. A full grid without such a "
    "line is a draw."
)
RULES_BRIEF = "Three of your marks in a row, a column or a diagonal win."
NOTATION_TEXT = "Rows are numbered 1 to 3 from the top, columns 1 to 3 from the left."
RENAMED = {
    "tic-tac-toe": "trivets", "X": "V", "O": "H", "mark": "peg", "marks": "pegs",
    "marked": "pegged", "grid": "tray", "square": "hollow", "squares": "hollows",
}  # fmt: skip
"""The game's words and what they are called under ``TextOptions.renamed``."""


def board_text(rules: Any, s: Any) -> str:
    """The grid for a terminal, and whose turn it is or who has won."""
    lines = _grid(s).splitlines()
    if s["winner"] >= 0:
        lines.append(f"{MARKS[s['winner']]} has won")
    else:
        lines.append("Draw" if "." not in lines[1] + lines[2] + lines[3] else f"{_turn(s)} to move")
    return "\n".join(lines)


def _turn(s: Any) -> str:
    return MARKS[s["player"]]


def _grid(s: Any) -> str:
    """Three rows of X, O and ``.``, numbered."""
    rows = ["  1 2 3"]
    for row in range(3):
        squares = range(row, 9, 3)
        rows.append(f"{row + 1} {marks_text(s['crosses'], s['noughts'], squares)}")
    return "\n".join(rows)


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """The square as ``row,column``."""
    return f"{action % 3 + 1},{action // 3 + 1}"


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action a move's text names, legal or not. Raises ``ValueError`` if it names none."""
    match = re.fullmatch(r"([123])\s*,\s*([123])", text)
    if not match:
        raise ValueError("no_such_square")
    return 3 * (int(match[2]) - 1) + int(match[1]) - 1


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move told in one sentence."""
    return f"{_turn(s)} marked {action_to_string(rules, s, action)}."


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """Why the square may not be marked, as one word: ``taken``."""
    return "taken"


def role_text(rules: Any, player: int) -> str:
    """Which mark the seat has."""
    mine, theirs = MARKS[player], MARKS[1 - player]
    return f"You play tic-tac-toe with the mark {mine}; your opponent has {theirs}."


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """The grid, a list of the squares by what is on them, or what the lines hold."""
    if form == "grid":
        told = (
            "The grid now (rows are numbered on the left, columns on top, a dot is an empty "
            "square):\n" + _grid(s)
        )
    else:
        on = "".join(row[2:].replace(" ", "") for row in _grid(s).splitlines()[1:])
        told = _list(on) if form == "list" else _lines(on)
    return f"{told}\n\nIt is your turn: place one {MARKS[player]}."


def _list(on: str) -> str:
    """The squares by what is on them.

    Args:
        on: X, O or ``.`` for each square, row by row.
    """
    told = "The squares now (row,column):"
    for mark, name in (("X", "X"), ("O", "O"), (".", "empty")):
        told += f"\n{name}: {_squares(k for k in range(9) if on[k] == mark) or 'none'}"
    return told


def _lines(on: str) -> str:
    """The marks and the empty squares of each line that has an empty square."""
    told = "The lines now that have empty squares (marks: empty squares as row,column):"
    for line in BY_ROWS:
        marks = " ".join(sorted((on[k] for k in line if on[k] != "."), reverse=True))
        empty = _squares(k for k in line if on[k] == ".")
        told += f"\n{marks or 'none'}: {empty}" if empty else ""
    return told


def _squares(squares: Iterable[int]) -> str:
    return "  ".join(f"{k // 3 + 1},{k % 3 + 1}" for k in squares)


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """The empty squares."""
    squares = "  ".join(action_to_string(rules, s, action) for action in sorted(legal))
    return f"Empty squares (row,column): {squares}"
