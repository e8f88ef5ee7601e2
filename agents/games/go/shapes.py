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


_AROUND = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row or column]
"""The points around one, in the order of the two bits of each in the number of a shape."""


def _is_cut_or_hane(there: dict[tuple[int, int], np.ndarray], up: int, side: int) -> np.ndarray:
    """Which shapes lie with a stone one row ``up`` and go on to ``side``.

    Both colours may be the one that is cut.
    """
    one = there[up, 0]
    corner, beside, across = there[up, side], there[0, side], there[0, -side]
    far, below = there[up, -side], there[-up, 0]
    theirs, met = 1 - one, corner == 1 - one
    # Hane: round the head of a stone next to one of the other colour.
    hane = (beside == FREE) & (across == FREE)
    hane &= (far == theirs) | ((far == FREE) & (below == FREE))
    # A turn: along a stone of the other colour.
    turn = (beside == theirs) & (across == FREE) & (below == FREE)
    # A cut: where two stones touch by the corner only, unless it is protected.
    protected = (across == one) & (below != theirs) | (below == one) & (across != theirs)
    # A cut straight through: own stones on both hands, nothing of theirs below.
    through = (beside == theirs) & (across == theirs)
    open_below = (below != theirs) & (there[-up, side] != theirs) & (there[-up, -side] != theirs)
    # At the edge: a block.
    block = (below == WALL) & (beside == theirs)
    return np.select(
        [one >= FREE, met & hane, met & turn, met & (beside == one), through],
        [np.False_, np.True_, there[-up, side] != one, ~protected, open_below],
        block,
    )


def _shapes() -> np.ndarray:
    """Which surroundings of a free point, by number, are known shapes, 64 a word."""
    numbers = np.arange(4 ** len(_AROUND))
    known = np.zeros(len(numbers), bool)
    for turned in (False, True):
        there = {
            (place[::-1] if turned else place): (numbers >> 2 * k & 3).astype(np.int8)
            for k, place in enumerate(_AROUND)
        }
        for up in (-1, 1):
            for side in (-1, 1):
                known |= _is_cut_or_hane(there, up, side)
    return np.packbits(known, bitorder="little").view(np.uint64)


_SHAPES = _shapes()


@njit(cache=True)
def is_shape(rules, s, p):
    """Whether a free point makes a hane, a turn, a cut or a block (after Gelly and others 2006)."""
    above, below = p - rules.size - 1, p + rules.size + 1
    number = (
        np.int64(s.colour[above - 1])
        | np.int64(s.colour[above]) << 2
        | np.int64(s.colour[above + 1]) << 4
        | np.int64(s.colour[p - 1]) << 6
        | np.int64(s.colour[p + 1]) << 8
        | np.int64(s.colour[below - 1]) << 10
        | np.int64(s.colour[below]) << 12
        | np.int64(s.colour[below + 1]) << 14
    )
    return _SHAPES[number >> 6] >> np.uint64(number & 63) & np.uint64(1) != 0
