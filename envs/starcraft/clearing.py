"""Records and halves of records with nothing in them."""

from __future__ import annotations

from numba import njit

from stratagym.envs.starcraft.forces import clear_squad
from stratagym.envs.starcraft.state import (
    DRAW,
    GATEWAYS,
    JOBS,
    LATELY,
    MORPHS,
    NEVER,
    SCOUTS_OUT,
    SITES,
    SQUADS,
)
from stratagym.envs.starcraft.tables import (
    BASES,
    EMPTY,
    REGIONS,
    RESEARCHES,
    STRUCTURES,
    TYPES,
    UNITS,
)


@njit(cache=True)
def clear_shared(s):
    """No fight anywhere, and work space that holds nothing."""
    for region in range(REGIONS):
        s.begun[region] = NEVER
        s.last[region] = NEVER
        s.comer[region] = DRAW
        for seat in range(2):
            s.nova[seat, region] = NEVER
            s.storm[seat, region] = NEVER
            s.guard[seat, region] = NEVER
    clear_scratch(s)


@njit(cache=True)
def clear_scratch(s):
    for seat in range(2):
        for kind in range(TYPES):
            s.n[seat, kind] = 0.0
            s.loss[seat, kind] = 0.0
        for aim in range(3):
            for k in range(4):
                s.at[seat, aim, k] = 0.0


@njit(cache=True)
def clear_side(s, seat):
    """A seat with nothing, that has seen nothing."""
    s.salt[seat] = 0
    s.gates[seat] = 0
    s.minerals[seat] = 0
    s.gas[seat] = 0
    s.probes[seat] = 0
    s.on_gas[seat] = 0
    s.wound[seat] = 0.0
    for k in range(2):
        s.mined[seat, k] = 0
        s.spent[seat, k] = 0
    for base in range(BASES):
        _clear_base(s, seat, base)
    for k in range(SITES):
        s.site[seat, k] = 0
        s.site_base[seat, k] = 0
        s.walk[seat, k] = 0
        s.away[seat, k] = 0
        s.site_left[seat, k] = 0
    for k in range(JOBS):
        s.job[seat, k] = 0
        s.job_left[seat, k] = 0
        s.boost[seat, k] = 0
        s.out[seat, k] = 0
    for k in range(GATEWAYS):
        s.warp[seat, k] = 0
    for k in range(RESEARCHES):
        s.research[seat, k] = 0
    for k in range(SQUADS):
        clear_squad(s, seat, k)
    for k in range(MORPHS):
        s.morph[seat, k] = 0
    for k in range(SCOUTS_OUT):
        s.leg[seat, k] = 0
        s.leg_left[seat, k] = 0
        s.look[seat, k] = 0
        s.exposed[seat, k] = 0
    _forget(s, seat)


@njit(cache=True)
def _clear_base(s, seat, base):
    s.patches[seat, base] = 0
    s.workers[seat, base] = 0
    s.patch_rate[seat, base] = 0
    for k in range(2):
        s.geysers[seat, base, k] = 0
        s.geyser_rate[seat, base, k] = 0
        s.pool[seat, base, k] = 0.0
    for kind in range(STRUCTURES):
        s.built[seat, base, kind] = 0
    s.energy[seat, base] = 0
    s.battery[seat, base] = 0
    s.damage[seat, base] = 0.0
    s.base_hit[seat, base] = NEVER


@njit(cache=True)
def _forget(s, seat):
    for region in range(REGIONS):
        for kind in range(TYPES):
            s.seen[seat, region, kind] = 0
        s.seen_at[seat, region] = -1
        s.here[seat, region] = 0
    for unit in range(UNITS):
        s.known[seat, unit] = 0
    for k in range(LATELY):
        for j in range(6):
            s.lately[seat, k, j] = 0
        s.lately[seat, k, 6] = EMPTY
