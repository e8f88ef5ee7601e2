"""Where units want to go: sites for cities, cities without defenders, known enemies."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization.autopilot import clear_search, is_open
from stratagym.envs.civilization.geography import column_of, neighbour, row_of, tile_at
from stratagym.envs.civilization.sight import memory
from stratagym.envs.civilization.state import (
    ARMY_AT,
    MOST_CITIES,
    MOST_UNITS,
    OWNER_AT,
    PLACE,
    SIZE_AT,
)
from stratagym.envs.civilization.tables import (
    ATTACK,
    DEFENCE,
    EXTRA_OUTPUT,
    OCEAN,
    OUTPUT,
    SETTLERS,
)

SITE, POST, ENEMY = range(3)
HERE, NOWHERE = 8, -1
FAR = 30


@njit(cache=True)
def other_city(s, seat, tile):
    """The size of another seat's city on a tile, as far as a seat knows."""
    return (memory(s, seat, tile) >> SIZE_AT) & 31


@njit(cache=True)
def could_found(rules, s, seat, tile):
    """Whether a seat takes a tile for one on which it may found a city."""
    owner = ((memory(s, seat, tile) >> OWNER_AT) & 7) - 1
    if owner >= 0 and owner != seat:
        return False
    if s.city_at[tile] >= 0 and s.city_at[tile] >> 4 == seat:
        return False
    for direction in range(8):
        near = neighbour(rules, tile, direction)
        if near >= 0 and (
            other_city(s, seat, near) or (s.owner[near] == seat and s.city_at[near] >= 0)
        ):
            return False
    return True


@njit(cache=True)
def site_worth(rules, s, seat, tile):
    """What the land about a tile would yield a city; land of own cities counts a third."""
    x, y = column_of(rules, tile), row_of(rules, tile)
    total = 0
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            if dx * dx + dy * dy > 5:
                continue
            near = tile_at(rules, x + dx, y + dy)
            if near < 0 or not (s.known[near] >> seat) & 1:
                continue
            owner = ((memory(s, seat, near) >> OWNER_AT) & 7) - 1
            if owner >= 0 and owner != seat:
                continue
            kind = np.int64(s.terrain[near])
            worth = 3 * OUTPUT[kind, 0] + 2 * OUTPUT[kind, 1] + OUTPUT[kind, 2]
            if s.resource[near]:
                k = np.int64(s.resource[near]) - 1
                worth += 2 * EXTRA_OUTPUT[kind, k, 0] + 2 * EXTRA_OUTPUT[kind, k, 1]
                worth += EXTRA_OUTPUT[kind, k, 2]
            total += 3 * worth if owner < 0 else worth
    return total // 3


@njit(cache=True)
def is_taken(s, seat, unit, tile):
    """Whether other Settlers of a seat stand within two tiles of a site and are nearer to it."""
    for other in range(unit):
        if s.unit_type[seat, other] == SETTLERS and s.unit_tile[seat, other] == tile:
            return True
    return False


@njit(cache=True)
def threat(rules, s, seat, tile, reach):
    """The attack of foreign units at war that a seat knows of within a reach of a tile."""
    x, y = column_of(rules, tile), row_of(rules, tile)
    total = 0
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            near = tile_at(rules, x + dx, y + dy)
            if near < 0 or not (s.known[near] >> seat) & 1:
                continue
            if s.sight[seat, near] > 0:
                army = np.int64(s.army[near])
                if army >= 0 and army != seat and not (s.peace[seat] >> army) & 1:
                    for unit in range(MOST_UNITS):
                        if s.unit_tile[army, unit] == near:
                            total += ATTACK[s.unit_type[army, unit]]
    return total


@njit(cache=True)
def garrison(s, seat, tile):
    """The sum of the defence of a seat's fighters on a tile."""
    total = 0
    if s.army[tile] == seat:
        for unit in range(MOST_UNITS):
            if s.unit_tile[seat, unit] == tile and ATTACK[s.unit_type[seat, unit]] > 0:
                total += DEFENCE[s.unit_type[seat, unit]]
    return total


@njit(cache=True)
def needed(rules, s, seat, city, is_wary):
    """The defence that a city wants: that of one unit, and more where enemies are near."""
    if not is_wary:
        return 1
    tile = np.int64(s.city_tile[seat, city])
    return max(1, (2 * threat(rules, s, seat, tile, 3) + 2) // 3)


@njit(cache=True)
def goal_worth(rules, s, seat, unit, tile, goal, is_wary):
    """What a tile is worth as a goal, 0 for nothing; less what the way to it costs later."""
    if goal == SITE:
        if s.sight[seat, tile] > 0 and s.guards[tile] > 0 and s.army[tile] != seat:
            return 0
        if is_taken(s, seat, unit, tile) or not could_found(rules, s, seat, tile):
            return 0
        return site_worth(rules, s, seat, tile)
    there = np.int64(s.city_at[tile])
    if goal == POST:
        if there < 0 or there >> 4 != seat:
            return 0
        lacks = needed(rules, s, seat, there & PLACE, is_wary) - garrison(s, seat, tile)
        return 60 if lacks > 0 else 0
    known = memory(s, seat, tile)
    owner = ((known >> OWNER_AT) & 7) - 1
    if (known >> SIZE_AT) & 31 and owner >= 0 and not (s.peace[seat] >> owner) & 1:
        return 100
    army = ((known >> ARMY_AT) & 7) - 1
    if army >= 0 and s.sight[seat, tile] > 0 and not (s.peace[seat] >> army) & 1:
        return 90 if s.guards[tile] == 0 else 60
    return 0


@njit(cache=True)
def toward(rules, s, seat, unit, goal, is_wary, reach):
    """(direction of the first step to the best goal or ``HERE`` or ``NOWHERE``, its worth).

    Of the tiles within ``reach`` steps that with the highest worth less 3 a step.
    """
    start = np.int64(s.unit_tile[seat, unit])
    s.queue[0] = start
    s.steps[start] = HERE + 1
    head, tail, ring, depth = 0, 1, 1, 0
    best, way = 0, NOWHERE
    while head < tail and depth <= reach:
        if head == ring:
            depth += 1
            ring = tail
        tile = np.int64(s.queue[head])
        head += 1
        worth = goal_worth(rules, s, seat, unit, tile, goal, is_wary)
        if worth > 0:
            worth = max(1, worth - 3 * depth)
            if worth > best:
                best, way = worth, np.int64(s.steps[tile]) - 1
        if tile != start and not is_open(s, seat, tile):
            continue
        for direction in range(8):
            near = neighbour(rules, tile, direction)
            if near < 0 or s.steps[near] or not (s.known[near] >> seat) & 1:
                continue
            if s.terrain[near] != OCEAN and (is_open(s, seat, near) or goal == ENEMY):
                s.steps[near] = direction + 1 if tile == start else s.steps[tile]
                s.queue[tail] = near
                tail += 1
    clear_search(s, tail)
    return way, best


@njit(cache=True)
def lacking(rules, s, seat, is_wary):
    """How many cities of a seat lack a defender."""
    count = 0
    for city in range(MOST_CITIES):
        if s.city_tile[seat, city] >= 0:
            tile = np.int64(s.city_tile[seat, city])
            count += garrison(s, seat, tile) < needed(rules, s, seat, city, is_wary)
    return count
