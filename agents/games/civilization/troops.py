"""What scripted players let units do."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.civilization import ways
from stratagym.envs.civilization import actions, combat
from stratagym.envs.civilization.geography import neighbour
from stratagym.envs.civilization.state import MOST_UNITS, PLACE
from stratagym.envs.civilization.tables import (
    ATTACK,
    CARAVAN,
    SETTLERS,
    UNIT_COST,
    WORKERS,
)
from stratagym.envs.civilization.troops import ASSAULT, CONQUEST, step_kind
from stratagym.envs.core import mix64


@njit(cache=True)
def is_among(legal, n, action):
    """Whether an action is legal."""
    for k in range(n):
        if legal[k] == action:
            return True
    return False


@njit(cache=True)
def way_action(legal, n, way, otherwise):
    """The step in a direction if it is legal, else another action."""
    if 0 <= way < 8 and is_among(legal, n, actions.MOVE + way):
        return actions.MOVE + way
    return otherwise


@njit(cache=True)
def wander(s, legal, n):
    """Some legal step, by the turn and the unit; to keep where there is none."""
    steps = 0
    for k in range(n):
        steps += actions.MOVE <= legal[k] < actions.FORTIFY
    if steps == 0:
        return actions.KEEP
    drawn = mix64(np.uint64(1000 * s.turn + 10 * s.actor + s.decisions)) >> np.uint64(40)
    left = np.int64(drawn) % steps
    for k in range(n):
        if actions.MOVE <= legal[k] < actions.FORTIFY:
            if left == 0:
                return legal[k]
            left -= 1
    return actions.KEEP


@njit(cache=True)
def settle(rules, s, seat, unit, legal, n, level):
    """Settlers found a city: at once, or on the best site within reach."""
    if level == 1:
        return actions.BUILD_CITY if is_among(legal, n, actions.BUILD_CITY) else wander(s, legal, n)
    reach = 3 if s.turn < 4 else 9
    way, worth = ways.toward(rules, s, seat, unit, ways.SITE, False, reach)
    if way == ways.HERE and is_among(legal, n, actions.BUILD_CITY):
        return actions.BUILD_CITY
    if worth > 0:
        return way_action(legal, n, way, actions.KEEP)
    if is_among(legal, n, actions.BUILD_CITY):
        return actions.BUILD_CITY
    if is_among(legal, n, actions.JOIN_CITY) and s.turn > 20:
        return actions.JOIN_CITY
    return wander(s, legal, n)


@njit(cache=True)
def stack_cost(s, army, tile):
    """Shields that the units on a tile cost."""
    total = 0
    for unit in range(MOST_UNITS):
        if s.unit_tile[army, unit] == tile:
            total += UNIT_COST[s.unit_type[army, unit]]
    return total


@njit(cache=True)
def best_attack(rules, s, seat, unit):
    """The direction of the attack with the most gain, above what it may cost; or -1."""
    tile = np.int64(s.unit_tile[seat, unit])
    cost = UNIT_COST[s.unit_type[seat, unit]]
    best, most = -1, 0.0
    for direction in range(8):
        goal = neighbour(rules, tile, direction)
        kind = step_kind(rules, s, seat, unit, goal)
        if kind == CONQUEST:
            return direction
        if kind == ASSAULT:
            army = np.int64(s.army[goal])
            chance = combat.chance_against(s, seat, unit, goal)
            other = combat.best_defender(s, goal, False)
            worth = 1.0 * UNIT_COST[s.unit_type[army, other]]
            if s.city_at[goal] < 0:
                worth = 1.0 * stack_cost(s, army, goal)
            elif s.stack[goal] == 1:
                worth += 60.0
            else:
                worth += 20.0
            gain = chance * worth - (1.0 - chance) * cost
            if gain > most:
                best, most = direction, gain
    return best


@njit(cache=True)
def is_spare(rules, s, seat, unit, city, is_wary):
    """Whether a city is defended well enough without a unit."""
    tile = np.int64(s.city_tile[seat, city])
    rest = ways.garrison(s, seat, tile) - max(1, ways.DEFENCE[s.unit_type[seat, unit]])
    return rest >= ways.needed(rules, s, seat, city, is_wary)


@njit(cache=True)
def fight(rules, s, seat, unit, legal, n, level):
    """Fighters garrison cities, attack what they beat, and go for the enemy."""
    tile = np.int64(s.unit_tile[seat, unit])
    there = np.int64(s.city_at[tile])
    stay = actions.FORTIFY if is_among(legal, n, actions.FORTIFY) else actions.KEEP
    is_wary = level >= 4
    if level == 1:
        return stay
    is_needed = there >= 0 and not is_spare(rules, s, seat, unit, there & PLACE, is_wary)
    attack = best_attack(rules, s, seat, unit)
    if (
        attack >= 0
        and (
            level >= 4
            or step_kind(rules, s, seat, unit, neighbour(rules, tile, attack)) == CONQUEST
        )
        and not (is_needed and s.stack[tile] == 1)
    ):
        return actions.MOVE + attack
    if is_needed:
        return stay
    way, worth = ways.toward(rules, s, seat, unit, ways.POST, is_wary, 8)
    if worth > 0 and way != ways.HERE:
        return way_action(legal, n, way, stay)
    if level >= 4 and ATTACK[s.unit_type[seat, unit]] >= 2:
        way, worth = ways.toward(rules, s, seat, unit, ways.ENEMY, is_wary, ways.FAR)
        if worth > 0:
            return way_action(legal, n, way, stay)
    if (
        s.turn < rules.turns * 3 // 5
        and s.unit_order[seat, unit] == 0
        and level >= 2
        and is_among(legal, n, actions.GO_EXPLORE)
    ):
        return actions.GO_EXPLORE
    return stay


@njit(cache=True)
def decide(rules, s, legal, n, level):
    """The decision for a unit of a player of a level."""
    seat, unit = np.int64(s.player), np.int64(s.actor)
    kind = np.int64(s.unit_type[seat, unit])
    if kind == SETTLERS:
        return settle(rules, s, seat, unit, legal, n, level)
    if kind == WORKERS:
        return actions.GO_AUTO if level >= 2 else actions.SENTRY_DUTY
    if kind == CARAVAN:
        return actions.HELP_WONDER if is_among(legal, n, actions.HELP_WONDER) else actions.KEEP
    if ATTACK[kind] == 0:
        return actions.GO_EXPLORE if level >= 2 else actions.KEEP
    return fight(rules, s, seat, unit, legal, n, level)
