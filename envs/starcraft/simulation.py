"""What happens between two decisions: from event to event, or tick by tick, to the same end."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.starcraft.combat import STEP_TICKS, fight
from stratagym.envs.starcraft.economy import (
    finish,
    finished,
    in_building,
    pass_economy,
    place_probes,
    ticks_of_economy,
)
from stratagym.envs.starcraft.forces import (
    arrive,
    heal,
    move_scouts,
    move_squads,
    pass_forces,
    ticks_of_forces,
)
from stratagym.envs.starcraft.sight import can_hit, look, mark
from stratagym.envs.starcraft.state import DRAW, NEVER, NOBODY, SITES, UNIT_OF_STORE
from stratagym.envs.starcraft.tables import BASES, COST, FIRST_STRUCTURE, NEXUS, REGIONS, STRUCTURES

FOR_ALL, FOR_BASES, FOR_STRUCTURES = range(3)
"""What a seat that has lost has none of: any way to a base, any base, any structure."""


@njit(cache=True, inline="always")
def settle(rules, s):
    """Carry out what ends at this tick: jobs, arrivals, departures, a step of fights, the game."""
    s.restless = 0
    for seat in range(2):
        finish(s, seat)
        heal(s, seat)
        arrive(s, seat)
    refresh(s)
    for seat in range(2):
        move_squads(rules, s, seat)
        move_scouts(s, seat)
    if s.restless:
        refresh(s)
    if s.tick % STEP_TICKS == 0 and fight(s) and s.restless:
        refresh(s)
    _end(rules, s)


@njit(cache=True)
def refresh(s):
    """Put Probes to work and write what is where."""
    for seat in range(2):
        place_probes(s, seat)
    mark(s)


@njit(cache=True)
def _end(rules, s):
    lost = has_lost(rules, s, 0), has_lost(rules, s, 1)
    if lost[0] or lost[1]:
        s.winner = DRAW if lost[0] and lost[1] else 1 if lost[0] else 0


@njit(cache=True)
def has_lost(rules, s, seat):
    """Whether a seat has lost by the option ``win``."""
    if rules.win != FOR_STRUCTURES and finished(s, seat, NEXUS) + in_building(s, seat, NEXUS) == 0:
        if rules.win == FOR_BASES:
            return True
        probes = np.int64(s.probes[seat]) + (s.leg[seat, 0] > 0)
        price = COST[FIRST_STRUCTURE + NEXUS, 0] * UNIT_OF_STORE
        if probes == 0 or s.minerals[seat] < price:
            return True
    for base in range(BASES):
        for kind in range(STRUCTURES):
            if s.built[seat, base, kind] > 0:
                return False
    for k in range(SITES):
        if s.site[seat, k] > 0:
            return False
    return True


@njit(cache=True)
def next_event(s, most):
    """Ticks until something may happen, at most so many."""
    if s.restless:
        return np.int64(1)
    n = np.int64(most)
    for seat in range(2):
        n = min(n, ticks_of_economy(s, seat), ticks_of_forces(s, seat))
    for region in range(REGIONS):
        own, other = np.int64(s.here[0, region]), np.int64(s.here[1, region])
        if s.begun[region] == NEVER and (own == 0 or other == 0):
            continue
        if s.begun[region] != NEVER or can_hit(own, other) or can_hit(other, own):
            return min(n, np.int64(STEP_TICKS - s.tick % STEP_TICKS))
    return n


@njit(cache=True)
def run(rules, s, ticks, by_tick):
    """Let ticks pass, or fewer if the game ends; ``by_tick`` looks at every one of them."""
    while ticks > 0 and s.winner == NOBODY:
        n = np.int64(1) if by_tick else next_event(s, ticks)
        for seat in range(2):
            pass_economy(s, seat, n)
            pass_forces(s, seat, n)
        s.tick += n
        ticks -= n
        settle(rules, s)
    for seat in range(2):
        look(s, seat)
