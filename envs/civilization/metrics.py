"""What a nation had come to at the end of recorded games: the counters of Freeciv's score log.

And DSGBench's measures of them, as its paper tells them and as its program counts them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core
from stratagym.envs.civilization import output, troops, turns
from stratagym.envs.civilization.geography import square_distance
from stratagym.envs.civilization.state import MOST_CITIES, MOST_UNITS, WONDERS
from stratagym.envs.civilization.tables import NUM_TECHS, OCEAN, SETTLERS
from stratagym.envs.civilization.towns import knows
from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.counting import replay as replay

COUNTS = (
    "decisions", "turns", "bnp", "mfg", "cities", "techs", "munits", "settlers", "wonders",
    "landarea", "settledarea", "gold", "score", "unitsbuilt", "unitskilled", "unitslost", "land",
)  # fmt: skip
"""What ``game_counts`` counts, for every seat at the end of a game, but for its decisions.

turns: played. bnp, mfg: trade after waste and surplus of shields of all cities. munits: units with
an attack. landarea: tiles within the borders; settledarea: those of them that citizens of a city
could work; land: tiles of the world that are no sea.
"""
DECISIONS, TURNS, BNP, MFG, CITIES, TECHS, MUNITS = range(7)
SETTLED, KILLED, LOST, LAND = 10, 14, 15, 16


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    counts[seat, DECISIONS] += 1


@njit(cache=True)
def count_after(rules, s, seat, action, counts):
    if s.over:
        for player in range(rules.num_players):
            count_seat(rules, s, player, counts[player])


@njit(cache=True)
def count_seat(rules, s, seat, own):
    """Write a seat's counters, all but its decisions."""
    for k in range(1, own.shape[0]):
        own[k] = 0
    own[TURNS] = min(np.int64(s.turn), rules.turns)
    own[LAND] = turns.land_of_world(rules, s)
    for city in range(MOST_CITIES):
        if s.city_tile[seat, city] >= 0:
            accounts = output.balance(rules, s, seat, city)
            own[BNP] += accounts[2]
            own[MFG] += accounts[1]
    own[CITIES] = troops.count_cities(s, seat)
    for tech in range(NUM_TECHS):
        own[TECHS] += knows(s, seat, tech)
    own[MUNITS] = turns.count_fighters(s, seat)
    for unit in range(MOST_UNITS):
        own[7] += s.unit_type[seat, unit] == SETTLERS
    for wonder in range(WONDERS):
        own[8] += s.wonder_owner[wonder] == seat
    for tile in range(rules.width * rules.height):
        if s.owner[tile] == seat and s.terrain[tile] != OCEAN:
            own[9] += 1
            own[SETTLED] += is_in_reach(rules, s, seat, tile)
    own[11] = s.gold[seat]
    own[12] = turns.count_score(s, seat)
    own[13] = s.units_built[seat]
    own[KILLED] = s.units_killed[seat]
    own[LOST] = s.units_lost[seat]


@njit(cache=True)
def is_in_reach(rules, s, seat, tile):
    """Whether a citizen of one of a seat's cities could work a tile."""
    for city in range(MOST_CITIES):
        centre = np.int64(s.city_tile[seat, city])
        if centre >= 0 and square_distance(rules, centre, tile) <= output.CITY_RADIUS:
            return True
    return False


def measures(
    counts: np.ndarray, as_published: bool = False, techs: int = NUM_TECHS
) -> dict[str, Any]:
    """DSGBench's EGR, CER, TRP, LUR and MGR of one seat in one game.

    Args:
        counts: (len(COUNTS),). as_published: as the program counts them: without the division by
            turns, with kills for each loss in the place of cities, and settled land as a share of
            the own land. techs: there are in all.

    Returns:
        By name; nan without a case.
    """
    own = dict(zip(COUNTS, np.asarray(counts, float).tolist(), strict=True))
    length = own["turns"] or np.nan
    if as_published:
        return {
            "EGR": own["bnp"],
            "CER": own["unitskilled"] / (own["unitslost"] + 1),
            "TRP": own["techs"] / techs,
            "LUR": own["settledarea"] / (own["landarea"] or np.nan),
            "MGR": own["munits"],
        }
    return {
        "EGR": own["bnp"] / length,
        "CER": own["cities"] / length,
        "TRP": own["techs"] / techs,
        "LUR": own["settledarea"] / (own["land"] or np.nan),
        "MGR": own["munits"] / length,
    }


def dsgbench(
    rules: Any, record: Mapping[str, Any], seats: Sequence[int], as_published: bool = False
) -> dict[str, float]:
    """DSGBench's EGR, CER, TRP, LUR and MGR of a recorded game, ended or broken off, by names.

    Args:
        record: with ``seed`` and ``actions``. seats: one. as_published: see ``measures``.
    """
    (seat,) = seats
    states, scratch = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(record["seed"]), scratch[1])
    for action in record["actions"]:
        core.play_at(rules, states, 0, action, *scratch)
    counts = np.zeros(len(COUNTS), np.int64)
    count_seat(rules, states[0], seat, counts)
    return measures(counts, as_published)
