"""Bitboards: sets of squares as 64-bit numbers.

Squares are numbered along the files, as in the action space: a1 is 0, a2 is 1, b1 is 8, h8 is 63.

    8   7 15 23 31 39 47 55 63        north (up a rank)    + 1
    7   6 14 22 30 38 46 54 62        east (next file)     + 8
    6   5 13 21 29 37 45 53 61        north-east           + 9
    5   4 12 20 28 36 44 52 60        south-east           + 7
    4   3 11 19 27 35 43 51 59
    3   2 10 18 26 34 42 50 58        the same square from the other side
    2   1  9 17 25 33 41 49 57        of the board: square ^ 7
    1   0  8 16 24 32 40 48 56
        a  b  c  d  e  f  g  h
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, FULL, ONE, bit, leading_zeros, lowest, popcount

__all__ = ["EMPTY", "FULL", "ONE", "bit", "flip", "leading_zeros", "lowest", "popcount"]

_SWAPS = (
    (np.uint64(0x5555555555555555), np.uint64(1)),
    (np.uint64(0x3333333333333333), np.uint64(2)),
    (np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(4)),
)
(_M1, _S1), (_M2, _S2), (_M4, _S4) = _SWAPS


@njit(cache=True)
def flip(board):
    """The set as seen from the other side of the board: rank 1 becomes rank 8."""
    board = ((board >> _S1) & _M1) | ((board & _M1) << _S1)
    board = ((board >> _S2) & _M2) | ((board & _M2) << _S2)
    return ((board >> _S4) & _M4) | ((board & _M4) << _S4)
