"""What scripted players let cities make, and when they buy."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.civilization import ways
from stratagym.envs.civilization import actions, output
from stratagym.envs.civilization.state import ITEM_ASKED, MOST_CITIES, MOST_UNITS
from stratagym.envs.civilization.tables import (
    AQUEDUCT,
    ATTACK,
    BANK,
    BARRACKS,
    BUILDING_COST,
    CATAPULT,
    CATHEDRAL,
    COLOSSEUM,
    COURTHOUSE,
    DEFENCE,
    FIRST_WONDER,
    GRANARY,
    HARBOR,
    HORSEMEN,
    ITEM_BUILDING,
    ITEM_COINAGE,
    ITEM_COST,
    KNIGHTS,
    LIBRARY,
    MARKETPLACE,
    NUM_BUILDINGS,
    NUM_UNITS,
    PALACE,
    SETTLERS,
    TEMPLE,
    UNIT_COST,
    UNIVERSITY,
    WARRIORS,
    WORKERS,
)
from stratagym.envs.civilization.towns import can_make, price
from stratagym.envs.civilization.troops import count_cities

MOST_WANTED = np.array([0, 12, 5, 9, 12, 12], np.int64)
"""By level: how many cities are aimed at."""


@njit(cache=True)
def count_kind(s, seat, kind):
    """How many units of a type a seat has."""
    count = 0
    for unit in range(MOST_UNITS):
        count += s.unit_type[seat, unit] == kind
    return count


@njit(cache=True)
def count_attackers(s, seat):
    """How many units of a seat have an attack of two or more."""
    count = 0
    for unit in range(MOST_UNITS):
        kind = s.unit_type[seat, unit]
        if kind >= 0 and ATTACK[kind] >= 2:
            count += 1
    return count


@njit(cache=True)
def count_makers(s, seat, city):
    """How many other cities of a seat make Settlers."""
    count = 0
    for other in range(MOST_CITIES):
        if other != city and s.city_tile[seat, other] >= 0:
            count += s.city_item[seat, other] == SETTLERS
    return count


@njit(cache=True)
def best_defender(rules, s, seat, city):
    """The item that defends best of those that a city can make, the cheaper of equals."""
    best = -1
    for kind in range(WARRIORS, NUM_UNITS):
        if ATTACK[kind] == 0 or not can_make(rules, s, seat, city, kind):
            continue
        if best < 0:
            best = kind
        gain = DEFENCE[kind] - DEFENCE[best]
        if gain > 0 or (gain == 0 and UNIT_COST[kind] < UNIT_COST[best]):
            best = kind
    return best


@njit(cache=True)
def best_attacker(rules, s, seat, city):
    """The item with the most attack for its cost of those that a city can make, or -1."""
    best, most = -1, 0
    for kind in range(WARRIORS, NUM_UNITS):
        if can_make(rules, s, seat, city, kind) and ATTACK[kind] >= 2:
            worth = ATTACK[kind] * ATTACK[kind] * 10 // UNIT_COST[kind]
            if kind == HORSEMEN or kind == KNIGHTS or kind == CATAPULT:
                worth += 1
            if worth > most:
                best, most = kind, worth
    return best


@njit(cache=True)
def is_made_elsewhere(s, seat, city, building):
    """Whether another city of a seat makes a building."""
    for other in range(MOST_CITIES):
        if (
            other != city
            and s.city_tile[seat, other] >= 0
            and s.city_item[seat, other] == ITEM_BUILDING + building
        ):
            return True
    return False


@njit(cache=True)
def building_gain(rules, s, seat, city, building, level):
    """What a building brings a turn, in hundredths of a point."""
    accounts = output.balance(rules, s, seat, city)
    trade, tax, luxury, science = accounts[2], accounts[3], accounts[4], accounts[5]
    happy, unhappy = accounts[6], accounts[7]
    size = np.int64(s.city_size[seat, city])
    if building >= FIRST_WONDER:
        is_time = count_cities(s, seat) >= 5 or s.turn > rules.turns // 2
        if level < 3 or not is_time or is_made_elsewhere(s, seat, city, building):
            return 0
        return 500
    if building == TEMPLE or building == COLOSSEUM or building == CATHEDRAL:
        if unhappy > happy:
            return 60 * size
        return 60 if size >= 4 and unhappy >= happy else 0
    if building == LIBRARY or building == UNIVERSITY:
        return 12 * science
    if building == MARKETPLACE or building == BANK:
        return 5 * (tax + luxury)
    if building == GRANARY:
        return 0
    if building == AQUEDUCT:
        return 150 if size >= 7 and accounts[0] > 0 else 0
    if building == HARBOR:
        return 15 * size if accounts[0] < 3 else 5
    if building == COURTHOUSE:
        return 4 * (trade // 3)
    if building == BARRACKS or building == PALACE:
        return 0
    return 0


@njit(cache=True)
def best_building(rules, s, seat, city, level):
    """The item of the building with the most gain for what it costs and takes, or -1."""
    shields = max(1, output.balance(rules, s, seat, city)[1])
    best, most = -1, 0
    for building in range(NUM_BUILDINGS):
        item = ITEM_BUILDING + building
        if not (can_make(rules, s, seat, city, item) or item == s.city_item[seat, city]):
            continue
        takes = BUILDING_COST[building] // shields
        left = rules.turns - s.turn - takes
        if left <= 0:
            continue
        gain = building_gain(rules, s, seat, city, building, level)
        if building < FIRST_WONDER:
            gain = gain * left // 10
        worth = 100 * gain // BUILDING_COST[building]
        if worth > most:
            best, most = item, worth
    return best


@njit(cache=True)
def wanted_item(rules, s, seat, city, level):
    """What a city should make."""
    tile = np.int64(s.city_tile[seat, city])
    cities, settlers = count_cities(s, seat), count_kind(s, seat, SETTLERS)
    if level == 1:
        return WARRIORS if s.city_item[seat, city] == SETTLERS else SETTLERS
    is_wary = level >= 4
    if ways.garrison(s, seat, tile) < ways.needed(rules, s, seat, city, is_wary):
        return best_defender(rules, s, seat, city)
    left = rules.turns - s.turn
    if level >= 4 and cities >= 3 and left > 15 and (s.turn + city) % 2 == 0:
        item = best_attacker(rules, s, seat, city)
        if item >= 0 and count_attackers(s, seat) < 2 + cities:
            return item
    if cities + settlers < MOST_WANTED[level] and left > 25:
        limit = 1 if level == 2 else 4
        if settlers + count_makers(s, seat, city) < limit:
            return SETTLERS
    workers = count_kind(s, seat, WORKERS)
    if 2 * workers < cities + 1 and left > 30 and can_make(rules, s, seat, city, WORKERS):
        return WORKERS
    item = best_building(rules, s, seat, city, level)
    if item >= 0:
        return item
    return WARRIORS if can_make(rules, s, seat, city, WARRIORS) else ITEM_COINAGE


@njit(cache=True)
def wants_to_buy(rules, s, seat, city, level):
    """Whether an item is worth its price."""
    if level < 3:
        return False
    gold, item = price(s, seat, city), np.int64(s.city_item[seat, city])
    tile = np.int64(s.city_tile[seat, city])
    if (
        item < ITEM_BUILDING
        and ATTACK[item] > 0
        and ways.garrison(s, seat, tile) < ways.needed(rules, s, seat, city, level >= 4)
    ):
        return gold <= s.gold[seat]
    if s.gold[seat] - gold < 30:
        return False
    if item == SETTLERS:
        return s.city_size[seat, city] >= 2 and gold < 80
    return gold <= 2 * ITEM_COST[item] + 20


@njit(cache=True)
def decide(rules, s, legal, n, level):
    """The decision for a city of a player of a level."""
    seat, city = np.int64(s.player), np.int64(s.actor)
    if s.city_flags[seat, city] & ITEM_ASKED:
        return actions.BUY if wants_to_buy(rules, s, seat, city, level) else actions.KEEP
    item = wanted_item(rules, s, seat, city, level)
    if item < 0 or item == s.city_item[seat, city]:
        return actions.KEEP
    now = np.int64(s.city_item[seat, city])
    if now >= ITEM_BUILDING and now != ITEM_COINAGE and s.city_shields[seat, city] > 10:
        # What is begun is finished, unless somebody stands before the gate.
        is_safe = ways.garrison(s, seat, np.int64(s.city_tile[seat, city])) > 0
        if is_safe and level > 1:
            return actions.KEEP
    action = actions.item_action(item)
    for k in range(n):
        if legal[k] == action:
            return action
    return actions.KEEP
