"""A picture of a reversi board; drawing only."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.drawing import INK, Board, Canvas, mix
from stratagym.envs.reversi.rules import GOING, disc_difference, square_of
from stratagym.envs.words import stones_name

COLOURS = [(30, 32, 36), (246, 246, 242)]
_FRAME, _FELT, _LINE, _LAST = (62, 44, 30), (34, 128, 74), (16, 76, 44), (226, 62, 48)


@lru_cache(maxsize=8)
def _empty(board: Board) -> Image.Image:
    """The board without discs. To be copied before use."""
    size = board.rows
    canvas = board.framed(_FRAME, "abcdefgh"[:size], [str(k + 1) for k in range(size)])
    canvas.box(0, 0, size, size, _FELT)
    for k in range(size + 1):
        canvas.line([(k, 0), (k, size)], _LINE, 0.035)
        canvas.line([(0, k), (size, k)], _LINE, 0.035)
    if size == 8:
        for x in (2, 6):
            for y in (2, 6):
                canvas.disc(x, y, 0.08, _LINE)
    return canvas.done()


def _draw_disc(canvas: Canvas, x: float, y: float, scale: float, seat: int) -> None:
    paint, other = COLOURS[seat], COLOURS[1 - seat]
    canvas.disc(x + 0.02 * scale, y + 0.04 * scale, 0.42 * scale, (10, 40, 24, 120))
    canvas.disc(x, y, 0.41 * scale, mix(paint, other, 0.28))
    canvas.disc(x, y - 0.015 * scale, 0.39 * scale, paint)
    canvas.disc(x, y - 0.015 * scale, 0.3 * scale, mix(paint, other, 0.07))


@lru_cache(maxsize=16)
def _disc(seat: int, last: bool, unit: int) -> Image.Image:
    canvas = Canvas(1, 1, unit)
    _draw_disc(canvas, 0.5, 0.5, 1, seat)
    if last:
        canvas.disc(0.5, 0.485, 0.11, _LAST)
    return canvas.done()


@lru_cache(maxsize=8)
def _dot(seat: int, unit: int) -> Image.Image:
    """Where a disc may be put."""
    canvas = Canvas(1, 1, unit)
    canvas.disc(0.5, 0.5, 0.13, (*COLOURS[seat], 150))
    return canvas.done()


@lru_cache(maxsize=64)
def _headline(counts: tuple[int, int], words: str, width: int, unit: int) -> Image.Image:
    """Both counts at the sides of a strip as wide as the board, and in the middle what is said."""
    canvas = Canvas(width, 0.9, unit)
    for seat, x in ((0, 0.45), (1, width - 0.45)):
        _draw_disc(canvas, x, 0.45, 0.9, seat)
    canvas.text(1.0, 0.45, str(counts[0]), 0.42, INK, 0, "lm")
    canvas.text(width - 1.0, 0.45, str(counts[1]), 0.42, INK, 0, "rm")
    canvas.text(width / 2, 0.45, words, 0.34 if width > 4 else 0.19, INK)
    return canvas.done()


def _words(rules: Any, s: Any) -> str:
    if s["over"] == GOING:
        to_move = stones_name(int(s["player"]))
        return f"{to_move} to move" + (" again" if s["last"] == rules.size**2 else "")
    difference = int(disc_difference(rules, s))
    return f"{stones_name(int(difference < 0))} wins" if difference else "Draw"


def picture(rules: Any, s: Any, size: int = 640) -> np.ndarray:
    """Draw a position: discs, a red dot on the last one, small dots where the mover may go.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels, about.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    board = Board(rules.size, rules.size, size)
    image, unit = _empty(board).copy(), board.unit
    seat = int(s["player"])
    discs = [int(s["own"]), int(s["opp"])][:: -1 if seat else 1]
    for action in range(rules.size**2):
        square, (y, x) = int(square_of(rules, action)), divmod(action, rules.size)
        for owner in (0, 1):
            if discs[owner] >> square & 1:
                mark = _disc(owner, action == s["last"], unit)
                board.paste(image, mark, x, y)
        if s["over"] == GOING and int(s["legal"]) >> square & 1:
            board.paste(image, _dot(seat, unit), x, y)
    counts = discs[0].bit_count(), discs[1].bit_count()
    board.paste_headline(image, _headline(counts, _words(rules, s), rules.size, unit))
    return np.array(image)
