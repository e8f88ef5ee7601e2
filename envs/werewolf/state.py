"""The record of a game of Werewolf, and its numbers.

Seats are 0 .. n-1 in a circle; a set of seats is a whole number with bit k for seat k. Days are
counted from 1, and a day begins with its night: arrays by day have their first place unused.

Action ids (t: a player, counted clockwise from the actor, who is 0; n: seats):

    t                  choose t: kill, protect, check, vote for, shoot
    n                  abstain, do not shoot
    n+1 .. n+5         bid 0 .. 4
    n+6                end the speech
    n+7 .. n+13        claim a role of ``CLAIMS``
    n+14 + k n + t     say act k of ``SUSPECT`` .. ``ASK_ROLE`` about t
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import lowest, popcount
from stratagym.envs.core import random_below

MAX_SEATS, MAX_DAYS, MAX_ACTS = 20, 30, 6
NAMES = 24
"""First names to draw from."""
NOBODY = -1
"""No choice yet, or none."""
ABSTAIN = 100
"""In votes: for nobody."""

VILLAGER, WOLF, SEER, DOCTOR, HUNTER, ALPHA, JESTER, KILLER = range(8)
"""Roles."""
ROLES = 8
CLAIMS = (VILLAGER, SEER, DOCTOR, HUNTER, WOLF, JESTER, KILLER)
"""What a speaker may claim to be, in the order of the actions."""
_CLAIMS = np.array(CLAIMS, np.int8)

WOLVES, AT_DOCTOR, AT_SEER, AT_KILLER, BID, SPEECH, VOTE, SHOT = range(8)
"""Phases in which somebody is to move; the first four are of the night."""
PHASES = 8
DAWN, DEBATE, VOTED, DUSK = range(8, 12)
"""Steps of a day without a decision of their own."""

LIVING, KILLED, EXILED, SHOT_AT_DAWN, SHOT_AT_DUSK = range(5)
"""What became of a seat."""
RUNNING, BY_VILLAGE, BY_WOLVES, BY_JESTER, BY_KILLER, BY_NOBODY, UNDECIDED = range(7)
"""Who won: nobody where all are dead; undecided after the last day."""

SUSPECT, TRUST, IS_WOLF, NOT_WOLF, PROTECTED, ASK_VOTE, AGREE, DISAGREE, ASK_ROLE = range(9)
"""Acts about a player."""
ACTS = 9
PAIRS = 11
"""Counts of a speaker about a player: of ``ACTS`` today, results and protections of all days, and
behind them suspicions and trust of earlier days."""
SUSPECTED, TRUSTED = 9, 10

MAJORITY, PLURALITY, LOT, REVOTE = range(4)
"""Who is exiled."""
ANY, NOT_SELF, NOT_TWICE = range(3)
"""Whom a doctor may protect."""
SEES_ROLE, SEES_SIDE = range(2)
"""What a seer learns."""
NO_DEBATE, ROUND, BIDDING = range(3)
"""Debates."""

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("alive", "i4"),  # sets of seats
        ("wolves", "i4"),  # the pack, dead or not
        ("revealed", "i4"),  # whose role all know
        ("tied", "i4"),  # who may be voted for in a second vote; 0 in a first
        ("spoke", "i4"),  # today
        ("mentioned", "i4"),  # in the last speech
        ("mentioning", "i4"),  # in the running one
        ("player", "i1"),
        ("phase", "i1"),
        ("day", "i1"),
        ("winner", "i1"),
        ("pack_round", "i1"),
        ("wolf", "i1"),  # who kills for the pack where one does
        ("spoken", "u1"),  # speeches today
        ("first", "i1"),  # who spoke first today
        ("speaker", "i1"),  # of the running speech, or the last one of today
        ("said", "i1"),  # acts of the running speech
        ("claimed_now", "i1"),  # whether one of them claims a role
        ("last_said", "i1"),
        ("last_speaker", "i1"),  # today
        ("acts", "i2", (MAX_ACTS,)),  # of the running speech
        ("last_acts", "i2", (MAX_ACTS,)),
        ("role", "i1", (MAX_SEATS,)),
        ("called", "i1", (MAX_SEATS,)),  # places in the list of names
        ("fate", "i1", (MAX_SEATS,)),
        ("fate_day", "i1", (MAX_SEATS,)),
        ("claimed", "i1", (MAX_SEATS,)),  # the last role, or NOBODY
        ("claims", "u1", (MAX_SEATS,)),
        ("bids", "i1", (MAX_SEATS,)),  # of the last bidding of today
        ("committed", "i1", (MAX_SEATS,)),  # bids or votes of the running turn
        ("names", "i1", (2, MAX_SEATS)),  # by round and wolf, tonight
        ("target", "i1", (MAX_DAYS + 1,)),  # the pack's choice by night
        ("ward", "i1", (MAX_DAYS + 1,)),
        ("check", "i1", (MAX_DAYS + 1,)),
        ("choice", "i1", (MAX_DAYS + 1,)),  # the killer's
        ("votes", "i1", (MAX_DAYS + 1, MAX_SEATS)),  # the last vote of each day
        ("ties", "i4", (MAX_DAYS + 1,)),  # who was tied before the last vote of the day, or 0
        ("tally", "u1", (MAX_SEATS,)),  # votes received in the last public vote
        ("pairs", "u1", (MAX_SEATS, MAX_SEATS, PAIRS)),
    ],
    align=True,
)


@njit(cache=True)
def has(seats, seat):
    """Whether a set holds a seat."""
    return (seats >> seat) & 1 == 1


@njit(cache=True)
def size(seats):
    """How many seats a set holds."""
    return popcount(np.uint64(seats))


@njit(cache=True)
def first_of(seats):
    """The lowest seat of a set that is not empty."""
    return lowest(np.uint64(seats))


@njit(cache=True)
def next_of(seats, seat):
    """The lowest seat above ``seat`` in a set, or NOBODY."""
    above = (seats >> (seat + 1)) << (seat + 1)
    return lowest(np.uint64(above)) if above else NOBODY


@njit(cache=True)
def any_of(s, seats):
    """A seat of a set that is not empty, drawn."""
    k = random_below(s, size(seats))
    while k > 0:
        seats &= seats - 1
        k -= 1
    return lowest(np.uint64(seats))


@njit(cache=True)
def after(rules, seat, offset):
    """The seat ``offset`` places clockwise of another; both 0 .. n-1."""
    found = seat + offset
    return found - rules.num_players if found >= rules.num_players else found


@njit(cache=True)
def offset_of(rules, seat, other):
    """How many places clockwise of ``seat`` another sits."""
    found = other - seat
    return found + rules.num_players if found < 0 else found


@njit(cache=True)
def role_claimed(action):
    """The role of a claim, by its place among the claims."""
    return _CLAIMS[action]


@njit(cache=True)
def seen_as(rules, role):
    """What a seer sees of a role: itself, or WOLF or VILLAGER for a side; of an alpha VILLAGER."""
    if role == ALPHA:
        return VILLAGER
    if rules.seer == SEES_SIDE:
        return WOLF if role == WOLF else VILLAGER
    return role


@njit(cache=True)
def seat_of(rules, s, role):
    """The seat of a role that one player has at most; NOBODY without it."""
    for seat in range(rules.num_players):
        if s.role[seat] == role:
            return seat
    return NOBODY


@njit(cache=True)
def dead_before(s, seat, night):
    """Whether a seat was dead when a night began."""
    return s.fate[seat] != LIVING and s.fate_day[seat] < night


@njit(cache=True)
def living_at(rules, s, night):
    """The set of those who lived when a night began."""
    found = 0
    for seat in range(rules.num_players):
        if not dead_before(s, seat, night):
            found |= 1 << seat
    return found


@njit(cache=True)
def killed_at(rules, s, night):
    """The set of those who were killed in a night."""
    found = 0
    for seat in range(rules.num_players):
        if s.fate[seat] == KILLED and s.fate_day[seat] == night:
            found |= 1 << seat
    return found


@njit(cache=True)
def is_peace(rules, night):
    """Whether nobody may kill in a night."""
    return rules.peace == 1 and night == 1


@njit(cache=True)
def has_acted_tonight(s, seat):
    """Whether a living seat has made its choice of the running night."""
    role, day = s.role[seat], s.day
    if role == DOCTOR:
        return s.ward[day] != NOBODY
    if role == SEER:
        return s.check[day] != NOBODY
    if role == KILLER:
        return s.choice[day] != NOBODY
    return False


@njit(cache=True)
def unchecked(rules, s, seer):
    """The living others whom the seer has not checked."""
    found = s.alive & ~(1 << seer)
    for night in range(1, s.day + 1):
        if s.check[night] != NOBODY:
            found &= ~(1 << s.check[night])
    return found


@njit(cache=True)
def wards(rules, doctor, living, last):
    """The set of those whom a doctor may protect who protected ``last`` the night before."""
    found = living
    if rules.doctor == NOT_SELF:
        found &= ~(1 << doctor)
    elif rules.doctor == NOT_TWICE and last != NOBODY:
        found &= ~(1 << last)
    return found
