"""A picture of a tic-tac-toe grid; drawing only."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from stratagym.envs.tictactoe.rules import LINES

COLOURS = [(214, 73, 51), (36, 111, 168)]
_PAPER, _GRID, _WON = (250, 248, 243), (58, 62, 76), (255, 226, 138)
_OVERSAMPLE = 4


def picture(rules: Any, s: Any, size: int = 480) -> np.ndarray:
    """Draw a position; the lines that won are underlaid.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width and height in pixels.

    Returns:
        Array of (size, size, 3) uint8, RGB.
    """
    unit = size * _OVERSAMPLE / 3.4  # a square and its margin: 3 squares and 0.2 around them
    image = Image.new("RGB", (size * _OVERSAMPLE,) * 2, _PAPER)
    draw = ImageDraw.Draw(image)

    def stroke(x0: float, y0: float, x1: float, y1: float, width: float, colour: Any) -> None:
        """A line with round ends, in squares from the grid's top left corner."""
        ends = [((x + 0.2) * unit, (y + 0.2) * unit) for x, y in ((x0, y0), (x1, y1))]
        draw.line(ends, colour, round(width * unit))
        for x, y in ends:
            disc(x / unit - 0.2, y / unit - 0.2, width / 2, colour)

    def disc(x: float, y: float, radius: float, colour: Any) -> None:
        x, y, radius = (x + 0.2) * unit, (y + 0.2) * unit, radius * unit
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), colour)

    if s["winner"] >= 0:
        marks = int(s["noughts"] if s["winner"] else s["crosses"])
        for line in LINES:
            if marks & line == line:
                ends = [divmod(k, 3) for k in range(9) if line >> k & 1]
                (x0, y0), _, (x1, y1) = ends
                stroke(x0 + 0.5, y0 + 0.5, x1 + 0.5, y1 + 0.5, 0.86, _WON)
    for k in (1, 2):
        stroke(k, 0.06, k, 2.94, 0.035, _GRID)
        stroke(0.06, k, 2.94, k, 0.035, _GRID)
    for square in range(9):
        x, y = square // 3 + 0.5, square % 3 + 0.5
        if s["crosses"] >> square & 1:
            stroke(x - 0.26, y - 0.26, x + 0.26, y + 0.26, 0.13, COLOURS[0])
            stroke(x - 0.26, y + 0.26, x + 0.26, y - 0.26, 0.13, COLOURS[0])
        elif s["noughts"] >> square & 1:
            won = s["winner"] >= 0 and _on_line(int(s["noughts"]), square)
            disc(x, y, 0.34, COLOURS[1])
            disc(x, y, 0.21, _WON if won else _PAPER)
    return np.array(image.reduce(_OVERSAMPLE))


def _on_line(marks: int, square: int) -> bool:
    return any(marks & line == line and line >> square & 1 for line in LINES)
