"""What happens when all orders of a phase are given: moves, retreats, capture, builds, removals."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.diplomacy.adjudication import adjudicate
from stratagym.envs.diplomacy.listing import BUILD_ARMY, MOVE, REMOVE, RETREAT
from stratagym.envs.diplomacy.orders import (
    SOUTH,
    TARGET,
    UNIT,
    order_of,
    put,
    retreat_orders,
)
from stratagym.envs.diplomacy.state import BY_CONVOY, DISLODGED, MOVED, NEWEST
from stratagym.envs.diplomacy.tables import (
    ARMY,
    BUILD_ARMY_AT,
    BUILD_FLEET_AT,
    BUILD_SOUTH_AT,
    CENTRE,
    CENTRE_PROVINCE,
    FLEET,
    HOME,
    MAIN_AREA,
    NUM_AREAS,
    NUM_CENTRES,
    NUM_POWERS,
    NUM_PROVINCES,
    REMOVE_AT,
    TWO_COASTS,
    WAIVE_ACTION,
)


@njit(cache=True)
def set_unit(s, province, kind, owner, coast):
    """Put a unit on the board, which gains its power influence there; kind 0 takes it off.

    ``coast`` is 1 or 2 for a fleet in a province with two coasts, else 0.
    """
    s.unit[province] = kind
    s.owner[province] = owner
    s.area[province] = MAIN_AREA[province] + coast
    if kind:
        s.influence[province] = owner


@njit(cache=True)
def coast_in(order, kind, province, south):
    """The coast for ``set_unit`` of a unit in a province by an order.

    ``south`` is the bit of the order that names the southern coast.
    """
    if kind == ARMY or province < TWO_COASTS:
        return np.int64(0)
    return 1 + (order >> south & 1)


@njit(cache=True)
def shift_orders(s, keep):
    """Make room in ``last`` for the orders of another phase; forget the rest unless ``keep``."""
    for area in range(NUM_AREAS):
        s.last[area, 0] = s.last[area, 1] if keep else 0
        s.last[area, 1] = s.last[area, 2] if keep else 0
        s.last[area, 2] = 0


@njit(cache=True)
def keep_board(s):
    """Write down the board as it is when movement orders are carried out."""
    for province in range(NUM_PROVINCES):
        s.unit_before[province] = s.unit[province]
        s.owner_before[province] = s.owner[province]
        s.area_before[province] = s.area[province]
    for centre in range(NUM_CENTRES):
        s.centre_before[centre] = s.centre_owner[centre]


@njit(cache=True)
def move_units(s, convoy, paradox):
    """Carry out the orders of a movement phase, and disband who has nowhere to retreat to."""
    keep_board(s)
    n = adjudicate(s, convoy, paradox)
    shift_orders(s, False)
    for unit in range(n):
        province = np.int64(s.start[unit])
        kind, owner = np.int64(s.unit[province]), np.int64(s.owner[province])
        action = np.int64(s.order[province])
        s.last[s.area[province], NEWEST] = action + 1
        s.order[province] = -1
        if s.result[province] & DISLODGED:
            s.dislodged_unit[province] = kind
            s.dislodged_owner[province] = owner
            s.dislodged_area[province] = s.area[province]
        elif s.result[province] == MOVED:
            order, target = order_of(action), np.int64(s.target[unit])
            # Until all have left, what arrives waits here.
            s.looks_at[unit] = kind | coast_in(order, kind, target, SOUTH) << 2 | owner << 4
        else:
            continue
        set_unit(s, province, 0, -1, 0)
    for unit in range(n):
        if s.result[s.start[unit]] == MOVED:
            target, arrives = np.int64(s.target[unit]), np.int64(s.looks_at[unit])
            set_unit(s, target, arrives & 3, arrives >> 4, arrives >> 2 & 3)
            if s.dislodged_unit[target]:
                s.attacker[target] = s.start[unit] if s.kind[unit] == MOVE else BY_CONVOY
    for province in range(NUM_PROVINCES):
        if s.dislodged_unit[province] and retreat_orders(s, province, s.drawn, 0) == 1:
            forget_dislodged(s, province)


@njit(cache=True)
def forget_dislodged(s, province):
    """Take a unit away that waits for its retreat."""
    s.dislodged_unit[province] = 0
    s.dislodged_owner[province] = -1
    s.dislodged_area[province] = 0
    s.attacker[province] = -1


@njit(cache=True)
def retreat_units(s):
    """Carry out the retreats; units that retreat to the same province disband."""
    shift_orders(s, True)
    for province in range(NUM_PROVINCES):
        s.at[province] = 0  # how many retreat to a province
    for arriving in range(2):
        for province in range(NUM_PROVINCES):
            kind = np.int64(s.dislodged_unit[province])
            if not kind:
                continue
            action = np.int64(s.order[province])
            order = order_of(action)
            target = order >> TARGET & 127
            is_retreat = order & 255 == RETREAT
            if not arriving:
                s.last[s.dislodged_area[province], NEWEST] = action + 1
                s.at[target] += is_retreat
                continue
            if is_retreat and s.at[target] == 1:
                owner = np.int64(s.dislodged_owner[province])
                set_unit(s, target, kind, owner, coast_in(order, kind, target, SOUTH))
            forget_dislodged(s, province)
            s.order[province] = -1


@njit(cache=True)
def count_assets(s, power):
    """(how many centres a power owns, how many units it has, dislodged ones among them)."""
    centres = units = 0
    for centre in range(NUM_CENTRES):
        centres += s.centre_owner[centre] == power
    for province in range(NUM_PROVINCES):
        units += s.owner[province] == power
        units += s.dislodged_owner[province] == power
    return centres, units


@njit(cache=True)
def capture_centres(s):
    """Give centres to the powers whose units stand in them, and work out what each power owes."""
    for centre in range(NUM_CENTRES):
        province = CENTRE_PROVINCE[centre]
        if s.unit[province]:
            s.centre_owner[centre] = s.owner[province]
    for power in range(NUM_POWERS):
        centres, units = count_assets(s, power)
        s.owed[power] = centres - units


# --- Winter --------------------------------------------------------------------------------------

BUILD, TAKE_OFF, STOP = 1, 2, 4
"""What a power may do next in a Winter; bits."""


@njit(cache=True)
def orderer_in_winter(s, province):
    """The power that has ordered to build or remove a unit in a province; or -1."""
    if s.order[province] < 0:
        return np.int64(-1)
    return np.int64(s.owner[province] if s.unit[province] else HOME[CENTRE[province]])


@njit(cache=True)
def may_build_in(s, power, province):
    """Whether a power may still build in a province: its own home, owned, empty, not built in."""
    centre = np.int64(CENTRE[province])
    if centre < 0 or HOME[centre] != power or s.centre_owner[centre] != power:
        return False
    return s.unit[province] == 0 and s.order[province] < 0


@njit(cache=True)
def choices_in_winter(s, power, is_welfare):
    """What a power may do next: a sum of ``BUILD``, ``TAKE_OFF`` and ``STOP``."""
    builds = removals = units = homes = 0
    for province in range(NUM_PROVINCES):
        if s.order[province] >= 0 and orderer_in_winter(s, province) == power:
            if s.unit[province]:
                removals += 1
            else:
                builds += 1
        units += s.owner[province] == power
        homes += may_build_in(s, power, province)
    left = s.owed[power] - builds + removals
    if is_welfare:
        build = BUILD if removals == 0 and left > 0 and homes else 0
        remove = TAKE_OFF if builds == 0 and removals < units else 0
        return build + remove + (STOP if left >= 0 else 0)
    if s.owed[power] > 0:
        return STOP + (BUILD if left > 0 and homes else 0)
    return TAKE_OFF if left < 0 else 0


@njit(cache=True)
def winter_orders(s, power, is_welfare, out, n):
    """Add what a power may do next in this Winter."""
    choices = choices_in_winter(s, power, is_welfare)
    for province in range(NUM_PROVINCES):
        if choices & TAKE_OFF and s.owner[province] == power and s.order[province] < 0:
            n = put(out, n, np.int64(REMOVE_AT[province]))
        if choices & BUILD and may_build_in(s, power, province):
            n = put(out, n, np.int64(BUILD_ARMY_AT[province]))
            if BUILD_FLEET_AT[province] >= 0:
                n = put(out, n, np.int64(BUILD_FLEET_AT[province]))
            if BUILD_SOUTH_AT[province] >= 0:
                n = put(out, n, np.int64(BUILD_SOUTH_AT[province]))
        if province == 0 and choices & STOP:
            n = put(out, n, np.int64(WAIVE_ACTION))
    return n


@njit(cache=True)
def build_and_remove(s):
    """Carry out the orders of a Winter."""
    shift_orders(s, True)
    for province in range(NUM_PROVINCES):
        action = np.int64(s.order[province])
        if action < 0:
            continue
        s.order[province] = -1
        order = order_of(action)
        if order & 255 == REMOVE:
            s.last[s.area[province], NEWEST] = action + 1
            set_unit(s, province, 0, -1, 0)
        else:
            kind = ARMY if order & 255 == BUILD_ARMY else FLEET
            owner = np.int64(HOME[CENTRE[province]])
            set_unit(s, province, kind, owner, coast_in(order, kind, province, UNIT - 1))
            s.last[s.area[province], NEWEST] = action + 1


@njit(cache=True)
def add_welfare(s):
    """Give each power its welfare points of the year: centres without units."""
    for power in range(NUM_POWERS):
        centres, units = count_assets(s, power)
        s.wp[power] += max(0, centres - units)
