"""What players of Diplomacy have in common: memory, draws, and how orders are looked up.

A player without memory makes a plan for all units of its power at every order, and each time the
same: it draws by its power's ``salt`` and the turn alone. Memory is the end of the array
in which callers list legal actions, so that nothing is allocated.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import lowest
from stratagym.envs.core import mix64
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy.listing import FIRST_COAST
from stratagym.envs.diplomacy.orders import shared_action
from stratagym.envs.diplomacy.tables import (
    HOLD_AT,
    MAIN_AREA,
    NUM_AREAS,
    NUM_POWERS,
    NUM_PROVINCES,
    REACH,
    STEP_AT,
    STEPS,
    TO,
    TO_MOVE,
    TO_MOVE_SOUTH,
    TO_SUPPORT,
    TO_SUPPORT_0,
)

NODES = 2 * NUM_AREAS
"""An army or a fleet in an area: ``NUM_AREAS * (kind - 1) + area``."""
VALUE = 0
"""In memory: the worth of each node."""
NEAR = VALUE + NODES
"""By power and province: how many units of the power are in it or can move to it."""
PLAN = NEAR + NUM_POWERS * NUM_PROVINCES
"""By province: the action planned for the unit there."""
GOAL = PLAN + NUM_PROVINCES
"""By province: where the unit goes; itself if it stays, below 0 until that is decided."""
COMING = GOAL + NUM_PROVINCES
"""By province: that of the own unit that is planned to move there, or ``NOBODY``."""
WORK = COMING + NUM_PROVINCES
"""Room for one function's own."""
MEMORY = WORK + 4 * NODES
FREE_FROM = 2048
"""Where memory begins in an array of legal actions: more than any list of them is long."""
UNDECIDED, WAITED = -1, -2
"""Goals of units without an order; the second of one that has waited for another."""
NOBODY = -1
_ONE = np.uint64(1)


def _beside() -> tuple[np.ndarray, np.ndarray]:
    """Neighbours of nodes: where each one's rows begin; rows of the two coasts of a province, or
    twice its one node."""
    at, rows = [0], []
    for kind, steps in enumerate((g.ARMY_TO, g.FLEET_TO)):
        for area in range(NUM_AREAS):
            by_province: dict[int, list[int]] = {}
            for to in steps[area]:
                by_province.setdefault(g.AREA_PROVINCE[to], []).append(NUM_AREAS * kind + to)
            rows += [(nodes[0], nodes[-1]) for nodes in by_province.values()]
            at.append(len(rows))
    return np.array(at, np.int16), np.array(rows, np.int16)


BESIDE_AT, BESIDE = _beside()


@njit(cache=True)
def plan_seed(s, power, which):
    """What a player draws by in this phase; other powers' and other players' draws differ."""
    turn = np.uint64(s.turn) * np.uint64(8) + np.uint64(which)
    return mix64(s.salt[power] ^ mix64(turn + _ONE))


@njit(cache=True)
def drawn_below(seed, k, n):
    """A uniform number below n (under 2**32): draw number k of a seed."""
    bits = mix64(seed + np.uint64(k + 1) * np.uint64(0x9E3779B97F4A7C15))
    return np.int64(((bits >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit(cache=True)
def drawn_unit(seed, k):
    """A uniform number in [0, 1): draw number k of a seed."""
    bits = mix64(seed + np.uint64(k + 1) * np.uint64(0x9E3779B97F4A7C15))
    return (bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True)
def step_row(province, to):
    """The row of ``STEPS`` of a province beside another."""
    row = np.int64(STEP_AT[province])
    while STEPS[row, TO] != to:
        row += 1
    return row


@njit(cache=True)
def move_action(province, area, to):
    """The action to move from a province to an area beside it; ``to`` is its province."""
    south = area == MAIN_AREA[to] + 2
    return np.int64(STEPS[step_row(province, to), TO_MOVE_SOUTH if south else TO_MOVE])


@njit(cache=True)
def support_action(province, to, third):
    """The action to support the unit in ``third`` in moving to ``to``, or in standing there."""
    if third == to:
        return np.int64(STEPS[step_row(province, to), TO_SUPPORT])
    if third == 0:
        return np.int64(STEPS[step_row(province, to), TO_SUPPORT_0])
    return np.int64(shared_action(province, to, third, False))


@njit(cache=True)
def hold_action(province):
    """The action to hold."""
    return np.int64(HOLD_AT[province])


@njit(cache=True)
def count_near(s, memory):
    """Write ``NEAR``."""
    for k in range(NUM_POWERS * NUM_PROVINCES):
        memory[NEAR + k] = 0
    for province in range(NUM_PROVINCES):
        if not s.unit[province]:
            continue
        row = NEAR + NUM_PROVINCES * np.int64(s.owner[province])
        memory[row + province] += 1
        for word in range(2):
            reached = REACH[s.unit[province] - 1, s.area[province], word]
            while reached:
                memory[row + lowest(reached) + FIRST_COAST * word] += 1
                reached &= reached - _ONE


@njit(cache=True)
def competition(memory, power, province):
    """The most units that any one other power has in a province or beside it."""
    most = np.int64(0)
    for other in range(NUM_POWERS):
        if other != power:
            most = max(most, memory[NEAR + NUM_PROVINCES * other + province])
    return most
