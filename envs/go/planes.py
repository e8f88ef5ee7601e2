"""Boards of bits as numbers, one a byte, for observations and masks: eight at a time."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import BYTES, EMPTY, ONE, spread, store_word

HISTORY = 8
"""Boards that a state holds, the one that stands included."""
_2, _7, _8, _63 = (np.uint64(k) for k in (2, 7, 8, 63))


@njit(cache=True)
def _eight_boards(s, seat, word, shift, boards):
    """Eight bits of the boards ``boards`` to ``boards + 3`` plies ago, of both seats, as bytes."""
    packed = EMPTY
    for k in range(3, -1, -1):
        slot = (s.plies - boards - k) & (HISTORY - 1)
        own = s.boards[slot, seat, word] >> shift & np.uint64(255)
        other = s.boards[slot, 1 - seat, word] >> shift & np.uint64(255)
        packed = packed << np.uint64(16) | other << _8 | own
    return packed


@njit(cache=True)
def write_planes(rules, s, seat, out):
    """Pairs of planes, the seat's stones and the other's of the last 8 boards, and the seat.

    ``out`` are bytes, (size, size, 17). Boards before the start have no stones.
    """
    chunk, first, last = -1, EMPTY, EMPTY
    bit = at = 0
    for row in range(rules.size):
        for column in range(rules.size):
            if bit >> 3 != chunk:
                chunk = bit >> 3
                shift = np.uint64(8 * (chunk & 7))
                first = _eight_boards(s, seat, chunk >> 3, shift, 0)
                last = _eight_boards(s, seat, chunk >> 3, shift, 4)
            here = np.uint64(bit & 7)
            store_word(out, at, first >> here & BYTES)
            store_word(out, at + 8, last >> here & BYTES)
            out[row, column, 2 * HISTORY] = seat
            at += 2 * HISTORY + 1
            bit += 1
        bit += 1


@njit(cache=True)
def write_rows(masks, i, size, row, word, before, bits):
    """Write the rows of a board of bits that end in its ``word`` into row ``i`` of ``masks``.

    Args:
        row: the first that is not written yet. before, bits: the word before this one, and this.

    Returns:
        The next row to write.
    """
    actions, only = size * size + 1, (ONE << np.uint64(size)) - ONE
    while row < size and row * (size + 1) + size <= 64 * (word + 1):
        start = row * (size + 1) - 64 * word
        if start >= 0:
            points = bits >> np.uint64(start)
        else:
            points = before >> np.uint64(64 + start) | bits << np.uint64(-start)
        points &= only
        for column in range(0, size, 8):
            at = row * size + column
            if at + 8 < actions:  # what is written too much is written again, with the next row
                store_word(masks, actions * i + at, spread(points >> np.uint64(column)))
            else:
                for k in range(column, size):
                    masks[i, row * size + k] = points >> np.uint64(k) & ONE
        row += 1
    return row
