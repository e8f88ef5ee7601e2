"""Connect four in words; columns are numbered 0 to 6 from the left, as actions are."""

from __future__ import annotations

import re
from typing import Any

from stratagym.envs.connect_four.rules import CELLS, COLUMNS, HEIGHT, ROWS
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import MARKS, mark_name, marks_text, move_line

PROMPT_VERSION, MERGED_VERSION = "connect-four-3", "connect-four-1"
EARLIER_PROMPTS = {"connect-four-2": POSITION_FIRST}
ANSWER = move_line("<column>", "-?[0-9]+", what="the column")
POSITION_FORMS, TITLES = ("grid", "list"), False
RULES_TEXT = (
    "Rules: the board stands upright and has 7 columns, numbered 0 to 6 from the left, of 6 "
    "squares each. The players drop one stone in turn, X first; a stone falls to the lowest "
    "empty square of its column, and a full column takes no more. Whoever has four stones "
    "next to each other in a horizontal, vertical or diagonal line wins at once. A full board "
    "without such a line is a draw."
)
RULES_BRIEF = "Four of your stones in a line, horizontal, vertical or diagonal, win."
NOTATION_TEXT = "The 7 columns are numbered 0 to 6 from the left."
HINTS = (
    "First look for a column that gives you four in a line, then for one that your opponent needs.",
    "Stones in the middle column belong to more lines than those at the edge.",
    "Before you drop a stone, look at the square above it: your opponent may want it next.",
    "Two places at once that would finish your line cannot both be blocked.",
)
WHY_ILLEGAL = "full"
seat_name = mark_name
RENAMED = {
    "connect four": "four beads", "X": "V", "O": "H", "stone": "bead", "stones": "beads",
    "column": "shaft", "columns": "shafts", "board": "rack",
}  # fmt: skip


def board_text(rules: Any, s: Any) -> str:
    """The board for a terminal, and whose turn it is or who has won."""
    last = "Draw" if s["plies"] == CELLS else f"{MARKS[s['plies'] & 1]} to move"
    if s["winner"] >= 0:
        last = f"{MARKS[s['winner']]} has won"
    return f"{_grid(s)}\n{last}"


def _grid(s: Any) -> str:
    """Six rows of X, O and ``.``, the columns' numbers below."""
    first, second = (int(s[side]) for side in ("mover", "other")[:: -1 if s["plies"] & 1 else 1])
    rows = (
        marks_text(first, second, range(height, HEIGHT * COLUMNS, HEIGHT))
        for height in reversed(range(ROWS))
    )
    return "\n".join([*rows, " ".join(map(str, range(COLUMNS)))])


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action a move's text names, legal or not. Raises ``ValueError`` if it names none."""
    if not re.fullmatch(r"[0-6]", text):
        raise ValueError("no_such_column")
    return int(text)


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move told in one sentence."""
    return f"{MARKS[s['plies'] & 1]} dropped a stone into column {action}."


def role_text(rules: Any, player: int) -> str:
    """Whose stones the seat has."""
    mine, theirs = MARKS[player], MARKS[1 - player]
    return f"You play connect four with the stones {mine}; your opponent has {theirs}."


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """The board as a grid, or a list of the stones in each column."""
    if form == "grid":
        about = "top row first, a dot is an empty square, the last line numbers the columns"
        told = f"The board now ({about}):\n{_grid(s)}"
    else:
        told = "The stones of each column now, the lowest first:"
        for number, *stones in zip(*map(str.split, _grid(s).splitlines()[::-1]), strict=True):
            told += f"\n{number}: {' '.join(stones).rstrip(' .') or 'empty'}"
    return f"{told}\n\nIt is your turn: drop one {MARKS[player]}."


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """The columns that take a stone."""
    return f"Columns that are not full: {', '.join(map(str, sorted(legal)))}"
