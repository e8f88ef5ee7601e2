"""Rules of seven powers. Actions: 0 pass, 1 + k power k: announced in the talk, attacked then."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, random_below, seed_rng, sizes

SEATS, PASS, NOBODY = 7, 0, -1

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("turn", "i2"),  # of each year the talk, then the orders
        ("seat", "i1"),
        ("alive", "i1", (SEATS,)),
        ("chosen", "i1", (SEATS,)),  # in the running turn
        ("announced", "i1", (SEATS,)),
        ("attacked", "i1", (SEATS,)),  # last year
    ],
    align=True,
)


@sizes(
    actions=SEATS + 1,
    observation=(2 + 4 * SEATS,),
    decisions=lambda rules: 2 * rules.years * rules.num_players,
    low=-1,
    high=100,
)
class Rules(NamedTuple):
    years: int
    num_players: int


def make_rules(players: int, years: int) -> Rules:
    return Rules(years, players)


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.turn = 0
    s.seat = 0
    s.alive[:] = 0
    s.alive[: rules.num_players] = 1
    s.chosen[:] = PASS
    s.announced[:] = NOBODY
    s.attacked[:] = NOBODY


@njit(cache=True)
def is_over(rules, s):
    return s.turn == 2 * rules.years or s.alive.sum() < 2


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if is_over(rules, s) else s.seat


@njit(cache=True)
def turn(rules, s):
    return s.turn


@njit(cache=True)
def legal_actions(rules, s, out):
    out[0] = PASS
    n = 1
    for seat in range(rules.num_players):
        if s.alive[seat] and seat != s.seat:
            out[n] = 1 + seat
            n += 1
    return n


@njit(cache=True)
def step(rules, s, action):
    s.chosen[s.seat] = action
    for seat in range(s.seat + 1, rules.num_players):
        if s.alive[seat]:
            s.seat = seat
            return
    if s.turn % 2 == 0:
        for seat in range(SEATS):
            s.announced[seat] = s.chosen[seat] - 1
    else:
        for seat in range(SEATS):
            s.attacked[seat] = s.chosen[seat] - 1
            s.announced[seat] = NOBODY
        for seat in range(SEATS):
            attackers = 0
            for other in range(SEATS):
                attackers += s.attacked[other] == seat
            if attackers > 1:
                s.alive[seat] = 0
    s.chosen[:] = PASS
    s.turn += 1
    s.seat = 0
    while s.seat < rules.num_players - 1 and not s.alive[s.seat]:
        s.seat += 1


@njit(cache=True)
def returns(rules, s, out):
    out[:] = 0
    if is_over(rules, s):
        for seat in range(rules.num_players):
            out[seat] = 1.0 if s.alive[seat] else -1.0


@njit(cache=True)
def observe(rules, s, player, out):
    out[0] = s.turn
    out[1] = player
    for seat in range(SEATS):
        out[2 + 4 * seat] = s.alive[seat]
        out[3 + 4 * seat] = s.announced[seat]
        out[4 + 4 * seat] = s.attacked[seat]
        out[5 + 4 * seat] = s.chosen[seat] if seat == player else PASS


@njit(cache=True)
def determinize(rules, s, player):
    living = s.alive.sum()
    for seat in range(s.seat):
        if s.alive[seat] and seat != player:
            drawn = random_below(s, living)  # nobody, or one of the other living
            s.chosen[seat] = PASS
            for other in range(rules.num_players):
                if s.alive[other] and other != seat:
                    drawn -= 1
                    if drawn == 0:
                        s.chosen[seat] = 1 + other
