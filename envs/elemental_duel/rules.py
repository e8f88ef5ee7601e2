"""The rules of the elemental duel as kernel functions: plans of fighters, fought out at once.

Actions: 0-2 the next fighter's element, of the side's own three, then 3-8 three skills of it, in
the order of the element's list, three times; ``KEEP`` and ``VOID``. The twelfth action completes a
plan.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.envs import sealed
from stratagym.envs.core import sizes
from stratagym.envs.elemental_duel.fight import SLOTS, SWORDS, TAKEN
from stratagym.envs.elemental_duel.fight import simulate as simulate
from stratagym.envs.elemental_duel.tables import CHEAPEST, CHOSEN, COSTS, FIGHTERS, SKILLS
from stratagym.envs.sealed import current_player as current_player
from stratagym.envs.sealed import determinize as determinize
from stratagym.envs.sealed import is_legal_action as is_legal_action
from stratagym.envs.sealed import legal_actions as legal_actions
from stratagym.envs.sealed import returns as returns
from stratagym.envs.sealed import round_return as round_return
from stratagym.envs.sealed import step as step
from stratagym.envs.sealed import turn as turn

FIRST_SKILL, KEEP, VOID = FIGHTERS, FIGHTERS + SKILLS, FIGHTERS + SKILLS + 1
NUM_ACTIONS = VOID + 1
PER_FIGHTER = 1 + CHOSEN
PLAN_LENGTH = FIGHTERS * PER_FIGHTER
MAX_EVENTS = 4_096
BUDGETS = (20, 20)
PLANE = FIGHTERS * (FIGHTERS + SKILLS * CHOSEN)
"""Numbers of one plan in an observation."""

STATE = np.dtype(
    [
        *sealed.FIELDS,  # ``n`` counts micro-actions
        ("plan", "i2", (2, FIGHTERS, PER_FIGHTER)),  # own element, three skills of it, from 0
        ("last_plan", "i2", (2, FIGHTERS, PER_FIGHTER)),
        # The duel: see ``fight``.
        ("fighters", "i4", (SLOTS, TAKEN + 1)),
        ("statuses", "i4", (SLOTS, SWORDS + 1, 2)),
        ("now", "i4"),
        ("clock", "i4"),
    ],
    align=True,
)


@sizes(
    actions=NUM_ACTIONS,
    observation=(2 * PLANE + 11,),
    decisions=lambda rules: 2 * PLAN_LENGTH * rules.rounds,
    dtype=np.float32,
    low=-1,
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        rounds .. own_catalogue: see ``sealed.COMMON``. weakest: whether skills aim at the enemy
            with the least HP. fear_self: whether fear_whisper protects who uses it. rounds_off:
            whether core_rebound does nothing where its share of what is stored is below 1.
    """

    rounds: int
    both: int
    first: int
    loses: int
    released: int
    attacker_budget: int
    defender_budget: int
    own_catalogue: int
    weakest: int
    fear_self: int
    rounds_off: int
    num_players: int = 2


def make_rules(target: str, fear: str, rebound: str, **given: Any) -> Rules:
    """Rules from the options as people write them; see the package's docstring."""
    return Rules(
        **sealed.common(given, BUDGETS, BUDGETS),
        weakest=int(target == "weakest"),
        fear_self=int(fear == "self"),
        rounds_off=int(rebound == "nothing"),
    )


@njit(cache=True)
def reset(rules, s, seed):
    sealed.reset_rounds(rules, s, seed)
    s.now = 0
    s.clock = 0
    for f in range(SLOTS):
        for field in range(TAKEN + 1):
            s.fighters[f, field] = 0
        for status in range(SWORDS + 1):
            s.statuses[f, status, 0] = 0
            s.statuses[f, status, 1] = 0


# --- plans ---------------------------------------------------------------------------------------


@njit(cache=True)
def is_allowed(rules, s, seat, action):
    """Whether ``seat``, which is committing, may play an action, any of 0 .. ``VOID``."""
    n = np.int64(s.n[seat])
    fighter, at = n // PER_FIGHTER, n % PER_FIGHTER
    if action == KEEP:
        return sealed.can_keep(rules, s, seat)
    if action == VOID:
        return sealed.can_void(rules, s, seat)
    if action < FIRST_SKILL:
        if at > 0:
            return False
        for k in range(fighter):
            if s.plan[seat, k, 0] == action:
                return False
        return True
    if at == 0:
        return False
    skill = action - FIRST_SKILL
    for k in range(1, at):
        if s.plan[seat, fighter, k] == skill:
            return False
    return sealed.can_pay(rules, s, seat, cheapest_with(rules, s, seat, fighter, at, skill))


@njit(cache=True)
def cheapest_with(rules, s, seat, fighter, at, skill):
    """The least that a plan costs from here on with ``skill`` next: itself and the cheapest."""
    cost = COSTS[rules.released, skill] + CHEAPEST[rules.released, CHOSEN] * (
        FIGHTERS - 1 - fighter
    )
    missing = CHOSEN - at
    for other in range(SKILLS):  # the cheaper ones come first
        if missing == 0:
            break
        used = other == skill
        for k in range(1, at):
            used |= s.plan[seat, fighter, k] == other
        if not used:
            cost += COSTS[rules.released, other]
            missing -= 1
    return cost


@njit(cache=True)
def last_action(rules):
    return VOID


@njit(cache=True)
def take(rules, s, seat, action):
    if action == KEEP:
        return sealed.take_keep(rules, s, seat)
    if action == VOID:
        return sealed.take_void(rules, s, seat)
    n = np.int64(s.n[seat])
    fighter, at = n // PER_FIGHTER, n % PER_FIGHTER
    if action < FIRST_SKILL:
        s.plan[seat, fighter, at] = action
    else:
        s.plan[seat, fighter, at] = action - FIRST_SKILL
        sealed.pay(rules, s, seat, COSTS[rules.released, action - FIRST_SKILL])
    s.n[seat] += 1
    return n + 1 == PLAN_LENGTH


@njit(cache=True)
def clear_plan(rules, s, seat):
    for fighter in range(FIGHTERS):
        for at in range(PER_FIGHTER):
            s.plan[seat, fighter, at] = 0


@njit(cache=True)
def store_plan(rules, s, seat):
    for fighter in range(FIGHTERS):
        for at in range(PER_FIGHTER):
            s.last_plan[seat, fighter, at] = s.plan[seat, fighter, at]


@njit(cache=True)
def recall_plan(rules, s, seat):
    for fighter in range(FIGHTERS):
        for at in range(PER_FIGHTER):
            s.plan[seat, fighter, at] = s.last_plan[seat, fighter, at]


# --- what a seat sees ----------------------------------------------------------------------------


@njit(cache=True)
def observe(rules, s, player, out):
    """The own plan, the other's last plan, and eleven numbers; see the package's docstring."""
    for k in range(2 * PLANE + 11):
        out[k] = 0
    other, wide = 1 - player, FIGHTERS + SKILLS * CHOSEN
    last = sealed.shows_last(rules, s, player)
    for k in range(s.last_n[player] if last else s.n[player]):
        fighter, at = k // PER_FIGHTER, k % PER_FIGHTER
        value = s.last_plan[player, fighter, at] if last else s.plan[player, fighter, at]
        place = value if at == 0 else FIGHTERS + CHOSEN * value + at - 1
        out[wide * fighter + place] = 1
    for k in range(s.last_n[other]):
        fighter, at = k // PER_FIGHTER, k % PER_FIGHTER
        value = s.last_plan[other, fighter, at]
        place = value if at == 0 else FIGHTERS + CHOSEN * value + at - 1
        out[PLANE + wide * fighter + place] = 1
    at = 2 * PLANE
    out[at] = sealed.shown_budget_left(rules, s, player)
    # What is to be chosen next, by a seat that is to plan.
    n = 0 if last else np.int64(s.n[player])
    planning = s.round < rules.rounds and sealed.commits(rules, s.round, player)
    if planning and n < PLAN_LENGTH:
        out[at + 1 + n // PER_FIGHTER] = 1
        out[at + 4 + n % PER_FIGHTER] = 1
    out[at + 8] = s.round / rules.rounds
    out[at + 9] = sealed.last_result(s, player)
    out[at + 10] = player
