"""Rules of pips. Actions: 0 rests, 1 rolls a die."""

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, TRUNCATED, random_below, seed_rng, sizes

SEATS = 4
STATE = np.dtype([("rng", "u8"), ("pips", "i2", (SEATS,)), ("ply", "i2")], align=True)


@sizes(actions=2, observation=(2 + SEATS,), decisions=80, dtype=np.int16, high=100, low=-2)
class Rules(NamedTuple):
    goal: int
    num_players: int = SEATS


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    for seat in range(SEATS):
        s.pips[seat] = 0
    s.ply = 0


@njit(cache=True)
def _most(s):
    most = 0
    for seat in range(SEATS):
        most = max(most, s.pips[seat])
    return most


@njit(cache=True)
def current_player(rules, s):
    if _most(s) >= rules.goal:
        return TERMINAL
    return TRUNCATED if s.ply >= 80 else s.ply % SEATS


@njit(cache=True)
def legal_actions(rules, s, out):
    out[0] = 0
    out[1] = 1
    return 2


@njit(cache=True)
def step(rules, s, action):
    seat = s.ply % SEATS
    gained = 0
    if action == 1:
        gained = 1 + random_below(s, 6)
        if gained == 1:
            gained = -min(2, s.pips[seat])
    s.pips[seat] += gained
    s.ply += 1


@njit(cache=True)
def returns(rules, s, out):
    for seat in range(SEATS):
        out[seat] = 0
    if s.ply >= 80 or _most(s) >= rules.goal:
        for seat in range(SEATS):
            out[seat] = 1.0 if s.pips[seat] == _most(s) else -1.0


@njit(cache=True)
def observe(rules, s, player, out):
    out[0] = player
    out[1] = s.ply
    for seat in range(SEATS):
        out[2 + seat] = s.pips[seat]


@njit(cache=True)
def determinize(rules, s, player):
    pass
