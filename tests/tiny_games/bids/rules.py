"""Rules of sealed bids. Action ``k``: k coins for the next item, of ``BUDGET`` a round."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, random_below, seed_rng, sizes

SEATS, ITEMS, BUDGET, HIGHEST = 4, 3, 6, 4
VALUES = (2.0, 3.0, 5.0)

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("round", "i2"),
        ("seat", "i2"),
        ("item", "i2"),  # the next that the seat bids for
        ("bids", "i2", (SEATS, ITEMS)),  # of the running round
        ("last", "i2", (SEATS, ITEMS)),  # of the round before
        ("gained", "f8", (SEATS,)),
    ],
    align=True,
)


@sizes(
    actions=HIGHEST + 1,
    observation=(2 + ITEMS + SEATS * ITEMS,),
    decisions=lambda rules: rules.rounds * rules.num_players * ITEMS,
    dtype=np.float32,
    high=100,
)
class Rules(NamedTuple):
    rounds: int
    num_players: int


def make_rules(players: int, rounds: int) -> Rules:
    return Rules(rounds, players)


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.round = 0
    s.seat = 0
    s.item = 0
    s.bids[:] = 0
    s.last[:] = 0
    s.gained[:] = 0


@njit(cache=True)
def current_player(rules, s):
    return s.seat if s.round < rules.rounds else TERMINAL


@njit(cache=True)
def turn(rules, s):
    return s.round


@njit(cache=True)
def _left(s, seat, items):
    left = BUDGET
    for item in range(items):
        left -= s.bids[seat, item]
    return left


@njit(cache=True)
def legal_actions(rules, s, out):
    n = min(HIGHEST, _left(s, s.seat, s.item)) + 1
    for coins in range(n):
        out[coins] = coins
    return n


@njit(cache=True)
def step(rules, s, action):
    s.bids[s.seat, s.item] = action
    s.item += 1
    if s.item < ITEMS:
        return
    s.item = 0
    s.seat += 1
    if s.seat < rules.num_players:
        return
    for item in range(ITEMS):
        best, who = 0, -1
        for seat in range(rules.num_players):
            bid = s.bids[seat, item]
            if bid > best:
                best, who = bid, seat
            elif bid == best:
                who = -1
        if who >= 0:
            s.gained[who] += VALUES[item] - best
    for seat in range(SEATS):
        for item in range(ITEMS):
            s.last[seat, item] = s.bids[seat, item]
            s.bids[seat, item] = 0
    s.seat = 0
    s.round += 1


@njit(cache=True)
def returns(rules, s, out):
    for seat in range(rules.num_players):
        out[seat] = s.gained[seat]


@njit(cache=True)
def observe(rules, s, player, out):
    out[:] = 0
    out[0] = s.round
    out[1] = player
    for item in range(ITEMS):
        out[2 + item] = s.bids[player, item]
        for seat in range(SEATS):
            out[2 + ITEMS + seat * ITEMS + item] = s.last[seat, item]


@njit(cache=True)
def determinize(rules, s, player):
    for seat in range(min(s.seat, rules.num_players)):
        if seat != player:
            for item in range(ITEMS):
                most = min(HIGHEST, _left(s, seat, item))
                s.bids[seat, item] = random_below(s, most + 1)
