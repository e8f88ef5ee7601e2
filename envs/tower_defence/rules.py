"""The rules of tower defence: plans of units and times, fought out by ``simulation``.

Actions are numbered

    0 .. 714    55 u + 11 y + x: the defender's unit u comes to row y, column x
    715 .. 779  715 + 5 u + y: the attacker's unit u comes into row y
    780 .. 782  the clock of the plan goes on by 250, 1000 or 5000 ms
    783         keep: the plan of the round before stands
    784         done
    785         void: a plan that breaks a rule

and units come at the time that their plan's clock shows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.envs import sealed
from stratagym.envs.bits import ONE, popcount
from stratagym.envs.core import random_below, sizes
from stratagym.envs.sealed import (
    can_keep,
    can_pay,
    can_void,
    last_result,
    pay,
    reset_rounds,
    shown_budget_left,
    shows_last,
    take_keep,
    take_void,
)
from stratagym.envs.sealed import current_player as current_player
from stratagym.envs.sealed import determinize as determinize
from stratagym.envs.sealed import returns as returns
from stratagym.envs.sealed import round_return as round_return
from stratagym.envs.sealed import step as step
from stratagym.envs.sealed import turn as turn
from stratagym.envs.tower_defence.events import LOG_LENGTH
from stratagym.envs.tower_defence.simulation import (
    CELL_FIELDS,
    DEMON_FIELDS,
    ENTRIES,
    MOST_DEMONS,
    ROW_FIELDS,
    fight,
)
from stratagym.envs.tower_defence.units import (
    ATTACKER,
    BUDGETS,
    CELLS,
    COLUMNS,
    COSTS,
    DEFENDER,
    FOR_SALE,
    LAST_SPAWN,
    NEVER,
    ROWS,
    STEP_MS,
    UNITS,
)

SEND = UNITS * CELLS
WAIT = SEND + UNITS * ROWS
KEEP, DONE, VOID, ACTIONS = WAIT + 3, WAIT + 4, WAIT + 5, WAIT + 6
WAITS = (250, 1000, 5000)
"""Milliseconds of the actions from ``WAIT`` on."""
LAST_MS = LAST_SPAWN * STEP_MS
PLANES = 2 * UNITS + 6
MOST_ACTIONS = ENTRIES + LAST_SPAWN + 1
"""Of a plan: entries, waits, done."""
MAX_EVENTS = LOG_LENGTH
PLANNING = -1
"""``moment`` of a state that shows no battle."""

STATE = np.dtype(
    [
        *sealed.FIELDS,
        ("clock", "i4", (2,)),  # of the plans that are made, ms
        ("taken", "u8"),  # cells of the defender's plan, a bit each
        ("plan", "i2", (2, ENTRIES, 3)),  # unit; row or cell; time in steps of 250 ms
        ("last_plan", "i2", (2, ENTRIES, 3)),
        ("moment", "i4"),  # tick of the battle that the rest holds, for a picture; or PLANNING
        ("demons", "i4", (MOST_DEMONS, DEMON_FIELDS)),
        ("cells", "i4", (CELLS, CELL_FIELDS)),
        ("rows", "i4", (ROWS + 1, ROW_FIELDS)),
    ],
    align=True,
)


@sizes(
    actions=ACTIONS,
    observation=(PLANES, ROWS, COLUMNS),
    decisions=lambda rules: 2 * MOST_ACTIONS * rules.rounds,
    dtype=np.float32,
    high=64,
    low=-1,
)
class Rules(NamedTuple):
    """Options in force, as numbers; see ``sealed.COMMON`` and ``simulation``.

    Attributes:
        fuse: ``CONTACT`` or ``PLACED``. anti_air: ``ANY_ROW`` or ``OWN_ROW``. shots: ``PAST`` or
            ``BLOCK``.
        num_players: 2.
    """

    rounds: int
    both: int
    first: int
    loses: int
    released: int
    attacker_budget: int
    defender_budget: int
    own_catalogue: int
    fuse: int
    anti_air: int
    shots: int
    num_players: int = 2


def make_rules(**given: Any) -> Rules:
    """Rules from the options as people write them; see the package's docstring.

    Raises:
        ValueError: a budget that buys nothing.
    """
    shared = sealed.common(given, *BUDGETS)
    for seat, name in enumerate(("attacker_budget", "defender_budget")):
        for_sale = FOR_SALE[shared["released"], seat]
        cheapest = int(COSTS[shared["released"], seat][for_sale].min())
        most = shared[name] * (sealed.LOOSE if shared["loses"] else 1)
        if most < cheapest:
            raise ValueError(
                f"tower_defence: option {name}={shared[name]}: the cheapest unit costs {cheapest}"
            )
    return Rules(
        **shared,
        fuse=("contact", "placed").index(given["fuse"]),
        anti_air=("any", "row").index(given["anti_air"]),
        shots=("past", "block").index(given["shots"]),
    )


def action_of(seat: int, unit: int, x: int, y: int) -> int:
    """The action that makes a unit an entry of a plan; ``x`` says nothing of the attacker's."""
    return SEND + ROWS * unit + y if seat == ATTACKER else CELLS * unit + COLUMNS * y + x


# --- plans ---------------------------------------------------------------------------------------


@njit(cache=True)
def reset(rules, s, seed):
    reset_rounds(rules, s, seed)
    s.moment = PLANNING


@njit(cache=True)
def clear_plan(rules, s, seat):
    s.clock[seat] = 0
    if seat == DEFENDER:
        s.taken = np.uint64(0)
    for k in range(ENTRIES):
        for j in range(3):
            s.plan[seat, k, j] = 0


@njit(cache=True)
def store_plan(rules, s, seat):
    for k in range(ENTRIES):
        for j in range(3):
            s.last_plan[seat, k, j] = s.plan[seat, k, j]


@njit(cache=True)
def recall_plan(rules, s, seat):
    for k in range(ENTRIES):
        for j in range(3):
            s.plan[seat, k, j] = s.last_plan[seat, k, j]


@njit(cache=True)
def take(rules, s, seat, action):
    if action == KEEP:
        return take_keep(rules, s, seat)
    if action == VOID:
        return take_void(rules, s, seat)
    if action == DONE:
        return True
    if action >= WAIT:
        s.clock[seat] += WAITS[action - WAIT]
        return False
    if action < SEND:
        unit, place = action // CELLS, action % CELLS
        s.taken |= ONE << np.uint64(place)
    else:
        unit, place = (action - SEND) // ROWS, (action - SEND) % ROWS
    k = s.n[seat]
    s.plan[seat, k, 0] = unit
    s.plan[seat, k, 1] = place
    s.plan[seat, k, 2] = s.clock[seat] // STEP_MS
    s.n[seat] = k + 1
    pay(rules, s, seat, COSTS[rules.released, seat, unit])
    return False


@njit(cache=True)
def simulate(rules, s, log):
    winner, end, advance, hp, events = fight(
        rules, s.plan, s.n, s.demons, s.cells, s.rows, NEVER, s.logging, log
    )
    s.ended = end
    s.remains[ATTACKER] = advance
    s.remains[DEFENDER] = hp
    s.logged = events
    return 1 if winner == ATTACKER else -1


# --- legal actions -------------------------------------------------------------------------------


@njit(cache=True)
def _may_buy(rules, s, seat, unit):
    """Whether a plan may take one more of a unit, wherever."""
    if s.n[seat] >= ENTRIES or not FOR_SALE[rules.released, seat, unit]:
        return False
    return can_pay(rules, s, seat, COSTS[rules.released, seat, unit])


@njit(cache=True)
def _is_taken(s, cell):
    return s.taken >> np.uint64(cell) & ONE != 0


@njit(cache=True)
def legal_actions(rules, s, out):
    seat, n = np.int64(s.seat), 0
    for unit in range(UNITS):
        if not _may_buy(rules, s, seat, unit):
            continue
        if seat == ATTACKER:
            for row in range(ROWS):
                out[n] = SEND + ROWS * unit + row
                n += 1
        else:
            for cell in range(CELLS):
                if not _is_taken(s, cell):
                    out[n] = CELLS * unit + cell
                    n += 1
    for k in range(len(WAITS)):
        if s.clock[seat] + WAITS[k] <= LAST_MS:
            out[n] = WAIT + k
            n += 1
    if can_keep(rules, s, seat):
        out[n] = KEEP
        n += 1
    if s.n[seat] > 0:
        out[n] = DONE
        n += 1
    if can_void(rules, s, seat):
        out[n] = VOID
        n += 1
    return n


@njit(cache=True)
def is_legal_action(rules, s, action, legal):
    """Whether the seat to move may play ``action``, any integer."""
    if s.round >= rules.rounds or action < 0 or action >= ACTIONS:
        return False
    seat = np.int64(s.seat)
    if action < SEND:
        if seat == ATTACKER or _is_taken(s, action % CELLS):
            return False
        return _may_buy(rules, s, seat, action // CELLS)
    if action < WAIT:
        return seat == ATTACKER and _may_buy(rules, s, seat, (action - SEND) // ROWS)
    if action < KEEP:
        return s.clock[seat] + WAITS[action - WAIT] <= LAST_MS
    if action == KEEP:
        return can_keep(rules, s, seat)
    if action == DONE:
        return s.n[seat] > 0
    return can_void(rules, s, seat)


@njit(cache=True)
def random_action(rules, s, seat):
    """A legal micro-action of ``seat``, uniform, by counting them."""
    units = waits = 0
    for unit in range(UNITS):
        units += _may_buy(rules, s, seat, unit)
    for k in range(len(WAITS)):
        waits += s.clock[seat] + WAITS[k] <= LAST_MS
    places = ROWS if seat == ATTACKER else CELLS - popcount(s.taken)
    keep = np.int64(can_keep(rules, s, seat))
    done = np.int64(s.n[seat] > 0)
    void = np.int64(can_void(rules, s, seat))
    k = random_below(s, units * places + waits + keep + done + void)
    if k < units * places:
        return _nth_entry(rules, s, seat, k // places, k % places)
    k -= units * places
    if k < waits:
        return WAIT + k
    k -= waits
    if k < keep:
        return KEEP
    return DONE if k - keep < done else VOID


@njit(cache=True)
def _nth_entry(rules, s, seat, nth_unit, nth_place):
    """The entry of the units that can be paid and the places that are free, each by number."""
    unit = -1
    while nth_unit >= 0:
        unit += 1
        nth_unit -= _may_buy(rules, s, seat, unit)
    if seat == ATTACKER:
        return SEND + ROWS * unit + nth_place
    cell = -1
    while nth_place >= 0:
        cell += 1
        nth_place -= not _is_taken(s, cell)
    return CELLS * unit + cell


# --- what a seat sees ----------------------------------------------------------------------------


@njit(cache=True)
def _draw(out, plan, n, seat):
    """Write a plan's planes."""
    for k in range(n):
        unit, place, time = plan[k, 0], plan[k, 1], plan[k, 2]
        if seat == DEFENDER:
            out[unit, place // COLUMNS, place % COLUMNS] = 1
            out[UNITS, place // COLUMNS, place % COLUMNS] = time / LAST_SPAWN
        else:
            out[UNITS + 1 + unit, place, time * STEP_MS // 6000] += 1


@njit(cache=True)
def observe(rules, s, player, out):
    """Plans, and what is left of the budget and so on; see the package's docstring."""
    for plane in range(PLANES - 5):
        for row in range(ROWS):
            for column in range(COLUMNS):
                out[plane, row, column] = 0
    other = 1 - player
    if shows_last(rules, s, player):
        _draw(out, s.last_plan[player], s.last_n[player], player)
    else:
        _draw(out, s.plan[player], s.n[player], player)
    _draw(out, s.last_plan[other], s.last_n[other], other)
    left = shown_budget_left(rules, s, player)
    clock = s.clock[player] / LAST_MS
    now = s.round / rules.rounds
    result = last_result(s, player)
    for row in range(ROWS):
        for column in range(COLUMNS):
            out[PLANES - 5, row, column] = left
            out[PLANES - 4, row, column] = clock
            out[PLANES - 3, row, column] = now
            out[PLANES - 2, row, column] = result
            out[PLANES - 1, row, column] = player
