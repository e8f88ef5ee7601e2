"""Connect four in words: board, moves, prompt and reply.

Columns are numbered 0 to 6 from the left, as actions are.
"""

from __future__ import annotations

import re
from typing import Any

from stratagym.envs.connect_four.rules import CELLS, COLUMNS, HEIGHT, ROWS
from stratagym.envs.words import (
    MARKS,
    extract_move_line,
    marks_text,
    message,
    plain_style_and_history,
)

PROMPT_VERSION = "connect-four-1"
PERSONAS = {"none": ""}
"""Playing styles a prompt can ask for."""

RENAMED = {
    "connect four": "four beads",
    "X": "V",
    "O": "H",
    "stone": "bead",
    "stones": "beads",
    "column": "shaft",
    "columns": "shafts",
    "board": "rack",
}
"""The game's words and what they are called under ``TextOptions.renamed``."""


def board_text(rules: Any, s: Any) -> str:
    """The board for a terminal, and whose turn it is or who has won."""
    if s["winner"] >= 0:
        last = f"{MARKS[s['winner']]} has won"
    else:
        last = "Draw" if s["plies"] == CELLS else f"{_turn(s)} to move"
    return f"{_grid(s)}\n{last}"


def _turn(s: Any) -> str:
    return MARKS[s["plies"] & 1]


def _grid(s: Any) -> str:
    """Six rows of X, O and ``.``, the columns' numbers below."""
    first, second = int(s["mover"]), int(s["other"])
    if s["plies"] & 1:
        first, second = second, first
    rows = []
    for height in reversed(range(ROWS)):
        squares = [HEIGHT * column + height for column in range(COLUMNS)]
        rows.append(marks_text(first, second, squares))
    return "\n".join([*rows, " ".join(map(str, range(COLUMNS)))])


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """The column's number."""
    return str(action)


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action a move's text names, legal or not. Raises ``ValueError`` if it names none."""
    if not re.fullmatch(r"[0-6]", text):
        raise ValueError("no_such_column")
    return int(text)


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move told in one sentence."""
    return f"{_turn(s)} dropped a stone into column {action}."


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """Why no stone may be dropped into the column, as one word: ``full``."""
    return "full"


def extract(text: str, lenient: bool = False) -> str | None:
    """The move's text in a reply with a line ``Move: <column>``, the last of them; or None.

    ``lenient`` also takes a reply that is the number alone, in brackets or not.
    """
    return extract_move_line(text, r"-?\d+", lenient)


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
        f"You play connect four with the stones {MARKS[player]}; "
        f"your opponent has {MARKS[1 - player]}.",
        "Rules: the board stands upright and has 7 columns, numbered 0 to 6 from the left, of 6 "
        "squares each. The players drop one stone in turn, X first; a stone falls to the lowest "
        "empty square of its column, and a full column takes no more. Whoever has four stones "
        "next to each other in a horizontal, vertical or diagonal line wins at once. A full board "
        "without such a line is a draw.",
        "The board now (top row first, a dot is an empty square, the last line numbers the "
        "columns):\n" + _grid(s),
        f"It is your turn: drop one {MARKS[player]}.",
    ]
    if list_legal is not None:
        parts.append(f"Columns that are not full: {', '.join(map(str, sorted(list_legal)))}")
    parts += plain_style_and_history(PERSONAS[persona], history)
    parts.append(
        "You may think first. End your answer with a line of exactly this form:\nMove: <column>"
    )
    return message(parts)
