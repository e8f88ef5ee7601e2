"""What units may be ordered to do, as actions in ascending order.

A list is written by functions that take ``out`` and how many actions the list has so far, and
return how many it has then. Beginning at -k, one passes over the first k: so an action can be drawn
from a list of which no more than one is kept.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import lowest, popcount
from stratagym.envs.diplomacy.listing import CONVOY, FIRST_COAST, FIRST_SEA, SUPPORT_MOVE
from stratagym.envs.diplomacy.tables import (
    ARMY,
    BASE,
    BLOCK,
    COASTS,
    CONVOYING,
    DISBAND_AT,
    FLEET,
    GIVER,
    HOLD_AT,
    NEEDED,
    NUM_BASE,
    NUM_COASTS,
    NUM_PROVINCES,
    REACH,
    REACHED_FROM,
    ROUTE_AT,
    ROUTE_SEAS,
    ROUTE_TO,
    STEP_AT,
    STEPS,
    TO,
    TO_MOVE,
    TO_MOVE_SOUTH,
    TO_RETREAT,
    TO_RETREAT_SOUTH,
    TO_SUPPORT,
    TO_SUPPORT_0,
    TWO_COASTS,
    VIA_TO,
)

UNIT, TARGET, THIRD, SOUTH = 9, 17, 25, 16
"""The first bits of an order's provinces, 7 each, and that of the target's southern coast."""
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@njit(cache=True)
def order_of(action):
    """The order of an action, as a number (see ``listing``): ``tables.ORDERS`` for kernels."""
    if action < NUM_BASE:
        return np.int64(BASE[action])
    third, target = np.int64(1), np.int64(0)  # of the last block that does not begin above it
    step = 64
    while step:
        if third + step < NUM_PROVINCES and BLOCK[third + step, 0] <= action:
            third += step
        step >>= 1
    step = 64
    while step:
        if target + step < NUM_PROVINCES and BLOCK[third, target + step] <= action:
            target += step
        step >>= 1
    giver = np.int64(GIVER[action - NUM_BASE])
    kind = SUPPORT_MOVE if giver & 1 else CONVOY
    return kind | (giver & 254) << 8 | target << TARGET | third << THIRD


@njit(cache=True)
def shared_action(unit, target, third, is_convoy):
    """The action by which ``unit`` convoys, or supports, a move from ``third``, which is not 0."""
    inner, coast = REACHED_FROM[target, 0], REACHED_FROM[target, 1]  # who supports
    convoying = _ZERO
    if third < FIRST_COAST:
        inner &= ~(_ONE << np.uint64(third))
    else:
        start = third - FIRST_COAST
        coast &= ~(_ONE << np.uint64(start))
        if target >= FIRST_COAST:
            end = target - FIRST_COAST
            inner &= ~(np.uint64(NEEDED[start, end]) << np.uint64(FIRST_SEA))
            convoying = np.uint64(CONVOYING[start, end]) << np.uint64(FIRST_SEA)
    if unit < FIRST_COAST:
        below = (_ONE << np.uint64(unit)) - _ONE
        before = below if is_convoy else below << _ONE | _ONE
        return BLOCK[third, target] + popcount(inner & below) + popcount(convoying & before)
    below = (_ONE << np.uint64(unit - FIRST_COAST)) - _ONE
    before = popcount(inner) + popcount(coast & below) + popcount(convoying)
    return BLOCK[third, target] + before


@njit(cache=True)
def coasts_by_route(s, coast, over, without):
    """Coasts to which some route of fleets leads from a coast.

    Args:
        over: seas of which one has to be on the route; 0 for any route. without: seas that may not.
    """
    lacking = ~np.int64(s.fleets) | without
    found = _ZERO
    for k in range(ROUTE_AT[coast], ROUTE_AT[coast + 1]):
        seas = np.int64(ROUTE_SEAS[k])
        if not seas & lacking and (seas & over or not over):
            found |= _ONE << np.uint64(ROUTE_TO[k])
    return found


@njit(cache=True)
def find_convoys(s):
    """Write down which fleets can convoy, and where each army could be convoyed to."""
    fleets = np.int64(0)
    for sea in range(FIRST_SEA, FIRST_COAST):
        if s.unit[sea]:
            fleets |= np.int64(1) << (sea - FIRST_SEA)
    s.fleets = fleets
    for coast in range(NUM_COASTS):
        s.via_to[coast] = 0
        if fleets and s.unit[coast + FIRST_COAST] == ARMY:
            s.via_to[coast] = coasts_by_route(s, coast, np.int64(0), np.int64(0))


@njit(cache=True)
def put(out, n, action):
    """Write action number ``n`` of a list, if ``out`` has room for it; returns the next number."""
    if np.uint64(n) < np.uint64(out.shape[0]):
        out[n] = action
    return n + 1


@njit(cache=True)
def own_orders(s, province, out, n):
    """Add what a unit may do by itself: hold, move, support where others stand.

    Supports of a move from province 0, whose actions are among these, are here too.
    """
    kind, area = np.int64(s.unit[province] - 1), np.int64(s.area[province])
    inner, outer = REACH[kind, area, 0], REACH[kind, area, 1]
    coasts = np.int64(COASTS[kind, area])
    follows = province != 0 and s.unit[0] != 0  # an army in province 0 may be supported
    via = _ZERO
    if kind == ARMY - 1 and province >= FIRST_COAST:
        via = s.via_to[province - FIRST_COAST]
    n = put(out, n, np.int64(HOLD_AT[province]))
    for k in range(STEP_AT[province], STEP_AT[province + 1] + 1):
        is_last = k == STEP_AT[province + 1]
        to = NUM_PROVINCES if is_last else np.int64(STEPS[k, TO])
        while via:
            end = lowest(via)
            if end + FIRST_COAST > to:
                break
            via &= via - _ONE
            n = put(out, n, np.int64(VIA_TO[province - FIRST_COAST, end]))
        if is_last:
            break
        is_coast = to >= FIRST_COAST
        here = _ONE << np.uint64(to - FIRST_COAST if is_coast else to)
        if not (outer if is_coast else inner) & here:
            continue
        if to < TWO_COASTS or coasts >> (to - TWO_COASTS) & 1:
            n = put(out, n, np.int64(STEPS[k, TO_MOVE]))
        if s.unit[to]:
            n = put(out, n, np.int64(STEPS[k, TO_SUPPORT]))
        if follows and REACH[ARMY - 1, 0, 1 if is_coast else 0] & here:
            n = put(out, n, np.int64(STEPS[k, TO_SUPPORT_0]))
        if to >= TWO_COASTS and coasts >> (to - TWO_COASTS + 3) & 1:
            n = put(out, n, np.int64(STEPS[k, TO_MOVE_SOUTH]))
    return n


@njit(cache=True)
def shared_orders(s, province, out, n):
    """Add what a unit may do for each other one that moves: support it, and convoy it.

    What moves from province 0 is left out.
    """
    kind, area = np.int64(s.unit[province] - 1), np.int64(s.area[province])
    inner, outer = REACH[kind, area, 0], REACH[kind, area, 1]
    sea = np.int64(0)
    if kind == FLEET - 1 and FIRST_SEA <= province < FIRST_COAST:
        sea = np.int64(1) << (province - FIRST_SEA)
    for third in range(1, NUM_PROVINCES):
        if not s.unit[third] or third == province:
            continue
        kind, area = np.int64(s.unit[third] - 1), np.int64(s.area[third])
        to_inner, to_outer = REACH[kind, area, 0] & inner, REACH[kind, area, 1]
        convoyed = _ZERO
        if third >= FIRST_COAST and kind == ARMY - 1:
            via = s.via_to[third - FIRST_COAST]
            if via and sea:
                convoyed = coasts_by_route(s, third - FIRST_COAST, sea, np.int64(0))
                if via & outer:
                    via = coasts_by_route(s, third - FIRST_COAST, np.int64(0), sea)
            to_outer |= via
        while to_inner:
            target = lowest(to_inner)
            to_inner &= to_inner - _ONE
            n = put(out, n, shared_action(province, target, third, False))
        to_outer &= outer
        either = to_outer | convoyed
        while either:
            here = either & (~either + _ONE)
            target = lowest(either) + FIRST_COAST
            either &= either - _ONE
            if convoyed & here:
                n = put(out, n, shared_action(province, target, third, True))
            if to_outer & here:
                n = put(out, n, shared_action(province, target, third, False))
    return n


@njit(cache=True)
def retreat_orders(s, province, out, n):
    """Add what the dislodged unit of a province may do: one action if it has nowhere to go."""
    kind, area = np.int64(s.dislodged_unit[province] - 1), np.int64(s.dislodged_area[province])
    inner, outer = REACH[kind, area, 0], REACH[kind, area, 1]
    coasts = np.int64(COASTS[kind, area])
    n = put(out, n, np.int64(DISBAND_AT[province]))
    for k in range(STEP_AT[province], STEP_AT[province + 1]):
        to = np.int64(STEPS[k, TO])
        if to >= FIRST_COAST:
            is_reached = outer >> np.uint64(to - FIRST_COAST) & _ONE
        else:
            is_reached = inner >> np.uint64(to) & _ONE
        if not is_reached or s.unit[to] or s.contested[to] or s.attacker[province] == to:
            continue
        if to < TWO_COASTS or coasts >> (to - TWO_COASTS) & 1:
            n = put(out, n, np.int64(STEPS[k, TO_RETREAT]))
        if to >= TWO_COASTS and coasts >> (to - TWO_COASTS + 3) & 1:
            n = put(out, n, np.int64(STEPS[k, TO_RETREAT_SOUTH]))
    return n
