"""The elements and skills of the elemental duel: names, costs, numbers.

A skill's number is ``18 * seat + 6 * element + its place in the element's list``; the elements
count from 0 on each side.
"""

from __future__ import annotations

import numpy as np

FIGHTERS, SKILLS, CHOSEN = 3, 6, 3
"""Fighters of a side; skills of an element; skills of a fighter."""
ELEMENTS = ("Fire", "Water", "Dark", "Wood", "Earth", "Light")
"""The attacker's three, then the defender's."""
FIRE, WATER, DARK, WOOD, EARTH, LIGHT = range(6)
(
    FLAME_SPLASH, RESIDUAL_WARMTH, BURST_FLAME_BOMB, FLAME_WHIRLWIND, MAGMA_ERUPTION, HELL_CURTAIN,
    STREAM_PIERCE, WATER_BARRIER, WHIRLPOOL_STRANGLE, ICE_BRANDED, TSUNAMI_ENDING, ABYSS_RESONANCE,
    SHADOW_CLAW, FEAR_WHISPER, SOUL_SIPHON, NIGHT_AMBUSH, FINAL_ANNOUNCEMENT, VOID_ASSIMILATION,
    BUD_HEALING, PARASITIC_SEED, LIFE_TOTEM, NATURAL_PURIFICATION, FOREST_REINCARNATION,
    POISON_VINE,
    ROCK_ARMOR, EARTH_SHOCK, GRANITE_BARRIER, QUICKSAND_TRAP, EARTH_PULSE, CORE_REBOUND,
    HOLY_GLIMMER, FAITH_EMBLEM, DIVINE_LINK, LUMINOUS_DISPEL, ANGELIC_SANCTUARY, DIVINE_SWORD,
) = range(36)  # fmt: skip
NAMES = (
    "flame_splash", "residual_warmth", "burst_flame_bomb", "flame_whirlwind", "magma_eruption",
    "hell_curtain",
    "stream_pierce", "water_barrier", "whirlpool_strangle", "ice_branded", "tsunami_ending",
    "abyss_resonance",
    "shadow_claw", "fear_whisper", "soul_siphon", "night_ambush", "final_announcement",
    "void_assimilation",
    "bud_healing", "parasitic_seed", "life_totem", "natural_purification", "forest_reincarnation",
    "poison_vine",
    "rock_armor", "earth_shock", "granite_barrier", "quicksand_trap", "earth_pulse", "core_rebound",
    "holy_glimmer", "faith_emblem", "divine_link", "luminous_dispel", "angelic_sanctuary",
    "divine_sword",
)  # fmt: skip
COSTS = np.array([(1, 1, 2, 2, 3, 3), (1, 1, 2, 3, 4, 5)], np.int64)
"""(setting, 6): what every element's skills cost, in their order; setting 1 is the released."""
CHEAPEST = np.array([np.cumsum([0, *row])[:4] for row in COSTS.tolist()], np.int64)
"""(setting, 4): the cost of an element's cheapest 0 .. 3 skills."""
HP = np.array([(100, 135), (100, 100)], np.int64)
"""(setting, seat)."""

STRENGTH = np.full((6, 6), 100, np.int64)
"""(6, 6): percent that an element's damage does to another."""
STRENGTH[FIRE, WOOD] = STRENGTH[EARTH, WATER] = 120
STRENGTH[WOOD, FIRE] = STRENGTH[WATER, EARTH] = 80
STRENGTH[LIGHT, DARK] = STRENGTH[DARK, LIGHT] = 150

# (balanced, released) numbers of skills where the settings differ, by setting.
BURST_LAYER = (3, 4)
WHIRLWIND = ((4, 2), (5, 3))  # layers, rounds
MAGMA = ((40, 5), (50, 8))
CURTAIN = ((35, 30, 2), (45, 50, 3))  # damage, returned, rounds
WHIRLPOOL_LAYER = (4, 6)
BRAND = ((15, 150), (20, 160))  # damage, percent taken
TSUNAMI = ((30, 5), (40, 8))
ABYSS = ((3, 6, 3), (5, 10, 4))  # damage and shield a layer, rounds
SIPHON = ((25, 15), (30, 25))
AMBUSH = ((20, 120), (25, 125))
FINAL = ((45, 5), (55, 8))
VOID_SHARE = ((20, 20), (25, 25))  # percent of own HP; then tenths of that for the target
BUD = (6, 7)
TOTEM = ((25, 110), (30, 115))
PURIFICATION = (30, 40)
FOREST = ((60, 50, 20), (80, 60, 30))  # healing, percent of the excess, damage
VINE = ((25, 3), (35, 4))
ARMOR_RETURN = (5, 8)
GRANITE = (60, 55)
QUICKSAND = ((3, 80, 10), (4, 75, 15))  # hits, percent, cost of a hit
PULSE = ((8, 0), (10, 10))  # shield, damage a step
REBOUND = (80, 120)
GLIMMER = (8, 9)
DISPEL = (85, 80)
SANCTUARY = (30, 40)
SWORD = ((20, 20, 100), (35, 0, 130))  # damage; added to and percent of the next
