"""What players did about chains, eyes and passes in recorded games of go."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.core import legal_actions
from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.go.rules import FREE, GOING, area_of, in_atari, is_eye, point_of

COUNTS = (
    "decisions",
    "captures_allowed",
    "captures_chance",
    "eyes_possible",
    "eyes_filled",
    "eyes_chance",
    "behind",
    "passes_behind",
    "passes_chance",
    "lead_20",
    "lead_40",
    "lead_60",
    "lead_80",
)
"""What ``game_counts`` counts.

captures_allowed: decisions after which the game goes on and a chain of the mover's has only one
liberty. eyes: the decisions with a legal point that is an eye of the mover's by its looks, and one
that is not; and where an eye was filled. behind: the decisions of a player who would lose if the
board were counted as it stands; and the passes among these. chance: how often a uniformly random
legal move would have done it in the same decisions, a sum of probabilities in thousandths, rounded.
lead: the seat's area less the opponent's as the board stood after so many moves, without the
compensation; 0 where the game was over before.
"""
_LEADS = COUNTS.index("lead_20")


@njit(cache=True)
def _is_taken(s, seat, p, q):
    """Whether a stone of a seat's on the free point ``p`` takes what stands on ``q``."""
    if s.colour[q] != 1 - seat:
        return False
    head = np.int64(s.head[q])
    return in_atari(s, head) and s.sums[head] == p * s.count[head]


@njit(cache=True)
def _has_two_liberties(rules, s, seat, p):
    """Whether the chain of a seat's stone on the free point ``p`` would have two or more."""
    wide = rules.size + 1
    first = 0
    for q in (p - wide, p - 1, p + 1, p + wide):
        if s.colour[q] == FREE or _is_taken(s, seat, p, q):
            if first != 0:
                return True
            first = q
    for q in (p - wide, p - 1, p + 1, p + wide):
        if s.colour[q] != seat:
            continue
        stone = head = np.int64(s.head[q])
        while True:
            for r in (stone - wide, stone - 1, stone + 1, stone + wide):
                if r == p or r == first:
                    continue
                if s.colour[r] == FREE or _is_taken(s, seat, p, r):
                    if first != 0:
                        return True
                    first = r
            stone = np.int64(s.next[stone])
            if stone == head:
                break
    return False


@njit(cache=True)
def _stays_in_atari(rules, s, seat, p, head):
    """Whether a chain of a seat's that has one liberty has one after its stone on ``p``, too.

    It may be that liberty, or take a chain next to this one.
    """
    wide = rules.size + 1
    if s.sums[head] == p * s.count[head]:
        return False
    stone = head
    while True:
        for q in (stone - wide, stone - 1, stone + 1, stone + wide):
            if _is_taken(s, seat, p, q):
                return False
        stone = np.int64(s.next[stone])
        if stone == head:
            return True


@njit(cache=True)
def _allowing(rules, s, seat, legal, n):
    """After how many of the legal actions, the pass last, a chain of the mover's is in atari."""
    if s.plies + 1 == rules.max_length:
        return 0
    first = rules.size + 2
    end = (rules.size + 1) ** 2
    threatened = 0
    for h in range(first, end):
        threatened += s.colour[h] == seat and s.head[h] == h and in_atari(s, h)
    found = 1 if threatened and s.passes == 0 else 0
    for k in range(n - 1):
        p = point_of(rules, legal[k])
        allows = not _has_two_liberties(rules, s, seat, p)
        h = first
        while threatened and not allows and h < end:
            if s.colour[h] == seat and s.head[h] == h and in_atari(s, h):
                allows = _stays_in_atari(rules, s, seat, p, h)
            h += 1
        found += allows
    return found


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    own = counts[seat]
    own[0] += 1
    n = legal_actions(rules, s, legal)
    eyes = 0
    for k in range(n - 1):
        eyes += is_eye(rules, s, seat, point_of(rules, legal[k]))
    passed = action == rules.size * rules.size
    own[2] += (1000 * _allowing(rules, s, seat, legal, n) + n // 2) // n
    if 0 < eyes < n - 1:
        own[3] += 1
        own[4] += not passed and is_eye(rules, s, seat, point_of(rules, action))
        own[5] += (1000 * eyes + n // 2) // n
    lead = 4 * area_of(rules, s) - rules.komi4
    if lead < 0 if seat == 0 else lead > 0:
        own[6] += 1
        own[7] += passed
        own[8] += (1000 + n // 2) // n


@njit(cache=True)
def count_after(rules, s, seat, action, counts):
    if s.over == GOING:
        for p in range(rules.size + 2, (rules.size + 1) ** 2):
            if s.colour[p] == seat and s.head[p] == p and in_atari(s, p):
                counts[seat][1] += 1
                break
    for k in range(4):
        if s.plies == 20 * (k + 1):
            lead = area_of(rules, s)
            counts[0][_LEADS + k] = lead
            counts[1][_LEADS + k] = -lead
