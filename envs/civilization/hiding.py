"""Drawing anew what a seat does not know.

A seat knows its own cities, units and treasury, what it sees, what it remembers of tiles out of its
sight, the seats' wonders and who is alive; with an embassy another's gold, techs, government and
score. From that and the generator alone everything else is made: unknown land by the rules of maps,
remembered units where they were seen last, a garrison in every remembered city out of sight, and a
home for those of whom nothing is known.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization import output, sight, start, towns, treaties, troops, turns
from stratagym.envs.civilization.geography import row_of, tile_at
from stratagym.envs.civilization.state import (
    ARMY_AT,
    COUNCIL,
    COUNT_AT,
    FORTIFIED,
    IDLE,
    MOST_CITIES,
    MOST_COUNTED,
    MOST_UNITS,
    OWNER_AT,
    SEAT_AT,
    SEATS,
    SIZE_AT,
    TREATIES,
    TYPE_AT,
    WALLS_AT,
    WONDERS,
)
from stratagym.envs.civilization.tables import (
    CITY_WALLS,
    DESPOTISM,
    FIRST_WONDER,
    FRAGMENTS,
    GRASSLAND,
    MOVES,
    NUM_TECHS,
    OCEAN,
    PALACE,
    ROAD,
    SETTLERS,
)
from stratagym.envs.civilization.worldmap import draw_map
from stratagym.envs.core import random_below, random_uint64

EARLY = 10
"""Turns in which a seat of which nothing is known is taken to have Settlers and no city."""
MOST_GOLD = 200


@njit(cache=True)
def determinize(rules, s, player):
    """Redraw all that a seat cannot know, from what it knows and ``rng`` alone."""
    write_down(rules, s, player)
    draw_map(rules, s, random_uint64(s), player)
    for other in range(rules.num_players):
        if other != player:
            keep_visible_units(s, player, other)
            redraw_seat(rules, s, player, other)
    redraw_tiles(rules, s, player)
    place_cities(rules, s, player, True)
    place_cities(rules, s, player, False)
    place_units(rules, s, player)
    for other in range(rules.num_players):
        if other != player and s.alive[other]:
            find_home(rules, s, player, other)
            finish_seat(rules, s, player, other)
    forget(rules, s, player)
    if s.player != player:
        redraw_cursor(s, player)


@njit(cache=True)
def write_down(rules, s, player):
    """Put what a seat sees of each tile into its memory, for a while."""
    for tile in range(rules.width * rules.height):
        if s.sight[player, tile] > 0:
            s.seen[player, tile] = sight.as_it_is(s, player, tile)


@njit(cache=True)
def forget(rules, s, player):
    """Take what a seat sees out of its memory again."""
    for tile in range(rules.width * rules.height):
        if s.sight[player, tile] > 0:
            s.seen[player, tile] = 0


@njit(cache=True)
def swap_units(s, seat, a, b):
    """Two places of a table of units change their contents."""
    s.unit_tile[seat, a], s.unit_tile[seat, b] = s.unit_tile[seat, b], s.unit_tile[seat, a]
    s.unit_type[seat, a], s.unit_type[seat, b] = s.unit_type[seat, b], s.unit_type[seat, a]
    s.unit_hp[seat, a], s.unit_hp[seat, b] = s.unit_hp[seat, b], s.unit_hp[seat, a]
    s.unit_level[seat, a], s.unit_level[seat, b] = s.unit_level[seat, b], s.unit_level[seat, a]
    s.unit_order[seat, a], s.unit_order[seat, b] = s.unit_order[seat, b], s.unit_order[seat, a]


@njit(cache=True)
def keep_visible_units(s, player, other):
    """Of another seat's units keep what is seen of those in sight, by their tiles."""
    is_to_come = other >= s.player
    for unit in range(MOST_UNITS):
        kind, tile = np.int64(s.unit_type[other, unit]), np.int64(s.unit_tile[other, unit])
        if kind < 0 or s.sight[player, tile] == 0:
            troops.clear_unit(s, other, unit)
            continue
        hp, level = np.int64(s.unit_hp[other, unit]), np.int64(s.unit_level[other, unit])
        order = FORTIFIED if s.unit_order[other, unit] == FORTIFIED else IDLE
        troops.clear_unit(s, other, unit)
        s.unit_type[other, unit] = kind
        s.unit_tile[other, unit] = tile
        s.unit_hp[other, unit] = hp
        s.unit_level[other, unit] = level
        s.unit_order[other, unit] = order
    for unit in range(1, MOST_UNITS):
        k = unit
        while k > 0 and s.unit_type[other, k] >= 0:
            if (
                s.unit_type[other, k - 1] >= 0
                and s.unit_tile[other, k - 1] <= s.unit_tile[other, k]
            ):
                break
            swap_units(s, other, k - 1, k)
            k -= 1
    for unit in range(MOST_UNITS):
        kind = np.int64(s.unit_type[other, unit])
        if kind >= 0 and is_to_come:
            s.unit_moves[other, unit] = FRAGMENTS * MOVES[kind]


@njit(cache=True)
def redraw_seat(rules, s, player, other):
    """Another seat's treasury, techs and relations as a seat may take them to be."""
    gold, score = np.int64(s.gold[other]), np.int64(s.score[other])
    techs, government = s.techs[other], np.int64(s.government[other])
    alive = np.int64(s.alive[other])
    is_peace = (s.peace[player] >> other) & 1
    is_cancelled = (s.cancelled[player] >> other) & 1
    offer, gives = np.int64(s.offer[other, player]), np.int64(s.offer_gives[other, player])
    takes, paid = np.int64(s.offer_takes[other, player]), np.int64(s.offer_gold[other, player])
    for city in range(MOST_CITIES):
        towns.clear_city(s, other, city)
    clear_relations(rules, s, player, other)
    s.alive[other] = alive
    if not is_peace:
        s.peace[other] &= 0xFF ^ (1 << player)
    else:
        s.peace[other] |= 1 << player
    s.cancelled[other] = is_cancelled << player
    s.offer[other, player] = offer
    s.offer_gives[other, player] = gives
    s.offer_takes[other, player] = takes
    s.offer_gold[other, player] = paid
    if towns.has_embassy(s, player, other):
        s.gold[other] = gold
        s.techs[other] = techs
        s.government[other] = government
        s.score[other] = score
    else:
        s.gold[other] = random_below(s, MOST_GOLD)
        for _ in range(count_techs(s, player)):
            learn_something(s, other)
    turns.keep_rates(s, other)
    s.researching[other] = turns.cheapest_tech(s, other)
    if s.researching[other] >= 0:
        s.bulbs[other] = random_below(s, turns.tech_cost(rules, np.int64(s.researching[other])) + 1)


@njit(cache=True)
def clear_relations(rules, s, player, other):
    """A seat's numbers as at the start, but for what it has with a seat that knows of it."""
    has_met = (s.contact[player] >> other) & 1
    exchanged = (s.embassy[player] >> other) & 1
    is_offered = s.offer[player, other] >= 0
    s.techs[other] = 0
    s.bulbs[other] = 0
    s.score[other] = 0
    s.units_built[other] = 0
    s.units_killed[other] = 0
    s.units_lost[other] = 0
    s.tax[other] = start.TAX
    s.luxury[other] = start.LUXURY
    s.science[other] = start.SCIENCE
    s.government[other] = DESPOTISM
    s.next_government[other] = DESPOTISM
    s.anarchy_left[other] = 0
    s.researching[other] = -1
    s.discovered[other] = 0
    s.founded[other] = 0
    s.contact[other] = has_met << player
    s.embassy[other] = exchanged << player
    s.peace[other] = (1 << rules.num_players) - 1 if rules.is_peace else 0
    s.peace[other] &= 0xFF ^ (1 << other)
    s.proposed[other] = 1 << player if is_offered else 0
    for third in range(SEATS):
        treaties.clear_offer(s, other, third)


@njit(cache=True)
def count_techs(s, seat):
    """How many techs a seat has."""
    count = 0
    for tech in range(NUM_TECHS):
        count += towns.knows(s, seat, tech)
    return count


@njit(cache=True)
def learn_something(s, seat):
    """A tech within a seat's reach, any of them."""
    within = 0
    for tech in range(NUM_TECHS):
        within += towns.has_roots(s, seat, tech)
    if within == 0:
        return
    left = random_below(s, within)
    for tech in range(NUM_TECHS):
        if towns.has_roots(s, seat, tech):
            if left == 0:
                s.techs[seat] |= np.uint64(1) << np.uint64(tech)
                return
            left -= 1


@njit(cache=True)
def redraw_tiles(rules, s, player):
    """Works, owners and armies of all tiles, as a seat knows them; its own as they are."""
    for tile in range(rules.width * rules.height):
        known = np.int64(s.seen[player, tile])
        owner = ((known >> OWNER_AT) & 7) - 1
        s.works[tile] = known & 7
        if s.owner[tile] != player:
            s.owner[tile] = owner if owner != player else -1
            s.town[tile] = -1
            s.worker[tile] = -1
        if s.city_at[tile] >= 0 and s.city_at[tile] >> SEAT_AT != player:
            s.city_at[tile] = -1
        s.army[tile] = -1
        s.stack[tile] = 0
        s.guards[tile] = 0
        s.known[tile] &= 1 << player
        for other in range(SEATS):
            if other != player:
                s.seen[other, tile] = 0
                s.sight[other, tile] = 0
    for seat in range(rules.num_players):
        for unit in range(MOST_UNITS):
            if s.unit_type[seat, unit] >= 0:
                troops.stand(s, seat, unit, np.int64(s.unit_tile[seat, unit]))


@njit(cache=True)
def place_cities(rules, s, player, in_sight):
    """Put the cities of others that a seat sees, or remembers, where they are."""
    for tile in range(rules.width * rules.height):
        known = np.int64(s.seen[player, tile])
        size, owner = (known >> SIZE_AT) & 31, ((known >> OWNER_AT) & 7) - 1
        if size == 0 or owner < 0 or owner == player or (s.sight[player, tile] > 0) != in_sight:
            continue
        if s.alive[owner]:
            put_city(rules, s, player, owner, tile, size, (known >> WALLS_AT) & 1)


@njit(cache=True)
def put_city(rules, s, player, owner, tile, size, has_walls):
    """A city of which no more than its size and walls are known."""
    city = towns.free_city(s, owner)
    if city < 0:
        return
    s.city_tile[owner, city] = tile
    s.city_size[owner, city] = size
    s.city_built[owner, city] = has_walls << CITY_WALLS
    s.city_item[owner, city] = towns.default_item(s, owner)
    s.city_food[owner, city] = random_below(s, output.granary(size))
    s.city_name[owner, city] = owner * 64 + city
    s.city_at[tile] = owner << SEAT_AT | city
    s.works[tile] |= ROAD
    if city == 0:
        s.city_built[owner, city] |= 1 << PALACE
        for wonder in range(WONDERS):
            if s.wonder_owner[wonder] == owner:
                s.city_built[owner, city] |= np.int64(1) << (FIRST_WONDER + wonder)
    s.founded[owner] = city + 1
    s.owner[tile] = owner
    y = row_of(rules, tile)
    x = tile - y * rules.width
    for dy in range(-3, 4):
        for dx in range(-3, 4):
            if dx * dx + dy * dy <= towns.LARGE_RADIUS:
                near = tile_at(rules, x + dx, y + dy)
                if near < 0 or s.town[near] >= 0:
                    continue
                is_within = dx * dx + dy * dy <= output.CITY_RADIUS or size >= towns.LARGE
                if s.owner[near] < 0 and s.sight[player, near] == 0 and is_within:
                    s.owner[near] = owner
                if s.owner[near] == owner:
                    s.town[near] = city


@njit(cache=True)
def place_units(rules, s, player):
    """Put remembered units where they were seen, and a defender into remembered cities."""
    for tile in range(rules.width * rules.height):
        if s.sight[player, tile] > 0:
            continue
        known = np.int64(s.seen[player, tile])
        army = ((known >> ARMY_AT) & 7) - 1
        if army >= 0 and s.alive[army]:
            for _ in range((known >> COUNT_AT) & MOST_COUNTED):
                put_unit(s, player, army, (known >> TYPE_AT) & 15, tile)
        there = np.int64(s.city_at[tile])
        if there >= 0 and s.army[tile] < 0:
            owner = there >> SEAT_AT
            put_unit(s, player, owner, towns.default_item(s, owner), tile)


@njit(cache=True)
def put_unit(s, player, seat, kind, tile):
    """A unit of which no more than its type is known."""
    unit = troops.free_place(s, seat)
    if unit < 0 or (s.army[tile] >= 0 and s.army[tile] != seat):
        return
    troops.clear_unit(s, seat, unit)
    s.unit_type[seat, unit] = kind
    s.unit_hp[seat, unit] = troops.HIT_POINTS[kind]
    if seat >= s.player:
        s.unit_moves[seat, unit] = FRAGMENTS * MOVES[kind]
    troops.stand(s, seat, unit, tile)


@njit(cache=True)
def find_home(rules, s, player, other):
    """A seat that is alive has a city or Settlers: if none is known, somewhere out of sight."""
    if turns.is_alive(s, other):
        return
    tiles = rules.width * rules.height
    for wants_land in (True, False):
        fitting = 0
        for tile in range(tiles):
            fitting += is_hideout(s, player, tile, wants_land)
        if fitting == 0:
            continue
        left = random_below(s, fitting)
        for tile in range(tiles):
            if is_hideout(s, player, tile, wants_land):
                if left == 0:
                    if s.terrain[tile] == OCEAN:
                        s.terrain[tile] = GRASSLAND
                        s.resource[tile] = 0
                    if s.turn <= EARLY:
                        put_unit(s, player, other, SETTLERS, tile)
                    else:
                        put_city(rules, s, player, other, tile, min(8, s.turn // 12 + 1), 0)
                        put_unit(s, player, other, towns.default_item(s, other), tile)
                    return
                left -= 1


@njit(cache=True)
def is_hideout(s, player, tile, wants_land):
    """Whether something unknown may be on a tile."""
    if s.sight[player, tile] > 0 or s.army[tile] >= 0 or s.city_at[tile] >= 0:
        return False
    if s.owner[tile] >= 0:
        return False
    return s.terrain[tile] != OCEAN or not wants_land


@njit(cache=True)
def finish_seat(rules, s, player, other):
    """Another seat sees what its units and cities see, and its citizens work."""
    for city in range(MOST_CITIES):
        if s.city_tile[other, city] >= 0:
            tile = np.int64(s.city_tile[other, city])
            sight.open_sight(rules, s, other, tile, sight.CITY_SIGHT)
            output.arrange(rules, s, other, city)
    for unit in range(MOST_UNITS):
        if s.unit_type[other, unit] >= 0:
            tile = np.int64(s.unit_tile[other, unit])
            sight.open_sight(rules, s, other, tile, sight.UNIT_SIGHT)
    if not towns.has_embassy(s, player, other):
        s.score[other] = turns.count_score(s, other)


@njit(cache=True)
def redraw_cursor(s, player):
    """What another seat that is to move has decided already is not known: nothing."""
    s.actor = 0
    s.stage = COUNCIL
    s.council = 0
    s.decisions = 0
    s.woken = 0
    s.summoned = 0
    if s.offer[s.player, player] >= 0:
        s.stage = TREATIES
        s.actor = player
