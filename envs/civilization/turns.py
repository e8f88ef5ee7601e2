"""The change of turns: what cities, treasuries, scholars and units come to."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization import output, towns, treaties, troops
from stratagym.envs.civilization.state import (
    CHOOSING,
    FREE_CHANGE,
    MOST_CITIES,
    MOST_UNITS,
    PLACE,
    WONDERS,
)
from stratagym.envs.civilization.tables import (
    ANARCHY,
    ATTACK,
    BARRACKS,
    DEMOCRACY,
    FIRST_WONDER,
    FRAGMENTS,
    HIT_POINTS,
    ITEM_COINAGE,
    LEONARDO,
    LEONARDO_TECH,
    LEONARDO_WORKSHOP,
    MOST_RATE,
    MOVES,
    NUM_TECHS,
    NUM_UNITS,
    OCEAN,
    PHILOSOPHY,
    TECH_COST,
    UPKEEP,
)
from stratagym.envs.civilization.treaties import NOTHING


@njit(cache=True)
def tech_cost(rules, tech):
    """Bulbs of a tech."""
    return TECH_COST[tech] * rules.bulbs // 100


@njit(cache=True)
def cheapest_tech(s, seat):
    """What is researched if nothing is chosen: the cheapest tech within reach, or -1."""
    best = NOTHING
    for tech in range(NUM_TECHS):
        if towns.has_roots(s, seat, tech) and (best < 0 or TECH_COST[tech] < TECH_COST[best]):
            best = tech
    return best


@njit(cache=True)
def learn(s, seat, tech):
    """A seat has found out a tech; Philosophy brings the first who has it another."""
    s.techs[seat] |= np.uint64(1) << np.uint64(tech)
    s.discovered[seat] = 1
    if s.researching[seat] == tech:
        s.researching[seat] = NOTHING
    if tech == PHILOSOPHY and not s.philosophy:
        s.philosophy = 1
        free = cheapest_tech(s, seat)
        if free >= 0:
            s.techs[seat] |= np.uint64(1) << np.uint64(free)


@njit(cache=True)
def research(rules, s, seat):
    """Bulbs become a tech."""
    tech = np.int64(s.researching[seat])
    if tech >= 0 and s.bulbs[seat] >= tech_cost(rules, tech):
        s.bulbs[seat] -= tech_cost(rules, tech)
        learn(s, seat, tech)


@njit(cache=True)
def keep_rates(s, seat):
    """Bring a seat's rates below the most that its government allows."""
    most = MOST_RATE[s.government[seat]]
    s.luxury[seat] = min(np.int64(s.luxury[seat]), most)
    s.science[seat] = min(np.int64(s.science[seat]), most, 100 - np.int64(s.luxury[seat]))
    left = 100 - np.int64(s.luxury[seat]) - np.int64(s.science[seat])
    if left > most:
        s.luxury[seat] += left - most
        left = most
    s.tax[seat] = left


@njit(cache=True)
def revolt(rules, s, seat, government):
    """Anarchy for some turns, then a government."""
    s.government[seat] = ANARCHY
    s.next_government[seat] = government
    s.anarchy_left[seat] = rules.revolution


@njit(cache=True)
def govern(rules, s, seat):
    """A turn less of Anarchy; two turns of disorder bring it upon a Democracy."""
    if s.anarchy_left[seat] > 0:
        s.anarchy_left[seat] -= 1
        if s.anarchy_left[seat] == 0:
            s.government[seat] = s.next_government[seat]
            keep_rates(s, seat)
    elif s.government[seat] == DEMOCRACY:
        for city in range(MOST_CITIES):
            if s.city_unrest[seat, city] >= 2:
                revolt(rules, s, seat, DEMOCRACY)
                break


@njit(cache=True)
def run_cities(rules, s, seat):
    """Food, growth and production of a seat's cities; their gold and bulbs."""
    gold = 0
    for city in range(MOST_CITIES):
        if s.city_tile[seat, city] < 0:
            continue
        accounts = output.balance(rules, s, seat, city)
        food, shields, tax, science = accounts[0], accounts[1], accounts[3], accounts[5]
        is_calm = accounts[7] <= accounts[6]
        s.city_unrest[seat, city] = 0 if is_calm else min(9, s.city_unrest[seat, city] + 1)
        s.bulbs[seat] += science
        gold += tax
        towns.grow(rules, s, seat, city, food)
        gold += towns.produce(rules, s, seat, city, shields)
        for building in range(FIRST_WONDER):
            if (s.city_built[seat, city] >> building) & 1:
                gold -= UPKEEP[building]
    s.gold[seat] = min(30_000, s.gold[seat] + gold)
    while s.gold[seat] < 0:
        if not towns.sell_dearest(s, seat):
            s.gold[seat] = 0


@njit(cache=True)
def rest(s, seat):
    """Units heal that have not moved, and all may move again."""
    for unit in range(MOST_UNITS):
        kind = np.int64(s.unit_type[seat, unit])
        if kind < 0:
            continue
        most, hp = HIT_POINTS[kind], np.int64(s.unit_hp[seat, unit])
        if hp < most and not s.unit_busy[seat, unit]:
            there = np.int64(s.city_at[s.unit_tile[seat, unit]])
            percent = 10
            if there >= 0:
                is_taught = (s.city_built[seat, there & PLACE] >> BARRACKS) & 1
                percent = 100 if is_taught else 33
            s.unit_hp[seat, unit] = min(most, hp + max(1, most * percent // 100))
        s.unit_moves[seat, unit] = FRAGMENTS * MOVES[kind]
        s.unit_busy[seat, unit] = 0
        s.unit_done[seat, unit] = 0


@njit(cache=True)
def modernize(s, seat):
    """Leonardo's Workshop makes one unit a newer one: the first of the lowest type."""
    for kind in range(NUM_UNITS):
        if LEONARDO[kind] < 0 or not towns.knows(s, seat, LEONARDO_TECH[kind]):
            continue
        for unit in range(MOST_UNITS):
            if s.unit_type[seat, unit] == kind:
                s.unit_type[seat, unit] = LEONARDO[kind]
                s.unit_hp[seat, unit] = HIT_POINTS[LEONARDO[kind]]
                return


@njit(cache=True)
def count_score(s, seat):
    """Freeciv's score: citizens, 2 a tech, 5 a wonder, a tenth of the units built, a third of those
    killed."""
    total = 0
    for city in range(MOST_CITIES):
        if s.city_tile[seat, city] >= 0:
            total += s.city_size[seat, city]
    for tech in range(NUM_TECHS):
        total += 2 * towns.knows(s, seat, tech)
    for wonder in range(WONDERS):
        total += 5 * (s.wonder_owner[wonder] == seat)
    return total + s.units_built[seat] // 10 + s.units_killed[seat] // 3


@njit(cache=True)
def is_alive(s, seat):
    """Whether a seat has a city or Settlers."""
    if troops.count_cities(s, seat):
        return True
    for unit in range(MOST_UNITS):
        if s.unit_type[seat, unit] == 0:
            return True
    return False


@njit(cache=True)
def bury(rules, s):
    """Seats without a city and Settlers are out; with one left the game is over."""
    living = 0
    for seat in range(rules.num_players):
        if s.alive[seat] and not is_alive(s, seat):
            s.alive[seat] = 0
            for unit in range(MOST_UNITS):
                if s.unit_type[seat, unit] >= 0:
                    troops.remove_unit(rules, s, seat, unit)
            for other in range(rules.num_players):
                treaties.clear_offer(s, seat, other)
                treaties.clear_offer(s, other, seat)
            s.score[seat] = count_score(s, seat)
        living += s.alive[seat]
    if living <= 1:
        s.over = 1


@njit(cache=True)
def refresh_cities(rules, s, seat):
    """Citizens go where they are wanted, and the flags of the turn are cleared."""
    for city in range(MOST_CITIES):
        if s.city_tile[seat, city] < 0:
            continue
        output.arrange(rules, s, seat, city)
        kept = CHOOSING | FREE_CHANGE
        if s.city_item[seat, city] == ITEM_COINAGE:
            s.city_shields[seat, city] = min(s.city_shields[seat, city], 9999)
        s.city_flags[seat, city] &= kept
        if s.turn % 10 == 0:
            s.city_flags[seat, city] |= CHOOSING


@njit(cache=True)
def change_turn(rules, s):
    """All that happens between two turns."""
    for seat in range(rules.num_players):
        if s.alive[seat]:
            s.discovered[seat] = 0
            if s.researching[seat] < 0:
                s.researching[seat] = cheapest_tech(s, seat)
            run_cities(rules, s, seat)
            research(rules, s, seat)
            govern(rules, s, seat)
    for seat in range(rules.num_players):
        if s.alive[seat]:
            copied = towns.copied_by_library(rules, s, seat)
            if copied >= 0:
                treaties.give_tech(s, seat, copied)
            if s.wonder_owner[LEONARDO_WORKSHOP - FIRST_WONDER] == seat:
                modernize(s, seat)
            troops.go_on_working(s, seat)
            rest(s, seat)
    treaties.end_cancelled(s)
    bury(rules, s)
    s.turn += 1
    for seat in range(rules.num_players):
        refresh_cities(rules, s, seat)
        s.score[seat] = count_score(s, seat)
    if s.turn > rules.turns:
        s.over = 1


# --- counters of the score log -------------------------------------------------------------------


@njit(cache=True)
def land_of_world(rules, s):
    """Tiles that are no sea."""
    total = 0
    for tile in range(rules.width * rules.height):
        total += s.terrain[tile] != OCEAN
    return total


@njit(cache=True)
def count_fighters(s, seat):
    """Units of a seat with a strength in attack."""
    total = 0
    for unit in range(MOST_UNITS):
        kind = s.unit_type[seat, unit]
        if kind >= 0 and ATTACK[kind] > 0:
            total += 1
    return total
