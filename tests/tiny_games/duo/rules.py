"""Rules of one against two. Action a takes 1 + a // 2 from the next seat, or the one after."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, seed_rng, sizes

SEATS, MOVES = 3, 8

STATE = np.dtype([("rng", "u8"), ("held", "i2", (SEATS,)), ("ply", "i2")], align=True)


@sizes(actions=4, observation=(SEATS + 1,), decisions=MOVES, high=100)
class Rules(NamedTuple):
    num_players: int = SEATS


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.ply = 0
    s.held[:] = 30


@njit(cache=True)
def current_player(rules, s):
    return s.ply % SEATS if s.ply < MOVES else TERMINAL


@njit(cache=True)
def legal_actions(rules, s, out):
    for action in range(4):
        out[action] = action
    return 4


@njit(cache=True)
def step(rules, s, action):
    seat = s.ply % SEATS
    taken = 1 + action // 2
    s.held[seat] += taken
    s.held[(seat + 1 + action % 2) % SEATS] -= taken
    s.ply += 1


@njit(cache=True)
def returns(rules, s, out):
    for seat in range(SEATS):
        out[seat] = 0.5 * s.held[seat] - 15


@njit(cache=True)
def observe(rules, s, player, out):
    for k in range(SEATS):
        out[k] = s.held[(player + k) % SEATS]
    out[SEATS] = s.ply


@njit(cache=True)
def determinize(rules, s, player):
    pass
