"""One scripted player of StarCraft, by level and build; it plays by what its seat knows alone."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.starcraft.levels import (
    ACTS,
    AIR,
    ATTACK,
    BASES_WANTED,
    BATTERIES,
    BOOSTS,
    CAREFUL,
    CORE_UNITS,
    COUNTERS,
    FORGES,
    GAS,
    GATES,
    MACRO,
    PROBES,
    RANDOM_BUILD,
    RETREATS,
    ROBOTICS_HALLS,
    RUSH,
    SCOUTING,
    TIMING,
    TWILIGHT_UNITS,
)
from stratagym.agents.games.starcraft.strength import odds, worth
from stratagym.envs.core import mix64
from stratagym.envs.starcraft.economy import (
    alive,
    finished,
    in_building,
    in_training,
    supply_cap,
    supply_used,
)
from stratagym.envs.starcraft.orders import LEGAL, RESOURCES, idle_place, why_not
from stratagym.envs.starcraft.state import AT_HOME, ATTACKING, SQUADS, UNIT_OF_STORE
from stratagym.envs.starcraft.tables import (
    ASSIMILATOR,
    BATTERY,
    BOOST_CORE,
    BOOST_FORGE,
    BOOST_NEXUS,
    BOOST_STARGATE,
    BOOST_TWILIGHT,
    CANNON_TYPE,
    CARRIER,
    CHARGE,
    COLOSSUS,
    CORE,
    COST,
    DARK_TEMPLAR,
    EMPTY,
    FIRST_RESEARCH,
    FIRST_STRUCTURE,
    FLEET_BEACON,
    FORGE,
    GATEWAY,
    GROUND_ARMOR,
    GROUND_WEAPONS,
    IMMORTAL,
    IS_FLYER,
    LANCE,
    MULTI_ATTACK,
    MULTI_RETREAT,
    NEXUS,
    OBSERVER,
    PROBE,
    PYLON,
    ROBOTICS,
    ROBOTICS_BAY,
    SCOUT_PROBE,
    STALKER,
    STARGATE,
    SUPPLY,
    TEMPEST,
    TWILIGHT,
    UNITS,
    VOID_RAY,
    WARP_GATE,
    WARP_GATE_RESEARCH,
    ZEALOT,
)

TICKS = 22.4
NOTHING = -1


@njit(cache=True)
def _dice(s, seat, what, n):
    """A number below n that the seat's luck, the turn and ``what`` decide."""
    mixed = mix64(s.salt[seat] + np.uint64(1009 * what + 7919 * s.turn))
    return np.int64(mixed % np.uint64(n))


@njit(cache=True)
def _fixed(s, seat, what, n):
    """Likewise, the same for a whole game."""
    return np.int64(mix64(s.salt[seat] + np.uint64(1009 * what)) % np.uint64(n))


@njit(cache=True)
def _minerals(s, seat):
    return np.int64(s.minerals[seat]) // UNIT_OF_STORE


@njit(cache=True)
def _gas(s, seat):
    return np.int64(s.gas[seat]) // UNIT_OF_STORE


@njit(cache=True)
def _all(s, seat, kind):
    """Structures of a kind, in building too; Warp Gates are Gateways."""
    total = finished(s, seat, kind) + in_building(s, seat, kind)
    if kind == GATEWAY:
        total += finished(s, seat, WARP_GATE)
    return total


@njit(cache=True)
def _army(s, seat, order):
    """Supply of the squads with an order."""
    total = np.int64(0)
    for k in range(SQUADS):
        if s.order[seat, k] == order:
            for unit in range(1, UNITS):
                total += SUPPLY[unit] * s.count[seat, k, unit]
    return total


@njit(cache=True)
def choose(s, seat, row, build, threshold):
    """The action of a row of ``LEVEL`` and a build.

    ``threshold`` is the supply of the army that attacks, 0 the row's.
    """
    if build == RANDOM_BUILD:
        build = _fixed(s, seat, 1, RANDOM_BUILD)
    if _dice(s, seat, 2, 60) >= row[ACTS]:
        return EMPTY
    room = supply_cap(s, seat) - supply_used(s, seat)
    action = _command(s, seat, row, build, threshold)
    if action == NOTHING:
        action = _boost(s, seat, row)
    if action == NOTHING:
        action = _economy(s, seat, row, build, room)
    if action == NOTHING:
        action = _tech(s, seat, row, build, room)
    if action == NOTHING:
        action = _train(s, seat, row, build, room)
    if action == NOTHING:
        action = _more(s, seat, row, room)
    return EMPTY if action == NOTHING else action


@njit(cache=True)
def _may(s, seat, action, room):
    return why_not(s, seat, action, room) == LEGAL


# --- armies ---------------------------------------------------------------------------------------


@njit(cache=True)
def _wanted(s, seat, row, build, threshold):
    """The supply of the army that attacks."""
    if threshold > 0:
        return threshold
    wanted = row[ATTACK]
    if build == RUSH:
        wanted = min(wanted, 12)
    if build == TIMING:
        wanted = np.int64(20) if s.research[seat, GROUND_WEAPONS] == 2 else np.int64(99)
    # every game a little else, so that no two are alike
    return max(np.int64(4), wanted * (80 + _fixed(s, seat, 3, 41)) // 100)


@njit(cache=True)
def _command(s, seat, row, build, threshold):
    """Attack, retreat, scout."""
    away, home = _army(s, seat, ATTACKING), _army(s, seat, AT_HOME)
    if away > 0 and row[RETREATS] and _loses(s, seat):
        return MULTI_RETREAT
    wanted = _wanted(s, seat, row, build, threshold)
    if away > 0:
        wanted = max(np.int64(6), wanted // 3)
    ready = home >= wanted
    if threshold == 0 and row[CAREFUL] and ready and away == 0:
        ready = odds(s, seat, AT_HOME, -1) > (1.0 if row[CAREFUL] == 1 else 1.2)
        ready = ready or supply_used(s, seat) > 185
    if ready and why_not(s, seat, MULTI_ATTACK, 0) == LEGAL:
        return MULTI_ATTACK
    if (
        row[SCOUTING]
        and s.tick > 90 * TICKS
        and _dice(s, seat, 4, 240) == 0
        and why_not(s, seat, SCOUT_PROBE, 0) == LEGAL
    ):
        return SCOUT_PROBE
    return NOTHING


@njit(cache=True)
def _loses(s, seat):
    """Whether a standing attack is weaker than .7 of what is seen where it stands."""
    for k in range(SQUADS):
        if s.order[seat, k] != ATTACKING or s.left[seat, k] > 0:
            continue
        region, own, enemy = np.int64(s.region[seat, k]), 0.0, 0.0
        for unit in range(1, UNITS):
            own += SUPPLY[unit] * s.count[seat, k, unit]
            enemy += SUPPLY[unit] * s.seen[seat, region, unit]
        enemy += 3.0 * s.seen[seat, region, CANNON_TYPE]
        if own < 0.7 * enemy:
            return True
    return False


# --- economy --------------------------------------------------------------------------------------


@njit(cache=True)
def _boost(s, seat, row):
    if (
        row[BOOSTS] >= 2
        and s.research[seat, WARP_GATE_RESEARCH] == 1
        and why_not(s, seat, BOOST_CORE, 0) == LEGAL
    ):
        return BOOST_CORE
    if row[BOOSTS] == 3:
        for action in (BOOST_TWILIGHT, BOOST_FORGE, BOOST_STARGATE):
            if why_not(s, seat, action, 0) == LEGAL:
                return action
    if (
        row[BOOSTS] >= 1
        and s.probes[seat] < row[PROBES]
        and why_not(s, seat, BOOST_NEXUS, 0) == LEGAL
    ):
        return BOOST_NEXUS
    return NOTHING


@njit(cache=True)
def _bases(row, build):
    return np.int64(1) if build == RUSH or build == TIMING else row[BASES_WANTED]


@njit(cache=True)
def _probes(row, build):
    return min(row[PROBES], np.int64(22)) if build == RUSH or build == TIMING else row[PROBES]


@njit(cache=True)
def _economy(s, seat, row, build, room):
    """Supply, Probes, bases, gas."""
    nexus = finished(s, seat, NEXUS)
    margin = 2 + 2 * nexus + 2 * _all(s, seat, GATEWAY) + 3 * finished(s, seat, ROBOTICS)
    margin += 4 * finished(s, seat, STARGATE)
    coming = 8 * in_building(s, seat, PYLON) + 15 * in_building(s, seat, NEXUS)
    cap = supply_cap(s, seat)
    pylon, more = FIRST_STRUCTURE + PYLON, FIRST_STRUCTURE + NEXUS
    used = cap - room
    if (used >= 14 or cap > 15) and room + coming < margin and cap + coming < 200:
        why = why_not(s, seat, pylon, room)
        if why == LEGAL:
            return pylon
        if why == RESOURCES and room < 2:
            return EMPTY
    probes = np.int64(s.probes[seat]) + in_training(s, seat, PROBE)
    places = 22 * (nexus + in_building(s, seat, NEXUS))
    if probes < min(_probes(row, build), places) and _may(s, seat, PROBE, room):
        return PROBE
    bases = nexus + in_building(s, seat, NEXUS)
    army = _army(s, seat, AT_HOME) + _army(s, seat, ATTACKING)
    if (
        bases < _bases(row, build)
        and finished(s, seat, GATEWAY) + _all(s, seat, WARP_GATE) > 0
        and probes >= 16 * bases + 2
        and army >= 30 * (bases - 1)
    ):
        why = why_not(s, seat, more, room)
        if why == LEGAL:
            return more
        if why == RESOURCES and _minerals(s, seat) < 400:
            return EMPTY
    return _gas_wanted(s, seat, row, build, nexus, room)


@njit(cache=True)
def _gas_wanted(s, seat, row, build, nexus, room):
    """One more Assimilator: one before the Core, then as the level says while gas is short."""
    gas = min(row[GAS], 2 * nexus)
    if build == RUSH:
        gas = min(gas, np.int64(1))
    if _all(s, seat, CORE) == 0 or _gas(s, seat) > 250:
        gas = min(gas, np.int64(1))
    if (
        _all(s, seat, GATEWAY) > 0
        and _all(s, seat, ASSIMILATOR) < gas
        and _may(s, seat, FIRST_STRUCTURE + ASSIMILATOR, room)
    ):
        return FIRST_STRUCTURE + ASSIMILATOR
    return NOTHING


# --- technology and production --------------------------------------------------------------------


@njit(cache=True)
def _gates(s, seat, row, build):
    """Gateways wanted by now."""
    if build == RUSH:
        return min(row[GATES], np.int64(4))
    nexus = finished(s, seat, NEXUS)
    if build == AIR:
        return min(row[GATES], np.int64(2))
    return min(row[GATES], np.int64(1) + 3 * (nexus - 1) if nexus > 1 else _one_base(s, seat, row))


@njit(cache=True)
def _one_base(s, seat, row):
    if row[BASES_WANTED] == 1 or s.probes[seat] >= 20:
        return np.int64(3)
    return np.int64(1)


@njit(cache=True)
def _build(s, seat, kind, most, room):
    """The action that builds one more of a kind, if there are fewer and it can be paid."""
    action = FIRST_STRUCTURE + kind
    if _all(s, seat, kind) < most and _may(s, seat, action, room):
        return action
    return NOTHING


@njit(cache=True)
def _research(s, seat, what, room):
    action = FIRST_RESEARCH + what
    return action if _may(s, seat, action, room) else NOTHING


@njit(cache=True)
def _tech(s, seat, row, build, room):
    """Buildings and research, in order."""
    action = _build(s, seat, GATEWAY, 1, room)
    if action == NOTHING and (row[CORE_UNITS] or build == AIR or build == TIMING):
        action = _build(s, seat, CORE, 1, room)
    if action == NOTHING and row[ROBOTICS_HALLS]:
        action = _research(s, seat, WARP_GATE_RESEARCH, room)
    if action == NOTHING:
        action = _build(s, seat, GATEWAY, _gates(s, seat, row, build), room)
    if action != NOTHING or build == RUSH:
        return action
    if (build == MACRO or build == AIR) and finished(s, seat, NEXUS) > 1:
        action = _build(s, seat, BATTERY, row[BATTERIES], room)
        if action != NOTHING:
            return action
    if build == AIR:
        action = _air(s, seat, row, room)
    if action == NOTHING and (row[FORGES] or build == TIMING):
        action = _forge(s, seat, row, build, room)
    if build == AIR or action != NOTHING:
        return action
    nexus = finished(s, seat, NEXUS)
    if row[ROBOTICS_HALLS] and (nexus > 1 or build == TIMING or s.tick > 300 * TICKS):
        action = _build(s, seat, ROBOTICS, row[ROBOTICS_HALLS], room)
    if action == NOTHING and row[TWILIGHT_UNITS] and nexus > 1:
        action = _build(s, seat, TWILIGHT, 1, room)
        if action == NOTHING:
            action = _research(s, seat, CHARGE, room)
    if action == NOTHING and row[COUNTERS] and nexus > 1 and alive(s, seat, IMMORTAL) > 0:
        action = _build(s, seat, ROBOTICS_BAY, 1, room)
        if action == NOTHING:
            action = _research(s, seat, LANCE, room)
    return action


@njit(cache=True)
def _air(s, seat, row, room):
    halls = min(np.int64(4), 1 + finished(s, seat, NEXUS))
    action = _build(s, seat, STARGATE, halls, room)
    if action == NOTHING and row[TWILIGHT_UNITS] and alive(s, seat, VOID_RAY) > 4:
        action = _build(s, seat, FLEET_BEACON, 1, room)
    if action == NOTHING and alive(s, seat, VOID_RAY) > 3:
        action = _research(s, seat, 1, room)  # air weapons
    return action


@njit(cache=True)
def _forge(s, seat, row, build, room):
    if build != TIMING and finished(s, seat, NEXUS) < 2:
        return NOTHING
    action = _build(s, seat, FORGE, max(np.int64(1), row[FORGES]), room)
    if action == NOTHING:
        for level in range(3):
            for what in (GROUND_WEAPONS, GROUND_ARMOR):
                if action == NOTHING:
                    action = _research(s, seat, what + level, room)
    return action


@njit(cache=True)
def _train(s, seat, row, build, room):
    """Units: from the dearest hall down."""
    spare = _minerals(s, seat)
    if idle_place(s, seat, STARGATE) >= 0 and build == AIR:
        for unit in (CARRIER, TEMPEST, VOID_RAY):
            if unit == TEMPEST and not row[COUNTERS]:
                continue
            if _may(s, seat, unit, room):
                return unit
        spare -= COST[VOID_RAY, 0]
    if idle_place(s, seat, ROBOTICS) >= 0 and build != RUSH:
        unit = _hall_unit(s, seat, row, room)
        if unit != NOTHING:
            return unit
        if _gas(s, seat) >= 100:
            spare -= COST[IMMORTAL, 0]
    if idle_place(s, seat, GATEWAY) < 0:
        return NOTHING
    unit = _gate_unit(s, seat, row, room)
    if unit != NOTHING and spare >= COST[unit, 0]:
        return unit
    return NOTHING


@njit(cache=True)
def _hall_unit(s, seat, row, room):
    """A unit of the Robotics Facility."""
    if (
        row[COUNTERS]
        and s.known[seat, DARK_TEMPLAR] > 0
        and alive(s, seat, OBSERVER) < 2
        and _may(s, seat, OBSERVER, room)
    ):
        return OBSERVER
    first, second = IMMORTAL, COLOSSUS
    if row[COUNTERS] and worth(s, seat, COLOSSUS) > worth(s, seat, IMMORTAL):
        first, second = COLOSSUS, IMMORTAL
    if _may(s, seat, first, room):
        return first
    return second if _may(s, seat, second, room) else NOTHING


@njit(cache=True)
def _gate_unit(s, seat, row, room):
    """A unit of the Gateways: Zealots, and Stalkers as there is gas."""
    if not row[CORE_UNITS]:
        return ZEALOT if _may(s, seat, ZEALOT, room) else NOTHING
    if row[COUNTERS] and _sees_flyers(s, seat):
        return STALKER if _may(s, seat, STALKER, room) else NOTHING
    zealots, stalkers = alive(s, seat, ZEALOT), alive(s, seat, STALKER)
    if _may(s, seat, STALKER, room) and stalkers <= zealots + 2:
        return STALKER
    if _may(s, seat, ZEALOT, room) and (zealots <= stalkers + 4 or _gas(s, seat) < 50):
        return ZEALOT
    return STALKER if _may(s, seat, STALKER, room) else NOTHING


@njit(cache=True)
def _sees_flyers(s, seat):
    """Whether a third of the known enemy flies."""
    flyers = others = 0
    for unit in range(1, UNITS):
        if IS_FLYER[unit]:
            flyers += SUPPLY[unit] * s.known[seat, unit]
        else:
            others += SUPPLY[unit] * s.known[seat, unit]
    return 2 * flyers > others and flyers > 4


@njit(cache=True)
def _more(s, seat, row, room):
    """More Gateways when minerals lie about."""
    if row[GATES] > 6 and _minerals(s, seat) > 400:
        return _build(s, seat, GATEWAY, 12, room)
    return NOTHING
