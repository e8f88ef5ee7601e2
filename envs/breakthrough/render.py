"""A picture of a breakthrough board; drawing only."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.breakthrough.rules import NO_WINNER, squares_of
from stratagym.envs.breakthrough.view import columns_of, seat_name
from stratagym.envs.core import legal_actions_at
from stratagym.envs.drawing import INK, Board, Canvas

PAINT = [(44, 44, 50), (250, 246, 236)]
_EDGES = [(12, 12, 16), (92, 74, 56)]
_FRAME = (78, 56, 40)
_LIGHT, _DARK, _LAST, _DOT = (232, 214, 180), (184, 140, 98), (240, 196, 60), (46, 120, 74)


@lru_cache(maxsize=8)
def _empty(rules: Any, board: Board) -> Image.Image:
    """The board without pawns. To be copied before use."""
    canvas = board.framed(
        _FRAME, columns_of(rules), [str(rules.rows - k) for k in range(rules.rows)]
    )
    for row in range(rules.rows):
        for column in range(rules.columns):
            # As on a chess board: a1, at the bottom left, is dark.
            dark = (rules.rows - 1 - row + column) % 2 == 0
            canvas.box(column, row, 1, 1, _DARK if dark else _LIGHT)
    return canvas.done()


def _draw_pawn(canvas: Canvas, x: float, y: float, scale: float, seat: int) -> None:
    """A pawn from above its middle (x, y): head, neck and foot."""
    for paint, wider in ((_EDGES[seat], 0.03), (PAINT[seat], 0.0)):
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
    canvas.text(left + 0.75, 0.45, words, high, INK, 0, "lm")
    return canvas.done()


def pixel(rules: Any, square: int, size: int = 640) -> tuple[int, int]:
    """The pixel (x, y) of the middle of a cell, ``8 * row + column``."""
    board = Board(rules.columns, rules.rows, size)
    return board.pixel((square & 7) + 0.5, (square >> 3) + 0.5)


def picture(rules: Any, s: Any, size: int = 640) -> np.ndarray:
    """Draw a position: pawns, the last move's cells, dots and rings where the mover may go.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels, about.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    board, seat = Board(rules.columns, rules.rows, size), int(s["player"])
    image, unit = _empty(rules, board).copy(), board.unit

    def paste(sprite: Image.Image, square: int) -> None:
        board.paste(image, sprite, square & 7, square >> 3)

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
        headline = _headline(seat, f"{seat_name(rules, s, seat)} to move", rules.columns, unit)
    else:
        winner = int(s["winner"])
        headline = _headline(winner, f"{seat_name(rules, s, winner)} wins", rules.columns, unit)
    board.paste_headline(image, headline)
    return np.array(image)
