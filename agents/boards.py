"""What agents know of every board on whose cells stones are put."""

from __future__ import annotations

from typing import Any

import numpy as np


def board_symmetries(rows: int, columns: int, num_actions: int) -> np.ndarray:
    """Where each action goes under the turns and mirrorings of a board, itself first.

    Args:
        num_actions: the cells row by row, and behind them what stays, such as a pass.

    Returns:
        (8, num_actions) int64, with 4 rows for boards that are no squares; action ``a`` becomes
        ``table[k, a]``.
    """
    grid = np.arange(rows * columns).reshape(rows, columns)
    turned = [grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]
    if rows == columns:
        turned += [view.T for view in turned]
    table = np.tile(np.arange(num_actions), (len(turned), 1))
    for row, view in zip(table, turned, strict=True):
        row[: grid.size] = view.ravel()
    return table


def symmetries(rules: Any) -> np.ndarray:
    """Where each action goes on a square board with a pass: (8, A) int64."""
    return board_symmetries(rules.size, rules.size, rules.num_actions)


def action_cells(rules: Any) -> np.ndarray:
    """A cell's own place in the first plane; the pass is the top left place of a second."""
    return np.arange(rules.num_actions)
