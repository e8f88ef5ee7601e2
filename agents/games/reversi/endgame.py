"""Exact scores of reversi positions with few empty squares: alpha-beta over bitboards.

A score is the final difference of discs for the seat to move, empty squares counted for the winner.
It is even, so every search asks whether it exceeds an odd number.

What it rests on is known in the field (Andersson's endgame solver of 1998; Buro; Delorme's Edax):
null windows only, fastest first (the reply that leaves the opponent the fewest moves), moves into
regions of an odd number of empty squares before others, a table of bounds of positions with many
empty squares, bounds of the children before any is searched, and loops without moves' lists for
the last four squares.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, bit, lowest, popcount
from stratagym.envs.core import mix64
from stratagym.envs.reversi.metrics import corners_of
from stratagym.envs.reversi.rules import Rules, board_of, moves_of, turned_by

NONE = -128
"""Below every score."""
HASHED = 8
"""With this many empty squares or more, positions are kept in the table."""
SORTED = 7
"""With this many or more, moves are sorted by what they leave the opponent."""
LOOKED = 10
"""With this many or more, the table is asked for all children before the first is searched."""
_ONE = np.uint64(1)

# What is kept of each level's node, in two arrays, and its moves behind the first.
_OWN, _OPP, _MOVES = range(3)
_ALPHA, _BEST, _NEXT, _COUNT, _KEPT = range(5)
# An entry of the table.
_KEY_OWN, _KEY_OPP, _BOUNDS, _AT = range(4)


class Board(NamedTuple):
    """A board's geometry, for the solver.

    Attributes:
        board: bitboard of all squares. top, left: of its upper and its left half.
        corners: of its corners. squares: how many squares.
    """

    board: np.uint64
    top: np.uint64
    left: np.uint64
    corners: np.uint64
    squares: int


def board_of_size(size: int) -> Board:
    """The geometry of a board of this many rows and columns."""

    def mask(keep) -> np.uint64:
        bits = [8 * r + c for r in range(size) for c in range(size) if keep(r, c)]
        return np.uint64(sum(1 << k for k in bits))

    rules = Rules(size, voluntary=0)
    return Board(
        np.uint64(board_of(rules)),
        mask(lambda r, c: 2 * r < size),
        mask(lambda r, c: 2 * c < size),
        np.uint64(corners_of(rules)),
        size * size,
    )


class Memory(NamedTuple):
    """What searches work with.

    Attributes:
        table: (2**bits, 4) uint64: a position's two bitboards, the bounds of its score, its move.
        stack: (64, 48) uint64 and numbers: (64, 48) int64, the nodes from the root on.
        nodes: (1,) int64, positions searched so far, those of the last four squares aside.
    """

    table: np.ndarray
    stack: np.ndarray
    numbers: np.ndarray
    nodes: np.ndarray


def new_memory(bits: int = 20) -> Memory:
    """Memory with an empty table of ``2**bits`` entries of 32 bytes."""
    table = np.zeros((1 << bits, 4), np.uint64)
    return Memory(
        table, np.zeros((64, 48), np.uint64), np.zeros((64, 48), np.int64), np.zeros(1, np.int64)
    )


# --- the last four squares -----------------------------------------------------------------------


@njit(cache=True)
def final_score(own, opp, squares):
    """The score where neither side can move."""
    mine, theirs = popcount(own), popcount(opp)
    if mine > theirs:
        return squares - 2 * theirs
    if mine < theirs:
        return 2 * mine - squares
    return 0


@njit(cache=True)
def _last_1(own, opp, a, squares):
    turned = turned_by(a, own, opp)
    if turned:
        return squares - 2 * popcount(opp ^ turned)
    turned = turned_by(a, opp, own)
    if turned:
        return 2 * popcount(own ^ turned) - squares
    return final_score(own, opp, squares)


@njit(cache=True)
def _last_2(own, opp, alpha, a, b, squares):
    """A bound as ``_search`` gives it, with the empty squares a and b."""
    best = NONE
    turned = turned_by(a, own, opp)
    if turned:
        best = -_last_1(opp ^ turned, own | turned | a, b, squares)
        if best > alpha:
            return best
    turned = turned_by(b, own, opp)
    if turned:
        return max(best, -_last_1(opp ^ turned, own | turned | b, a, squares))
    if best != NONE:
        return best
    best = -NONE
    turned = turned_by(a, opp, own)
    if turned:
        best = _last_1(own ^ turned, opp | turned | a, b, squares)
        if best <= alpha:
            return best
    turned = turned_by(b, opp, own)
    if turned:
        return min(best, _last_1(own ^ turned, opp | turned | b, a, squares))
    return best if best != -NONE else final_score(own, opp, squares)


@njit(cache=True)
def _half_3(own, opp, alpha, a, b, c, squares):
    """The score if ``own`` can move, else ``NONE``."""
    best = NONE
    turned = turned_by(a, own, opp)
    if turned:
        best = -_last_2(opp ^ turned, own | turned | a, -alpha, b, c, squares)
        if best > alpha:
            return best
    turned = turned_by(b, own, opp)
    if turned:
        best = max(best, -_last_2(opp ^ turned, own | turned | b, -alpha, a, c, squares))
        if best > alpha:
            return best
    turned = turned_by(c, own, opp)
    if turned:
        best = max(best, -_last_2(opp ^ turned, own | turned | c, -alpha, a, b, squares))
    return best


@njit(cache=True)
def _last_3(own, opp, alpha, a, b, c, squares):
    best = _half_3(own, opp, alpha, a, b, c, squares)
    if best == NONE:
        best = -_half_3(opp, own, -alpha, a, b, c, squares)
        if best == -NONE:
            best = final_score(own, opp, squares)
    return best


@njit(cache=True)
def _half_4(own, opp, alpha, a, b, c, d, squares):
    best = NONE
    turned = turned_by(a, own, opp)
    if turned:
        best = -_last_3(opp ^ turned, own | turned | a, -alpha, b, c, d, squares)
        if best > alpha:
            return best
    turned = turned_by(b, own, opp)
    if turned:
        best = max(best, -_last_3(opp ^ turned, own | turned | b, -alpha, a, c, d, squares))
        if best > alpha:
            return best
    turned = turned_by(c, own, opp)
    if turned:
        best = max(best, -_last_3(opp ^ turned, own | turned | c, -alpha, a, b, d, squares))
        if best > alpha:
            return best
    turned = turned_by(d, own, opp)
    if turned:
        best = max(best, -_last_3(opp ^ turned, own | turned | d, -alpha, a, b, c, squares))
    return best


@njit(cache=True)
def _odd_regions(empties, top, left):
    """Squares of the quarters of the board with an odd number of empty squares."""
    found = EMPTY
    for quarter in (top & left, top & ~left, left & ~top, ~(top | left)):
        if popcount(empties & quarter) & 1:
            found |= quarter
    return found


@njit(cache=True)
def _next_square(first, rest):
    """The lowest square of ``first``, if it has any, else that of ``rest``."""
    squares = first if first else rest
    return squares & (~squares + _ONE)


@njit(cache=True)
def _last_4(own, opp, alpha, empties, odd, squares):
    a = _next_square(empties & odd, empties)
    empties ^= a
    b = _next_square(empties & odd, empties)
    empties ^= b
    c = _next_square(empties & odd, empties)
    d = empties ^ c
    best = _half_4(own, opp, alpha, a, b, c, d, squares)
    if best == NONE:
        best = -_half_4(opp, own, -alpha, a, b, c, d, squares)
        if best == -NONE:
            best = final_score(own, opp, squares)
    return best


@njit(cache=True)
def _last_few(own, opp, alpha, empties, count, odd, squares):
    """A bound as ``_search`` gives it, with at most four empty squares."""
    if count == 4:
        return _last_4(own, opp, alpha, empties, odd, squares)
    if count == 0:
        return final_score(own, opp, squares)
    a = _next_square(empties & odd, empties)
    if count == 1:
        return _last_1(own, opp, a, squares)
    empties ^= a
    b = _next_square(empties & odd, empties)
    if count == 2:
        return _last_2(own, opp, alpha, a, b, squares)
    return _last_3(own, opp, alpha, a, b, empties ^ b, squares)


# --- the search ----------------------------------------------------------------------------------


@njit(cache=True)
def _slot(table, own, opp):
    """Where a position's two places in the table begin."""
    return np.int64(mix64(own ^ mix64(opp)) & np.uint64(table.shape[0] - 2))


@njit(cache=True)
def _find(table, own, opp):
    """(lower, upper) bound of a position's score, and its best move or nothing, from the table."""
    slot = _slot(table, own, opp)
    for place in (slot, slot + 1):
        if table[place, _KEY_OWN] == own and table[place, _KEY_OPP] == opp:
            bounds = np.int64(table[place, _BOUNDS])
            return (bounds >> 8 & 255) - 128, (bounds & 255) - 128, table[place, _AT]
    return -127, 127, EMPTY


@njit(cache=True)
def _keep(table, own, opp, empties, low, high, move):
    """Write bounds of a position's score; of two places the first is for more empty squares."""
    slot = _slot(table, own, opp)
    here = table[slot, _KEY_OWN] == own and table[slot, _KEY_OPP] == opp
    if not here and np.int64(table[slot, _BOUNDS] >> np.uint64(16)) > empties:
        slot += 1
    table[slot, _KEY_OWN], table[slot, _KEY_OPP] = own, opp
    table[slot, _BOUNDS] = np.uint64(empties << 16 | (low + 128) << 8 | (high + 128))
    table[slot, _AT] = move


@njit(cache=True)
def _open(own, opp, alpha, level, geometry, memory):
    """Look at the position of a level: (whether its moves have to be searched, else a bound)."""
    board, top, left, corners, squares = geometry
    table, stack, numbers, nodes = memory
    empties = board & ~(own | opp)
    count = popcount(empties)
    odd = _odd_regions(empties, top, left)
    if count <= 4:
        return False, _last_few(own, opp, alpha, empties, count, odd, squares)
    nodes[0] += 1
    first = EMPTY
    if count >= HASHED:
        low, high, first = _find(table, own, opp)
        if low > alpha:
            return False, low
        if high <= alpha:
            return False, high
    moves = moves_of(own, opp, board)
    n = 0
    if moves == EMPTY:
        if moves_of(opp, own, board) == EMPTY:
            return False, final_score(own, opp, squares)
        stack[level, _MOVES] = EMPTY  # a pass
        n = 1
    elif count < SORTED:
        for part in (moves & odd, moves & ~odd):
            while part:
                move = part & (~part + _ONE)
                part ^= move
                stack[level, _MOVES + n] = move
                n += 1
    else:
        while moves:
            move = moves & (~moves + _ONE)
            moves ^= move
            turned = turned_by(move, own, opp)
            if turned == opp:
                return False, squares
            after_own, after_opp = opp ^ turned, own | turned | move
            if count >= LOOKED:
                _, high, _ = _find(table, after_own, after_opp)
                if -high > alpha:
                    return False, -high
            replies = moves_of(after_own, after_opp, board)
            score = 4 * (popcount(replies) + popcount(replies & corners))
            score -= 2 if move & odd else 0
            score -= 6 if move & corners else 0
            if move == first:
                score = -100
            # The square's bit takes part in nothing but the identity; the score rides along.
            at = n
            while at > 0 and numbers[level, _KEPT + at] > score:
                stack[level, _MOVES + at] = stack[level, _MOVES + at - 1]
                numbers[level, _KEPT + at + 1] = numbers[level, _KEPT + at]
                at -= 1
            stack[level, _MOVES + at] = move
            numbers[level, _KEPT + at + 1] = score
            n += 1
    stack[level, _OWN], stack[level, _OPP] = own, opp
    numbers[level, _ALPHA], numbers[level, _BEST] = alpha, NONE
    numbers[level, _NEXT], numbers[level, _COUNT] = 0, n
    numbers[level, _KEPT] = count
    return True, 0


@njit(cache=True, nogil=True)
def search(own, opp, alpha, geometry, memory):
    """A bound of a position's score: an upper one if at most ``alpha``, odd, else a lower one."""
    table, stack, numbers, _ = memory
    level = 0
    going, value = _open(own, opp, alpha, 0, geometry, memory)
    if not going:
        return value
    while True:
        # Play the next move of the node at this level.
        k = numbers[level, _NEXT]
        numbers[level, _NEXT] = k + 1
        move = stack[level, _MOVES + k]
        own, opp, alpha = stack[level, _OWN], stack[level, _OPP], numbers[level, _ALPHA]
        if move:
            turned = turned_by(move, own, opp)
            own, opp = opp ^ turned, own | turned | move
        else:
            own, opp = opp, own
        level += 1
        going, value = _open(own, opp, -alpha, level, geometry, memory)
        # Take values up as long as nodes are done with.
        while not going:
            level -= 1
            value = -value
            alpha = numbers[level, _ALPHA]
            k = numbers[level, _NEXT]
            if value > numbers[level, _BEST]:
                numbers[level, _BEST] = value
            else:
                value = numbers[level, _BEST]
            if value <= alpha and k < numbers[level, _COUNT]:
                break
            own, opp, empties = stack[level, _OWN], stack[level, _OPP], numbers[level, _KEPT]
            if empties >= HASHED:
                low, high, known = _find(table, own, opp)
                if value > alpha:
                    low, known = max(low, value), stack[level, _MOVES + k - 1]
                else:
                    high = min(high, value)
                _keep(table, own, opp, empties, low, high, known)
            if level == 0:
                return value


@njit(cache=True, nogil=True)
def score_of(own, opp, guess, geometry, memory):
    """The exact score of a position for the side with ``own`` discs, to move; ``guess`` is even."""
    squares = geometry[4]
    low, high = -squares, squares
    step, at = 4, guess
    while low < high:
        value = search(own, opp, at - 1, geometry, memory)
        if value >= at:
            low = max(low, value)
            at = min(high, low + step)
        else:
            high = min(high, value)
            at = max(low + 2, high - step + 2)
        step = 2 if low > -squares and high < squares else 2 * step
        if high - low <= 2:
            at = high
    return low


@njit(cache=True, nogil=True)
def score_moves(own, opp, geometry, memory, out):
    """Write the score of the move to every square into ``out``, (64,) int8; others keep theirs.

    Moves are scored one by one, each as exactly as the best.
    """
    moves = moves_of(own, opp, geometry[0])
    guess = 0
    while moves:
        square = lowest(moves)
        move = bit(square)
        moves ^= move
        turned = turned_by(move, own, opp)
        guess = -score_of(opp ^ turned, own | turned | move, -guess, geometry, memory)
        out[square] = guess


@njit(cache=True, nogil=True)
def best_square(own, opp, geometry, memory):
    """(square of the first best move or -1, score) for the side with ``own`` discs, to move."""
    score = score_of(own, opp, 0, geometry, memory)
    moves = moves_of(own, opp, geometry[0])
    while moves:
        square = lowest(moves)
        move = bit(square)
        moves ^= move
        turned = turned_by(move, own, opp)
        value = search(opp ^ turned, own | turned | move, 1 - score, geometry, memory)
        if -value >= score:
            return square, score
    return -1, score
