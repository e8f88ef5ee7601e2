"""What armies are worth against each other: fights reckoned by the square law."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.starcraft.state import SQUADS
from stratagym.envs.starcraft.tables import (
    ARMOUR,
    CANNON_TYPE,
    COOLDOWN,
    COST,
    DAMAGE,
    DISRUPTOR,
    HITS_AIR,
    HITS_GROUND,
    IS_FIGHTER,
    IS_FLYER,
    SPLASH,
    STRIKES,
    TOUGHNESS,
    UNITS,
)

RATE = np.zeros((UNITS + 1, UNITS + 1))
"""By weapon and target, the Cannon last: damage in a tick, in a fight of many; 0 for no hit."""
for _k in range(UNITS + 1):
    for _j in range(UNITS + 1):
        _target = CANNON_TYPE if _j == UNITS else _j
        if (HITS_AIR if IS_FLYER[_target] else HITS_GROUND)[_k]:
            _each = max(0.5, DAMAGE[_k, _target] - ARMOUR[_target] * 0.7)
            RATE[_k, _j] = _each * STRIKES[_k] / COOLDOWN[_k] * (1 + SPLASH[_k] / 2)
            if _k == DISRUPTOR:
                RATE[_k, _j] = 4 * 170 / 480
_TOUGHNESS = np.append(TOUGHNESS[:UNITS], TOUGHNESS[CANNON_TYPE])
_FIGHTS = np.append(IS_FIGHTER, True)
_PRICE = np.maximum(COST[:UNITS, 0] + 1.3 * COST[:UNITS, 1], 1)


@njit(cache=True)
def _own(s, seat, order, kind):
    """Own units of a kind in squads with an order; of Cannons none."""
    total = 0.0
    if kind < UNITS:
        for k in range(SQUADS):
            if s.order[seat, k] == order:
                total += s.count[seat, k, kind]
    return total


@njit(cache=True)
def _enemy(s, seat, region, kind):
    """Enemy units of a kind that are known to live; Cannons last seen in a region."""
    if kind < UNITS:
        return np.float64(s.known[seat, kind])
    return np.float64(s.seen[seat, region, CANNON_TYPE]) if region >= 0 else 0.0


@njit(cache=True)
def odds(s, seat, order, region):
    """How many times as strong as the known enemy the squads of an order are, by the square law.

    ``region`` is where the enemy's Cannons count; -1 for nowhere. 99 if no enemy is known.
    """
    own = enemy = own_tough = enemy_tough = own_rate = enemy_rate = 0.0
    for kind in range(UNITS + 1):
        if _FIGHTS[kind]:
            mine, its = _own(s, seat, order, kind), _enemy(s, seat, region, kind)
            own += mine
            enemy += its
            own_tough += mine * _TOUGHNESS[kind]
            enemy_tough += its * _TOUGHNESS[kind]
    if enemy == 0:
        return 99.0
    if own == 0:
        return 0.0
    for kind in range(UNITS + 1):
        mine = _own(s, seat, order, kind) if _FIGHTS[kind] else 0.0
        its = _enemy(s, seat, region, kind) if _FIGHTS[kind] else 0.0
        if mine == 0 and its == 0:
            continue
        for other in range(UNITS + 1):
            if not _FIGHTS[other]:
                continue
            if mine > 0:
                own_rate += mine * RATE[kind, other] * _enemy(s, seat, region, other) / enemy
            if its > 0:
                enemy_rate += its * RATE[kind, other] * _own(s, seat, order, other) / own
    return own_rate * own_tough / max(enemy_rate * enemy_tough, 1e-9)


@njit(cache=True)
def worth(s, seat, unit):
    """What a unit is worth against the known enemy, for its price."""
    rate = hurt = total = 0.0
    for other in range(UNITS):
        if IS_FIGHTER[other] and s.known[seat, other] > 0:
            number = np.float64(s.known[seat, other])
            total += number
            rate += number * RATE[unit, other]
            hurt += number * RATE[other, unit]
    if total == 0:
        rate, hurt, total = RATE[unit, 3], RATE[3, unit], 1.0
    strength = rate / total * TOUGHNESS[unit] / max(hurt / total, 0.1)
    return strength / (_PRICE[unit] * _PRICE[unit])


@njit(cache=True)
def best_unit(s, seat, first, second, third):
    """The best of three units by ``worth``; -1 stands for none."""
    best, most = -1, -1.0
    for unit in (first, second, third):
        if unit >= 0:
            value = worth(s, seat, unit)
            if value > most:
                best, most = unit, value
    return best
