"""A picture of a breakthrough board; drawing only."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.breakthrough.rules import NO_WINNER, squares_of
from stratagym.envs.breakthrough.view import COLOURS
from stratagym.envs.core import legal_actions_at
from stratagym.envs.drawing import Canvas, mix

_PAINT = [(44, 44, 50), (250, 246, 236)]
_EDGES = [(12, 12, 16), (92, 74, 56)]
_PAPER, _FRAME, _INK, _LETTERS = (247, 249, 253), (78, 56, 40), (40, 46, 66), (236, 222, 204)
_LIGHT, _DARK, _LAST, _DOT = (232, 214, 180), (184, 140, 98), (240, 196, 60), (46, 120, 74)
_MARGIN, _TOP, _FRAME_WIDTH = 0.75, 1.65, 0.5  # in squares: around the board, above it, its frame


@lru_cache(maxsize=8)
def _empty(rows: int, columns: int, unit: int) -> Image.Image:
    """The board without pawns, ``unit`` pixels a cell. To be copied before use."""
    size = columns + 2 * _MARGIN, _TOP + rows + _MARGIN
    canvas = Canvas(*size, unit, _PAPER, (_MARGIN, _TOP))
    frame = columns + 2 * _FRAME_WIDTH, rows + 2 * _FRAME_WIDTH
    canvas.box(-_FRAME_WIDTH + 0.06, -_FRAME_WIDTH + 0.08, *frame, mix(_PAPER, _INK, 0.3), 0.2)
    canvas.blur(0.06)
    canvas.box(-_FRAME_WIDTH, -_FRAME_WIDTH, *frame, _FRAME, 0.2)
    for row in range(rows):
        for column in range(columns):
            # As on a chess board: a1, at the bottom left, is dark.
            dark = (rows - 1 - row + column) % 2 == 0
            canvas.box(column, row, 1, 1, _DARK if dark else _LIGHT)
    for column in range(columns):
        for edge in (-0.26, rows + 0.26):
            canvas.text(column + 0.5, edge, "abcdefgh"[column], 0.3, _LETTERS)
    for row in range(rows):
        for edge in (-0.26, columns + 0.26):
            canvas.text(edge, row + 0.5, str(rows - row), 0.3, _LETTERS)
    return canvas.done()


def _draw_pawn(canvas: Canvas, x: float, y: float, scale: float, seat: int) -> None:
    """A pawn from above its middle (x, y): head, neck and foot."""
    for paint, wider in ((_EDGES[seat], 0.03), (_PAINT[seat], 0.0)):
        grow = wider * scale
        canvas.disc(x, y - 0.19 * scale, 0.14 * scale + grow, paint)
        body = [(-0.08, -0.1), (0.08, -0.1), (0.14, 0.12), (0.25, 0.3), (-0.25, 0.3), (-0.14, 0.12)]
        points = [(x + dx * scale, y + dy * scale) for dx, dy in body]
        canvas.polygon(points, paint)
        if wider:
            canvas.line([*points, points[0]], paint, 2 * grow, ends=True)
    canvas.line(
        [(x - 0.11 * scale, y - 0.07 * scale), (x + 0.11 * scale, y - 0.07 * scale)],
        _EDGES[seat], 0.03 * scale, ends=True,
    )  # fmt: skip


@lru_cache(maxsize=8)
def _pawn(seat: int, unit: int) -> Image.Image:
    canvas = Canvas(1, 1, unit)
    _draw_pawn(canvas, 0.5, 0.5, 1, seat)
    return canvas.done()


@lru_cache(maxsize=4)
def _marked(unit: int) -> Image.Image:
    """What the last move's cells have around them."""
    canvas = Canvas(1, 1, unit)
    canvas.box(0, 0, 1, 1, (*_LAST, 150))
    return canvas.done()


@lru_cache(maxsize=4)
def _open(unit: int, capture: bool) -> Image.Image:
    """A dot where the mover may go, a ring around what it may capture."""
    canvas = Canvas(1, 1, unit)
    if capture:
        canvas.disc(0.5, 0.5, 0.46, (*_DOT, 230))
        canvas.disc(0.5, 0.5, 0.39, (0, 0, 0, 0))
    else:
        canvas.disc(0.5, 0.5, 0.1, (*_DOT, 200))
    return canvas.done()


@lru_cache(maxsize=16)
def _headline(seat: int, words: str, width: int, unit: int) -> Image.Image:
    """A pawn and what is said of its side, in a strip as wide as the board."""
    canvas, high = Canvas(width, 0.9, unit), 0.42 if width > 4 else 0.26
    left = (width - canvas.width_of(words, high) - 0.8) / 2
    _draw_pawn(canvas, left + 0.3, 0.47, 0.95, seat)
    canvas.text(left + 0.75, 0.45, words, high, _INK, 0, "lm")
    return canvas.done()


def _unit(rules: Any, size: int) -> int:
    return max(4, int(size / (rules.columns + 2 * _MARGIN)))


def pixel(rules: Any, square: int, size: int = 640) -> tuple[int, int]:
    """The pixel (x, y) of the middle of a cell, ``8 * row + column``."""
    unit = _unit(rules, size)
    x, y = _MARGIN + (square & 7) + 0.5, _TOP + (square >> 3) + 0.5
    return round(x * unit), round(y * unit)


def picture(rules: Any, s: Any, size: int = 640) -> np.ndarray:
    """Draw a position: pawns, the last move's cells, dots and rings where the mover may go.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels, about.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    unit, seat = _unit(rules, size), int(s["player"])
    image = _empty(rules.rows, rules.columns, unit).copy()

    def paste(sprite: Image.Image, square: int) -> None:
        x, y = _MARGIN + (square & 7), _TOP + (square >> 3)
        image.paste(sprite, (round(x * unit), round(y * unit)), sprite)

    if s["last"] >= 0:
        for square in squares_of(rules, int(s["last"])):
            paste(_marked(unit), square)
    for side, pawns in enumerate((int(s["black"]), int(s["white"]))):
        for square in range(8 * rules.rows):
            if pawns >> square & 1:
                paste(_pawn(side, unit), square)
    if s["winner"] == NO_WINNER:
        legal = np.zeros(rules.num_actions, np.int64)
        n = legal_actions_at(rules, np.array([s]), 0, legal)
        ends = {
            (int(squares_of(rules, action)[1]), bool(action & 1)) for action in legal[:n].tolist()
        }
        for square, capture in sorted(ends):
            paste(_open(unit, capture), square)
        headline = _headline(seat, f"{COLOURS[seat].capitalize()} to move", rules.columns, unit)
    else:
        winner = int(s["winner"])
        headline = _headline(winner, f"{COLOURS[winner].capitalize()} wins", rules.columns, unit)
    image.paste(headline, (round(_MARGIN * unit), round(0.14 * unit)), headline)
    return np.array(image)
