"""Rules of hidden roles. Actions: 0-2 accuse a seat, 3 claim innocence, 4 end, 5-7 vote a seat."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, random_below, seed_rng, sizes

SEATS, ACTS = 3, 2
CLAIM, END, VOTE = 3, 4, 5

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("spy", "i1"),
        ("turn", "i2"),  # speeches made; the votes are one turn
        ("acts", "i1"),  # of the running speech
        ("seat", "i1"),
        ("said", "i1", (SEATS, CLAIM + 1)),  # how often each seat did each act
        ("votes", "i1", (SEATS,)),
        ("over", "i1"),
    ],
    align=True,
)


@sizes(
    actions=VOTE + SEATS,
    observation=(4 + SEATS * (CLAIM + 1),),
    decisions=lambda rules: rules.talks * SEATS * (ACTS + 1) + SEATS,
    high=100,
)
class Rules(NamedTuple):
    talks: int
    num_players: int = SEATS


def make_rules(talks: int) -> Rules:
    return Rules(talks)


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.spy = random_below(s, SEATS)
    s.turn = 0
    s.acts = 0
    s.seat = 0
    s.said[:] = 0
    s.votes[:] = -1
    s.over = 0


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.over else s.seat


@njit(cache=True)
def turn(rules, s):
    return s.turn


@njit(cache=True)
def legal_actions(rules, s, out):
    n = 0
    if s.turn == rules.talks * SEATS:
        for seat in range(SEATS):
            if seat != s.seat:
                out[n] = VOTE + seat
                n += 1
        return n
    if s.acts < ACTS:
        for action in range(END):
            if action != s.seat:
                out[n] = action
                n += 1
    out[n] = END
    return n + 1


@njit(cache=True)
def step(rules, s, action):
    if action >= VOTE:
        s.votes[s.seat] = action - VOTE
        s.seat += 1
        if s.seat == SEATS:
            s.over = 1
            s.turn += 1
    elif action == END:
        s.acts = 0
        s.seat = (s.seat + 1) % SEATS
        s.turn += 1
    else:
        s.said[s.seat, action] += 1
        s.acts += 1


@njit(cache=True)
def returns(rules, s, out):
    out[:] = 0
    if s.over:
        named = 0
        for seat in range(SEATS):
            named += s.votes[seat] == s.spy
        for seat in range(SEATS):
            out[seat] = 1.0 if (seat == s.spy) == (named < 2) else -1.0


@njit(cache=True)
def observe(rules, s, player, out):
    out[0] = s.turn
    out[1] = player
    out[2] = s.spy == player
    out[3] = s.acts
    for seat in range(SEATS):
        for act in range(CLAIM + 1):
            out[4 + seat * (CLAIM + 1) + act] = s.said[seat, act]


@njit(cache=True)
def determinize(rules, s, player):
    if s.spy != player:
        s.spy = (player + 1 + random_below(s, SEATS - 1)) % SEATS
    for seat in range(s.seat):
        if s.votes[seat] >= 0 and seat != player:
            s.votes[seat] = (seat + 1 + random_below(s, SEATS - 1)) % SEATS
