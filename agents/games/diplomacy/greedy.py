"""A player that walks to the nearest centre it does not own, and supports nobody."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.diplomacy.plans import (
    BESIDE,
    BESIDE_AT,
    GOAL,
    PLAN,
    UNDECIDED,
    WORK,
    competition,
    count_near,
    drawn_below,
    hold_action,
    move_action,
)
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy.listing import BUILD_ARMY, DISBAND, REMOVE, RETREAT, WAIVE, steps
from stratagym.envs.diplomacy.orders import SOUTH, TARGET, UNIT, order_of
from stratagym.envs.diplomacy.state import FALL, SPRING
from stratagym.envs.diplomacy.tables import (
    AREA_PROVINCE,
    ARMY,
    CENTRE_PROVINCE,
    FLEET,
    MAIN_AREA,
    NUM_AREAS,
    NUM_CENTRES,
    NUM_PROVINCES,
    TWO_COASTS,
)

FAR = 99


def _distances(steps: tuple[tuple[tuple[int, ...], ...], ...]) -> np.ndarray:
    """(81, 75) int8: steps from an area to a province, with whatever kinds of steps are given."""
    found = np.full((NUM_AREAS, NUM_PROVINCES), FAR, np.int8)
    for start in range(NUM_AREAS):
        reached, n = {start}, 0
        while reached:
            for area in reached:
                province = g.AREA_PROVINCE[area]
                found[start, province] = min(int(found[start, province]), n)
            n += 1
            beside = {to for kind in steps for area in reached for to in kind[area]}
            reached = {to for to in beside if found[start, g.AREA_PROVINCE[to]] > n}
    return found


APART = np.stack([_distances((g.ARMY_TO,)), _distances((g.FLEET_TO,))])
"""(2, 81, 75) int8: steps of an army and a fleet from an area to a province, or ``FAR``."""


def _any_steps() -> np.ndarray:
    """(75, 75) int8: steps between provinces, by land or by sea."""
    found = np.full((NUM_PROVINCES, NUM_PROVINCES), FAR, np.int8)
    beside = [{g.AREA_PROVINCE[to] for to in steps(p)} for p in range(NUM_PROVINCES)]
    for start in range(NUM_PROVINCES):
        reached, n = {start}, 0
        while reached:
            found[start, list(reached)] = n
            n += 1
            reached = {q for p in reached for q in beside[p] if found[start, q] == FAR}
    return found


STEPS_APART = _any_steps()


@njit(cache=True)
def nearest_goal(s, power, kind, area, memory):
    """(steps, province) of the nearest centre not owned that no other unit of the power goes to."""
    least, goal = np.int64(FAR), np.int64(-1)
    for centre in range(NUM_CENTRES):
        province = np.int64(CENTRE_PROVINCE[centre])
        if s.centre_owner[centre] == power or memory[GOAL + province] != UNDECIDED:
            continue
        steps = np.int64(APART[kind - 1, area, province])
        if steps < least:
            least, goal = steps, province
    return least, goal


@njit(cache=True)
def plan_moves(s, power, seed, memory):
    """Write ``PLAN``: a movement order for every unit of a power."""
    count_near(s, memory)
    n = np.int64(0)
    for province in range(NUM_PROVINCES):
        memory[GOAL + province] = UNDECIDED
        if s.owner[province] == power:
            k = drawn_below(seed, n, n + 1)
            memory[WORK + n] = memory[WORK + k]
            memory[WORK + k] = province
            n += 1
    for at in range(n):
        province = memory[WORK + at]
        kind, area = np.int64(s.unit[province]), np.int64(s.area[province])
        memory[PLAN + province] = hold_action(province)
        if _is_attacked_centre(s, power, province, memory):
            continue
        steps, goal = nearest_goal(s, power, kind, area, memory)
        if goal < 0:
            continue
        memory[GOAL + goal] = province
        if steps:
            step = _first_step(kind, area, goal, steps)
            memory[PLAN + province] = move_action(province, step, np.int64(AREA_PROVINCE[step]))
    return n


@njit(cache=True)
def _is_attacked_centre(s, power, province, memory):
    """Whether a unit stands in an own centre that another power's can move to."""
    for centre in range(NUM_CENTRES):
        if CENTRE_PROVINCE[centre] == province and s.centre_owner[centre] == power:
            return competition(memory, power, province) > 0
    return False


@njit(cache=True)
def _first_step(kind, area, goal, steps):
    """An area beside one from which the goal is a step less away."""
    node = NUM_AREAS * (kind - 1) + area
    for row in range(BESIDE_AT[node], BESIDE_AT[node + 1]):
        for k in range(2):
            to = np.int64(BESIDE[row, k]) % NUM_AREAS
            if AREA_PROVINCE[to] == goal or APART[kind - 1, to, goal] == steps - 1:
                return to
    return area


@njit(cache=True)
def choose(s, power, legal, n, seed, memory):
    """The action of the unit that is asked; outside movement one as near as possible to a goal."""
    if (s.season == SPRING or s.season == FALL) and not s.talk:
        plan_moves(s, power, seed, memory)
        return memory[PLAN + (order_of(np.int64(legal[0])) >> UNIT & 127)]
    for province in range(NUM_PROVINCES):
        memory[GOAL + province] = UNDECIDED
    best, action = np.int64(-1), np.int64(legal[0])
    for k in range(n):
        order = order_of(np.int64(legal[k]))
        verb, province = order & 255, order >> UNIT & 127
        kind, area = np.int64(s.unit[province]), np.int64(s.area[province])
        if verb == WAIVE or verb == DISBAND:
            continue
        if verb == RETREAT:
            kind, target = np.int64(s.dislodged_unit[province]), order >> TARGET & 127
            area = np.int64(MAIN_AREA[target])
            if kind == FLEET and target >= TWO_COASTS:
                area += 1 + (order >> SOUTH & 1)
        elif verb != REMOVE:
            kind = np.int64(ARMY if verb == BUILD_ARMY else FLEET)
            area = np.int64(MAIN_AREA[province])
            if kind == FLEET and province >= TWO_COASTS:
                area += 1 + (order >> (UNIT - 1) & 1)
        steps, _ = nearest_goal(s, power, kind, area, memory)
        worth = steps if verb == REMOVE else FAR - steps
        if worth > best:
            best, action = worth, np.int64(legal[k])
    return action
