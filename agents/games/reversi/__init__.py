"""What the agents know of reversi."""

from __future__ import annotations

from typing import Any

import numpy as np


def symmetries(rules: Any) -> np.ndarray:
    """Where each action goes under the 8 turns and mirrorings of the board: (8, A) int64.

    The pass stays the pass.
    """
    size = rules.size
    board = np.arange(size * size).reshape(size, size)
    turned = [np.rot90(image, k) for image in (board, board.T) for k in range(4)]
    table = np.full((8, size * size + 1), size * size)
    for row, image in zip(table, turned, strict=True):
        row[image.ravel()] = board.ravel()
    return table


def action_cells(rules: Any) -> np.ndarray:
    """A square's own cell of one plane; the pass is the top left cell of a second plane."""
    return np.arange(rules.size**2 + 1)
