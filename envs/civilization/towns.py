"""Cities: founding, taking, losing, and a city's turn of growth and production."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization import output, troops
from stratagym.envs.civilization.combat import owns_wonder
from stratagym.envs.civilization.geography import neighbour, row_of, tile_at
from stratagym.envs.civilization.sight import CITY_SIGHT, close_sight, meet, open_sight
from stratagym.envs.civilization.state import (
    CHOOSING,
    FOUNDED_NOW,
    FREE_CHANGE,
    LOST,
    MOST_CITIES,
    MOST_UNITS,
    NO_TILE,
    NOT_BUILT,
    SEAT_AT,
    WONDERS,
)
from stratagym.envs.civilization.tables import (
    BARRACKS,
    BUILDING_COST,
    BUILDING_NEEDS,
    BUILDING_TECH,
    COINAGE,
    FIRST_WONDER,
    GRANARY,
    GREAT_LIBRARY,
    HARBOR,
    ITEM_BUILDING,
    ITEM_CLASS,
    ITEM_COINAGE,
    ITEM_COST,
    MARCO_POLO,
    MUSKETEERS,
    NUM_TECHS,
    OCEAN,
    PALACE,
    PIKEMEN,
    PYRAMIDS,
    ROAD,
    ROOTS,
    SETTLERS,
    SUN_TZU,
    UNIT_OBSOLETE,
    UNIT_TECH,
    WARRIORS,
)

LARGE, LARGE_RADIUS = 8, 10
"""From this size on a city's borders have this squared radius, else that of its fields."""


@njit(cache=True)
def knows(s, seat, tech):
    """Whether a seat has a tech; ``NEVER`` needs none."""
    return tech < 0 or (np.int64(s.techs[seat]) >> tech) & 1 == 1


@njit(cache=True)
def has_roots(s, seat, tech):
    """Whether a seat could research a tech next."""
    return ROOTS[tech] & ~s.techs[seat] == 0 and not knows(s, seat, tech)


@njit(cache=True)
def can_found(rules, s, seat, tile):
    """Whether a city may be founded on a tile."""
    if s.city_at[tile] >= 0 or (s.owner[tile] >= 0 and s.owner[tile] != seat):
        return False
    for direction in range(8):
        near = neighbour(rules, tile, direction)
        if near >= 0 and s.city_at[near] >= 0:
            return False
    return troops.count_cities(s, seat) < MOST_CITIES


@njit(cache=True)
def claim(rules, s, seat, city):
    """Take the tiles within a city's borders that nobody owns."""
    centre = np.int64(s.city_tile[seat, city])
    y = row_of(rules, centre)
    x = centre - y * rules.width
    radius = LARGE_RADIUS if s.city_size[seat, city] >= LARGE else output.CITY_RADIUS
    for dy in range(-3, 4):
        for dx in range(-3, 4):
            if dx * dx + dy * dy <= radius:
                tile = tile_at(rules, x + dx, y + dy)
                if tile >= 0 and s.owner[tile] < 0:
                    s.owner[tile] = seat
                    s.town[tile] = city


@njit(cache=True)
def clear_city(s, seat, city):
    """Leave a place of the table of cities empty."""
    s.city_built[seat, city] = 0
    s.city_tile[seat, city] = NO_TILE
    s.city_food[seat, city] = 0
    s.city_shields[seat, city] = 0
    s.city_founded[seat, city] = 0
    s.city_size[seat, city] = 0
    s.city_item[seat, city] = 0
    s.city_flags[seat, city] = 0
    s.city_unrest[seat, city] = 0
    s.city_name[seat, city] = 0


@njit(cache=True)
def default_item(s, seat):
    """What a new city makes: the cheapest land defender that is not obsolete."""
    if not knows(s, seat, UNIT_OBSOLETE[WARRIORS]):
        return WARRIORS
    return PIKEMEN if not knows(s, seat, UNIT_OBSOLETE[PIKEMEN]) else MUSKETEERS


@njit(cache=True)
def free_city(s, seat):
    """A free place in a seat's table of cities."""
    for city in range(MOST_CITIES):
        if s.city_tile[seat, city] < 0:
            return city
    return -1


@njit(cache=True)
def settle(rules, s, seat, city, tile, size):
    """Put a city of a seat on a tile: borders, sight, contact."""
    s.city_tile[seat, city] = tile
    s.city_size[seat, city] = size
    s.city_at[tile] = seat << SEAT_AT | city
    if s.owner[tile] == seat:  # within the borders of another of its cities
        s.town[tile] = city
        s.worker[tile] = -1
    claim(rules, s, seat, city)
    open_sight(rules, s, seat, tile, CITY_SIGHT)
    meet(rules, s, seat, tile)


@njit(cache=True)
def found(rules, s, seat, tile):
    """A seat founds a city on a tile; its first one has the Palace."""
    city = free_city(s, seat)
    clear_city(s, seat, city)
    s.city_founded[seat, city] = s.turn
    s.city_item[seat, city] = default_item(s, seat)
    s.city_flags[seat, city] = CHOOSING | FREE_CHANGE | FOUNDED_NOW
    s.city_name[seat, city] = seat * 64 + s.founded[seat] % 64
    if s.founded[seat] == 0:
        s.city_built[seat, city] = 1 << PALACE
    if s.founded[seat] < 255:
        s.founded[seat] += 1
    s.works[tile] = ROAD
    settle(rules, s, seat, city, tile, 1)
    output.arrange(rules, s, seat, city)


@njit(cache=True)
def lose_city(rules, s, seat, city):
    """A city is gone from a seat: its fields are nobody's, its units disbanded, its citizens off.

    Its neighbours of any seat then take what fields lie within their borders.
    """
    tile = np.int64(s.city_tile[seat, city])
    for unit in range(MOST_UNITS):
        if s.unit_type[seat, unit] >= 0 and s.unit_home[seat, unit] == city:
            troops.remove_unit(rules, s, seat, unit)
    for field in range(rules.width * rules.height):
        if s.owner[field] == seat:
            if s.worker[field] == city:
                s.worker[field] = -1
            if s.town[field] == city:
                s.owner[field] = -1
                s.town[field] = -1
                s.worker[field] = -1
    s.city_at[tile] = -1
    for wonder in range(WONDERS):
        if (s.city_built[seat, city] >> (FIRST_WONDER + wonder)) & 1:
            s.wonder_owner[wonder] = LOST
    clear_city(s, seat, city)
    close_sight(rules, s, seat, tile, CITY_SIGHT)


@njit(cache=True)
def reclaim(rules, s):
    """All cities take what lies within their borders and nobody owns."""
    for seat in range(rules.num_players):
        for city in range(MOST_CITIES):
            if s.city_tile[seat, city] >= 0:
                claim(rules, s, seat, city)


@njit(cache=True)
def take(rules, s, seat, loser, city):
    """A seat takes an empty city: one citizen dies, of size 1 the city with it.

    The captor has a share of the loser's gold, and the first tech that it could research.
    """
    size = np.int64(s.city_size[loser, city])
    tile = np.int64(s.city_tile[loser, city])
    loot = np.int64(s.gold[loser]) // troops.count_cities(s, loser)
    s.gold[loser] -= loot
    s.gold[seat] += loot
    for tech in range(NUM_TECHS):
        if knows(s, loser, tech) and has_roots(s, seat, tech):
            s.techs[seat] |= np.uint64(1) << np.uint64(tech)
            if s.researching[seat] == tech:
                s.researching[seat] = -1
                s.discovered[seat] = 1
            break
    built, food = np.int64(s.city_built[loser, city]), np.int64(s.city_food[loser, city])
    name, founded_in = s.city_name[loser, city], s.city_founded[loser, city]
    lose_city(rules, s, loser, city)
    if size > 1:
        own = free_city(s, seat)
        clear_city(s, seat, own)
        s.city_built[seat, own] = built & ~(1 << PALACE)
        s.city_food[seat, own] = min(food, output.granary(size - 1))
        s.city_name[seat, own] = name
        s.city_founded[seat, own] = founded_in
        s.city_item[seat, own] = default_item(s, seat)
        s.city_flags[seat, own] = CHOOSING | FREE_CHANGE | FOUNDED_NOW
        for wonder in range(WONDERS):
            if (built >> (FIRST_WONDER + wonder)) & 1:
                s.wonder_owner[wonder] = seat
        settle(rules, s, seat, own, tile, size - 1)
    reclaim(rules, s)
    if size > 1:
        output.arrange(rules, s, seat, own)


# --- production ----------------------------------------------------------------------------------


@njit(cache=True)
def is_coastal(rules, s, tile):
    """Whether the sea is next to a tile."""
    for direction in range(8):
        near = neighbour(rules, tile, direction)
        if near >= 0 and s.terrain[near] == OCEAN:
            return True
    return False


@njit(cache=True)
def can_make(rules, s, seat, city, item):
    """Whether a city may make an item: a unit, or what comes after ``ITEM_BUILDING``."""
    if item < ITEM_BUILDING:
        obsolete = UNIT_OBSOLETE[item]
        return knows(s, seat, UNIT_TECH[item]) and (obsolete < 0 or not knows(s, seat, obsolete))
    building = item - ITEM_BUILDING
    if building == COINAGE:
        return True
    if not knows(s, seat, BUILDING_TECH[building]) or (s.city_built[seat, city] >> building) & 1:
        return False
    if building >= FIRST_WONDER:
        return s.wonder_owner[building - FIRST_WONDER] == NOT_BUILT
    needs = BUILDING_NEEDS[building]
    if needs >= 0 and not (s.city_built[seat, city] >> needs) & 1:
        return False
    return building != HARBOR or is_coastal(rules, s, np.int64(s.city_tile[seat, city]))


@njit(cache=True)
def price(s, seat, city):
    """Gold for what is missing of a city's item: 2 r + r^2 / 20, twice that with nothing in stock.

    0 where there is nothing to buy.
    """
    item = s.city_item[seat, city]
    missing = ITEM_COST[item] - np.int64(s.city_shields[seat, city])
    if item == ITEM_COINAGE or missing <= 0:
        return 0
    gold = 2 * missing + missing * missing // 20
    return 2 * gold if s.city_shields[seat, city] <= 0 else gold


@njit(cache=True)
def change_item(s, seat, city, item):
    """Let a city make something else; a change of class loses half of the shields."""
    is_free = s.city_flags[seat, city] & FREE_CHANGE
    if ITEM_CLASS[item] != ITEM_CLASS[s.city_item[seat, city]] and not is_free:
        s.city_shields[seat, city] //= 2
    s.city_item[seat, city] = item
    s.city_flags[seat, city] &= 0xFF ^ FREE_CHANGE


@njit(cache=True)
def grow(rules, s, seat, city, surplus):
    """Add a surplus of food; a city grows, or loses a citizen or Settlers that it feeds."""
    size = np.int64(s.city_size[seat, city])
    stock = np.int64(s.city_food[seat, city]) + surplus
    full = output.granary(size)
    if stock >= full:
        stock = full
        if size < output.size_limit(s, seat, city):
            kept = 2 * ((s.city_built[seat, city] >> GRANARY) & 1)
            kept += owns_wonder(s, seat, PYRAMIDS)
            stock = full * kept // 4
            s.city_size[seat, city] = size + 1
            if size + 1 == LARGE:
                claim(rules, s, seat, city)
    elif stock < 0:
        stock = 0
        if size > 1:
            s.city_size[seat, city] = size - 1
        else:
            for unit in range(MOST_UNITS):
                if s.unit_type[seat, unit] == SETTLERS and s.unit_home[seat, unit] == city:
                    troops.remove_unit(rules, s, seat, unit)
                    break
    s.city_food[seat, city] = stock


@njit(cache=True)
def disband_newest(rules, s, seat, city):
    """The newest unit that a city supports is disbanded; false if there is none."""
    newest = -1
    for unit in range(MOST_UNITS):
        if (
            s.unit_type[seat, unit] >= 0
            and s.unit_home[seat, unit] == city
            and (newest < 0 or s.unit_born[seat, unit] >= s.unit_born[seat, newest])
        ):
            newest = unit
    if newest >= 0:
        troops.remove_unit(rules, s, seat, newest)
    return newest >= 0


@njit(cache=True)
def finish_building(s, seat, city, building):
    """A building or wonder stands; a second Palace moves the capital."""
    if building == PALACE:
        for other in range(MOST_CITIES):
            s.city_built[seat, other] &= 0xFFFFFFFF ^ (1 << PALACE)
    if building >= FIRST_WONDER:
        s.wonder_owner[building - FIRST_WONDER] = seat
    s.city_built[seat, city] |= np.int64(1) << building


@njit(cache=True)
def produce(rules, s, seat, city, surplus):
    """Add a surplus of shields and make what is finished; returns the gold of Coinage."""
    while surplus < 0:
        if not disband_newest(rules, s, seat, city):
            surplus = 0
        else:
            surplus += 1
    item = np.int64(s.city_item[seat, city])
    if not can_make(rules, s, seat, city, item):
        item = ITEM_COINAGE
        s.city_item[seat, city] = item
        s.city_flags[seat, city] |= CHOOSING | FREE_CHANGE
    if item == ITEM_COINAGE:
        return surplus
    stock = np.int64(s.city_shields[seat, city]) + surplus
    cost = ITEM_COST[item]
    if stock >= cost:
        if item >= ITEM_BUILDING:
            finish_building(s, seat, city, item - ITEM_BUILDING)
            s.city_item[seat, city] = ITEM_COINAGE
            s.city_flags[seat, city] |= CHOOSING | FREE_CHANGE
            stock -= cost
        elif item != SETTLERS or s.city_size[seat, city] > 1:
            taught = (s.city_built[seat, city] >> BARRACKS) & 1 or owns_wonder(s, seat, SUN_TZU)
            tile = np.int64(s.city_tile[seat, city])
            level = 1 if taught and item != SETTLERS else 0
            if troops.add_unit(rules, s, seat, item, tile, city, level) >= 0:
                stock -= cost
                s.units_built[seat] += 1
                s.city_flags[seat, city] |= CHOOSING
                if item == SETTLERS:
                    s.city_size[seat, city] -= 1
    s.city_shields[seat, city] = min(stock, 2 * cost)
    return 0


@njit(cache=True)
def has_embassy(s, seat, other):
    """Whether a seat has an embassy with another, by treaty or by Marco Polo."""
    return (s.embassy[seat] >> other) & 1 == 1 or owns_wonder(s, seat, MARCO_POLO)


@njit(cache=True)
def copied_by_library(rules, s, seat):
    """The tech that the Great Library brings its owner, or -1.

    One that two others know with whom there are embassies; where two play, the other.
    """
    if not owns_wonder(s, seat, GREAT_LIBRARY):
        return -1
    needed = 1 if rules.num_players == 2 else 2
    for tech in range(NUM_TECHS):
        if has_roots(s, seat, tech):
            known = 0
            for other in range(rules.num_players):
                if other != seat and knows(s, other, tech):
                    known += has_embassy(s, seat, other)
            if known >= needed:
                return tech
    return -1


@njit(cache=True)
def sell_dearest(s, seat):
    """The dearest building of the first city that has one is sold for its cost; false if none."""
    for city in range(MOST_CITIES):
        if s.city_tile[seat, city] < 0:
            continue
        dearest = -1
        for building in range(FIRST_WONDER):
            if (
                building != PALACE
                and (s.city_built[seat, city] >> building) & 1
                and (dearest < 0 or BUILDING_COST[building] > BUILDING_COST[dearest])
            ):
                dearest = building
        if dearest >= 0:
            s.city_built[seat, city] &= 0xFFFFFFFF ^ (1 << dearest)
            s.gold[seat] += BUILDING_COST[dearest]
            return True
    return False
