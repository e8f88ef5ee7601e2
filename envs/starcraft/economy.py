"""Income, supply, structures in building and what buildings work on.

Between two events everything here changes evenly, so that many ticks can pass at once (``glide``);
what has come to its end is carried out tick by tick (``finish``).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.starcraft.state import (
    AT_HOME,
    CHANGING,
    ENERGY,
    FIRST_GATEWAY,
    FIRST_ROBOTICS,
    FIRST_STARGATE,
    FREE,
    GATEWAYS,
    JOB_ARCHIVE,
    JOB_BAY,
    JOB_BEACON,
    JOB_CORE,
    JOB_FORGE,
    JOB_TWILIGHT,
    JOBS,
    MORPHS,
    NEVER,
    NO_JOB,
    ROBOTICS_HALLS,
    SCOUTS_OUT,
    SITES,
    SQUADS,
    STARGATES,
    UNIT_OF_STORE,
)
from stratagym.envs.starcraft.tables import (
    ARCHON,
    ASSIMILATOR,
    BASES,
    BATTERY,
    BATTERY_TYPE,
    CANNON,
    CANNON_TYPE,
    CORE,
    FIRST_RESEARCH,
    FLEET_BEACON,
    FORGE,
    GATEWAY,
    HIGH_TEMPLAR,
    NEXUS,
    PROBE,
    PYLON,
    ROBOTICS,
    ROBOTICS_BAY,
    SCOUTS,
    SENTRY,
    STARGATE,
    SUPPLY,
    TEMPLAR_ARCHIVE,
    TOUGHNESS,
    TWILIGHT,
    UNITS,
    WARP_GATE,
    WARP_GATE_RESEARCH,
    WARP_LOOPS,
    WARP_PRISM,
)

FIRST_TWO, THIRD, GAS_TWO, GAS_THIRD = 58, 20, 61, 41
"""What a Probe brings in a tick, in 1/1344: the first two on a patch, the third, the first two and
the third in an Assimilator."""
PATCHES, FEWER_AFTER = 8, 7200
"""Patches of a base; when so many minerals are mined, half of them are empty."""
BASE_MINERALS, GEYSER_GAS = 10_800, 2250
LEAST_ON_MINERALS = 8
MOST_ENERGY, ENERGY_A_TICK = 200 * ENERGY, 9
BOOST_TICKS, BOOST_COST = 448, 50 * ENERGY
CHANGE_TICKS, WARP_IN = 160, 90
START_SENTRY = 50 * ENERGY
MOST_SUPPLY = 200
FOREVER = 1 << 30


@njit(cache=True)
def region_of(seat, base):
    """The region of a seat's base; likewise a region in the seat's own numbering, and back."""
    return base if seat == 0 else 8 - base


@njit(cache=True)
def rally_base(s, seat):
    """The outermost base with a Nexus, else the main."""
    for base in range(BASES - 1, 0, -1):
        if s.built[seat, base, NEXUS] > 0:
            return base
    return 0


@njit(cache=True)
def finished(s, seat, kind):
    """How many structures of a kind stand."""
    total = np.int64(0)
    for base in range(BASES):
        total += s.built[seat, base, kind]
    return total


@njit(cache=True)
def in_building(s, seat, kind):
    """How many of a kind are ordered and not finished."""
    total = np.int64(0)
    for k in range(SITES):
        total += s.site[seat, k] == kind + 1
    return total


@njit(cache=True)
def probes_away(s, seat):
    total = np.int64(0)
    for k in range(SITES):
        total += s.away[seat, k] > 0
    return total


@njit(cache=True)
def supply_cap(s, seat):
    cap = 15 * finished(s, seat, NEXUS) + 8 * np.int64(s.built[seat, 0, PYLON])
    return min(cap, np.int64(MOST_SUPPLY))


@njit(cache=True)
def alive(s, seat, unit):
    """Units of a kind: in squads, scouting, and Probes."""
    total = np.int64(s.probes[seat]) if unit == PROBE else np.int64(0)
    for k in range(SQUADS):
        total += s.count[seat, k, unit]
    for k in range(SCOUTS_OUT):
        total += s.leg[seat, k] > 0 and SCOUTS[k] == unit
    return total


@njit(cache=True)
def in_training(s, seat, unit):
    """How many of a unit are being made; those of Warp Gates until they stand."""
    total = np.int64(0)
    for k in range(JOBS):
        total += s.job[seat, k] == unit + 1 and s.out[seat, k] == 0
    return total


@njit(cache=True)
def army_supply(s, seat):
    """Supply of all units but Probes."""
    total = np.int64(0)
    for unit in range(1, UNITS):
        total += SUPPLY[unit] * alive(s, seat, unit)
    return total


@njit(cache=True)
def supply_used(s, seat):
    total = np.int64(s.probes[seat]) + (s.leg[seat, 0] > 0)
    for k in range(SQUADS):
        if s.order[seat, k] != FREE:
            for unit in range(1, UNITS):
                total += SUPPLY[unit] * s.count[seat, k, unit]
    for k in range(1, SCOUTS_OUT):
        if s.leg[seat, k] > 0:
            total += SUPPLY[SCOUTS[k]]
    for k in range(JOBS):
        what = s.job[seat, k]
        if NO_JOB < what <= UNITS and s.out[seat, k] == 0:
            total += SUPPLY[what - 1]
    for k in range(MORPHS):
        if s.morph[seat, k] > 0:
            total += SUPPLY[ARCHON]
    return total


@njit(cache=True)
def is_powered(s, seat):
    return s.built[seat, 0, PYLON] > 0


@njit(cache=True)
def place_of_jobs(kind):
    """(first, number) of the places of ``job`` in which a structure works; Gateways are 12."""
    if kind == NEXUS:
        return 0, BASES
    if kind == GATEWAY or kind == WARP_GATE:
        return FIRST_GATEWAY, GATEWAYS
    if kind == ROBOTICS:
        return FIRST_ROBOTICS, ROBOTICS_HALLS
    if kind == STARGATE:
        return FIRST_STARGATE, STARGATES
    if kind == FORGE:
        return JOB_FORGE, 2
    if kind == CORE:
        return JOB_CORE, 1
    if kind == TWILIGHT:
        return JOB_TWILIGHT, 1
    if kind == ROBOTICS_BAY:
        return JOB_BAY, 1
    if kind == TEMPLAR_ARCHIVE:
        return JOB_ARCHIVE, 1
    if kind == FLEET_BEACON:
        return JOB_BEACON, 1
    return JOBS, 0


@njit(cache=True)
def standing_places(s, seat, kind):
    """(first, number) of the places whose building stands; those of Nexus have gaps."""
    first, most = place_of_jobs(kind)
    if kind == NEXUS:
        return first, most
    if kind == GATEWAY or kind == WARP_GATE:
        return first, np.int64(s.gates[seat])
    return first, np.int64(min(most, np.int64(s.built[seat, 0, kind])))


# --- Probes --------------------------------------------------------------------------------------


@njit(cache=True)
def place_probes(s, seat):
    """Send Probes to work, and tell what they bring.

    Three to every finished Assimilator with gas left, as long as eight stay on minerals; then two
    to every patch, base by base; then a third; the others are idle, at the first base.
    """
    free = np.int64(s.probes[seat]) - probes_away(s, seat)
    on_gas, home = np.int64(0), np.int64(-1)
    for base in range(BASES):
        s.workers[seat, base] = 0
        s.patch_rate[seat, base] = 0
        stands = s.built[seat, base, NEXUS] > 0
        if stands and home < 0:
            home = np.int64(base)
        for k in range(2):
            s.geyser_rate[seat, base, k] = 0
            if stands and k < s.built[seat, base, ASSIMILATOR] and s.geysers[seat, base, k] > 0:
                sent = min(np.int64(3), free - LEAST_ON_MINERALS)
                if sent > 0:
                    s.geyser_rate[seat, base, k] = GAS_TWO * min(sent, 2) + GAS_THIRD * (sent == 3)
                    s.workers[seat, base] += sent
                    free -= sent
                    on_gas += sent
    s.on_gas[seat] = on_gas
    for turn in range(2):
        for base in range(BASES):
            left = s.patches[seat, base]
            if s.built[seat, base, NEXUS] == 0 or left <= 0 or free <= 0:
                continue
            full = left > (BASE_MINERALS - FEWER_AFTER) * UNIT_OF_STORE
            patches = PATCHES if full else PATCHES // 2
            sent = min(free, np.int64(2 * patches if turn == 0 else patches))
            s.patch_rate[seat, base] += sent * (FIRST_TWO if turn == 0 else THIRD)
            s.workers[seat, base] += sent
            free -= sent
    if home >= 0:
        s.workers[seat, home] += max(free, np.int64(0))
    elif free > 0:
        s.workers[seat, 0] += free


# --- the passing of time --------------------------------------------------------------------------


@njit(cache=True)
def ticks_of_economy(s, seat):
    """Ticks until the first event of a seat's economy; ``FOREVER`` if there is none."""
    n = np.int64(FOREVER)
    tick = np.int64(s.tick)
    threshold = (BASE_MINERALS - FEWER_AFTER) * UNIT_OF_STORE
    for base in range(BASES):
        rate = np.int64(s.patch_rate[seat, base])
        if rate > 0:
            left = s.patches[seat, base]
            if left > threshold:
                left -= threshold
            n = min(n, (left + rate - 1) // rate)
        for k in range(2):
            rate = np.int64(s.geyser_rate[seat, base, k])
            if rate > 0:
                n = min(n, (s.geysers[seat, base, k] + rate - 1) // rate)
    powered = is_powered(s, seat)
    for k in range(JOBS):
        what = s.job[seat, k]
        if what == NO_JOB:
            continue
        if not (powered or k < BASES):
            continue
        left = np.int64(s.job_left[seat, k])
        halves = np.int64(2)
        if s.boost[seat, k] > tick:
            halves = np.int64(3)
            n = min(n, s.boost[seat, k] - tick)
        if (
            FIRST_GATEWAY <= k < FIRST_ROBOTICS
            and s.out[seat, k] == 0
            and what <= UNITS
            and s.warp[seat, k - FIRST_GATEWAY] > 0
        ):
            left -= 2 * (WARP_LOOPS[what - 1] - WARP_IN)
        n = min(n, max(np.int64(1), (left + halves - 1) // halves))
    for k in range(SITES):
        kind = s.site[seat, k]
        if kind == 0:
            continue
        if s.away[seat, k] > 0:
            n = min(n, np.int64(s.away[seat, k]))
        if s.walk[seat, k] > 0:
            n = min(n, np.int64(s.walk[seat, k]))
        elif powered or kind <= NEXUS + 1:
            n = min(n, np.int64(s.site_left[seat, k]))
    for k in range(MORPHS):
        if s.morph[seat, k] > 0:
            n = min(n, max(np.int64(1), np.int64(s.morph[seat, k]) - 1))
    return n


@njit(cache=True)
def pass_economy(s, seat, ticks):
    """Let ticks pass in which nothing ends before the last."""
    tick = np.int64(s.tick)
    for base in range(BASES):
        rate = np.int64(s.patch_rate[seat, base])
        if rate > 0:
            got = min(rate * ticks, s.patches[seat, base])
            s.patches[seat, base] -= got
            s.minerals[seat] += got
            s.mined[seat, 0] += got
        for k in range(2):
            rate = np.int64(s.geyser_rate[seat, base, k])
            if rate > 0:
                got = min(rate * ticks, s.geysers[seat, base, k])
                s.geysers[seat, base, k] -= got
                s.gas[seat] += got
                s.mined[seat, 1] += got
        if s.built[seat, base, NEXUS] > 0:
            more = s.energy[seat, base] + ENERGY_A_TICK * ticks
            s.energy[seat, base] = min(more, np.int64(MOST_ENERGY))
        batteries = np.int64(s.built[seat, base, BATTERY])
        if batteries > 0 and is_powered(s, seat):
            more = s.battery[seat, base] + ENERGY_A_TICK * ticks * batteries
            s.battery[seat, base] = min(more, 100 * ENERGY * batteries)
    powered = is_powered(s, seat)
    for k in range(JOBS):
        if s.job[seat, k] != NO_JOB and (powered or k < BASES):
            halves = 3 if s.boost[seat, k] > tick else 2
            s.job_left[seat, k] = max(s.job_left[seat, k] - halves * ticks, np.int64(0))
    for k in range(SITES):
        kind = s.site[seat, k]
        if kind == 0:
            continue
        if s.away[seat, k] > 0:
            s.away[seat, k] -= ticks
        if s.walk[seat, k] > 0:
            s.walk[seat, k] -= ticks
        elif powered or kind <= NEXUS + 1:
            s.site_left[seat, k] -= ticks
    for k in range(MORPHS):
        if s.morph[seat, k] > 1:
            s.morph[seat, k] -= ticks


# --- what ends ------------------------------------------------------------------------------------


@njit(cache=True)
def new_squad(s, seat, k, region, order):
    """Make an empty squad in a free place."""
    s.order[seat, k] = order
    s.region[seat, k] = region
    s.next[seat, k] = region
    s.left[seat, k] = 0
    s.gone[seat, k] = 0
    s.wait[seat, k] = 0
    s.goal[seat, k] = region
    s.came[seat, k] = NEVER
    s.squad_hit[seat, k] = NEVER
    for unit in range(UNITS):
        s.count[seat, k, unit] = 0
        s.life[seat, k, unit] = 0.0
    s.charge[seat, k, 0] = 0
    s.charge[seat, k, 1] = 0


@njit(cache=True)
def squad_at_rally(s, seat):
    """The home squad at the rally point, made if there is room; -1 if there is none."""
    region, free = region_of(seat, rally_base(s, seat)), -1
    for k in range(SQUADS - 1, -1, -1):
        if s.order[seat, k] == FREE:
            free = k
    for k in range(SQUADS):
        if s.order[seat, k] == AT_HOME and s.region[seat, k] == region and s.left[seat, k] == 0:
            return k
    if free >= 0:
        new_squad(s, seat, free, region, AT_HOME)
    return free


@njit(cache=True)
def add_unit(s, seat, k, unit):
    s.count[seat, k, unit] += 1
    s.life[seat, k, unit] += TOUGHNESS[unit]
    if unit == SENTRY:
        s.charge[seat, k, 0] += START_SENTRY
    elif unit == HIGH_TEMPLAR:
        s.charge[seat, k, 1] += START_SENTRY


@njit(cache=True)
def _unit_stands(s, seat, unit, warped):
    """A unit that is made joins its squad; False if there is no room."""
    if unit == PROBE:
        s.probes[seat] += 1
        return True
    if warped:
        for k in range(SQUADS):
            if s.order[seat, k] != FREE and s.left[seat, k] == 0 and s.count[seat, k, WARP_PRISM]:
                add_unit(s, seat, k, unit)
                return True
    k = squad_at_rally(s, seat)
    if k < 0:
        return False
    add_unit(s, seat, k, unit)
    return True


@njit(cache=True)
def _structure_stands(s, seat, kind, base):
    s.restless = 1
    if kind == GATEWAY:
        gate = np.int64(s.gates[seat])
        s.warp[seat, gate] = 0
        s.job[seat, FIRST_GATEWAY + gate] = NO_JOB
        s.gates[seat] += 1
    s.built[seat, base, kind] += 1
    if kind == NEXUS:
        s.energy[seat, base] = 50 * ENERGY
    elif kind == CANNON:
        s.pool[seat, base, 0] += TOUGHNESS[CANNON_TYPE]
    elif kind == BATTERY:
        s.pool[seat, base, 1] += TOUGHNESS[BATTERY_TYPE]
        s.battery[seat, base] += 100 * ENERGY


@njit(cache=True)
def begin_job(s, seat, k, what, ticks):
    s.job[seat, k] = what
    s.job_left[seat, k] = 2 * ticks
    s.out[seat, k] = 0


@njit(cache=True)
def finish(s, seat):
    """Carry out what has ended of a seat's economy."""
    powered = is_powered(s, seat)
    for k in range(SITES):
        kind = s.site[seat, k] - 1
        if kind < 0 or s.walk[seat, k] > 0:
            continue
        if s.site_left[seat, k] <= 0:
            s.site[seat, k] = 0
            s.away[seat, k] = 0
            _structure_stands(s, seat, kind, np.int64(s.site_base[seat, k]))
    for k in range(JOBS):
        what = np.int64(s.job[seat, k])
        if what == NO_JOB or not (powered or k < BASES):
            continue
        if FIRST_GATEWAY <= k < FIRST_ROBOTICS and what <= UNITS:
            warped = s.warp[seat, k - FIRST_GATEWAY] > 0
        else:
            warped = False
        if (
            warped
            and s.out[seat, k] == 0
            and s.job_left[seat, k] <= 2 * (WARP_LOOPS[what - 1] - WARP_IN)
        ):
            s.out[seat, k] = _unit_stands(s, seat, what - 1, True)
            s.restless = 1
        if s.job_left[seat, k] > 0:
            continue
        s.restless = 1
        if what == CHANGING:
            s.warp[seat, k - FIRST_GATEWAY] = 1
            s.built[seat, 0, GATEWAY] -= 1
            s.built[seat, 0, WARP_GATE] += 1
        elif what <= UNITS:
            if warped:
                if s.out[seat, k] == 0:
                    continue
            elif not _unit_stands(s, seat, what - 1, False):
                continue
        else:
            s.research[seat, what - 1 - FIRST_RESEARCH] = 2
        s.job[seat, k] = NO_JOB
        s.out[seat, k] = 0
    if s.research[seat, WARP_GATE_RESEARCH] == 2:
        for gate in range(s.gates[seat]):
            if s.warp[seat, gate] == 0 and s.job[seat, FIRST_GATEWAY + gate] == NO_JOB:
                begin_job(s, seat, FIRST_GATEWAY + gate, CHANGING, CHANGE_TICKS)
    for k in range(MORPHS):
        if s.morph[seat, k] == 1:
            s.restless = 1
            squad = squad_at_rally(s, seat)
            if squad >= 0:
                add_unit(s, seat, squad, ARCHON)
                s.morph[seat, k] = 0
