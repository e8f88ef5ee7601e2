"""The rules of breakthrough on bitboards, as kernel functions.

Square ``8 * row + column`` is a bit, on boards of every size; row 0 is the top and column 0 the
left. A step down shifts a set of pawns to higher bits, a step up to lower ones. Actions count cells
by the board's own number of columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, ONE, lowest
from stratagym.envs.core import TERMINAL, seed_rng, sizes, winner_takes

NO_WINNER = -1
TWO_ROWS_FROM = 6
"""Boards of so many rows or more start with two rows of pawns a side."""

LEFT = np.uint64(0x0101010101010101)
"""Column 0."""
RIGHT = np.uint64(0x8080808080808080)
"""Column 7."""
ROW = np.uint64(0xFF)
"""Row 0, of eight columns."""
_7, _8, _9 = np.uint64(7), np.uint64(8), np.uint64(9)

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("black", "u8"),  # bitboard: pawns of seat 0, who moves down
        ("white", "u8"),  # bitboard: pawns of seat 1, who moves up
        ("last", "i2"),  # the last action; -1 before the first
        ("player", "i1"),  # seat to move; after the end the one who lost
        ("winner", "i1"),
    ],
    align=True,
)


def _longest(rules):
    """Moves until all pawns of both sides stand on the row before their goal, and one more."""
    two = rules.rows >= TWO_ROWS_FROM
    steps = 2 * rules.rows - 5 if two else rules.rows - 2
    return 2 * rules.columns * steps + 1


@sizes(
    actions=lambda rules: 12 * rules.rows * rules.columns,
    observation=lambda rules: (rules.rows, rules.columns, 3),
    decisions=_longest,
)
class Rules(NamedTuple):
    """The options in force."""

    rows: int
    columns: int
    num_players: int = 2


@njit(cache=True)
def row_set(rules, row):
    """Bitboard of a row."""
    return (ROW >> np.uint64(8 - rules.columns)) << np.uint64(8 * row)


@njit(cache=True)
def board_set(rules):
    """Bitboard of the board's columns, in all eight rows."""
    return (ROW >> np.uint64(8 - rules.columns)) * LEFT


@njit(cache=True)
def goal(rules, seat):
    """Bitboard of the row where a seat's pawns win."""
    return row_set(rules, 0 if seat else rules.rows - 1)


@njit(cache=True)
def targets(rules, seat, left, straight, right):
    """The sets of pawns, each moved one step in its own direction of a seat: left, straight, right.

    Pawns that would leave the board sideways are dropped; none may stand on the seat's goal.
    """
    left &= ~LEFT
    right &= ~(LEFT << np.uint64(rules.columns - 1))
    if seat:
        return left >> _9, straight >> _8, right >> _7
    return left << _7, straight << _8, right << _9


@njit(cache=True)
def sources(rules, seat, left, straight, right):
    """The squares from which a seat's pawns step left, straight or right onto these cells."""
    left &= ~RIGHT
    right &= ~LEFT
    if seat:
        return left << _9, straight << _8, right << _7
    return left >> _7, straight >> _8, right >> _9


@njit(cache=True)
def captures(rules, seat, own, other):
    """The seat's pawns that can capture to the left, and those that can to the right."""
    left, _, right = sources(rules, seat, other, EMPTY, other)
    return own & left, own & right


@njit(cache=True)
def squares_of(rules, action):
    """(from, to): the squares of an action."""
    cell, way = action // 12, (action % 12) >> 1
    start = 8 * (cell // rules.columns) + cell % rules.columns
    return start, start + (way % 3 + 7 if way < 3 else way % 3 - 9)


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.black = row_set(rules, 0)
    s.white = row_set(rules, rules.rows - 1)
    if rules.rows >= TWO_ROWS_FROM:
        s.black |= row_set(rules, 1)
        s.white |= row_set(rules, rules.rows - 2)
    s.last = -1
    s.player = 0
    s.winner = NO_WINNER


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.winner != NO_WINNER else s.player


@njit(cache=True)
def legal_actions(rules, s, out):
    """Every pawn's steps onto empty cells and captures, by its cell and direction."""
    seat = s.player
    own, other = (s.white, s.black) if seat else (s.black, s.white)
    free = board_set(rules) & ~own
    open_left, straight, open_right = sources(rules, seat, free, free & ~other, free)
    take_left, take_right = captures(rules, seat, own, other)
    pawns, n = own, 0
    while pawns:
        square = lowest(pawns)
        at = np.uint64(square)
        pawns &= pawns - ONE
        action = 12 * ((square >> 3) * rules.columns + (square & 7)) + 6 * seat
        # Written whether legal or not, and counted if it is: that is quicker than a branch.
        out[n] = action + np.int64(take_left >> at & ONE)
        n += np.int64(open_left >> at & ONE)
        out[n] = action + 2
        n += np.int64(straight >> at & ONE)
        out[n] = action + 4 + np.int64(take_right >> at & ONE)
        n += np.int64(open_right >> at & ONE)
    return n


@njit(cache=True)
def is_legal_action(rules, s, action, legal):
    """Whether the seat to move may play ``action``, any integer."""
    if not 0 <= action < 12 * rules.rows * rules.columns or s.winner != NO_WINNER:
        return False
    way = (action % 12) >> 1
    if (way >= 3) != (s.player == 1):
        return False
    own, other = (s.white, s.black) if s.player else (s.black, s.white)
    start = squares_of(rules, action)[0]
    pawn = own & (ONE << np.uint64(start))
    left, straight, right = targets(rules, s.player, pawn, pawn, pawn)
    to = straight if way % 3 == 1 else (left if way % 3 == 0 else right)
    if action & 1:
        return way % 3 != 1 and (to & other) != EMPTY
    return (to & ~(own | other)) != EMPTY


@njit(cache=True)
def after(rules, s, action):
    """(black, white): the pawns after a legal action."""
    start, end = squares_of(rules, action)
    move, to = ONE << np.uint64(start), ONE << np.uint64(end)
    if s.player:
        return s.black & ~to, s.white ^ move | to
    return s.black ^ move | to, s.white & ~to


@njit(cache=True)
def step(rules, s, action):
    seat = s.player
    s.black, s.white = after(rules, s, action)
    own, lost = (s.white, s.black) if seat else (s.black, s.white)
    if lost == EMPTY or own & goal(rules, seat):
        s.winner = seat
    s.last = action
    s.player = 1 - seat


@njit(cache=True)
def returns(rules, s, out):
    winner_takes(s.winner, out)


@njit(cache=True)
def observe(rules, s, player, out):
    """Plane 0: the observer's pawns, 1: the opponent's, 2: all ones for seat 1; row 0 the top."""
    own, other = (s.white, s.black) if player else (s.black, s.white)
    for row in range(rules.rows):
        for column in range(rules.columns):
            at = np.uint64(8 * row + column)
            out[row, column, 0] = own >> at & ONE
            out[row, column, 1] = other >> at & ONE
            out[row, column, 2] = player


# --- races ---------------------------------------------------------------------------------------


@njit(cache=True)
def free_pawns(rules, seat, own, other):
    """The pawns that no enemy can catch any more: none stands in the cone of cells before them.

    The cone is where a pawn could get to by its own steps. What is outside comes no nearer to it
    sideways than forwards, so it never gets in front of a pawn that goes straight.
    """
    # The cells whose cone holds an enemy, row after row away from the goal.
    reached, seen = other, EMPTY
    for _ in range(7):
        if seat:
            reached = reached << _8 | (reached & ~LEFT) << _7 | (reached & ~RIGHT) << _9
        else:
            reached = reached >> _8 | (reached & ~LEFT) >> _9 | (reached & ~RIGHT) >> _7
        seen |= reached
    return own & ~seen


@njit(cache=True)
def steps_to_goal(rules, seat, pawns):
    """Steps that the foremost of a seat's ``pawns`` needs to win; 9 if there is none."""
    for steps in range(1, rules.rows):
        row = steps if seat else rules.rows - 1 - steps
        if pawns & row_set(rules, row):
            return steps
    return 9


@njit(cache=True)
def race_winner(rules, black, white, mover):
    """The seat that surely wins because a free pawn is first, or ``NO_WINNER``; ``mover`` moves.

    The pawn must be as near as any enemy pawn is to its goal, and nearer if the enemy moves first.
    """
    for seat in range(2):
        own, other = (white, black) if seat else (black, white)
        mine = steps_to_goal(rules, seat, free_pawns(rules, seat, own, other))
        if mine < 9 and mine < steps_to_goal(rules, 1 - seat, other) + (seat == mover):
            return seat
    return NO_WINNER
