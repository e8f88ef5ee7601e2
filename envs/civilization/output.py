"""What a city's tiles yield and its citizens feel: output, trade, content, upkeep."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization.combat import owns_wonder
from stratagym.envs.civilization.geography import distance, row_of, tile_at
from stratagym.envs.civilization.state import MOST_CITIES, MOST_UNITS
from stratagym.envs.civilization.tables import (
    AQUEDUCT,
    ATTACK,
    BACH,
    BANK,
    CATHEDRAL,
    COLOSSEUM,
    COLOSSUS,
    CONTENT,
    COPERNICUS,
    COURTHOUSE,
    DESPOTISM,
    EMPIRE_BASE,
    EMPIRE_STEP,
    EXTRA_OUTPUT,
    FREE_UNITS,
    HANGING_GARDENS,
    HARBOR,
    IRRIGATION,
    KING_RICHARD,
    LIBRARY,
    MARKETPLACE,
    MARTIAL_LAW,
    MICHELANGELO,
    MINE,
    MINE_SHIELDS,
    MYSTICISM,
    NEWTON,
    OCEAN,
    ORACLE,
    OUTPUT,
    PALACE,
    PALACE_PERCENT,
    REPUBLIC,
    ROAD,
    ROAD_TRADE,
    SETTLERS,
    SETTLERS_FOOD,
    SEWER,
    SHAKESPEARE,
    TEMPLE,
    THEOLOGY,
    UNIVERSITY,
    UPKEEP,
    WAR_WEARINESS,
    WASTE_BASE,
    WASTE_DISTANCE,
    WORK_TURNS,
)
from stratagym.envs.civilization.troops import count_cities

CITY_RADIUS = 5
"""Square of the radius within which citizens work."""


@njit(cache=True)
def tile_output(s, seat, city, tile):
    """(food, shields, trade) of a tile that a city's citizen works."""
    kind, works = np.int64(s.terrain[tile]), np.int64(s.works[tile])
    food, shields, trade = OUTPUT[kind, 0], OUTPUT[kind, 1], OUTPUT[kind, 2]
    if s.resource[tile]:
        extra = np.int64(s.resource[tile]) - 1
        food += EXTRA_OUTPUT[kind, extra, 0]
        shields += EXTRA_OUTPUT[kind, extra, 1]
        trade += EXTRA_OUTPUT[kind, extra, 2]
    is_centre = s.city_tile[seat, city] == tile
    if works & IRRIGATION or (is_centre and WORK_TURNS[1, kind]):
        food += 1
    if works & MINE:
        shields += MINE_SHIELDS[kind]
    if works & ROAD or is_centre:
        trade += ROAD_TRADE[kind]
    built = np.int64(s.city_built[seat, city])
    if kind == OCEAN:
        food += (built >> HARBOR) & 1
    if shields > 0:
        shields += (built >> KING_RICHARD) & 1
    government = s.government[seat]
    if trade > 0:
        trade += (built >> COLOSSUS) & 1
        if government >= REPUBLIC:
            trade += 1
    if government <= DESPOTISM:
        food -= food > 2
        shields -= shields > 2
        trade -= trade > 2
    if is_centre:
        food, shields = max(food, 1), max(shields, 1)
    return food, shields, trade


@njit(cache=True)
def capital(s, seat):
    """The place of the city with the Palace, or -1."""
    for city in range(MOST_CITIES):
        if s.city_tile[seat, city] >= 0 and (s.city_built[seat, city] >> PALACE) & 1:
            return city
    return -1


@njit(cache=True)
def waste_percent(rules, s, seat, city):
    """Percent of a city's trade that is lost; a seat without a capital loses all it can."""
    government = s.government[seat]
    home = capital(s, seat)
    far = 16
    if home >= 0:
        tile = np.int64(s.city_tile[seat, home])
        far = distance(rules, np.int64(s.city_tile[seat, city]), tile)
    percent = min(100, WASTE_BASE[government] + WASTE_DISTANCE[government] * far)
    built = s.city_built[seat, city]
    if (built >> COURTHOUSE) & 1 or (built >> PALACE) & 1:
        percent //= 2
    return percent


@njit(cache=True)
def count_home(s, seat, city):
    """(units that a city supports, Settlers among them, military units abroad among them)."""
    units = settlers = abroad = 0
    for unit in range(MOST_UNITS):
        if s.unit_type[seat, unit] >= 0 and s.unit_home[seat, unit] == city:
            units += 1
            settlers += s.unit_type[seat, unit] == SETTLERS
            if ATTACK[s.unit_type[seat, unit]] > 0:
                abroad += s.owner[s.unit_tile[seat, unit]] != seat
    return units, settlers, abroad


@njit(cache=True)
def size_limit(s, seat, city):
    """The most citizens that a city's water lets it have."""
    built = s.city_built[seat, city]
    if (built >> AQUEDUCT) & 1 == 0:
        return 8
    return 12 if (built >> SEWER) & 1 == 0 else 30


@njit(cache=True)
def granary(size):
    """The food at which a city of a size grows."""
    return 20 + 10 * (size - 1)


@njit(cache=True)
def content_by_buildings(s, seat, city):
    """How many unhappy citizens buildings and wonders make content."""
    built = np.int64(s.city_built[seat, city])
    knows = np.int64(s.techs[seat])
    calm = 0
    if (built >> TEMPLE) & 1:
        calm += 1 + ((knows >> MYSTICISM) & 1)
        if owns_wonder(s, seat, ORACLE):
            calm += 2
    if (built >> COLOSSEUM) & 1:
        calm += 3
    if (built >> CATHEDRAL) & 1 or owns_wonder(s, seat, MICHELANGELO):
        calm += 3 + ((knows >> THEOLOGY) & 1)
    if owns_wonder(s, seat, BACH):
        calm += 2
    return calm


@njit(cache=True)
def moods(s, seat, city, luxury, abroad):
    """(happy, unhappy) citizens of a city with so much luxury."""
    size = np.int64(s.city_size[seat, city])
    government = s.government[seat]
    over = count_cities(s, seat) - EMPIRE_BASE[government]
    base = CONTENT
    if over > 0:
        base -= 1 + (over - 1) // EMPIRE_STEP[government]
    content = min(size, max(0, base))
    unhappy = size - content
    pairs = luxury // 2
    happy = min(content, pairs)
    content -= happy
    calmed = min(unhappy, pairs - happy)
    calmed += min(unhappy - calmed, content_by_buildings(s, seat, city))
    most = MARTIAL_LAW[government]
    if most:
        guards = np.int64(s.guards[s.city_tile[seat, city]])
        calmed += min(unhappy - calmed, min(most, guards))
    unhappy -= calmed
    content += calmed
    angered = min(content, WAR_WEARINESS[government] * abroad)
    content -= angered
    unhappy += angered
    if owns_wonder(s, seat, HANGING_GARDENS):
        here = (s.city_built[seat, city] >> HANGING_GARDENS) & 1
        happy += min(content, 4 if here else 1)
    if (s.city_built[seat, city] >> SHAKESPEARE) & 1:
        unhappy = 0
    return happy, unhappy


@njit(cache=True)
def shares(total, tax, luxury, science):
    """(tax, luxury, science) of a city's trade by the rates, which sum to 100.

    By largest remainder; of equal remainders science comes first, then tax.
    """
    a, b, c = total * science, total * tax, total * luxury
    left = total - a // 100 - b // 100 - c // 100
    more_a, more_b, more_c = a % 100, b % 100, c % 100
    a, b, c = a // 100, b // 100, c // 100
    for _ in range(left):  # none, one or two
        if more_a >= more_b and more_a >= more_c:
            a += 1
            more_a = -1
        elif more_b >= more_c:
            b += 1
            more_b = -1
        else:
            c += 1
            more_c = -1
    return b, c, a


@njit(cache=True)
def worked_output(rules, s, seat, city):
    """(food, shields, trade) of the tiles that a city's citizens work, the centre's too."""
    centre = np.int64(s.city_tile[seat, city])
    y = row_of(rules, centre)
    x = centre - y * rules.width
    food = shields = trade = 0
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            if dx * dx + dy * dy > CITY_RADIUS:
                continue
            tile = tile_at(rules, x + dx, y + dy)
            if tile >= 0 and s.owner[tile] == seat and s.worker[tile] == city:
                a, b, c = tile_output(s, seat, city, tile)
                food += a
                shields += b
                trade += c
    return food, shields, trade


@njit(cache=True)
def balance(rules, s, seat, city):
    """A city's accounts for a turn, before anything grows or is made.

    Returns:
        (surplus of food, surplus of shields after the units' upkeep, trade after waste, tax,
        luxury, science, happy citizens, unhappy citizens). In disorder, more unhappy than happy,
        shields, tax and science are 0, before upkeep.
    """
    food, shields, trade = worked_output(rules, s, seat, city)
    built = np.int64(s.city_built[seat, city])
    government = s.government[seat]
    if (built >> PALACE) & 1:
        shields += shields * PALACE_PERCENT[government] // 100
    trade -= trade * waste_percent(rules, s, seat, city) // 100
    tax, luxury, science = shares(
        trade, np.int64(s.tax[seat]), np.int64(s.luxury[seat]), np.int64(s.science[seat])
    )
    coins = 50 * ((built >> MARKETPLACE) & 1) + 50 * ((built >> BANK) & 1)
    tax += tax * coins // 100
    luxury += luxury * coins // 100
    wisdom = 100 * ((built >> LIBRARY) & 1) + 150 * ((built >> UNIVERSITY) & 1)
    wisdom += 100 * ((built >> COPERNICUS) & 1)
    wisdom += 100 * ((built >> NEWTON) & (built >> UNIVERSITY) & 1)
    science += science * wisdom // 100
    units, settlers, abroad = count_home(s, seat, city)
    happy, unhappy = moods(s, seat, city, luxury, abroad)
    if unhappy > happy:
        shields = tax = science = 0
    food -= 2 * np.int64(s.city_size[seat, city]) + SETTLERS_FOOD[government] * settlers
    shields -= max(0, units - FREE_UNITS[government])
    return food, shields, trade, tax, luxury, science, happy, unhappy


@njit(cache=True)
def arrange(rules, s, seat, city):
    """Put a city's citizens on tiles.

    One after the other on the free tile with the most 2 food + 2 shields + trade, where food
    counts 6 while the surplus is below 1; of equal ones the nearer, then the lower number.
    """
    centre = np.int64(s.city_tile[seat, city])
    y = row_of(rules, centre)
    x = centre - y * rules.width
    free = 0
    food = 0
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            if dx * dx + dy * dy > CITY_RADIUS:
                continue
            tile = tile_at(rules, x + dx, y + dy)
            if tile < 0 or s.owner[tile] != seat:
                continue
            if s.worker[tile] == city:
                s.worker[tile] = -1
            if s.worker[tile] >= 0:
                continue
            a, b, c = tile_output(s, seat, city, tile)
            if tile == centre:
                s.worker[tile] = city
                food = a
            elif s.city_at[tile] < 0:
                s.queue[free] = tile
                # food, the rest, nearness: apart, as food's weight changes
                s.steps[free] = a << 11 | (2 * b + c) << 4 | (dx * dx + dy * dy)
                free += 1
    size = np.int64(s.city_size[seat, city])
    settlers = count_home(s, seat, city)[1]
    food -= 2 * size + SETTLERS_FOOD[s.government[seat]] * settlers
    for _ in range(size):
        best, most = -1, -1
        weight = 6 if food < 1 else 2
        for k in range(free):
            packed = np.int64(s.steps[k])
            if packed < 0:
                continue
            value = weight * (packed >> 11) + ((packed >> 4) & 127)
            value = value << 4 | 15 - (packed & 15)
            value = value << 10 | 1023 - np.int64(s.queue[k])
            if value > most:
                best, most = k, value
        if best < 0:
            break
        food += np.int64(s.steps[best]) >> 11
        s.worker[s.queue[best]] = city
        s.steps[best] = -1
    for k in range(free):
        s.queue[k] = 0
        s.steps[k] = 0


@njit(cache=True)
def upkeep(building):
    """Gold that a building costs a turn."""
    return UPKEEP[building]
