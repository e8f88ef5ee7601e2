"""The units of tower defence: what they cost, what they can do, and the same as tables of numbers.

HP and damage are in points here and in tenths of a point in the kernel's tables; intervals are in
milliseconds here and in ticks there.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

ROWS, COLUMNS = 5, 11
CELLS = ROWS * COLUMNS
UNITS = 13
"""Kinds of units of either side."""
TICK_MS = 50
STEP_MS, STEP_TICKS = 250, 5
"""Plans count time in steps."""
LAST_SPAWN = 60_000 // STEP_MS
"""The last step in which a unit may come."""
COLUMN_WIDTH = 1120
"""Units of length of a column."""
PATH = COLUMNS * COLUMN_WIDTH
SPEED = 22
"""Units of length that a demon of speed 1 goes in a tick."""
BALANCED, RELEASED = 0, 1
"""Settings: the numbers of this page, and those of the released prompts."""
SETTINGS = ("balanced", "released")
ATTACKER, DEFENDER = 0, 1
"""Seats."""
BUDGETS = ((1000, 4000), (1500, 2000))
"""By setting and seat."""
NORMAL, FIRE, ICE, AIR, EXPLOSION, LIGHT = range(6)
DAMAGE_TYPES = ("normal", "fire", "ice", "air", "explosion", "light")
NEVER = 1 << 30


class Soldier(NamedTuple):
    """A defender's unit.

    Attributes:
        cost: of one. hp: points. interval: milliseconds between its acts, an explosive's fuse; 0 if
            it does nothing. damage: of a hit. type: of its damage. role: what it is for.
        ability: in words; empty if there is nothing to say.
    """

    name: str
    cost: int
    hp: int
    interval: int
    damage: int
    type: int
    role: str
    ability: str


class Demon(NamedTuple):
    """An attacker's unit.

    Attributes:
        speed: 1 is a column in 2.55 s, 2 half of that. bite: damage a second. armour: percent of
            normal and air damage that it takes while it has its armour.
    """

    name: str
    cost: int
    hp: int
    speed: int
    bite: int
    armour: int
    role: str
    ability: str


SOLDIERS = (
    Soldier("HandgunSoldier", 100, 3, 1000, 1, NORMAL, "gun", ""),
    Soldier("RifleSoldier", 200, 3, 500, 1, NORMAL, "gun", ""),
    Soldier("MachineGunSoldier", 400, 3, 250, 1, NORMAL, "gun", ""),
    Soldier("ShieldSoldier", 50, 15, 0, 0, NORMAL, "wall", "stands in the way and does not shoot"),
    Soldier(
        "EnhancedShieldSoldier", 100, 30, 0, 0, NORMAL, "wall",
        "stands in the way, does not shoot, and cannot be jumped over",
    ),
    Soldier(
        "FlamethrowerSoldier", 200, 2, 1000, 1, FIRE, "gun",
        "a hit sets on fire: 1 more fire damage every 1000 ms until 3000 ms after the last hit",
    ),
    Soldier(
        "IceSoldier", 200, 2, 1000, 1, ICE, "control",
        "a hit halves the target's speed for 2000 ms",
    ),
    Soldier(
        "AntiAirSoldier", 175, 2, 1000, 1, AIR, "anti_air",
        "shoots at flyers in any row first, at demons on the ground of its own row otherwise",
    ),
    Soldier(
        "Bomb", 200, 50, 500, 30, EXPLOSION, "explosive",
        "goes off 500 ms after a demon on the ground has reached its cell, hurts all of them "
        "within one row and one column of it, and is gone",
    ),
    Soldier(
        "LinearExplosion", 200, 50, 500, 30, EXPLOSION, "explosive",
        "goes off 500 ms after a demon on the ground has reached its cell, hurts all of them in "
        "its row, and is gone",
    ),
    Soldier(
        "MagneticSoldier", 100, 2, 2000, 0, NORMAL, "control",
        "every 2000 ms takes the armour of every ShieldDemon and MachineDemon in its row, for good",
    ),
    Soldier(
        "LightMage", 150, 2, 0, 0, NORMAL, "control",
        "while it lives every shot fired from its row is of type light",
    ),
    Soldier(
        "RocketLauncherSoldier", 600, 2, 1000, 2, EXPLOSION, "gun",
        "hits the target and all demons on the ground within one row and one column of it",
    ),
)  # fmt: skip
"""In the order of their numbers."""

DEMONS = (
    Demon("NormalDemon", 100, 10, 2, 1, 100, "mass", ""),
    Demon("GreatDemon", 175, 20, 2, 1, 100, "mass", ""),
    Demon("DemonKing", 800, 100, 2, 5, 100, "mass", ""),
    Demon("SpeedyDemon", 150, 10, 4, 1, 100, "speed", ""),
    Demon(
        "ShieldDemon", 175, 10, 2, 1, 30, "armour",
        "takes 30% of normal and air damage while it has its armour",
    ),
    Demon(
        "MachineDemon", 250, 20, 2, 3, 50, "armour",
        "takes 50% of normal and air damage while it has its armour; has speed 3 from the first "
        "shot or explosion that hurts it",
    ),
    Demon(
        "BouncingDemon", 150, 10, 2, 1, 100, "evasion",
        "jumps one column forward, over the first unit that it meets, once; not over an "
        "EnhancedShieldSoldier",
    ),
    Demon(
        "ShieldBreakerDemon", 150, 10, 2, 1, 100, "mass",
        "bites a ShieldSoldier or an EnhancedShieldSoldier for 5",
    ),
    Demon("FireDemon", 150, 10, 2, 1, 100, "armour", "immune to fire and never burns"),
    Demon("FrostDemon", 150, 10, 2, 1, 100, "armour", "immune to ice and never slowed"),
    Demon(
        "FlyingDemon", 200, 10, 2, 0, 100, "evasion",
        "flies over everything, never stops and never bites; only an AntiAirSoldier can hurt it",
    ),
    Demon(
        "ShadowDemon", 300, 10, 2, 1, 100, "support",
        "while it lives the demons in front of it in its row take only light and explosion damage",
    ),
    Demon(
        "SummoningDemon", 300, 10, 1, 1, 100, "support",
        "every 5000 ms a NormalDemon comes one column in front of it",
    ),
)  # fmt: skip
"""In the order of their numbers."""

(
    HANDGUN, RIFLE, MACHINE_GUN, SHIELD, ENHANCED_SHIELD, FLAMETHROWER, ICE_SOLDIER, ANTI_AIR, BOMB,
    LINE, MAGNET, MAGE, ROCKET,
) = range(UNITS)  # fmt: skip
(
    NORMAL_DEMON, GREAT, KING, SPEEDY, SHIELDED, MACHINE, BOUNCING, BREAKER, FIERY, FROSTY, FLYING,
    SHADOW, SUMMONER,
) = range(UNITS)  # fmt: skip
CODES = (
    ("no", "gr", "ki", "sp", "sd", "mc", "bn", "br", "fi", "fr", "fy", "sw", "su"),
    ("HG", "RF", "MG", "SH", "ES", "FL", "IC", "AA", "BO", "LE", "MA", "LM", "RL"),
)
"""Units in diagrams, by seat and number."""

NOT_RELEASED = ((SHADOW,), (BOMB, MAGE, ROCKET))
"""By seat: what the released prompts do not offer."""
_RELEASED_COSTS = (
    {GREAT: 200, SHIELDED: 200, MACHINE: 300, SUMMONER: 400},
    {ANTI_AIR: 100},
)
_RELEASED_HP = {KING: 80}
BREAKING, FIRE_SECONDS, SLOW_MS, SUMMON_MS, FUSE_MS, BITE_MS = 5, 3, 2000, 5000, 500, 1000
"""A ShieldBreakerDemon's bite at shields; how long fire burns on and ice holds; intervals."""


@cache
def names(seat: int) -> tuple[str, ...]:
    """The names of a seat's units, by number."""
    return tuple(unit.name for unit in (DEMONS, SOLDIERS)[seat])


def cost(setting: int, seat: int, unit: int) -> int:
    """What a unit costs."""
    usual = (DEMONS, SOLDIERS)[seat][unit].cost
    return _RELEASED_COSTS[seat].get(unit, usual) if setting == RELEASED else usual


def demon_hp(setting: int, unit: int) -> int:
    """A demon's HP in points."""
    usual = DEMONS[unit].hp
    return _RELEASED_HP.get(unit, usual) if setting == RELEASED else usual


def is_for_sale(setting: int, seat: int, unit: int) -> bool:
    """Whether the setting offers a unit."""
    return setting != RELEASED or unit not in NOT_RELEASED[seat]


_BOTH = range(len(SETTINGS))
COSTS = np.array(
    [[[cost(k, seat, unit) for unit in range(UNITS)] for seat in range(2)] for k in _BOTH],
    np.int32,
)
"""By setting, seat and unit."""
FOR_SALE = np.array(
    [[[is_for_sale(k, seat, unit) for unit in range(UNITS)] for seat in range(2)] for k in _BOTH]
)
"""By setting, seat and unit: bool."""
SOLDIER = np.array(
    [(10 * u.hp, u.interval // TICK_MS or NEVER, 10 * u.damage, u.type) for u in SOLDIERS], np.int32
)
"""By a defender's unit: HP in tenths, interval in ticks, damage in tenths, type of damage."""
DEMON = np.array(
    [
        [
            (10 * demon_hp(k, j), SPEED * u.speed, 10 * u.bite, u.armour)
            for j, u in enumerate(DEMONS)
        ]
        for k in _BOTH
    ],
    np.int32,
)
"""By setting and demon: HP in tenths, length a tick, bite in tenths, percent of normal damage."""
