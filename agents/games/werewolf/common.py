"""What players of Werewolf make of what all know: lots, suspicion, whose claim is believed.

A lot follows from the names at the table, the day and the phase, so that a player decides alike in
all positions that look alike to it, and a pack comes to one choice.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.core import mix64
from stratagym.envs.werewolf.knowledge import known_sides
from stratagym.envs.werewolf.state import (
    ASK_VOTE,
    EXILED,
    IS_WOLF,
    KILLED,
    NOBODY,
    SEER,
    SUSPECT,
    first_of,
    has,
    next_of,
    size,
)


@njit(cache=True)
def lot(rules, s, seats, salt):
    """A seat of a set that is not empty, by lot."""
    x = np.uint64(salt)
    for seat in range(rules.num_players):
        x = mix64(x ^ np.uint64(s.called[seat] + 1 + 32 * seat))
    x = mix64(x ^ np.uint64(s.day * 8 + s.phase))
    k = np.int64(x % np.uint64(size(seats)))
    while k > 0:
        seats &= seats - 1
        k -= 1
    return first_of(seats)


@njit(cache=True)
def heat(rules, s, seat):
    """How often a seat was suspected or asked to be voted for today, or ever called a wolf."""
    found = 0
    for speaker in range(rules.num_players):
        pair = s.pairs[speaker, seat]
        found += pair[SUSPECT] + pair[ASK_VOTE] + pair[IS_WOLF]
    return found


@njit(cache=True)
def hottest(rules, s, seats, salt):
    """The one most suspected of a set that is not empty, the lowest of several; else a lot."""
    most, found, seat = 0, NOBODY, first_of(seats)
    while seat != NOBODY:
        now = heat(rules, s, seat)
        if now > most:
            most, found = now, seat
        seat = next_of(seats, seat)
    return found if found != NOBODY else lot(rules, s, seats, salt)


@njit(cache=True)
def claimants(rules, s):
    """The set of those who last claimed to be the seer."""
    found = 0
    for seat in range(rules.num_players):
        if s.claimed[seat] == SEER:
            found |= 1 << seat
    return found


@njit(cache=True)
def believed(rules, s, player):
    """The claimant whom a player believes to be the seer, or NOBODY.

    A claimant who was killed at night told the truth; else one who is alone with the claim is
    believed, and two are not. A seer believes nobody.
    """
    if s.role[player] == SEER:
        return NOBODY
    wolves, _ = known_sides(rules, s, player)
    found = claimants(rules, s) & ~wolves & ~(1 << player)
    killed, doubtful, seat = 0, 0, first_of(found) if found else NOBODY
    while seat != NOBODY:
        if s.fate[seat] == KILLED:
            killed |= 1 << seat
        elif s.fate[seat] != EXILED:
            doubtful |= 1 << seat
        seat = next_of(found, seat)
    if killed:
        return first_of(killed) if size(killed) == 1 else NOBODY
    return first_of(doubtful) if size(doubtful) == 1 else NOBODY


@njit(cache=True)
def told_of(rules, s, speaker, act):
    """The set of those about whom a speaker has said an act."""
    found = 0
    for seat in range(rules.num_players):
        if s.pairs[speaker, seat, act]:
            found |= 1 << seat
    return found


@njit(cache=True)
def is_wolf(s, player):
    """Whether a player is of the pack."""
    return has(s.wolves, player)
