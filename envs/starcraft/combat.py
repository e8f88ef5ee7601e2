"""Fights: every eight ticks in each region where one side can hit something of the other.

Both sides strike at the same time, from the same counts. Numbers of units are whole; their
toughness, hit points and shields and an Immortal's barrier, is one sum for each type, side and
region. Sums run over types in ascending order, so that the same fight always ends alike.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.starcraft.economy import is_powered
from stratagym.envs.starcraft.losses import BUILDING, base_in, next_structure, suffer
from stratagym.envs.starcraft.sight import DETECTS, can_hit, probes_fight
from stratagym.envs.starcraft.state import (
    DRAW,
    ENERGY,
    FREE,
    NEVER,
    RETREATING,
    SQUADS,
)
from stratagym.envs.starcraft.tables import (
    ADEPT,
    AIR_ARMOR,
    AIR_WEAPONS,
    ARMOUR,
    BATTERY,
    BATTERY_TYPE,
    CANNON,
    CANNON_TYPE,
    CHARGE,
    COLOSSUS,
    COOLDOWN,
    DAMAGE,
    DARK_TEMPLAR,
    DISRUPTOR,
    GROUND_ARMOR,
    GROUND_WEAPONS,
    HIGH_TEMPLAR,
    HITS_AIR,
    HITS_GROUND,
    IS_FIGHTER,
    IS_FLYER,
    LANCE,
    LEVEL,
    OBSERVER,
    PHOENIX,
    PHOENIX_RANGE,
    PIERCING,
    PROBE,
    REACH,
    REGIONS,
    SENTRY,
    SHIELD_SHARE,
    SHIELDS,
    SPLASH,
    STORM,
    STRIKES,
    STRUCTURES,
    TEMPEST,
    TEMPEST_AIR_REACH,
    TEMPEST_BUILDINGS,
    TEMPEST_GROUND,
    UNITS,
    WEAPONS,
    ZEALOT,
)

STEP_TICKS = 8
CAME_DELAY, STOOD_DELAY, CHARGED = 45, 22, 45
"""Ticks before melee units of the side that came, and of the side that stood, strike; ticks in
which Zealots with Charge hit harder."""
MELEE_ROOM, BUILDING_ROOM = 3, 4
"""Melee units that reach one target; a structure counts as so many targets (ours)."""
NOVA_TICKS, NOVA, NOVA_SHIELD, NOVA_TARGETS = 480, 145.0, 55.0, 4.0
STORM_TICKS, STORM_DAMAGE, STORM_TARGETS, STORM_AT = 64, 80.0, 6.0, 3.0
GUARD_TICKS, GUARD, SPELL = 246, 2.0, 75 * ENERGY
ON_GROUND, IN_AIR, ON_BOTH = range(3)
"""What a weapon hits, as a place in ``at``."""
TIER, TARGETS = 0, 1
"""Columns of ``at``: the tier that a kind of weapon aims at, the number of targets in it."""


@njit(cache=True)
def fight(s):
    """One step in every region; ``here`` is up to date. Returns whether anything was there."""
    fought = False
    for region in range(REGIONS):
        own, other = np.int64(s.here[0, region]), np.int64(s.here[1, region])
        if not (can_hit(own, other) or can_hit(other, own)):
            if s.begun[region] != NEVER and s.tick - s.last[region] >= STEP_TICKS:
                _end(s, region)
            continue
        if s.begun[region] == NEVER:
            _begin(s, region)
        s.last[region] = s.tick
        for seat in range(2):
            count(s, seat, region)
        for seat in range(2):
            raise_guard(s, seat, region)
        for seat in range(2):
            strike(s, seat, region)
        for seat in range(2):
            suffer(s, seat, region)
        fought = True
    return fought


@njit(cache=True)
def _begin(s, region):
    s.begun[region] = s.tick
    first, second = _arrival(s, 0, region), _arrival(s, 1, region)
    s.comer[region] = DRAW if first == second else 0 if first > second else 1
    for seat in range(2):
        s.nova[seat, region] = NEVER
        s.storm[seat, region] = NEVER
        s.guard[seat, region] = NEVER


@njit(cache=True)
def _end(s, region):
    s.begun[region] = NEVER
    s.last[region] = NEVER
    s.comer[region] = DRAW
    for seat in range(2):
        s.nova[seat, region] = NEVER
        s.storm[seat, region] = NEVER
        s.guard[seat, region] = NEVER


@njit(cache=True)
def _arrival(s, seat, region):
    """The tick of a seat's last arrival in a region; long ago for who has no squad there."""
    last = np.int64(NEVER)
    for k in range(SQUADS):
        if s.order[seat, k] != FREE and s.left[seat, k] == 0 and s.region[seat, k] == region:
            last = max(last, np.int64(s.came[seat, k]))
    return last


# --- who is there ---------------------------------------------------------------------------------


@njit(cache=True)
def count(s, seat, region):
    """Write into ``n`` of a seat what of it stands in a region, and into ``at`` what it aims at.

    The structure that is hit next stands for all that are neither Cannons nor Batteries.
    ``at`` of the other seat is written: it is what its weapons find.
    """
    n, other = s.n, 1 - seat
    for kind in range(UNITS + STRUCTURES):
        n[seat, kind] = 0.0
        s.loss[seat, kind] = 0.0
    for k in range(SQUADS):
        if s.order[seat, k] != FREE and s.left[seat, k] == 0 and s.region[seat, k] == region:
            for unit in range(1, UNITS):
                n[seat, unit] += s.count[seat, k, unit]
    base = base_in(seat, region)
    fighting = False
    if base >= 0:
        n[seat, PROBE] = s.workers[seat, base]
        fighting = s.workers[seat, base] > 0 and probes_fight(s, seat, base)
        n[seat, CANNON_TYPE] = s.built[seat, base, CANNON]
        n[seat, BATTERY_TYPE] = s.built[seat, base, BATTERY]
        kind, _ = next_structure(s, seat, base)
        if kind >= 0:
            n[seat, BUILDING] = 1.0
    found = s.here[other, region] & DETECTS != 0
    for aim in range(3):
        tier, targets = 4, 0.0
        for kind in range(UNITS + STRUCTURES):
            if n[seat, kind] == 0.0 or not is_target(kind, aim, found):
                continue
            its = tier_of(kind, fighting)
            if its < tier:
                tier, targets = its, 0.0
            if its == tier:
                targets += n[seat, kind]
        s.at[other, aim, TIER] = tier
        s.at[other, aim, TARGETS] = targets
    s.at[other, 0, 2] = fighting


@njit(cache=True)
def tier_of(kind, fighting):
    """1 for what is armed, 2 for unarmed units and Batteries, 3 for structures."""
    if kind < UNITS:
        if kind == PROBE:
            return 1 if fighting else 2
        return 1 if IS_FIGHTER[kind] else 2
    return 1 if kind == CANNON_TYPE else 2 if kind == BATTERY_TYPE else 3


@njit(cache=True)
def is_target(kind, aim, found):
    """Whether weapons of a kind can hit a type; ``found`` tells that the cloaked are seen."""
    if (kind == OBSERVER or kind == DARK_TEMPLAR) and not found:
        return False
    if aim == ON_BOTH:
        return True
    return IS_FLYER[kind] == (aim == IN_AIR)


# --- damage ---------------------------------------------------------------------------------------


@njit(cache=True)
def level_of(s, seat, first):
    """Levels researched of three in a row."""
    level = 0
    for k in range(3):
        level += s.research[seat, first + k] == 2
    return level


@njit(cache=True)
def aim_of(weapon):
    if HITS_GROUND[weapon]:
        return ON_BOTH if HITS_AIR[weapon] else ON_GROUND
    return IN_AIR


@njit(cache=True)
def reach_of(s, seat, weapon):
    if weapon == COLOSSUS and s.research[seat, LANCE] == 2:
        return 9.0
    if weapon == PHOENIX and s.research[seat, PHOENIX_RANGE] == 2:
        return 7.0
    if weapon == TEMPEST:
        return TEMPEST_AIR_REACH
    return REACH[weapon]


@njit(cache=True)
def strikers(s, seat, weapon):
    """How many strike with a weapon: all that stand, without those that retreat."""
    if weapon == UNITS:
        return s.n[seat, CANNON_TYPE] if is_powered(s, seat) else 0.0
    if weapon == PROBE:
        return s.n[seat, PROBE] if s.at[1 - seat, 0, 2] else 0.0
    return s.n[seat, weapon]


@njit(cache=True)
def _retreating(s, seat, region, unit):
    total = 0.0
    for k in range(SQUADS):
        if s.order[seat, k] == RETREATING and s.left[seat, k] == 0 and s.region[seat, k] == region:
            total += s.count[seat, k, unit]
    return total


@njit(cache=True)
def strike(s, seat, region):
    """Add to ``loss`` of the other seat what one strikes in a step."""
    since = np.int64(s.tick - s.begun[region])
    came = s.comer[region] == seat or s.comer[region] == DRAW
    delay = CAME_DELAY if came else STOOD_DELAY
    least = 0.0
    if since == 0:
        for weapon in range(WEAPONS):
            armed = HITS_GROUND[weapon] or HITS_AIR[weapon]
            if armed and strikers(s, seat, weapon) > 0:
                reach = reach_of(s, seat, weapon)
                least = max(least, 9.0 if reach >= 9 else 4.0 if reach >= 4 else 0.0)
    for weapon in range(WEAPONS):
        number = strikers(s, seat, weapon)
        if 0 < weapon < UNITS and number > 0:
            number -= _retreating(s, seat, region, weapon)
        if number <= 0 or not (HITS_GROUND[weapon] or HITS_AIR[weapon]):
            continue
        aim = aim_of(weapon)
        if s.at[seat, aim, TARGETS] == 0 or reach_of(s, seat, weapon) < least:
            continue
        if weapon == DISRUPTOR:
            if s.tick - s.nova[seat, region] >= NOVA_TICKS:
                s.nova[seat, region] = s.tick
                _burst(s, seat, region, number * min(NOVA_TARGETS, s.at[seat, aim, TARGETS]), True)
            continue
        _hit(s, seat, region, weapon, number, since, delay)
    if s.n[seat, HIGH_TEMPLAR] > 0 and s.research[seat, STORM] == 2:
        _storms(s, seat, region)


@njit(cache=True)
def _hit(s, seat, region, weapon, number, since, delay):
    """What units of one kind do in a step."""
    aim, other = aim_of(weapon), 1 - seat
    targets, tier = s.at[seat, aim, TARGETS], s.at[seat, aim, TIER]
    more, cooldown, is_melee = 0.0, COOLDOWN[weapon], REACH[weapon] < 1.0
    if is_melee:
        if weapon == ZEALOT and s.research[seat, CHARGE] == 2:
            delay = delay // 2
            more = 8.0 if since < delay + CHARGED else 0.0
        if since < delay:
            return
        room = BUILDING_ROOM if tier == 3 else 1
        number = min(number, MELEE_ROOM * room * targets)
    if weapon == ADEPT and s.research[seat, PIERCING] == 2:
        cooldown = 24.8
    flies = weapon < UNITS and IS_FLYER[weapon]
    weapons = 0
    if weapon < UNITS:
        weapons = level_of(s, seat, AIR_WEAPONS if flies else GROUND_WEAPONS)
    shields = level_of(s, other, SHIELDS)
    armours = level_of(s, other, GROUND_ARMOR), level_of(s, other, AIR_ARMOR)
    guarded = 0.0
    if not is_melee:
        guarded = GUARD if _guarded(s, other, region) else 0.0
    found = s.here[seat, region] & DETECTS != 0
    fighting = s.at[seat, 0, 2] != 0
    rate = number * (STEP_TICKS / cooldown) * STRIKES[weapon]
    rate *= 1.0 + SPLASH[weapon] * min(1.0, (targets - 1.0) / 8.0)
    for kind in range(UNITS + STRUCTURES):
        there = s.n[other, kind]
        if there == 0.0 or not is_target(kind, aim, found) or tier_of(kind, fighting) != tier:
            continue
        damage = DAMAGE[weapon, kind] + more + LEVEL[weapon, kind] * weapons
        armour = ARMOUR[kind]
        if kind < UNITS:
            damage -= guarded
            armour += armours[1] if IS_FLYER[kind] else armours[0]
        elif weapon == TEMPEST and s.research[seat, TEMPEST_GROUND] == 2:
            damage += TEMPEST_BUILDINGS
        share = SHIELD_SHARE[kind]
        each = share * max(0.5, damage - shields) + (1.0 - share) * max(0.5, damage - armour)
        s.loss[other, kind] += rate * (there / targets) * each


@njit(cache=True)
def _burst(s, seat, region, times, is_nova):
    """Damage that armour does not lessen, shared among the targets, ``times`` in all."""
    aim, other = ON_GROUND if is_nova else ON_BOTH, 1 - seat
    targets, tier = s.at[seat, aim, TARGETS], s.at[seat, aim, TIER]
    found, fighting = s.here[seat, region] & DETECTS != 0, s.at[seat, 0, 2] != 0
    for kind in range(UNITS + STRUCTURES):
        there = s.n[other, kind]
        if there == 0.0 or not is_target(kind, aim, found) or tier_of(kind, fighting) != tier:
            continue
        each = NOVA + NOVA_SHIELD * SHIELD_SHARE[kind] if is_nova else STORM_DAMAGE
        s.loss[other, kind] += times * (there / targets) * each


@njit(cache=True)
def _energy(s, seat, region, what):
    total = np.int64(0)
    for k in range(SQUADS):
        if s.order[seat, k] != FREE and s.left[seat, k] == 0 and s.region[seat, k] == region:
            total += s.charge[seat, k, what]
    return total


@njit(cache=True)
def _spend(s, seat, region, what, energy):
    for k in range(SQUADS):
        if s.order[seat, k] != FREE and s.left[seat, k] == 0 and s.region[seat, k] == region:
            taken = min(energy, np.int64(s.charge[seat, k, what]))
            s.charge[seat, k, what] -= taken
            energy -= taken


@njit(cache=True)
def _storms(s, seat, region):
    targets = s.at[seat, ON_BOTH, TARGETS]
    if targets < STORM_AT or s.at[seat, ON_BOTH, TIER] == 3:
        return
    if s.tick - s.storm[seat, region] < STORM_TICKS:
        return
    templar = np.int64(s.n[seat, HIGH_TEMPLAR] - _retreating(s, seat, region, HIGH_TEMPLAR))
    number = min(templar, _energy(s, seat, region, 1) // SPELL)
    if number > 0:
        s.storm[seat, region] = s.tick
        _spend(s, seat, region, 1, number * SPELL)
        _burst(s, seat, region, number * min(STORM_TARGETS, targets), False)


@njit(cache=True)
def _guarded(s, seat, region):
    return s.guard[seat, region] > s.tick


@njit(cache=True)
def raise_guard(s, seat, region):
    """Let Sentries shield their side, if something shoots at it."""
    if s.n[seat, SENTRY] == 0 or _guarded(s, seat, region):
        return
    other = 1 - seat
    for weapon in range(1, WEAPONS):
        if REACH[weapon] >= 1.0 and weapon != DISRUPTOR and strikers(s, other, weapon) > 0:
            if _energy(s, seat, region, 0) >= SPELL:
                _spend(s, seat, region, 0, SPELL)
                s.guard[seat, region] = s.tick + GUARD_TICKS
            return
