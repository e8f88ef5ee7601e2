"""Rules of wide. Action: the number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, seed_rng, sizes, winner_takes

MOVES = 20
STATE = np.dtype([("rng", "u8"), ("named", "i8", (2,)), ("ply", "i2")], align=True)


@sizes(actions=lambda rules: rules.actions, observation=(64,), decisions=MOVES, high=MOVES)
class Rules(NamedTuple):
    actions: int
    legal: int
    num_players: int = 2


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.ply = s.named[0] = s.named[1] = 0


@njit(cache=True)
def current_player(rules, s):
    return s.ply & 1 if s.ply < MOVES else TERMINAL


@njit(cache=True)
def legal_actions(rules, s, out):
    n = min(rules.legal, rules.actions)
    gap = rules.actions // n
    for k in range(n):
        out[k] = k * gap + s.ply % gap
    return n


@njit(cache=True)
def step(rules, s, action):
    s.named[s.ply & 1] += action
    s.ply += 1


@njit(cache=True)
def returns(rules, s, out):
    won = s.named[0] - s.named[1] if s.ply == MOVES else 0
    winner_takes(-1 if won == 0 else np.int64(won < 0), out)


@njit(cache=True)
def observe(rules, s, player, out):
    out[:] = s.ply
