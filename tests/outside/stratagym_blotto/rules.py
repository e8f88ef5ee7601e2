"""Rules of Blotto. Actions: 0-2 a company to a place, then ``END``, ``KEEP`` and ``VOID``."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.envs import sealed
from stratagym.envs.core import sizes
from stratagym.envs.sealed import current_player as current_player
from stratagym.envs.sealed import determinize as determinize
from stratagym.envs.sealed import is_legal_action as is_legal_action
from stratagym.envs.sealed import legal_actions as legal_actions
from stratagym.envs.sealed import returns as returns
from stratagym.envs.sealed import round_return as round_return
from stratagym.envs.sealed import step as step
from stratagym.envs.sealed import turn as turn

PLACES, MOST = 3, 6
END, KEEP, VOID = PLACES, PLACES + 1, PLACES + 2
MAX_EVENTS = PLACES
COSTS = np.array([1, 2, 3])
STATE = np.dtype(
    [*sealed.FIELDS, ("plan", "i2", (2, PLACES)), ("last_plan", "i2", (2, PLACES))], align=True
)


@sizes(
    actions=VOID + 1,
    observation=(2 * PLACES + 4,),
    decisions=lambda rules: 2 * (MOST + 1) * rules.rounds,
    dtype=np.float32,
    low=-1,
    high=MOST,
)
class Rules(NamedTuple):
    rounds: int
    both: int
    first: int
    loses: int
    released: int
    attacker_budget: int
    defender_budget: int
    own_catalogue: int
    num_players: int = 2


def make_rules(**given: Any) -> Rules:
    return Rules(**sealed.common(given, (7, 5), (8, 6)))


@njit(cache=True)
def reset(rules, s, seed):
    sealed.reset_rounds(rules, s, seed)


@njit(cache=True)
def is_allowed(rules, s, seat, action):
    if action == KEEP:
        return sealed.can_keep(rules, s, seat)
    if action == VOID:
        return sealed.can_void(rules, s, seat)
    if action == END:
        return s.n[seat] > 0
    return s.n[seat] < MOST and sealed.can_pay(rules, s, seat, COSTS[action])


@njit(cache=True)
def last_action(rules):
    return VOID


@njit(cache=True)
def take(rules, s, seat, action):
    if action == KEEP:
        return sealed.take_keep(rules, s, seat)
    if action == VOID:
        return sealed.take_void(rules, s, seat)
    if action == END:
        return True
    s.plan[seat, action] += 1
    s.n[seat] += 1
    sealed.pay(rules, s, seat, COSTS[action])
    return False


@njit(cache=True)
def clear_plan(rules, s, seat):
    for place in range(PLACES):
        s.plan[seat, place] = 0


@njit(cache=True)
def store_plan(rules, s, seat):
    for place in range(PLACES):
        s.last_plan[seat, place] = s.plan[seat, place]


@njit(cache=True)
def recall_plan(rules, s, seat):
    for place in range(PLACES):
        s.plan[seat, place] = s.last_plan[seat, place]


@njit(cache=True)
def simulate(rules, s, log):
    s.remains[0] = 0
    for place in range(PLACES):
        falls = s.plan[0, place] > s.plan[1, place]
        s.remains[0] += falls
        sealed.note(s, log, place, int(falls), 0, 1, s.plan[0, place], s.plan[1, place])
    s.remains[1] = PLACES - s.remains[0]
    s.ended = 1
    return 1 if s.remains[0] > s.remains[1] else -1


@njit(cache=True)
def observe(rules, s, player, out):
    last = sealed.shows_last(rules, s, player)
    for place in range(PLACES):
        out[place] = s.last_plan[player, place] if last else s.plan[player, place]
        out[PLACES + place] = s.last_plan[1 - player, place]
    out[2 * PLACES] = sealed.shown_budget_left(rules, s, player)
    out[2 * PLACES + 1] = s.round / rules.rounds
    out[2 * PLACES + 2] = sealed.last_result(s, player)
    out[2 * PLACES + 3] = player
