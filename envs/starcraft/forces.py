"""Squads and scouts: where they go, what stands in a region, what a seat sees and remembers."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from stratagym.envs.starcraft.economy import (
    FOREVER,
    add_unit,
    is_powered,
    rally_base,
    region_of,
    squad_at_rally,
)
from stratagym.envs.starcraft.sight import (
    AIR,
    BUILT,
    DETECTS,
    EXPOSED_TICKS,
    FIGHTS,
    GROUND,
    HEAL_TICKS,
    LEGS,
    LOOK_TICKS,
    LOOKED_AT,
    ROUTE,
    SHOOTS_AIR,
    SHOOTS_GROUND,
    can_hit,
    remember,
)
from stratagym.envs.starcraft.state import (
    AT_HOME,
    ATTACKING,
    FREE,
    RETREATING,
    SCOUTS_OUT,
    SQUADS,
)
from stratagym.envs.starcraft.tables import (
    BASES,
    BATTERY,
    BATTERY_TYPE,
    BOOSTER,
    CANNON,
    CANNON_TYPE,
    CENTRE,
    CHARGE,
    DRIVE,
    FAR,
    HITS_AIR,
    HITS_GROUND,
    IS_FIGHTER,
    IS_FLYER,
    OBSERVER,
    ORACLE,
    PROBE,
    REGIONS,
    SCOUTS,
    SPEED,
    STEP,
    STRAIGHT,
    TOUGHNESS,
    TYPES,
    UNITS,
    VOID_RAY,
    VOID_RAY_SPEED,
    WARP_PRISM,
    ZEALOT,
)


@njit(cache=True)
def squad_bits(s, seat, k):
    """What a squad can hit, with what detects for it where it stands."""
    bits = s.here[seat, s.region[seat, k]] & DETECTS if s.left[seat, k] == 0 else 0
    for unit in range(1, UNITS):
        if s.count[seat, k, unit] > 0:
            bits |= SHOOTS_GROUND if HITS_GROUND[unit] else 0
            bits |= SHOOTS_AIR if HITS_AIR[unit] else 0
            bits |= DETECTS if unit == OBSERVER or unit == ORACLE else 0
    return bits


@njit(cache=True)
def has_fighters(s, seat, k):
    for unit in range(1, UNITS):
        if IS_FIGHTER[unit] and s.count[seat, k, unit] > 0:
            return True
    return False


@njit(cache=True)
def unit_speed(s, seat, unit):
    """Map units in 16 ticks, with what research gives."""
    if unit == ZEALOT and s.research[seat, CHARGE] == 2:
        return 3.37
    if unit == OBSERVER and s.research[seat, BOOSTER] == 2:
        return 2.82
    if unit == WARP_PRISM and s.research[seat, DRIVE] == 2:
        return 3.84
    if unit == VOID_RAY and s.research[seat, VOID_RAY_SPEED] == 2:
        return 3.32
    return SPEED[unit]


@njit(cache=True)
def ticks_of(length, speed):
    """Ticks for a way, length in map units."""
    return np.int64(math.ceil(length * 16.0 / speed - 1e-9))


@njit(cache=True)
def way_length(seat, one, other):
    """Length of the shortest way on the ground."""
    return FAR[region_of(seat, one), region_of(seat, other)]


# --- squads ---------------------------------------------------------------------------------------


@njit(cache=True)
def join(s, seat, k, other):
    """Let a squad take in another, whose place is free then."""
    for unit in range(1, UNITS):
        s.count[seat, k, unit] += s.count[seat, other, unit]
        s.life[seat, k, unit] += s.life[seat, other, unit]
    for what in range(2):
        s.charge[seat, k, what] += s.charge[seat, other, what]
    s.came[seat, k] = max(s.came[seat, k], s.came[seat, other])
    s.squad_hit[seat, k] = max(s.squad_hit[seat, k], s.squad_hit[seat, other])
    s.wait[seat, k] = max(s.wait[seat, k], s.wait[seat, other])
    clear_squad(s, seat, other)


@njit(cache=True)
def clear_squad(s, seat, k):
    s.order[seat, k] = FREE
    s.region[seat, k] = 0
    s.next[seat, k] = 0
    s.left[seat, k] = 0
    s.gone[seat, k] = 0
    s.wait[seat, k] = 0
    s.goal[seat, k] = 0
    s.came[seat, k] = 0
    s.squad_hit[seat, k] = 0
    for unit in range(UNITS):
        s.count[seat, k, unit] = 0
        s.life[seat, k, unit] = 0.0
    s.charge[seat, k, 0] = 0
    s.charge[seat, k, 1] = 0


@njit(cache=True)
def hop(s, seat, k, goal):
    """Send a standing squad on its next hop: straight if all fly, else along the ground."""
    here = np.int64(s.region[seat, k])
    slow_air, slow_ground, walks = 99.0, 99.0, False
    for unit in range(1, UNITS):
        if s.count[seat, k, unit] > 0:
            speed = unit_speed(s, seat, unit)
            if IS_FLYER[unit]:
                slow_air = min(slow_air, speed)
            else:
                slow_ground = min(slow_ground, speed)
                walks = True
    if walks:
        to = np.int64(region_of(seat, STEP[region_of(seat, here), region_of(seat, goal)]))
        ticks = ticks_of(np.float64(FAR[here, to]), slow_ground)
    else:
        to = np.int64(goal)
        ticks = ticks_of(STRAIGHT[here, to], slow_air)
    s.restless = 1
    remember(s, seat, here)
    s.next[seat, k] = to
    s.left[seat, k] = ticks
    s.gone[seat, k] = 0


@njit(cache=True)
def choose_goal(s, seat, region):
    """The region that an attack from ``region`` goes to.

    The nearest enemy base where the seat remembers a structure; without one, of the enemy's main,
    natural, third and fourth that which it has not seen for longest.
    """
    best, least = np.int64(-1), np.int64(FOREVER)
    for own in range(CENTRE + 1, REGIONS):
        target = np.int64(region_of(seat, own))
        if remembers_structure(s, seat, target):
            length = way_length(seat, region, target)
            if length < least:
                best, least = target, length
    if best >= 0:
        return best
    for own in range(REGIONS - 1, CENTRE, -1):
        target = np.int64(region_of(seat, own))
        if s.seen_at[seat, target] < least:
            best, least = target, np.int64(s.seen_at[seat, target])
    return best


@njit(cache=True)
def remembers_structure(s, seat, region):
    for kind in range(UNITS, TYPES):
        if s.seen[seat, region, kind] > 0:
            return True
    return False


@njit(cache=True)
def threatened(s, seat, k):
    """The nearest own base with enemy fighters that a squad can hit; -1 if there is none."""
    bits, best, least = squad_bits(s, seat, k), np.int64(-1), np.int64(FOREVER)
    for base in range(BASES):
        region = np.int64(region_of(seat, base))
        enemy = np.int64(s.here[1 - seat, region])
        if enemy & FIGHTS == 0 or s.here[seat, region] & (GROUND | BUILT) == 0:
            continue
        if not can_hit(bits | (s.here[seat, region] & DETECTS), enemy):
            continue
        length = way_length(seat, s.region[seat, k], region)
        if length < least:
            best, least = region, length
    return best


@njit(cache=True)
def arrive(s, seat):
    """Let squads whose hop is over stand."""
    for k in range(SQUADS):
        if (
            s.order[seat, k] != FREE
            and s.left[seat, k] == 0
            and s.next[seat, k] != s.region[seat, k]
        ):
            s.restless = 1
            s.region[seat, k] = s.next[seat, k]
            s.came[seat, k] = s.tick
            s.gone[seat, k] = 0


@njit(cache=True)
def move_squads(rules, s, seat):
    """Let standing squads go where their orders lead. ``here`` is of both seats, before anybody
    leaves."""
    rally = np.int64(region_of(seat, rally_base(s, seat)))
    for k in range(SQUADS):
        order = s.order[seat, k]
        if order == FREE or s.left[seat, k] > 0:
            continue
        region = np.int64(s.region[seat, k])
        if (
            order != RETREATING
            and not has_fighters(s, seat, k)
            and (region != rally or order == ATTACKING)
        ):
            s.restless = 1
            s.order[seat, k] = RETREATING
            s.wait[seat, k] = 0
            order = s.order[seat, k]
        if order == RETREATING:
            if region == rally:
                s.restless = 1
                s.order[seat, k] = AT_HOME
                s.wait[seat, k] = 0
            elif s.wait[seat, k] == 0:
                hop(s, seat, k, rally)
        elif order == AT_HOME:
            goal = rally
            if rules.defends:
                threat = threatened(s, seat, k)
                goal = threat if threat >= 0 else rally
            if goal != region:
                hop(s, seat, k, goal)
        else:
            _attack(s, seat, k, region)
    for k in range(SQUADS):
        for other in range(k + 1, SQUADS):
            if s.order[seat, k] == FREE or s.order[seat, k] != s.order[seat, other]:
                continue
            if (
                s.left[seat, k] == 0
                and s.left[seat, other] == 0
                and s.region[seat, k] == s.region[seat, other]
            ):
                s.restless = 1
                join(s, seat, k, other)


@njit(cache=True)
def _attack(s, seat, k, region):
    """A standing squad that attacks stays where it can hit something, else goes on."""
    enemy = np.int64(s.here[1 - seat, region])
    if can_hit(squad_bits(s, seat, k), enemy):
        return
    goal = np.int64(s.goal[seat, k])
    if region == goal:
        if enemy & (GROUND | AIR | BUILT):
            return
        remember(s, seat, region)
        s.restless = 1
        goal = choose_goal(s, seat, region)
        s.goal[seat, k] = goal
    if goal != region:
        hop(s, seat, k, goal)


@njit(cache=True)
def heal(s, seat):
    """Squads and bases that were out of fights for ten seconds are whole again."""
    for k in range(SQUADS):
        if s.order[seat, k] != FREE and s.squad_hit[seat, k] + HEAL_TICKS == s.tick:
            for unit in range(1, UNITS):
                s.life[seat, k, unit] = s.count[seat, k, unit] * TOUGHNESS[unit]
    for base in range(BASES):
        if s.base_hit[seat, base] + HEAL_TICKS == s.tick:
            s.damage[seat, base] = 0.0
            s.pool[seat, base, 0] = s.built[seat, base, CANNON] * TOUGHNESS[CANNON_TYPE]
            s.pool[seat, base, 1] = s.built[seat, base, BATTERY] * TOUGHNESS[BATTERY_TYPE]
            s.wound[seat] = 0.0


# --- scouts ---------------------------------------------------------------------------------------


@njit(cache=True)
def begin_leg(s, seat, k, leg):
    """Send a scout on a leg of its way, from 1."""
    here = region_of(seat, ROUTE[leg - 1])
    to = region_of(seat, ROUTE[leg])
    rally = region_of(seat, rally_base(s, seat))
    if leg == 1:
        here = rally
    if leg == LEGS:
        to = rally
    length = STRAIGHT[here, to] if IS_FLYER[SCOUTS[k]] else np.float64(FAR[here, to])
    s.leg[seat, k] = leg
    s.leg_left[seat, k] = max(np.int64(1), ticks_of(length, unit_speed(s, seat, SCOUTS[k])))
    s.look[seat, k] = 0
    s.exposed[seat, k] = 0


@njit(cache=True)
def in_danger(s, seat, k, region):
    """Whether something other than Probes can hit a scout where it stands."""
    enemy = np.int64(s.here[1 - seat, region])
    armed = enemy & FIGHTS != 0
    if not armed:
        for base in range(BASES):
            if region_of(1 - seat, base) == region and s.built[1 - seat, base, CANNON] > 0:
                armed = is_powered(s, 1 - seat)
    if not armed:
        return False
    unit = SCOUTS[k]
    if unit == OBSERVER and enemy & DETECTS == 0:
        return False
    return enemy & (SHOOTS_AIR if IS_FLYER[unit] else SHOOTS_GROUND) != 0


@njit(cache=True)
def move_scouts(s, seat):
    """Let scouts look, die, go on and come home. ``here`` is of both seats."""
    for k in range(SCOUTS_OUT):
        leg = np.int64(s.leg[seat, k])
        if leg == 0 or s.leg_left[seat, k] > 0:
            continue
        if leg == LEGS:
            s.restless = 1
            if SCOUTS[k] == PROBE:
                s.probes[seat] += 1
                s.leg[seat, k] = 0
            else:
                squad = squad_at_rally(s, seat)
                if squad >= 0:
                    add_unit(s, seat, squad, SCOUTS[k])
                    s.leg[seat, k] = 0
            continue
        region = np.int64(region_of(seat, ROUTE[leg]))
        if s.exposed[seat, k] >= EXPOSED_TICKS:
            s.restless = 1
            s.leg[seat, k] = 0
            s.look[seat, k] = 0
            s.exposed[seat, k] = 0
        elif not LOOKED_AT[leg] or s.look[seat, k] >= LOOK_TICKS:
            s.restless = 1
            remember(s, seat, region)
            begin_leg(s, seat, k, leg + 1)


@njit(cache=True)
def ticks_of_forces(s, seat):
    """Ticks until the first event of a seat's squads and scouts."""
    n, tick = np.int64(FOREVER), np.int64(s.tick)
    for k in range(SQUADS):
        if s.order[seat, k] == FREE:
            continue
        if s.left[seat, k] > 0:
            n = min(n, np.int64(s.left[seat, k]))
        if s.wait[seat, k] > 0:
            n = min(n, np.int64(s.wait[seat, k]))
        due = s.squad_hit[seat, k] + HEAL_TICKS - tick
        if due > 0:
            n = min(n, due)
    for base in range(BASES):
        due = s.base_hit[seat, base] + HEAL_TICKS - tick
        if due > 0:
            n = min(n, due)
    for k in range(SCOUTS_OUT):
        leg = np.int64(s.leg[seat, k])
        if leg == 0:
            continue
        if s.leg_left[seat, k] > 0:
            n = min(n, np.int64(s.leg_left[seat, k]))
        elif leg == LEGS:
            n = min(n, np.int64(1))
        elif LOOKED_AT[leg]:
            n = min(n, np.int64(LOOK_TICKS - s.look[seat, k]))
            if in_danger(s, seat, k, region_of(seat, ROUTE[leg])):
                n = min(n, np.int64(EXPOSED_TICKS - s.exposed[seat, k]))
    return max(n, np.int64(1))


@njit(cache=True)
def pass_forces(s, seat, ticks):
    """Let ticks pass in which nothing ends before the last. ``here`` is of both seats."""
    for k in range(SQUADS):
        if s.order[seat, k] == FREE:
            continue
        if s.left[seat, k] > 0:
            s.left[seat, k] -= ticks
            s.gone[seat, k] += ticks
        elif s.wait[seat, k] > 0:
            s.wait[seat, k] -= ticks
        for what in range(2):
            unit = 4 + what
            if s.count[seat, k, unit] > 0:
                more = s.charge[seat, k, what] + 9 * ticks * s.count[seat, k, unit]
                most = np.int64(200 * 256) * s.count[seat, k, unit]
                s.charge[seat, k, what] = min(more, most)
    for k in range(SCOUTS_OUT):
        leg = np.int64(s.leg[seat, k])
        if leg == 0:
            continue
        if s.leg_left[seat, k] > 0:
            s.leg_left[seat, k] -= ticks
        elif LOOKED_AT[leg]:
            s.look[seat, k] += ticks
            if in_danger(s, seat, k, region_of(seat, ROUTE[leg])):
                s.exposed[seat, k] += ticks
            else:
                s.exposed[seat, k] = 0
