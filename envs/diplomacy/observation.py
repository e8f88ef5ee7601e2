"""What a power sees, as numbers: DeepMind's vector for every area, before and now, and more.

The columns are in the game's page.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.diplomacy import geography
from stratagym.envs.diplomacy.listing import BUILD_ARMY
from stratagym.envs.diplomacy.options import STANDARD
from stratagym.envs.diplomacy.orders import UNIT as UNIT_BITS
from stratagym.envs.diplomacy.orders import order_of
from stratagym.envs.diplomacy.phases import BUILD, TAKE_OFF, choices_in_winter, coast_in
from stratagym.envs.diplomacy.state import WINTER
from stratagym.envs.diplomacy.tables import (
    AREA_PROVINCE,
    ASKED_IN_ORDER,
    CENTRE,
    FLEET,
    HOME,
    MAIN_AREA,
    NUM_AREAS,
    NUM_POWERS,
)

SHAPE = (NUM_AREAS, 109)

UNIT, OWNER, BUILDABLE, REMOVABLE, DISLODGED, DISLODGED_OWNER, KIND, CENTRE_OWNER = (
    0, 3, 11, 12, 13, 16, 24, 27,
)  # fmt: skip
"""First columns of DeepMind's vector of an area, 35 in all."""
BEFORE, LAST, SEASON, BUILDS, REMOVALS, ASKED, PENDING, SEAT, YEAR, WP = (
    35, 70, 73, 78, 85, 92, 93, 94, 101, 102,
)  # fmt: skip
"""First columns of what comes after it."""

_LAND, _SEA, _BICOASTAL = range(3)


def _kind_of_area(area: int) -> int:
    province = geography.PROVINCES[geography.AREA_PROVINCE[area]]
    if province.kind == geography.SEA:
        return _SEA
    return _BICOASTAL if area != geography.MAIN_AREA[geography.AREA_PROVINCE[area]] else _LAND


AREA_KIND = np.array([_kind_of_area(area) for area in range(NUM_AREAS)], np.int8)


@njit(cache=True)
def observe_board(out, first, units, owners, areas, centres):
    """Fill units, owners, kinds of areas and centres of DeepMind's vector, from column ``first``.

    A fleet on a named coast is set in that coast and in the province's main area.
    """
    for area in range(NUM_AREAS):
        province = AREA_PROVINCE[area]
        unit, owner = np.int64(units[province]), np.int64(owners[province])
        if area != MAIN_AREA[province] and area != areas[province]:
            unit, owner = 0, -1
        out[area, first + UNIT + (unit - 1 if unit else 2)] = 1
        out[area, first + OWNER + (owner if owner >= 0 else NUM_POWERS)] = 1
        out[area, first + DISLODGED + 2] = 1
        out[area, first + DISLODGED_OWNER + NUM_POWERS] = 1
        out[area, first + KIND + AREA_KIND[area]] = 1
        centre = CENTRE[province]
        if centre >= 0:
            owner = np.int64(centres[centre])
            out[area, first + CENTRE_OWNER + (owner if owner >= 0 else NUM_POWERS)] = 1


@njit(cache=True)
def observe_waiting(s, out, power):
    """Fill dislodged units, and the power's own orders that wait."""
    for area in range(NUM_AREAS):
        province = AREA_PROVINCE[area]
        kind, owner = np.int64(s.dislodged_unit[province]), np.int64(s.dislodged_owner[province])
        at = np.int64(s.dislodged_area[province] if kind else s.area[province])
        if kind and (area == MAIN_AREA[province] or area == at):
            out[area, DISLODGED + 2] = 0
            out[area, DISLODGED_OWNER + NUM_POWERS] = 0
            out[area, DISLODGED + kind - 1] = 1
            out[area, DISLODGED_OWNER + owner] = 1
        action = np.int64(s.order[province])
        if action < 0:
            continue
        if not kind:
            owner = np.int64(s.owner[province])
            if owner < 0:  # to be built
                owner = np.int64(HOME[CENTRE[province]])
                coast = coast_in(
                    order_of(action), np.int64(FLEET), np.int64(province), UNIT_BITS - 1
                )
                is_army = order_of(action) & 255 == BUILD_ARMY
                at = np.int64(MAIN_AREA[province]) + (0 if is_army else coast)
        if owner == power and area == at:
            out[area, PENDING] = action + 1


@njit(cache=True)
def observe_winter(s, out, power, is_welfare):
    """Fill what may be built and removed as the Winter began, in the areas and by power."""
    choices = choices_in_winter(s, power, is_welfare)
    for area in range(NUM_AREAS):
        for other in range(NUM_POWERS):
            owed = np.int64(s.owed[other])
            out[area, BUILDS + other] = max(owed, 0)
            out[area, REMOVALS + other] = max(-owed, 0)
        province = AREA_PROVINCE[area]
        owner, centre = np.int64(s.owner[province]), CENTRE[province]
        is_free = s.power == power and s.order[province] < 0
        if owner >= 0:
            is_there = area == MAIN_AREA[province] or area == s.area[province]
            if is_there and (s.owed[owner] < 0 or is_welfare):
                out[area, REMOVABLE] = 1
                if choices & TAKE_OFF and is_free and owner == power:
                    out[area, ASKED] = 1
        elif centre >= 0:
            home = np.int64(HOME[centre])
            if home >= 0 and s.centre_owner[centre] == home and s.owed[home] > 0:
                out[area, BUILDABLE] = 1
                if choices & BUILD and is_free and home == power:
                    out[area, ASKED] = 1


@njit(cache=True)
def observe(rules, s, player, out):
    """What a seat sees; other powers' orders of the running phase are not in it."""
    power = player if rules.map == STANDARD else 2 * player  # Austria 0 and France 2
    for area in range(NUM_AREAS):
        for column in range(SHAPE[1]):
            out[area, column] = 0
    observe_board(out, 0, s.unit, s.owner, s.area, s.centre_owner)
    observe_board(out, BEFORE, s.unit_before, s.owner_before, s.area_before, s.centre_before)
    if s.season == WINTER and not s.over:
        observe_winter(s, out, power, rules.welfare)
    elif s.power == power and not s.talk and not s.over:
        out[ASKED_IN_ORDER[rules.unit_order, s.place], ASKED] = 1
    observe_waiting(s, out, power)
    for area in range(NUM_AREAS):
        for k in range(3):
            out[area, LAST + k] = s.last[area, k]
        out[area, SEASON + s.season] = 1
        out[area, SEAT + power] = 1
        out[area, YEAR] = s.year - 1900
        for other in range(NUM_POWERS):
            out[area, WP + other] = s.wp[other]
