"""Sets of cards as numbers: 4 bits for how many cards of each of the 15 ranks there are.

Ranks are 0 .. 12 for 3 4 5 6 7 8 9 10 J Q K A 2, 13 for the black (small) joker and 14 for the red
one; suits never matter. Rank ``r`` has bits 4r .. 4r+3, of which the highest is always 0, so that
all ranks can be compared by one subtraction. A set of ranks has bit 4r for each of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, lowest, popcount

RANKS = 15
TWO, BLACK_JOKER, RED_JOKER = 12, 13, 14
NAMES = (
    "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2", "BlackJoker", "RedJoker",
)  # fmt: skip
"""What the ranks are called, the lowest first."""

_GUARD = np.uint64(0x888888888888888)
_ONES = np.uint64(0x111111111111111)
_TWOS, _FOURS = np.uint64(0x222222222222222), np.uint64(0x444444444444444)
_NIBBLE, _SEVEN = np.uint64(15), np.uint64(7)
_1, _2, _3, _4 = (np.uint64(k) for k in range(1, 5))
_TO_BLACK_JOKER, _RED_JOKERS = np.uint64((1 << 53) - 1), np.uint64(1 << 53)

DECK = np.uint64(0x114444444444444)
"""All 54 cards."""
JOKERS = np.uint64(0x110000000000000)
"""Both jokers, as cards and as ranks."""
IN_SEQUENCES = np.uint64(0x000111111111111)
"""The ranks that sequences are made of: 3 to A."""


@njit(cache=True)
def of_rank(rank, number):
    """So many cards of one rank."""
    return np.uint64(number) << np.uint64(4 * rank)


@njit(cache=True)
def count(cards, rank):
    """How many cards of one rank there are."""
    return np.int64((cards >> np.uint64(4 * rank)) & _NIBBLE)


@njit(cache=True)
def size(cards):
    """How many cards there are."""
    return popcount(cards & _ONES) + 2 * popcount(cards & _TWOS) + 4 * popcount(cards & _FOURS)


@njit(cache=True)
def holds(cards, part):
    """Whether ``part`` is among ``cards``."""
    return ((cards | _GUARD) - part) & _GUARD == _GUARD


@njit(cache=True)
def without(cards, part):
    """What is left of ``cards``; of a rank that ``part`` has more of, nothing."""
    left = (cards | _GUARD) - part
    return left & (((left & _GUARD) >> _3) * _SEVEN)


@njit(cache=True)
def at_least(cards, number):
    """The ranks of which there are 1, 2, 3 or 4 cards or more, as ``number`` says."""
    ones, twos, fours = cards & _ONES, (cards >> _1) & _ONES, (cards >> _2) & _ONES
    if number == 1:
        return ones | twos | fours
    if number == 2:
        return twos | fours
    if number == 3:
        return (ones & twos) | fours
    return fours


@njit(cache=True)
def lowest_rank(ranks):
    """The lowest rank of a set that is not empty, of ranks or of cards."""
    return lowest(ranks) >> 2


@njit(cache=True)
def put_cards(out, at, cards):
    """Write a set of cards as 54 numbers, which are zeros before, into ``out`` from ``at`` on.

    Number 4r + k is 1 if there are more than k cards of rank r; 52 and 53 are the jokers.
    """
    numbers = at_least(cards, 1) | (at_least(cards, 2) << _1)
    numbers |= (at_least(cards, 3) << _2) | (at_least(cards, 4) << _3)
    # The red joker's bit, 56, is number 53.
    numbers = (numbers & _TO_BLACK_JOKER) | ((numbers >> _3) & _RED_JOKERS)
    while numbers != EMPTY:
        out[at + lowest(numbers)] = 1
        numbers &= numbers - _1


def packed(ranks) -> int:
    """Cards from a list of their ranks, any number of each up to 15."""
    return sum(1 << 4 * int(rank) for rank in ranks)


def ranks_of(cards) -> list[int]:
    """The ranks of all cards, ascending, each as often as it is held."""
    return [rank for rank in range(RANKS) for _ in range(int(cards) >> 4 * rank & 15)]
