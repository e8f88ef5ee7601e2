"""A small game for tests, with what Ludo lacks: rewards in every move, and seats without a turn.

Tug: in turn, each of three seats takes 1, 2 or 3 from the seat after it, at ply k at most
1 + k mod 3. It ends after ``moves`` moves. The return is what a seat holds, from nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, GameSpec, seed_rng, sizes

STATE = np.dtype([("rng", "u8"), ("held", "f8", (3,)), ("ply", "i4")], align=True)

SPEC = GameSpec(
    name="tug",
    title="Tug",
    version=0,
    min_players=3,
    max_players=3,
    max_game_length=11,
)


@sizes(
    actions=3, observation=(4,), dtype=np.float32, high=np.inf, decisions=lambda rules: rules.moves
)
class Rules(NamedTuple):
    moves: int
    num_players: int = 3


@njit
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.held[:] = 0
    s.ply = 0


@njit
def current_player(rules, s):
    return s.ply % 3 if s.ply < rules.moves else TERMINAL


@njit
def legal_actions(rules, s, out):
    n = 1 + s.ply % 3
    for action in range(n):
        out[action] = action
    return n


@njit
def step(rules, s, action):
    player = s.ply % 3
    s.held[player] += action + 1
    s.held[(player + 1) % 3] -= action + 1
    s.ply += 1


@njit
def returns(rules, s, out):
    out[:] = s.held


@njit
def observe(rules, s, player, out):
    for k in range(3):
        out[k] = 50 + s.held[(player + k) % 3]
    out[3] = s.ply
