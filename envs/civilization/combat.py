"""Combat, by Freeciv's formula: rounds until one side has no hit points left.

The attacker wins a round with probability A / (A + D), and the loser of a round loses one hit
point. A and D are the strengths, see ``attack_strength`` and ``defence_strength``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.civilization.state import FORTIFIED, MOST_UNITS, PLACE, SEAT_AT
from stratagym.envs.civilization.tables import (
    ATTACK,
    CITY_WALLS,
    DEFENCE,
    DEFENCE_BONUS,
    FIRST_WONDER,
    FRAGMENTS,
    GREAT_WALL,
    IS_HORSE,
    PIKEMEN,
    VETERAN_PERCENT,
)


@njit(cache=True)
def attack_strength(s, seat, unit):
    """A: attack x veteran level x what is left of a move, if less than one is."""
    moves = min(np.int64(s.unit_moves[seat, unit]), FRAGMENTS)
    level = VETERAN_PERCENT[s.unit_level[seat, unit]]
    return ATTACK[s.unit_type[seat, unit]] * level * moves / (100.0 * FRAGMENTS)


@njit(cache=True)
def owns_wonder(s, seat, wonder):
    """Whether a wonder stands in a city of a seat."""
    return s.wonder_owner[wonder - FIRST_WONDER] == seat


@njit(cache=True)
def defence_strength(s, seat, unit, is_horse):
    """D: defence x veteran level x terrain x fortified or in a city x walls x Pikemen."""
    kind, tile = np.int64(s.unit_type[seat, unit]), np.int64(s.unit_tile[seat, unit])
    strength = DEFENCE[kind] * VETERAN_PERCENT[s.unit_level[seat, unit]] / 100.0
    strength *= (100 + DEFENCE_BONUS[s.terrain[tile]]) / 100.0
    there = np.int64(s.city_at[tile])
    if there >= 0 or s.unit_order[seat, unit] == FORTIFIED:
        strength *= 1.5
    if there >= 0:
        owner, city = there >> SEAT_AT, there & PLACE
        if (s.city_built[owner, city] >> CITY_WALLS) & 1 or owns_wonder(s, owner, GREAT_WALL):
            strength *= 3.0
    if is_horse and kind == PIKEMEN:
        strength *= 2.0
    return strength


@njit(cache=True)
def best_defender(s, tile, is_horse):
    """The unit of those on a tile that defends it: the highest D x hit points, or -1."""
    army = np.int64(s.army[tile])
    best, most = -1, -1.0
    for unit in range(MOST_UNITS):
        if s.unit_tile[army, unit] == tile and s.unit_type[army, unit] >= 0:
            strength = defence_strength(s, army, unit, is_horse) * s.unit_hp[army, unit]
            if strength > most:
                best, most = unit, strength
    return best


@njit(cache=True)
def win_chance(attack, defence, attacker_hp, defender_hp):
    """The probability that the attacker wins, by the closed form.

    The sum over l < attacker_hp of C(N - 1 + l, l) p^N (1 - p)^l, for N = defender_hp rounds to
    win and p = A / (A + D).
    """
    if attack <= 0.0:
        return 0.0
    p = attack / (attack + defence)
    term = 1.0
    for _ in range(defender_hp):
        term *= p
    total = 0.0
    for lost in range(attacker_hp):
        total += term
        term *= (1.0 - p) * (defender_hp + lost) / (lost + 1)
    return min(total, 1.0)


@njit(cache=True)
def chance_against(s, seat, unit, tile):
    """The probability that a unit wins an attack on the foreign units of a tile."""
    horse = IS_HORSE[s.unit_type[seat, unit]]
    army, other = np.int64(s.army[tile]), best_defender(s, tile, horse)
    return win_chance(
        attack_strength(s, seat, unit),
        defence_strength(s, army, other, horse),
        np.int64(s.unit_hp[seat, unit]),
        np.int64(s.unit_hp[army, other]),
    )
