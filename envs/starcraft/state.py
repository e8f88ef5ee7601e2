"""The record of a game of StarCraft. Fields of two rows are a seat each."""

from __future__ import annotations

import numpy as np

from stratagym.envs.starcraft.tables import (
    BASES,
    REGIONS,
    RESEARCHES,
    STRUCTURES,
    TYPES,
    UNITS,
)

UNIT_OF_STORE = 1344
"""Stores count so many to a mineral or a unit of gas: ticks of a minute."""
ENERGY = 256
"""Energies count so many to a point."""
SQUADS, SITES, MORPHS, SCOUTS_OUT, LATELY = 6, 24, 8, 4, 5
GATEWAYS, ROBOTICS_HALLS, STARGATES = 12, 4, 4
FIRST_GATEWAY, FIRST_ROBOTICS, FIRST_STARGATE = BASES, BASES + GATEWAYS, BASES + GATEWAYS + 4
JOB_CORE, JOB_TWILIGHT, JOB_FORGE, JOB_BAY, JOB_ARCHIVE, JOB_BEACON = 24, 25, 26, 28, 29, 30
JOBS = 31
"""Places where one thing is made at a time: four Nexus by base, twelve Gateways and Warp Gates,
four Robotics Facilities, four Stargates, Core, Twilight Council, two Forges, Robotics Bay, Templar
Archive, Fleet Beacon."""
NO_JOB, CHANGING = 0, 200
"""``job`` of a place: nothing, the action + 1 that is carried out, or a Gateway that becomes a Warp
Gate."""
FREE, AT_HOME, ATTACKING, RETREATING = range(4)
"""Orders of squads; ``FREE`` is no squad."""
NEVER = -1_000_000
"""A tick long before the game."""
DRAW, NOBODY = 2, -1
"""Of ``winner``."""

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("salt", "u8", (2,)),  # what scripted players draw by; a seat knows its own
        ("tick", "i4"),
        ("turn", "i4"),
        ("winner", "i1"),  # a seat, DRAW, or NOBODY while the game goes on
        ("seat", "i1"),
        ("restless", "i1"),  # something has changed: the next tick passes by itself
        ("committed", "i1"),  # the action of seat 0 while seat 1 decides, else EMPTY
        ("gates", "i1", (2,)),  # Gateways and Warp Gates
        # stores, in 1/1344
        ("minerals", "i8", (2,)),
        ("gas", "i8", (2,)),
        ("mined", "i8", (2, 2)),  # minerals and gas collected in all
        ("spent", "i4", (2, 2)),
        ("patches", "i8", (2, BASES)),  # minerals left
        ("geysers", "i8", (2, BASES, 2)),
        # Probes, and what follows from where they are: how many work at a base, what they bring
        ("probes", "i2", (2,)),
        ("workers", "i2", (2, BASES)),
        ("on_gas", "i2", (2,)),
        ("patch_rate", "i4", (2, BASES)),
        ("geyser_rate", "i4", (2, BASES, 2)),
        ("wound", "f8", (2,)),  # of one Probe
        # structures
        ("built", "i1", (2, BASES, STRUCTURES)),  # finished
        ("energy", "i4", (2, BASES)),  # of Nexus
        ("battery", "i4", (2, BASES)),  # energy of Batteries, together
        ("pool", "f8", (2, BASES, 2)),  # toughness of Cannons and of Batteries
        ("damage", "f8", (2, BASES)),  # of the structure that is being hit
        ("base_hit", "i4", (2, BASES)),  # tick of the last fight
        ("site", "i1", (2, SITES)),  # structure in building + 1
        ("site_base", "i1", (2, SITES)),
        ("walk", "i2", (2, SITES)),  # ticks until building starts
        ("away", "i2", (2, SITES)),  # ticks until the Probe is back
        ("site_left", "i2", (2, SITES)),  # ticks of building left
        ("job", "i2", (2, JOBS)),
        ("job_left", "i4", (2, JOBS)),  # halves of ticks
        ("boost", "i4", (2, JOBS)),  # boosted before this tick
        ("out", "i1", (2, JOBS)),  # the unit of a Warp Gate stands; the gate is not ready again
        ("warp", "i1", (2, GATEWAYS)),  # is a Warp Gate
        ("research", "i1", (2, RESEARCHES)),  # 1 in progress, 2 done
        # squads
        ("order", "i1", (2, SQUADS)),
        ("region", "i1", (2, SQUADS)),
        ("next", "i1", (2, SQUADS)),  # where a hop leads; the region itself while it stands
        ("left", "i2", (2, SQUADS)),  # ticks of the hop left, and gone
        ("gone", "i2", (2, SQUADS)),
        ("wait", "i2", (2, SQUADS)),  # ticks before a retreat begins
        ("goal", "i1", (2, SQUADS)),  # the target of an attack
        ("came", "i4", (2, SQUADS)),  # tick of the last arrival
        ("squad_hit", "i4", (2, SQUADS)),
        ("count", "i2", (2, SQUADS, UNITS)),
        ("life", "f8", (2, SQUADS, UNITS)),  # toughness
        ("charge", "i4", (2, SQUADS, 2)),  # energy of Sentries and of High Templar, together
        ("morph", "i2", (2, MORPHS)),  # ticks until an Archon stands + 1; 0 for none
        # scouts, one of each kind
        ("leg", "i1", (2, SCOUTS_OUT)),  # 0 at home, else the leg of the way it is on, from 1
        ("leg_left", "i2", (2, SCOUTS_OUT)),
        ("look", "i2", (2, SCOUTS_OUT)),  # ticks that it still looks round
        ("exposed", "i2", (2, SCOUTS_OUT)),
        # fights by region
        ("begun", "i4", (REGIONS,)),  # tick in which it began, or NEVER
        ("last", "i4", (REGIONS,)),  # the last in which somebody could hit
        ("comer", "i1", (REGIONS,)),  # the seat that came; DRAW for both
        ("nova", "i4", (2, REGIONS)),  # ticks of the last nova and storm, end of the shield
        ("storm", "i4", (2, REGIONS)),
        ("guard", "i4", (2, REGIONS)),
        # what a seat knows of the other
        ("seen", "u1", (2, REGIONS, TYPES)),
        ("seen_at", "i4", (2, REGIONS)),
        ("known", "i2", (2, UNITS)),  # most units seen at a time, less those seen to die
        # the last decisions of a seat, newest last: tick, minerals, gas, used, cap, army, action
        ("lately", "i4", (2, LATELY, 7)),
        # work space, told by the fields above
        ("here", "i4", (2, REGIONS)),
        ("n", "f8", (2, TYPES)),
        ("loss", "f8", (2, TYPES)),
        ("at", "f8", (2, 3, 4)),
    ],
    align=True,
)
