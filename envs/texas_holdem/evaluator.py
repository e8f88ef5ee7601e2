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

from functools import lru_cache
from itertools import chain, combinations_with_replacement
from typing import NamedTuple

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


# --- many hands at once --------------------------------------------------------------------------
#
# The value of a hand without a flush depends on its ranks alone: of seven cards 49,205 multisets. A
# card's weight holds a random number of its rank, and counts its suit. The sum over a hand names
# the multiset (bits 0-29, found so that no two are equal) and, from bit 40 on, says in four bits a
# suit whether there are five of it. Bits 16-29 choose a displacement, and bits 0-15 changed by that
# (exclusive or) are the place in a table: a perfect hash by displacement (Fox, Chen, Heath 1992).
# The tables are made of ``evaluate`` when they are first wanted, in a fraction of a second.

_SLOTS, _BUCKETS = 1 << 16, 1 << 14
_SUITS = 40
_LOW, _BUCKET = np.uint64(_SLOTS - 1), np.uint64(_BUCKETS - 1)
_NO_SUIT = np.uint64(sum(3 << _SUITS + 4 * suit for suit in range(4)))
_FIVE = np.uint64(sum(8 << _SUITS + 4 * suit for suit in range(4)))
_FREE = -1


@njit(cache=True)
def _displace(members, first, slots, taken, displacements):
    """Displace the members of each bucket so that no two of all share a slot; False if stuck.

    Args:
        members: keys by bucket, the fullest bucket first. first: (buckets + 1,) where each begins.
        slots: by key. taken: (slots,) the key that has a slot, or ``_FREE``; written.
        displacements: by bucket, in the order of ``members``; written.
    """
    for bucket in range(first.shape[0] - 1):
        displacement, placed = -1, first[bucket]
        while placed < first[bucket + 1]:
            displacement += 1
            if displacement == _SLOTS:
                return False
            placed = first[bucket]
            while placed < first[bucket + 1]:
                slot = slots[members[placed]] ^ displacement
                if taken[slot] != _FREE:
                    break
                taken[slot] = members[placed]
                placed += 1
            if placed < first[bucket + 1]:
                for k in range(first[bucket], placed):
                    taken[slots[members[k]] ^ displacement] = _FREE
        displacements[bucket] = max(displacement, 0)
    return True


@njit(cache=True)
def _values_of_sets(sets, wheel, values):
    for i in range(sets.shape[0]):
        values[i] = evaluate(sets[i], wheel)


class _Tables(NamedTuple):
    """What ``_look_up`` reads, for one number of cards and one ``wheel``."""

    weights: np.ndarray  # (52,) uint64
    displacements: np.ndarray  # (_BUCKETS,) uint16
    values: np.ndarray  # (_SLOTS,) int32
    suited: np.ndarray  # (RANKS + 1,) int32: by the set of ranks of one suit


@lru_cache(maxsize=6)
def _tables(size: int, wheel: int) -> _Tables:
    every = combinations_with_replacement(range(13), size)
    ranks = np.fromiter(chain.from_iterable(every), np.int64).reshape(-1, size)
    ranks = ranks[(ranks[:, 4:] != ranks[:, :-4]).all(1)]  # no rank has five cards
    # Equal ranks stand side by side, so that suits in turn make different cards and no flush.
    sets = _set_of(4 * ranks + np.arange(size) % 4)
    values = np.zeros(len(sets), np.int64)
    _values_of_sets(sets, wheel, values)

    suited = np.zeros(RANKS + 1, np.int64)
    _values_of_sets(_NUMBERS.astype(np.uint64), wheel, suited)

    weights, displacements, taken = _hash(ranks)
    table = np.where(taken == _FREE, 0, values[taken]).astype(np.int32)
    return _Tables(weights, displacements, table, suited.astype(np.int32))


def _set_of(cards: np.ndarray) -> np.ndarray:
    bits = np.uint64(1) << (16 * (cards % 4) + cards // 4).astype(np.uint64)
    return np.bitwise_or.reduce(bits, axis=1)


def _hash(ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights of cards, displacements, and which multiset of ranks (N, size) has each slot."""
    for seed in range(1000):
        numbers = np.random.default_rng(seed).integers(1 << _SUITS - 3, size=13)
        keys = numbers[ranks].sum(1) % (_SLOTS * _BUCKETS)
        if len(np.unique(keys)) < len(keys):
            continue
        bucket = keys // _SLOTS
        count = np.bincount(bucket, minlength=_BUCKETS)
        by_count = np.argsort(-count, kind="stable")
        place = np.empty(_BUCKETS, np.int64)
        place[by_count] = np.arange(_BUCKETS)
        members = np.argsort(place[bucket], kind="stable")
        first = np.concatenate([[0], np.cumsum(count[by_count])])
        taken = np.full(_SLOTS, _FREE)
        displaced = np.zeros(_BUCKETS, np.int64)
        if _displace(members, first, keys % _SLOTS, taken, displaced):
            suits = np.array([1 << _SUITS + 4 * suit for suit in range(4)])
            weights = (numbers[:, None] + suits).ravel().astype(np.uint64)
            return weights, displaced[place].astype(np.uint16), taken
    raise AssertionError("no perfect hash was found")


@njit(cache=True, nogil=True)
def _look_up(cards, weights, displacements, table, suited, values):
    size = cards.shape[1]
    for i in range(cards.shape[0]):
        # Unsigned indices are not looked at for being negative.
        found = (
            _NO_SUIT
            + weights[np.uint8(cards[i, 0])]
            + weights[np.uint8(cards[i, 1])]
            + weights[np.uint8(cards[i, 2])]
            + weights[np.uint8(cards[i, 3])]
            + weights[np.uint8(cards[i, 4])]
        )
        if size > 5:
            found += weights[np.uint8(cards[i, 5])]
        if size > 6:
            found += weights[np.uint8(cards[i, 6])]
        if found & _FIVE:
            suit = 0
            while not (found >> np.uint64(_SUITS + 3 + 4 * suit)) & _1:
                suit += 1
            ranks = 0
            for k in range(size):
                if cards[i, k] & 3 == suit:
                    ranks |= 1 << (cards[i, k] >> 2)
            values[i] = suited[ranks]
        else:
            slot = (found & _LOW) ^ np.uint64(displacements[found >> _16 & _BUCKET])
            values[i] = table[slot]


def evaluate_each(cards: np.ndarray, wheel: int, values: np.ndarray) -> None:
    """The values of many hands, as ``evaluate`` gives them; releases the GIL.

    Args:
        cards: (N, 5 .. 7) integers. wheel: as in ``evaluate``. values: (N,) int64, written.

    Raises:
        ValueError: hands of more or fewer cards.
    """
    if not 5 <= cards.shape[1] <= 7:
        raise ValueError(f"hands of {cards.shape[1]} cards: 5 to 7 are needed")
    _look_up(cards, *_tables(cards.shape[1], int(wheel)), values)
