"""Exact values of connect four positions: alpha-beta over bitboards.

A value is the seat to move's, in the convention of Pascal Pons's public test sets: 0 for a draw,
else 22 minus the number of stones the winner will have on the board when it wins, negative if the
winner is the opponent; both sides win as early and lose as late as they can.

What it rests on is known in the field (Allis 1988; Tromp's Fhourstones; Pons's tutorial): null
windows only, no move that lets the opponent win at once, moves ordered by the winning squares
they make, and a transposition table that keeps a lower and an upper bound of each position.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.perfect import ILLEGAL
from stratagym.envs.connect_four.rules import BOARD, BOTTOM, CELLS, COLUMN, COLUMNS, HEIGHT, landing

MIRRORED = 14
"""Up to this many stones a position and its mirror image share an entry of the table."""
SMALL = 32
"""With this many stones or more, searching anew is quicker than the table."""
PEEKED = 24
"""With fewer stones the entries of the positions after each move are looked up at once."""
_KEY_BITS = (1 << 49) - 1
_OFFSET = 32
_HASH = 0x1E3779B97F4A7C15

# What is kept of each level's node.
_MOVER, _TAKEN, _KEY, _LOW, _HIGH, _BEST, _NEXT, _COUNT = range(8)
_MOVES = 8


def new_table(bits: int = 22) -> np.ndarray:
    """An empty transposition table of ``2**bits`` entries: int64, 8 bytes each."""
    return np.zeros(1 << bits, np.int64)


def new_stack() -> np.ndarray:
    """Working memory of a search."""
    return np.zeros((CELLS + 1, _MOVES + COLUMNS), np.int64)


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
def _search(mover, taken, plies, alpha, table, stack, nodes):
    """A bound of a position's value: an upper one if at most ``alpha``, else a lower one.

    The seat to move must not have a win at once. ``nodes[0]`` counts positions.
    """
    shift = 64
    size = table.shape[0]
    while size > 1:
        size >>= 1
        shift -= 1
    last = table.shape[0] - 2  # even: an entry has two places
    level, opening, value = 0, True, 0
    while True:
        if opening:
            nodes[0] += 1
            opponent = mover ^ taken
            threats = winning_squares(opponent, taken)
            playable = (taken + BOTTOM) & BOARD
            forced = playable & threats
            if forced:
                playable = 0 if forced & (forced - 1) else forced
            playable &= ~(threats >> 1)
            low, high = -((40 - plies) >> 1), (41 - plies) >> 1
            opening = False
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
                slot = ((key * _HASH) >> shift) & last
                entry = 0
                if plies < SMALL:
                    entry = table[slot]
                    if entry >> 12 & _KEY_BITS != key:
                        entry = table[slot + 1]
                if entry >> 12 & _KEY_BITS == key:
                    low = max(low, ((entry >> 6) & 63) - _OFFSET)
                    high = min(high, _OFFSET - (entry & 63))
                if low > alpha:
                    value = low
                elif high <= alpha:
                    value = high
                else:
                    count = 0
                    # Centre first among equals; the best comes first.
                    for k in range(COLUMNS):
                        column = 3 + ((k + 1) >> 1) * (1 - 2 * (k & 1))
                        move = playable & (COLUMN << HEIGHT * column)
                        if move and low <= alpha:
                            if plies < PEEKED:
                                below = opponent + (taken | move)
                                if plies < MIRRORED:
                                    below = min(below, mirror(below))
                                slot = ((below * _HASH) >> shift) & last
                                entry = table[slot]
                                if entry >> 12 & _KEY_BITS != below:
                                    entry = table[slot + 1]
                                if entry >> 12 & _KEY_BITS == below:
                                    low = max(low, (entry & 63) - _OFFSET)
                            score = count_bits(winning_squares(mover | move, taken))
                            at = count
                            while at > 0 and stack[level, _MOVES + at - 1] >> 56 < score:
                                stack[level, _MOVES + at] = stack[level, _MOVES + at - 1]
                                at -= 1
                            stack[level, _MOVES + at] = move | score << 56
                            count += 1
                    if low > alpha:
                        value = low
                    stack[level, _MOVER] = mover
                    stack[level, _TAKEN] = taken
                    stack[level, _KEY] = key
                    stack[level, _LOW] = low
                    stack[level, _HIGH] = high
                    stack[level, _BEST] = -_OFFSET
                    stack[level, _NEXT] = 0
                    stack[level, _COUNT] = count
                    opening = low <= alpha
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
            if not opening and plies < SMALL:
                key = stack[level, _KEY]
                slot = ((key * _HASH) >> shift) & last
                # Of the two places the first is for positions with fewer stones, the dearer ones.
                age = max(0, min(3, (plies - 7) >> 2))
                entry = table[slot]
                if entry >> 12 & _KEY_BITS != key and entry >> 61 < age and entry != 0:
                    slot += 1
                table[slot] = (
                    age << 61
                    | key << 12
                    | (stack[level, _LOW] + _OFFSET) << 6
                    | (_OFFSET - stack[level, _HIGH])
                )
        if opening:
            move = stack[level, _MOVES + stack[level, _NEXT]] & BOARD
            stack[level, _NEXT] += 1
            mover = stack[level, _MOVER] ^ stack[level, _TAKEN]
            taken = stack[level, _TAKEN] | move
            level += 1
            plies += 1
            alpha = -alpha - 1
        elif level == 0:
            return value


@njit(cache=True, nogil=True)
def value_of(mover, taken, plies, table, stack, nodes):
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
        found = _search(mover, taken, plies, middle, table, stack, nodes)
        if found > middle:
            low = found
        else:
            high = found
    return low


@njit(cache=True, nogil=True)
def score_moves(mover, taken, plies, keys, values, table, stack, nodes, out):
    """Write the score of every column into ``out``, ``ILLEGAL`` where it is full.

    ``keys`` (ascending) and ``values`` are positions known beforehand, by ``key_of``.
    """
    for column in range(COLUMNS):
        move = landing(taken, column)
        if move == 0:
            out[column] = ILLEGAL
        elif winning_squares(mover, taken) & move:
            out[column] = (43 - plies) >> 1
        else:
            key = key_of(mover ^ taken, taken | move)
            at = np.searchsorted(keys, key)
            if at < keys.shape[0] and keys[at] == key:
                out[column] = -values[at]
            else:
                out[column] = -value_of(mover ^ taken, taken | move, plies + 1, table, stack, nodes)


@njit(cache=True, nogil=True)
def best_moves(mover, taken, plies, keys, values, table, stack, nodes, out):
    """Write into ``out`` (7,) which columns have the best score; returns that score.

    ``keys`` and ``values`` as for ``score_moves``. If a move into a known position is a best one,
    the moves into unknown positions are not looked at: they are left out though they may be as
    good, because with few stones it takes minutes to find out.
    """
    at = np.searchsorted(keys, key_of(mover, taken))
    if at < keys.shape[0] and keys[at] == key_of(mover, taken):
        value = np.int64(values[at])
    else:
        value = np.int64(value_of(mover, taken, plies, table, stack, nodes))
    settled = False
    for searching in range(2):
        for column in range(COLUMNS):
            move = landing(taken, column)
            if searching == 0:
                out[column] = False
            if move == 0:
                continue
            mover_after, taken_after = mover ^ taken, taken | move
            key = key_of(mover_after, taken_after)
            at = np.searchsorted(keys, key)
            known = at < keys.shape[0] and keys[at] == key
            if winning_squares(mover, taken) & move:
                best = searching == 0
            elif wins_at_once(mover_after, taken_after):
                best = searching == 0 and -((42 - plies) >> 1) == value
            elif plies + 1 == CELLS:
                best = searching == 0
            elif searching == 0:
                best = known and -values[at] == value
            else:
                best = not known and (
                    _search(mover_after, taken_after, plies + 1, -value, table, stack, nodes)
                    <= -value
                )
            if best:
                out[column] = True
                settled = True
        if settled:
            break
    return value
