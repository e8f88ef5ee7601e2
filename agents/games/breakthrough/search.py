"""What alpha-beta asks of breakthrough: a quick evaluation, threats, and what may be left out."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, ONE, bit, lowest, popcount
from stratagym.envs.breakthrough.rules import (
    LEFT,
    RIGHT,
    captures,
    free_pawns,
    row_set,
    squares_of,
    steps_to_goal,
    targets,
)

ROWS = np.array([0, 330, 205, 105, 70, 62, 56, 43], np.int64)
"""What a pawn is worth by the steps to its goal, in hundredths of a logit of winning."""
GUARDED = -10
"""Of a guard of a pawn, which may not move without giving it up."""
HANGING, HANGS = 9, 128
"""A pawn attacked and not guarded costs its side, if that is to move, and if it is not."""
OVERRUN, OVERRUNS = 55, 97
"""One attacked twice and guarded once, alike."""
WON = 500_000
MARGIN, MARGIN_PLIES = 40, 6
SLACK = 130
"""In hundredths of a logit: what a position may change by besides what is reckoned with."""


@njit(cache=True)
def _looks(rules, seat, pawns):
    left, _, right = targets(rules, seat, pawns, EMPTY, pawns)
    return left, right


@njit(cache=True)
def _value(rules, seat, own, left, right):
    value = GUARDED * (popcount(own & left) + popcount(own & right))
    for steps in range(1, rules.rows):
        row = row_set(rules, steps if seat else rules.rows - 1 - steps)
        value += ROWS[steps] * popcount(own & row)
    return value


@njit(cache=True)
def _exposed(own, left, right, enemy_left, enemy_right, hanging, overrun):
    one, both = enemy_left | enemy_right, enemy_left & enemy_right
    return hanging * popcount(own & one & ~(left | right)) + overrun * popcount(
        own & both & (left ^ right)
    )


@njit(cache=True)
def estimate(rules, s, scratch):
    """In hundredths of a logit, for the seat to move."""
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
    value = _value(rules, seat, own, l0, r0) - _value(rules, 1 - seat, other, l1, r1)
    value -= _exposed(own, l0, r0, l1, r1, HANGING, OVERRUN)
    return np.int64(value + _exposed(other, l1, r1, l0, r0, HANGS, OVERRUNS))


@njit(cache=True)
def priority(rules, s, action):
    """What a move gains at once, in logits, less its pawn if its end is not guarded enough."""
    seat = np.int64(s.player)
    start, end = squares_of(rules, action)
    if (end >> 3) == (0 if seat else rules.rows - 1):
        return 100.0
    own, other = (s.white, s.black) if seat else (s.black, s.white)
    steps = end >> 3 if seat else rules.rows - 1 - (end >> 3)
    value = ROWS[steps] - ROWS[min(steps + 1, 7)]
    if action & 1:
        value += ROWS[rules.rows - 1 - steps]
    to = bit(end)
    sides = (to & ~LEFT) >> ONE | (to & ~RIGHT) << ONE
    ahead, behind = sides << np.uint64(8), sides >> np.uint64(8)
    if seat:
        ahead, behind = behind, ahead
    attackers, guards = popcount(other & ahead), popcount(own & behind & ~bit(start))
    if attackers > guards:
        value -= ROWS[steps]
    return value / 100.0


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
    """Captures that may gain what is wanted."""
    seat = np.int64(s.player)
    own, other = (s.white, s.black) if seat else (s.black, s.white)
    # Rows in which a captured pawn, with what the move gains and a slack, is worth it.
    worth = row_set(rules, 0 if seat else rules.rows - 1)
    for steps in range(1, rules.rows):
        gain = ROWS[rules.rows - 1 - steps] + ROWS[steps] - ROWS[min(steps + 1, 7)]
        if gain + SLACK >= wanted:
            worth |= row_set(rules, steps if seat else rules.rows - 1 - steps)
    left, right = captures(rules, seat, own, other & worth)
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
    """Hundredths of a logit, for some plies; -1 beyond."""
    if depth > MARGIN_PLIES:
        return np.int64(-1)
    return np.int64(MARGIN * depth)
