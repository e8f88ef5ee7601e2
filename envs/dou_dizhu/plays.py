"""Which plays a hand has, as whole plays or as patterns, leading or against another."""

from __future__ import annotations

from functools import cache

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, FULL, bit, popcount
from stratagym.envs.dou_dizhu.cards import (
    BLACK_JOKER,
    IN_SEQUENCES,
    JOKERS,
    RANKS,
    at_least,
    count,
    holds,
    lowest_rank,
    of_rank,
)
from stratagym.envs.dou_dizhu.patterns import (
    AIRPLANE,
    AIRPLANE_1,
    AIRPLANE_2,
    BOMB,
    BOTH_JOKERS,
    FIRST,
    FIRST_PATTERN,
    FOUR_1,
    FOUR_2,
    INSIDE,
    KICKER_SIZE,
    KICKERS,
    KIND,
    LENGTH,
    ONLY_CARDS,
    PAIR,
    PAIR_STRAIGHT,
    PAIRED,
    PLAY_CARDS,
    ROCKET,
    SHUTTLE,
    SHUTTLE_1,
    SHUTTLE_2,
    SINGLE,
    START,
    STRAIGHT,
    TRIPLE,
    TRIPLE_1,
    TRIPLE_2,
    USUAL_PATTERNS,
)

DISTINCT, PAGAT, LOOSE = range(3)
"""What kickers may be; see the package's docstring."""
ROCKET_PATTERN = int(FIRST_PATTERN[ROCKET])
KICKER_AT = USUAL_PATTERNS
"""In parts: the action of the lowest rank as a kicker; patterns of shuttles follow the 15 ranks."""
_PATTERN_AT = tuple(FIRST_PATTERN.tolist())
_FOUR = np.uint64(4)


@njit(cache=True)
def forbidden_kickers(kickers):
    """The marks of whole plays that are not allowed."""
    if kickers == LOOSE:
        return EMPTY
    return PAIRED if kickers == DISTINCT else PAIRED | BOTH_JOKERS


@njit(cache=True)
def pattern_of_part(action):
    """The pattern that an action in parts names, which is no kicker."""
    return action if action < KICKER_AT else action - RANKS


@njit(cache=True)
def part_of_pattern(pattern):
    """The action in parts that names a pattern."""
    return pattern if pattern < USUAL_PATTERNS else pattern + RANKS


@njit(cache=True)
def room(kickers, pattern, ranks, twice):
    """How many kickers there are at most among ``ranks``; ``twice`` are those held twice."""
    if KICKER_SIZE[pattern] == 2:
        return popcount(ranks)
    if kickers == PAGAT:
        return popcount(ranks & ~JOKERS) + (ranks & JOKERS != EMPTY)
    if kickers == LOOSE and KIND[pattern] < SHUTTLE:
        return popcount(ranks) + popcount(ranks & twice)
    return popcount(ranks)


@njit(cache=True)
def kicker_ranks(hand, pattern):
    """The ranks that may be kickers, were there no others."""
    return at_least(hand, np.int64(KICKER_SIZE[pattern])) & ~INSIDE[pattern]


@njit(cache=True)
def _add(hand, pattern, whole, kickers, out, n):
    """Write a pattern whose body is held, or its whole plays; returns how many there are then."""
    number = KICKERS[pattern]
    if number == 0:
        out[n] = FIRST[pattern] if whole else part_of_pattern(pattern)
        return n + 1
    ranks = kicker_ranks(hand, pattern)
    if number == 1:
        if ranks == EMPTY:
            return n
        if not whole:
            out[n] = pattern
            return n + 1
        body, first = START[pattern], FIRST[pattern]
        while ranks != EMPTY:
            rank = lowest_rank(ranks)
            ranks &= ranks - np.uint64(1)
            out[n] = first + rank - (rank > body)
            n += 1
        return n
    if room(kickers, pattern, ranks, at_least(hand, 2)) < number:
        return n
    if not whole:
        out[n] = part_of_pattern(pattern)
        return n + 1
    forbidden = forbidden_kickers(kickers)
    for play in range(FIRST[pattern], FIRST[pattern + 1]):
        cards = PLAY_CARDS[play]
        if cards & forbidden == EMPTY and holds(hand, cards & ONLY_CARDS):
            out[n] = play
            n += 1
    return n


@njit(cache=True)
def _add_each(hand, ranks, pattern, whole, kickers, out, n):
    """``_add`` for bodies of these ranks; ``pattern`` is that of rank 0."""
    while ranks != EMPTY:
        rank = lowest_rank(ranks)
        ranks &= ranks - np.uint64(1)
        n = _add(hand, pattern + rank, whole, kickers, out, n)
    return n


@njit(cache=True)
def _add_runs(hand, ranks, over, kind, least, most, length, whole, kickers, out, n):
    """``_add`` for bodies of ranks in sequence: of one length, or of all if that is 0."""
    pattern = _PATTERN_AT[kind]
    ranks &= IN_SEQUENCES
    run = ranks
    for longer in range(1, (most if length == 0 else length) + 1):
        if longer > 1:
            run &= ranks >> np.uint64(4 * (longer - 1))
        if run == EMPTY:
            return n
        if longer >= least:
            if length == 0 or longer == length:
                n = _add_each(hand, run & over, pattern, whole, kickers, out, n)
            pattern += 13 - longer
    return n


@njit(cache=True)
def find_plays(hand, top, whole, kickers, shuttle, out):
    """Write the plays that a hand has into ``out``, ascending; returns how many.

    Args:
        top: the pattern to beat, or 0 when leading. whole: whether as whole plays, a pass among
            them where it is allowed, or as actions in parts.
        kickers: ``DISTINCT``, ``PAGAT`` or ``LOOSE``. shuttle: whether there are space shuttles.
    """
    n = 0
    kind, length, over = 0, 0, FULL
    if top != 0:
        out[0] = 0
        n = 1
        if top == ROCKET_PATTERN:
            return n
        kind, length = np.int64(KIND[top]), np.int64(LENGTH[top])
        over = FULL << np.uint64(4 * START[top] + 4)
    leading = kind == 0
    once, twice = at_least(hand, 1), at_least(hand, 2)
    thrice, four = at_least(hand, 3), at_least(hand, 4)
    if leading or kind == SINGLE:
        n = _add_each(hand, once & over, 1, whole, kickers, out, n)
    if leading or kind == PAIR:
        n = _add_each(hand, twice & over, 16, whole, kickers, out, n)
    if thrice != EMPTY:
        if leading or kind == TRIPLE:
            n = _add_each(hand, thrice & over, 29, whole, kickers, out, n)
        if leading or kind == TRIPLE_1:
            n = _add_each(hand, thrice & over, 42, whole, kickers, out, n)
        if leading or kind == TRIPLE_2:
            n = _add_each(hand, thrice & over, 55, whole, kickers, out, n)
    if leading or kind == STRAIGHT:
        n = _add_runs(hand, once, over, STRAIGHT, 5, 12, length, whole, kickers, out, n)
    if leading or kind == PAIR_STRAIGHT:
        n = _add_runs(hand, twice, over, PAIR_STRAIGHT, 3, 10, length, whole, kickers, out, n)
    if thrice & (thrice >> _FOUR) & IN_SEQUENCES != EMPTY:
        if leading or kind == AIRPLANE:
            n = _add_runs(hand, thrice, over, AIRPLANE, 2, 6, length, whole, kickers, out, n)
        if leading or kind == AIRPLANE_1:
            n = _add_runs(hand, thrice, over, AIRPLANE_1, 2, 5, length, whole, kickers, out, n)
        if leading or kind == AIRPLANE_2:
            n = _add_runs(hand, thrice, over, AIRPLANE_2, 2, 4, length, whole, kickers, out, n)
    if four != EMPTY:
        if leading or kind == FOUR_1:
            n = _add_each(hand, four & over, 269, whole, kickers, out, n)
        if leading or kind == FOUR_2:
            n = _add_each(hand, four & over, 282, whole, kickers, out, n)
        bombs = four & over if kind == BOMB else four
        n = _add_each(hand, bombs, 295, whole, kickers, out, n)
    if hand & JOKERS == JOKERS:
        n = _add(hand, ROCKET_PATTERN, whole, kickers, out, n)
    if shuttle and four & (four >> _FOUR) & IN_SEQUENCES != EMPTY:
        if leading or kind == SHUTTLE:
            n = _add_runs(hand, four, over, SHUTTLE, 2, 5, length, whole, kickers, out, n)
        if leading or kind == SHUTTLE_1:
            n = _add_runs(hand, four, over, SHUTTLE_1, 2, 4, length, whole, kickers, out, n)
        if leading or kind == SHUTTLE_2:
            n = _add_runs(hand, four, over, SHUTTLE_2, 2, 3, length, whole, kickers, out, n)
    return n


@njit(cache=True)
def beats(pattern, top):
    """Whether a play of ``pattern`` may follow one of ``top``; 0 is a pass, or no play to beat."""
    if pattern == 0:
        return top != 0
    if top == 0:
        return True
    if top == ROCKET_PATTERN:
        return False
    kind, facing = KIND[pattern], KIND[top]
    if kind == facing:
        return LENGTH[pattern] == LENGTH[top] and START[pattern] > START[top]
    return kind == ROCKET or kind == BOMB


@njit(cache=True)
def find_kickers(hand, pattern, placed, kickers, out):
    """Write the actions in parts that name the next kicker of a pattern, ascending.

    Args:
        placed: the kickers named so far, as cards; the highest was the last.
    """
    each, number = KICKER_SIZE[pattern], KICKERS[pattern]
    ranks, twice = kicker_ranks(hand, pattern), at_least(hand, 2)
    left, last = np.int64(number), -1
    named = placed
    while named != EMPTY:
        last = lowest_rank(named)
        left -= count(named, last) // each
        named &= ~of_rank(last, 15)
    again = kickers == LOOSE and each == 1 and KIND[pattern] < SHUTTLE
    n = 0
    for rank in range(max(last, 0), RANKS):
        if ranks & bit(4 * rank) == EMPTY:
            continue
        twin = 0
        if rank == last:
            if not again or count(placed, rank) == 2 or twice & bit(4 * rank) == EMPTY:
                continue
        elif again and twice & bit(4 * rank) != EMPTY:
            twin = 1
        higher = ranks & FULL << np.uint64(4 * rank + 4)
        if kickers == PAGAT and rank >= BLACK_JOKER:
            higher = EMPTY
        if room(kickers, pattern, higher, twice) + twin >= left - 1:
            out[n] = KICKER_AT + rank
            n += 1
    return n


@cache
def _by_cards() -> dict[int, int]:
    return dict(zip((PLAY_CARDS & ONLY_CARDS).tolist(), range(len(PLAY_CARDS)), strict=True))


def play_of(cards: int) -> int:
    """The whole play of exactly these cards, or -1; 0, a pass, of none."""
    return _by_cards().get(int(cards), -1)
