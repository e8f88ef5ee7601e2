"""Exact values of connect four positions: alpha-beta over bitboards.

A value is the seat to move's, in the convention of Pascal Pons's public test sets: 0 for a draw,
else 22 minus the number of stones the winner will have on the board when it wins, negative if the
winner is the opponent; both sides win as early and lose as late as they can.

What it rests on is known in the field (Allis 1988; Tromp's Fhourstones; Pons's tutorial): null
windows only, no move that lets the opponent win at once, moves ordered by the winning squares
they make, transposition tables that keep a lower and an upper bound of each position, and bounds
that follow from who gets which squares if one player answers every stone above it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.agents.perfect import ILLEGAL
from stratagym.envs.connect_four.rules import (
    BOARD,
    BOTTOM,
    CELLS,
    COLUMN,
    COLUMNS,
    HEIGHT,
    has_four,
    landing,
)

ODD_ROWS = BOTTOM * 0b010101
"""Bitboard of rows 1, 3 and 5 from the bottom: good rows for player 0's threats, who is the one to
move when an even number of squares is left (Allis 1988)."""
MIRRORED = 14
"""Up to this many stones a position and its mirror image share an entry of the table."""
NEAR = 20
"""With this many stones or more, positions are kept in the small table."""
UNKEPT = 38
"""With this many stones or more, searching anew is quicker than a table."""
UNKNOWN = -128
"""Instead of a value."""
_KEY_BITS = (1 << 49) - 1
_OFFSET = 32
_HASH = 0x1E3779B97F4A7C15

# What is kept of each level's node: these, its moves, and the mover's winning squares after each.
_MOVER, _TAKEN, _KEY, _LOW, _HIGH, _BEST, _NEXT, _COUNT = range(8)
_MOVES = 8
_WINNING = _MOVES + COLUMNS


class Memory(NamedTuple):
    """What searches work with.

    Attributes:
        far: (2**bits,) int64, transposition table of positions with few stones. An entry is one
            machine word, so that searches in several threads can share a table without a lock.
        near: (2**17,) int64, that of positions with many stones: as most are looked up there, it
            is small enough for the processor's cache.
        stack: (43, 22) int64, the nodes from the root to the one that is looked at.
        nodes: (1,) int64, number of positions searched so far.
    """

    far: np.ndarray
    near: np.ndarray
    stack: np.ndarray
    nodes: np.ndarray


def new_memory(bits: int = 23, far: np.ndarray | None = None) -> Memory:
    """Memory with empty tables, the large one of ``2**bits`` entries; ``far``: one to share."""
    if far is None:
        far = np.zeros(1 << bits, np.int64)
    near, stack = np.zeros(1 << 17, np.int64), np.zeros((CELLS + 1, _WINNING + COLUMNS), np.int64)
    return Memory(far, near, stack, np.zeros(1, np.int64))


@njit(cache=True)
def winning_squares(stones, taken):
    """Bitboard of the empty squares that would complete four of ``stones``."""
    found = (stones << 1) & (stones << 2) & (stones << 3)
    for gap in (6, 7, 8):
        pair = (stones << gap) & (stones << 2 * gap)
        found |= pair & ((stones << 3 * gap) | (stones >> gap))
        pair = (stones >> gap) & (stones >> 2 * gap)
        found |= pair & ((stones >> 3 * gap) | (stones << gap))
    return found & BOARD & ~taken


@njit(cache=True)
def count_bits(bits):
    """Number of ones."""
    bits -= (bits >> 1) & 0x5555555555555555
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (bits * 0x0101010101010101) >> 56


@njit(cache=True)
def mirror(stones):
    """The bitboard with its columns in reverse order."""
    out = 0
    for column in range(COLUMNS):
        out = (out << HEIGHT) | ((stones >> HEIGHT * column) & 127)
    return out


@njit(cache=True)
def key_of(mover, taken):
    """A number for a position and its mirror image, different for all others (49 bits)."""
    key = mover + taken
    return min(key, mirror(key))


@njit(cache=True)
def wins_at_once(mover, taken):
    """Whether the seat to move completes four with its next stone."""
    return winning_squares(mover, taken) & (taken + BOTTOM) != 0


@njit(cache=True)
def _bounds(mover, taken, plies, winning, alpha):
    """(lower, upper) bound of a position's value that can be seen, as far as ``alpha`` needs it.

    The seat to move must not have a win at once; ``winning`` are the opponent's winning squares.
    What is seen is who gets which squares if one player answers every stone with one above it
    (Allis 1988). The second player can do that: where a column has an odd number of empty
    squares, the lowest is in an even row, and of these single squares both players take one in
    turn. So the first player, to move, gets odd rows and single squares at most, and the second
    player gets all other even squares. The first player can do it too if it has a winning square
    in an odd row of a column with a single square: below it the second player has to move at last.
    """
    low, high = -_OFFSET, _OFFSET
    other, empty = mover ^ taken, BOARD & ~taken
    odd, single = empty & ODD_ROWS, (taken + BOTTOM) & BOARD & ~ODD_ROWS
    if alpha < 0 and not has_four(other | empty):
        low = 0
    if plies & 1 == 0:
        if alpha >= -1 and not has_four(mover | odd | single):
            high = -1 if alpha < 0 and has_four(other | empty & ~odd & ~single) else 0
    elif alpha >= -1:
        if alpha >= 0 and not has_four(mover | empty):
            high = 0
        squares = winning & ODD_ROWS
        while squares and high >= 0:
            square = squares & -squares
            squares ^= square
            column = 0
            while square >> HEIGHT * (column + 1):
                column += 1
            rows = COLUMN << HEIGHT * column
            below = rows & ~odd & empty & (square - 1)
            if single & rows and not has_four(mover | (odd | single) & ~rows | below):
                high = -1
    return low, high


@njit(cache=True)
def _slot(table, key):
    """Where a position's two places in a table begin."""
    size = table.shape[0]
    return ((key * _HASH) >> (64 - count_bits(size - 1))) & (size - 2)


@njit(cache=True)
def _find(table, key):
    """(lower, upper) bound of a position's value from a table."""
    slot = _slot(table, key)
    entry = table[slot]
    if entry >> 12 & _KEY_BITS != key:
        entry = table[slot + 1]
        if entry >> 12 & _KEY_BITS != key:
            return -_OFFSET, _OFFSET
    return (entry >> 6 & 63) - _OFFSET, _OFFSET - (entry & 63)


@njit(cache=True)
def _keep(table, key, low, high, age):
    """Write the bounds of a position's value into a table; ``age`` is 0 .. 3.

    Of the two places the first is for positions of lower age: with fewer stones, the dearer ones.
    """
    slot = _slot(table, key)
    entry = table[slot]
    if entry >> 12 & _KEY_BITS != key and entry >> 61 < age and entry != 0:
        slot += 1
    table[slot] = age << 61 | key << 12 | (low + _OFFSET) << 6 | (_OFFSET - high)


@njit(cache=True)
def _search(mover, taken, plies, alpha, memory):
    """A bound of a position's value: an upper one if at most ``alpha``, else a lower one.

    The seat to move must not have a win at once.
    """
    far, near, stack, nodes = memory
    level, opening, value = 0, True, 0
    winning = winning_squares(mover ^ taken, taken)
    while True:
        if opening:
            nodes[0] += 1
            opponent = mover ^ taken
            playable = (taken + BOTTOM) & BOARD
            forced = playable & winning
            if forced:
                playable = 0 if forced & (forced - 1) else forced
            playable &= ~(winning >> 1)
            low, high = -((40 - plies) >> 1), (41 - plies) >> 1
            count = 0
            if playable == 0:
                value = -((42 - plies) >> 1)
            elif plies >= CELLS - 2:
                value = 0
            elif low > alpha:
                value = low
            elif high <= alpha:
                value = high
            else:
                key = mover + taken
                if plies <= MIRRORED:
                    key = min(key, mirror(key))
                if plies < UNKEPT:
                    known_low, known_high = _find(far if plies < NEAR else near, key)
                    low, high = max(low, known_low), min(high, known_high)
                if low > alpha:
                    value = low
                elif high <= alpha:
                    value = high
                else:
                    value = -_OFFSET
                    # Centre first among equals; the best comes first.
                    for k in range(COLUMNS):
                        column = 3 + ((k + 1) >> 1) * (1 - 2 * (k & 1))
                        move = playable & (COLUMN << HEIGHT * column)
                        if move == 0:
                            continue
                        # What can be said of the position after the move without a search.
                        mine, after = mover | move, taken | move
                        child_low, child_high = -_OFFSET, _OFFSET
                        if plies + 1 < UNKEPT:
                            below = opponent + after
                            if plies + 1 <= MIRRORED:
                                below = min(below, mirror(below))
                            child_low, child_high = _find(far if plies + 1 < NEAR else near, below)
                        threats = winning_squares(mine, after)
                        replies = (after + BOTTOM) & BOARD
                        forced = replies & threats
                        if forced:
                            replies = 0 if forced & (forced - 1) else forced
                        if replies & ~(threats >> 1) == 0:
                            child_high = -((41 - plies) >> 1)
                        elif child_high > -alpha - 1 >= child_low:
                            seen_low, seen_high = _bounds(
                                opponent, after, plies + 1, threats, -alpha - 1
                            )
                            child_low = max(child_low, seen_low)
                            child_high = min(child_high, seen_high)
                        if -child_high > alpha:
                            low = value = -child_high
                            break
                        if -child_low <= alpha:
                            value = max(value, -child_low)
                            continue
                        score = count_bits(threats)
                        at = count
                        while at > 0 and stack[level, _MOVES + at - 1] >> 56 < score:
                            stack[level, _MOVES + at] = stack[level, _MOVES + at - 1]
                            stack[level, _WINNING + at] = stack[level, _WINNING + at - 1]
                            at -= 1
                        stack[level, _MOVES + at] = move | score << 56
                        stack[level, _WINNING + at] = threats
                        count += 1
                    stack[level, _MOVER] = mover
                    stack[level, _TAKEN] = taken
                    stack[level, _KEY] = key
                    stack[level, _LOW] = low
                    stack[level, _HIGH] = high
                    stack[level, _BEST] = value
                    stack[level, _NEXT] = 0
                    stack[level, _COUNT] = count
            opening = count > 0 and value <= alpha
        else:
            # ``value`` is that of the child just finished, for the child's mover.
            level -= 1
            plies -= 1
            alpha = -alpha - 1
            value = max(-value, stack[level, _BEST])
            if value > alpha:
                stack[level, _LOW] = value
            elif stack[level, _NEXT] == stack[level, _COUNT]:
                stack[level, _HIGH] = value
            else:
                stack[level, _BEST] = value
                opening = True
            if not opening and plies < UNKEPT:
                key, low, high = stack[level, _KEY], stack[level, _LOW], stack[level, _HIGH]
                if plies < NEAR:
                    _keep(far, key, low, high, max(0, (plies - 7) >> 2))
                else:
                    _keep(near, key, low, high, min(3, (plies - NEAR) >> 1))
        if opening:
            move = stack[level, _MOVES + stack[level, _NEXT]] & BOARD
            winning = stack[level, _WINNING + stack[level, _NEXT]]
            stack[level, _NEXT] += 1
            mover = stack[level, _MOVER] ^ stack[level, _TAKEN]
            taken = stack[level, _TAKEN] | move
            level += 1
            plies += 1
            alpha = -alpha - 1
        elif level == 0:
            return value


@njit(cache=True, nogil=True)
def value_of(mover, taken, plies, memory):
    """The value of a position that is not over, for the seat to move."""
    if plies == CELLS:
        return 0
    if wins_at_once(mover, taken):
        return (43 - plies) >> 1
    low, high = -((42 - plies) >> 1), (41 - plies) >> 1
    while low < high:
        middle = (low + high) >> 1
        # Draws and late wins are decided first: most values are near 0.
        if middle <= 0 and low // 2 < middle:
            middle = -(-low // 2)
        elif middle >= 0 and high // 2 > middle:
            middle = high // 2
        found = _search(mover, taken, plies, middle, memory)
        if found > middle:
            low = found
        else:
            high = found
    return low


@njit(cache=True)
def _look_up(keys, values, key):
    at = np.searchsorted(keys, key)
    if at < keys.shape[0] and keys[at] == key:
        return np.int64(values[at])
    return UNKNOWN


@njit(cache=True, nogil=True)
def score_moves(mover, taken, plies, keys, values, memory, out):
    """Write the score of every column into ``out``, ``ILLEGAL`` where it is full.

    ``keys`` (ascending) and ``values`` are positions known beforehand, by ``key_of``.
    """
    for column in range(COLUMNS):
        move = landing(taken, column)
        if move == 0:
            out[column] = ILLEGAL
        elif has_four(mover | move):
            out[column] = (43 - plies) >> 1
        else:
            value = _look_up(keys, values, key_of(mover ^ taken, taken | move))
            if value == UNKNOWN:
                value = value_of(mover ^ taken, taken | move, plies + 1, memory)
            out[column] = -value


@njit(cache=True, nogil=True)
def best_moves(mover, taken, plies, keys, values, memory, out):
    """Write into ``out`` (7,) which columns have the best score.

    ``keys`` and ``values`` as for ``score_moves``, which takes longer.
    """
    value = _look_up(keys, values, key_of(mover, taken))
    if value == UNKNOWN:
        value = value_of(mover, taken, plies, memory)
    wins = wins_at_once(mover, taken)
    for column in range(COLUMNS):
        move = landing(taken, column)
        other, after = mover ^ taken, taken | move
        if move == 0:
            out[column] = False
        elif wins or plies + 1 == CELLS:
            out[column] = not wins or has_four(mover | move)
        elif wins_at_once(other, after):
            out[column] = -((42 - plies) >> 1) == value
        else:
            reply = _look_up(keys, values, key_of(other, after))
            if reply == UNKNOWN:
                reply = _search(other, after, plies + 1, -value, memory)
            out[column] = reply <= -value
