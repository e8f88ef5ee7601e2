"""A picture of an ataxx board; drawing only."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.ataxx.rules import (
    CELLS,
    GOING,
    PASS,
    SIDE,
    around,
    blocks_of,
    empty_of,
    reach,
    source_of,
    stones,
    winner_of,
)
from stratagym.envs.ataxx.view import COLUMNS, rank
from stratagym.envs.drawing import INK, Board, Canvas, mix
from stratagym.envs.words import stones_name

PAINT = [(34, 36, 44), (246, 244, 236)]
FELT = (156, 186, 204)
_FRAME, _LINE, _BLOCK, _LAST = (40, 58, 82), (104, 138, 162), (66, 88, 112), (250, 214, 92)


@lru_cache(maxsize=8)
def _empty(blocks: int, ranks: tuple[int, ...], board: Board) -> Image.Image:
    """The board without stones. To be copied before use."""
    canvas = board.framed(_FRAME, COLUMNS, [str(number) for number in ranks])
    canvas.box(0, 0, SIDE, SIDE, FELT)
    for k in range(8 * SIDE):
        if blocks >> k & 1:
            canvas.box(k % 8, k // 8, 1, 1, _BLOCK)
    for k in range(SIDE + 1):
        canvas.line([(k, 0), (k, SIDE)], _LINE, 0.035)
        canvas.line([(0, k), (SIDE, k)], _LINE, 0.035)
    return canvas.done()


def _draw_stone(canvas: Canvas, x: float, y: float, scale: float, seat: int) -> None:
    paint, other = PAINT[seat], PAINT[1 - seat]
    canvas.disc(x + 0.02 * scale, y + 0.04 * scale, 0.39 * scale, (20, 36, 56, 120))
    canvas.disc(x, y, 0.38 * scale, mix(paint, other, 0.3))
    canvas.disc(x, y - 0.015 * scale, 0.36 * scale, paint)
    canvas.disc(x - 0.1 * scale, y - 0.13 * scale, 0.09 * scale, mix(paint, (255, 255, 255), 0.3))


@lru_cache(maxsize=8)
def _stone(seat: int, unit: int) -> Image.Image:
    canvas = Canvas(1, 1, unit)
    _draw_stone(canvas, 0.5, 0.5, 1, seat)
    return canvas.done()


@lru_cache(maxsize=4)
def _marked(unit: int) -> Image.Image:
    """Where the last move went, and where a jump came from."""
    canvas = Canvas(1, 1, unit)
    canvas.box(0, 0, 1, 1, (*_LAST, 170))
    return canvas.done()


@lru_cache(maxsize=8)
def _open(seat: int, clone: bool, unit: int) -> Image.Image:
    """A dot where a stone can be cloned to, a ring where one can only jump."""
    canvas = Canvas(1, 1, unit)
    canvas.disc(0.5, 0.5, 0.13, (*PAINT[seat], 190))
    if not clone:
        canvas.disc(0.5, 0.5, 0.085, (0, 0, 0, 0))
    return canvas.done()


@lru_cache(maxsize=64)
def _headline(counts: tuple[int, int], words: str, unit: int) -> Image.Image:
    """Both counts at the sides of a strip as wide as the board, and in the middle what is said."""
    canvas = Canvas(SIDE, 0.9, unit)
    for seat, x in ((0, 0.45), (1, SIDE - 0.45)):
        _draw_stone(canvas, x, 0.45, 0.9, seat)
    canvas.text(1.0, 0.45, str(counts[0]), 0.42, INK, 0, "lm")
    canvas.text(SIDE - 1.0, 0.45, str(counts[1]), 0.42, INK, 0, "rm")
    canvas.text(SIDE / 2, 0.45, words, 0.34, INK)
    return canvas.done()


def _words(rules: Any, s: Any) -> str:
    if s["over"] == GOING:
        again = " again" if s["last"] == PASS else ""
        return f"{stones_name(int(s['player']))} to move{again}"
    winner = int(winner_of(rules, s))
    return "Draw" if winner < 0 else f"{stones_name(winner)} wins"


def pixel(rules: Any, square: int, size: int = 640) -> tuple[int, int]:
    """The pixel (x, y) of the middle of a cell, ``8 * row + column``."""
    return Board(SIDE, SIDE, size).pixel(square % 8 + 0.5, square // 8 + 0.5)


def picture(rules: Any, s: Any, size: int = 640) -> np.ndarray:
    """Draw a position: stones, the last move's cells, dots and rings where the mover may go.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels, about.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    board, seat, last = Board(SIDE, SIDE, size), int(s["player"]), int(s["last"])
    blocks = int(blocks_of.py_func(rules))
    image = _empty(blocks, tuple(rank(rules, row) for row in range(SIDE)), board).copy()

    def paste(sprite: Image.Image, square: int) -> None:
        board.paste(image, sprite, square % 8, square // 8)

    if 0 <= last < PASS:
        row, column = divmod(last % CELLS, SIDE)
        paste(_marked(board.unit), 8 * row + column)
        if last >= CELLS:
            paste(_marked(board.unit), int(source_of(last)))
    sides = [int(s["own"]), int(s["opp"])][:: -1 if seat else 1]
    empty = int(empty_of(rules, s)) if s["over"] == GOING else 0
    clones, both = int(around(s["own"])) & empty, int(reach(s["own"])) & empty
    for square in range(8 * SIDE):
        for side, there in enumerate(sides):
            if there >> square & 1:
                paste(_stone(side, board.unit), square)
        if both >> square & 1:
            paste(_open(seat, bool(clones >> square & 1), board.unit), square)
    counts = [int(count) for count in stones(rules, s)]
    board.paste_headline(image, _headline((counts[0], counts[1]), _words(rules, s), board.unit))
    return np.array(image)
