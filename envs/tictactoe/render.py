"""A picture of a tic-tac-toe grid; drawing only.

Lengths are in squares, from the grid's top left corner.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.envs.drawing import Canvas
from stratagym.envs.tictactoe.rules import FULL, LINES, NO_WINNER

SEAT_COLOURS = [(214, 73, 51), (36, 111, 168)]
_PAPER, _GRID, _WON = (250, 248, 243), (58, 62, 76), (255, 226, 138)
_LAST, _INK, _FAINT = (233, 229, 216), (40, 44, 58), (128, 130, 140)
LEFT, TOP, WIDTH, HEIGHT = 0.45, 0.95, 3.65, 4.15
"""Where the grid begins in the picture, and the picture's size."""


def _mark(
    canvas: Canvas, seat: int, x: float, y: float, size: float, hole: tuple[int, ...]
) -> None:
    """X or O around (x, y), ``size`` times as large as in the grid."""
    if seat == 0:
        reach = 0.26 * size
        for rise in (-reach, reach):
            ends = [(x - reach, y + rise), (x + reach, y - rise)]
            canvas.line(ends, SEAT_COLOURS[0], 0.13 * size, ends=True)
    else:
        canvas.disc(x, y, 0.34 * size, SEAT_COLOURS[1])
        canvas.disc(x, y, 0.21 * size, hole)


def _headline(canvas: Canvas, s: Any) -> None:
    """Whose turn it is, or the result."""
    winner, drawn = int(s["winner"]), s["crosses"] | s["noughts"] == FULL
    seats, words = [int(s["player"])], "to move"
    if winner != NO_WINNER:
        seats, words = [winner], "has won"
    elif drawn:
        seats, words = [0, 1], "draw"
    x = 1.5 - (0.36 * len(seats) + canvas.width_of(words, 0.24)) / 2
    for seat in seats:
        _mark(canvas, seat, x + 0.14, -0.66, 0.42, _PAPER)
        x += 0.36
    canvas.text(x, -0.66, words, 0.24, _INK, 0, "lm")


def picture(rules: Any, s: Any, size: int = 480) -> np.ndarray:
    """Draw a position: above the grid whose turn it is or the result; rows and columns numbered.

    The last square marked is shaded, the lines that won are underlaid.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels.

    Returns:
        Array of (height, size, 3) uint8, RGB.
    """
    canvas = Canvas(WIDTH, HEIGHT, size / WIDTH, _PAPER, (LEFT, TOP))
    _headline(canvas, s)
    for k in range(3):
        canvas.text(k + 0.5, -0.17, str(k + 1), 0.22, _FAINT)
        canvas.text(-0.22, k + 0.5, str(k + 1), 0.22, _FAINT)
    if s["last"]:
        column, row = divmod(int(s["last"]) - 1, 3)
        canvas.box(column + 0.07, row + 0.07, 0.86, 0.86, _LAST, 0.1)
    won = 0
    if s["winner"] != NO_WINNER:
        marks = int(s["noughts"] if s["winner"] else s["crosses"])
        for line in LINES:
            if marks & line == line:
                won |= line
                ends = [(k // 3 + 0.5, k % 3 + 0.5) for k in range(9) if line >> k & 1]
                canvas.line(ends, _WON, 0.86, ends=True)
    for k in (1, 2):
        canvas.line([(k, 0.06), (k, 2.94)], _GRID, 0.035, ends=True)
        canvas.line([(0.06, k), (2.94, k)], _GRID, 0.035, ends=True)
    for square in range(9):
        taken = [seat for seat, name in enumerate(("crosses", "noughts")) if s[name] >> square & 1]
        for seat in taken:
            shaded = _LAST if square + 1 == s["last"] else _PAPER
            hole = _WON if won >> square & 1 else shaded
            _mark(canvas, seat, square // 3 + 0.5, square % 3 + 0.5, 1.0, hole)
    return canvas.array()
