"""What alpha-beta asks of breakthrough: a quick evaluation, threats, and what may be left out."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, ONE, lowest, popcount
from stratagym.envs.breakthrough.rules import (
    LEFT,
    RIGHT,
    captures,
    free_pawns,
    row_set,
    steps_to_goal,
    targets,
)

ROWS = np.array([0, 80, 40, 20, 10, 5, 2, 0], np.int64)
PAWN = 100
GUARDED, HANGING = 10, -30
WON = 500_000
MARGIN, MARGIN_PLIES = 60, 6


@njit(cache=True)
def _looks(rules, seat, pawns):
    left, _, right = targets(rules, seat, pawns, EMPTY, pawns)
    return left, right


@njit(cache=True)
def _value(rules, seat, own, looks, enemy_looks):
    value = 0
    for steps in range(1, rules.rows):
        row = row_set(rules, steps if seat else rules.rows - 1 - steps)
        value += (PAWN + ROWS[steps]) * popcount(own & row)
    guarded = own & looks
    return value + GUARDED * popcount(guarded) + HANGING * popcount(own & enemy_looks & ~guarded)


@njit(cache=True)
def estimate(rules, s, scratch):
    """In hundredths of a pawn, for the seat to move."""
    seat = np.int64(s.player)
    own, other = (s.white, s.black) if seat else (s.black, s.white)
    mine = steps_to_goal(rules, seat, free_pawns(rules, seat, own, other))
    theirs = steps_to_goal(rules, 1 - seat, free_pawns(rules, 1 - seat, other, own))
    if mine < 9 and mine <= steps_to_goal(rules, 1 - seat, other):
        return np.int64(WON - 100 * mine)
    if theirs < 9 and theirs < steps_to_goal(rules, seat, own):
        return np.int64(100 * theirs - WON)
    l0, r0 = _looks(rules, seat, own)
    l1, r1 = _looks(rules, 1 - seat, other)
    return np.int64(
        _value(rules, seat, own, l0 | r0, l1 | r1) - _value(rules, 1 - seat, other, l1 | r1, l0 | r0)
    )


@njit(cache=True)
def _near(rules, seat, pawns):
    """A seat's pawns one step from its goal."""
    return pawns & row_set(rules, 1 if seat else rules.rows - 2)


@njit(cache=True)
def is_check(rules, s):
    """Whether the other seat wins with its next move, unless it is stopped."""
    return _near(rules, 1 - s.player, s.black if s.player else s.white) != EMPTY


@njit(cache=True)
def candidates(rules, s, legal, n, ply):
    """A win at once; else the captures of a pawn that threatens to win, any action if none."""
    seat = np.int64(s.player)
    own, other = (s.white, s.black) if seat else (s.black, s.white)
    if _near(rules, seat, own):
        goal = 0 if seat else rules.rows - 1
        for k in range(n):
            cell, way = legal[k] // 12, (legal[k] % 12) >> 1
            if cell // rules.columns + (-1 if seat else 1) == goal:
                legal[0] = legal[k]
                return 1
    threat = _near(rules, 1 - seat, other)
    if threat:
        kept = 0
        for k in range(n):
            if legal[k] & 1:
                cell, way = legal[k] // 12, (legal[k] % 12) >> 1
                row, column = cell // rules.columns + (-1 if seat else 1), cell % rules.columns
                column += way % 3 - 1
                if threat >> np.uint64(8 * row + column) & ONE:
                    legal[kept] = legal[k]
                    kept += 1
        return max(kept, 1)
    return n


@njit(cache=True)
def forcing_actions(rules, s, wanted, out):
    """Captures."""
    seat = np.int64(s.player)
    own, other = (s.white, s.black) if seat else (s.black, s.white)
    left, right = captures(rules, seat, own, other)
    n = 0
    while left:
        square = lowest(left)
        left &= left - ONE
        out[n] = 12 * ((square >> 3) * rules.columns + (square & 7)) + 6 * seat + 1
        n += 1
    while right:
        square = lowest(right)
        right &= right - ONE
        out[n] = 12 * ((square >> 3) * rules.columns + (square & 7)) + 6 * seat + 5
        n += 1
    return n


@njit(cache=True)
def may_pass(rules, s):
    return popcount(s.white if s.player else s.black) > 4


@njit(cache=True)
def pass_turn(rules, s):
    """The other seat is to move in the same position."""
    s.player = 1 - s.player
    s.last = -1


@njit(cache=True)
def margin(rules, depth):
    """Hundredths of a pawn, for some plies; -1 beyond."""
    if depth > MARGIN_PLIES:
        return np.int64(-1)
    return np.int64(MARGIN * depth)
