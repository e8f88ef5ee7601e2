"""What scripted players decide for the nation: research, rates, government."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization import actions, output, turns
from stratagym.envs.civilization.state import MOST_CITIES
from stratagym.envs.civilization.tables import (
    DESPOTISM,
    GOVERNMENT_TECH,
    MONARCHY,
    NUM_TECHS,
    REPUBLIC,
    ROOTS,
    TECH,
    TECH_COST,
)
from stratagym.envs.civilization.towns import has_roots, knows

GOALS = np.array(
    [
        TECH[name]
        for name in (
            "Bronze Working", "Alphabet", "Pottery", "Ceremonial Burial", "Monarchy", "Writing",
            "Currency", "Warrior Code", "Trade", "Philosophy", "The Republic", "Mathematics",
            "Construction", "Seafaring", "Astronomy", "Banking", "University", "Medicine",
            "Invention",
        )
    ],
    np.int64,
)  # fmt: skip
"""What is researched, one after the other, with all that it builds on."""
CHEAP = 60
"""Bulbs of techs that a player at peace takes first: each counts two points."""
WAR_GOALS = np.array(
    [
        TECH[name]
        for name in (
            "Bronze Working", "Warrior Code", "Alphabet", "Horseback Riding", "Iron Working",
            "Pottery", "Ceremonial Burial", "Masonry", "Mathematics", "Monarchy", "Writing",
            "Currency", "Trade", "Philosophy", "Feudalism", "Construction", "Seafaring",
            "Astronomy", "University",
        )
    ],
    np.int64,
)  # fmt: skip
"""The same of who goes to war."""


@njit(cache=True)
def toward_goal(s, seat, goal):
    """The cheapest tech within reach on the way to a goal, or -1."""
    needed = np.uint64(1) << np.uint64(goal)
    for _ in range(8):  # the depth of the tree of techs
        for tech in range(NUM_TECHS):
            if (needed >> np.uint64(tech)) & np.uint64(1):
                needed |= ROOTS[tech]
    best = -1
    for tech in range(NUM_TECHS):
        if (
            (needed >> np.uint64(tech)) & np.uint64(1)
            and has_roots(s, seat, tech)
            and (best < 0 or TECH_COST[tech] < TECH_COST[best])
        ):
            best = tech
    return best


@njit(cache=True)
def wanted_tech(s, seat, level):
    """What to research: the goals' techs, or the cheapest."""
    cheapest = turns.cheapest_tech(s, seat)
    is_cheap = cheapest >= 0 and TECH_COST[cheapest] <= CHEAP
    if level >= 4 or (level == 3 and not is_cheap):
        for k in range(GOALS.shape[0]):
            goal = WAR_GOALS[k] if level >= 4 else GOALS[k]
            if not knows(s, seat, goal):
                tech = toward_goal(s, seat, goal)
                if tech >= 0:
                    return tech
    return cheapest


@njit(cache=True)
def rate_worth(rules, s, seat):
    """What the rates in force are worth: bulbs, gold that is needed, and cities in order."""
    gold = bulbs = shields = unrest = 0
    for city in range(MOST_CITIES):
        if s.city_tile[seat, city] < 0:
            continue
        accounts = output.balance(rules, s, seat, city)
        gold += accounts[3]
        bulbs += accounts[5]
        shields += max(0, accounts[1])
        unrest += accounts[7] > accounts[6]
        built = s.city_built[seat, city]
        for building in range(15):
            if (built >> building) & 1:
                gold -= output.upkeep(building)
    worth = 3 * bulbs + 2 * gold + 3 * shields - 20 * unrest
    if s.gold[seat] + 8 * gold < 20:
        worth -= 100 - 5 * gold
    return worth


@njit(cache=True)
def best_rates(rules, s, seat, legal, n):
    """The legal action with the best rates, or -1 if those in force are as good."""
    tax, luxury, science = s.tax[seat], s.luxury[seat], s.science[seat]
    best, most = -1, rate_worth(rules, s, seat) + 2
    for k in range(n):
        action = legal[k]
        if actions.TAXES <= action < actions.ACCEPT:
            a, b, c = actions.rates_of(s, seat, action)
            s.tax[seat], s.luxury[seat], s.science[seat] = a, b, c
            worth = rate_worth(rules, s, seat)
            s.tax[seat], s.luxury[seat], s.science[seat] = tax, luxury, science
            if worth > most:
                best, most = action, worth
    return best


@njit(cache=True)
def wanted_government(s, seat):
    """The government that is aimed at: Monarchy, or the Republic where it comes first."""
    if s.government[seat] == DESPOTISM:
        if knows(s, seat, GOVERNMENT_TECH[MONARCHY]):
            return MONARCHY
        if knows(s, seat, GOVERNMENT_TECH[REPUBLIC]):
            return REPUBLIC
    return -1


@njit(cache=True)
def decide(rules, s, legal, n, level):
    """The nation's decision of a player of a level."""
    seat = np.int64(s.player)
    if s.researching[seat] < 0:
        tech = wanted_tech(s, seat, level)
        if tech >= 0:
            return actions.RESEARCH + tech
    if level < 3:
        return actions.KEEP
    if s.anarchy_left[seat] == 0:
        government = wanted_government(s, seat)
        if government >= 0:
            return actions.GOVERN + government
    if s.council < 4 and (s.turn % 3 == 0 or s.council > 0):
        action = best_rates(rules, s, seat, legal, n)
        if action >= 0:
            return action
    if not s.summoned and s.gold[seat] > 60:
        return actions.SUMMON
    return actions.KEEP
