"""What the scripted players of StarCraft differ in: seven levels and four builds.

Levels have the names of StarCraft II's built-in players, without a claim that they play alike.
"""

from __future__ import annotations

import numpy as np

LEVELS = (
    "VeryEasy", "Easy", "Medium", "MediumHard", "Hard", "Harder", "VeryHard",
)  # fmt: skip
"""Names of levels 1 to 7."""
MACRO, RUSH, TIMING, AIR, RANDOM_BUILD = range(5)
BUILDS = ("macro", "rush", "timing", "air", "randombuild")

(
    ACTS, PROBES, BASES_WANTED, GAS, BOOSTS, GATES, ATTACK, RETREATS, CORE_UNITS, ROBOTICS_HALLS,
    TWILIGHT_UNITS, FORGES, SCOUTING, COUNTERS, CAREFUL, BATTERIES,
) = range(16)  # fmt: skip
"""Columns of ``LEVEL``.

Of 60 decisions it acts in so many, drawn; Probes; bases; Assimilators; boosts (1 Nexus, 2 and Core,
3 all); Gateways; supply of the army that attacks; whether it retreats; whether it trains units of
the Core, has Robotics Facilities, Twilight Council and Charge, Forges; scouts; trains what is best
against what was seen; attacks only if it expects to win (2: by a fifth); Shield Batteries of the
builds macro and air.
"""
LEVEL = np.array(
    [
        # acts, probes, bases, gas, boosts, gates, attack, retreats, core, robotics, twilight,
        # forges, scouting, counters, careful, batteries
        (12, 12, 1, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (12, 16, 1, 1, 0, 2, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (14, 20, 1, 2, 0, 3, 16, 0, 1, 0, 0, 0, 0, 0, 0, 0),
        (20, 30, 2, 3, 1, 4, 24, 0, 1, 1, 0, 0, 0, 0, 0, 2),
        (25, 40, 2, 4, 2, 6, 36, 0, 1, 1, 1, 0, 1, 0, 0, 2),
        (30, 44, 2, 4, 3, 7, 44, 1, 1, 1, 1, 1, 1, 0, 0, 2),
        (44, 44, 2, 3, 3, 10, 80, 1, 1, 2, 1, 0, 1, 1, 1, 2),
        (60, 44, 2, 3, 3, 12, 140, 1, 1, 3, 1, 0, 1, 1, 2, 3),
    ],
    np.int64,
)
"""By level, from 1 (row 0 is not played)."""
