"""Players of tower defence: plans that people would make."""

from __future__ import annotations

from collections.abc import Sequence

from stratagym.envs.tower_defence.units import ATTACKER, COLUMNS, DEFENDER, ROWS

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
