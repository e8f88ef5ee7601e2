"""What a replay shows of tower defence beside its picture: the battle, moment by moment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import sealed, sealed_words
from stratagym.envs.sealed import recall_plans
from stratagym.envs.tower_defence.boards import board_text, budget_line, seconds
from stratagym.envs.tower_defence.render import picture
from stratagym.envs.tower_defence.simulation import fight

FRAMES = 48
"""Moments of a battle at most."""
_STEPS = (5, 10, 20, 40, 60, 80, 100)
"""Ticks between two of them: as few as will do."""


@njit(cache=True)
def _stop_at(rules, states, tick):
    s = states[0]
    fight(rules, s.plan, s.n, s.demons, s.cells, s.rows, tick, 0, s.log[:1])
    s.moment = tick


def moment(rules: Any, s: Any, tick: int) -> np.ndarray:
    """The battle of the last round of a record at a tick: (1,) record for pictures and boards."""
    states = np.array([s])
    recall_plans(rules, states)
    _stop_at(rules, states, tick)
    return states


def moments(rules: Any, before: Any, after: Any) -> list[tuple[str, np.ndarray]]:
    """(when, (1,) record) of the battle that came between two records; nothing without one."""
    k = int(after["round"])
    if k == int(before["round"]) or int(after["why"][k - 1]) != sealed.SIMULATED:
        return []
    end = int(after["end"][k - 1])
    step = next((step for step in _STEPS if end < step * FRAMES), _STEPS[-1])
    ticks = [*range(0, end, step), end]
    return [(f"Round {k}, {seconds(tick)}", moment(rules, after, tick)) for tick in ticks]


def frames(
    rules: Any, before: Any, after: Any, size: int = 640
) -> list[tuple[str, str, Callable[[], np.ndarray]]]:
    """The battle between two positions: (when, the field as text, a picture) of some moments."""
    return [
        (when, board_text(rules, states[0]), partial(picture, rules, states[0], size))
        for when, states in moments(rules, before, after)
    ]


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A side's letter, and a colour for it."""
    return "AD"[seat], sealed_words.BADGES[seat][1]


def beside(rules: Any, s: Any, seat: int) -> str:
    """What a seat has spent."""
    return budget_line(rules, s, seat).partition(": ")[2]
