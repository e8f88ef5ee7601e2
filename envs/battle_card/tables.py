"""The units of battle card: names, elements, numbers. Kinds count the attacker's units from 0, the
defender's from 11, then what units summon that nobody can buy."""

from __future__ import annotations

import numpy as np

UNITS = 11
"""Units that a side can buy."""
(
    FIRE_LIZARD, WATER_ELEMENTAL, POISON_FROG, MOLTEN_HOUND, BATTLE_FRENZY, BANDIT_LEADER,
    LAVA_GOLEM, TIDE_GUARDIAN, TIDE_LORD, PHOENIX, SHADOW_OVERLORD,
    SAPLING, ROCK_BEETLE, FOREST_SEER, STONE_WARRIOR, ELITE_SOLDIER, PALADIN,
    BLACK_ROCK, VINE_PROTECTOR, KING, MOUNTAIN_GIANT, ANCIENT_TREANT,
    SLOW_SKELETON, SOLDIER,
) = range(24)  # fmt: skip
NAMES = (
    "FireLizard", "WaterElemental", "PoisonFrog", "MoltenHound", "BattleFrenzy", "BanditLeader",
    "LavaGolem", "TideGuardian", "TideLord", "Phoenix", "ShadowOverlord",
    "Sapling", "RockBeetle", "ForestSeer", "StoneWarrior", "EliteSoldier", "Paladin",
    "BlackRock", "VineProtector", "King", "MountainGiant", "AncientTreant",
    "SlowSkeleton", "Soldier",
)  # fmt: skip

NEUTRAL, FIRE, NATURE, WATER, EARTH = range(5)
"""Each of the last four beats the next, the last the first of them."""
ELEMENTS = ("-", "Fire", "Nature", "Water", "Earth")
ELEMENT = np.array(
    [
        FIRE, WATER, WATER, FIRE, NEUTRAL, NEUTRAL, FIRE, WATER, WATER, FIRE, NEUTRAL,
        NATURE, EARTH, NATURE, EARTH, NEUTRAL, NEUTRAL, EARTH, NATURE, NEUTRAL, EARTH, NATURE,
        NEUTRAL, NEUTRAL,
    ],
    np.int64,
)  # fmt: skip

_BALANCED = (
    (1, 2, 2), (1, 2, 2), (2, 1, 1), (2, 3, 1), (2, 7, 4), (3, 8, 3),
    (3, 1, 8), (3, 4, 2), (5, 4, 9), (5, 5, 5), (5, 4, 4),
    (1, 2, 2), (1, 1, 5), (2, 2, 2), (2, 2, 5), (2, 1, 1), (3, 3, 6),
    (3, 5, 1), (3, 5, 4), (5, 3, 10), (5, 4, 9), (5, 4, 4),
    (0, 3, 1), (0, 2, 2),
)  # fmt: skip
"""Cost, attack and health of a bronze unit."""
_RELEASED = {
    TIDE_LORD: (4, 4, 10), PHOENIX: (4, 5, 5), SHADOW_OVERLORD: (4, 4, 4), FOREST_SEER: (2, 1, 2),
    BLACK_ROCK: (3, 2, 1), VINE_PROTECTOR: (3, 3, 4), KING: (4, 3, 12), MOUNTAIN_GIANT: (4, 4, 9),
    ANCIENT_TREANT: (4, 2, 3), SOLDIER: (0, 1, 1),
}  # fmt: skip
NUMBERS = np.array(
    [_BALANCED, [_RELEASED.get(kind, one) for kind, one in enumerate(_BALANCED)]], np.int64
)
"""(setting, kind, 3): cost, attack and health of a bronze unit; setting 1 is the released one."""
SEER = np.array([(1, 2), (1, 1)], np.int64)
TREANT = np.array([(3, 3), (2, 2)], np.int64)
"""(setting, 2): attack and health that a bronze ForestSeer, AncientTreant gives."""
GOLD_COST, GOLD = 3, 2
"""A gold unit's cost, and its attack, health and ability, in those of a bronze one."""
TAUNT = np.zeros(len(NAMES), np.bool_)
TAUNT[[LAVA_GOLEM, ROCK_BEETLE, STONE_WARRIOR, MOUNTAIN_GIANT]] = True
"""By kind: enemies have to attack it first."""
MOST_ATTACK = 999
