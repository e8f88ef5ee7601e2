"""The rules of connect four on bitboards, as kernel functions.

A bitboard has seven bits a column, the lowest square first; the seventh is always empty, so that
a line shifted off one column cannot continue in the next:

     6 13 20 27 34 41 48     always empty
     5 12 19 26 33 40 47     top row
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42     bottom row

Columns are numbered 0 .. 6 from the left, as actions are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, seed_rng, sizes, winner_takes

COLUMNS, ROWS, CELLS = 7, 6, 42
HEIGHT = ROWS + 1
NO_WINNER = -1

BOTTOM = sum(1 << HEIGHT * column for column in range(COLUMNS))
"""Bitboard of the lowest squares."""
BOARD = BOTTOM * ((1 << ROWS) - 1)
"""Bitboard of all squares."""
COLUMN = (1 << ROWS) - 1
"""Bitboard of column 0."""

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("mover", "i8"),  # bitboard: stones of the seat to move
        ("other", "i8"),  # bitboard: stones of the seat that moved last
        ("plies", "i1"),  # stones on the board
        ("winner", "i1"),
        ("last", "i1"),  # one more than the last action; 0 before the first
    ],
    align=True,
)


@sizes(actions=COLUMNS, observation=(ROWS, COLUMNS, 2), decisions=CELLS)
class Rules(NamedTuple):
    """The game has no options."""

    num_players: int = 2


@njit(cache=True)
def has_four(stones):
    """Whether a bitboard holds four in a row."""
    four = 0
    for gap in (1, HEIGHT - 1, HEIGHT, HEIGHT + 1):
        pairs = stones & (stones >> gap)
        four |= pairs & (pairs >> 2 * gap)
    return four != 0


@njit(cache=True)
def landing(taken, column):
    """Bitboard of the square a stone dropped into ``column`` comes to rest on."""
    return (taken + (1 << HEIGHT * column)) & (COLUMN << HEIGHT * column)


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.mover = 0
    s.other = 0
    s.plies = 0
    s.winner = NO_WINNER
    s.last = 0


@njit(cache=True)
def current_player(rules, s):
    if s.winner != NO_WINNER or s.plies == CELLS:
        return TERMINAL
    return s.plies & 1


@njit(cache=True)
def legal_actions(rules, s, out):
    """Action ``k`` drops a stone into column ``k``."""
    taken = s.mover | s.other
    n = 0
    for column in range(COLUMNS):
        out[n] = column
        n += (taken >> (HEIGHT * column + ROWS - 1)) & 1 ^ 1
    return n


@njit(cache=True)
def step(rules, s, action):
    stones = s.mover | landing(s.mover | s.other, action)
    s.mover = s.other
    s.other = stones
    if has_four(stones):
        s.winner = s.plies & 1
    s.plies += 1
    s.last = action + 1


@njit(cache=True)
def returns(rules, s, out):
    winner_takes(s.winner, out)


@njit(cache=True)
def observe(rules, s, player, out):
    """Plane 0: the observer's stones, plane 1: the opponent's; row 0 is the top."""
    own, opposing = s.mover, s.other
    if s.plies & 1 != player:
        own, opposing = opposing, own
    for column in range(COLUMNS):
        for height in range(ROWS):
            square = HEIGHT * column + height
            out[ROWS - 1 - height, column, 0] = (own >> square) & 1
            out[ROWS - 1 - height, column, 1] = (opposing >> square) & 1
