"""Rules of catch. Actions: 0 stay, 1 left, 2 right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, random_below, seed_rng, sizes

LANES, FALL = 5, 4
STAY, LEFT, RIGHT = 0, 1, 2

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("tick", "i2"),
        ("seat", "i1"),
        ("lane", "i1", (2,)),
        ("committed", "i1"),  # what seat 0 does in this tick
        ("ball", "i1"),
        ("points", "i2", (2,)),
    ],
    align=True,
)


@sizes(actions=3, observation=(5,), decisions=lambda rules: 2 * rules.ticks, high=100)
class Rules(NamedTuple):
    ticks: int
    tick_ms: int = 500
    num_players: int = 2


def make_rules(ticks: int, tick_ms: int) -> Rules:
    return Rules(ticks, tick_ms)


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.tick = 0
    s.seat = 0
    s.lane[:] = LANES // 2
    s.committed = 0
    s.ball = random_below(s, LANES)
    s.points[:] = 0


@njit(cache=True)
def current_player(rules, s):
    return s.seat if s.tick < rules.ticks else TERMINAL


@njit(cache=True)
def turn(rules, s):
    return s.tick


@njit(cache=True)
def legal_actions(rules, s, out):
    out[0] = STAY
    n = 1
    if s.lane[s.seat] > 0:
        out[n] = LEFT
        n += 1
    if s.lane[s.seat] < LANES - 1:
        out[n] = RIGHT
        n += 1
    return n


@njit(cache=True)
def _move(s, seat, action):
    s.lane[seat] += (action == RIGHT) - (action == LEFT)


@njit(cache=True)
def step(rules, s, action):
    if s.seat == 0:
        s.committed = action
        s.seat = 1
        return
    _move(s, 0, s.committed)
    _move(s, 1, action)
    s.seat = 0
    s.committed = 0
    s.tick += 1
    if s.tick % FALL == 0:
        for seat in range(2):
            s.points[seat] += s.lane[seat] == s.ball
        s.ball = random_below(s, LANES)


@njit(cache=True)
def returns(rules, s, out):
    out[0] = s.points[0]
    out[1] = s.points[1]


@njit(cache=True)
def observe(rules, s, player, out):
    out[0] = s.lane[player]
    out[1] = s.lane[1 - player]
    out[2] = s.ball
    out[3] = s.tick % FALL
    out[4] = s.points[player]


@njit(cache=True)
def determinize(rules, s, player):
    if player == 1:
        s.committed = STAY
