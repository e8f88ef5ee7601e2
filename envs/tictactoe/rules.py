"""The rules of tic-tac-toe on two bitmasks, as kernel functions.

Bit ``k`` of a mask is square ``k``, and action ``k`` marks it:

    0 3 6
    1 4 7
    2 5 8
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, seed_rng, sizes, winner_takes

SQUARES = 9
FULL = 0b111_111_111
LINES = (
    0b000_000_111, 0b000_111_000, 0b111_000_000,  # columns
    0b001_001_001, 0b010_010_010, 0b100_100_100,  # rows
    0b100_010_001, 0b001_010_100,  # diagonals
)  # fmt: skip
NO_WINNER = -1

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("crosses", "i2"),  # marks of player 0
        ("noughts", "i2"),  # marks of player 1
        ("player", "i1"),  # whose turn it is
        ("winner", "i1"),
        ("last", "i1"),  # one more than the last action; 0 before the first
    ],
    align=True,
)


@sizes(actions=SQUARES, observation=(3, 3, 2), decisions=SQUARES)
class Rules(NamedTuple):
    """The game has no options."""

    num_players: int = 2


@njit(cache=True)
def has_line(marks):
    """Whether a mask holds three in a line."""
    for line in LINES:
        if marks & line == line:
            return True
    return False


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.crosses = 0
    s.noughts = 0
    s.player = 0
    s.winner = NO_WINNER
    s.last = 0


@njit(cache=True)
def current_player(rules, s):
    if s.winner != NO_WINNER or s.crosses | s.noughts == FULL:
        return TERMINAL
    return s.player


@njit(cache=True)
def legal_actions(rules, s, out):
    """The empty squares."""
    marked = s.crosses | s.noughts
    n = 0
    for square in range(SQUARES):
        out[n] = square
        n += marked >> square & 1 ^ 1
    return n


@njit(cache=True)
def step(rules, s, action):
    mark = 1 << action
    if s.player == 0:
        s.crosses |= mark
    else:
        s.noughts |= mark
    if has_line(s.crosses if s.player == 0 else s.noughts):
        s.winner = s.player
    s.player = 1 - s.player
    s.last = action + 1


@njit(cache=True)
def returns(rules, s, out):
    winner_takes(s.winner, out)


@njit(cache=True)
def observe(rules, s, player, out):
    """Plane 0: the observer's marks, plane 1: the opponent's; see the package's docstring."""
    own, opposing = (s.crosses, s.noughts) if player == 0 else (s.noughts, s.crosses)
    for square in range(SQUARES):
        out[square // 3, square % 3, 0] = own >> square & 1
        out[square // 3, square % 3, 1] = opposing >> square & 1
