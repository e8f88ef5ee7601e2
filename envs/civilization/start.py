"""The start of a game: an empty record, a world, the first units."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization import towns, treaties, troops
from stratagym.envs.civilization.state import MOST_CITIES, MOST_UNITS, NOT_BUILT, SEATS, WONDERS
from stratagym.envs.civilization.tables import DESPOTISM, NUM_UNITS
from stratagym.envs.civilization.worldmap import make_world
from stratagym.envs.core import random_uint64, seed_rng

GOLD = 50
TAX, LUXURY, SCIENCE = 40, 0, 60


@njit(cache=True)
def clear_tiles(s):
    """Nobody owns, works, stands on, sees or has seen a tile of the record, and none has works."""
    for tile in range(s.owner.shape[0]):
        s.works[tile] = 0
        s.known[tile] = 0
        s.owner[tile] = -1
        s.town[tile] = -1
        s.worker[tile] = -1
        s.city_at[tile] = -1
        s.army[tile] = -1
        s.stack[tile] = 0
        s.guards[tile] = 0
        s.steps[tile] = 0
        s.queue[tile] = 0
        for seat in range(SEATS):
            s.seen[seat, tile] = 0
            s.sight[seat, tile] = 0


@njit(cache=True)
def clear_seat(rules, s, seat):
    """A seat at the start, without cities and units."""
    plays = seat < rules.num_players
    s.techs[seat] = 0
    s.gold[seat] = GOLD if plays else 0
    s.bulbs[seat] = 0
    s.score[seat] = 0
    s.units_built[seat] = 0
    s.units_killed[seat] = 0
    s.units_lost[seat] = 0
    s.tax[seat] = TAX
    s.luxury[seat] = LUXURY
    s.science[seat] = SCIENCE
    s.government[seat] = DESPOTISM
    s.next_government[seat] = DESPOTISM
    s.anarchy_left[seat] = 0
    s.researching[seat] = -1
    s.discovered[seat] = 0
    s.founded[seat] = 0
    s.alive[seat] = plays
    s.embassy[seat] = 0
    s.contact[seat] = 0
    s.peace[seat] = (1 << rules.num_players) - 1 if rules.is_peace and plays else 0
    s.peace[seat] &= 0xFF ^ (1 << seat)
    s.cancelled[seat] = 0
    s.proposed[seat] = 0
    for other in range(SEATS):
        treaties.clear_offer(s, seat, other)
    clear_assets(s, seat)


@njit(cache=True)
def clear_assets(s, seat):
    """A seat has no cities and no units."""
    for city in range(MOST_CITIES):
        towns.clear_city(s, seat, city)
    for unit in range(MOST_UNITS):
        troops.clear_unit(s, seat, unit)


@njit(cache=True)
def begin_world(rules, s, seed):
    """Write the start: the map by the seed, and the same units for each seat on one tile."""
    seed_rng(s, seed)
    clear_tiles(s)
    for seat in range(SEATS):
        clear_seat(rules, s, seat)
    for wonder in range(WONDERS):
        s.wonder_owner[wonder] = NOT_BUILT
    s.philosophy = 0
    s.over = 0
    s.turn = 1
    make_world(rules, s, random_uint64(s))
    for seat in range(rules.num_players):
        tile = np.int64(s.city_tile[seat, 0])
        s.city_tile[seat, 0] = -1
        for kind in range(NUM_UNITS):
            for _ in range((rules.start >> 4 * kind) & 15):
                troops.add_unit(rules, s, seat, kind, tile, -1, 0)
