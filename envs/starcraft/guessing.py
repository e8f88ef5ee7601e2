"""What a seat cannot know, drawn anew: the other side, made of what was seen and what is usual.

Everything of the other side follows from the seat's memory, the time and the generator; nothing is
taken from what was there.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.core import random_below, random_uint64
from stratagym.envs.starcraft.clearing import clear_scratch, clear_side
from stratagym.envs.starcraft.economy import (
    BASE_MINERALS,
    GEYSER_GAS,
    add_unit,
    new_squad,
    rally_base,
    region_of,
)
from stratagym.envs.starcraft.forces import hop
from stratagym.envs.starcraft.sight import look
from stratagym.envs.starcraft.simulation import refresh
from stratagym.envs.starcraft.state import (
    AT_HOME,
    ATTACKING,
    ENERGY,
    GATEWAYS,
    LATELY,
    SQUADS,
    UNIT_OF_STORE,
)
from stratagym.envs.starcraft.tables import (
    BASES,
    BATTERY,
    BATTERY_TYPE,
    CANNON,
    CANNON_TYPE,
    CENTRE,
    COST,
    EMPTY,
    FIRST_STRUCTURE,
    GATEWAY,
    MOST,
    NEXUS,
    PROBE,
    REGIONS,
    STRUCTURES,
    TOUGHNESS,
    UNITS,
    WARP_GATE,
    WARP_GATE_RESEARCH,
)
from stratagym.envs.starcraft.usual import BUILDS, FIRST_UNIT, LAST_MINUTE, USUAL

TICKS_A_MINUTE = 1344


@njit(cache=True)
def determinize(rules, s, player):
    """Redraw all that ``player`` cannot know of the other side."""
    other = 1 - player
    if player == 1:
        s.committed = EMPTY
    s.restless = 1
    clear_scratch(s)
    clear_side(s, other)
    _hide_spells(s, other)
    s.salt[other] = random_uint64(s)
    build = random_below(s, BUILDS)
    minute = min(np.int64(s.tick // TICKS_A_MINUTE), np.int64(LAST_MINUTE - 1))
    seen_now = _seen_now(s, player)
    _draw_bases(s, player, other, build, minute, seen_now)
    _draw_units(s, player, other, build, minute, seen_now)
    _draw_stores(s, other, minute)
    refresh(s)
    look(s, other)
    for unit in range(UNITS):
        s.known[other, unit] = 0
    s.lately[other, LATELY - 1, 6] = EMPTY


@njit(cache=True)
def _hide_spells(s, other):
    """Spells of the other side are as if they had just been cast."""
    for region in range(REGIONS):
        s.nova[other, region] = s.tick
        s.storm[other, region] = s.tick
        s.guard[other, region] = s.tick


@njit(cache=True)
def _seen_now(s, player):
    """The regions that a seat sees, a bit each. The other side must be empty."""
    seen = 0
    for region in range(REGIONS):
        if s.seen_at[player, region] == s.tick:
            seen |= 1 << region
    return seen


@njit(cache=True)
def _draw_bases(s, player, other, build, minute, seen_now):
    """Structures: those seen, and where nobody looks also what is usual by now."""
    for base in range(BASES):
        region = region_of(other, base)
        s.patches[other, base] = BASE_MINERALS * UNIT_OF_STORE
        for k in range(2):
            s.geysers[other, base, k] = GEYSER_GAS * UNIT_OF_STORE
        for kind in range(STRUCTURES):
            s.built[other, base, kind] = s.seen[player, region, UNITS + kind]
        if seen_now >> region & 1:
            continue
        for kind in range(STRUCTURES):
            usual = np.int64(USUAL[build, minute, kind])
            if kind == NEXUS:
                usual = np.int64(usual > base)
            elif kind == CANNON or kind == BATTERY or kind == 1:
                usual = min(np.int64(2), max(usual - 2 * base, np.int64(0)))
            elif base > 0:
                usual = np.int64(0)
            s.built[other, base, kind] = max(np.int64(s.built[other, base, kind]), usual)
    _keep_caps(s, other)
    for base in range(BASES):
        s.pool[other, base, 0] = s.built[other, base, CANNON] * TOUGHNESS[CANNON_TYPE]
        s.pool[other, base, 1] = s.built[other, base, BATTERY] * TOUGHNESS[BATTERY_TYPE]
        s.battery[other, base] = 100 * ENERGY * s.built[other, base, BATTERY]
        if s.built[other, base, NEXUS] > 0:
            s.energy[other, base] = random_below(s, 100) * ENERGY


@njit(cache=True)
def _keep_caps(s, other):
    """No more of a kind than may be, and Gateways as the places of their jobs say."""
    warp = min(np.int64(s.built[other, 0, WARP_GATE]), np.int64(GATEWAYS))
    gates = min(np.int64(s.built[other, 0, GATEWAY]), GATEWAYS - warp)
    s.built[other, 0, WARP_GATE] = warp
    s.built[other, 0, GATEWAY] = gates
    s.gates[other] = warp + gates
    for k in range(warp):
        s.warp[other, k] = 1
    if warp > 0:
        s.research[other, WARP_GATE_RESEARCH] = 2
    for kind in range(STRUCTURES):
        left = MOST[kind]
        for base in range(BASES):
            s.built[other, base, kind] = min(np.int64(s.built[other, base, kind]), left)
            left -= s.built[other, base, kind]


@njit(cache=True)
def _draw_units(s, player, other, build, minute, seen_now):
    """Units: those seen now where they are, the others at home or, if it is seen, on their way."""
    squads = 0
    home = np.int64(region_of(other, rally_base(s, other)))
    probes = np.int64(0)
    for own in range(REGIONS):
        region = region_of(player, own)
        if not seen_now >> region & 1:
            continue
        probes += s.seen[player, region, PROBE]
        here = -1
        for unit in range(1, UNITS):
            for _ in range(s.seen[player, region, unit]):
                if here < 0 and squads < SQUADS - 1:
                    base = region_of(other, region)
                    new_squad(s, other, squads, region, AT_HOME if base < BASES else ATTACKING)
                    s.goal[other, squads] = region_of(player, 0)
                    here = squads
                    squads += 1
                if here >= 0:
                    add_unit(s, other, here, unit)
    hidden = -1
    for unit in range(1, UNITS):
        usual = np.int64(USUAL[build, minute, FIRST_UNIT + unit])
        total = max(usual, np.int64(s.known[player, unit]))
        for k in range(squads):
            total -= s.count[other, k, unit]
        for _ in range(total):
            if hidden < 0:
                hidden = squads
                new_squad(s, other, hidden, home, AT_HOME)
            add_unit(s, other, hidden, unit)
    if hidden >= 0 and seen_now >> home & 1:
        s.region[other, hidden] = region_of(other, CENTRE)
        hop(s, other, hidden, home)
    usual = np.int64(USUAL[build, minute, FIRST_UNIT + PROBE])
    s.probes[other] = max(max(usual, np.int64(s.known[player, PROBE])), np.int64(1))


@njit(cache=True)
def _draw_stores(s, other, minute):
    """What it has, what it has spent, and so what it has mined."""
    s.minerals[other] = random_below(s, 100 + 40 * minute) * UNIT_OF_STORE
    s.gas[other] = random_below(s, 25 + 25 * minute) * UNIT_OF_STORE
    nexus = np.int64(0)
    for base in range(BASES):
        nexus += s.built[other, base, NEXUS]
        for kind in range(STRUCTURES):
            kind_of = FIRST_STRUCTURE + (GATEWAY if kind == WARP_GATE else kind)
            for k in range(2):
                s.spent[other, k] += COST[kind_of, k] * s.built[other, base, kind]
    for k in range(SQUADS):
        for unit in range(1, UNITS):
            for j in range(2):
                s.spent[other, j] += COST[unit, j] * s.count[other, k, unit]
    if nexus == 0:
        s.minerals[other] += COST[FIRST_STRUCTURE + NEXUS, 0] * UNIT_OF_STORE
    s.mined[other, 0] = s.minerals[other] + s.spent[other, 0] * UNIT_OF_STORE
    s.mined[other, 1] = s.gas[other] + s.spent[other, 1] * UNIT_OF_STORE
