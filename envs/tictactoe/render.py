"""A picture of a tic-tac-toe grid; drawing only."""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.envs.drawing import Canvas
from stratagym.envs.tictactoe.rules import LINES

COLOURS = [(214, 73, 51), (36, 111, 168)]
_PAPER, _GRID, _WON = (250, 248, 243), (58, 62, 76), (255, 226, 138)


def picture(rules: Any, s: Any, size: int = 480) -> np.ndarray:
    """Draw a position; the lines that won are underlaid.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width and height in pixels.

    Returns:
        Array of (size, size, 3) uint8, RGB.
    """
    canvas = Canvas(3.4, 3.4, size / 3.4, _PAPER, (0.2, 0.2))
    lines: list[int] = []
    if s["winner"] >= 0:
        marks = int(s["noughts"] if s["winner"] else s["crosses"])
        lines = [line for line in LINES if marks & line == line]
    for line in lines:
        ends = [(k // 3 + 0.5, k % 3 + 0.5) for k in range(9) if line >> k & 1]
        canvas.line(ends, _WON, 0.86, ends=True)
    for k in (1, 2):
        canvas.line([(k, 0.06), (k, 2.94)], _GRID, 0.035, ends=True)
        canvas.line([(0.06, k), (2.94, k)], _GRID, 0.035, ends=True)
    for square in range(9):
        x, y = square // 3 + 0.5, square % 3 + 0.5
        if s["crosses"] >> square & 1:
            for rise in (-0.26, 0.26):
                ends = [(x - 0.26, y + rise), (x + 0.26, y - rise)]
                canvas.line(ends, COLOURS[0], 0.13, ends=True)
        elif s["noughts"] >> square & 1:
            won = any(line >> square & 1 for line in lines)
            canvas.disc(x, y, 0.34, COLOURS[1])
            canvas.disc(x, y, 0.21, _WON if won else _PAPER)
    return canvas.array()
