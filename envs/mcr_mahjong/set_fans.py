"""What the sets of a hand make together: fans of chows, of pungs, and of every set.

Chows are a word of three bits for each of 21 places, ``7 * suit + start``; pungs (kongs too) a
word of one bit a kind of tile. Fans are two words, as in ``fan_tables``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import lowest, popcount
from stratagym.envs.mcr_mahjong import fan_bits as bits

SUITED = 0o777777777
"""Kinds with a suit, as a word of kinds."""
WINDS, DRAGON_TILES = 0b1111 << 27, 0b111 << 31
CHOWS = 0o7777777
"""The places of one suit in the word of the chows."""
_TERMINALS = 0b100000001 * (1 + (1 << 9) + (1 << 18))
_OUTSIDE = _TERMINALS | WINDS | DRAGON_TILES
_FIVES = 0b000010000 * (1 + (1 << 9) + (1 << 18))
_EVENS = 0b010101010 * (1 + (1 << 9) + (1 << 18))
_OUTSIDE_CHOWS = 0o7000007 * (1 + (1 << 21) + (1 << 42))
_FIVE_CHOWS = 0o77700 * (1 + (1 << 21) + (1 << 42))


# --- chows ---------------------------------------------------------------------------------------
#
# A chow's code is 16 suit + start, so that the difference of two says how they lie.


@njit(cache=True)
def _of_two(difference):
    """The fan two chows make, as a word, or 0."""
    if difference == 0:
        return bits.PURE_DOUBLE_CHOW
    if difference == 16 or difference == 32:
        return bits.MIXED_DOUBLE_CHOW
    if difference == 3:
        return bits.SHORT_STRAIGHT
    return bits.TWO_TERMINAL_CHOWS if difference == 6 else 0


@njit(cache=True)
def _of_three(a, b, c):
    """The fan three chows make, a <= b <= c, as a word, or 0."""
    step = b - a
    if step == c - b and step < 4:
        if step == 0:
            return bits.PURE_TRIPLE_CHOW
        return bits.PURE_STRAIGHT if step == 3 else bits.PURE_SHIFTED_CHOWS
    if a < 16 and 16 <= b < 32 and c >= 32:
        starts = 1 << a | 1 << b - 16 | 1 << c - 32
        first = starts & -starts
        if starts == first:
            return bits.MIXED_TRIPLE_CHOW
        if starts == 7 * first:
            return bits.MIXED_SHIFTED_CHOWS
        if starts == 0b1001001:
            return bits.MIXED_STRAIGHT
    return 0


@njit(cache=True)
def _of_four(a, b, c, d, pair):
    """The fan four chows, in order, make with the pair, as a word, or 0."""
    if a == d:
        return bits.QUADRUPLE_CHOW
    step = b - a
    if (step == 1 or step == 2) and c - b == step and d - c == step:
        return bits.FOUR_PURE_SHIFTED_CHOWS
    if a & 15 == 0:
        if step == 0 and d == c and c - a == 6 and pair == 9 * (a >> 4) + 4:
            return bits.PURE_TERMINAL_CHOWS
        two_suits = step == 6 and c & 15 == 0 and c != a and d - c == 6
        if two_suits and pair == 9 * (3 - (a >> 4) - (c >> 4)) + 4:
            return bits.THREE_SUITED_TERMINAL_CHOWS
    return 0


@njit(cache=True)
def _of_left_out(a, b, c, left):
    """The fan, as a word, that a fourth chow adds with one of three: the first of 69-72."""
    best = 0
    for k in range(3):
        fan = _of_two(abs(left - (a if k == 0 else b if k == 1 else c)))
        if fan > 0 and (best == 0 or fan < best):
            best = fan
    return best


@njit(cache=True)
def _of_pairs(a, b, c, d, number):
    """The fans, as a word, of two to four chows of which no three make one.

    Chows that are joined by n - 1 fans are joined enough: what more there is does not count, first
    what is there already, then the fans of the highest numbers.
    """
    late, joined, total = 0, 0, 0
    for i in range(number - 1):
        one = a if i == 0 else b if i == 1 else c
        for j in range(i + 1, number):
            other = b if j == 1 else c if j == 2 else d
            fan = _of_two(other - one)
            if fan > 0:
                late += fan
                joined |= 1 << i | 1 << j
                total += 1
    most = popcount(np.uint64(joined)) - 1
    for least in range(1, -1, -1):
        fan = bits.TWO_TERMINAL_CHOWS
        while fan >= bits.PURE_DOUBLE_CHOW:
            while total > most and late & 7 * fan > least * fan:
                late -= fan
                total -= 1
            fan >>= 3
    return late


@njit(cache=True)
def chow_fans(chows, pair):
    """The fans of all chows of a hand: two words."""
    a, b, c, d, number = 0, 0, 0, 0, 0
    while chows:
        place = lowest(np.uint64(chows)) // 3
        chows -= 1 << 3 * place
        code = place + 9 * (place // 7)
        if number == 0:
            a = code
        elif number == 1:
            b = code
        elif number == 2:
            c = code
        else:
            d = code
        number += 1
    if number < 2:
        return 0, 0
    if number == 4:
        fan = _of_four(a, b, c, d, pair)
        if fan > 0:
            return fan, 0
        fan = _of_three(a, b, c)
        if fan > 0:
            return fan, _of_left_out(a, b, c, d)
        fan = _of_three(a, b, d)
        if fan > 0:
            return fan, _of_left_out(a, b, d, c)
        fan = _of_three(a, c, d)
        if fan > 0:
            return fan, _of_left_out(a, c, d, b)
        fan = _of_three(b, c, d)
        if fan > 0:
            return fan, _of_left_out(b, c, d, a)
    elif number == 3:
        fan = _of_three(a, b, c)
        if fan > 0:
            return fan, 0
    return 0, _of_pairs(a, b, c, d, number)


# --- pungs ---------------------------------------------------------------------------------------


@njit(cache=True)
def _in_a_row(a, b, c):
    """Whether ranks of three suits are consecutive in this order."""
    return a & b >> 1 & c >> 2 != 0


@njit(cache=True)
def pung_fans(pungs, pair):
    """The fans of all pungs and kongs of a hand, with the pair: two words."""
    number = popcount(np.uint64(pungs))
    if number == 0:
        return 0, 0
    winds, dragons = popcount(np.uint64(pungs & WINDS)), popcount(np.uint64(pungs & DRAGON_TILES))
    a, b, c = pungs & 0o777, pungs >> 9 & 0o777, pungs >> 18 & 0o777
    early = 0
    late = popcount(np.uint64(pungs & (_TERMINALS | WINDS))) * bits.PUNG_OF_TERMINALS_OR_HONORS
    if dragons:
        early |= bits.DRAGON_PUNG
        if dragons == 3:
            early |= bits.BIG_THREE_DRAGONS
        elif dragons == 2:
            early |= bits.TWO_DRAGONS_PUNGS
            if pair >= 31:
                early |= bits.LITTLE_THREE_DRAGONS
    if number >= 3:
        if winds == 3:
            early |= bits.BIG_THREE_WINDS
            if 27 <= pair < 31:
                early |= bits.LITTLE_FOUR_WINDS
        if number == 4:
            if winds == 4:
                return early | bits.BIG_FOUR_WINDS, late
            rows = (a & a >> 1 & a >> 2) | (b & b >> 1 & b >> 2) | (c & c >> 1 & c >> 2)
            if rows & rows >> 1:
                return early | bits.FOUR_PURE_SHIFTED_PUNGS, late
            early |= bits.ALL_PUNGS
        if (a & a >> 1 & a >> 2) | (b & b >> 1 & b >> 2) | (c & c >> 1 & c >> 2):
            early |= bits.PURE_SHIFTED_PUNGS
        elif a & b & c:
            early |= bits.TRIPLE_PUNG
        elif (
            _in_a_row(a, b, c)
            or _in_a_row(a, c, b)
            or _in_a_row(b, a, c)
            or _in_a_row(b, c, a)
            or _in_a_row(c, a, b)
            or _in_a_row(c, b, a)
        ):
            early |= bits.MIXED_SHIFTED_PUNGS
    pairs = popcount(np.uint64(a & b)) + popcount(np.uint64(a & c)) + popcount(np.uint64(b & c))
    if early & bits.TRIPLE_PUNG:
        pairs -= 3
    return early, late + pairs * bits.DOUBLE_PUNG


# --- every set -----------------------------------------------------------------------------------


@njit(cache=True)
def whole_fans(chows, pungs, pair):
    """The fans of what every set and the pair hold, as an early word."""
    early = 0
    tiles = pungs | 1 << pair
    if not (tiles & ~_OUTSIDE or chows & ~_OUTSIDE_CHOWS):
        early |= bits.OUTSIDE_HAND
    elif not (tiles & ~_FIVES or chows & ~_FIVE_CHOWS):
        early |= bits.ALL_FIVE
    elif chows == 0 and not tiles & ~_EVENS:
        early |= bits.ALL_EVEN_PUNGS
    if pungs == 0 and pair < 27:
        early |= bits.ALL_CHOWS
    return early
