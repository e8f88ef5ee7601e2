"""Shapes of go on 3 x 3 points, and the liberties that a stone would have."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.go.rules import FREE, WALL, in_atari

_MARK = -1


@njit(cache=True)
def _count_around(s, p, wide, mark):
    """Mark the free points next to a chain or a lone point; returns how many were not marked."""
    found = 0
    for q in (p - wide, p - 1, p + 1, p + wide):
        if s.colour[q] == FREE and s.head[q] != mark:
            s.head[q] = mark
            found += 1
    return found


@njit(cache=True)
def _spread(rules, s, seat, p, mark):
    """Mark all liberties that the chain of a stone on ``p`` would have, before captures."""
    wide = rules.size + 1
    found = _count_around(s, p, wide, mark)
    for q in (p - wide, p - 1, p + 1, p + wide):
        if s.colour[q] == seat:
            head = np.int64(s.head[q])
            stone = head
            while True:
                found += _count_around(s, stone, wide, mark)
                stone = np.int64(s.next[stone])
                if stone == head:
                    break
    return found


@njit(cache=True)
def liberties_after(rules, s, seat, p):
    """Liberties that the chain of a seat's stone on the free point ``p`` would have (int64).

    Of each chain that it takes one point is counted. Scratch is ``head`` of free points.
    """
    wide = rules.size + 1
    s.head[p] = _MARK  # is no liberty of its own
    found = _spread(rules, s, seat, p, _MARK)
    _spread(rules, s, seat, p, 0)
    s.head[p] = 0
    for q in (p - wide, p - 1, p + 1, p + wide):
        if s.colour[q] == 1 - seat and in_atari(s, s.head[q]):
            found += 1
    return found


@njit(cache=True)
def _cut_or_hane(s, p, up, side, other):
    """Whether the shape lies with ``up`` above and ``side`` on one hand; steps to neighbours.

    ``other`` is the step to the opposite hand. Both colours may be the one that is cut.
    """
    above, beside, across, below = p + up, p + side, p + other, p - up
    one = s.colour[above]
    if one >= FREE:
        return False
    corner = s.colour[above + side]
    if corner == 1 - one:
        # Hane: round the head of a stone next to one of the other colour.
        if s.colour[beside] == FREE and s.colour[across] == FREE:
            far = s.colour[above + other]
            if far == 1 - one or (far == FREE and s.colour[below] == FREE):
                return True
        # A turn: along a stone of the other colour.
        if s.colour[beside] == 1 - one and s.colour[across] == FREE and s.colour[below] == FREE:
            return s.colour[below + side] != one
        # A cut: where two stones touch by the corner only, unless it is protected.
        if s.colour[beside] == one:
            return not (
                (s.colour[across] == one and s.colour[below] != 1 - one)
                or (s.colour[below] == one and s.colour[across] != 1 - one)
            )
    # A cut straight through: own stones on both hands, nothing of theirs below.
    if s.colour[beside] == 1 - one and s.colour[across] == 1 - one:
        theirs = 1 - one
        return (
            s.colour[below] != theirs
            and s.colour[below + side] != theirs
            and s.colour[below + other] != theirs
        )
    # At the edge: a block.
    return s.colour[below] == WALL and s.colour[beside] == 1 - one


@njit(cache=True)
def is_shape(rules, s, p):
    """Whether a free point makes a hane, a turn, a cut or a block (after Gelly and others 2006)."""
    wide = rules.size + 1
    for up, side in ((wide, 1), (-wide, 1), (1, wide), (-1, wide)):
        if _cut_or_hane(s, p, up, side, -side) or _cut_or_hane(s, p, up, -side, side):
            return True
    return False
