"""The board as arrays that kernels read, and the numbers of actions.

A set of provinces is two words: land and sea, bit = province (0-32), and coasts, bit = province
less ``FIRST_COAST`` (0-41). A set of seas is 19 bits, bit = province less ``FIRST_SEA``.

An action's number is its order's place in ``listing.list_orders``, 36 kB that would be frozen into
every kernel. Kernels know it by less:

- Orders with p3 = 0, which are all that neither support moves nor convoy and some that do, are
  listed (``BASE``).
- The others come in blocks of one (p3, p2), in which they are ordered by p1 and by kind; there is
  at most one convoy and one support by each unit. ``BLOCK`` has the blocks' first numbers, and the
  sets ``REACHED_FROM``, ``CONVOYING`` and ``NEEDED`` tell who supports and who convoys in a block,
  so that a place in it is a count of bits.
"""

from __future__ import annotations

import numpy as np

from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import listing
from stratagym.envs.diplomacy.listing import (
    BUILD_ARMY,
    BUILD_FLEET,
    DISBAND,
    FIRST_COAST,
    FIRST_SEA,
    HOLD,
    MOVE,
    NUM_COASTS,
    REACHED,
    REMOVE,
    RETREAT,
    SEAS_BESIDE,
    SUPPORT_HOLD,
    SUPPORT_MOVE,
    VIA,
    encode,
)

NUM_PROVINCES, NUM_AREAS, NUM_CENTRES, NUM_POWERS = 75, 81, 34, 7
ARMY, FLEET = 1, 2
NOWHERE = -1

# --- the board -----------------------------------------------------------------------------------


def words(provinces) -> tuple[int, int]:
    """A set of provinces as two words: land and sea, and coasts."""
    bits = sum(1 << province for province in set(provinces))
    return bits & (1 << FIRST_COAST) - 1, bits >> FIRST_COAST


def _sets(rows) -> np.ndarray:
    return np.array([words(row) for row in rows], np.uint64)


MAIN_AREA = np.array(g.MAIN_AREA, np.int8)
AREA_PROVINCE = np.array(g.AREA_PROVINCE, np.int8)
_BY_KIND = (g.ARMY_TO, g.FLEET_TO)
REACH = np.stack(
    [_sets([[g.AREA_PROVINCE[to] for to in row] for row in beside]) for beside in _BY_KIND]
)
"""(2, 81, 2) uint64: the provinces that an army and a fleet in an area can move to."""
REACHED_FROM = _sets(REACHED)
"""(75, 2) uint64: the provinces from which some unit can move to a province."""
TWO_COASTS = NUM_PROVINCES - 3
"""The first of the provinces that have two coasts."""
COASTS = np.array(
    [
        [sum(1 << 3 * (to in g.SOUTH) + g.AREA_PROVINCE[to] - TWO_COASTS
             for to in row if g.AREA_PROVINCE[to] >= TWO_COASTS)
         for row in beside]
        for beside in _BY_KIND
    ],
    np.int8,
)  # fmt: skip
"""(2, 81) int8: where in Bulgaria, Spain and St Petersburg an army and a fleet in an area can move
to: bits 0-2 for the main area or the northern or eastern coast, 3-5 for the southern coast."""

CENTRE = np.full(NUM_PROVINCES, NOWHERE, np.int8)
"""(75,) int8: the number (0-33) of the centre in a province, or ``NOWHERE``."""
CENTRE[list(g.CENTRES)] = np.arange(NUM_CENTRES)
CENTRE_PROVINCE = np.array(g.CENTRES, np.int8)
HOME = np.array([g.PROVINCES[province].home for province in g.CENTRES], np.int8)
"""(34,) int8: whose home each centre is, or ``NOWHERE``."""
ASKED_IN_ORDER = np.array([range(NUM_AREAS), g.MILA_ORDER], np.int8)
"""(2, 81) int8: areas in the order in which their units are asked, by ``unit_order``."""

SEA_BESIDE_COAST = np.array(SEAS_BESIDE[FIRST_COAST:], np.uint32)
"""(42,) uint32: the seas that a coast touches."""
SEA_BESIDE_SEA = np.array(SEAS_BESIDE[FIRST_SEA:FIRST_COAST], np.uint32)
"""(19,) uint32: the seas beside a sea."""

# --- routes --------------------------------------------------------------------------------------

_routes, _convoys = listing.find_routes()
ROUTE_AT = np.searchsorted(_routes[:, 0], np.arange(NUM_COASTS + 1)).astype(np.int16)
"""(43,) int16: where each start's routes begin in the next two, and end."""
ROUTE_TO = _routes[:, 1].astype(np.int8)
ROUTE_SEAS = _routes[:, 2].astype(np.uint32)
CONVOYING = _convoys
"""(42, 42) uint32: the seas whose fleets can be ordered to convoy from coast to coast."""
NEEDED = listing.needed_seas(_routes)
"""(42, 42) uint32: the seas whose fleets a move from coast to coast needs, so that none of them can
support it."""

# --- actions -------------------------------------------------------------------------------------

ORDERS = listing.list_orders(_routes, _convoys)
"""(18584,) uint32: the orders by action. Too large for kernels; see ``order_of`` in ``orders``."""
NUM_ACTIONS = len(ORDERS)
_number = {order: action for action, order in enumerate(ORDERS.tolist())}


def _numbers(orders) -> np.ndarray:
    return np.array([_number.get(order, NOWHERE) for order in orders], np.int16)


WAIVE_ACTION = _number[listing.encode(listing.WAIVE, 0)]
NUM_BASE = int(np.searchsorted(ORDERS, 1 << 25))
BASE = ORDERS[:NUM_BASE].copy()
"""The orders with p3 = 0, by action."""
BLOCK = np.searchsorted(
    ORDERS >> 16, np.arange(NUM_PROVINCES)[:, None] << 9 | np.arange(NUM_PROVINCES) << 1
).astype(np.int16)
"""(75, 75) int16: the first action of each (p3, p2)."""
GIVER = ((ORDERS[NUM_BASE:] >> 8 & 0xFE) | (ORDERS[NUM_BASE:] & 255 == SUPPORT_MOVE)).astype(
    np.uint8
)
"""By action, less ``NUM_BASE``: twice the province of p1, plus 1 for a support."""

ALONE = np.stack(
    [_numbers(encode(kind, p) for p in range(NUM_PROVINCES))
     for kind in (HOLD, DISBAND, REMOVE, BUILD_ARMY, BUILD_FLEET)]
    + [_numbers(encode(BUILD_FLEET, p, south=True) for p in range(NUM_PROVINCES))]
)  # fmt: skip
"""(6, 75) int16: to hold, disband, remove, build an army, a fleet, a fleet on the south coast."""
HOLD_AT, DISBAND_AT, REMOVE_AT, BUILD_ARMY_AT, BUILD_FLEET_AT, BUILD_SOUTH_AT = ALONE
VIA_TO = np.array(
    [_numbers(encode(VIA, FIRST_COAST + start, FIRST_COAST + end) for end in range(NUM_COASTS))
     for start in range(NUM_COASTS)]
)  # fmt: skip
"""(42, 42) int16: to go by convoy from coast to coast, or ``NOWHERE``."""

_pairs = [(province, to) for province in range(NUM_PROVINCES) for to in REACHED[province]]
STEP_AT = np.searchsorted([p for p, _ in _pairs], np.arange(NUM_PROVINCES + 1)).astype(np.int16)
"""(76,) int16: where each province's rows of ``STEPS`` begin, and end."""
STEPS = np.stack(
    [
        np.array([to for _, to in _pairs], np.int16),
        *(
            _numbers(encode(kind, *pair, south=south) for pair in _pairs)
            for kind in (MOVE, RETREAT)
            for south in (False, True)
        ),
        _numbers(encode(SUPPORT_HOLD, *pair) for pair in _pairs),
        _numbers(encode(SUPPORT_MOVE, *pair, 0) for pair in _pairs),
    ],
    axis=1,
)
"""(412, 7) int16: a province beside, and the actions to move there, to its south coast, to retreat
there, to its south coast, to support the unit there, and to support one that comes from province
0."""
TO, TO_MOVE, TO_MOVE_SOUTH, TO_RETREAT, TO_RETREAT_SOUTH, TO_SUPPORT, TO_SUPPORT_0 = range(7)
