"""The figures of the world: terrain, units, buildings, techs, governments.

They are those of Freeciv 3.0.6's classic ruleset, as far as this game has the thing. Everything is
an array, so that kernels read it; a name's place in its tuple is its number.
"""

from __future__ import annotations

import numpy as np

# --- terrain -------------------------------------------------------------------------------------

TERRAINS = (
    "Ocean", "Grassland", "Plains", "Desert", "Tundra", "Hills", "Forest", "Swamp", "Jungle",
    "Mountains",
)  # fmt: skip
OCEAN, GRASSLAND, PLAINS, DESERT, TUNDRA, HILLS, FOREST, SWAMP, JUNGLE, MOUNTAINS = range(10)
RESOURCES = (
    ("Fish", "Whales"), ("Resources", "Resources"), ("Buffalo", "Wheat"), ("Oasis", "Oasis"),
    ("Game", "Furs"), ("Coal", "Wine"), ("Pheasant", "Silk"), ("Peat", "Spice"),
    ("Gems", "Fruit"), ("Gold", "Iron"),
)  # fmt: skip
"""By terrain: what a resource of 1 and of 2 is there."""

MOVE_COST = np.array([0, 1, 1, 1, 1, 2, 2, 2, 2, 3], np.int64)
"""Moves that it takes to enter a tile."""
DEFENCE_BONUS = np.array([0, 0, 0, 0, 0, 100, 50, 50, 50, 200], np.int64)
"""Percent more strength in defence."""
OUTPUT = np.array(
    [[1, 0, 2], [2, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 0],
     [1, 0, 0], [1, 2, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0]],
    np.int64,
)  # fmt: skip
"""Food, shields and trade of a tile with a citizen at work."""
EXTRA_OUTPUT = np.array(
    [[[2, 0, 0], [1, 1, 0]], [[0, 1, 0], [0, 1, 0]], [[0, 2, 0], [2, 0, 0]],
     [[3, 0, 0], [3, 0, 0]], [[2, 1, 0], [1, 0, 3]], [[0, 2, 0], [0, 0, 4]],
     [[2, 0, 0], [0, 0, 3]], [[0, 4, 0], [2, 0, 4]], [[0, 0, 4], [3, 0, 1]],
     [[0, 0, 6], [0, 3, 0]]],
    np.int64,
)  # fmt: skip
"""What the first and the second resource of a terrain add."""

ROAD, IRRIGATION, MINE = 1, 2, 4
"""Bits of a tile's works."""
WORKS = ("road", "irrigation", "mine")
WORK_TURNS = np.array(
    [[0, 2, 2, 2, 2, 4, 4, 4, 4, 6], [0, 5, 5, 5, 5, 10, 0, 0, 0, 0],
     [0, 0, 0, 5, 0, 10, 0, 0, 0, 10]],
    np.int64,
)  # fmt: skip
"""By work (road, irrigation, mine) and terrain: turns of one unit; 0 where it cannot be."""
MINE_SHIELDS = np.array([0, 0, 0, 1, 0, 3, 0, 0, 0, 1], np.int64)
ROAD_TRADE = np.array([0, 1, 1, 1, 0, 0, 0, 0, 0, 0], np.int64)

# --- techs ---------------------------------------------------------------------------------------

_TECHS = (
    ("Alphabet", ()), ("Bronze Working", ()), ("Ceremonial Burial", ()), ("Horseback Riding", ()),
    ("Masonry", ()), ("Pottery", ()), ("Warrior Code", ()), ("Code of Laws", ("Alphabet",)),
    ("Writing", ("Alphabet",)), ("Map Making", ("Alphabet",)),
    ("Mathematics", ("Alphabet", "Masonry")), ("Currency", ("Bronze Working",)),
    ("Mysticism", ("Ceremonial Burial",)), ("Iron Working", ("Bronze Working", "Warrior Code")),
    ("The Wheel", ("Horseback Riding",)),
    ("Polytheism", ("Horseback Riding", "Ceremonial Burial")),
    ("Construction", ("Masonry", "Currency")), ("Monarchy", ("Ceremonial Burial", "Code of Laws")),
    ("Literacy", ("Writing", "Code of Laws")), ("Trade", ("Currency", "Code of Laws")),
    ("Seafaring", ("Pottery", "Map Making")), ("Astronomy", ("Mysticism", "Mathematics")),
    ("Philosophy", ("Mysticism", "Literacy")), ("The Republic", ("Code of Laws", "Literacy")),
    ("Bridge Building", ("Iron Working", "Construction")),
    ("Engineering", ("The Wheel", "Construction")), ("Feudalism", ("Warrior Code", "Monarchy")),
    ("Chivalry", ("Feudalism", "Horseback Riding")), ("Monotheism", ("Philosophy", "Polytheism")),
    ("University", ("Mathematics", "Philosophy")), ("Banking", ("Trade", "The Republic")),
    ("Medicine", ("Philosophy", "Trade")), ("Invention", ("Engineering", "Literacy")),
    ("Gunpowder", ("Invention", "Iron Working")), ("Sanitation", ("Engineering", "Medicine")),
    ("Economics", ("Banking", "University")), ("Democracy", ("Banking", "Invention")),
    ("Metallurgy", ("Gunpowder", "University")), ("Theology", ("Feudalism", "Monotheism")),
    ("Theory of Gravity", ("Astronomy", "University")),
)  # fmt: skip
TECHS = tuple(name for name, _ in _TECHS)
NUM_TECHS = len(TECHS)
TECH = {name: k for k, name in enumerate(TECHS)}
ROOTS = np.array([sum(1 << TECH[root] for root in roots) for _, roots in _TECHS], np.uint64)
"""By tech: the techs that it builds on directly, a bit each."""


def _all_roots(tech: int) -> set[int]:
    roots = {k for k in range(NUM_TECHS) if int(ROOTS[tech]) >> k & 1}
    return {tech}.union(*map(_all_roots, roots))


NUM_ROOTS = np.array([len(_all_roots(tech)) for tech in range(NUM_TECHS)], np.int64)
"""By tech: how many techs it takes, itself among them."""
TECH_COST = np.array([int(20 * (1 + n) * (1 + n) ** 0.5 / 2) for n in NUM_ROOTS.tolist()], np.int64)
"""Bulbs: 20 (1 + n) sqrt(1 + n) / 2, rounded down (Freeciv's cost style for classic)."""

PHILOSOPHY, MYSTICISM, THEOLOGY = TECH["Philosophy"], TECH["Mysticism"], TECH["Theology"]
NEVER = -1
"""In the place of a tech: none is needed, or none makes it obsolete."""

# --- units ---------------------------------------------------------------------------------------

_UNITS = (
    # name, attack, defence, moves, hit points, cost, tech, obsolete by
    ("Settlers", 0, 1, 1, 20, 40, None, None),
    ("Workers", 0, 1, 1, 10, 30, "Pottery", None),
    ("Explorer", 0, 1, 1, 10, 30, "Seafaring", None),
    ("Warriors", 1, 1, 1, 10, 10, None, "Feudalism"),
    ("Phalanx", 1, 2, 1, 10, 20, "Bronze Working", "Feudalism"),
    ("Archers", 3, 2, 1, 10, 30, "Warrior Code", "Gunpowder"),
    ("Legion", 4, 2, 1, 10, 40, "Iron Working", "Gunpowder"),
    ("Pikemen", 1, 2, 1, 10, 20, "Feudalism", "Gunpowder"),
    ("Musketeers", 3, 3, 1, 20, 30, "Gunpowder", None),
    ("Horsemen", 2, 1, 2, 10, 20, "Horseback Riding", "Chivalry"),
    ("Chariot", 3, 1, 2, 10, 30, "The Wheel", "Chivalry"),
    ("Knights", 4, 2, 2, 10, 40, "Chivalry", None),
    ("Catapult", 6, 1, 1, 10, 40, "Mathematics", "Metallurgy"),
    ("Cannon", 8, 1, 1, 20, 40, "Metallurgy", None),
    ("Caravan", 0, 1, 1, 10, 50, "Trade", None),
)
UNITS = tuple(unit[0] for unit in _UNITS)
NUM_UNITS = len(UNITS)
(
    SETTLERS, WORKERS, EXPLORER, WARRIORS, PHALANX, ARCHERS, LEGION, PIKEMEN, MUSKETEERS, HORSEMEN,
    CHARIOT, KNIGHTS, CATAPULT, CANNON, CARAVAN,
) = range(NUM_UNITS)  # fmt: skip


def _tech(name: str | None) -> int:
    return NEVER if name is None else TECH[name]


ATTACK, DEFENCE, MOVES, HIT_POINTS, UNIT_COST = (
    np.array([unit[k] for unit in _UNITS], np.int64) for k in range(1, 6)
)
UNIT_TECH = np.array([_tech(unit[6]) for unit in _UNITS], np.int64)
UNIT_OBSOLETE = np.array([_tech(unit[7]) for unit in _UNITS], np.int64)
IS_HORSE = np.array([unit in (HORSEMEN, CHARIOT, KNIGHTS) for unit in range(NUM_UNITS)])
"""Against which Pikemen defend twice as strongly."""
LEONARDO = np.array([-1, -1, -1, 7, 7, 8, 8, 8, -1, 11, 11, -1, 13, -1, -1], np.int64)
"""What Leonardo's Workshop makes of a unit; -1: nothing."""
LEONARDO_TECH = UNIT_TECH[np.maximum(LEONARDO, 0)]
FRAGMENTS = 3
"""Of a move: a road takes one."""
VETERAN_PERCENT = np.array([100, 150, 175, 200], np.int64)
PROMOTION_PERCENT = np.array([50, 33, 20, 0], np.int64)
"""How often a winner of each level rises to the next."""

# --- buildings -----------------------------------------------------------------------------------

_BUILDINGS = (
    # name, cost, upkeep in gold, tech, building that it needs
    ("Barracks", 30, 1, None, None), ("Granary", 40, 1, "Pottery", None),
    ("Temple", 30, 1, "Ceremonial Burial", None), ("Library", 60, 1, "Writing", None),
    ("Marketplace", 60, 0, "Currency", None), ("City Walls", 60, 0, "Masonry", None),
    ("Courthouse", 60, 1, "Code of Laws", None), ("Colosseum", 70, 4, "Construction", None),
    ("Aqueduct", 60, 2, "Construction", None), ("Harbor", 40, 1, "Seafaring", None),
    ("Bank", 80, 2, "Banking", "Marketplace"), ("University", 120, 3, "University", "Library"),
    ("Cathedral", 80, 3, "Monotheism", "Temple"), ("Sewer", 80, 2, "Sanitation", "Aqueduct"),
    ("Palace", 70, 0, "Masonry", None),
    ("Pyramids", 200, 0, "Masonry", None), ("Colossus", 100, 0, "Bronze Working", None),
    ("Hanging Gardens", 200, 0, "Pottery", None), ("Oracle", 100, 0, "Mysticism", None),
    ("Great Library", 300, 0, "Literacy", None), ("Great Wall", 300, 0, "Masonry", None),
    ("Copernicus", 200, 0, "Astronomy", None), ("Marco Polo", 200, 0, "Trade", None),
    ("Sun Tzu", 300, 0, "Feudalism", None), ("King Richard", 150, 0, "Engineering", None),
    ("Michelangelo", 400, 0, "Monotheism", None), ("Shakespeare", 200, 0, "Medicine", None),
    ("Newton", 300, 0, "Theory of Gravity", None), ("Bach", 400, 0, "Theology", None),
    ("Leonardo", 400, 0, "Invention", None),
    ("Coinage", 0, 0, None, None),
)  # fmt: skip
BUILDINGS = tuple(building[0] for building in _BUILDINGS)
FIRST_WONDER, COINAGE = 15, 30
NUM_BUILDINGS = COINAGE
(
    BARRACKS, GRANARY, TEMPLE, LIBRARY, MARKETPLACE, CITY_WALLS, COURTHOUSE, COLOSSEUM, AQUEDUCT,
    HARBOR, BANK, UNIVERSITY, CATHEDRAL, SEWER, PALACE, PYRAMIDS, COLOSSUS, HANGING_GARDENS,
    ORACLE, GREAT_LIBRARY, GREAT_WALL, COPERNICUS, MARCO_POLO, SUN_TZU, KING_RICHARD,
    MICHELANGELO, SHAKESPEARE, NEWTON, BACH, LEONARDO_WORKSHOP,
) = range(NUM_BUILDINGS)  # fmt: skip
BUILDING_COST = np.array([building[1] for building in _BUILDINGS], np.int64)
UPKEEP = np.array([building[2] for building in _BUILDINGS], np.int64)
BUILDING_TECH = np.array([_tech(building[3]) for building in _BUILDINGS], np.int64)
BUILDING_NEEDS = np.array(
    [BUILDINGS.index(building[4]) if building[4] else NEVER for building in _BUILDINGS], np.int64
)
ITEMS = (*UNITS, *BUILDINGS)
"""What a city can make: units, buildings, wonders, Coinage."""
ITEM_BUILDING, NUM_ITEMS = NUM_UNITS, len(ITEMS)
"""The first item that is a building; how many items there are."""
ITEM_COINAGE = ITEM_BUILDING + COINAGE
ITEM_COST = np.concatenate([UNIT_COST, BUILDING_COST])
ITEM_CLASS = np.array(
    [0] * NUM_UNITS + [1] * FIRST_WONDER + [2] * (COINAGE - FIRST_WONDER) + [1], np.int64
)
"""Unit, improvement, wonder: a change between them loses half of the shields."""

# --- governments ---------------------------------------------------------------------------------

GOVERNMENTS = ("Anarchy", "Despotism", "Monarchy", "Republic", "Democracy")
ANARCHY, DESPOTISM, MONARCHY, REPUBLIC, DEMOCRACY = range(5)
GOVERNMENT_TECH = np.array(
    [NEVER, NEVER, TECH["Monarchy"], TECH["The Republic"], TECH["Democracy"]], np.int64
)
MOST_RATE = np.array([100, 60, 70, 80, 100], np.int64)
FREE_UNITS = np.array([3, 3, 3, 0, 0], np.int64)
"""Units of a city that cost it no shield."""
SETTLERS_FOOD = np.array([1, 1, 1, 2, 2], np.int64)
WASTE_BASE = np.array([25, 37, 15, 15, 0], np.int64)
WASTE_DISTANCE = np.array([2, 4, 2, 2, 0], np.int64)
"""Percent of the trade that is lost, and more of it for each tile to the capital."""
PALACE_PERCENT = np.array([0, 75, 50, 0, 0], np.int64)
EMPIRE_BASE = np.array([9, 10, 11, 13, 14], np.int64)
EMPIRE_STEP = np.array([6, 10, 12, 14, 16], np.int64)
MARTIAL_LAW = np.array([0, 99, 3, 0, 0], np.int64)
"""Citizens that military units in a city keep content, at most."""
WAR_WEARINESS = np.array([0, 0, 0, 1, 2], np.int64)
"""Citizens made unhappy by each military unit that is abroad."""
CONTENT = 4
"""Citizens that are content by themselves."""
