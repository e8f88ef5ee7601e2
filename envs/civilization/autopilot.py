"""Units that go by themselves: to what is unknown, or to the next work in need."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization import troops
from stratagym.envs.civilization.geography import neighbour
from stratagym.envs.civilization.state import AUTO, EXPLORE, IDLE, MOST_UNITS, SENTRY, SIZE_AT
from stratagym.envs.civilization.tables import HILLS, IRRIGATION, MINE, MOUNTAINS, OCEAN, ROAD

HERE, NOWHERE = 8, -1


@njit(cache=True)
def is_open(s, seat, tile):
    """Whether a seat, as far as it knows, can go over a tile."""
    if tile < 0 or not (s.known[tile] >> seat) & 1 or s.terrain[tile] == OCEAN:
        return False
    if s.sight[seat, tile] == 0:
        return (s.seen[seat, tile] >> SIZE_AT) & 31 == 0
    if s.army[tile] >= 0 and s.army[tile] != seat:
        return False
    return s.city_at[tile] < 0 or s.owner[tile] == seat


@njit(cache=True)
def is_edge(rules, s, seat, tile):
    """Whether something next to a tile is unknown to a seat."""
    for direction in range(8):
        near = neighbour(rules, tile, direction)
        if near >= 0 and not (s.known[near] >> seat) & 1:
            return True
    return False


@njit(cache=True)
def work_wanted(rules, s, seat, tile, unit):
    """The work that a tile of a seat is in need of: a mine or irrigation, then a road; or 0."""
    if s.owner[tile] != seat or s.worker[tile] < 0 or s.city_at[tile] >= 0:
        return 0
    if s.terrain[tile] == OCEAN:
        return 0
    work = 0
    if s.terrain[tile] == HILLS or s.terrain[tile] == MOUNTAINS:
        if not s.works[tile] & MINE and troops.can_work(rules, s, seat, tile, 3):
            work = 3
    elif not s.works[tile] & (IRRIGATION | MINE) and troops.can_work(rules, s, seat, tile, 2):
        work = 2
    if work == 0 and not s.works[tile] & ROAD and troops.can_work(rules, s, seat, tile, 1):
        work = 1
    if work and s.army[tile] == seat:
        for other in range(MOST_UNITS):
            if other != unit and s.unit_tile[seat, other] == tile and s.unit_work[seat, other]:
                return 0
    return work


@njit(cache=True)
def search(rules, s, seat, unit, explores):
    """The direction of the first step to the nearest goal, ``HERE``, or ``NOWHERE``.

    Goals are tiles beside something unknown, or tiles in need of work. Breadth first; of tiles at
    the same distance the first found.
    """
    start = np.int64(s.unit_tile[seat, unit])
    s.queue[0] = start
    s.steps[start] = HERE + 1
    head, tail, way = 0, 1, NOWHERE
    while head < tail:
        tile = np.int64(s.queue[head])
        head += 1
        if explores:
            found = is_edge(rules, s, seat, tile)
        else:
            found = work_wanted(rules, s, seat, tile, unit) > 0
        if found:
            way = np.int64(s.steps[tile]) - 1
            break
        for direction in range(8):
            near = neighbour(rules, tile, direction)
            if near >= 0 and s.steps[near] == 0 and is_open(s, seat, near):
                s.steps[near] = direction + 1 if tile == start else s.steps[tile]
                s.queue[tail] = near
                tail += 1
    clear_search(s, tail)
    return way


@njit(cache=True)
def clear_search(s, tail):
    """Leave the scratch of a search over so many tiles as it was, all zeros."""
    for k in range(tail):
        s.steps[s.queue[k]] = 0
        s.queue[k] = 0


@njit(cache=True)
def run(rules, s, seat, unit):
    """Let a unit go by itself while it has moves.

    An explorer without a goal gives up; a worker begins what it finds, and without a goal is a
    sentry. A step that is not allowed ends the order, and the unit is asked again in the next turn.
    """
    while s.unit_moves[seat, unit] > 0 and s.unit_work[seat, unit] == 0:
        order = s.unit_order[seat, unit]
        if order != EXPLORE and order != AUTO:
            return
        direction = search(rules, s, seat, unit, order == EXPLORE)
        if direction == HERE and order == AUTO:
            tile = np.int64(s.unit_tile[seat, unit])
            work = work_wanted(rules, s, seat, tile, unit)
            troops.begin_work(s, seat, unit, work, AUTO)
            return
        if direction == NOWHERE and order == AUTO:
            s.unit_order[seat, unit] = SENTRY
            return
        goal = neighbour(rules, np.int64(s.unit_tile[seat, unit]), direction & 7)
        is_way = 0 <= direction < HERE
        if not is_way or troops.step_kind(rules, s, seat, unit, goal) != troops.STEP:
            s.unit_order[seat, unit] = IDLE
            s.unit_done[seat, unit] = 1
            return
        troops.pay_step(s, seat, unit, goal)
        troops.move_unit(rules, s, seat, unit, goal)
