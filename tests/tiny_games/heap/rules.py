"""Rules of the heap. Action a takes a."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, seed_rng, sizes

MOST = 3

STATE = np.dtype([("rng", "u8"), ("taken", "i2", (7,)), ("ply", "i2")], align=True)


@sizes(
    actions=MOST + 1,
    observation=lambda rules: (rules.num_players + 1,),
    decisions=lambda rules: rules.num_players * rules.rounds,
    high=100,
)
class Rules(NamedTuple):
    num_players: int
    rounds: int


def make_rules(players: int, rounds: int) -> Rules:
    return Rules(players, rounds)


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.taken[:] = 0
    s.ply = 0


@njit(cache=True)
def current_player(rules, s):
    if s.ply < rules.num_players * rules.rounds:
        return s.ply % rules.num_players
    return TERMINAL


@njit(cache=True)
def legal_actions(rules, s, out):
    for action in range(MOST + 1):
        out[action] = action
    return MOST + 1


@njit(cache=True)
def step(rules, s, action):
    s.taken[s.ply % rules.num_players] += action
    s.ply += 1


@njit(cache=True)
def returns(rules, s, out):
    for seat in range(rules.num_players):
        out[seat] = s.taken[seat]


@njit(cache=True)
def observe(rules, s, player, out):
    for k in range(rules.num_players):
        out[k] = s.taken[(player + k) % rules.num_players]
    out[rules.num_players] = s.ply


@njit(cache=True)
def determinize(rules, s, player):
    pass
