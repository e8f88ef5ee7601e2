"""The rules of reversi on bitboards, as kernel functions.

Bit ``8 * row + column`` of a bitboard is a square, on smaller boards too, whose rows and columns
are the first ones:

        a  b  c  d  e  f  g  h
    1   0  1  2  3  4  5  6  7      row 0, the top
    2   8  9 10 11 12 13 14 15
    3  16 17 18 19 20 21 22 23      east       + 1
    4  24 25 26 27 28 29 30 31      south      + 8
    5  32 33 34 35 36 37 38 39      south-east + 9
    6  40 41 42 43 44 45 46 47      south-west + 7
    7  48 49 50 51 52 53 54 55
    8  56 57 58 59 60 61 62 63

Rows of discs are followed in all directions at once by parallel-prefix fills: squares next to own
discs, then two at a time, twice. A row sideways cannot go round the edge because only discs between
the outer columns are followed; nothing lies beyond the walls of a smaller board.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, bit, holds_bytes, lowest, popcount, spread, store_word
from stratagym.envs.core import TERMINAL, seed_rng, sizes, winner_takes

GOING, NO_MOVES, MOVE_LIMIT = 0, 1, 2
"""How a game ended, in the field ``over``."""

BOARDS = {
    size: sum(1 << 8 * row + column for row in range(size) for column in range(size))
    for size in (4, 6, 8)
}
"""Bitboard of all squares by the board's size."""
BOARD_4, BOARD_6, BOARD_8 = (np.uint64(BOARDS[size]) for size in (4, 6, 8))
INNER = np.uint64(0x7E7E7E7E7E7E7E7E)
"""All squares but the outer columns."""
_15, _SPREAD, _PAIRS = (np.uint64(k) for k in (15, 0x0000200040008001, 0x0001000100010001))
_1, _7, _8, _9, _DOUBLE = (np.uint64(k) for k in (1, 7, 8, 9, 1))

STATE = np.dtype(
    [
        ("rng", "u8"),  # nothing is drawn; every record has one
        ("own", "u8"),  # discs of the seat to move
        ("opp", "u8"),  # those of the other seat
        ("legal", "u8"),  # squares where the seat to move may put a disc
        ("player", "i1"),  # seat to move
        ("over", "i1"),
        ("last", "i2"),  # the last action; -1 at the start
        ("plies", "i2"),  # decisions so far, passes included
    ],
    align=True,
)


@sizes(
    actions=lambda rules: rules.size**2 + 1,
    observation=lambda rules: (rules.size, rules.size, 2),
    decisions=lambda rules: 2 * (rules.size**2 - 4),
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        size: rows and columns. voluntary: 1 if a pass is always legal.
        num_players: 2.
    """

    size: int
    voluntary: int
    num_players: int = 2


def make_rules(size: int, passing: str) -> Rules:
    """Rules from the options as people write them; see the package's docstring."""
    return Rules(size, int(passing == "voluntary"))


# --- bitboards -----------------------------------------------------------------------------------


@njit(cache=True)
def _reach_up(discs, other, gap):
    """Squares ``gap``, 2 ``gap`` .. beyond ``discs`` over rows of ``other`` in between."""
    twice = gap << _DOUBLE
    row = other & (discs << gap)
    row |= other & (row << gap)
    pairs = other & (other << gap)
    row |= pairs & (row << twice)
    row |= pairs & (row << twice)
    return row


@njit(cache=True)
def _reach_down(discs, other, gap):
    twice = gap << _DOUBLE
    row = other & (discs >> gap)
    row |= other & (row >> gap)
    pairs = other & (other >> gap)
    row |= pairs & (row >> twice)
    row |= pairs & (row >> twice)
    return row


@njit(cache=True)
def moves_of(own, opp, board):
    """Bitboard of the squares where the side with ``own`` discs may put one."""
    inner = opp & INNER
    found = _reach_up(own, inner, _1) << _1
    found |= _reach_down(own, inner, _1) >> _1
    found |= _reach_up(own, inner, _7) << _7
    found |= _reach_down(own, inner, _7) >> _7
    found |= _reach_up(own, inner, _9) << _9
    found |= _reach_down(own, inner, _9) >> _9
    found |= _reach_up(own, opp, _8) << _8
    found |= _reach_down(own, opp, _8) >> _8
    return found & board & ~(own | opp)


@njit(cache=True)
def _turned_up(move, own, other, gap):
    row = _reach_up(move, other, gap)
    return row if (row << gap) & own else EMPTY


@njit(cache=True)
def _turned_down(move, own, other, gap):
    row = _reach_down(move, other, gap)
    return row if (row >> gap) & own else EMPTY


@njit(cache=True)
def turned_by(move, own, opp):
    """Bitboard of the discs that an own disc put on the one square of ``move`` turns over."""
    inner = opp & INNER
    found = _turned_up(move, own, inner, _1) | _turned_down(move, own, inner, _1)
    found |= _turned_up(move, own, inner, _7) | _turned_down(move, own, inner, _7)
    found |= _turned_up(move, own, inner, _9) | _turned_down(move, own, inner, _9)
    return found | _turned_up(move, own, opp, _8) | _turned_down(move, own, opp, _8)


@njit(cache=True)
def board_of(rules):
    """Bitboard of all squares."""
    if rules.size == 8:
        return BOARD_8
    return BOARD_6 if rules.size == 6 else BOARD_4


@njit(cache=True)
def square_of(rules, action):
    """The bit of the square that an action names."""
    if rules.size == 8:
        return action
    return action + (8 - rules.size) * (action // rules.size)


# --- the kernel ----------------------------------------------------------------------------------


@njit(cache=True)
def enter(rules, s):
    """Note where discs may be put in the position just reached, and whether it ends the game."""
    board = board_of(rules)
    s.legal = moves_of(s.own, s.opp, board)
    if s.legal == EMPTY and moves_of(s.opp, s.own, board) == EMPTY:
        s.over = NO_MOVES
    elif s.plies == 2 * (rules.size * rules.size - 4):
        s.over = MOVE_LIMIT


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    corner = 9 * (rules.size // 2 - 1)  # the top left square of the middle four
    s.own = bit(corner + 1) | bit(corner + 8)
    s.opp = bit(corner) | bit(corner + 9)
    s.player = 0
    s.over = GOING
    s.last = -1
    s.plies = 0
    enter(rules, s)


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.over else s.player


@njit(cache=True)
def legal_actions(rules, s, out):
    """Squares by number, then the pass: where there is no square, or always if voluntary."""
    squares = s.legal
    narrow = 8 - rules.size
    n = 0
    while squares:
        square = lowest(squares)
        out[n] = square - narrow * (square >> 3)
        n += 1
        squares &= squares - np.uint64(1)
    if n == 0 or rules.voluntary:
        out[n] = rules.size * rules.size
        n += 1
    return n


@njit(cache=True)
def write_mask(rules, s, legal, masks, i):
    """Row ``i`` of a batch's masks."""
    if rules.size == 8 and holds_bytes(masks):
        for k in range(8):
            store_word(masks, 65 * i + 8 * k, spread(s.legal >> np.uint64(8 * k)))
        masks[i, 64] = s.legal == EMPTY or rules.voluntary != 0
        return
    for action in range(masks.shape[1]):
        masks[i, action] = 0
    for k in range(legal_actions(rules, s, legal)):
        masks[i, legal[k]] = 1


@njit(cache=True)
def step(rules, s, action):
    own, opp = s.own, s.opp
    if action != rules.size * rules.size:
        move = bit(square_of(rules, action))
        turned = turned_by(move, own, opp)
        own |= move | turned
        opp ^= turned
    s.own, s.opp = opp, own
    s.player = 1 - s.player
    s.last = action
    s.plies += 1
    enter(rules, s)


@njit(cache=True)
def disc_difference(rules, s):
    """Discs of seat 0 less those of seat 1 (int64); empty squares count for who has more.

    The convention of the World Othello Federation for a game that is over.
    """
    mine, theirs = popcount(s.own), popcount(s.opp)
    difference = mine - theirs
    empty = rules.size * rules.size - mine - theirs
    if difference > 0:
        difference += empty
    elif difference < 0:
        difference -= empty
    return -difference if s.player else difference


@njit(cache=True)
def returns(rules, s, out):
    difference = disc_difference(rules, s)
    if s.over == GOING or difference == 0:
        winner_takes(-1, out)
    else:
        winner_takes(0 if difference > 0 else 1, out)


@njit(cache=True)
def observe(rules, s, player, out):
    """Plane 0: the observer's discs, plane 1: the opponent's; row 0 is the top."""
    own, opp = s.own, s.opp
    if s.player != player:
        own, opp = opp, own
    if rules.size == 8 and holds_bytes(out):
        # Four squares at a time: the product has bit k of the four at 16 k, among others.
        for k in range(16):
            four, other = own >> np.uint64(4 * k) & _15, opp >> np.uint64(4 * k) & _15
            store_word(out, 8 * k, four * _SPREAD & _PAIRS | (other * _SPREAD & _PAIRS) << _8)
        return
    for row in range(rules.size):
        for column in range(rules.size):
            square = np.uint64(8 * row + column)
            out[row, column, 0] = (own >> square) & _1
            out[row, column, 1] = (opp >> square) & _1
