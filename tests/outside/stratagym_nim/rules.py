"""The rules of Nim on heaps of 3, 4 and 5 stones, as kernel functions."""

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, seed_rng

HEAPS = (3, 4, 5)
STATE = np.dtype([("rng", "u8"), ("heaps", "i1", (3,)), ("player", "i1")], align=True)


class Rules(NamedTuple):
    last_wins: bool
    num_players: int = 2

    num_actions = 15
    observation_shape = (3,)
    observation_dtype = np.int8
    observation_high = 5
    max_game_length = sum(HEAPS)


def make_rules(last: str) -> Rules:
    return Rules(last_wins=last == "wins")


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    for heap in range(3):
        s.heaps[heap] = HEAPS[heap]
    s.player = 0


@njit(cache=True)
def current_player(rules, s):
    return s.player if s.heaps[0] | s.heaps[1] | s.heaps[2] else TERMINAL


@njit(cache=True)
def legal_actions(rules, s, out):
    n = 0
    for heap in range(3):
        for stones in range(s.heaps[heap]):
            out[n] = 5 * heap + stones
            n += 1
    return n


@njit(cache=True)
def step(rules, s, action):
    s.heaps[action // 5] -= action % 5 + 1
    s.player = 1 - s.player


@njit(cache=True)
def returns(rules, s, out):
    out[0] = 0.0
    if current_player(rules, s) == TERMINAL:
        # After the last move the turn has passed on from whoever took the last stone.
        out[0] = 1.0 if (s.player == 1) == rules.last_wins else -1.0
    out[1] = 0.0 - out[0]


@njit(cache=True)
def observe(rules, s, player, out):
    for heap in range(3):
        out[heap] = s.heaps[heap]
