"""Rules of night. Action: the choice, 0 or 1. Observation: planes, -1 for what was not chosen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, random_below, seed_rng, sizes

SEATS, NOT_YET = 3, -1

STATE = np.dtype(
    [("rng", "u8"), ("order", "i1", (SEATS,)), ("chosen", "i1", (SEATS,)), ("ply", "i1")],
    align=True,
)


@sizes(actions=2, observation=(SEATS, SEATS, 3), decisions=SEATS, low=-1)
class Rules(NamedTuple):
    num_players: int = SEATS


@njit(cache=True)
def _shuffle(s):
    for k in range(SEATS):
        s.order[k] = k
    for k in range(SEATS - 1, 0, -1):
        other = random_below(s, k + 1)
        s.order[k], s.order[other] = s.order[other], s.order[k]


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    _shuffle(s)
    s.chosen[:] = NOT_YET
    s.ply = 0


@njit(cache=True)
def current_player(rules, s):
    return s.order[s.ply] if s.ply < SEATS else TERMINAL


@njit(cache=True)
def legal_actions(rules, s, out):
    out[0] = 0
    out[1] = 1
    return 2


@njit(cache=True)
def step(rules, s, action):
    s.chosen[s.order[s.ply]] = action
    s.ply += 1


@njit(cache=True)
def returns(rules, s, out):
    ones = s.chosen.sum()
    for seat in range(SEATS):
        fewer = s.chosen[seat] == (1 if ones == 1 else 0)
        out[seat] = 1.0 if s.ply == SEATS and 0 < ones < SEATS and fewer else 0.0


@njit(cache=True)
def observe(rules, s, player, out):
    out[:] = 0
    out[0, :, 0] = NOT_YET
    out[0, player, 0] = s.chosen[player]
    out[1, player, 0] = 1
    if s.ply == SEATS:
        out[0, :, 0] = s.chosen
    elif s.order[s.ply] == player:
        out[2, 0, 0] = 1


@njit(cache=True)
def determinize(rules, s, player):
    """Draw an order and a ply in which ``player`` is to move, or has chosen, as it really is."""
    if s.ply == SEATS:
        return
    moves, has_chosen = s.order[s.ply] == player, s.chosen[player] != NOT_YET
    while True:
        _shuffle(s)
        s.ply = random_below(s, SEATS)
        place = 0
        while s.order[place] != player:
            place += 1
        if (place == s.ply) == moves and (place < s.ply) == has_chosen:
            break
    own = s.chosen[player]
    for k in range(SEATS):
        seat = s.order[k]
        if seat != player:
            s.chosen[seat] = random_below(s, 2) if k < s.ply else NOT_YET
    s.chosen[player] = own
