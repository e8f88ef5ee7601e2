"""The Protoss of StarCraft II in numbers: actions, units, structures, research and the map.

Costs, times, hit points and weapons are those of patch 5.0, as collected in the tech tree of
github.com/BurnySc2/sc2-techtree (MIT); times are in ticks, of which 22.4 are a second. Weapons of
the Sentry, Void Ray, Oracle, Carrier and Disruptor, which that file lacks, and what says "ours" are
simplifications of this game.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

TICKS_A_SECOND = 22.4
UNITS, STRUCTURES, RESEARCHES = 19, 16, 26
TYPES = UNITS + STRUCTURES
"""Kinds of things that can be hit: units, then structures."""
REGIONS, BASES = 9, 4

(
    PROBE, ZEALOT, ADEPT, STALKER, SENTRY, HIGH_TEMPLAR, DARK_TEMPLAR, VOID_RAY, CARRIER, TEMPEST,
    ORACLE, PHOENIX, MOTHERSHIP, OBSERVER, IMMORTAL, WARP_PRISM, COLOSSUS, DISRUPTOR, ARCHON,
) = range(UNITS)  # fmt: skip
"""Units, by the numbers of the actions that make them."""
(
    PYLON, ASSIMILATOR, NEXUS, GATEWAY, CORE, FORGE, TWILIGHT, ROBOTICS, STARGATE, TEMPLAR_ARCHIVE,
    DARK_SHRINE, ROBOTICS_BAY, FLEET_BEACON, CANNON, BATTERY, WARP_GATE,
) = range(STRUCTURES)  # fmt: skip
"""Structures; the action that builds one is ``FIRST_STRUCTURE`` more, but for the Warp Gate."""
(
    WARP_GATE_RESEARCH, AIR_WEAPONS, AIR_WEAPONS_2, AIR_WEAPONS_3, AIR_ARMOR, AIR_ARMOR_2,
    AIR_ARMOR_3, PIERCING, BLINK, CHARGE, GROUND_WEAPONS, GROUND_WEAPONS_2, GROUND_WEAPONS_3,
    GROUND_ARMOR, GROUND_ARMOR_2, GROUND_ARMOR_3, SHIELDS, SHIELDS_2, SHIELDS_3, LANCE, DRIVE,
    BOOSTER, STORM, VOID_RAY_SPEED, PHOENIX_RANGE, TEMPEST_GROUND,
) = range(RESEARCHES)  # fmt: skip
"""Research; the action that begins one is ``FIRST_RESEARCH`` more."""

MORPH_ARCHON, FIRST_STRUCTURE, FIRST_RESEARCH = 18, 19, 34
SCOUT_PROBE, SCOUT_OBSERVER, SCOUT_ZEALOT, SCOUT_PHOENIX = range(60, 64)
MULTI_ATTACK, MULTI_RETREAT = 64, 65
BOOST_NEXUS, BOOST_CORE, BOOST_TWILIGHT, BOOST_STARGATE, BOOST_FORGE = range(66, 71)
EMPTY, ACTIONS = 71, 72


class Unit(NamedTuple):
    """What the page's tables say of a unit.

    Attributes:
        loops, warp: ticks of training, and until the Warp Gate that made it is ready again.
        at, needs: structures, -1 for none. attributes: letters, see ``ATTRIBUTES``.
        speed: map units in 16 ticks. reach: range. hits: ``G``, ``A`` or both, of what it can hit.
        bonus: attribute and damage more. cooldown: ticks. level, level_bonus: damage more for each
        level of weapons, and of the bonus.
    """

    name: str
    minerals: int
    gas: int
    supply: int
    loops: int
    warp: int
    at: int
    needs: int
    hp: int
    shield: int
    armour: int
    attributes: str
    speed: float
    reach: float = 0.0
    hits: str = ""
    damage: float = 0.0
    bonus: tuple[str, float] = ("", 0.0)
    strikes: int = 1
    cooldown: float = 1.0
    level: float = 0.0
    level_bonus: float = 0.0
    splash: float = 0.0


ATTRIBUTES = "LABMPXS"
"""Light, armoured, biological, mechanical, psionic, massive, structure."""

UNIT = (
    Unit(
        "PROBE", 50, 0, 1, 272, 0, NEXUS, -1, 20, 20, 0, "LM", 2.8125, 0.1, "G", 5, ("", 0), 1, 24,
    ),
    Unit(
        "ZEALOT", 100, 0, 2, 608, 448, GATEWAY, -1, 100, 50, 1, "LB", 2.25, 0.1, "G", 8, ("", 0),
        2, 19.2, 1,
    ),
    Unit(
        "ADEPT", 100, 25, 2, 672, 448, GATEWAY, CORE, 70, 70, 1, "LB", 2.5, 4, "G", 10, ("L", 12),
        1, 36, 1, 1,
    ),
    Unit(
        "STALKER", 125, 50, 2, 672, 515, GATEWAY, CORE, 80, 80, 1, "AM", 2.953125, 6, "GA", 13,
        ("A", 5), 1, 29.9, 1, 1,
    ),
    Unit(
        "SENTRY", 50, 100, 2, 592, 515, GATEWAY, CORE, 40, 40, 1, "LMP", 2.25, 5, "GA", 6, ("", 0),
        1, 16, 1,
    ),
    Unit(
        "HIGHTEMPLAR", 50, 150, 2, 880, 717, GATEWAY, TEMPLAR_ARCHIVE, 40, 40, 0, "LBP", 1.875, 6,
        "G", 4, ("", 0), 1, 28.1, 1,
    ),
    Unit(
        "DARKTEMPLAR", 125, 125, 2, 880, 717, GATEWAY, DARK_SHRINE, 40, 80, 1, "LBP", 2.8125, 0.1,
        "G", 45, ("", 0), 1, 27.1, 5,
    ),
    Unit(
        "VOIDRAY", 200, 150, 4, 832, 0, STARGATE, -1, 150, 100, 0, "AM", 2.75, 6, "GA", 6,
        ("A", 4), 1, 8, 1,
    ),
    Unit(
        "CARRIER", 350, 250, 6, 1440, 0, STARGATE, FLEET_BEACON, 300, 150, 2, "AMX", 1.875, 8,
        "GA", 5, ("", 0), 16, 48, 1,
    ),
    Unit(
        "TEMPEST", 250, 175, 5, 960, 0, STARGATE, FLEET_BEACON, 200, 100, 2, "AMX", 2.25, 10, "GA",
        40, ("", 0), 1, 52.8, 4,
    ),
    Unit(
        "ORACLE", 150, 150, 3, 832, 0, STARGATE, -1, 100, 60, 0, "AMP", 4, 4, "G", 15, ("L", 7), 1,
        13.8,
    ),
    Unit(
        "PHOENIX", 150, 100, 2, 560, 0, STARGATE, -1, 120, 60, 0, "LM", 4.25, 5, "A", 5, ("L", 5),
        2, 17.6, 1,
    ),
    Unit(
        "MOTHERSHIP", 400, 400, 8, 2560, 0, NEXUS, FLEET_BEACON, 350, 350, 2, "AMPX", 1.875, 7,
        "GA", 6, ("", 0), 6, 35.4, 1,
    ),
    Unit("OBSERVER", 25, 75, 1, 480, 0, ROBOTICS, -1, 40, 20, 0, "LM", 1.875),
    Unit(
        "IMMORTAL", 275, 100, 4, 880, 0, ROBOTICS, -1, 200, 100, 1, "AM", 2.25, 6, "G", 20,
        ("A", 30), 1, 23.2, 2, 3,
    ),
    Unit("WARPPRISM", 250, 0, 2, 800, 0, ROBOTICS, -1, 80, 100, 0, "AMP", 2.953125),
    Unit(
        "COLOSSUS", 300, 200, 6, 1200, 0, ROBOTICS, ROBOTICS_BAY, 200, 150, 1, "AMX", 2.25, 7, "G",
        10, ("L", 5), 2, 24, 1, 1, 1.2,
    ),
    Unit(
        "DISRUPTOR", 150, 150, 3, 800, 0, ROBOTICS, ROBOTICS_BAY, 100, 100, 1, "AM", 2.25, 9, "G",
    ),
    Unit(
        "ARCHON", 0, 0, 4, 192, 0, -1, -1, 10, 350, 0, "PX", 2.8125, 3, "GA", 25, ("B", 10), 1,
        28.1, 3, 1, 0.8,
    ),
)  # fmt: skip
"""In the order of their numbers; an Archon is made of two Templar. A Carrier has its eight
interceptors and pays for none, and an Oracle always fires (ours)."""

FLYERS = (VOID_RAY, CARRIER, TEMPEST, ORACLE, PHOENIX, MOTHERSHIP, OBSERVER, WARP_PRISM)
UNARMED = (OBSERVER, WARP_PRISM)
"""Travel with fighters, and are none."""
TEMPEST_AIR, TEMPEST_MASSIVE, TEMPEST_AIR_REACH, TEMPEST_BUILDINGS = 30.0, 22.0, 14.0, 40.0
"""Of a Tempest: damage to flyers, more to massive ones, range to flyers; more to structures with
the upgrade."""


class Structure(NamedTuple):
    """Attributes: ``needs`` is a structure, -1 for none; ``most`` how many a seat may have."""

    name: str
    minerals: int
    gas: int
    loops: int
    hp: int
    shield: int
    needs: int
    most: int


STRUCTURE = (
    Structure("PYLON", 100, 0, 400, 200, 200, -1, 24),
    Structure("ASSIMILATOR", 75, 0, 480, 300, 300, -1, 8),
    Structure("NEXUS", 400, 0, 1600, 1000, 1000, -1, 4),
    Structure("GATEWAY", 150, 0, 1040, 500, 500, PYLON, 12),
    Structure("CYBERNETICSCORE", 150, 0, 800, 550, 550, GATEWAY, 1),
    Structure("FORGE", 150, 0, 720, 400, 400, PYLON, 2),
    Structure("TWILIGHTCOUNCIL", 150, 100, 800, 500, 500, CORE, 1),
    Structure("ROBOTICSFACILITY", 150, 100, 1040, 450, 450, CORE, 4),
    Structure("STARGATE", 150, 150, 960, 600, 600, CORE, 4),
    Structure("TEMPLARARCHIVE", 150, 200, 800, 500, 500, TWILIGHT, 1),
    Structure("DARKSHRINE", 150, 150, 1600, 500, 500, TWILIGHT, 1),
    Structure("ROBOTICSBAY", 150, 150, 1040, 500, 500, ROBOTICS, 1),
    Structure("FLEETBEACON", 300, 200, 960, 500, 500, STARGATE, 1),
    Structure("PHOTONCANNON", 150, 0, 640, 150, 150, FORGE, 12),
    Structure("SHIELDBATTERY", 100, 0, 640, 150, 150, CORE, 8),
    Structure("WARPGATE", 0, 0, 160, 500, 500, -1, 12),
)
"""In the order of their numbers; Gateways and Warp Gates are 12 together."""


class Research(NamedTuple):
    """Attributes: ``before`` is the research and ``needs`` the structure that it needs, or -1."""

    name: str
    minerals: int
    gas: int
    loops: int
    at: int
    before: int = -1
    needs: int = -1


def _levels(name: str, costs: tuple[int, int, int], at: int, first: int, needs: int) -> list:
    return [
        Research(
            f"{name}LEVEL{k + 1}", costs[k], costs[k], (2880, 3440, 4000)[k], at,
            first + k - 1 if k else -1, needs if k else -1,
        )
        for k in range(3)
    ]  # fmt: skip


RESEARCH = (
    Research("WARPGATERESEARCH", 50, 50, 2240, CORE),
    *_levels("PROTOSSAIRWEAPONS", (100, 175, 250), CORE, AIR_WEAPONS, FLEET_BEACON),
    *_levels("PROTOSSAIRARMORS", (150, 225, 300), CORE, AIR_ARMOR, FLEET_BEACON),
    Research("ADEPTPIERCINGATTACK", 100, 100, 2240, TWILIGHT),
    Research("BLINKTECH", 150, 150, 2720, TWILIGHT),
    Research("CHARGE", 100, 100, 2240, TWILIGHT),
    *_levels("PROTOSSGROUNDWEAPONS", (100, 150, 200), FORGE, GROUND_WEAPONS, TWILIGHT),
    *_levels("PROTOSSGROUNDARMORS", (100, 150, 200), FORGE, GROUND_ARMOR, TWILIGHT),
    *_levels("PROTOSSSHIELDS", (150, 225, 300), FORGE, SHIELDS, TWILIGHT),
    Research("EXTENDEDTHERMALLANCE", 150, 150, 2240, ROBOTICS_BAY),
    Research("GRAVITICDRIVE", 100, 100, 1280, ROBOTICS_BAY),
    Research("OBSERVERGRAVITICBOOSTER", 100, 100, 1280, ROBOTICS_BAY),
    Research("PSISTORMTECH", 200, 200, 1760, TEMPLAR_ARCHIVE),
    Research("VOIDRAYSPEEDUPGRADE", 100, 100, 1280, FLEET_BEACON),
    Research("PHOENIXRANGEUPGRADE", 150, 150, 1440, FLEET_BEACON),
    Research("TEMPESTGROUNDATTACKUPGRADE", 150, 150, 2240, FLEET_BEACON),
)
"""In the order of their numbers."""

BOOSTED = (NEXUS, CORE, TWILIGHT, STARGATE, FORGE)
"""By action from ``BOOST_NEXUS`` on, the structure that is boosted."""
SCOUTS = (PROBE, OBSERVER, ZEALOT, PHOENIX)
"""By action from ``SCOUT_PROBE`` on, the unit that scouts."""

WORDS = (
    *(f"TRAIN {unit.name}" for unit in UNIT[:ARCHON]),
    "MORPH ARCHON",
    *(f"BUILD {structure.name}" for structure in STRUCTURE[:WARP_GATE]),
    *(f"RESEARCH {research.name}" for research in RESEARCH),
    *(f"SCOUTING {UNIT[unit].name}" for unit in SCOUTS),
    "MULTI-ATTACK",
    "MULTI-RETREAT",
    *(f"CHRONOBOOST {STRUCTURE[kind].name}" for kind in BOOSTED),
    "EMPTY ACTION",
)
"""The actions in words, by number."""

# --- tables for kernels ---------------------------------------------------------------------------

COST = np.zeros((ACTIONS, 2), np.int64)
"""By action: minerals and gas."""
SUPPLY = np.array([unit.supply for unit in UNIT], np.int64)
LOOPS = np.zeros(ACTIONS, np.int64)
"""By action: ticks of training, building or research."""
WARP_LOOPS = np.array([unit.warp for unit in UNIT], np.int64)
AT = np.array([unit.at for unit in UNIT], np.int64)
NEEDS = np.full(ACTIONS, -1, np.int64)
"""By action: the structure that it needs besides the one that carries it out, or -1."""
MOST = np.array([structure.most for structure in STRUCTURE], np.int64)
RESEARCH_AT = np.array([research.at for research in RESEARCH], np.int64)
BEFORE = np.array([research.before for research in RESEARCH], np.int64)
for _k, _unit in enumerate(UNIT):
    COST[_k], LOOPS[_k], NEEDS[_k] = (_unit.minerals, _unit.gas), _unit.loops, _unit.needs
for _k, _built in enumerate(STRUCTURE[:WARP_GATE]):
    _action = FIRST_STRUCTURE + _k
    COST[_action], LOOPS[_action] = (_built.minerals, _built.gas), _built.loops
    NEEDS[_action] = _built.needs
for _k, _research in enumerate(RESEARCH):
    _action = FIRST_RESEARCH + _k
    COST[_action], LOOPS[_action] = (_research.minerals, _research.gas), _research.loops
    NEEDS[_action] = _research.needs

UNIT_COST = np.array([unit.minerals + unit.gas for unit in UNIT], np.int64)
UNIT_COST[ARCHON] = 350
"""Of an Archon, about what its Templar cost; army values in results use it."""

HP = np.array([u.hp for u in UNIT] + [b.hp for b in STRUCTURE], float)
BARRIER = np.zeros(TYPES)
BARRIER[IMMORTAL] = 100
TOUGHNESS = HP + np.array([u.shield for u in UNIT] + [b.shield for b in STRUCTURE]) + BARRIER
"""By type: hit points, shield and barrier."""
SHIELD_SHARE = np.array([u.shield for u in UNIT] + [b.shield for b in STRUCTURE]) / TOUGHNESS
ARMOUR = np.array([u.armour for u in UNIT] + [1] * STRUCTURES, float)
IS_FLYER = np.array([k in FLYERS for k in range(TYPES)])
IS_FIGHTER = np.array([k not in (PROBE, *UNARMED) for k in range(UNITS)])
_ATTRIBUTES = [u.attributes for u in UNIT] + ["AS"] * STRUCTURES
HAS = np.array([[letter in has for letter in ATTRIBUTES] for has in _ATTRIBUTES])
"""By type and attribute."""
SPEED = np.array([unit.speed for unit in UNIT])
CANNON_TYPE, BATTERY_TYPE = UNITS + CANNON, UNITS + BATTERY
WEAPONS = UNITS + 1
"""Weapons: one for each unit, and that of the Cannon."""
_CANNON = Unit(
    "", 0, 0, 0, 0, 0, -1, -1, 0, 0, 0, "", 0, 7, "GA", 20, ("", 0), 1, 20
)  # fmt: skip
_ARMED = (*UNIT, _CANNON)
REACH = np.array([unit.reach for unit in _ARMED])
HITS_GROUND = np.array(["G" in unit.hits for unit in _ARMED])
HITS_AIR = np.array(["A" in unit.hits for unit in _ARMED])
STRIKES = np.array([unit.strikes for unit in _ARMED], float)
COOLDOWN = np.array([unit.cooldown for unit in _ARMED])
SPLASH = np.array([unit.splash for unit in _ARMED])
DAMAGE = np.zeros((WEAPONS, TYPES))
"""By weapon and type: damage of a hit before armour and levels."""
LEVEL = np.zeros((WEAPONS, TYPES))
"""By weapon and type: damage more for each level of weapons."""
for _k, _unit in enumerate(_ARMED):
    for _j, _has in enumerate(_ATTRIBUTES):
        _more = bool(_unit.bonus[0]) and _unit.bonus[0] in _has
        DAMAGE[_k, _j] = _unit.damage + _more * _unit.bonus[1]
        LEVEL[_k, _j] = _unit.level + _more * _unit.level_bonus
        if _k == TEMPEST and IS_FLYER[_j]:
            DAMAGE[_k, _j] = TEMPEST_AIR + TEMPEST_MASSIVE * ("X" in _has)

# --- the map, as seat 0 numbers it ----------------------------------------------------------------

REGION = (
    "own main", "own natural", "own third", "own fourth", "centre", "enemy fourth", "enemy third",
    "enemy natural", "enemy main",
)  # fmt: skip
"""Names of the regions, by a seat's own numbering."""
CENTRE = 4
EDGES = ((0, 1, 30), (1, 2, 35), (1, 4, 55), (2, 4, 45), (2, 3, 40), (3, 4, 40))
"""Ground ways of one half: region, region, length in map units."""
PLACES = np.zeros((REGIONS, 2))
"""Where regions lie, for flyers."""
PLACES[:5] = (20, 20), (44, 30), (30, 62), (62, 24), (60, 60)
for _r in range(5, REGIONS):
    PLACES[_r] = 120 - PLACES[8 - _r]


def _paths() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shortest ways on the ground; of equal ones that over the lower region first."""
    near = np.full((REGIONS, REGIONS), np.inf)
    for a, b, length in EDGES:
        near[a, b] = near[b, a] = near[8 - a, 8 - b] = near[8 - b, 8 - a] = length
    far = near.copy()
    np.fill_diagonal(far, 0)
    for k in range(REGIONS):
        far = np.minimum(far, far[:, k : k + 1] + far[k])
    step = np.tile(np.arange(REGIONS), (REGIONS, 1))
    for a in range(REGIONS):
        for b in range(REGIONS):
            if a != b:
                ways = [n for n in range(REGIONS) if near[a, n] + far[n, b] == far[a, b]]
                step[a, b] = ways[0]
    near[np.isinf(near)] = 0
    return near.astype(np.int64), far.astype(np.int64), step


NEAR, FAR, STEP = _paths()
"""By two regions: length of the way between neighbours (0: none), length of the shortest way, and
the first region on it."""
STRAIGHT = np.array(
    [[math.dist(one, other) for other in PLACES] for one in PLACES]
)  # fmt: skip
"""By two regions: the way of flyers."""
