"""What seats see and remember: sight of units and cities, memories of tiles, contact."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization.geography import row_of, tile_at
from stratagym.envs.civilization.state import (
    ARMY_AT,
    COUNT_AT,
    MOST_COUNTED,
    MOST_UNITS,
    OWNER_AT,
    PLACE,
    SEAT_AT,
    SIZE_AT,
    TYPE_AT,
    WALLS_AT,
)
from stratagym.envs.civilization.tables import CITY_WALLS, DEFENCE

UNIT_SIGHT, CITY_SIGHT = 2, 5
"""Squares of the radius that units and cities see (Freeciv's vision_radius_sq)."""


@njit(cache=True)
def best_by_type(s, tile):
    """(type of the unit with the most defence and hit points on a tile, how many units there)."""
    army = np.int64(s.army[tile])
    most, kind, count = -1, 0, 0
    for unit in range(MOST_UNITS):
        if s.unit_tile[army, unit] == tile and s.unit_type[army, unit] >= 0:
            count += 1
            strength = DEFENCE[s.unit_type[army, unit]] * np.int64(s.unit_hp[army, unit])
            if strength > most:
                most, kind = strength, np.int64(s.unit_type[army, unit])
    return kind, count


@njit(cache=True)
def as_it_is(s, seat, tile):
    """A tile as a seat that sees it would remember it; its own units and cities left out."""
    found = np.int64(s.works[tile]) | (np.int64(s.owner[tile]) + 1) << OWNER_AT
    there = np.int64(s.city_at[tile])
    if there >= 0 and there >> SEAT_AT != seat:
        owner, place = there >> SEAT_AT, there & PLACE
        found |= np.int64(s.city_size[owner, place]) << SIZE_AT
        found |= ((np.int64(s.city_built[owner, place]) >> CITY_WALLS) & 1) << WALLS_AT
    army = np.int64(s.army[tile])
    if army >= 0 and army != seat:
        kind, count = best_by_type(s, tile)
        found |= (army + 1) << ARMY_AT | kind << TYPE_AT | min(count, MOST_COUNTED) << COUNT_AT
    return found


@njit(cache=True)
def memory(s, seat, tile):
    """What a seat knows of a tile: as it is if it sees it, else as it was last seen."""
    if s.sight[seat, tile] > 0:
        return as_it_is(s, seat, tile)
    return np.int64(s.seen[seat, tile])


@njit(cache=True)
def open_sight(rules, s, seat, tile, radius):
    """A unit or city of a seat begins to look from a tile."""
    y = row_of(rules, tile)
    x = tile - y * rules.width
    reach = 2 if radius > 2 else 1
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            if dx * dx + dy * dy <= radius:
                near = tile_at(rules, x + dx, y + dy)
                if near >= 0:
                    s.sight[seat, near] += 1
                    s.known[near] |= 1 << seat
                    s.seen[seat, near] = 0


@njit(cache=True)
def close_sight(rules, s, seat, tile, radius):
    """A unit or city of a seat ceases to look from a tile; what nobody sees now is remembered."""
    y = row_of(rules, tile)
    x = tile - y * rules.width
    reach = 2 if radius > 2 else 1
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            if dx * dx + dy * dy <= radius:
                near = tile_at(rules, x + dx, y + dy)
                if near >= 0:
                    s.sight[seat, near] -= 1
                    if s.sight[seat, near] == 0:
                        s.seen[seat, near] = as_it_is(s, seat, near)


@njit(cache=True)
def meet(rules, s, seat, tile):
    """A seat has come to a tile: contact with all whose units or cities are next to it."""
    y = row_of(rules, tile)
    x = tile - y * rules.width
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            near = tile_at(rules, x + dx, y + dy)
            if near >= 0:
                other = np.int64(s.army[near])
                if s.city_at[near] >= 0:
                    other = np.int64(s.city_at[near]) >> SEAT_AT
                if other >= 0 and other != seat:
                    s.contact[seat] |= 1 << other
                    s.contact[other] |= 1 << seat
