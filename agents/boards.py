"""What agents know of every square board."""

from __future__ import annotations

import numpy as np


def square_symmetries(size: int) -> np.ndarray:
    """Where each action goes under the 8 turns and mirrorings of a square board, itself first.

    Args:
        size: rows and columns. Actions are the cells row by row, and behind them the pass, which
            stays the pass.

    Returns:
        (8, size ** 2 + 1) int64.
    """
    board = np.arange(size * size).reshape(size, size)
    turned = [np.rot90(image, k) for image in (board, board.T) for k in range(4)]
    table = np.full((8, size * size + 1), size * size)
    for row, image in zip(table, turned, strict=True):
        row[image.ravel()] = board.ravel()
    return table
