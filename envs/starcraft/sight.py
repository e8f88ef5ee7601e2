"""What stands in a region, what a seat sees there, and what it remembers of it."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.starcraft.economy import (
    is_powered,
    region_of,
)
from stratagym.envs.starcraft.state import (
    FREE,
    RETREATING,
    SCOUTS_OUT,
    SITES,
    SQUADS,
)
from stratagym.envs.starcraft.tables import (
    BASES,
    CANNON,
    DARK_TEMPLAR,
    HITS_AIR,
    HITS_GROUND,
    IS_FIGHTER,
    IS_FLYER,
    OBSERVER,
    ORACLE,
    PROBE,
    REGIONS,
    STRUCTURES,
    TYPES,
    UNITS,
)

(
    GROUND, AIR, HIDDEN_GROUND, HIDDEN_AIR, SHOOTS_GROUND, SHOOTS_AIR, DETECTS, FIGHTS, BUILT,
) = (1 << k for k in range(9))  # fmt: skip
"""Bits of ``here``: what a seat has in a region that can be hit, what it can hit, whether it sees
the cloaked, has fighters, has structures (those in building too)."""
LOOK_TICKS, EXPOSED_TICKS, RETREAT_WAIT, HEAL_TICKS = 90, 67, 32, 224
ROUTE = np.array([0, 4, 6, 7, 8, 7, 4, 0])
"""Of scouts, in a seat's own numbering; the first and the last are the rally point."""
LEGS = 7
LOOKED_AT = np.array([0, 0, 1, 1, 1, 1, 0, 0])
"""By place on the route: whether a scout looks round there."""


@njit(cache=True)
def mark(s):
    """Write ``here`` of both seats."""
    _mark(s, 0)
    _mark(s, 1)
    for seat in range(2):
        for base in range(BASES):
            if s.workers[seat, base] > 0 and probes_fight(s, seat, base):
                s.here[seat, region_of(seat, base)] |= SHOOTS_GROUND


@njit(cache=True)
def _mark(s, seat):
    for region in range(REGIONS):
        s.here[seat, region] = 0
    powered = is_powered(s, seat)
    for base in range(BASES):
        bits = 0
        for kind in range(STRUCTURES):
            if s.built[seat, base, kind] > 0:
                bits |= GROUND | BUILT
        if s.built[seat, base, CANNON] > 0 and powered:
            bits |= SHOOTS_GROUND | SHOOTS_AIR | DETECTS
        if s.workers[seat, base] > 0:
            bits |= GROUND
        s.here[seat, region_of(seat, base)] = bits
    for k in range(SITES):
        if s.site[seat, k] > 0 and s.walk[seat, k] == 0:
            s.here[seat, region_of(seat, s.site_base[seat, k])] |= GROUND | BUILT
    for k in range(SQUADS):
        if s.order[seat, k] != FREE and s.left[seat, k] == 0:
            s.here[seat, s.region[seat, k]] |= _bits_of(s, seat, k)


@njit(cache=True)
def _bits_of(s, seat, k):
    """What a squad adds to ``here``."""
    bits, shoots = 0, s.order[seat, k] != RETREATING
    for unit in range(1, UNITS):
        if s.count[seat, k, unit] == 0:
            continue
        if unit == DARK_TEMPLAR:
            bits |= HIDDEN_GROUND
        elif unit == OBSERVER:
            bits |= HIDDEN_AIR | DETECTS
        else:
            bits |= AIR if IS_FLYER[unit] else GROUND
        if unit == ORACLE:
            bits |= DETECTS
        if IS_FIGHTER[unit]:
            bits |= FIGHTS
            if shoots and HITS_GROUND[unit]:
                bits |= SHOOTS_GROUND
            if shoots and HITS_AIR[unit]:
                bits |= SHOOTS_AIR
    return bits


@njit(cache=True)
def probes_fight(s, seat, base):
    """Whether the Probes of a base fight: enemy fighters, and no fighter or Cannon of the seat."""
    region = region_of(seat, base)
    if s.here[1 - seat, region] & FIGHTS == 0 or s.here[seat, region] & FIGHTS:
        return False
    return s.built[seat, base, CANNON] == 0


@njit(cache=True)
def can_hit(own, other):
    """Whether what has the bits ``own`` can hit something of what has the bits ``other``."""
    seen = other
    if own & DETECTS:
        seen |= (other & (HIDDEN_GROUND | HIDDEN_AIR)) >> 2
    if own & SHOOTS_GROUND and seen & GROUND:
        return True
    return own & SHOOTS_AIR != 0 and seen & AIR != 0


@njit(cache=True)
def scout_region(s, seat, k):
    """The region in which a scout stands and looks round; -1 if it is on its way."""
    leg = np.int64(s.leg[seat, k])
    if leg == 0 or s.leg_left[seat, k] > 0:
        return np.int64(-1)
    return np.int64(region_of(seat, ROUTE[leg]))


@njit(cache=True)
def sees(s, seat, region):
    """Whether a seat has anything in a region. ``here`` must be up to date."""
    if s.here[seat, region] != 0:
        return True
    for k in range(SCOUTS_OUT):
        if scout_region(s, seat, k) == region:
            return True
    return False


@njit(cache=True)
def detects(s, seat, region):
    """Whether a seat sees the cloaked in a region."""
    return s.here[seat, region] & DETECTS != 0 or scout_region(s, seat, 1) == region


@njit(cache=True)
def remember(s, seat, region):
    """Write down what a seat sees in a region."""
    other, seen = 1 - seat, s.seen
    for kind in range(TYPES):
        seen[seat, region, kind] = 0
    s.seen_at[seat, region] = s.tick
    found = detects(s, seat, region)
    for k in range(SQUADS):
        if s.order[other, k] == FREE or s.region[other, k] != region:
            continue
        if s.left[other, k] > 0 and s.gone[other, k] > 0:  # who leaves in this tick is still seen
            continue
        for unit in range(1, UNITS):
            if found or (unit != OBSERVER and unit != DARK_TEMPLAR):
                seen[seat, region, unit] += s.count[other, k, unit]
    for base in range(BASES):
        if region_of(other, base) != region:
            continue
        seen[seat, region, PROBE] += s.workers[other, base]
        for kind in range(STRUCTURES):
            seen[seat, region, UNITS + kind] = s.built[other, base, kind]
        for k in range(SITES):
            if s.site[other, k] > 0 and s.walk[other, k] == 0 and s.site_base[other, k] == base:
                seen[seat, region, UNITS + s.site[other, k] - 1] += 1


@njit(cache=True)
def look(s, seat):
    """Remember every region that a seat sees, and the most of each unit seen at a time."""
    for region in range(REGIONS):
        if sees(s, seat, region):
            remember(s, seat, region)
    for unit in range(UNITS):
        total = np.int64(0)
        for region in range(REGIONS):
            if s.seen_at[seat, region] == s.tick:
                total += s.seen[seat, region, unit]
        s.known[seat, unit] = max(np.int64(s.known[seat, unit]), total)
