"""The numbers of actions, and which are legal for whom.

0           done, or keep
1 .. 8      unit: move N NE E SE S SW W NW, attack or conquer there
9 .. 20     unit: see ``FORTIFY`` and so on
24 .. 38    city: make a unit
40 .. 70    city: make a building, a wonder, Coinage
72          city: buy
80 .. 119   player: research a tech
120 .. 124  player: government
125 .. 138  player: rates
139, 140    player: accept, reject the treaty on the table
141 .. 170  player: propose template k to the next seat, the one after it, the third
171 .. 173  player: cancel peace with it
174, 175    player: ask all units, all cities this turn
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization import towns, treaties, troops
from stratagym.envs.civilization.geography import neighbour, seat_after
from stratagym.envs.civilization.output import size_limit
from stratagym.envs.civilization.state import (
    BOUGHT,
    CITIES,
    COUNCIL,
    FORTIFIED,
    ITEM_ASKED,
    PLACE,
    SENTRY,
    TREATIES,
)
from stratagym.envs.civilization.tables import (
    ANARCHY,
    ATTACK,
    CARAVAN,
    COINAGE,
    EXPLORER,
    FIRST_WONDER,
    GOVERNMENT_TECH,
    ITEM_BUILDING,
    MOST_RATE,
    NUM_ITEMS,
    NUM_TECHS,
    SETTLERS,
    WORKERS,
)

KEEP = 0
MOVE = 1
(
    FORTIFY, SENTRY_DUTY, BUILD_CITY, JOIN_CITY, BUILD_ROAD, IRRIGATE, BUILD_MINE, PILLAGE, DISBAND,
    HELP_WONDER, GO_EXPLORE, GO_AUTO,
) = range(9, 21)  # fmt: skip
MAKE_UNIT, MAKE_BUILDING, BUY = 24, 40, 72
RESEARCH, GOVERN, TAXES, LUXURIES = 80, 120, 125, 136
ACCEPT, REJECT, PROPOSE, CANCEL, WAKE, SUMMON = 139, 140, 141, 171, 174, 175
ACTIONS = 192


@njit(cache=True)
def item_action(item):
    """The action that lets a city make an item."""
    return MAKE_UNIT + item if item < ITEM_BUILDING else MAKE_BUILDING + item - ITEM_BUILDING


@njit(cache=True)
def action_item(action):
    """The item of an action that lets a city make one."""
    return action - MAKE_UNIT if action < MAKE_BUILDING else action - MAKE_BUILDING + ITEM_BUILDING


@njit(cache=True)
def rates_of(s, seat, action):
    """(tax, luxury, science) that an action sets."""
    if action < LUXURIES:
        tax = 100 - 10 * (action - TAXES)
        return tax, 0, 100 - tax
    luxury = 10 * (action - LUXURIES + 1)
    tax = max(0, np.int64(s.tax[seat]) + np.int64(s.luxury[seat]) - luxury)
    return tax, luxury, 100 - tax - luxury


@njit(cache=True)
def are_legal_rates(s, seat, action):
    """Whether an action's rates are allowed, and others than now."""
    tax, luxury, science = rates_of(s, seat, action)
    most = MOST_RATE[s.government[seat]]
    if tax > most or science > most or luxury > most or science < 0:
        return False
    return tax != s.tax[seat] or luxury != s.luxury[seat]


@njit(cache=True)
def other_seat(rules, seat, k):
    """The k-th other seat, counted from the next one."""
    return seat_after(rules, seat, k + 1)


@njit(cache=True)
def council_actions(rules, s, seat, out):
    """What the player actor may do."""
    out[0] = KEEP
    n = 1
    if s.researching[seat] < 0 or s.discovered[seat] or rules.free_research:
        for tech in range(NUM_TECHS):
            if tech != s.researching[seat] and towns.has_roots(s, seat, tech):
                out[n] = RESEARCH + tech
                n += 1
    if s.anarchy_left[seat] == 0:
        for government in range(ANARCHY + 1, 5):
            tech = GOVERNMENT_TECH[government]
            if government != s.government[seat] and towns.knows(s, seat, tech):
                out[n] = GOVERN + government
                n += 1
    for action in range(TAXES, ACCEPT):
        if are_legal_rates(s, seat, action):
            out[n] = action
            n += 1
    for k in range(rules.num_players - 1):
        other = other_seat(rules, seat, k)
        if treaties.may_talk(s, seat, other):
            for template in range(treaties.TEMPLATES):
                if treaties.may_propose(rules, s, seat, other, template):
                    out[n] = PROPOSE + k * treaties.TEMPLATES + template
                    n += 1
    for k in range(rules.num_players - 1):
        other = other_seat(rules, seat, k)
        if (s.peace[seat] >> other) & 1 and not (s.cancelled[seat] >> other) & 1 and s.alive[other]:
            out[n] = CANCEL + k
            n += 1
    if not s.woken:
        out[n] = WAKE
        n += 1
    if not s.summoned:
        out[n] = SUMMON
        n += 1
    return n


@njit(cache=True)
def city_actions(rules, s, seat, city, out):
    """What a city may be told: its item, or whether to buy it."""
    out[0] = KEEP
    if s.city_flags[seat, city] & ITEM_ASKED:
        out[1] = BUY
        return 2
    n = 1
    for item in range(NUM_ITEMS):
        if item != s.city_item[seat, city] and towns.can_make(rules, s, seat, city, item):
            out[n] = item_action(item)
            n += 1
    return n


@njit(cache=True)
def builds_wonder(s, seat, city):
    """Whether a city makes a wonder."""
    building = s.city_item[seat, city] - ITEM_BUILDING
    return FIRST_WONDER <= building < COINAGE


@njit(cache=True)
def unit_actions(rules, s, seat, unit, out):
    """What a unit may be told."""
    out[0] = KEEP
    n = 1
    kind, tile = np.int64(s.unit_type[seat, unit]), np.int64(s.unit_tile[seat, unit])
    for direction in range(8):
        goal = neighbour(rules, tile, direction)
        if troops.step_kind(rules, s, seat, unit, goal) != troops.NO_STEP:
            out[n] = MOVE + direction
            n += 1
    fights = ATTACK[kind] > 0
    if fights and s.unit_order[seat, unit] != FORTIFIED:
        out[n] = FORTIFY
        n += 1
    if s.unit_order[seat, unit] != SENTRY:
        out[n] = SENTRY_DUTY
        n += 1
    there = np.int64(s.city_at[tile])
    city = there & PLACE if there >= 0 else -1
    if kind == SETTLERS:
        if towns.can_found(rules, s, seat, tile):
            out[n] = BUILD_CITY
            n += 1
        if city >= 0 and s.city_size[seat, city] < size_limit(s, seat, city):
            out[n] = JOIN_CITY
            n += 1
    if troops.can_build_works(kind):
        for work in range(1, 4):
            if troops.can_work(rules, s, seat, tile, work):
                out[n] = BUILD_ROAD + work - 1
                n += 1
    if fights and city < 0 and s.works[tile] and s.owner[tile] != seat:
        owner = np.int64(s.owner[tile])
        if owner < 0 or not troops.at_peace(s, seat, owner):
            out[n] = PILLAGE
            n += 1
    if kind != SETTLERS or troops.count_cities(s, seat):
        out[n] = DISBAND
        n += 1
    if kind == CARAVAN and city >= 0 and builds_wonder(s, seat, city):
        out[n] = HELP_WONDER
        n += 1
    if fights or kind == EXPLORER:
        out[n] = GO_EXPLORE
        n += 1
    if kind == WORKERS:
        out[n] = GO_AUTO
        n += 1
    return n


@njit(cache=True)
def legal_actions(rules, s, out):
    """The legal actions of the actor, ascending."""
    seat, actor = np.int64(s.player), np.int64(s.actor)
    if s.stage == TREATIES:
        out[0] = ACCEPT
        out[1] = REJECT
        return 2
    if s.stage == COUNCIL:
        return council_actions(rules, s, seat, out)
    if s.stage == CITIES:
        return city_actions(rules, s, seat, actor, out)
    return unit_actions(rules, s, seat, actor, out)


@njit(cache=True)
def may_buy(s, seat, city):
    """Whether a city may be asked to buy its item."""
    gold = towns.price(s, seat, city)
    return 0 < gold <= s.gold[seat] and not s.city_flags[seat, city] & BOUGHT
