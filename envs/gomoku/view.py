"""Gomoku in words: ``h8`` is a column's letter and a row's number, X is Black and O is White."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from stratagym.envs.gomoku.rules import (
    AT_LEAST,
    CENTRE,
    EXACT,
    FIRST_CHOICE,
    IN_TURN,
    LAST_CHOICE,
    RENJU,
    RUNNING,
    SWAP2,
)
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import (
    MARKS,
    AnswerForm,
    board_move,
    colours_text,
    marks_text,
    stones_name,
)

PROMPT_VERSION, MERGED_VERSION = "gomoku-3", "gomoku-2"
EARLIER_PROMPTS = {"gomoku-2": POSITION_FIRST}
ANSWER = board_move(
    "<column letter><row number>",
    r"[A-Za-z] ?,? ?[0-9]{1,3}|(?i:black|white|more)"
    r'|\{ ?"col" ?: ?"[A-Za-z]" ?, ?"row" ?: ?[0-9]{1,3} ?\}',
    what="the cell, its column's letter before its row's number,",
)
POSITION_FORMS, TITLES = ("grid", "list"), False
HINTS = (
    "Complete a line of your own if you can, and else stop one that lacks a single stone.",
    "A line that lacks two stones and is open at both ends must be answered before it grows.",
    "Look for a stone that makes two threats at once: only one of them can be stopped.",
    "Stones near the middle and near each other belong to more lines than those at the edge.",
)
PERSONAS = {
    "none": "",
    "attacker": (
        "You love to attack. You make threats of your own whenever you can, and answer only what "
        "would lose at once."
    ),
    "defender": (
        "You are careful. You stop your opponent's lines early, before you build your own."
    ),
}
RENAMED = {
    "gomoku": "fence", "renju": "strict fence", "X": "V", "O": "Y", "stone": "post",
    "stones": "posts", "board": "field", "cell": "plot", "cells": "plots", "line": "rail",
    "lines": "rails", "black": "amber", "white": "teal", "five": "full rail",
    "fours": "near rails", "threes": "half rails", "three": "half rail", "four": "near rail",
}  # fmt: skip
"""The game's words and what they are called under ``TextOptions.renamed``."""
LETTERS = "abcdefghijklmnopqrs"
CHOICES = ("black", "white", "more")
"""What swap2's choices are called, in the order of their actions."""


def _rows(rules: Any, s: Any) -> list[list[int]]:
    """By row from the top, what X has in it and what O has, as bits by column."""
    rows: list[list[int]] = s["lines"][:, 0, : rules.rows].T.tolist()
    return rows


def _number(rules: Any, row: int) -> int:
    """What a row, counted from the top, is called."""
    return row + 1 if rules.from_top else rules.rows - row


def _grid(rules: Any, s: Any) -> str:
    """Rows of X, O and ``.``, the top row first, labelled on all edges."""
    columns = "   " + " ".join(LETTERS[: rules.columns])
    cells, rows = range(rules.columns), []
    for row, (first, second) in enumerate(_rows(rules, s)):
        number = _number(rules, row)
        rows.append(f"{number:2} {marks_text(first, second, cells)} {number}")
    return "\n".join([columns, *rows, columns])


def _mover(s: Any) -> str:
    """The mark of the seat to move."""
    if s["phase"] == IN_TURN:
        return MARKS[int(s["stones"]) & 1]
    return f"Player {s['player']}"


def _last_text(rules: Any, s: Any) -> str:
    last = int(s["last"])
    if last >= rules.columns * rules.rows:
        return f"Last choice: {action_to_string(rules, s, last)}"
    return f"Last stone: {MARKS[1 - (int(s['stones']) & 1)]} {action_to_string(rules, s, last)}"


def board_text(rules: Any, s: Any) -> str:
    """The board for a terminal, with the last move, and whose turn it is or who has won."""
    lines = [_grid(rules, s)]
    if s["last"] >= 0:
        lines.append(_last_text(rules, s))
    if s["ended"] == RUNNING:
        lines.append(f"{_mover(s)} to move")
    elif s["winner"] >= 0:
        lines.append(f"{MARKS[int(s['winner'] != s['black'])]} has won")
    else:
        lines.append("Draw")
    return "\n".join(lines)


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """The cell, such as ``h8``, or a choice of swap2."""
    if action >= rules.columns * rules.rows:
        return CHOICES[action - rules.columns * rules.rows]
    row, column = divmod(action, rules.columns)
    return f"{LETTERS[column]}{_number(rules, row)}"


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action a move's text names, legal or not: a cell, a choice or the action's number.

    Raises:
        ValueError: ``off_board``, or ``no_such_move`` if it is none.
    """
    text = text.strip().lower()
    if text in CHOICES:
        if rules.opening != SWAP2:
            raise ValueError("no_such_move")
        return rules.columns * rules.rows + CHOICES.index(text)
    if re.fullmatch(r"[0-9]{1,3}", text) and int(text) < rules.num_actions:
        return int(text)
    match = re.fullmatch(r"([a-z]) ?,? ?([0-9]{1,3})", text) or re.fullmatch(
        r'\{ ?"col" ?: ?"([a-z])" ?, ?"row" ?: ?([0-9]{1,3}) ?\}', text
    )
    if not match:
        raise ValueError("no_such_move")
    column, number = LETTERS.find(match[1]), int(match[2])
    if not (0 <= column < rules.columns and 1 <= number <= rules.rows):
        raise ValueError("off_board")
    row = number - 1 if rules.from_top else rules.rows - number
    return row * rules.columns + column


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move told in one sentence."""
    name = action_to_string(rules, s, action)
    if action >= rules.columns * rules.rows:
        done = "let the other choose and goes on placing" if name == "more" else f"took {name}"
        return f"Player {s['player']} {done}."
    return f"{MARKS[int(s['stones']) & 1]} placed a stone on {name}."


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """``occupied``, ``forbidden`` (renju), ``not_the_centre``, ``must_choose`` or ``not_now``."""
    if action >= rules.columns * rules.rows:
        return "not_now"
    if s["phase"] in (FIRST_CHOICE, LAST_CHOICE):
        return "must_choose"
    if int(s["taken"][action >> 6]) >> (action & 63) & 1:
        return "occupied"
    return "not_the_centre" if rules.opening == CENTRE and s["stones"] == 0 else "forbidden"


def answer_of(rules: Any) -> AnswerForm:
    """The form of answers: with the colours where these are chosen."""
    if rules.opening != SWAP2:
        return ANSWER
    return replace(
        ANSWER,
        form="<column letter><row number>, or black, white or more where you choose a colour",
        what="the cell, its column's letter before its row's number, or the choice of a colour,",
    )


def seat_name(rules: Any, s: Any, player: int) -> str:
    """The colour, with the mark of its stones; under swap2 the number until colours are chosen."""
    if rules.opening == SWAP2 and s["phase"] != IN_TURN:
        return f"Player {player}"
    return stones_name(int(player != s["black"]))


def role_text(rules: Any, player: int) -> str:
    """Whose stones the seat has."""
    if rules.opening == SWAP2:
        return (
            f"You are player {player} of a game of gomoku. Black's stones are shown as X, White's "
            "as O; the rules say who gets which."
        )
    return colours_text("gomoku", player)


def _goal_text(rules: Any) -> str:
    goal = (
        f"Whoever has {rules.connect} stones next to each other in a horizontal, vertical or "
        "diagonal line wins at once"
    )
    if rules.line == AT_LEAST:
        return f"{goal}; a longer line wins as well."
    if rules.line == EXACT:
        return f"{goal}; a longer line wins nothing."
    return (
        f"{goal}. For White a longer line wins as well. For Black it does not: exactly 5 are "
        "needed, and a stone that makes a longer line is forbidden to Black. So is one that makes "
        "two fours at once, or two threes at once, unless it makes a line of exactly 5 too. A "
        "four is a line that one more stone would make exactly 5; two fours can be in one line. "
        "A three is one that one more stone, itself allowed, would make 4 next to each other that "
        "two different cells each complete to exactly 5."
    )


def _opening_text(rules: Any) -> str:
    if rules.opening == CENTRE:
        middle = rules.rows // 2 * rules.columns + rules.columns // 2
        return f" The first stone must go to the centre, {action_to_string(rules, None, middle)}."
    if rules.opening == SWAP2:
        return (
            " At the start player 0 places 3 stones, black, white, black. Player 1 then "
            "answers black or white to take that colour, or more to place a white and a black "
            "stone and let player 0 take a colour. White moves next."
        )
    return ""


def rules_text(rules: Any) -> str:
    """The rules in force, with how cells are named."""
    no_cell = " or Black has no cell that is allowed" if rules.line == RENJU else ""
    return (
        f"Rules: {notation_text(rules)} The players place one stone in turn on an empty cell, X "
        f"(Black) first; stones never move.{_opening_text(rules)} {_goal_text(rules)} If the board "
        f"is full{no_cell} and nobody has won, it is a draw."
    )


def rules_brief(rules: Any) -> str:
    """The goal in one sentence."""
    longer = {AT_LEAST: "or more", EXACT: "and no more"}.get(rules.line, "by the rules of renju")
    return (
        f"{rules.connect} of your stones, {longer}, in a horizontal, vertical or diagonal line win."
    )


def notation_text(rules: Any) -> str:
    """How cells are named."""
    where = "top" if rules.from_top else "bottom"
    return (
        f"The board has {rules.columns} columns, a to {LETTERS[rules.columns - 1]} from the left, "
        f"and {rules.rows} rows, 1 to {rules.rows} from the {where}; a cell is named by column and "
        "row, such as b3."
    )


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """The board as a grid, or a list of the stones."""
    if form == "grid":
        told = f"The board now, the top row first (a dot is an empty cell):\n{_grid(rules, s)}"
    else:
        told = "The stones now:"
        for mark, own in zip(MARKS, zip(*_rows(rules, s), strict=True), strict=True):
            names = [
                action_to_string(rules, s, row * rules.columns + column)
                for row, stones in enumerate(own)
                for column in range(rules.columns)
                if stones >> column & 1
            ]
            told += f"\n{mark}: {' '.join(names) or 'none'}"
        told += "\nAll other cells are empty."
    if s["last"] >= 0:
        told += f"\n{_last_text(rules, s)}"
    if rules.opening == SWAP2:
        told += f"\n{_colour_text(s, player)}"
    return f"{told}\n\nIt is your turn: {_task(s)}"


def _colour_text(s: Any, player: int) -> str:
    """The seat's colour under swap2: a fourth stone may be placed before or after one is taken."""
    if s["phase"] != IN_TURN:
        return "Nobody has taken a colour yet."
    return f"You are {stones_name(int(player != s['black']))}."


def _task(s: Any) -> str:
    if s["phase"] == FIRST_CHOICE:
        return "answer black, white or more."
    if s["phase"] == LAST_CHOICE:
        return "answer black or white."
    return f"place one {MARKS[int(s['stones']) & 1]}."


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """The cells that are allowed, or the choices."""
    moves = " ".join(action_to_string(rules, s, action) for action in sorted(legal))
    return f"Allowed: {moves}"
