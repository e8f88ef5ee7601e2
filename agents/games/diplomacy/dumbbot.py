"""DumbBot, David Norman's player of Diplomacy: values of provinces, and a walk down the best.

Every province is worth something for being attacked or defended; that spreads to its neighbours in
rounds, and units go where it is much. Units that would stand in each other's way support each other
instead. The constants are those of the algorithm's published description; there are no convoys.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.diplomacy.plans import (
    BESIDE,
    BESIDE_AT,
    COMING,
    GOAL,
    MEMORY,
    NEAR,
    NOBODY,
    NODES,
    PLAN,
    UNDECIDED,
    VALUE,
    WAITED,
    WORK,
    competition,
    count_near,
    drawn_below,
    drawn_unit,
    hold_action,
    move_action,
    support_action,
)
from stratagym.envs.diplomacy.listing import (
    BUILD_ARMY,
    DISBAND,
    REMOVE,
    RETREAT,
    WAIVE,
)
from stratagym.envs.diplomacy.orders import SOUTH, TARGET, UNIT, order_of
from stratagym.envs.diplomacy.state import MOST_UNITS, SPRING, SPRING_RETREATS, WINTER
from stratagym.envs.diplomacy.tables import (
    AREA_PROVINCE,
    ARMY,
    CENTRE,
    FLEET,
    MAIN_AREA,
    NUM_AREAS,
    NUM_CENTRES,
    NUM_POWERS,
    NUM_PROVINCES,
    TWO_COASTS,
)

_ROUNDS = 10
SPRING_WEIGHTS = np.array([100, 1000, 30, 10, 6, 5, 4, 3, 2, 1])
FALL_WEIGHTS = np.array([1000, 100, 30, 10, 6, 5, 4, 3, 2, 1])
"""What a node is worth, by how many steps away it is that something is to be had."""
_SPRING_ATTACK, _SPRING_DEFENCE, _FALL_ATTACK, _FALL_DEFENCE = 700, 300, 600, 400
_STRENGTH = _COMPETITION = _WINTER_DEFENCE = 1000
_NEXT_SHARE, _LOSS = 0.5, 5.0
"""The next candidate is taken half of the time, and less by five times what it loses, in shares."""


_NEW = WORK + NODES
_SIZE = _NEW + NODES
_QUEUE = _SIZE + NUM_POWERS + 1
_CANDIDATE = _QUEUE + NUM_CENTRES + 1
_GAIN = _CANDIDATE + MOST_UNITS
assert _GAIN + MOST_UNITS <= MEMORY


@njit(cache=True)
def _worth(s, memory, power, province, attack, defence):
    """What a province is worth, and whom it is to be defended from: (worth, defence value)."""
    centre = np.int64(CENTRE[province])
    if centre < 0:
        return np.int64(0), np.int64(0)
    owner = np.int64(s.centre_owner[centre])
    if owner != power:
        return attack * memory[_SIZE + (owner if owner >= 0 else NUM_POWERS)], np.int64(0)
    threat = np.int64(0)
    for other in range(NUM_POWERS):
        near = memory[NEAR + NUM_PROVINCES * other + province]
        if other != power and near - (s.owner[province] == other) > 0:
            threat = max(threat, memory[_SIZE + other])
    return defence * threat, threat


@njit(cache=True)
def value_nodes(s, power, memory):
    """Write ``NEAR`` and the ``VALUE`` of every node for a power in this phase."""
    count_near(s, memory)
    for k in range(NUM_POWERS + 1):
        memory[_SIZE + k] = 0
    for centre in range(NUM_CENTRES):
        owner = np.int64(s.centre_owner[centre])
        memory[_SIZE + (owner if owner >= 0 else NUM_POWERS)] += 1
    for k in range(NUM_POWERS + 1):
        n = memory[_SIZE + k]
        memory[_SIZE + k] = n * n + 4 * n + 16
    season = s.season
    is_spring = season == SPRING or season == SPRING_RETREATS
    attack, defence = _SPRING_ATTACK, _SPRING_DEFENCE
    if not is_spring and season != WINTER:
        attack, defence = _FALL_ATTACK, _FALL_DEFENCE
    row = NEAR + NUM_PROVINCES * power
    old, new = np.int64(WORK), np.int64(_NEW)
    for area in range(NUM_AREAS):
        province = np.int64(AREA_PROVINCE[area])
        worth, threat = _worth(s, memory, power, province, attack, defence)
        extra = _WINTER_DEFENCE * threat
        if season != WINTER:
            extra = _STRENGTH * memory[row + province]
            extra -= _COMPETITION * competition(memory, power, province)
        for kind in range(2):
            node = NUM_AREAS * kind + area
            memory[VALUE + node] = extra
            memory[old + node] = worth
    for k in range(_ROUNDS):
        weight = SPRING_WEIGHTS[k] if is_spring else FALL_WEIGHTS[k]
        for node in range(NODES):
            memory[VALUE + node] += weight * memory[old + node]
            total = memory[old + node]
            for row in range(BESIDE_AT[node], BESIDE_AT[node + 1]):
                total += max(memory[old + BESIDE[row, 0]], memory[old + BESIDE[row, 1]])
            memory[new + node] = total // 5
        old, new = new, old


# --- the walk ------------------------------------------------------------------------------------


@njit(cache=True)
def add_candidate(memory, m, candidate, gain):
    """Put a candidate in its place among ``m``, the best first; returns how many there are."""
    k = m
    while k > 0 and memory[_GAIN + k - 1] < gain:
        memory[_GAIN + k] = memory[_GAIN + k - 1]
        memory[_CANDIDATE + k] = memory[_CANDIDATE + k - 1]
        k -= 1
    memory[_GAIN + k] = gain
    memory[_CANDIDATE + k] = candidate
    return m + 1


@njit(cache=True)
def walk(memory, m, seed, draw):
    """The place of the candidate at which a walk down ``m`` of them stops."""
    k = 0
    while k + 1 < m:
        here, there = memory[_GAIN + k], memory[_GAIN + k + 1]
        loss = (here - there) / max(abs(here), 1)
        if drawn_unit(seed, draw + k) >= _NEXT_SHARE * (1.0 - min(1.0, _LOSS * loss)):
            break
        k += 1
    return k


@njit(cache=True)
def _drop(memory, m, k):
    """Take candidate ``k`` out of ``m``; returns how many are left."""
    for later in range(k, m - 1):
        memory[_GAIN + later] = memory[_GAIN + later + 1]
        memory[_CANDIDATE + later] = memory[_CANDIDATE + later + 1]
    return m - 1


# --- movement ------------------------------------------------------------------------------------


@njit(cache=True)
def _plan_unit(s, power, province, seed, draw, memory):
    """Plan one unit's order; returns the province of an own unit that has to be planned first.

    That is -1 if the order is planned; nobody waits twice. Draws are numbered from ``draw`` on.
    """
    may_wait = memory[GOAL + province] == UNDECIDED
    kind, area = np.int64(s.unit[province] - 1), np.int64(s.area[province])
    node, m = NUM_AREAS * kind + area, np.int64(0)
    m = add_candidate(memory, m, node, memory[VALUE + node] + 1)
    for row in range(BESIDE_AT[node], BESIDE_AT[node + 1]):
        to = np.int64(BESIDE[row, 0])
        m = add_candidate(memory, m, to, memory[VALUE + to])
        if BESIDE[row, 1] != to:
            to = np.int64(BESIDE[row, 1])
            m = add_candidate(memory, m, to, memory[VALUE + to])
    while True:
        k = walk(memory, m, seed, draw)
        draw += 32
        goal = memory[_CANDIDATE + k] % NUM_AREAS
        there = np.int64(AREA_PROVINCE[goal])
        if there == province:
            memory[GOAL + province] = province
            memory[PLAN + province] = hold_action(province)
            return -1
        rivals = competition(memory, power, there)
        helped = np.int64(-1)
        if s.owner[there] == power and memory[GOAL + there] < 0:
            if may_wait:
                return there
            m = _drop(memory, m, k)
            continue
        if s.owner[there] == power and memory[GOAL + there] == there:
            helped = there if rivals > 1 else np.int64(-2)
        elif s.owner[there] == power and memory[GOAL + there] == province:
            helped = np.int64(-2)  # they cannot change places
        else:
            other = memory[COMING + there]
            if other >= 0:
                helped = other if rivals > 0 else np.int64(-2)
        if helped == -2:
            m = _drop(memory, m, k)
            continue
        if helped == -1:
            memory[GOAL + province] = there
            memory[COMING + there] = province
            memory[PLAN + province] = move_action(province, goal, there)
        else:
            memory[GOAL + province] = province
            memory[PLAN + province] = support_action(province, there, helped)
        return -1


@njit(cache=True)
def _use_holds(s, power, memory):
    """Let units that hold support the best own move or unit beside them that may need it."""
    for province in range(NUM_PROVINCES):
        if s.owner[province] != power or memory[PLAN + province] != hold_action(province):
            continue
        kind, area = np.int64(s.unit[province] - 1), np.int64(s.area[province])
        best, action = np.int64(0), np.int64(-1)
        node = NUM_AREAS * kind + area
        for row in range(BESIDE_AT[node], BESIDE_AT[node + 1]):
            there = np.int64(AREA_PROVINCE[BESIDE[row, 0] % NUM_AREAS])
            rivals = competition(memory, power, there)
            other = memory[COMING + there]
            helped = other if other >= 0 and other != province and rivals > 0 else np.int64(-1)
            if s.owner[there] == power and memory[GOAL + there] == there and rivals > 1:
                helped = there
            if helped >= 0:
                node = NUM_AREAS * np.int64(s.unit[helped] - 1) + np.int64(MAIN_AREA[there])
                if action < 0 or memory[VALUE + node] > best:
                    best = memory[VALUE + node]
                    action = support_action(province, there, helped)
        if action >= 0:
            memory[PLAN + province] = action


@njit(cache=True)
def plan_moves(s, power, seed, memory):
    """Write ``PLAN``: a movement order for every unit of a power. Returns how many units it has."""
    value_nodes(s, power, memory)
    n = np.int64(0)
    for province in range(NUM_PROVINCES):
        memory[GOAL + province] = UNDECIDED
        memory[COMING + province] = NOBODY
        if s.owner[province] == power:
            k = drawn_below(seed, n, n + 1)
            memory[_QUEUE + n] = memory[_QUEUE + k]
            memory[_QUEUE + k] = province
            n += 1
    at, draw = np.int64(0), np.int64(64)
    while at < n:
        province = memory[_QUEUE + at]
        first = _plan_unit(s, power, province, seed, draw, memory)
        draw += 1024
        if first < 0:
            at += 1
            continue
        memory[GOAL + province] = WAITED
        # The other unit takes this place, and this one the next, where it waits no more.
        last = at
        while memory[_QUEUE + last] != first:
            last += 1
        for k in range(last, at, -1):
            memory[_QUEUE + k] = memory[_QUEUE + k - 1]
        memory[_QUEUE + at] = first
    _use_holds(s, power, memory)
    return n


# --- retreats and Winter -------------------------------------------------------------------------


@njit(cache=True)
def _is_taken(s, power, target):
    """Whether another unit of the power has been ordered to retreat to a province."""
    for province in range(NUM_PROVINCES):
        if s.dislodged_owner[province] == power and s.order[province] >= 0:
            order = order_of(np.int64(s.order[province]))
            if order & 255 == RETREAT and order >> TARGET & 127 == target:
                return True
    return False


@njit(cache=True)
def choose_other(s, power, legal, n, seed, memory):
    """An action outside movement: a retreat, a build or a removal."""
    value_nodes(s, power, memory)
    m = np.int64(0)
    for k in range(n):
        action = np.int64(legal[k])
        order = order_of(action)
        kind, province = order & 255, order >> UNIT & 127
        if kind == DISBAND or kind == WAIVE:
            continue
        if kind == RETREAT:
            target, unit = order >> TARGET & 127, np.int64(s.dislodged_unit[province])
            if _is_taken(s, power, target):
                continue
            area = np.int64(MAIN_AREA[target])
            if target >= TWO_COASTS and unit == FLEET:
                area += 1 + (order >> SOUTH & 1)
        elif kind == REMOVE:
            unit, area = np.int64(s.unit[province]), np.int64(s.area[province])
        else:
            unit = np.int64(ARMY if kind == BUILD_ARMY else FLEET)
            area = np.int64(MAIN_AREA[province])
            if unit == FLEET and province >= TWO_COASTS:
                area += 1 + (order >> (UNIT - 1) & 1)
        gain = memory[VALUE + NUM_AREAS * (unit - 1) + area]
        m = add_candidate(memory, m, action, -gain if kind == REMOVE else gain)
    if m == 0:
        return np.int64(legal[0])
    return memory[_CANDIDATE + walk(memory, m, seed, np.int64(s.done))]
