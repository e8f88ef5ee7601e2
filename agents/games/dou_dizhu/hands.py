"""How a hand is parted into plays: how many it needs, and what is left to go with others."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, popcount
from stratagym.envs.dou_dizhu.cards import (
    IN_SEQUENCES,
    JOKERS,
    at_least,
    count,
    lowest_rank,
    of_rank,
    size,
)
from stratagym.envs.dou_dizhu.patterns import (
    BODY,
    KICKER_SIZE,
    KICKERS,
    ONLY_CARDS,
    PATTERN,
    PLAY_CARDS,
)
from stratagym.envs.dou_dizhu.plays import LOOSE, PAGAT, kicker_ranks, part_of_pattern
from stratagym.envs.dou_dizhu.rules import KEPT, last_play

_ALL_BITS, _LOW = np.uint64(15), np.uint64(1)


@njit(cache=True)
def longest_run(ranks):
    """(length, lowest rank) of the longest ranks in sequence; the lowest among equals."""
    ranks &= IN_SEQUENCES
    if ranks == EMPTY:
        return 0, 0
    run, length = ranks, 1
    while True:
        longer = run & (ranks >> np.uint64(4 * length))
        if longer == EMPTY:
            return length, lowest_rank(run)
        run = longer
        length += 1


@njit(cache=True)
def sequence(length, start, number):
    """So many cards of each of some ranks in sequence."""
    cards = EMPTY
    for rank in range(start, start + length):
        cards += of_rank(rank, number)
    return cards


@njit(cache=True)
def part(hand, with_straights):
    """Part a hand; returns (plays needed, cards left in groups of one rank).

    Bombs and the rocket are set aside and cost nothing. Each triple takes a single or pair along.
    """
    if hand & JOKERS == JOKERS:
        hand &= ~JOKERS
    hand &= ~(at_least(hand, 4) * _ALL_BITS)
    needed, riders = 0, 0
    # Airplanes, straights, pair straights, in one loop: it is compiled into many others.
    kind = 0
    while kind < 3:
        same, least = 3, 2
        if kind > 0:
            same, least = (1, 5) if kind == 1 else (2, 3)
        length, start = longest_run(at_least(hand, same))
        if length < least or (kind == 1 and not with_straights):
            kind += 1
            continue
        hand -= sequence(length, start, same)
        needed += 1
        if kind == 0:
            riders += length
    triples = popcount(at_least(hand, 3))
    others = popcount(at_least(hand, 1)) - triples
    riders += triples
    return needed + triples + max(0, others - riders), hand


@njit(cache=True)
def plays_needed(hand):
    """How many plays a hand needs, about; bombs and the rocket are not counted."""
    least = 99
    for with_straights in range(2):
        needed, _ = part(hand, with_straights == 1)
        least = min(least, needed)
    return least


@njit(cache=True)
def choose_kickers(kickers, hand, pattern):
    """Cards to go with a pattern: those that stand alone, the lowest first, as far as they last."""
    number, each = np.int64(KICKERS[pattern]), np.int64(KICKER_SIZE[pattern])
    if number == 0:
        return EMPTY
    ranks = kicker_ranks(hand, pattern)
    least, groups = 99, EMPTY
    for with_straights in range(2):
        needed, left = part(hand - BODY[pattern], with_straights == 1)
        if needed < least:
            least, groups = needed, left
    chosen = EMPTY
    for tier in range(4):
        if tier == 0:
            among = at_least(groups, each) & ~at_least(groups, each + 1)
        elif tier == 1:
            among = at_least(groups, each)
        else:
            among = ranks
        among &= ranks
        while among != EMPTY and number > 0:
            rank = lowest_rank(among)
            among &= among - _LOW
            held = count(chosen, rank)
            if tier < 3:
                if held or (kickers == PAGAT and chosen & JOKERS != EMPTY and rank > 12):
                    continue
            elif kickers != LOOSE or each == 2 or held != 1 or count(hand, rank) < 2:
                continue
            chosen += of_rank(rank, each)
            number -= 1
    return chosen


@njit(cache=True)
def action_of(rules, legal, n, pattern, cards):
    """The action among ``legal[:n]`` that plays these cards, or begins to; the first if none."""
    if not rules.whole:
        return part_of_pattern(pattern)
    for k in range(n):
        if PATTERN[legal[k]] == pattern and PLAY_CARDS[legal[k]] & ONLY_CARDS == cards:
            return legal[k]
    return legal[0]


_PASSED = 0.5
"""What a world counts by for every pass on an enemy's play that a spare card would have beaten."""


@njit(cache=True)
def passes_fit(s, player):
    """A weight for a guess at the others' hands: how well it goes with what they let pass.

    Only single cards and pairs of an enemy are looked at, of the plays that are kept.
    """
    weight, top, owner = 1.0, EMPTY, 0
    kept = min(np.int64(s.plays), KEPT)
    for back in range(kept - 1, -1, -1):
        cards = last_play(s, back)
        seat = (s.landlord + s.plays - 1 - back) % 3
        if cards != EMPTY:
            top, owner = cards, seat
            continue
        number = size(top)
        enemies = (seat == s.landlord) != (owner == s.landlord)
        if seat == player or not enemies or number == 0 or number > 2:
            continue
        rank = lowest_rank(top)
        if count(top, rank) != number:  # the rocket
            continue
        hand = s.hands[seat]
        for later in range(back - 3, -1, -3):
            hand += last_play(s, later)
        spare = at_least(hand, number) & ~at_least(hand, number + 1) & IN_SEQUENCES
        if spare >> np.uint64(4 * rank + 4) != EMPTY:
            weight *= _PASSED
    return weight
