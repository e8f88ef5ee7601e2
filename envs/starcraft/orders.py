"""The 72 actions: what a seat may order, and what an order does."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.starcraft.economy import (
    BOOST_COST,
    BOOST_TICKS,
    alive,
    begin_job,
    finished,
    in_building,
    in_training,
    probes_away,
    rally_base,
    region_of,
    standing_places,
)
from stratagym.envs.starcraft.forces import (
    begin_leg,
    choose_goal,
    clear_squad,
    has_fighters,
    ticks_of,
)
from stratagym.envs.starcraft.sight import sees
from stratagym.envs.starcraft.state import (
    AT_HOME,
    ATTACKING,
    FIRST_GATEWAY,
    MORPHS,
    NO_JOB,
    RETREATING,
    SITES,
    SQUADS,
    UNIT_OF_STORE,
)
from stratagym.envs.starcraft.tables import (
    ASSIMILATOR,
    AT,
    BASES,
    BATTERY,
    BEFORE,
    BOOST_NEXUS,
    BOOSTED,
    CANNON,
    COST,
    DARK_TEMPLAR,
    EMPTY,
    FAR,
    FIRST_RESEARCH,
    FIRST_STRUCTURE,
    GATEWAY,
    HIGH_TEMPLAR,
    IS_FIGHTER,
    LOOPS,
    MORPH_ARCHON,
    MOST,
    MOTHERSHIP,
    MULTI_ATTACK,
    MULTI_RETREAT,
    NEEDS,
    NEXUS,
    PROBE,
    PYLON,
    RESEARCH_AT,
    SCOUT_PROBE,
    SCOUTS,
    SENTRY,
    SPEED,
    SUPPLY,
    UNITS,
    WARP_GATE,
    WARP_LOOPS,
)

(
    LEGAL, RESOURCES, NO_SUPPLY, REQUIREMENT, BUSY, LIMIT, NO_ENERGY, NO_UNIT, NO_PLACE,
) = range(9)  # fmt: skip
REASONS = (
    "", "resources", "supply", "requirement", "busy", "limit", "energy", "no_unit", "no_place",
)  # fmt: skip
"""Why an action is not legal, by number."""
WALK = 67
"""Ticks of a Probe's way to what it builds, near a base."""
_BOOSTED = np.array(BOOSTED)


@njit(cache=True)
def has_structure(s, seat, kind):
    """Whether a structure stands; a Warp Gate counts as a Gateway."""
    total = finished(s, seat, kind)
    if kind == GATEWAY:
        total += finished(s, seat, WARP_GATE)
    return total > 0


@njit(cache=True)
def can_pay(s, seat, action):
    return (
        s.minerals[seat] >= COST[action, 0] * UNIT_OF_STORE
        and s.gas[seat] >= COST[action, 1] * UNIT_OF_STORE
    )


@njit(cache=True)
def idle_place(s, seat, kind):
    """The first place in which a structure of a kind is idle; -1 if there is none."""
    first, number = standing_places(s, seat, kind)
    if kind != NEXUS and s.built[seat, 0, PYLON] == 0:
        return -1
    for k in range(first, first + number):
        if s.job[seat, k] == NO_JOB and (kind != NEXUS or s.built[seat, k, NEXUS] > 0):
            return k
    return -1


@njit(cache=True)
def why_not(s, seat, action, room):
    """Why a seat may not play an action, as a number of ``REASONS``; 0 if it may.

    ``room`` is what of the supply is left.
    """
    if action == EMPTY:
        return LEGAL
    if action < MORPH_ARCHON:
        return _why_no_unit(s, seat, action, room)
    if action < FIRST_STRUCTURE:
        return _why_no_archon(s, seat)
    if action < FIRST_RESEARCH:
        return _why_no_structure(s, seat, action - FIRST_STRUCTURE)
    if action < SCOUT_PROBE:
        return _why_no_research(s, seat, action - FIRST_RESEARCH)
    if action < MULTI_ATTACK:
        kind = action - SCOUT_PROBE
        if s.leg[seat, kind] > 0:
            return LIMIT
        return LEGAL if scout_squad(s, seat, kind) != -1 else NO_UNIT
    if action < BOOST_NEXUS:
        order = AT_HOME if action == MULTI_ATTACK else ATTACKING
        for k in range(SQUADS):
            if s.order[seat, k] == order and has_fighters(s, seat, k):
                return LEGAL
        return NO_UNIT
    return _why_no_boost(s, seat, _BOOSTED[action - BOOST_NEXUS])


@njit(cache=True)
def _why_no_unit(s, seat, unit, room):
    at = AT[unit]
    if not has_structure(s, seat, at):
        return REQUIREMENT
    if NEEDS[unit] >= 0 and not has_structure(s, seat, NEEDS[unit]):
        return REQUIREMENT
    if unit == MOTHERSHIP and alive(s, seat, unit) + in_training(s, seat, unit) > 0:
        return LIMIT
    if idle_place(s, seat, at) < 0:
        return BUSY
    if SUPPLY[unit] > room:
        return NO_SUPPLY
    return LEGAL if can_pay(s, seat, unit) else RESOURCES


@njit(cache=True)
def templar_squad(s, seat):
    """The home squad at the rally point if it has two Templar, else -1."""
    region = region_of(seat, rally_base(s, seat))
    for k in range(SQUADS):
        if (
            s.order[seat, k] == AT_HOME
            and s.left[seat, k] == 0
            and s.region[seat, k] == region
            and s.count[seat, k, HIGH_TEMPLAR] + s.count[seat, k, DARK_TEMPLAR] >= 2
        ):
            return k
    return -1


@njit(cache=True)
def _why_no_archon(s, seat):
    if templar_squad(s, seat) < 0:
        return NO_UNIT
    for k in range(MORPHS):
        if s.morph[seat, k] == 0:
            return LEGAL
    return LIMIT


@njit(cache=True)
def base_for(s, seat, kind):
    """The base where a structure is built; -1 if there is no place."""
    if kind == NEXUS:
        for base in range(BASES):
            if s.built[seat, base, NEXUS] > 0:
                continue
            for k in range(SITES):
                if s.site[seat, k] == NEXUS + 1 and s.site_base[seat, k] == base:
                    return -1
            region = region_of(seat, base)
            if sees(s, seat, region):
                for unit in range(1, UNITS):
                    if IS_FIGHTER[unit] and s.seen[seat, region, unit] > 0:
                        return -1
            return base
        return -1
    if kind == ASSIMILATOR:
        for base in range(BASES):
            if s.built[seat, base, NEXUS] > 0 and geysers_taken(s, seat, base) < 2:
                return base
        return -1
    if kind == CANNON or kind == BATTERY:
        return rally_base(s, seat)
    return 0


@njit(cache=True)
def geysers_taken(s, seat, base):
    taken = np.int64(s.built[seat, base, ASSIMILATOR])
    for k in range(SITES):
        taken += s.site[seat, k] == ASSIMILATOR + 1 and s.site_base[seat, k] == base
    return taken


@njit(cache=True)
def _why_no_structure(s, seat, kind):
    if NEEDS[FIRST_STRUCTURE + kind] >= 0 and not has_structure(
        s, seat, NEEDS[FIRST_STRUCTURE + kind]
    ):
        return REQUIREMENT
    number = finished(s, seat, kind) + in_building(s, seat, kind)
    if kind == GATEWAY:
        number += finished(s, seat, WARP_GATE)
    if number >= MOST[kind] or in_building_all(s, seat) >= SITES:
        return LIMIT
    if s.probes[seat] - probes_away(s, seat) <= 0:
        return NO_UNIT
    if base_for(s, seat, kind) < 0:
        return NO_PLACE
    return LEGAL if can_pay(s, seat, FIRST_STRUCTURE + kind) else RESOURCES


@njit(cache=True)
def in_building_all(s, seat):
    total = np.int64(0)
    for k in range(SITES):
        total += s.site[seat, k] > 0
    return total


@njit(cache=True)
def _why_no_research(s, seat, what):
    if not has_structure(s, seat, RESEARCH_AT[what]):
        return REQUIREMENT
    if s.research[seat, what] > 0:
        return LIMIT
    if BEFORE[what] >= 0 and s.research[seat, BEFORE[what]] < 2:
        return REQUIREMENT
    needs = NEEDS[FIRST_RESEARCH + what]
    if needs >= 0 and not has_structure(s, seat, needs):
        return REQUIREMENT
    if idle_place(s, seat, RESEARCH_AT[what]) < 0:
        return BUSY
    return LEGAL if can_pay(s, seat, FIRST_RESEARCH + what) else RESOURCES


@njit(cache=True)
def scout_squad(s, seat, kind):
    """The home squad that a scout is taken from; 99 for a Probe, -1 if there is none."""
    if SCOUTS[kind] == PROBE:
        return 99 if s.probes[seat] - probes_away(s, seat) > 0 else -1
    region = region_of(seat, rally_base(s, seat))
    for k in range(SQUADS):
        if (
            s.order[seat, k] == AT_HOME
            and s.left[seat, k] == 0
            and s.region[seat, k] == region
            and s.count[seat, k, SCOUTS[kind]] > 0
        ):
            return k
    return -1


@njit(cache=True)
def boosted_place(s, seat, kind):
    """The first place of a kind that works and is not boosted; -1 if there is none."""
    first, number = standing_places(s, seat, kind)
    if kind != NEXUS and s.built[seat, 0, PYLON] == 0:
        return -1
    for k in range(first, first + number):
        if s.job[seat, k] != NO_JOB and s.boost[seat, k] <= s.tick:
            return k
    return -1


@njit(cache=True)
def _why_no_boost(s, seat, kind):
    if boosted_place(s, seat, kind) < 0:
        return REQUIREMENT
    for base in range(BASES):
        if s.built[seat, base, NEXUS] > 0 and s.energy[seat, base] >= BOOST_COST:
            return LEGAL
    return NO_ENERGY


# --- what orders do -------------------------------------------------------------------------------


@njit(cache=True)
def _pay(s, seat, action):
    for k in range(2):
        s.spent[seat, k] += COST[action, k]
    s.minerals[seat] -= COST[action, 0] * UNIT_OF_STORE
    s.gas[seat] -= COST[action, 1] * UNIT_OF_STORE


@njit(cache=True)
def carry_out(s, seat, action):
    """Do what a legal action says."""
    if action == EMPTY:
        return
    s.restless = 1
    if action < MORPH_ARCHON:
        _pay(s, seat, action)
        k = idle_place(s, seat, AT[action])
        ticks = LOOPS[action]
        if FIRST_GATEWAY <= k < FIRST_GATEWAY + 12 and s.warp[seat, k - FIRST_GATEWAY] > 0:
            ticks = WARP_LOOPS[action]
        begin_job(s, seat, k, action + 1, ticks)
    elif action < FIRST_STRUCTURE:
        _morph(s, seat)
    elif action < FIRST_RESEARCH:
        _build(s, seat, action)
    elif action < SCOUT_PROBE:
        _pay(s, seat, action)
        what = action - FIRST_RESEARCH
        k = idle_place(s, seat, RESEARCH_AT[what])
        begin_job(s, seat, k, action + 1, LOOPS[action])
        s.research[seat, what] = 1
    elif action < MULTI_ATTACK:
        _scout(s, seat, action - SCOUT_PROBE)
    elif action == MULTI_ATTACK:
        for k in range(SQUADS):
            if s.order[seat, k] == AT_HOME and has_fighters(s, seat, k):
                s.order[seat, k] = ATTACKING
                s.goal[seat, k] = choose_goal(s, seat, s.next[seat, k])
    elif action == MULTI_RETREAT:
        for k in range(SQUADS):
            if s.order[seat, k] == ATTACKING:
                _retreat(s, seat, k)
    else:
        k = boosted_place(s, seat, _BOOSTED[action - BOOST_NEXUS])
        s.boost[seat, k] = s.tick + BOOST_TICKS
        for base in range(BASES):
            if s.built[seat, base, NEXUS] > 0 and s.energy[seat, base] >= BOOST_COST:
                s.energy[seat, base] -= BOOST_COST
                break


@njit(cache=True)
def _morph(s, seat):
    squad, left = templar_squad(s, seat), 2
    for unit in (HIGH_TEMPLAR, DARK_TEMPLAR):
        while left > 0 and s.count[seat, squad, unit] > 0:
            take_unit(s, seat, squad, unit)
            left -= 1
    for k in range(MORPHS):
        if s.morph[seat, k] == 0:
            s.morph[seat, k] = LOOPS[MORPH_ARCHON] + 1
            break


@njit(cache=True)
def take_unit(s, seat, k, unit):
    """Take a unit out of a squad; the squad is gone if it was the last."""
    number = np.int64(s.count[seat, k, unit])
    what = 0 if unit == SENTRY else 1 if unit == HIGH_TEMPLAR else -1
    if what >= 0:
        s.charge[seat, k, what] = s.charge[seat, k, what] * (number - 1) // number
    s.life[seat, k, unit] = s.life[seat, k, unit] * (number - 1) / number
    s.count[seat, k, unit] = number - 1
    for one in range(1, UNITS):
        if s.count[seat, k, one] > 0:
            return
    clear_squad(s, seat, k)


@njit(cache=True)
def _build(s, seat, action):
    _pay(s, seat, action)
    kind = action - FIRST_STRUCTURE
    base = base_for(s, seat, kind)
    walk = np.int64(WALK)
    if base > 1 and s.built[seat, base, NEXUS] == 0:
        length = np.int64(1 << 30)
        for own in range(BASES):
            if s.built[seat, own, NEXUS] > 0:
                length = min(length, FAR[own, base])
        if length < 1 << 30:
            walk = max(walk, ticks_of(np.float64(length), SPEED[PROBE]))
    for k in range(SITES):
        if s.site[seat, k] == 0:
            s.site[seat, k] = kind + 1
            s.site_base[seat, k] = base
            s.walk[seat, k] = walk
            s.away[seat, k] = 2 * walk
            s.site_left[seat, k] = LOOPS[action]
            break


@njit(cache=True)
def _scout(s, seat, kind):
    if SCOUTS[kind] == PROBE:
        s.probes[seat] -= 1
    else:
        take_unit(s, seat, scout_squad(s, seat, kind), SCOUTS[kind])
    begin_leg(s, seat, kind, 1)


@njit(cache=True)
def _retreat(s, seat, k):
    s.order[seat, k] = RETREATING
    if s.next[seat, k] == s.region[seat, k]:
        s.wait[seat, k] = 32
        return
    left, gone, region = s.left[seat, k], s.gone[seat, k], s.region[seat, k]
    s.left[seat, k] = gone
    s.gone[seat, k] = left
    s.region[seat, k] = s.next[seat, k]
    s.next[seat, k] = region
