"""What players did about corners in recorded games of reversi."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, bit, popcount
from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.reversi.rules import square_of

COUNTS = (
    "decisions",
    "corners_offered",
    "corners_taken",
    "corners_chance",
    "x_squares_possible",
    "x_squares_played",
    "x_squares_chance",
)
"""What ``game_counts`` counts.

corners: decisions with a corner among the legal squares, and where one was taken. x_squares: the
decisions where some but not all legal moves are the square diagonally next to an empty corner, and
where one of these was played. chance: what a random legal move would come to in the same decisions.
"""
COUNTS_DTYPE = np.float64


@njit(cache=True)
def corners_of(rules):
    """Bitboard of the four corners."""
    last = rules.size - 1
    return bit(0) | bit(last) | bit(8 * last) | bit(9 * last)


@njit(cache=True)
def x_squares_of(rules, corners):
    """Bitboard of the squares diagonally next to these corners."""
    board_side = rules.size
    found = EMPTY
    for row in range(2):
        for column in range(2):
            corner = 8 * row * (board_side - 1) + column * (board_side - 1)
            if corners & bit(corner):
                found |= bit(corner + 8 * (1 - 2 * row) + 1 - 2 * column)
    return found


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    own = counts[seat]
    own[0] += 1
    moves = popcount(s.legal)
    options = moves + (1 if moves == 0 or rules.voluntary else 0)
    move = EMPTY
    if action != rules.size * rules.size:
        move = bit(square_of(rules, action))
    corners = corners_of(rules)
    offered = popcount(s.legal & corners)
    if offered:
        own[1] += 1
        own[2] += move & corners != EMPTY
        own[3] += offered / options
    risky = x_squares_of(rules, corners & ~(s.own | s.opp))
    possible = popcount(s.legal & risky)
    if 0 < possible < options:
        own[4] += 1
        own[5] += move & risky != EMPTY
        own[6] += possible / options
