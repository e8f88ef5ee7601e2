"""What learners of Stratego need: where moves stand on the board, and how far ahead a side is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.games.stratego.knowledge import VALUES
from stratagym.envs.core import returns
from stratagym.envs.stratego.boards import FLAG, MOST_PIECES
from stratagym.envs.stratego.moves import moves_from
from stratagym.envs.stratego.rules import first_placing

LEAD = 0.95
"""The estimate for a side that has lost nothing against one that has lost everything."""
PLANES_FIRST = True
"""Observations are (planes, rows, columns)."""


def action_cells(rules: Any) -> np.ndarray:
    """The cell moved from, on a plane for each way and distance; then a plane for each placing.

    Planes of short moves come first, so that they mean the same on boards of every size.
    """
    rows, columns = rules.rows, rules.columns
    moves = first_placing(rules)
    cells = np.empty(rules.num_actions, np.int64)
    for action in range(moves):
        source, target = moves_from(rules, action)
        up, right = target // columns - source // columns, target % columns - source % columns
        way = (2 if right else 0) + (up + right < 0)
        plane = 4 * (abs(up + right) - 1) + way
        cells[action] = plane * rows * columns + source
    planes = 4 * (max(rows, columns) - 1)
    for k in range(moves, rules.num_actions):
        cells[k] = (planes + k - moves) * rows * columns
    return cells


@njit(cache=True)
def evaluate(rules, s, out):
    """How much more the pieces of one side are worth, of all on the board; exact at the end."""
    if s.over:
        returns(rules, s, out)
        return
    worth = np.zeros(2)
    for piece in range(2 * MOST_PIECES):
        if s.pos[piece] >= 0 and s.kind[piece] != FLAG:
            worth[piece // MOST_PIECES] += VALUES[s.kind[piece]]
    total = worth[0] + worth[1]
    out[0] = LEAD * (worth[0] - worth[1]) / total if total > 0.0 else 0.0
    out[1] = -out[0]
