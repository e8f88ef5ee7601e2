"""Go in words: ``D4`` is the fourth column of the fourth row from the bottom, ``pass`` a pass."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core
from stratagym.envs.go.rules import (
    FREE,
    GOING,
    MOVE_LIMIT,
    POSITIONAL,
    SIMPLE,
    WALL,
    area_of,
    grid_of,
    in_atari,
    point_of,
)
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import (
    MARKS,
    board_move,
    colours_text,
    labelled_grid,
    last_text,
    square_named,
    standing,
    stones_name,
)

PROMPT_VERSION, MERGED_VERSION = "go-3", "go-2"
EARLIER_PROMPTS = {"go-2": POSITION_FIRST}
TOLD_WHEN_DUE = "points that repetition of an earlier position will forbid"
ANSWER = board_move(
    "<column letter><row number>, or pass",
    r"\(?[A-Za-z] ?,? ?[0-9]{1,2}\)?|(?i:pass|none)",
    what="the point, its column's letter before its row's number, or the word pass",
)
POSITION_FORMS, TITLES = ("grid", "list"), False
COLUMNS = "ABCDEFGHJKLMNOPQRST"
"""Letters of columns: I is left out."""
RULES_BRIEF = (
    "Chains of stones without an empty point next to them are taken off; after two passes in a row "
    "the player with more stones and surrounded points wins, and what stands on the board counts."
)
HINTS = (
    "First of all see whether a chain of yours, or of your opponent's, has only one liberty.",
    "A chain lives for ever if it has two separate empty points that the opponent cannot fill.",
    "Never fill the last two such points of your own chain.",
    "Take the corners first, then the sides: there it needs fewest stones to surround points.",
    "Pass only when no move gains anything, and not before dead stones in your area are captured.",
)
RENAMED = {
    "go": "girdle", "X": "V", "O": "Y", "stone": "chip", "stones": "chips", "board": "tray",
    "point": "spot", "points": "spots", "chain": "band", "chains": "bands", "liberty": "breath",
    "liberties": "breaths", "pass": "skip", "passes": "skips", "passed": "skipped",
    "black": "amber", "white": "teal", "prisoners": "trophies", "komi": "bonus",
}  # fmt: skip
"""The game's words and what they are called under ``TextOptions.renamed``."""


def _marks(rules: Any, s: Any) -> list[str]:
    """Rows of the board from the top, a mark or a dot a point."""
    return ["".join(f"{MARKS}."[there] for there in row) for row in grid_of(rules, s)]


def _grid(rules: Any, s: Any) -> str:
    """The board, labelled on all edges."""
    rows = {rules.size - row: " ".join(marks) for row, marks in enumerate(_marks(rules, s))}
    return labelled_grid(COLUMNS[: rules.size], rows)


def _number(value: float) -> str:
    return f"{value:g}"


def count_text(rules: Any, s: Any) -> str:
    """``Stones: X 12, O 11. Prisoners taken: X 1, O 2. Komi: 7.5``."""
    marks = "".join(_marks(rules, s))
    stones = ", ".join(f"{mark} {marks.count(mark)}" for mark in MARKS)
    taken = ", ".join(
        f"{mark} {count}" for mark, count in zip(MARKS, s["prisoners"].tolist(), strict=True)
    )
    return f"Stones: {stones}. Prisoners taken: {taken}. Komi: {_number(rules.komi)}"


@njit(cache=True)
def _area_at(rules, states, i):
    return area_of(rules, states[i])


def area(rules: Any, s: Any) -> int:
    """X's stones and surrounded points less O's, as the board stands."""
    return int(_area_at(rules, np.array([s]), 0))


def result_text(rules: Any, s: Any) -> str:
    """How a game that is over ended: ``X has won by 3.5``."""
    lead = int(s["area"]) - rules.komi
    won = f"{MARKS[lead < 0]} has won by {_number(abs(lead))}" if lead else "Draw"
    return won + (", stopped at the limit of moves" if s["over"] == MOVE_LIMIT else "")


def board_text(rules: Any, s: Any) -> str:
    """The board for a terminal, with the count, the last move, whose turn it is or who has won."""
    last = last_text(action_to_string, rules, s)
    result = "" if s["over"] == GOING else result_text(rules, s)
    return standing(s, _grid(rules, s), count_text(rules, s), last, result=result)


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """The point, such as ``D4``, or ``pass``."""
    if action == rules.size**2:
        return "pass"
    row, column = divmod(action, rules.size)
    return f"{COLUMNS[column]}{rules.size - row}"


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action a move's text names, legal or not: a point, ``pass`` or the action's number.

    Raises:
        ValueError: ``off_board``, or ``no_such_move`` if it is none.
    """
    text = text.strip().upper()
    if text in ("PASS", "NONE"):
        return rules.size**2
    if re.fullmatch(r"[0-9]{1,3}", text) and int(text) <= rules.size**2:
        return int(text)
    column, up = square_named(text, COLUMNS, rules.size)
    return (rules.size - 1 - up) * rules.size + column


def _next_to(rules: Any, p: int) -> tuple[int, ...]:
    wide = rules.size + 1
    return p - wide, p - 1, p + 1, p + wide


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move told in one sentence."""
    seat = int(s["player"])
    if action == rules.size**2:
        return f"{MARKS[seat]} passed."
    heads = {
        int(s["head"][q])
        for q in _next_to(rules, int(point_of(rules, action)))
        if s["colour"][q] == 1 - seat
    }
    taken = sum(int(s["stones"][head]) for head in heads if in_atari(s, head))
    told = f"{MARKS[seat]} put a stone on {action_to_string(rules, s, action)}"
    return told + (f" and took {taken} off." if taken else ".")


def repeating(rules: Any, s: Any) -> list[str]:
    """The points where the seat to move may not put a stone for what stood on the board before."""
    out = np.zeros(rules.num_actions, np.int64)
    legal = set(out[: core.legal_actions_at(rules, np.array([s]), 0, out)].tolist())
    return [
        action_to_string(rules, s, action)
        for action in range(rules.size**2)
        if action not in legal and why_illegal(rules, s, action) == "repetition"
    ]


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """``occupied``, ``suicide`` or ``repetition``."""
    seat, p = int(s["player"]), int(point_of(rules, action))
    if s["colour"][p] != FREE:
        return "occupied"
    for q in _next_to(rules, p):
        there = s["colour"][q]
        if there == WALL:
            continue
        if there == FREE or bool(in_atari(s, int(s["head"][q]))) == (there != seat):
            return "repetition"
    return "suicide"


def seat_name(rules: Any, s: Any, player: int) -> str:
    """The colour, with the mark that boards and moves have it by."""
    return stones_name(player)


def role_text(rules: Any, player: int) -> str:
    """Whose stones the seat has."""
    return colours_text("go", player)


def _repetition_text(rules: Any) -> str:
    if rules.ko == SIMPLE:
        return (
            "If one stone has just taken a single stone and could itself be taken by a stone put "
            "back there, it may not be taken so at once, only after another move or a pass."
        )
    same = "" if rules.ko == POSITIONAL else " with the same player to move"
    return (
        "A move is not allowed if it would bring back any earlier position of the whole board"
        f"{same}, the first one included; a pass always is."
    )


def rules_text(rules: Any) -> str:
    """The rules in force, with how points are named."""
    size, last = rules.size, COLUMNS[rules.size - 1]
    without = " without I" if size > 8 else ""
    first = "The board is empty at the start and X moves first."
    if rules.handicap:
        first = f"At the start X has {rules.handicap} stones on the board, and O moves first."
    more = f"more than {_number(rules.komi)} points more than O" if rules.komi else "more than O"
    draw = ""
    if rules.komi == int(rules.komi):
        draw = f"; {'exactly so many' if rules.komi else 'as many'} is a draw"
    return (
        f"Rules: the board has {size} columns, A to {last} from the left{without}, and {size} "
        f"rows, 1 to {size} from the bottom; a point is named by its column and row, such as "
        f"B{size}. {first} In turn the players put one stone of their own on an empty point, or "
        "pass. Stones of one colour that touch along a row or column, not diagonally, are a "
        "chain, a lone stone too; the empty points that touch a chain so are its liberties. After "
        "a move, chains of the opponent's without a liberty are taken off the board, and only "
        "then must the new stone's own chain have a liberty: else the move is not allowed. "
        f"{_repetition_text(rules)} The game ends after two passes in a row, or after "
        f"{rules.max_length} moves, passes among them. Then each player has a point for each "
        "own stone on the board and for each empty point of a region that touches own stones "
        "only. No stones are taken off as dead: capture what cannot live before you pass. X wins "
        f"with {more}, else O wins{draw}. Prisoners do not count."
    )


def notation_text(rules: Any) -> str:
    """How points are named."""
    size, last = rules.size, COLUMNS[rules.size - 1]
    without = " without I" if size > 8 else ""
    return (
        f"Columns are A to {last} from the left{without}, rows 1 to {size} from the bottom; a "
        f"point is named by column and row, such as B{size}."
    )


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """The board as a grid, or a list of the points by what is on them."""
    if form == "grid":
        told = f"The board now (a dot is an empty point):\n{_grid(rules, s)}"
    else:
        marks = "".join(_marks(rules, s))
        told = "The stones now:"
        for mark in MARKS:
            names = [
                action_to_string(rules, s, k) for k in range(rules.size**2) if marks[k] == mark
            ]
            told += f"\n{mark}: {' '.join(names) or 'none'}"
        told += "\nAll other points are empty."
    told += f"\n\n{count_text(rules, s)}."
    if s["last"] >= 0:
        told += f"\n{last_text(action_to_string, rules, s)}"
    told += f"\nMoves until the game is stopped: {rules.max_length - int(s['plies'])}"
    forbidden = " ".join(repeating(rules, s)) or "none"
    told += f"\nPoints forbidden to you now by repetition: {forbidden}"
    return f"{told}\n\nIt is your turn: put down one {MARKS[player]}, or pass."
