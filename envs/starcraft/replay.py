"""What a replay shows of a game beside its picture: stores, and fights step by step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from stratagym.envs.starcraft.economy import army_supply, supply_cap, supply_used
from stratagym.envs.starcraft.orders import carry_out
from stratagym.envs.starcraft.render import SEAT_COLOURS, drawn
from stratagym.envs.starcraft.simulation import refresh, run
from stratagym.envs.starcraft.state import FREE, LATELY, NEVER, NOBODY, SQUADS, UNIT_OF_STORE
from stratagym.envs.starcraft.tables import REGION, REGIONS, UNIT, UNITS, WORDS
from stratagym.envs.starcraft.telling import clock

STEP = 8
"""Ticks between two frames."""


def move(rules: Any, s: Any, action: int) -> str:
    """An action in short."""
    return WORDS[action].capitalize()


def beside(rules: Any, s: Any, seat: int) -> str:
    """What a seat has."""
    minerals, gas = (int(s[name][seat]) // UNIT_OF_STORE for name in ("minerals", "gas"))
    return (
        f"{minerals} minerals, {gas} gas; supply {int(supply_used(s, seat))} of "
        f"{int(supply_cap(s, seat))}; army {int(army_supply(s, seat))}"
    )


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A seat's mark, and the colour that it has in pictures."""
    return str(seat), SEAT_COLOURS[seat]


def frames(
    rules: Any, before: Any, after: Any, size: int = 640
) -> list[tuple[str, str, Callable[[], np.ndarray]]]:
    """The fights between two positions, every eight ticks: (the time, who is where, a picture);
    nothing where nobody fought, or where no time passed."""
    if int(before["tick"]) == int(after["tick"]):
        return []
    now = np.array([before], before.dtype)
    s = now[0]
    for seat in range(2):
        carry_out(s, seat, int(after["lately"][seat, LATELY - 1, 6]))
    refresh(s)
    found = [_frame(s, size)]
    fought = _fights(s)
    while s["tick"] < after["tick"] and s["winner"] == NOBODY:
        to_step = STEP - int(s["tick"]) % STEP
        run(rules, s, min(to_step, int(after["tick"]) - int(s["tick"])), False)
        fought |= _fights(s)
        found.append(_frame(s, size))
    return found if fought else []


def _fights(s: Any) -> bool:
    return bool((s["begun"] != NEVER).any())


def _frame(s: Any, size: int) -> tuple[str, str, Callable[[], np.ndarray]]:
    tick = int(s["tick"])
    where = [REGION[k] for k in range(REGIONS) if s["begun"][k] != NEVER]
    told = f"{clock(tick)}, tick {tick}" + (f": fight in {', '.join(where)}" if where else "")
    return told, _armies(s), partial(drawn, s.copy(), size, None, told)


def _armies(s: Any) -> str:
    """The squads of both seats, as text."""
    lines = []
    for seat in range(2):
        for k in range(SQUADS):
            if s["order"][seat, k] != FREE:
                units = ", ".join(
                    f"{int(s['count'][seat, k, unit])} {UNIT[unit].name}"
                    for unit in range(UNITS)
                    if s["count"][seat, k, unit]
                )
                lines.append(f"Player {seat}, {REGION[int(s['region'][seat, k])]}: {units}")
    return "\n".join(lines)
