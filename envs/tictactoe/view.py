"""Tic-tac-toe in words: grid, moves, prompt and reply.

In words a square has a row and a column from 1 to 3; rows count from the top, columns from the
left, and ``2,3`` is the right square of the middle row.
"""

from __future__ import annotations

import re
from typing import Any

from stratagym.envs.words import (
    MARKS,
    extract_move_line,
    marks_text,
    message,
    plain_style_and_history,
)

PROMPT_VERSION = "tictactoe-1"
PERSONAS = {"none": ""}
"""Playing styles a prompt can ask for."""

RENAMED = {
    "tic-tac-toe": "trivets",
    "X": "V",
    "O": "H",
    "mark": "peg",
    "marks": "pegs",
    "marked": "pegged",
    "grid": "tray",
    "square": "hollow",
    "squares": "hollows",
}
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
        squares = [3 * column + row for column in range(3)]
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


def extract(text: str, lenient: bool = False) -> str | None:
    """The move's text in a reply with a line ``Move: <row>,<column>``, the last of them; or None.

    ``lenient`` also takes a reply that is the square alone, in brackets or not.
    """
    return extract_move_line(text, r"-?\d+\s*,\s*-?\d+", lenient)


def prompt(
    rules: Any,
    s: Any,
    player: int,
    *,
    persona: str = "none",
    history: str = "",
    list_legal: list[int] | None = None,
) -> list[dict[str, str]]:
    """Chat messages that ask ``player`` for a move.

    Args:
        persona: a key of ``PERSONAS``. history: what happened before, as text.
        list_legal: the legal actions, to name them in the prompt.
    """
    parts = [
        f"You play tic-tac-toe with the mark {MARKS[player]}; "
        f"your opponent has {MARKS[1 - player]}.",
        "Rules: the players mark one empty square of a 3 x 3 grid in turn, X first. Whoever has "
        "three marks in a row, a column or a diagonal wins at once. A full grid without such a "
        "line is a draw.",
        "The grid now (rows are numbered on the left, columns on top, a dot is an empty square):\n"
        + _grid(s),
        f"It is your turn: place one {MARKS[player]}.",
    ]
    if list_legal is not None:
        squares = "  ".join(action_to_string(rules, s, action) for action in sorted(list_legal))
        parts.append(f"Empty squares (row,column): {squares}")
    parts += plain_style_and_history(PERSONAS[persona], history)
    parts.append(
        "You may think first. End your answer with a line of exactly this form, the row's number "
        "before the column's:\nMove: <row>,<column>"
    )
    return message(parts)
