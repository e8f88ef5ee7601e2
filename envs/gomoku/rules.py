"""The rules of gomoku and m,n,k games on words of bits, as kernel functions.

Cells are numbered row by row from the top left, as actions are. On 15 x 15:

      0   1   2 ..  14     row 0, the top
     15  16  17 ..  29
     ..
    210 211 212 .. 224     row 14

``lines`` holds what stands in them. Stones are black and white in turn, so that the number of
stones says whose is next.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, ONE, bit
from stratagym.envs.core import TERMINAL, seed_rng, sizes, winner_takes
from stratagym.envs.gomoku.cells import list_clear
from stratagym.envs.gomoku.lines import BLACK, DIRECTIONS, WHITE, WORDS, has_line, turn_stone
from stratagym.envs.gomoku.renju import is_forbidden

NO_WINNER = -1
AT_LEAST, EXACT, RENJU = range(3)
FREE, CENTRE, SWAP2 = range(3)
TAKE_BLACK, TAKE_WHITE, TWO_MORE = range(3)
"""What the actions beyond the cells are, under swap2."""
IN_TURN, THREE_STONES, FIRST_CHOICE, TWO_STONES, LAST_CHOICE = range(5)
"""Phases: all but the first belong to swap2."""
RUNNING, LINE_MADE, BOARD_FULL, NO_LEGAL_CELL = range(4)
"""How a game ended."""

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("taken", "u8", 6),  # bit k & 63 of word k >> 6: whether cell k holds a stone
        ("lines", "u4", (2, DIRECTIONS, WORDS)),  # Black's and White's stones
        ("stones", "i2"),  # on the board
        ("last", "i2"),  # the last action; -1 before the first
        ("player", "i1"),  # seat to move
        ("black", "i1"),  # the seat that plays Black
        ("phase", "i1"),
        ("ended", "i1"),
        ("winner", "i1"),  # seat
    ],
    align=True,
)


def _cells(rules: Rules) -> int:
    return rules.columns * rules.rows


@sizes(
    actions=lambda rules: _cells(rules) + 3 * (rules.opening == SWAP2),
    observation=lambda rules: (rules.rows, rules.columns, 2),
    decisions=lambda rules: _cells(rules) + 2 * (rules.opening == SWAP2),
)
class Rules(NamedTuple):
    """The options in force; words as the numbers above."""

    num_players: int = 2
    columns: int = 15
    rows: int = 15
    connect: int = 5
    line: int = AT_LEAST
    opening: int = FREE
    from_top: int = 0  # whether words number the rows from the top


def make_rules(
    columns: int, rows: int, connect: int, line: str, opening: str, numbering: str
) -> Rules:
    """``Rules`` for options as words. Raises ``ValueError`` for those that do not go together."""

    def refuse(name: str, value: Any, needed: str) -> None:
        raise ValueError(f"gomoku: option {name}={value!r}: {needed}")

    if connect > max(columns, rows):
        refuse("connect", connect, f"no line of a board of {columns} x {rows} is so long")
    if line == "renju" and (columns, rows, connect) != (15, 15, 5):
        refuse("line", line, "it is played with columns=15, rows=15, connect=5")
    if opening == "centre" and not columns % 2 == rows % 2 == 1:
        refuse("opening", opening, "only boards of odd columns and rows have a centre")
    if opening == "swap2" and connect < 5:
        refuse("opening", opening, "it needs connect of 5 or more")
    return Rules(
        columns=columns,
        rows=rows,
        connect=connect,
        line=("at_least", "exact", "renju").index(line),
        opening=("free", "centre", "swap2").index(opening),
        from_top=int(numbering == "top"),
    )


@njit(cache=True)
def is_exact(rules, colour):
    """Whether longer lines of a colour do not win."""
    return rules.line == EXACT or (rules.line == RENJU and colour == BLACK)


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    for k in range(6):
        s.taken[k] = EMPTY
    for colour in range(2):
        for direction in range(DIRECTIONS):
            for word in range(WORDS):
                s.lines[colour, direction, word] = 0
    s.stones = 0
    s.last = -1
    s.player = 0
    s.black = 0
    s.phase = THREE_STONES if rules.opening == SWAP2 else IN_TURN
    s.ended = RUNNING
    s.winner = NO_WINNER


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.ended else s.player


@njit(cache=True)
def legal_actions(rules, s, out):
    """The empty cells, without those that renju forbids; or what swap2 lets the seat choose."""
    cells = rules.rows * rules.columns
    if s.phase == FIRST_CHOICE or s.phase == LAST_CHOICE:
        n = 3 if s.phase == FIRST_CHOICE else 2
        for k in range(n):
            out[k] = cells + k
        return n
    if rules.opening == CENTRE and s.stones == 0:
        out[0] = cells // 2
        return 1
    n = list_clear(s.taken, cells, out)
    if rules.line == RENJU and s.stones & 1 == BLACK:
        kept = 0
        for k in range(n):
            cell = out[k]
            out[kept] = cell
            kept += not is_forbidden(rules, s, cell)
        n = kept
    return n


@njit(cache=True)
def _black_can_move(rules, s):
    for cell in range(rules.rows * rules.columns):
        taken = s.taken[cell >> 6] >> np.uint64(cell & 63) & ONE
        if not taken and not is_forbidden(rules, s, cell):
            return True
    return False


@njit(cache=True)
def step(rules, s, action):
    cells = rules.rows * rules.columns
    s.last = action
    if action >= cells:
        _choose(s, action - cells)
        return
    colour = s.stones & 1
    row, column = action // rules.columns, action % rules.columns
    turn_stone(rules, s, colour, row, column)
    s.taken[action >> 6] |= bit(action & 63)
    s.stones += 1
    if has_line(rules, s, colour, row, column, is_exact(rules, colour)):
        s.ended = LINE_MADE
        s.winner = s.player
    elif s.stones == cells:
        s.ended = BOARD_FULL
    elif rules.line == RENJU and colour == WHITE and not _black_can_move(rules, s):
        s.ended = NO_LEGAL_CELL
    if s.phase == IN_TURN:
        s.player = 1 - s.player
    elif s.phase == THREE_STONES and s.stones == 3:
        s.phase = FIRST_CHOICE
        s.player = 1
    elif s.phase == TWO_STONES and s.stones == 5:
        s.phase = LAST_CHOICE
        s.player = 0


@njit(cache=True)
def _choose(s, choice):
    """Swap2's choices; White moves after a colour was taken."""
    if choice == TWO_MORE:
        s.phase = TWO_STONES
        return
    s.black = s.player if choice == TAKE_BLACK else 1 - s.player
    s.player = 1 - s.black
    s.phase = IN_TURN


@njit(cache=True)
def returns(rules, s, out):
    winner_takes(s.winner, out)


@njit(cache=True)
def observe(rules, s, player, out):
    """Plane 0: the observer's stones, plane 1: the opponent's; row 0 is the top."""
    own = BLACK if player == s.black else WHITE
    for row in range(rules.rows):
        mine, theirs = s.lines[own, 0, row], s.lines[1 - own, 0, row]
        for column in range(rules.columns):
            out[row, column, 0] = mine >> column & 1
            out[row, column, 1] = theirs >> column & 1
