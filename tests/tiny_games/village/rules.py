"""Rules of the village. Action a votes seat a out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, random_below, seed_rng, sizes

SEATS = 5
VILLAGER, SEER, WOLF = 0, 1, 2

STATE = np.dtype(
    [("rng", "u8"), ("role", "i1", (SEATS,)), ("seen", "i1"), ("votes", "i1", (SEATS,)),
     ("ply", "i1")],
    align=True,
)  # fmt: skip


@sizes(actions=SEATS, observation=(2 * SEATS + 2,), decisions=SEATS, high=100, low=-1)
class Rules(NamedTuple):
    num_players: int = SEATS


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.role[:] = VILLAGER
    s.role[0] = SEER
    s.role[1] = WOLF
    s.role[2] = WOLF
    for k in range(SEATS - 1, 0, -1):
        other = random_below(s, k + 1)
        s.role[k], s.role[other] = s.role[other], s.role[k]
    s.seen = wolf(s, random_below(s, 2))
    s.votes[:] = -1
    s.ply = 0


@njit(cache=True)
def wolf(s, number):
    """The seat of the first or second wolf."""
    for seat in range(SEATS):
        if s.role[seat] == WOLF:
            if number == 0:
                return seat
            number -= 1
    return -1


@njit(cache=True)
def current_player(rules, s):
    return s.ply if s.ply < SEATS else TERMINAL


@njit(cache=True)
def legal_actions(rules, s, out):
    n = 0
    for seat in range(SEATS):
        if seat != s.ply:
            out[n] = seat
            n += 1
    return n


@njit(cache=True)
def step(rules, s, action):
    s.votes[s.ply] = action
    s.ply += 1


@njit(cache=True)
def returns(rules, s, out):
    out[:] = 0
    if s.ply < SEATS:
        return
    gone, most = 0, 0
    for seat in range(SEATS):
        count = 0
        for voter in range(SEATS):
            count += s.votes[voter] == seat
        if count > most:
            gone, most = seat, count
    for seat in range(SEATS):
        out[seat] = 1.0 if (s.role[seat] == WOLF) != (s.role[gone] == WOLF) else -1.0


@njit(cache=True)
def knows(s, player, seat):
    """Whether a seat's role is known to a player, who knows its own and what it was told."""
    if seat == player:
        return True
    if s.role[player] == WOLF:
        return s.role[seat] == WOLF
    return s.role[player] == SEER and s.seen == seat


@njit(cache=True)
def observe(rules, s, player, out):
    for seat in range(SEATS):
        out[seat] = s.role[seat] if knows(s, player, seat) else -1
        out[SEATS + seat] = s.votes[seat]
    out[2 * SEATS] = player
    out[2 * SEATS + 1] = s.ply


@njit(cache=True)
def determinize(rules, s, player):
    # By what is left, seat by seat, so that nothing hangs on who really is what.
    left = 0
    wolves = 0
    seers = 0
    for seat in range(SEATS):
        if not knows(s, player, seat):
            left += 1
            wolves += s.role[seat] == WOLF
            seers += s.role[seat] == SEER
    own, seen = s.role[player], s.seen
    for seat in range(SEATS):
        known = seat == player or (own == SEER and seat == seen)
        if known or (own == WOLF and s.role[seat] == WOLF):
            continue
        drawn = random_below(s, left)
        s.role[seat] = WOLF if drawn < wolves else SEER if drawn < wolves + seers else VILLAGER
        left -= 1
        wolves -= s.role[seat] == WOLF
        seers -= s.role[seat] == SEER
    if own != SEER:
        s.seen = wolf(s, random_below(s, 2))
