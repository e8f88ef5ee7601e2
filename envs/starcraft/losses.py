"""What a step of a fight takes from a side, and what Batteries give back."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from stratagym.envs.starcraft.economy import is_powered, place_of_jobs, region_of
from stratagym.envs.starcraft.forces import clear_squad
from stratagym.envs.starcraft.state import (
    CHANGING,
    ENERGY,
    FIRST_GATEWAY,
    FREE,
    GATEWAYS,
    NO_JOB,
    SITES,
    SQUADS,
)
from stratagym.envs.starcraft.tables import (
    BASES,
    BATTERY,
    BLINK,
    CANNON,
    CANNON_TYPE,
    FIRST_RESEARCH,
    GATEWAY,
    HIGH_TEMPLAR,
    IS_FIGHTER,
    NEXUS,
    PROBE,
    PYLON,
    SENTRY,
    STALKER,
    STRUCTURES,
    TOUGHNESS,
    UNITS,
    WARP_GATE,
)

BATTERY_STEP, BATTERY_ENERGY = 18.0, 6 * ENERGY
BLINK_SAVES = 0.85
PROBE_TOUGHNESS = 40.0
BUILDING = UNITS + PYLON
"""The place in ``n`` of the structure that is hit; all take damage alike."""


@njit(cache=True)
def base_in(seat, region):
    """The number of a seat's base in a region, or -1."""
    base = region_of(seat, region)
    return base if base < BASES else -1


@njit(cache=True)
def next_structure(s, seat, base):
    """(kind, whether it is finished) of the structure that is hit next; -1 if there is none.

    Finished ones first, by number, a Nexus last; Cannons and Batteries that are finished are no
    structures here.
    """
    for kind in range(STRUCTURES):
        if kind != NEXUS and kind != CANNON and kind != BATTERY and s.built[seat, base, kind] > 0:
            return kind, True
    least = STRUCTURES
    for k in range(SITES):
        if s.site[seat, k] > 0 and s.walk[seat, k] == 0 and s.site_base[seat, k] == base:
            kind = np.int64(s.site[seat, k]) - 1
            if kind < least and kind != NEXUS:
                least = kind
    if least < STRUCTURES:
        return least, False
    if s.built[seat, base, NEXUS] > 0:
        return NEXUS, True
    for k in range(SITES):
        if s.site[seat, k] == NEXUS + 1 and s.walk[seat, k] == 0 and s.site_base[seat, k] == base:
            return NEXUS, False
    return -1, False


@njit(cache=True)
def suffer(s, seat, region):
    """Take ``loss`` from what stands in a region."""
    base, other = base_in(seat, region), 1 - seat
    if s.research[seat, BLINK] == 2:
        s.loss[seat, STALKER] *= BLINK_SAVES
    for k in range(SQUADS):
        if s.order[seat, k] != FREE and s.left[seat, k] == 0 and s.region[seat, k] == region:
            s.squad_hit[seat, k] = s.tick
    for unit in range(1, UNITS):
        if s.n[seat, unit] > 0:
            _hurt_units(s, seat, region, unit)
    if base < 0:
        return
    s.base_hit[seat, base] = s.tick
    if s.loss[seat, PROBE] > 0:
        s.wound[seat] += s.loss[seat, PROBE]
        died = min(np.int64(s.wound[seat] / PROBE_TOUGHNESS), np.int64(s.workers[seat, base]))
        if died > 0:
            s.restless = 1
            s.wound[seat] = min(s.wound[seat] - died * PROBE_TOUGHNESS, PROBE_TOUGHNESS - 1)
            s.probes[seat] -= died
            s.workers[seat, base] -= died
            s.known[other, PROBE] = max(s.known[other, PROBE] - died, np.int64(0))
    for place in range(2):
        kind = CANNON if place == 0 else BATTERY
        lost = s.loss[seat, UNITS + kind]
        if s.built[seat, base, kind] > 0 and lost > 0:
            s.pool[seat, base, place] = max(s.pool[seat, base, place] - lost, 0.0)
            now = np.int64(math.ceil(s.pool[seat, base, place] / TOUGHNESS[UNITS + kind]))
            if now < s.built[seat, base, kind]:
                s.restless = 1
                s.built[seat, base, kind] = now
                if kind == BATTERY:
                    s.battery[seat, base] = min(s.battery[seat, base], 100 * ENERGY * now)
    kind, is_finished = next_structure(s, seat, base)
    if kind >= 0 and s.loss[seat, BUILDING] > 0:
        s.damage[seat, base] += s.loss[seat, BUILDING]
        if s.damage[seat, base] >= TOUGHNESS[UNITS + kind]:
            s.damage[seat, base] = 0.0
            s.restless = 1
            if is_finished:
                fall(s, seat, base, kind)
            else:
                _stop_building(s, seat, base, kind)
    if s.built[seat, base, BATTERY] > 0 and is_powered(s, seat):
        _mend(s, seat, region, base)


@njit(cache=True)
def _hurt_units(s, seat, region, unit):
    """Take the loss of a type from the squads in a region, in the order of their places."""
    lost, other = s.loss[seat, unit], 1 - seat
    for k in range(SQUADS):
        if lost <= 0:
            return
        if s.order[seat, k] == FREE or s.left[seat, k] > 0 or s.region[seat, k] != region:
            continue
        before = np.int64(s.count[seat, k, unit])
        if before == 0:
            continue
        taken = min(lost, s.life[seat, k, unit])
        lost -= taken
        s.life[seat, k, unit] -= taken
        now = np.int64(math.ceil(s.life[seat, k, unit] / TOUGHNESS[unit]))
        if now < before:
            s.restless = 1
            s.count[seat, k, unit] = now
            what = 0 if unit == SENTRY else 1 if unit == HIGH_TEMPLAR else -1
            if what >= 0:
                s.charge[seat, k, what] = s.charge[seat, k, what] * now // before
            s.known[other, unit] = max(s.known[other, unit] - (before - now), np.int64(0))
            if _is_empty(s, seat, k):
                clear_squad(s, seat, k)


@njit(cache=True)
def _is_empty(s, seat, k):
    for unit in range(1, UNITS):
        if s.count[seat, k, unit] > 0:
            return False
    return True


@njit(cache=True)
def _mend(s, seat, region, base):
    """Let Batteries give toughness back to what is armed, the type with the largest loss first."""
    most = s.built[seat, base, BATTERY] * BATTERY_STEP
    most = min(most, np.float64(s.battery[seat, base] // BATTERY_ENERGY) * BATTERY_STEP)
    given = 0.0
    while most - given > 1e-9:
        best, squad, largest = -1, -1, 1e-9
        for k in range(SQUADS):
            if s.order[seat, k] == FREE or s.left[seat, k] > 0 or s.region[seat, k] != region:
                continue
            for unit in range(1, UNITS):
                if IS_FIGHTER[unit] and s.count[seat, k, unit] > 0:
                    lost = s.count[seat, k, unit] * TOUGHNESS[unit] - s.life[seat, k, unit]
                    if lost > largest:
                        best, squad, largest = unit, k, lost
        lost = s.built[seat, base, CANNON] * TOUGHNESS[CANNON_TYPE] - s.pool[seat, base, 0]
        if lost > largest:
            best, largest = CANNON_TYPE, lost
        if best < 0:
            break
        now = min(largest, most - given)
        if best == CANNON_TYPE:
            s.pool[seat, base, 0] += now
        else:
            s.life[seat, squad, best] += now
        given += now
    steps = np.int64(math.ceil(given / BATTERY_STEP))
    s.battery[seat, base] -= steps * BATTERY_ENERGY


@njit(cache=True)
def fall(s, seat, base, kind):
    """A finished structure is destroyed, and with it what was made in it."""
    s.built[seat, base, kind] -= 1
    if kind == NEXUS:
        _drop_job(s, seat, base)
        s.energy[seat, base] = 0
    elif kind == GATEWAY or kind == WARP_GATE:
        for gate in range(GATEWAYS - 1, -1, -1):
            if gate < s.gates[seat] and s.warp[seat, gate] == (kind == WARP_GATE):
                _drop_place(s, seat, FIRST_GATEWAY + gate, FIRST_GATEWAY + s.gates[seat] - 1)
                last = np.int64(s.gates[seat]) - 1
                s.warp[seat, gate] = s.warp[seat, last]
                s.warp[seat, last] = 0
                s.gates[seat] -= 1
                return
    else:
        first, number = place_of_jobs(kind)
        left = np.int64(s.built[seat, 0, kind])
        if 0 <= left < number:
            _drop_job(s, seat, first + left)


@njit(cache=True)
def _drop_job(s, seat, k):
    what = np.int64(s.job[seat, k])
    if FIRST_RESEARCH < what < CHANGING:
        s.research[seat, what - 1 - FIRST_RESEARCH] = 0
    s.job[seat, k] = NO_JOB
    s.job_left[seat, k] = 0
    s.boost[seat, k] = 0
    s.out[seat, k] = 0


@njit(cache=True)
def _drop_place(s, seat, k, last):
    """Lose a Gateway's job; the last Gateway takes its place."""
    _drop_job(s, seat, k)
    if k != last:
        s.job[seat, k] = s.job[seat, last]
        s.job_left[seat, k] = s.job_left[seat, last]
        s.boost[seat, k] = s.boost[seat, last]
        s.out[seat, k] = s.out[seat, last]
        s.job[seat, last] = NO_JOB
        _drop_job(s, seat, last)


@njit(cache=True)
def _stop_building(s, seat, base, kind):
    """A structure in building is destroyed: the first of its kind at the base."""
    for k in range(SITES):
        if s.site[seat, k] == kind + 1 and s.walk[seat, k] == 0 and s.site_base[seat, k] == base:
            s.site[seat, k] = 0
            s.away[seat, k] = 0
            s.site_left[seat, k] = 0
            return
