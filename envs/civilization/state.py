"""The record of a game, and what its numbers mean.

Tiles are numbered ``t = x + width * y``, x to the east and y to the south; -1 is no tile. Cities
and units lie in a table for each seat, in places 0 to 11 and 0 to 39; a place that is free has the
type or the tile -1. What a seat remembers of a tile out of its sight is one number of 32 bits:

    bits  0-2    works (road, irrigation, mine)
    bits  3-5    1 + seat that owns it, 0 for nobody
    bits  6-10   size of the city there, 0 for none
    bit   11     whether that city has walls
    bits  12-14  1 + seat of foreign units there, 0 for none
    bits  15-18  type of the best defender among them
    bits  19-24  how many they are
"""

from __future__ import annotations

from functools import cache

import numpy as np

SEATS, MOST_CITIES, MOST_UNITS = 4, 12, 40
"""Of the tables; a game may have fewer seats."""
LEAST_TILES = 36 * 24
"""That a record has room for: all sizes of the game's own maps, and the real Freeciv's usual one,
have one record, so another size of the map compiles nothing."""
MOST_DECISIONS = 160
"""Of a seat in one turn, after which its turn ends."""
MOST_COUNCIL = 8
"""Decisions of the player actor in one turn."""
WONDERS = 15
NOT_BUILT, LOST = -1, -2
"""In the place of a wonder's owner."""
NO_TILE = -1
SEAT_AT, PLACE = 4, 15
"""A city as one number: the seat from this bit on, the place below it."""

# Standing orders of a unit.
IDLE, FORTIFIED, SENTRY, WORK, EXPLORE, AUTO = range(6)
ORDERS = ("idle", "fortified", "sentry", "working", "exploring", "auto worker")

# Who is asked: the stages of a seat's turn.
TREATIES, COUNCIL, CITIES, TROOPS = range(4)

# Bits of ``city_flags``.
CHOOSING, ITEM_ASKED, BUY_ASKED, BOUGHT, FREE_CHANGE, FOUNDED_NOW = 1, 2, 4, 8, 16, 32
"""To be asked for its item; asked for it this turn; asked whether to buy; has bought; may change
its item without a loss; was founded this turn."""

OWNER_AT, SIZE_AT, WALLS_AT, ARMY_AT, TYPE_AT, COUNT_AT = 3, 6, 11, 12, 15, 19
"""Where the parts of a memory of a tile begin."""
MOST_COUNTED = 63

_SEAT = (SEATS,)
_CITY = (SEATS, MOST_CITIES)
_UNIT = (SEATS, MOST_UNITS)


def state_dtype(tiles: int) -> np.dtype:
    """The dtype of a record on a map of so many tiles; beyond them it has sea that is nobody's."""
    return _state_dtype(max(tiles, LEAST_TILES))


@cache
def _state_dtype(tiles: int) -> np.dtype:
    return np.dtype(
        [
            ("rng", "u8"),
            ("techs", "u8", _SEAT),  # a bit each
            # tiles
            ("seen", "u4", (SEATS, tiles)),  # the memory of each seat
            ("terrain", "u1", tiles),
            ("resource", "u1", tiles),  # 0 for none, else 1 or 2
            ("works", "u1", tiles),
            ("owner", "i1", tiles),  # seat within whose borders it lies, or -1
            ("town", "i1", tiles),  # place of the owner's city that it belongs to, or -1
            ("worker", "i1", tiles),  # place of the owner's city that has a citizen here, or -1
            ("city_at", "i1", tiles),  # seat << SEAT_AT | place, or -1
            ("army", "i1", tiles),  # seat of the units there, or -1
            ("stack", "u1", tiles),  # how many units
            ("guards", "u1", tiles),  # how many of them have a strength in attack
            ("known", "u1", tiles),  # a bit for each seat that has seen it
            ("sight", "u1", (SEATS, tiles)),  # by how many units and cities a seat sees it
            # cities
            ("city_built", "u4", _CITY),  # buildings and wonders, a bit each
            ("city_tile", "i2", _CITY),
            ("city_food", "i2", _CITY),
            ("city_shields", "i2", _CITY),
            ("city_founded", "u2", _CITY),  # turn
            ("city_size", "u1", _CITY),
            ("city_item", "u1", _CITY),
            ("city_flags", "u1", _CITY),
            ("city_unrest", "u1", _CITY),  # turns of disorder in a row
            ("city_name", "u1", _CITY),  # founder * 64 + number
            # units
            ("unit_tile", "i2", _UNIT),
            ("unit_born", "u2", _UNIT),  # turn
            ("unit_type", "i1", _UNIT),
            ("unit_home", "i1", _UNIT),  # place of its city, or -1
            ("unit_hp", "u1", _UNIT),
            ("unit_level", "u1", _UNIT),
            ("unit_moves", "u1", _UNIT),  # fragments, thirds of a move
            ("unit_order", "u1", _UNIT),
            ("unit_work", "u1", _UNIT),  # 1 road, 2 irrigation, 3 mine; 0 for none
            ("unit_progress", "u1", _UNIT),  # turns of work
            ("unit_done", "u1", _UNIT),  # not asked any more this turn
            ("unit_busy", "u1", _UNIT),  # has moved or fought this turn
            # seats
            ("gold", "i4", _SEAT),
            ("bulbs", "i4", _SEAT),
            ("score", "i4", _SEAT),  # at the last change of turns
            ("units_built", "u2", _SEAT),
            ("units_killed", "u2", _SEAT),
            ("units_lost", "u2", _SEAT),
            ("tax", "u1", _SEAT),
            ("luxury", "u1", _SEAT),
            ("science", "u1", _SEAT),
            ("government", "u1", _SEAT),
            ("next_government", "u1", _SEAT),
            ("anarchy_left", "u1", _SEAT),  # turns
            ("researching", "i1", _SEAT),
            ("discovered", "u1", _SEAT),  # a tech in the last change of turns
            ("founded", "u1", _SEAT),  # cities so far
            ("alive", "u1", _SEAT),
            # bits of the other seats
            ("embassy", "u1", _SEAT),
            ("contact", "u1", _SEAT),
            ("peace", "u1", _SEAT),
            ("cancelled", "u1", _SEAT),  # peace that ends with this turn
            ("proposed", "u1", _SEAT),  # this turn
            # the treaty on the table, by who is to answer and who proposed it
            ("offer", "i1", (SEATS, SEATS)),  # template, or -1
            ("offer_gives", "i1", (SEATS, SEATS)),  # tech of the proposer, or -1
            ("offer_takes", "i1", (SEATS, SEATS)),  # tech of the other, or -1
            ("offer_gold", "i2", (SEATS, SEATS)),  # what the proposer pays; below 0: receives
            # the world
            ("wonder_owner", "i1", WONDERS),  # seat, -1 not built yet, -2 lost with its city
            ("philosophy", "u1"),  # whether somebody has had its free tech
            ("over", "u1"),
            ("turn", "u2"),  # from 1
            # whose decision it is
            ("player", "i1"),
            ("stage", "u1"),
            ("actor", "i2"),  # place of the city or unit; who proposed the treaty
            ("council", "u1"),  # decisions of the player actor this turn
            ("decisions", "u2"),  # of the seat this turn
            ("woken", "u1"),  # whether all units are asked this turn
            ("summoned", "u1"),  # whether all cities are
            # scratch of searches over the map, all zeros when it is not in use
            ("steps", "i2", tiles),
            ("queue", "i2", tiles),
        ],
        align=True,
    )
