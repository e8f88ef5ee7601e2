"""How strong a poker hand is, as one number.

A card is ``4 * rank + suit`` with rank 0 (deuce) .. 12 (ace). A set of cards is one uint64 with 16
bits a suit, of which the lowest 13 are its ranks: card c is bit ``16 * (c % 4) + c // 4``.

A hand's value is ``category << 26 | major << 13 | minor``: greater is better and equal is a tie.
Major and minor are sets of ranks (13 bits); sets of one size compare as their highest ranks do.

    category           major                    minor
    8 straight flush   its lowest rank, one up  -            (the ace of A-2-3-4-5 is bit 0)
    7 four of a kind   the four                 kicker
    6 full house       the three                the pair
    5 flush            -                        five ranks
    4 straight         as for 8                 -
    3 three            the three                two kickers
    2 two pairs        both pairs               kicker
    1 pair             the pair                 three kickers
    0 high card        -                        five ranks
"""

from __future__ import annotations

import numpy as np
from numba import njit

CATEGORIES = (
    "high card",
    "pair",
    "two pairs",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
RANKS = 0x1FFF

_NUMBERS = np.arange(RANKS + 1)
# The highest rank of a set, as a set; 0 for none.
HIGHEST = np.array([1 << int(x).bit_length() >> 1 for x in _NUMBERS], np.int16)


def _highest_five(ranks: int) -> int:
    while ranks.bit_count() > 5:
        ranks &= ranks - 1
    return ranks


# The five highest ranks of a set.
BEST_FIVE = np.array([_highest_five(int(x)) for x in _NUMBERS], np.int16)

_ODD, _PAIRS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_NIBBLES, _LANES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x00FF00FF00FF00FF)
_THREE, _EIGHT = np.uint64(0x0003000300030003), np.uint64(0x0008000800080008)
_1, _2, _4, _8 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(8)
_16, _32, _48 = np.uint64(16), np.uint64(32), np.uint64(48)
_RANKS = np.uint64(RANKS)


@njit(cache=True)
def card_bit(card):
    """The card as a set."""
    return _1 << np.uint64((card & 3) << 4 | card >> 2)


@njit(cache=True)
def _straight(ranks, wheel):
    """Where the highest straight in a set of ranks starts, as a bit; 0 without one.

    Bit 0 is the ace below the deuce, bit k rank k - 1. ``wheel`` is 1 if the ace counts as low.
    """
    line = ranks << 1 | (ranks >> 12 & wheel)
    run = line & line >> 1
    run &= run >> 2 & line >> 4
    while run & (run - 1):
        run &= run - 1
    return run


@njit(cache=True)
def evaluate(cards, wheel):
    """The value of the best five cards among 5 to 7.

    Args:
        cards: a set (uint64). wheel: 1 if A-2-3-4-5 is a straight, else 0.
    """
    a = np.int64(cards & _RANKS)
    b = np.int64(cards >> _16 & _RANKS)
    c = np.int64(cards >> _32 & _RANKS)
    d = np.int64(cards >> _48 & _RANKS)
    # How many cards of each suit, in 16 bits each; adding three carries to bit 3 from five on.
    count = cards - (cards >> _1 & _ODD)
    count = (count & _PAIRS) + (count >> _2 & _PAIRS)
    count = count + (count >> _4) & _NIBBLES
    count = count + (count >> _8) & _LANES
    flush = count + _THREE & _EIGHT
    suited = 0
    if flush:
        suited = a
        if flush >> _16 & _8:
            suited = b
        elif flush >> _32 & _8:
            suited = c
        elif flush >> _48:
            suited = d
        run = _straight(suited, wheel)
        if run:
            return 8 << 26 | run << 13
    ranks = a | b | c | d
    ab, cd = a & b, c & d
    pairs = ab | cd | ((a | b) & (c | d))
    if pairs:
        threes = (ab & (c | d)) | (cd & (a | b))
        four = ab & cd
        if four:
            return 7 << 26 | four << 13 | np.int64(HIGHEST[ranks ^ four])
        if threes:
            three = np.int64(HIGHEST[threes])
            if pairs ^ three:
                return 6 << 26 | three << 13 | np.int64(HIGHEST[pairs ^ three])
    if suited:
        return 5 << 26 | np.int64(BEST_FIVE[suited])
    run = _straight(ranks, wheel)
    if run:
        return 4 << 26 | run << 13
    if not pairs:
        return np.int64(BEST_FIVE[ranks])
    if threes:
        first = np.int64(HIGHEST[ranks ^ threes])
        return 3 << 26 | threes << 13 | first | np.int64(HIGHEST[ranks ^ threes ^ first])
    high = np.int64(HIGHEST[pairs])
    low = np.int64(HIGHEST[pairs ^ high])
    if low:
        return 2 << 26 | (high | low) << 13 | np.int64(HIGHEST[ranks ^ high ^ low])
    rest = ranks ^ high
    first = np.int64(HIGHEST[rest])
    second = np.int64(HIGHEST[rest ^ first])
    kickers = first | second | np.int64(HIGHEST[rest ^ first ^ second])
    return 1 << 26 | high << 13 | kickers


@njit(cache=True)
def category(value):
    """The place of a value in ``CATEGORIES``."""
    return value >> 26


@njit(cache=True, nogil=True)
def evaluate_each(cards, wheel, values):
    """The values of many hands.

    Args:
        cards: (N, 5 .. 7) integers. wheel: as in ``evaluate``. values: (N,) int64, written.
    """
    for i in range(cards.shape[0]):
        held = np.uint64(0)
        for k in range(cards.shape[1]):
            held |= card_bit(cards[i, k])
        values[i] = evaluate(held, wheel)
