"""What a seat sees, as a vector of float32; the package's docstring lists its parts."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.starcraft.economy import (
    alive,
    army_supply,
    region_of,
    supply_cap,
    supply_used,
)
from stratagym.envs.starcraft.state import (
    ATTACKING,
    ENERGY,
    FREE,
    JOBS,
    LATELY,
    NO_JOB,
    SITES,
    SQUADS,
    UNIT_OF_STORE,
)
from stratagym.envs.starcraft.tables import (
    BASES,
    EMPTY,
    FIRST_RESEARCH,
    LOOPS,
    NEXUS,
    REGIONS,
    RESEARCHES,
    STRUCTURES,
    SUPPLY,
    UNITS,
)

LENGTH = 8 + 2 * UNITS + 2 * STRUCTURES + RESEARCHES + 5 * BASES + 2 * REGIONS
LENGTH += UNITS + STRUCTURES + 2 * REGIONS + 1
TEN_MINUTES = 13_440


@njit(cache=True)
def observe(rules, s, player, out):
    """See the package's docstring."""
    at = _stores(rules, s, player, out)
    at = _own(s, player, out, at)
    at = _bases(s, player, out, at)
    at = _armies(s, player, out, at)
    _enemy(s, player, out, at)


@njit(cache=True)
def _stores(rules, s, seat, out):
    out[0] = s.tick / rules.ticks
    out[1] = s.minerals[seat] // UNIT_OF_STORE / 2000
    out[2] = s.gas[seat] // UNIT_OF_STORE / 2000
    out[3] = supply_used(s, seat) / 200
    out[4] = supply_cap(s, seat) / 200
    out[5] = s.probes[seat] / 80
    out[6] = s.on_gas[seat] / 24
    out[7] = army_supply(s, seat) / 200
    return 8


@njit(cache=True)
def _own(s, seat, out, at):
    """Units, structures, structures in building, units in training, research."""
    for k in range(2 * UNITS + 2 * STRUCTURES + RESEARCHES):
        out[at + k] = 0.0
    for unit in range(UNITS):
        out[at + unit] = alive(s, seat, unit) / 50
    at += UNITS
    for kind in range(STRUCTURES):
        total = 0
        for base in range(BASES):
            total += s.built[seat, base, kind]
        out[at + kind] = total / 12
    at += STRUCTURES
    for k in range(SITES):
        if s.site[seat, k] > 0:
            out[at + s.site[seat, k] - 1] += 1
    at += STRUCTURES
    for k in range(JOBS):
        what = np.int64(s.job[seat, k])
        if NO_JOB < what <= UNITS:
            if s.out[seat, k] == 0:
                out[at + what - 1] += 1
        elif FIRST_RESEARCH < what <= FIRST_RESEARCH + RESEARCHES:
            out[at + UNITS + what - 1 - FIRST_RESEARCH] = 1 - s.job_left[seat, k] / (
                2 * LOOPS[what - 1]
            )
    at += UNITS
    for k in range(RESEARCHES):
        if s.research[seat, k] == 2:
            out[at + k] = 1.0
    return at + RESEARCHES


@njit(cache=True)
def _bases(s, seat, out, at):
    for base in range(BASES):
        out[at] = s.built[seat, base, NEXUS]
        out[at + 1] = s.energy[seat, base] / (200 * ENERGY)
        out[at + 2] = s.boost[seat, base] > s.tick
        out[at + 3] = s.patches[seat, base] / (10_800 * UNIT_OF_STORE)
        out[at + 4] = (s.geysers[seat, base, 0] + s.geysers[seat, base, 1]) / (4500 * UNIT_OF_STORE)
        at += 5
    return at


@njit(cache=True)
def _armies(s, seat, out, at):
    """Supply of the army, and whether it attacks, by region in the seat's numbering."""
    for k in range(2 * REGIONS):
        out[at + k] = 0.0
    for k in range(SQUADS):
        if s.order[seat, k] == FREE:
            continue
        region = region_of(seat, np.int64(s.region[seat, k]))
        total = 0
        for unit in range(1, UNITS):
            total += SUPPLY[unit] * s.count[seat, k, unit]
        out[at + region] += total / 50
        if s.order[seat, k] == ATTACKING:
            out[at + REGIONS + region] = 1.0
    return at + 2 * REGIONS


@njit(cache=True)
def _enemy(s, seat, out, at):
    """The enemy as last seen: units, structures, army by region, age of sight; the last action."""
    for k in range(UNITS + STRUCTURES + REGIONS):
        out[at + k] = 0.0
    for unit in range(UNITS):
        out[at + unit] = s.known[seat, unit] / 50
    structures, armies = at + UNITS, at + UNITS + STRUCTURES
    for own in range(REGIONS):
        region = region_of(seat, own)
        total = 0
        for unit in range(1, UNITS):
            total += SUPPLY[unit] * s.seen[seat, region, unit]
        out[armies + own] = total / 50
        for kind in range(STRUCTURES):
            out[structures + kind] += s.seen[seat, region, UNITS + kind] / 12
        age = s.tick - s.seen_at[seat, region] if s.seen_at[seat, region] >= 0 else s.tick
        out[armies + REGIONS + own] = age / TEN_MINUTES
    out[armies + 2 * REGIONS] = s.lately[seat, LATELY - 1, 6] != EMPTY
