"""Players of tower defence: plans that people would make."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.ladders import Ladder
from stratagym.envs.sealed import budget_of
from stratagym.envs.tower_defence.rules import (
    DONE,
    KEEP,
    SEND,
    WAIT,
    WAITS,
    action_of,
    is_legal_action,
)
from stratagym.envs.tower_defence.simulation import ENTRIES
from stratagym.envs.tower_defence.units import (
    ATTACKER,
    CELLS,
    COLUMNS,
    COSTS,
    DEFENDER,
    FOR_SALE,
    ROWS,
    STEP_MS,
    names,
)

Entry = tuple[str, int, int, int]
"""A unit's name, x (0 for the attacker's), y, and when it comes in milliseconds."""


def _rows(name: str, *columns: int) -> list[Entry]:
    """One in every row, in these columns."""
    return [(name, x, y, 0) for x in columns for y in range(ROWS)]


def _at(name: str, *cells: tuple[int, int]) -> list[Entry]:
    """Some in these cells (x, y)."""
    return [(name, x, y, 0) for x, y in cells]


def _sent(name: str, *times: float, row: int = 2) -> list[Entry]:
    """One at each of these times, in seconds, into a row."""
    return [(name, 0, row, round(1000 * time)) for time in times]


def _moves(seat: int, entries: Sequence[Entry]) -> tuple[str, ...]:
    """Micro-actions, in the view's words."""
    moves, now = [], 0
    for name, x, y, time in sorted(entries, key=lambda entry: entry[3]):
        while now < time:
            wait = next(wait for wait in (5000, 1000, 250) if now + wait <= time)
            moves.append(f"wait {wait}")
            now += wait
        moves.append(f"send {name} {y}" if seat == ATTACKER else f"place {name} {x} {y}")
    return (*moves, "done")


_LAST = COLUMNS - 1
ARCHETYPES: dict[str, tuple[int, tuple[str, ...]]] = {
    name: (seat, _moves(seat, entries))
    for seat, plans in (
        (
            DEFENDER,
            {
                "guns": [
                    *_rows("MachineGunSoldier", 0), *_rows("EnhancedShieldSoldier", 9),
                    *_rows("LinearExplosion", 1), *_at("AntiAirSoldier", (2, 1), (2, 3)),
                    *_at("MagneticSoldier", (3, 2)),
                ],
                "mines": [
                    *_rows("LinearExplosion", 0, 3), *_rows("AntiAirSoldier", 1),
                    *_rows("ShieldSoldier", _LAST), *_at("RifleSoldier", (2, 1), (2, 3), (4, 2)),
                ],
                "mixed": [
                    *_rows("RifleSoldier", 0), *_rows("FlamethrowerSoldier", 1),
                    *_rows("LinearExplosion", 2), *_rows("EnhancedShieldSoldier", 8),
                    *_at("AntiAirSoldier", (3, 0), (3, 4)),
                ],
            },
        ),
        (
            ATTACKER,
            {
                "king": [*_sent("DemonKing", 0), *_sent("GreatDemon", 0)],
                "air": _sent("FlyingDemon", 0, 0, 0, 0, 0),
                "shadow": [
                    *_sent("MachineDemon", 0, 5), *_sent("ShadowDemon", 2),
                    *_sent("GreatDemon", 10),
                ],
                "speed": [*_sent("SpeedyDemon", 0, 0, 0, 0, 0, 0), *_sent("NormalDemon", 0)],
                "spread": [
                    entry for row in range(ROWS) for entry in _sent("NormalDemon", 0, 10, row=row)
                ],
                "breakers": [
                    *_sent("ShieldBreakerDemon", 0, 10, row=1),
                    *_sent("ShieldBreakerDemon", 0, 10, row=3), *_sent("BouncingDemon", 0, 15),
                ],
            },
        ),
    )
    for name, entries in plans.items()
}  # fmt: skip
"""By name: the seat, and its plan as micro-actions in the view's words, within the budget."""


def _actions(name: str) -> list[int]:
    """An archetype whose units all come at once, without its end, as action ids."""
    seat, moves = ARCHETYPES[name]
    found = []
    for _, unit, *place in (move.split() for move in moves[:-1]):
        x, y = (0, int(place[0])) if seat == ATTACKER else map(int, place)
        found.append(action_of(seat, names(seat).index(unit), x, y))
    return found


_RULE = [_actions("king"), _actions("guns")]
RULE = np.full((2, max(map(len, _RULE))), -1, np.int64)
"""By seat, the plan of ``heuristic`` as actions; -1 behind its end."""
for _seat, _plan in enumerate(_RULE):
    RULE[_seat, : len(_plan)] = _plan


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """The plan ``guns`` of the defender and ``king`` of the attacker, as far as it can be paid.

    A plan that lost is kept all the same.
    """
    seat, k = np.int64(s.seat), np.int64(s.acts[s.seat])
    if s.round > 0 and k == 0:
        return KEEP
    end = DONE
    if k < RULE.shape[1] and RULE[seat, k] >= 0:
        end = RULE[seat, k]
    for action in (end, DONE):
        if is_legal_action(rules, s, action, legal):
            return action
    return legal[0]


# --- edits of plans ------------------------------------------------------------------------------

Placed = tuple[int, int, int, int]
"""A unit's number, x (0 for the attacker's), y, and when it comes in steps of 250 ms."""
Entries = tuple[Placed, ...]


@njit(cache=True)
def fillers(rules, s, legal, n):
    """Units while one fits, then ``done``."""
    count = 0
    while count < n and legal[count] < WAIT:
        count += 1
    if count == 0:
        legal[0] = DONE
        count = 1
    return count


@njit(cache=True)
def shaping(rules, s, seat):
    """A longer battle is better for the defender, 1 for 5000 ticks."""
    sign = 1.0 if seat == DEFENDER else -1.0
    return sign * s.ended * 0.0002


def entries_of(rules: Any, seat: int, actions: np.ndarray) -> Entries:
    """A plan's entries, of its micro-actions."""
    found, now = [], 0
    for action in actions.tolist():
        if action in (DONE, KEEP):
            continue
        if action >= WAIT:
            now += WAITS[action - WAIT] // STEP_MS
        elif action >= SEND:
            found.append(((action - SEND) // ROWS, 0, (action - SEND) % ROWS, now))
        else:
            y, x = divmod(action % CELLS, COLUMNS)
            found.append((action // CELLS, x, y, now))
    return tuple(found)


def actions_of(rules: Any, seat: int, entries: Entries) -> list[int]:
    """The micro-actions of entries, in the order of their times."""
    found, now = [], 0
    for unit, x, y, step in sorted(entries, key=lambda entry: entry[3]):
        for k in (2, 1, 0):
            count, left = divmod(step - now, WAITS[k] // STEP_MS)
            found += [WAIT + k] * count
            now = step - left
        found.append(action_of(seat, unit, x, y))
    return [*found, DONE]


def edited(rules: Any, seat: int, entries: Entries, rng: random.Random) -> Entries:
    """One random edit; what then costs too much or stands in a taken cell is dropped at random."""
    sold = np.flatnonzero(FOR_SALE[rules.released, seat]).tolist()

    def any_step() -> int:
        """Mostly at once, or within the first 20 s."""
        return 0 if rng.random() < 0.7 else rng.randrange(81)

    def any_entry() -> Placed:
        x = rng.randrange(COLUMNS) if seat == DEFENDER else 0
        return rng.choice(sold), x, rng.randrange(ROWS), any_step()

    found = list(entries)
    at, kind = rng.randrange(len(found)), rng.randrange(6)
    unit, x, y, step = found[at]
    if kind == 0:
        found.append(any_entry())
    elif kind == 1 and len(found) > 1:
        del found[at]
    elif kind == 2:
        found[at] = (rng.choice(sold), x, y, step)
    elif kind == 3:
        _, new_x, new_y, _ = any_entry()
        found[at] = (unit, new_x, new_y, step)
    elif kind == 4:
        found[at] = (unit, x, y, any_step())
    elif seat == ATTACKER:
        row = rng.randrange(ROWS)
        found = [(one, x, row, when) for one, x, _, when in found]
    else:
        found[at] = (unit, x, rng.randrange(ROWS), step)
    rng.shuffle(found)
    kept: list[Placed] = []
    left, taken = int(budget_of.py_func(rules, seat)), set()
    for one in found:
        price = int(COSTS[rules.released, seat, one[0]])
        if price <= left and (seat == ATTACKER or one[1:3] not in taken) and len(kept) < ENTRIES:
            kept.append(one)
            left -= price
            taken.add(one[1:3])
    return tuple(sorted(kept, key=lambda one: one[3])) if kept else entries


LADDER = Ladder(
    "tower_defence/ladder-v1",
    (
        ("random",),
        ("plan:level?k=1",),
        ("plan:level?k=2",),
        ("plan:level?k=3",),
        ("plan:level?k=4",),
        ("plan:reply?evals=30",),
    ),
    {"rounds": 5},  # the last level answers what it has seen; 1,200 simulations always win
)
