"""Units: how they come and go, where they may step, fight and work."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization import combat
from stratagym.envs.civilization.geography import distance, neighbour, row_of, tile_at
from stratagym.envs.civilization.sight import UNIT_SIGHT, close_sight, meet, open_sight
from stratagym.envs.civilization.state import (
    AUTO,
    EXPLORE,
    IDLE,
    MOST_CITIES,
    MOST_UNITS,
    PLACE,
    SEAT_AT,
    SENTRY,
    WORK,
)
from stratagym.envs.civilization.tables import (
    ATTACK,
    EXPLORER,
    FRAGMENTS,
    HIT_POINTS,
    IRRIGATION,
    IS_HORSE,
    MINE,
    MOVE_COST,
    MOVES,
    OCEAN,
    PROMOTION_PERCENT,
    ROAD,
    SETTLERS,
    WORK_TURNS,
    WORKERS,
)
from stratagym.envs.core import random_below, random_unit

NO_STEP, STEP, ASSAULT, CONQUEST = range(4)
"""What moving to a tile comes to."""


@njit(cache=True)
def free_place(s, seat):
    """A free place in a seat's table of units, or -1."""
    for unit in range(MOST_UNITS):
        if s.unit_type[seat, unit] < 0:
            return unit
    return -1


@njit(cache=True)
def clear_unit(s, seat, unit):
    """Leave a place of the table of units empty."""
    s.unit_tile[seat, unit] = -1
    s.unit_born[seat, unit] = 0
    s.unit_type[seat, unit] = -1
    s.unit_home[seat, unit] = -1
    s.unit_hp[seat, unit] = 0
    s.unit_level[seat, unit] = 0
    s.unit_moves[seat, unit] = 0
    s.unit_order[seat, unit] = IDLE
    s.unit_work[seat, unit] = 0
    s.unit_progress[seat, unit] = 0
    s.unit_done[seat, unit] = 0
    s.unit_busy[seat, unit] = 0


@njit(cache=True)
def stand(s, seat, unit, tile):
    """Put a unit on a tile."""
    s.unit_tile[seat, unit] = tile
    s.army[tile] = seat
    s.stack[tile] += 1
    if ATTACK[s.unit_type[seat, unit]] > 0:
        s.guards[tile] += 1


@njit(cache=True)
def leave(s, seat, unit):
    """Take a unit from its tile."""
    tile = np.int64(s.unit_tile[seat, unit])
    s.stack[tile] -= 1
    if ATTACK[s.unit_type[seat, unit]] > 0:
        s.guards[tile] -= 1
    if s.stack[tile] == 0:
        s.army[tile] = -1


@njit(cache=True)
def add_unit(rules, s, seat, kind, tile, home, level):
    """A new unit with all its moves, on a tile; returns its place, -1 if there is none."""
    unit = free_place(s, seat)
    if unit < 0:
        return -1
    clear_unit(s, seat, unit)
    s.unit_type[seat, unit] = kind
    s.unit_home[seat, unit] = home
    s.unit_hp[seat, unit] = HIT_POINTS[kind]
    s.unit_level[seat, unit] = level
    s.unit_moves[seat, unit] = FRAGMENTS * MOVES[kind]
    s.unit_born[seat, unit] = s.turn
    stand(s, seat, unit, tile)
    open_sight(rules, s, seat, tile, UNIT_SIGHT)
    meet(rules, s, seat, tile)
    return unit


@njit(cache=True)
def remove_unit(rules, s, seat, unit):
    """A unit is gone."""
    tile = np.int64(s.unit_tile[seat, unit])
    leave(s, seat, unit)
    clear_unit(s, seat, unit)
    close_sight(rules, s, seat, tile, UNIT_SIGHT)


@njit(cache=True)
def move_unit(rules, s, seat, unit, tile):
    """Put a unit on another tile, whatever that takes."""
    before = np.int64(s.unit_tile[seat, unit])
    leave(s, seat, unit)
    stand(s, seat, unit, tile)
    open_sight(rules, s, seat, tile, UNIT_SIGHT)
    close_sight(rules, s, seat, before, UNIT_SIGHT)
    meet(rules, s, seat, tile)


@njit(cache=True)
def at_peace(s, seat, other):
    """Whether two seats are at peace."""
    return (s.peace[seat] >> other) & 1 == 1


# --- steps ---------------------------------------------------------------------------------------


@njit(cache=True)
def is_held_up(rules, s, seat, tile, goal):
    """Whether a military unit at war with a seat stands next to both tiles (zone of control)."""
    for direction in range(8):
        near = neighbour(rules, tile, direction)
        if near >= 0 and s.guards[near] > 0 and near != goal:
            army = np.int64(s.army[near])
            if army != seat and not at_peace(s, seat, army) and distance(rules, near, goal) == 1:
                return True
    return False


@njit(cache=True)
def step_kind(rules, s, seat, unit, goal):
    """What moving a unit to a tile next to it comes to: one of ``NO_STEP`` and so on."""
    if goal < 0 or s.terrain[goal] == OCEAN:
        return NO_STEP
    tile = np.int64(s.unit_tile[seat, unit])
    fights = ATTACK[s.unit_type[seat, unit]] > 0
    army = np.int64(s.army[goal])
    there = np.int64(s.city_at[goal])
    town = there >> SEAT_AT if there >= 0 else -1
    if army >= 0 and army != seat:
        return ASSAULT if fights and not at_peace(s, seat, army) else NO_STEP
    if town >= 0 and town != seat:
        if not fights or at_peace(s, seat, town):
            return NO_STEP
        if s.city_size[town, there & PLACE] > 1 and count_cities(s, seat) == MOST_CITIES:
            return NO_STEP
        return CONQUEST
    if town == seat:
        return STEP
    owner = np.int64(s.owner[goal])
    if (
        fights
        and owner >= 0
        and owner != seat
        and at_peace(s, seat, owner)
        and s.owner[tile] != owner
    ):
        return NO_STEP
    return NO_STEP if is_held_up(rules, s, seat, tile, goal) else STEP


@njit(cache=True)
def count_cities(s, seat):
    """How many cities a seat has."""
    count = 0
    for city in range(MOST_CITIES):
        count += s.city_tile[seat, city] >= 0
    return count


@njit(cache=True)
def pay_step(s, seat, unit, goal):
    """Take what a step to a tile costs from a unit's moves: all there are, if it costs more."""
    tile = np.int64(s.unit_tile[seat, unit])
    cost = FRAGMENTS * MOVE_COST[s.terrain[goal]]
    if s.unit_type[seat, unit] == EXPLORER or (s.works[tile] & s.works[goal] & ROAD):
        cost = 1
    s.unit_moves[seat, unit] = max(0, s.unit_moves[seat, unit] - cost)
    s.unit_busy[seat, unit] = 1


@njit(cache=True)
def promote(s, seat, unit):
    """A winner may rise one veteran level."""
    level = np.int64(s.unit_level[seat, unit])
    if random_below(s, 100) < PROMOTION_PERCENT[level]:
        s.unit_level[seat, unit] = level + 1


@njit(cache=True)
def assault(rules, s, seat, unit, goal):
    """A unit attacks the foreign units of a tile."""
    horse = IS_HORSE[s.unit_type[seat, unit]]
    army = np.int64(s.army[goal])
    other = combat.best_defender(s, goal, horse)
    attack = combat.attack_strength(s, seat, unit)
    chance = attack / (attack + combat.defence_strength(s, army, other, horse))
    own, theirs = np.int64(s.unit_hp[seat, unit]), np.int64(s.unit_hp[army, other])
    while own > 0 and theirs > 0:
        if random_unit(s) < chance:
            theirs -= 1
        else:
            own -= 1
    if own == 0:
        s.unit_hp[army, other] = theirs
        interrupt(s, army, other)
        s.unit_busy[army, other] = 1
        promote(s, army, other)
        s.units_lost[seat] += 1
        s.units_killed[army] += 1
        remove_unit(rules, s, seat, unit)
        return
    s.unit_hp[seat, unit] = own
    s.unit_moves[seat, unit] = max(0, s.unit_moves[seat, unit] - FRAGMENTS)
    s.unit_busy[seat, unit] = 1
    promote(s, seat, unit)
    for k in range(MOST_UNITS):
        if s.unit_tile[army, k] == goal and (k == other or s.city_at[goal] < 0):
            s.units_lost[army] += 1
            s.units_killed[seat] += 1
            remove_unit(rules, s, army, k)


@njit(cache=True)
def interrupt(s, seat, unit):
    """A unit gives up a standing order of several turns."""
    order = s.unit_order[seat, unit]
    if order == WORK or order == EXPLORE or order == AUTO or order == SENTRY:
        s.unit_order[seat, unit] = IDLE
        s.unit_work[seat, unit] = 0
        s.unit_progress[seat, unit] = 0


@njit(cache=True)
def wake_up(rules, s, seat):
    """At the start of a seat's turn: units leave their orders where others are near.

    A sentry for a foreign unit next to it; one that works, explores or goes by itself for a
    military unit at war with it, in sight within two tiles.
    """
    for unit in range(MOST_UNITS):
        order = s.unit_order[seat, unit]
        if s.unit_type[seat, unit] < 0 or order < SENTRY:
            continue
        tile = np.int64(s.unit_tile[seat, unit])
        y = row_of(rules, tile)
        x = tile - y * rules.width
        reach = 1 if order == SENTRY else 2
        for dy in range(-reach, reach + 1):
            for dx in range(-reach, reach + 1):
                near = tile_at(rules, x + dx, y + dy)
                if near < 0 or s.sight[seat, near] == 0:
                    continue
                army = np.int64(s.army[near])
                if (
                    army >= 0
                    and army != seat
                    and (order == SENTRY or (s.guards[near] > 0 and not at_peace(s, seat, army)))
                ):
                    interrupt(s, seat, unit)


# --- works ---------------------------------------------------------------------------------------


@njit(cache=True)
def has_water(rules, s, seat, tile):
    """Whether a seat sees water for a tile to its north, east, south or west."""
    for direction in range(0, 8, 2):
        near = neighbour(rules, tile, direction)
        if (
            near >= 0
            and s.sight[seat, near] > 0
            and (s.terrain[near] == OCEAN or s.works[near] & IRRIGATION or s.city_at[near] >= 0)
        ):
            return True
    return False


@njit(cache=True)
def can_work(rules, s, seat, tile, work):
    """Whether a seat's units can make a work (1 road, 2 irrigation, 3 mine) on a tile."""
    if s.city_at[tile] >= 0 or WORK_TURNS[work - 1, s.terrain[tile]] == 0:
        return False
    if s.works[tile] & (1 << (work - 1)):
        return False
    if s.owner[tile] >= 0 and s.owner[tile] != seat:
        return False
    return work != 2 or has_water(rules, s, seat, tile)


@njit(cache=True)
def begin_work(s, seat, unit, work, order):
    """A unit begins a work where it stands."""
    s.unit_order[seat, unit] = order
    s.unit_work[seat, unit] = work
    s.unit_progress[seat, unit] = 0


@njit(cache=True)
def go_on_working(s, seat):
    """The works of a seat's units go on by a turn; several units on a tile add up."""
    for unit in range(MOST_UNITS):
        if s.unit_type[seat, unit] >= 0 and s.unit_work[seat, unit]:
            s.unit_progress[seat, unit] += 1
    for unit in range(MOST_UNITS):
        work = np.int64(s.unit_work[seat, unit])
        if s.unit_type[seat, unit] < 0 or work == 0:
            continue
        tile, total = np.int64(s.unit_tile[seat, unit]), 0
        for other in range(MOST_UNITS):
            if s.unit_tile[seat, other] == tile and s.unit_work[seat, other] == work:
                total += s.unit_progress[seat, other]
        if total >= WORK_TURNS[work - 1, s.terrain[tile]]:
            finish_work(s, seat, tile, work)


@njit(cache=True)
def finish_work(s, seat, tile, work):
    """A work is done: a mine takes irrigation's place and the other way round."""
    if work == 2:
        s.works[tile] &= 0xFF ^ MINE
    elif work == 3:
        s.works[tile] &= 0xFF ^ IRRIGATION
    s.works[tile] |= 1 << (work - 1)
    for unit in range(MOST_UNITS):
        if s.unit_tile[seat, unit] == tile and s.unit_work[seat, unit] == work:
            s.unit_work[seat, unit] = 0
            s.unit_progress[seat, unit] = 0
            if s.unit_order[seat, unit] == WORK:
                s.unit_order[seat, unit] = IDLE


@njit(cache=True)
def pillage(s, tile):
    """One of a tile's works is gone: the mine or the irrigation, else the road."""
    if s.works[tile] & (MINE | IRRIGATION):
        s.works[tile] &= ROAD
    else:
        s.works[tile] = 0


@njit(cache=True)
def can_build_works(kind):
    """Whether units of a type make roads, irrigation and mines."""
    return kind == SETTLERS or kind == WORKERS
