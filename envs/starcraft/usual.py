"""What Protoss usually have by the minute, in three builds: guesses at what nobody sees.

Counts at full minutes in 30 games of the scripted players of level 3 (macro, rush, air) each, the
mean of the games that were still played, rounded; of each kind the most until then.
"""

from __future__ import annotations

import numpy as np

from stratagym.envs.starcraft.tables import (
    ASSIMILATOR,
    BATTERY,
    CORE,
    GATEWAY,
    IMMORTAL,
    NEXUS,
    PROBE,
    PYLON,
    ROBOTICS,
    STALKER,
    STARGATE,
    STRUCTURES,
    UNITS,
    VOID_RAY,
    WARP_GATE,
    ZEALOT,
)

BUILDS, LAST_MINUTE, FIRST_UNIT = 3, 10, STRUCTURES
_MACRO = {
    PYLON: (0, 1, 2, 2, 2, 2, 4, 6, 6, 6),
    ASSIMILATOR: (0, 0, 1, 2, 2, 2, 2, 2, 2, 2),
    NEXUS: (1, 1, 1, 1, 2, 2, 2, 2, 2, 2),
    GATEWAY: (0, 0, 1, 1, 3, 1, 0, 0, 0, 0),
    CORE: (0, 0, 0, 1, 1, 1, 1, 1, 1, 1),
    ROBOTICS: (0, 0, 0, 0, 0, 0, 1, 1, 1, 1),
    BATTERY: (0, 0, 0, 0, 0, 1, 2, 2, 2, 2),
    WARP_GATE: (0, 0, 0, 0, 0, 2, 3, 4, 4, 4),
    FIRST_UNIT + PROBE: (12, 15, 19, 23, 27, 27, 27, 27, 27, 27),
    FIRST_UNIT + ZEALOT: (0, 0, 0, 0, 0, 1, 2, 4, 4, 4),
    FIRST_UNIT + STALKER: (0, 0, 0, 0, 0, 2, 4, 5, 5, 5),
    FIRST_UNIT + IMMORTAL: (0, 0, 0, 0, 0, 0, 0, 1, 2, 2),
}
_RUSH = {
    PYLON: (0, 1, 2, 3, 4, 6, 6, 6, 6, 6),
    ASSIMILATOR: (0, 0, 1, 1, 1, 1, 1, 1, 1, 1),
    NEXUS: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    GATEWAY: (0, 0, 1, 3, 4, 1, 0, 0, 0, 0),
    CORE: (0, 0, 0, 1, 1, 1, 1, 1, 1, 1),
    WARP_GATE: (0, 0, 0, 0, 0, 3, 4, 4, 4, 4),
    FIRST_UNIT + PROBE: (12, 15, 18, 22, 22, 22, 22, 22, 22, 22),
    FIRST_UNIT + ZEALOT: (0, 0, 0, 1, 2, 4, 5, 5, 5, 5),
    FIRST_UNIT + STALKER: (0, 0, 0, 0, 3, 6, 6, 6, 6, 6),
}
_AIR = {
    PYLON: (0, 1, 2, 2, 2, 2, 4, 6, 6, 6),
    ASSIMILATOR: (0, 0, 1, 2, 2, 2, 2, 2, 2, 2),
    NEXUS: (1, 1, 1, 1, 2, 2, 2, 2, 2, 2),
    GATEWAY: (0, 0, 1, 2, 2, 1, 0, 0, 0, 0),
    CORE: (0, 0, 0, 1, 1, 1, 1, 1, 1, 1),
    STARGATE: (0, 0, 0, 0, 0, 1, 3, 3, 3, 3),
    BATTERY: (0, 0, 0, 0, 0, 1, 1, 1, 1, 1),
    WARP_GATE: (0, 0, 0, 0, 0, 1, 2, 2, 2, 2),
    FIRST_UNIT + PROBE: (12, 15, 18, 22, 27, 29, 29, 29, 29, 29),
    FIRST_UNIT + ZEALOT: (0, 0, 0, 0, 1, 1, 1, 1, 1, 1),
    FIRST_UNIT + STALKER: (0, 0, 0, 0, 0, 1, 2, 2, 2, 2),
    FIRST_UNIT + VOID_RAY: (0, 0, 0, 0, 0, 0, 1, 3, 4, 4),
}
USUAL = np.zeros((BUILDS, LAST_MINUTE, STRUCTURES + UNITS), np.int16)
"""By build, minute and kind, structures first; the last minute stands for all that follow."""
for _build, _counts in enumerate((_MACRO, _RUSH, _AIR)):
    for _kind, _row in _counts.items():
        USUAL[_build, :, _kind] = _row
