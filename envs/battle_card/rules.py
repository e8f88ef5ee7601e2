"""The rules of battle card as kernel functions: plans of units and priorities, fought out at once.

Actions: ``k`` buys the side's own unit ``k`` bronze, ``11 + k`` gold, ``22 + k`` appends the
enemy's unit ``k`` to the priorities; then ``KEEP``, ``DONE`` and ``VOID``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.envs import sealed
from stratagym.envs.battle_card.battle import MOST_UNITS, SLOTS, SPARE
from stratagym.envs.battle_card.battle import simulate as simulate
from stratagym.envs.battle_card.tables import GOLD_COST, NAMES, NUMBERS, UNITS
from stratagym.envs.core import sizes
from stratagym.envs.sealed import current_player as current_player
from stratagym.envs.sealed import determinize as determinize
from stratagym.envs.sealed import is_legal_action as is_legal_action
from stratagym.envs.sealed import legal_actions as legal_actions
from stratagym.envs.sealed import returns as returns
from stratagym.envs.sealed import round_return as round_return
from stratagym.envs.sealed import step as step
from stratagym.envs.sealed import turn as turn

GOLDEN, PREFER, KEEP, DONE, VOID = UNITS, 2 * UNITS, 3 * UNITS, 3 * UNITS + 1, 3 * UNITS + 2
NUM_ACTIONS = VOID + 1
MAX_EVENTS = 16_384
BUDGETS, RELEASED_BUDGETS = (20, 16), (20, 20)
PLANE = MOST_UNITS * 2 * UNITS + UNITS
"""Numbers of one plan in an observation."""

STATE = np.dtype(
    [
        *sealed.FIELDS,
        ("plan", "i2", (2, MOST_UNITS, 2)),  # unit, whether gold; from left to right
        ("priority", "i2", (2, UNITS)),  # enemy units, the first first
        ("priority_n", "i2", (2,)),
        ("last_plan", "i2", (2, MOST_UNITS, 2)),
        ("last_priority", "i2", (2, UNITS)),
        ("last_priority_n", "i2", (2,)),
        # The battle: see ``battle``.
        ("units", "i2", (2, SLOTS, SPARE + 1)),
        ("ranks", "i2", (2, len(NAMES))),  # of enemy kinds in the priorities
        ("count", "i2", (2,)),
        ("joined", "i2", (2,)),
        ("living", "i2", (2,)),
        ("clock", "i4"),
    ],
    align=True,
)


@sizes(
    actions=NUM_ACTIONS,
    observation=(2 * PLANE + 6,),
    decisions=lambda rules: 2 * (MOST_UNITS + UNITS + 1) * rules.rounds,
    dtype=np.float32,
    low=-1,
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        rounds .. own_catalogue: see ``sealed.COMMON``. elements: whether elements count.
        once: whether a bandit leader's excess goes on to one target only.
        burn_hits: whether a shield takes what burning costs, and is gone.
    """

    rounds: int
    both: int
    first: int
    loses: int
    released: int
    attacker_budget: int
    defender_budget: int
    own_catalogue: int
    elements: int
    once: int
    burn_hits: int
    num_players: int = 2


def make_rules(elements: str, excess: str, burn: str, **given: Any) -> Rules:
    """Rules from the options as people write them; see the package's docstring."""
    return Rules(
        **sealed.common(given, BUDGETS, RELEASED_BUDGETS),
        elements=int(elements == "on"),
        once=int(excess == "once"),
        burn_hits=int(burn == "shield"),
    )


@njit(cache=True)
def reset(rules, s, seed):
    sealed.reset_rounds(rules, s, seed)
    s.clock = 0
    for side in range(2):
        s.count[side] = 0
        s.joined[side] = 0
        s.living[side] = 0
        for k in range(SLOTS):
            for field in range(SPARE + 1):
                s.units[side, k, field] = 0
        for kind in range(2 * UNITS + 2):
            s.ranks[side, kind] = 0


@njit(cache=True)
def cost_of(rules, seat, unit, gold):
    """What a unit of a side costs."""
    cost = NUMBERS[rules.released, UNITS * seat + unit, 0]
    return cost * GOLD_COST if gold else cost


# --- plans ---------------------------------------------------------------------------------------


@njit(cache=True)
def is_allowed(rules, s, seat, action):
    """Whether ``seat``, which is committing, may play an action, any of 0 .. ``VOID``."""
    if action < PREFER:
        cost = cost_of(rules, seat, action % UNITS, action >= GOLDEN)
        return s.n[seat] < MOST_UNITS and sealed.can_pay(rules, s, seat, cost)
    if action < KEEP:
        for rank in range(s.priority_n[seat]):
            if s.priority[seat, rank] == action - PREFER:
                return False
        return True
    if action == KEEP:
        return sealed.can_keep(rules, s, seat)
    if action == DONE:
        return s.n[seat] > 0
    return sealed.can_void(rules, s, seat)


@njit(cache=True)
def last_action(rules):
    return VOID


@njit(cache=True)
def take(rules, s, seat, action):
    if action < PREFER:
        unit, gold = action % UNITS, action >= GOLDEN
        s.plan[seat, s.n[seat], 0] = unit
        s.plan[seat, s.n[seat], 1] = gold
        s.n[seat] += 1
        sealed.pay(rules, s, seat, cost_of(rules, seat, unit, gold))
        return False
    if action < KEEP:
        s.priority[seat, s.priority_n[seat]] = action - PREFER
        s.priority_n[seat] += 1
        return False
    if action == KEEP:
        return sealed.take_keep(rules, s, seat)
    if action == VOID:
        return sealed.take_void(rules, s, seat)
    return True


@njit(cache=True)
def clear_plan(rules, s, seat):
    for k in range(MOST_UNITS):
        s.plan[seat, k, 0] = 0
        s.plan[seat, k, 1] = 0
    for rank in range(UNITS):
        s.priority[seat, rank] = 0
    s.priority_n[seat] = 0


@njit(cache=True)
def store_plan(rules, s, seat):
    for k in range(MOST_UNITS):
        s.last_plan[seat, k, 0] = s.plan[seat, k, 0]
        s.last_plan[seat, k, 1] = s.plan[seat, k, 1]
    for rank in range(UNITS):
        s.last_priority[seat, rank] = s.priority[seat, rank]
    s.last_priority_n[seat] = s.priority_n[seat]


@njit(cache=True)
def recall_plan(rules, s, seat):
    for k in range(MOST_UNITS):
        s.plan[seat, k, 0] = s.last_plan[seat, k, 0]
        s.plan[seat, k, 1] = s.last_plan[seat, k, 1]
    for rank in range(UNITS):
        s.priority[seat, rank] = s.last_priority[seat, rank]
    s.priority_n[seat] = s.last_priority_n[seat]


# --- what a seat sees ----------------------------------------------------------------------------


@njit(cache=True)
def observe(rules, s, player, out):
    """The own plan, the other's last plan, and six numbers; see the package's docstring."""
    for k in range(2 * PLANE + 6):
        out[k] = 0
    other = 1 - player
    last = sealed.shows_last(rules, s, player)
    entries = s.last_n[player] if last else s.n[player]
    for k in range(entries):
        unit = s.last_plan[player, k, 0] if last else s.plan[player, k, 0]
        gold = s.last_plan[player, k, 1] if last else s.plan[player, k, 1]
        out[2 * UNITS * k + UNITS * gold + unit] = 1
    at = MOST_UNITS * 2 * UNITS
    for rank in range(s.last_priority_n[player] if last else s.priority_n[player]):
        unit = s.last_priority[player, rank] if last else s.priority[player, rank]
        out[at + unit] = (rank + 1) / UNITS
    for k in range(s.last_n[other]):
        at = PLANE + 2 * UNITS * k + UNITS * s.last_plan[other, k, 1]
        out[at + s.last_plan[other, k, 0]] = 1
    at = PLANE + MOST_UNITS * 2 * UNITS
    for rank in range(s.last_priority_n[other]):
        out[at + s.last_priority[other, rank]] = (rank + 1) / UNITS
    at = 2 * PLANE
    out[at] = sealed.shown_budget_left(rules, s, player)
    out[at + 1] = entries / MOST_UNITS
    out[at + 2] = s.round / rules.rounds
    out[at + 3] = sealed.last_result(s, player)
    out[at + 4] = player
    out[at + 5] = s.round > 0
