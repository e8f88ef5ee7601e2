"""Ataxx in words, as UAI has it: ``b2`` is a clone onto that cell, ``a1c3`` a jump."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from stratagym.envs.ataxx.rules import (
    BOTZONE_LONGEST,
    CELLS,
    GOING,
    LONGEST,
    MOVE_LIMIT,
    OFFSETS,
    PASS,
    QUIET,
    SIDE,
    STUCK,
    WIPED_OUT,
    blocks_of,
    gain_of,
    reach,
    stones,
    winner_of,
)
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import (
    MARKS,
    AnswerForm,
    board_move,
    colours_text,
    labelled_grid,
    last_text,
    standing,
    stones_name,
)

PROMPT_VERSION, MERGED_VERSION = "ataxx-3", "ataxx-2"
EARLIER_PROMPTS = {"ataxx-2": POSITION_FIRST}
_CELL = r"\(?[A-Za-z] ?,? ?[0-9]{1,2}\)?"
ANSWER = board_move(
    "<cell>, or <from><to>, or pass",
    rf"{_CELL}(?: ?(?:->|[-→]|to)? ?{_CELL})?|(?i:pass|none)|0000",
    what="the cell to clone onto, or the cells of a jump, from and to, or the word pass",
)
POSITION_FORMS, TITLES = ("grid", "list"), False
COLUMNS, BLOCKED = "abcdefg", "#"
RULES_BRIEF = (
    "A stone clones onto a cell beside it or jumps two cells far and turns the enemy stones next "
    "to it; more stones win."
)
HINTS = (
    "A clone leaves the stone where it was, a jump opens a hole that may be used against you.",
    "Look at what the other player can win back on the cell you go to and the one you leave.",
    "Stones close together with no empty cell beside them cannot be turned.",
    "Jump to turn several stones at once; otherwise clone.",
    "Near the end, count: every empty cell that only you can reach is yours.",
)
PERSONAS = {
    "none": "",
    "gardener": "You are patient. You clone, keep your stones close together and leave no holes.",
    "raider": "You love to attack. You look first for the move that turns the most enemy stones.",
}
RENAMED = {
    "ataxx": "overgrowth", "X": "V", "O": "Y", "stone": "spore", "stones": "spores",
    "board": "dish", "cell": "pore", "cells": "pores", "clone": "bud", "clones": "buds",
    "cloned": "budded", "jump": "drift", "jumps": "drifts", "jumped": "drifted",
    "pass": "skip", "passes": "skips", "passed": "skipped", "black": "amber", "white": "teal",
}  # fmt: skip
"""The game's words and what they are called under ``TextOptions.renamed``."""


# --- cells ---------------------------------------------------------------------------------------


def rank(rules: Any, row: int) -> int:
    """What a row is called."""
    return row + 1 if rules.top else SIDE - row


def cell_text(rules: Any, row: int, column: int) -> str:
    """A cell's name, such as ``b2``."""
    return f"{COLUMNS[column]}{rank(rules, row)}"


def _named(rules: Any, bits: int) -> str:
    """The names of the cells of a bitboard."""
    found = [cell_text(rules, k // 8, k % 8) for k in range(8 * SIDE) if bits >> k & 1]
    return " ".join(found) or "none"


def _source(action: int) -> tuple[int, int] | None:
    """(row, column) that a jump comes from; None if it is off the board."""
    right, down = OFFSETS[action // CELLS - 1]
    row, column = action % CELLS // SIDE + down, action % SIDE + right
    return (row, column) if 0 <= row < SIDE and 0 <= column < SIDE else None


def _bit(cell: tuple[int, int]) -> int:
    return 1 << 8 * cell[0] + cell[1]


def _sides(s: Any) -> tuple[int, int]:
    """Bitboards of X's and O's stones."""
    own, opp = int(s["own"]), int(s["opp"])
    return (opp, own) if s["player"] else (own, opp)


# --- positions -----------------------------------------------------------------------------------


def _grid(rules: Any, s: Any) -> str:
    """Rows of X, O, # and ``.``, labelled on all edges."""
    kinds = list(zip((*MARKS, BLOCKED), (*_sides(s), int(blocks_of.py_func(rules))), strict=True))
    rows = {}
    for row in range(SIDE):
        there = (_bit((row, column)) for column in range(SIDE))
        cells = [next((mark for mark, bits in kinds if bits & cell), ".") for cell in there]
        rows[rank(rules, row)] = " ".join(cells)
    return labelled_grid(COLUMNS, rows)


def count_text(rules: Any, s: Any) -> str:
    """``X 4, O 1, empty 44``."""
    first, second = (bits.bit_count() for bits in _sides(s))
    free = CELLS - int(blocks_of.py_func(rules)).bit_count()
    return f"X {first}, O {second}, empty {free - first - second}"


def quiet_text(rules: Any, s: Any) -> str:
    """The counter that can end the game."""
    if rules.botzone or not rules.max_quiet:
        limit = BOTZONE_LONGEST if rules.botzone else LONGEST
        return f"Moves made: {int(s['plies'])} of {limit}"
    return f"Moves in a row without a clone: {int(s['quiet'])} of {rules.max_quiet}"


def result_text(rules: Any, s: Any) -> str:
    """How a game that is over ended: ``X has won by 30 to 19``."""
    winner, counts = int(winner_of(rules, s)), [int(count) for count in stones(rules, s)]
    if winner < 0:
        quiet = f" after {rules.max_quiet} moves without a clone"
        return "Draw" + (quiet if s["over"] == QUIET else f" after {LONGEST} moves")
    to_move = MARKS[s["player"]]
    why = {
        WIPED_OUT: f", {to_move} has no stone left",
        STUCK: f", {to_move} cannot move",
        MOVE_LIMIT: f", stopped after {BOTZONE_LONGEST} moves",
    }.get(int(s["over"]), "")
    return f"{MARKS[winner]} has won by {counts[winner]} to {counts[1 - winner]}{why}"


def board_text(rules: Any, s: Any) -> str:
    """The board for a terminal, with the count, the last move, whose turn it is or who has won."""
    last = last_text(action_to_string, rules, s)
    result = "" if s["over"] == GOING else result_text(rules, s)
    return standing(s, _grid(rules, s), count_text(rules, s), last, result=result)


# --- moves ---------------------------------------------------------------------------------------


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """A clone's cell ``b2``, a jump's cells ``a1c3``, or ``pass``."""
    if action == PASS:
        return "pass"
    to = cell_text(rules, *divmod(action % CELLS, SIDE))
    if action < CELLS:
        return to
    source = _source(action)
    return f"action {action}" if source is None else cell_text(rules, *source) + to


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action a move's text names, legal or not.

    ``b2``, ``a1c3``, ``(A,1) -> (C,3)``, a clone with the stone that it comes from (``a1b2``),
    ``pass``, ``0000`` for a pass, or the action's number.

    Raises:
        ValueError: ``off_board``; ``not_your_piece`` if the cell from has no stone of the seat to
            move; ``too_far``; ``occupied`` if both cells are one; or ``no_such_move``.
    """
    text = text.strip().lower()
    if text in ("pass", "none", "0000"):
        return PASS
    if re.fullmatch(r"[0-9]{1,3}", text) and int(text) <= PASS:
        return int(text)
    one = r"\(?([a-z]) ?,? ?([0-9]{1,2})\)?"
    match = re.fullmatch(rf"{one}(?: ?(?:->|[-→]|to)? ?{one})?", text)
    if not match:
        raise ValueError("no_such_move")
    cells = []
    for letter, number in ((match[1], match[2]), (match[3], match[4])):
        if letter is None:
            continue
        column, rank = COLUMNS.find(letter), int(number)
        row = rank - 1 if rules.top else SIDE - rank
        if column < 0 or not 0 <= row < SIDE:
            raise ValueError("off_board")
        cells.append((row, column))
    row, column = cells[-1]
    to = SIDE * row + column
    if len(cells) == 1:
        return to
    if not int(s["own"]) & _bit(cells[0]):
        raise ValueError("not_your_piece")
    offset = cells[0][1] - column, cells[0][0] - row
    if offset == (0, 0):
        raise ValueError("occupied")
    if max(map(abs, offset)) == 1:
        return to
    if offset not in OFFSETS:
        raise ValueError("too_far")
    return CELLS * (1 + OFFSETS.index(offset)) + to


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move told in one sentence."""
    who = MARKS[s["player"]]
    if action == PASS:
        return f"{who} passed."
    to = cell_text(rules, *divmod(action % CELLS, SIDE))
    turned = int(gain_of(s["own"], s["opp"], action)) - (action < CELLS)
    source = None if action < CELLS else _source(action)
    done = f"jumped from {cell_text(rules, *source)} to {to}" if source else f"cloned onto {to}"
    return f"{who} {done} and turned over {turned}."


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """Why the seat to move may not play an action.

    ``cannot_pass``, ``blocked`` or ``occupied`` of the cell it goes to, ``must_pass``; of a jump
    ``off_board`` or ``not_your_piece``; of a clone ``too_far``.
    """
    if action == PASS:
        return "cannot_pass"
    own, blocks = int(s["own"]), int(blocks_of.py_func(rules))
    source = None if action < CELLS else _source(action)
    if action >= CELLS and source is None:
        return "off_board"
    to = _bit(divmod(action % CELLS, SIDE))
    if blocks & to:
        return "blocked"
    taken = own | int(s["opp"]) | blocks
    if taken & to:
        return "occupied"
    if not int(reach(s["own"])) & ~taken:
        return "must_pass"
    return "too_far" if source is None else "not_your_piece"


# --- the parts of prompts ------------------------------------------------------------------------


def answer_of(rules: Any) -> AnswerForm:
    """The form of answers: without a pass where nobody passes."""
    if not rules.botzone:
        return ANSWER
    what = "the cell to clone onto, or the cells of a jump, from and to"
    return replace(ANSWER, form="<cell>, or <from><to>", what=what)


def seat_name(rules: Any, s: Any, player: int) -> str:
    """The colour, with the mark that boards and moves have it by."""
    return stones_name(player)


def role_text(rules: Any, player: int) -> str:
    """Whose stones the seat has."""
    return colours_text("ataxx", player)


def rules_text(rules: Any) -> str:
    """The rules in force, with how cells and moves are named."""
    blocks = int(blocks_of.py_func(rules))
    blocked = f" Blocked cells, shown as {BLOCKED}, hold no stones: {_named(rules, blocks)}."
    first, second = (
        " and ".join(cell_text(rules, row, column) for row, column in corners)
        for corners in (((0, 0), (6, 6)), ((0, 6), (6, 0)))
    )
    return (
        f"Rules: {notation_text(rules)}{blocked if blocks else ''} At the start X has stones on "
        f"{first}, O on {second}. The players move in turn, X first. A move is a clone or a jump. "
        "A clone puts a new stone on an empty cell next to one of the mover's stones, straight or "
        "diagonally. A jump takes one of the mover's stones to an empty cell that is two columns "
        "or two rows away, and no more than two of either, whatever lies between. Then all enemy "
        f"stones next to the stone's new cell become the mover's. {_ending_text(rules)}"
    )


def _ending_text(rules: Any) -> str:
    if rules.botzone:
        return (
            "The game ends when the player to move can neither clone nor jump, as on a full board "
            "or without stones: all empty cells then count as stones of the other player. It is "
            f"stopped after {BOTZONE_LONGEST} moves. Whoever has more stones wins; with as many "
            "each, whoever moved last."
        )
    limit = f"{LONGEST} moves"
    if rules.max_quiet:
        limit = f"{rules.max_quiet} moves in a row without a clone, passes counted,"
    return (
        "Who can neither clone nor jump must pass, and only then may. The game ends when the board "
        "is full or a player has no stone left; whoever has more stones then wins. After "
        f"{limit} it is a draw."
    )


def notation_text(rules: Any) -> str:
    """How cells and moves are named."""
    from_side = "top" if rules.top else "bottom"
    return (
        f"The board has 7 columns, a to g from the left, and 7 rows, 1 to 7 from the {from_side}; "
        "a cell is named by its column and row. A clone is named by the cell it goes to, such as "
        "b2, a jump by the cells it comes from and goes to, such as a1c3."
    )


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """The board as a grid, or a list of the cells by whose stones are on them."""
    if form == "grid":
        told = f"The board now (a dot is an empty cell):\n{_grid(rules, s)}"
    else:
        told = "The stones now:"
        for mark, bits in zip(MARKS, _sides(s), strict=True):
            told += f"\n{mark}: {_named(rules, bits)}"
        free = " that are not blocked" if rules.blocks else ""
        told += f"\nAll other cells{free} are empty."
    told += f"\n\nCount: {count_text(rules, s)}."
    if s["last"] >= 0:
        told += f"\n{last_text(action_to_string, rules, s)}"
    told += f"\n{quiet_text(rules, s)}"
    passing = "" if rules.botzone else ", or pass if you must"
    return f"{told}\n\nIt is your turn: clone or jump with one {MARKS[player]}{passing}."
