"""The record of a game of Diplomacy."""

from __future__ import annotations

import numpy as np

from stratagym.envs.diplomacy.tables import (
    NUM_AREAS,
    NUM_CENTRES,
    NUM_COASTS,
    NUM_POWERS,
    NUM_PROVINCES,
)

MOST_UNITS = NUM_CENTRES
BY_CONVOY = NUM_PROVINCES
"""In ``attacker``: the attack came by convoy, and so from no province beside."""
SPRING, SPRING_RETREATS, FALL, FALL_RETREATS, WINTER = range(5)
"""Seasons of ``season``."""
PLAYING, ENDED, OUT_OF_TIME = range(3)
"""What ``over`` says."""
NOT_ORDERED, MOVED, FAILED, GIVEN, CUT, VOID, CONVOYED, DISRUPTED, HELD = range(9)
"""What became of an order to move, in ``result``; ``DISLODGED`` more for units driven away."""
DISLODGED = 16
NEWEST = 2
"""The column of ``last`` for the orders of the last phase."""

_SHORT = (NUM_PROVINCES,)
STATE = np.dtype(
    [
        ("rng", "u8"),
        ("salt", "u8", (NUM_POWERS,)),  # players without memory draw a phase's plan by their own
        ("via_to", "u8", (NUM_COASTS,)),  # coasts to which an army could be convoyed from each
        ("fleets", "u4"),  # seas with fleets, as this movement phase began
        ("turn", "i2"),  # phases begun, rounds of talk among them
        ("year", "i2"),
        ("wp", "i2", (NUM_POWERS,)),  # welfare points
        ("order", "i2", _SHORT),  # actions of the running phase by province of the unit, or -1
        ("last", "i2", (NUM_AREAS, 3)),  # actions + 1 since the last movement phase began
        ("season", "i1"),
        ("talk", "i1"),  # number of the running round of talk, or 0
        ("over", "i1"),
        ("power", "i1"),  # whose orders are asked for
        ("place", "i1"),  # how far asking came: a rank of ``ASKED_IN_ORDER``
        ("done", "i1"),  # builds and removals of ``power`` in this Winter
        ("asked", "i1"),  # whether anybody was asked for anything in this phase
        ("unit", "i1", _SHORT),  # 0, ARMY or FLEET
        ("owner", "i1", _SHORT),  # of the unit, or -1
        ("area", "i1", _SHORT),  # where in the province the unit is; its main area without one
        ("dislodged_unit", "i1", _SHORT),  # the same of units that wait for a retreat
        ("dislodged_owner", "i1", _SHORT),
        ("dislodged_area", "i1", _SHORT),
        ("attacker", "i1", _SHORT),  # where the attack on it began, or ``BY_CONVOY``
        ("contested", "i1", _SHORT),  # whether attacks there stood each other off this season
        ("influence", "i1", _SHORT),  # the last power whose unit came there, or -1
        ("centre_owner", "i1", (NUM_CENTRES,)),  # or -1
        ("owed", "i1", (NUM_POWERS,)),  # builds, or removals below 0, as this Winter began
        ("unit_before", "i1", _SHORT),  # the board of the last movement orders
        ("owner_before", "i1", _SHORT),
        ("area_before", "i1", _SHORT),
        ("centre_before", "i1", (NUM_CENTRES,)),
        ("result", "i1", _SHORT),  # of the last movement orders, by province of the unit
        # What adjudication works with. Units are numbered by province; sets of units are words.
        ("at", "i1", _SHORT),  # the number of the unit in a province, or -1
        ("start", "u1", (MOST_UNITS,)),
        ("target", "u1", (MOST_UNITS,)),
        ("third", "u1", (MOST_UNITS,)),
        ("kind", "u1", (MOST_UNITS,)),
        ("supporters", "u8", (MOST_UNITS,)),  # by unit: who supports what it is ordered to do
        ("convoyers", "u8", (MOST_UNITS,)),  # by unit: which fleets are to convoy it
        ("attackers", "u8", _SHORT),  # by province: who is to move there
        ("of_power", "u8", (NUM_POWERS,)),
        ("looks_at", "u8", (MOST_UNITS,)),  # by unit: the unknown orders its own depends on
        ("drawn", "i8", (1,)),  # an action drawn from a list of which no more is kept
    ],
    align=True,
)
