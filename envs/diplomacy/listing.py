"""Routes of convoys and the list of all orders, found out of the board in a twentieth of a second.

Orders are DeepMind's 18,584 (``action_list.py`` of their public environment). An order is the
number ``kind | p1 << 8 | p2 << 16 | p3 << 24``, where p1 is the unit, p2 the target and p3 the
supported or convoyed unit, each a byte ``2 * province``, plus 1 for a south coast. The list holds
them in ascending order, and an action is an order's place in it. Which orders there are follows
from the board, so that nothing of the list has to be copied.

A *route* is a path of seas that convoys an army and of which no fleet could be left out: seas that
are not neighbours in it do not touch, and neither does the start or the destination touch any but
its end.
"""

from __future__ import annotations

import numpy as np

from stratagym.envs.diplomacy.geography import (
    AREA_PROVINCE,
    ARMY_TO,
    COAST,
    FLEET_TO,
    PROVINCES,
    SEA,
    SOUTH,
    areas_of,
)

FIRST_SEA, FIRST_COAST = 14, 33
NUM_SEAS, NUM_COASTS = 19, 42
"""Seas are the provinces 14-32, coasts 33-74."""

VIA, CONVOY, HOLD, MOVE, SUPPORT_HOLD, SUPPORT_MOVE = range(1, 7)
DISBAND, RETREAT, BUILD_ARMY, BUILD_FLEET, REMOVE, WAIVE = range(8, 14)
"""Kinds of orders: DeepMind's numbers, of which 7 is not used. ``VIA`` is a move by convoy."""


def encode(kind: int, unit: int, target: int = 0, third: int = 0, south: bool = False) -> int:
    """The number of an order, of its kind and three provinces.

    ``south`` names the south coast: of the target, or of the unit where a fleet is built.
    """
    return (kind | unit << 9 | target << 17 | third << 25) + (
        south << (8 if kind == BUILD_FLEET else 16)
    )


def steps(province: int) -> list[int]:
    """The areas that some unit in a province can move to, ascending."""
    return sorted({to for area in areas_of(province) for to in (*ARMY_TO[area], *FLEET_TO[area])})


REACHED = tuple(
    sorted({AREA_PROVINCE[area] for area in steps(province)}) for province in range(len(PROVINCES))
)
"""By province: those that some unit in it can move to, ascending."""
SEAS_BESIDE = tuple(
    sum(1 << sea - FIRST_SEA for sea in beside if PROVINCES[sea].kind == SEA) for beside in REACHED
)
"""By province: the set of seas that it touches, bit = province less ``FIRST_SEA``."""


def find_routes() -> tuple[np.ndarray, np.ndarray]:
    """All routes, and the seas that an order to convoy can name.

    Returns:
        (2094, 3) uint32: the routes' starts, destinations (both as coasts 0-41) and sets of seas,
        in ascending order. (42, 42) uint32: the seas on any path from coast to coast.
    """
    routes: set[tuple[int, int, int]] = set()
    convoys = np.zeros((NUM_COASTS, NUM_COASTS), np.uint32)

    def walk(start: int, last: int, path: int, is_route: bool) -> None:
        for end in REACHED[FIRST_SEA + last]:
            coast = end - FIRST_COAST
            if 0 <= coast != start:
                convoys[start, coast] |= np.uint32(path)
                if is_route and (path & SEAS_BESIDE[end]).bit_count() == 1:
                    routes.add((start, coast, path))
        beside = SEAS_BESIDE[FIRST_SEA + last] & ~path
        for sea in range(NUM_SEAS):
            if beside >> sea & 1:
                is_apart = not SEAS_BESIDE[FIRST_COAST + start] >> sea & 1
                is_chordless = (path & SEAS_BESIDE[FIRST_SEA + sea]).bit_count() == 1
                walk(start, sea, path | 1 << sea, is_route and is_apart and is_chordless)

    for start in range(NUM_COASTS):
        for sea in range(NUM_SEAS):
            if SEAS_BESIDE[FIRST_COAST + start] >> sea & 1:
                walk(start, sea, 1 << sea, True)
    return np.array(sorted(routes), np.uint32), convoys


def needed_seas(routes: np.ndarray) -> np.ndarray:
    """(42, 42) uint32: the seas that are on every route from coast to coast; all without a route.

    None where the two coasts are neighbours.
    """
    needed = np.full((NUM_COASTS, NUM_COASTS), 2**NUM_SEAS - 1, np.uint32)
    for start, end, seas in routes:
        needed[start, end] &= seas
    for start in range(NUM_COASTS):
        for end in REACHED[FIRST_COAST + start]:
            if end >= FIRST_COAST:
                needed[start, end - FIRST_COAST] = 0
    return needed


def list_orders(routes: np.ndarray, convoys: np.ndarray) -> np.ndarray:
    """(18584,) uint32: all orders, ascending; the arguments are what ``find_routes`` returns."""
    found = {encode(WAIVE, 0)}
    found |= {encode(VIA, *pair) for pair in (routes[:, :2] + FIRST_COAST).tolist()}
    needed = needed_seas(routes).tolist()
    for unit, one in enumerate(PROVINCES):
        found |= {encode(kind, unit) for kind in (HOLD, DISBAND, REMOVE)}
        if one.home >= 0:
            found.add(encode(BUILD_ARMY, unit))
            if one.kind == COAST:
                coasts = range(len(one.coasts) or 1)
                found |= {encode(BUILD_FLEET, unit, south=k > 0) for k in coasts}
        for area in steps(unit):
            target, south = AREA_PROVINCE[area], area in SOUTH
            found |= {encode(kind, unit, target, south=south) for kind in (MOVE, RETREAT)}
        for target in REACHED[unit]:
            found.add(encode(SUPPORT_HOLD, unit, target))
            for third in range(len(PROVINCES)):
                comes = target in REACHED[third]
                if min(third, target) >= FIRST_COAST and third != target:
                    lacks = needed[third - FIRST_COAST][target - FIRST_COAST]
                    comes = lacks < 2**NUM_SEAS - 1 and not (
                        one.kind == SEA and lacks >> unit - FIRST_SEA & 1
                    )
                if comes and third not in (unit, target):
                    found.add(encode(SUPPORT_MOVE, unit, target, third))
    for start, row in enumerate(convoys.tolist()):
        for end, seas in enumerate(row):
            pair = FIRST_COAST + end, FIRST_COAST + start
            found |= {
                encode(CONVOY, FIRST_SEA + k, *pair) for k in range(NUM_SEAS) if seas >> k & 1
            }
    return np.array(sorted(found), np.uint32)
