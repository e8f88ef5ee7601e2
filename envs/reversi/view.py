"""Reversi in words: ``f5`` is the sixth column of the fifth row from the top, ``pass`` a pass."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from stratagym.envs.reversi.rules import GOING, MOVE_LIMIT, disc_difference, square_of, turned_by
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import (
    MARKS,
    board_move,
    colours_text,
    labelled_grid,
    last_text,
    marks_text,
    square_named,
    standing,
    stones_name,
)

PROMPT_VERSION, MERGED_VERSION = "reversi-2", "reversi-1"
EARLIER_PROMPTS = {"reversi-1": POSITION_FIRST}
ANSWER = board_move(
    "<column letter><row number>, or pass",
    r"\(?[A-Za-z] ?,? ?[0-9]{1,2}\)?|(?i:pass|none)",
    what="the square, its column's letter before its row's number, or the word pass",
)
POSITION_FORMS, TITLES = ("grid", "list"), False
RULES_BRIEF = (
    "A disc must enclose straight rows of the other side's discs, which turn over; more discs win."
)
HINTS = (
    "A disc in a corner is never turned over again.",
    "Next to an empty corner a disc, above all a diagonal one, often gives the corner away.",
    "Until late in the game, having many moves is worth more than having many discs.",
    "Keep discs that few empty squares touch; who is hemmed in gives the other side moves.",
    "At the end, count: fill a region of an odd number of empty squares first.",
)
RENAMED = {
    "reversi": "turncoats", "X": "V", "O": "Y", "disc": "chip", "discs": "chips", "board": "tray",
    "square": "hollow", "squares": "hollows", "pass": "skip", "passes": "skips",
    "passed": "skipped", "black": "amber", "white": "teal",
}  # fmt: skip
"""The game's words and what they are called under ``TextOptions.renamed``."""


def _discs(s: Any) -> tuple[int, int]:
    """Bitboards of X's and O's discs."""
    own, opp = int(s["own"]), int(s["opp"])
    return (opp, own) if s["player"] else (own, opp)


def _grid(rules: Any, s: Any) -> str:
    """Rows of X, O and ``.``, labelled on all edges."""
    rows = {
        row + 1: marks_text(*_discs(s), range(8 * row, 8 * row + rules.size))
        for row in range(rules.size)
    }
    return labelled_grid("abcdefgh"[: rules.size], rows)


def count_text(rules: Any, s: Any) -> str:
    """``X 4, O 1, empty 59``."""
    first, second = (discs.bit_count() for discs in _discs(s))
    return f"X {first}, O {second}, empty {rules.size**2 - first - second}"


def result_text(rules: Any, s: Any) -> str:
    """How a game that is over ended: ``X has won by 12``; empty squares count for the winner."""
    difference = int(disc_difference(rules, s))
    won = f"{MARKS[difference < 0]} has won by {abs(difference)}" if difference else "Draw"
    return won + (", stopped at the limit of moves" if s["over"] == MOVE_LIMIT else "")


def board_text(rules: Any, s: Any) -> str:
    """The board for a terminal, with the count, the last move, whose turn it is or who has won."""
    last = last_text(action_to_string, rules, s)
    result = "" if s["over"] == GOING else result_text(rules, s)
    return standing(s, _grid(rules, s), count_text(rules, s), last, result=result)


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """The square, such as ``f5``, or ``pass``."""
    if action == rules.size**2:
        return "pass"
    row, column = divmod(action, rules.size)
    return f"{'abcdefgh'[column]}{row + 1}"


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action a move's text names, legal or not: a square, ``pass`` or the action's number.

    Raises:
        ValueError: ``off_board``, or ``no_such_move`` if it is none.
    """
    text = text.strip().lower()
    if text in ("pass", "none"):
        return rules.size**2
    if re.fullmatch(r"[0-9]{1,2}", text) and int(text) <= rules.size**2:
        return int(text)
    column, row = square_named(text, "abcdefgh", rules.size)
    return row * rules.size + column


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move told in one sentence."""
    who = MARKS[s["player"]]
    if action == rules.size**2:
        return f"{who} passed."
    move = np.uint64(1 << int(square_of(rules, action)))
    count = int(turned_by(move, s["own"], s["opp"])).bit_count()
    return f"{who} put a disc on {action_to_string(rules, s, action)} and turned over {count}."


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """``cannot_pass``, ``must_pass``, ``occupied``, or ``no_flip`` where nothing would turn."""
    if action == rules.size**2:
        return "cannot_pass"
    if (int(s["own"]) | int(s["opp"])) >> int(square_of(rules, action)) & 1:
        return "occupied"
    return "no_flip" if s["legal"] else "must_pass"


def seat_name(rules: Any, s: Any, player: int) -> str:
    """The colour, with the mark that boards and moves have it by."""
    return stones_name(player)


def role_text(rules: Any, player: int) -> str:
    """Whose discs the seat has."""
    return colours_text("reversi", player, "discs")


def rules_text(rules: Any) -> str:
    """The rules in force, with how squares are named."""
    size = rules.size
    last = "abcdefgh"[size - 1]
    if rules.voluntary:
        passing = (
            "A player may pass instead at any time, and must if no square is allowed. After "
            f"{2 * (size**2 - 4)} moves, passes among them, the game is stopped."
        )
    else:
        passing = "Who has no such square must pass, and only then may."
    return (
        f"Rules: the board has {size} columns, a to {last} from the left, and {size} rows, 1 to "
        f"{size} from the top; a square is named by its column and row, such as b{size - 1}. "
        "Four discs lie in the middle at the start. The players put down one disc in turn, X "
        "first, on an empty square. It must enclose at least one straight row, horizontal, "
        "vertical or diagonal, of one or more of the other player's discs, without gaps, between "
        "itself and another of the mover's discs. All rows enclosed by it, in every direction, "
        f"turn over and become the mover's. {passing} The game ends when neither player can put "
        "down a disc. Whoever has more discs then wins; as many each is a draw."
    )


def notation_text(rules: Any) -> str:
    """How squares are named."""
    last = "abcdefgh"[rules.size - 1]
    return (
        f"Columns are a to {last} from the left, rows 1 to {rules.size} from the top; a square is "
        f"named by column and row, such as b{rules.size - 1}."
    )


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """The board as a grid, or a list of the squares by what is on them."""
    if form == "grid":
        told = f"The board now (a dot is an empty square):\n{_grid(rules, s)}"
    else:
        told = "The discs now:"
        for mark, discs in zip(MARKS, _discs(s), strict=True):
            names = [
                action_to_string(rules, s, k)
                for k in range(rules.size**2)
                if discs >> int(square_of(rules, k)) & 1
            ]
            told += f"\n{mark}: {' '.join(names) or 'none'}"
        told += "\nAll other squares are empty."
    told += f"\n\nCount: {count_text(rules, s)}."
    if s["last"] >= 0:
        told += f"\n{last_text(action_to_string, rules, s)}"
    if rules.voluntary:
        told += f"\nMoves until the game is stopped: {rules.max_game_length - int(s['plies'])}"
    return f"{told}\n\nIt is your turn: put down one {MARKS[player]}, or pass if you may."
