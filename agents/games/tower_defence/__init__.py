"""Players of tower defence: plans that people would make."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from stratagym.envs.tower_defence.rules import DONE, KEEP, action_of, is_legal_action
from stratagym.envs.tower_defence.units import ATTACKER, COLUMNS, DEFENDER, ROWS, names

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
