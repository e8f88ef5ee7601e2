"""Which movement orders succeed: conditions of the DATC, by partial information.

Every unit has one order, and every order that matches its partner's has one truth value: the move
succeeds, the support is given, the convoy is not disrupted. Its condition (DATC 5.B) is looked at
twice, with all that is still unknown taken in its favour and against it; where both say the same
it is known. When nothing more can be known so, the orders left depend on each other in circles. A
smallest set of them that depends on nothing outside itself is a circle of units that all go, if it
is of moves alone, and with convoys in it a paradox, which the rule in force settles (DATC 4.A.2).

Units are numbered by their provinces, and sets of them are words, so that a strength is a count of
bits.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import bit, lowest, popcount
from stratagym.envs.diplomacy.listing import (
    CONVOY,
    FIRST_COAST,
    FIRST_SEA,
    HOLD,
    MOVE,
    SUPPORT_HOLD,
    SUPPORT_MOVE,
    VIA,
)
from stratagym.envs.diplomacy.orders import TARGET, THIRD, order_of
from stratagym.envs.diplomacy.state import (
    CONVOYED,
    CUT,
    DISLODGED,
    DISRUPTED,
    FAILED,
    GIVEN,
    HELD,
    MOVED,
    VOID,
)
from stratagym.envs.diplomacy.tables import (
    ARMY,
    NUM_POWERS,
    NUM_PROVINCES,
    REACH,
    SEA_BESIDE_COAST,
    SEA_BESIDE_SEA,
)

SZYKMAN, BY_RULE_BOOK = 0, 1
"""``paradox``: Szykman's rule, or the rule book of 2000 and 2023 word for word."""
AS_ORDERED, BY_LAND_TOO = 0, 1
"""``convoy``: whether an army whose convoy is not complete goes by land where it can."""
NO_MOVE = 7
"""``kind`` of a move that nothing can make succeed, as its convoy is not complete."""
UNKNOWN, YES, NO = 0, 1, 2
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@njit(cache=True)
def is_convoyed(s, unit, fleets):
    """Whether a chain of these fleets (a set of units) leads a moving army where it goes."""
    seas = np.int64(0)
    while fleets:
        seas |= np.int64(1) << (np.int64(s.start[lowest(fleets)]) - FIRST_SEA)
        fleets &= fleets - _ONE
    ends = np.int64(SEA_BESIDE_COAST[s.target[unit] - FIRST_COAST]) & seas
    reached = np.int64(SEA_BESIDE_COAST[s.start[unit] - FIRST_COAST]) & seas
    new = reached
    while new and not reached & ends:
        more = np.int64(SEA_BESIDE_SEA[lowest(np.uint64(new))]) & seas & ~reached
        reached |= more
        new = new & (new - 1) | more
    return reached & ends != 0


@njit(cache=True)
def read_orders(s, convoy):
    """Number the units, read their orders, and match these with those that they are about.

    Returns:
        (number of units, set of those whose orders match; others' orders have no effect).
    """
    n = 0
    for power in range(NUM_POWERS):
        s.of_power[power] = 0
    for province in range(NUM_PROVINCES):
        s.at[province] = -1
        s.attackers[province] = 0
        if s.unit[province]:
            order = order_of(np.int64(s.order[province]))
            s.at[province] = n
            s.start[n] = province
            s.kind[n] = order & 255
            s.target[n] = order >> TARGET & 127
            s.third[n] = order >> THIRD & 127
            s.supporters[n] = 0
            s.convoyers[n] = 0
            s.of_power[s.owner[province]] |= bit(n)
            n += 1
    matched = _ZERO
    for unit in range(n):
        kind, target = s.kind[unit], s.target[unit]
        if kind == SUPPORT_HOLD:
            other = np.int64(s.at[target])
            if other >= 0 and s.kind[other] != MOVE and s.kind[other] != VIA:
                s.supporters[other] |= bit(unit)
                matched |= bit(unit)
        elif kind == SUPPORT_MOVE or kind == CONVOY:
            other = np.int64(s.at[s.third[unit]])
            if other < 0 or s.target[other] != target:
                continue
            if kind == CONVOY and s.kind[other] == VIA:
                s.convoyers[other] |= bit(unit)
                matched |= bit(unit)
            elif kind == SUPPORT_MOVE and (s.kind[other] == VIA or s.kind[other] == MOVE):
                s.supporters[other] |= bit(unit)
                matched |= bit(unit)
    for unit in range(n):
        target = s.target[unit]
        if s.kind[unit] == VIA and not is_convoyed(s, unit, s.convoyers[unit]):
            s.kind[unit] = NO_MOVE
            beside = REACH[ARMY - 1, s.area[s.start[unit]], 1]
            if convoy == BY_LAND_TOO and beside >> np.uint64(target - FIRST_COAST) & _ONE:
                s.kind[unit] = MOVE
                matched &= ~s.convoyers[unit]
                s.convoyers[unit] = _ZERO
        if s.kind[unit] == MOVE or s.kind[unit] == VIA:
            s.attackers[target] |= bit(unit)
            matched |= bit(unit)
    return n, matched


@njit(cache=True)
def is_head_to_head(s, unit, other):
    """Whether two units attack each other's provinces, neither by convoy."""
    return (
        other >= 0
        and s.kind[unit] == MOVE
        and s.kind[other] == MOVE
        and s.target[other] == s.start[unit]
    )


@njit(cache=True)
def judge_other(s, unit, yes, no):
    """What is known of a support (``NO``: cut) or a convoy (``NO``: disrupted)."""
    province = np.int64(s.start[unit])
    attackers = s.attackers[province]
    if attackers & yes:
        return NO
    if s.kind[unit] == CONVOY:
        return UNKNOWN if attackers & ~no else YES
    own = s.of_power[s.owner[province]]
    is_safe = attackers & ~no == _ZERO
    attackers &= ~own  # moves of its own power only cut it by dislodging it
    while attackers:
        attacker = lowest(attackers)
        attackers &= attackers - _ONE
        if s.start[attacker] != s.target[unit]:
            if s.kind[attacker] == MOVE:
                return NO
            convoyers = s.convoyers[attacker]
            if is_convoyed(s, attacker, convoyers & yes):
                return NO
            if is_convoyed(s, attacker, convoyers & ~no):
                is_safe = False
    return YES if is_safe else UNKNOWN


@njit(cache=True)
def judge_move(s, unit, yes, no):
    """What is known of a move: whether its attack overcomes resistance and rivals."""
    may = ~no
    is_possible, is_sure = True, True
    if s.kind[unit] == VIA:
        fleets = s.convoyers[unit]
        is_sure = is_convoyed(s, unit, fleets & yes)
        if not is_sure and not is_convoyed(s, unit, fleets & may):
            return NO
    there = s.target[unit]
    supporters = s.supporters[unit]
    most, least = 1 + popcount(supporters & may), 1 + popcount(supporters & yes)
    other = np.int64(s.at[there])
    meets = is_head_to_head(s, unit, other)
    holds_most = holds_least = np.int64(0)
    if other >= 0:
        one = bit(other)
        moves = s.kind[other] == MOVE or s.kind[other] == VIA
        if not meets and moves and yes & one:
            pass  # it leaves
        else:
            owner = s.owner[there]
            leaves = not meets and moves and not no & one  # perhaps
            foreign = ~s.of_power[owner]
            if s.owner[s.start[unit]] == owner:
                least = 0
                if not leaves:
                    return NO
            else:
                least = 1 + popcount(supporters & yes & foreign)
                if not leaves:
                    most = 1 + popcount(supporters & may & foreign)
            if not meets and (moves or s.kind[other] == NO_MOVE):
                holds_most = 1
                holds_least = 0 if leaves else 1
            else:
                holds_most = 1 + popcount(s.supporters[other] & may)
                holds_least = 1 + popcount(s.supporters[other] & yes)
    is_possible = most > holds_least
    is_sure = is_sure and least > holds_most
    rivals = s.attackers[there] & ~bit(unit)
    while rivals and is_possible:
        rival = lowest(rivals)
        rivals &= rivals - _ONE
        against = s.supporters[rival]
        surely = possibly = True
        if s.kind[rival] == VIA:
            surely = is_convoyed(s, rival, s.convoyers[rival] & yes)
            possibly = surely or is_convoyed(s, rival, s.convoyers[rival] & may)
        if is_head_to_head(s, rival, other):
            surely = surely and no & bit(other) != _ZERO
            possibly = possibly and not yes & bit(other)
        if surely and most <= 1 + popcount(against & yes):
            is_possible = False
        if possibly and least <= 1 + popcount(against & may):
            is_sure = False
    if not is_possible:
        return NO
    return YES if is_sure else UNKNOWN


@njit(cache=True)
def find_circle(s, unknown):
    """A smallest set of unknown orders that depend on each other and on no other unknown one."""
    rest = unknown
    while rest:  # what each order looks at
        unit = lowest(rest)
        rest &= rest - _ONE
        kind, there = s.kind[unit], np.int64(s.start[unit])
        found, other = _ZERO, np.int64(-1)
        is_move = kind == MOVE or kind == VIA
        if is_move:
            there = np.int64(s.target[unit])
            other = np.int64(s.at[there])
            if other >= 0:
                stays = s.kind[other] != MOVE and s.kind[other] != VIA
                stays = stays or is_head_to_head(s, unit, other)
                found = s.supporters[other] if stays else bit(other)
        attackers = s.attackers[there]
        while attackers:
            attacker = lowest(attackers)
            attackers &= attackers - _ONE
            if is_move:
                found |= s.supporters[attacker] | s.convoyers[attacker]
                if attacker != unit and is_head_to_head(s, attacker, other):
                    found |= bit(other)
            elif kind == CONVOY or s.start[attacker] == s.target[unit]:
                found |= bit(attacker)
            else:
                found |= s.convoyers[attacker]
        s.looks_at[unit] = found & unknown
    is_growing = True
    while is_growing:  # and what these look at in turn
        is_growing = False
        rest = unknown
        while rest:
            unit = lowest(rest)
            rest &= rest - _ONE
            found = seen = s.looks_at[unit]
            while found:
                seen |= s.looks_at[lowest(found)]
                found &= found - _ONE
            if seen != s.looks_at[unit]:
                s.looks_at[unit] = seen
                is_growing = True
    rest = unknown
    while rest:
        one = rest & (~rest + _ONE)
        circle = s.looks_at[lowest(rest)]
        rest &= rest - _ONE
        others, is_bottom = circle, circle & one != _ZERO
        while others and is_bottom:
            is_bottom = s.looks_at[lowest(others)] & one != _ZERO
            others &= others - _ONE
        if is_bottom:
            return circle
    return unknown


@njit(cache=True)
def settle(s, unknown, no, paradox):
    """What a circle of unknown orders comes to: (orders that succeed, orders that do not)."""
    circle = find_circle(s, unknown)
    convoys = given = moves = _ZERO
    rest = circle
    while rest:
        unit = lowest(rest)
        rest &= rest - _ONE
        kind = s.kind[unit]
        if kind == CONVOY:
            convoys |= bit(unit)
        elif kind == MOVE or kind == VIA:
            moves |= bit(unit)
        elif kind == SUPPORT_MOVE and paradox == BY_RULE_BOOK:
            # A convoyed army does not cut support of an attack on a fleet that it needs.
            fleet = np.int64(s.at[s.target[unit]])
            attackers = s.attackers[s.start[unit]]
            while attackers and fleet >= 0:
                army = lowest(attackers)
                attackers &= attackers - _ONE
                others = s.convoyers[army] & ~bit(fleet)
                if others != s.convoyers[army] and not is_convoyed(s, army, others & ~no):
                    given |= bit(unit)
    if convoys:
        return given, _ZERO if given else convoys
    return (moves, _ZERO) if moves == circle else (_ZERO, circle)


@njit(cache=True)
def adjudicate(s, convoy, paradox):
    """Decide the orders in ``s.order``, one for each unit; the board stays as it is.

    Writes ``result``, and ``contested`` where failed moves stood each other off, so that nobody may
    retreat there.

    Returns:
        Number of units.
    """
    n, matched = read_orders(s, convoy)
    yes, no, unknown = _ZERO, (bit(n) - _ONE) & ~matched, matched
    while unknown:
        before, rest = unknown, unknown
        while rest:
            unit = lowest(rest)
            rest &= rest - _ONE
            kind = s.kind[unit]
            if kind == MOVE or kind == VIA:
                known = judge_move(s, unit, yes, no)
            else:
                known = judge_other(s, unit, yes, no)
            if known == YES:
                yes |= bit(unit)
            elif known == NO:
                no |= bit(unit)
        unknown = matched & ~(yes | no)
        if unknown == before:
            more_yes, more_no = settle(s, unknown, no, paradox)
            yes |= more_yes
            no |= more_no
            unknown = matched & ~(yes | no)
    for province in range(NUM_PROVINCES):
        s.contested[province] = 0
    for unit in range(n):
        kind, province, target = s.kind[unit], s.start[unit], s.target[unit]
        is_yes, is_matched = yes & bit(unit) != _ZERO, matched & bit(unit) != _ZERO
        if kind == HOLD:
            result = HELD
        elif kind == MOVE or kind == VIA or kind == NO_MOVE:
            result = MOVED if is_yes else FAILED
            if not is_yes and is_matched:
                other = np.int64(s.at[target])
                lost = is_head_to_head(s, unit, other) and yes & bit(other) != _ZERO
                comes = kind == MOVE or is_convoyed(s, unit, s.convoyers[unit] & yes)
                if comes and not lost:
                    s.contested[target] = 1
        elif not is_matched:
            result = VOID
        elif kind == CONVOY:
            result = CONVOYED if is_yes else DISRUPTED
        else:
            result = GIVEN if is_yes else CUT
        if result != MOVED and s.attackers[province] & yes:
            result |= DISLODGED
        s.result[province] = result
    return n
