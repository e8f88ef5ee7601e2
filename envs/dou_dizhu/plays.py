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
    BOMB,
    BOTH_JOKERS,
    FIRST,
    FIRST_PATTERN,
    INSIDE,
    KICKER_SIZE,
    KICKERS,
    KIND,
    KINDS,
    LENGTH,
    ONLY_CARDS,
    PAIRED,
    PLAY_CARDS,
    ROCKET,
    SHUTTLE,
    SHUTTLE_2,
    START,
    USUAL_PATTERNS,
)

DISTINCT, PAGAT, LOOSE = range(3)
"""What kickers may be; see the package's docstring."""
ROCKET_PATTERN = int(FIRST_PATTERN[ROCKET])
KICKER_AT = USUAL_PATTERNS
"""In parts: the action of the lowest rank as a kicker; patterns of shuttles follow the 15 ranks."""
_SAME, _SHORTEST, _LONGEST = (np.array([kind[k] for kind in KINDS], np.int64) for k in (1, 2, 3))


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
def find_plays(hand, top, whole, kickers, shuttle, out):
    """Write the plays that a hand has into ``out``, ascending; returns how many.

    Args:
        top: the pattern to beat, or 0 when leading. whole: whether as whole plays, a pass among
            them where it is allowed, or as actions in parts.
        kickers: ``DISTINCT``, ``PAGAT`` or ``LOOSE``. shuttle: whether there are space shuttles.
    """
    n = 0
    facing, length, over = 0, 0, FULL
    if top != 0:
        out[0] = 0
        n = 1
        if top == ROCKET_PATTERN:
            return n
        facing, length = np.int64(KIND[top]), np.int64(LENGTH[top])
        over = FULL << np.uint64(4 * START[top] + 4)
    for kind in range(1, SHUTTLE_2 + 1 if shuttle else SHUTTLE):
        # One loop and one place where plays are added: it is compiled into many others.
        if facing != 0 and kind != facing and kind != BOMB and kind != ROCKET:
            continue
        if kind == ROCKET:
            if hand & JOKERS == JOKERS:
                out[n] = FIRST[ROCKET_PATTERN] if whole else ROCKET_PATTERN
                n += 1
            continue
        ranks = at_least(hand, _SAME[kind])
        most, pattern = _LONGEST[kind], np.int64(FIRST_PATTERN[kind])
        if most > 1:
            ranks &= IN_SEQUENCES
        run = ranks
        for longer in range(1, most + 1):
            if longer > 1:
                run &= ranks >> np.uint64(4 * (longer - 1))
            if run == EMPTY or (kind == facing and longer > length):
                break
            if longer < _SHORTEST[kind]:
                continue
            bodies = run
            if kind == facing:
                bodies = run & over if longer == length else EMPTY
            while bodies != EMPTY:
                rank = lowest_rank(bodies)
                bodies &= bodies - np.uint64(1)
                n = _add(hand, pattern + rank, whole, kickers, out, n)
            pattern += 13 - longer
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
