"""What a seat sees: planes over the map and numbers beside them; the package's page lists them."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization import actions, output, troops
from stratagym.envs.civilization.geography import distance, neighbour, seat_after
from stratagym.envs.civilization.state import (
    ARMY_AT,
    CITIES,
    COUNT_AT,
    FORTIFIED,
    MOST_CITIES,
    MOST_COUNTED,
    MOST_UNITS,
    OWNER_AT,
    PLACE,
    SEAT_AT,
    SIZE_AT,
    TROOPS,
    TYPE_AT,
)
from stratagym.envs.civilization.tables import (
    ATTACK,
    DEFENCE,
    EXPLORER,
    FRAGMENTS,
    HIT_POINTS,
    IRRIGATION,
    MINE,
    NUM_TECHS,
    NUM_UNITS,
    ROAD,
    SETTLERS,
    TECH_COST,
    WORKERS,
)
from stratagym.envs.civilization.towns import has_embassy

PLANES, NUMBERS = 34, 212
(
    RESOURCE_PLANE, ROAD_PLANE, IRRIGATION_PLANE, MINE_PLANE, KNOWN_PLANE, SEEN_PLANE, OWNER_PLANE,
) = range(10, 17)  # fmt: skip
(
    OWN_CITY_PLANE, OTHER_CITY_PLANE, SETTLERS_PLANE, WORKERS_PLANE, EXPLORERS_PLANE, ATTACK_PLANE,
    DEFENCE_PLANE, HP_PLANE, OTHER_ATTACK_PLANE, OTHER_DEFENCE_PLANE, WORKED_PLANE, ACTOR_PLANE,
    DISTANCE_PLANE, TARGET_PLANE,
) = range(20, 34)  # fmt: skip


def observation_size(rules) -> int:
    """How many numbers a seat sees."""
    return PLANES * rules.width * rules.height + NUMBERS


@njit(cache=True)
def observe_tiles(rules, s, player, out):
    """The planes of terrain, works, owners, cities and foreign units."""
    tiles = rules.width * rules.height
    for tile in range(tiles):
        if not (s.known[tile] >> player) & 1:
            continue
        memory = np.int64(s.seen[player, tile])
        if s.sight[player, tile] > 0:
            out[SEEN_PLANE * tiles + tile] = 1.0
            works, owner = np.int64(s.works[tile]), np.int64(s.owner[tile])
            there, army = np.int64(s.city_at[tile]), np.int64(s.army[tile])
            size = 0
            if there >= 0 and there >> SEAT_AT != player:
                size = np.int64(s.city_size[there >> SEAT_AT, there & PLACE])
            if army >= 0 and army != player:
                add_army(s, army, tile, tiles, out)
        else:
            works, owner = memory & 7, ((memory >> OWNER_AT) & 7) - 1
            size = (memory >> SIZE_AT) & 31
            if (memory >> ARMY_AT) & 7:
                kind, count = (memory >> TYPE_AT) & 15, (memory >> COUNT_AT) & MOST_COUNTED
                out[OTHER_ATTACK_PLANE * tiles + tile] = min(8.0, ATTACK[kind] * count / 8.0)
                out[OTHER_DEFENCE_PLANE * tiles + tile] = min(8.0, DEFENCE[kind] * count / 8.0)
        out[np.int64(s.terrain[tile]) * tiles + tile] = 1.0
        out[RESOURCE_PLANE * tiles + tile] = s.resource[tile]
        out[ROAD_PLANE * tiles + tile] = 1.0 if works & ROAD else 0.0
        out[IRRIGATION_PLANE * tiles + tile] = 1.0 if works & IRRIGATION else 0.0
        out[MINE_PLANE * tiles + tile] = 1.0 if works & MINE else 0.0
        out[KNOWN_PLANE * tiles + tile] = 1.0
        if owner >= 0:
            place = owner - player if owner >= player else owner - player + rules.num_players
            out[(OWNER_PLANE + place) * tiles + tile] = 1.0
        out[OTHER_CITY_PLANE * tiles + tile] = size / 8.0
        if s.owner[tile] == player and s.worker[tile] >= 0:
            out[WORKED_PLANE * tiles + tile] = 1.0


@njit(cache=True)
def add_army(s, army, tile, tiles, out):
    """The strengths of the foreign units on a tile in sight."""
    attack = defence = 0
    for unit in range(MOST_UNITS):
        if s.unit_tile[army, unit] == tile:
            attack += ATTACK[s.unit_type[army, unit]]
            defence += DEFENCE[s.unit_type[army, unit]]
    out[OTHER_ATTACK_PLANE * tiles + tile] = min(8.0, attack / 8.0)
    out[OTHER_DEFENCE_PLANE * tiles + tile] = min(8.0, defence / 8.0)


@njit(cache=True)
def observe_own(rules, s, player, out):
    """The planes of a seat's own cities and units."""
    tiles = rules.width * rules.height
    for city in range(MOST_CITIES):
        if s.city_tile[player, city] >= 0:
            tile = np.int64(s.city_tile[player, city])
            out[OWN_CITY_PLANE * tiles + tile] = s.city_size[player, city] / 8.0
    for unit in range(MOST_UNITS):
        kind = np.int64(s.unit_type[player, unit])
        if kind < 0:
            continue
        tile = np.int64(s.unit_tile[player, unit])
        if kind == SETTLERS:
            out[SETTLERS_PLANE * tiles + tile] += 0.125
        elif kind == WORKERS:
            out[WORKERS_PLANE * tiles + tile] += 0.125
        elif kind == EXPLORER:
            out[EXPLORERS_PLANE * tiles + tile] += 0.125
        out[ATTACK_PLANE * tiles + tile] += ATTACK[kind] / 40.0
        out[DEFENCE_PLANE * tiles + tile] += DEFENCE[kind] / 16.0
        out[HP_PLANE * tiles + tile] += s.unit_hp[player, unit] / 128.0


@njit(cache=True)
def observe_actor(rules, s, player, out, at):
    """Planes and numbers of the actor, for the seat to move."""
    tiles = rules.width * rules.height
    actor = np.int64(s.actor)
    if s.stage < CITIES:
        out[at] = 1.0
        return
    out[at + 1 + (s.stage == TROOPS)] = 1.0
    if s.stage == CITIES:
        place = np.int64(s.city_tile[player, actor])
    else:
        place = np.int64(s.unit_tile[player, actor])
    out[ACTOR_PLANE * tiles + place] = 1.0
    for tile in range(tiles):
        out[DISTANCE_PLANE * tiles + tile] = distance(rules, place, tile) / 8.0
    at += 3
    if s.stage == TROOPS:
        kind = np.int64(s.unit_type[player, actor])
        for direction in range(8):
            goal = neighbour(rules, place, direction)
            if troops.step_kind(rules, s, player, actor, goal) != troops.NO_STEP:
                out[TARGET_PLANE * tiles + goal] = 1.0
        out[at + kind] = 1.0
        at += NUM_UNITS
        out[at] = s.unit_moves[player, actor] / FRAGMENTS
        out[at + 1] = s.unit_hp[player, actor] / HIT_POINTS[kind]
        out[at + 2] = s.unit_level[player, actor]
        out[at + 3] = s.unit_order[player, actor] == FORTIFIED
        return
    at += NUM_UNITS + 4
    accounts = output.balance(rules, s, player, actor)
    out[at] = s.city_size[player, actor] / 8.0
    out[at + 1] = s.city_food[player, actor] / output.granary(s.city_size[player, actor])
    out[at + 2] = min(8.0, s.city_shields[player, actor] / 50.0)
    for k in range(3):
        out[at + 3 + k] = min(8.0, max(-1.0, accounts[k] / 8.0))
    out[at + 6] = accounts[7] > accounts[6]
    out[at + 7 + s.city_item[player, actor]] = 1.0


@njit(cache=True)
def observe_numbers(rules, s, player, out, at):
    """The numbers of seats; returns where those of the actor begin."""
    out[at] = s.turn / rules.turns
    at += 1
    for place in range(4):
        other = seat_after(rules, player, place)
        if place < rules.num_players and (place == 0 or has_embassy(s, player, other)):
            out[at + place] = min(8.0, s.score[other] / 100.0)
    at += 4
    out[at] = min(8.0, s.gold[player] / 200.0)
    out[at + 1] = s.tax[player] / 100.0
    out[at + 2] = s.luxury[player] / 100.0
    out[at + 3] = s.science[player] / 100.0
    out[at + 4 + s.government[player]] = 1.0
    at += 9
    for tech in range(NUM_TECHS):
        out[at + tech] = (np.int64(s.techs[player]) >> tech) & 1
    at += NUM_TECHS
    tech = np.int64(s.researching[player])
    if tech >= 0:
        out[at + tech] = 1.0
        cost = max(1, TECH_COST[tech] * rules.bulbs // 100)
        out[at + NUM_TECHS] = min(8.0, s.bulbs[player] / cost)
    at += NUM_TECHS + 1
    for k in range(3):
        if k < rules.num_players - 1:
            other = actions.other_seat(rules, player, k)
            is_peace = (s.peace[player] >> other) & 1
            out[at] = 1 - is_peace
            out[at + 1] = is_peace
            out[at + 2] = has_embassy(s, player, other)
            out[at + 3] = (s.contact[player] >> other) & 1
            if s.offer[player, other] >= 0:
                out[at + 4 + s.offer[player, other]] = 1.0
        at += 14
    return at


@njit(cache=True)
def observe(rules, s, player, out):
    """Fill ``out`` (float32): ``PLANES`` planes of the map, then ``NUMBERS`` numbers."""
    for k in range(out.shape[0]):
        out[k] = 0.0
    tiles = rules.width * rules.height
    observe_tiles(rules, s, player, out)
    observe_own(rules, s, player, out)
    at = observe_numbers(rules, s, player, out, PLANES * tiles)
    if s.player == player and not s.over:
        observe_actor(rules, s, player, out, at)
    for k in range(PLANES * tiles, out.shape[0]):
        out[k] = min(out[k], np.float32(8.0))
