"""Mahjong tiles as pictures, drawn from lines and discs; drawing only.

A tile is 36 x 48 points, with 3 points of margin for its side and shadow. Its rank or letter stands
small in a corner, for who does not read the signs.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from PIL import Image

from stratagym.envs.drawing import Canvas, Point
from stratagym.envs.mcr_mahjong.tiles import DRAGONS, HONORS

TILE_WIDTH, TILE_HEIGHT, MARGIN = 36, 48, 3
BACK = -1
"""A tile that lies face down."""

_FACE, _SIDE, _EDGE = (252, 250, 240), (214, 204, 178), (176, 164, 136)
_BACK, _BACK_LIGHT = (34, 104, 96), (60, 136, 126)
_INK, _RED, _GREEN, _BLUE, _FAINT = (
    (34, 38, 58), (200, 40, 44), (26, 128, 62), (34, 82, 168), (128, 124, 112),
)  # fmt: skip
GOLD = (255, 196, 46)

_Strokes = tuple[tuple[Point, ...], ...]
_CHARACTER: _Strokes = (
    ((0.5, 1.6), (9.5, 1.6)),
    ((4.2, 1.6), (3.7, 5.0), (0.8, 9.4)),
    ((3.9, 4.6), (8.4, 4.6), (7.8, 8.6), (6.2, 8.2)),
)
_EAST: _Strokes = (
    ((0.8, 1.8), (9.2, 1.8)),
    ((5, 0.2), (5, 9.8)),
    ((2, 3.3), (8, 3.3), (8, 6.3), (2, 6.3), (2, 3.3)),
    ((2, 4.8), (8, 4.8)),
    ((4.8, 6.4), (0.8, 9.4)),
    ((5.2, 6.4), (9.2, 9.4)),
)
_SOUTH: _Strokes = (
    ((1.2, 1.5), (8.8, 1.5)),
    ((5, 0.1), (5, 3.2)),
    ((1.4, 9.8), (1.4, 3.2), (8.6, 3.2), (8.6, 9.6), (7.4, 9.3)),
    ((3.6, 4.1), (4.2, 5.3)),
    ((6.4, 4.1), (5.8, 5.3)),
    ((3.0, 5.7), (7.0, 5.7)),
    ((2.8, 7.4), (7.2, 7.4)),
    ((5, 5.7), (5, 9.5)),
)
_WEST: _Strokes = (
    ((0.6, 1.2), (9.4, 1.2)),
    ((1.4, 4.0), (8.6, 4.0), (8.6, 9.2), (1.4, 9.2), (1.4, 4.0)),
    ((4.0, 1.2), (3.9, 5.0), (2.6, 6.9)),
    ((6.0, 1.2), (6.0, 6.2), (8.2, 6.4)),
)
_NORTH: _Strokes = (
    ((3.7, 0.5), (3.7, 9.5)),
    ((0.9, 3.3), (3.7, 3.3)),
    ((0.6, 8.4), (3.7, 6.9)),
    ((6.1, 0.5), (6.1, 8.8), (9.2, 8.8), (9.2, 7.2)),
    ((9.0, 2.6), (6.1, 4.6)),
)
_RED_DRAGON: _Strokes = (
    ((1.4, 2.4), (8.6, 2.4), (8.6, 6.4), (1.4, 6.4), (1.4, 2.4)),
    ((5, 0.0), (5, 10.0)),
)
_GREEN_DRAGON: _Strokes = (
    ((1.6, 0.9), (4.4, 0.9), (3.2, 2.8), (0.6, 4.4)),
    ((1.4, 2.2), (2.8, 3.2)),
    ((5.6, 0.4), (6.6, 2.2), (9.4, 4.3)),
    ((8.4, 0.5), (6.8, 2.0)),
    ((9.2, 1.8), (7.6, 3.1)),
    ((1, 5), (4.3, 5), (4.3, 6.5), (1.3, 6.5), (1.1, 8), (4.5, 8), (4.2, 9.8), (2.9, 9.6)),
    ((6.0, 6.2), (6.2, 4.9), (8.4, 4.9), (8.6, 6.3), (9.4, 6.3)),
    ((5.4, 7.2), (8.7, 7.2), (7.6, 8.8), (5.2, 9.9)),
    ((6.2, 7.6), (9.4, 9.9)),
)  # fmt: skip
_HONORS = (
    (_EAST, _BLUE, "E"), (_SOUTH, _BLUE, "S"), (_WEST, _BLUE, "W"), (_NORTH, _BLUE, "N"),
    (_RED_DRAGON, _RED, "R"), (_GREEN_DRAGON, _GREEN, "G"), ((), _BLUE, ""),
)  # fmt: skip

_DOTS: tuple[tuple[Point, ...], ...] = (
    ((0.5, 0.5),),
    ((0.5, 0.25), (0.5, 0.75)),
    ((0.24, 0.2), (0.5, 0.5), (0.76, 0.8)),
    ((0.28, 0.26), (0.72, 0.26), (0.28, 0.74), (0.72, 0.74)),
    ((0.25, 0.22), (0.75, 0.22), (0.5, 0.5), (0.25, 0.78), (0.75, 0.78)),
    ((0.28, 0.16), (0.72, 0.16), (0.28, 0.52), (0.72, 0.52), (0.28, 0.84), (0.72, 0.84)),
    ((0.2, 0.12), (0.5, 0.24), (0.8, 0.36), (0.28, 0.62), (0.72, 0.62), (0.28, 0.88), (0.72, 0.88)),
    tuple((x, y) for y in (0.11, 0.37, 0.63, 0.89) for x in (0.28, 0.72)),
    tuple((x, y) for y in (0.15, 0.5, 0.85) for x in (0.18, 0.5, 0.82)),
)
_STICKS: tuple[tuple[Point, ...], ...] = (
    ((0.5, 0.5),),
    ((0.5, 0.25), (0.5, 0.75)),
    ((0.5, 0.25), (0.26, 0.75), (0.74, 0.75)),
    ((0.28, 0.25), (0.72, 0.25), (0.28, 0.75), (0.72, 0.75)),
    ((0.22, 0.25), (0.78, 0.25), (0.5, 0.5), (0.22, 0.75), (0.78, 0.75)),
    tuple((x, y) for y in (0.25, 0.75) for x in (0.2, 0.5, 0.8)),
    ((0.5, 0.16), *((x, y) for y in (0.5, 0.84) for x in (0.2, 0.5, 0.8))),
    (*((x, 0.16) for x in (0.2, 0.5, 0.8)), (0.34, 0.5), (0.66, 0.5),
     *((x, 0.84) for x in (0.2, 0.5, 0.8))),
    tuple((x, y) for y in (0.16, 0.5, 0.84) for x in (0.2, 0.5, 0.8)),
)  # fmt: skip


def _glyph(
    canvas: Canvas, strokes: _Strokes, x: float, y: float, size: float, ink: Any, thick: float
) -> None:
    """A sign whose strokes are given on a grid of 10 x 10, in a square from (x, y) on."""
    for stroke in strokes:
        points = [(x + size * a / 10, y + size * b / 10) for a, b in stroke]
        canvas.line(points, ink, thick, ends=True)


def _characters(canvas: Canvas, rank: int, x: float, y: float) -> None:
    canvas.text(x + 18, y + 15, str(rank + 1), 23, _INK, 0.035)
    _glyph(canvas, _CHARACTER, x + 10, y + 27, 16, _RED, 2.3)


def _bamboo(canvas: Canvas, rank: int, x: float, y: float) -> None:
    places = _STICKS[rank]
    high = 15.5 if rank < 6 else 10.5
    if rank == 0:
        high = 28
    for k, (px, py) in enumerate(places):
        cx, cy = x + 8 + 23 * px, y + 8 + 34 * py
        odd = (rank == 4 and k == 2) or (rank == 6 and k == 0) or (rank == 8 and k % 3 == 1)
        ink = _RED if odd else _GREEN
        wide = 4.6 if rank else 8
        canvas.box(cx - wide / 2, cy - high / 2, wide, high, ink, 2)
        canvas.line([(cx - wide / 2, cy), (cx + wide / 2, cy)], _FACE, 1.1)


def _dots(canvas: Canvas, rank: int, x: float, y: float) -> None:
    radius = (13, 8.5, 6.4, 6, 5.6, 5.2, 4.7, 4.4, 4.8)[rank]
    for k, (px, py) in enumerate(_DOTS[rank]):
        cx, cy = x + 7 + 24 * px, y + 7 + 36 * py
        red = rank == 0 or (rank in (2, 4) and k == (1 if rank == 2 else 2))
        red = red or (rank == 5 and k > 1) or (rank == 6 and k > 2) or (rank == 8 and 2 < k < 6)
        ink = _RED if red else _GREEN if rank in (1, 3) and k % 2 == 0 else _BLUE
        canvas.disc(cx, cy, radius, ink)
        canvas.disc(cx, cy, 0.58 * radius, _FACE)
        canvas.disc(cx, cy, 0.32 * radius, ink)


def _honor(canvas: Canvas, tile: int, x: float, y: float) -> None:
    strokes, ink, letter = _HONORS[tile - HONORS]
    if tile == DRAGONS + 2:
        canvas.box(x + 8, y + 10, 20, 30, None, 2, ink, 2.4)
        canvas.box(x + 12, y + 14, 12, 22, None, 1, ink, 1.2)
    else:
        _glyph(canvas, strokes, x + 6.5, y + 13, 23, ink, 2.5)
    canvas.text(x + 3.5, y + 2.5, letter, 9, _FAINT, 0.02, "lt")


@lru_cache(maxsize=512)
def tile_picture(tile: int, scale: float, dim: bool = False, lit: bool = False) -> Image.Image:
    """A tile, or the ``BACK`` of one, with its margin.

    Args:
        scale: pixels a point. dim: as one that is gone. lit: with a golden frame.
    """
    canvas = Canvas(TILE_WIDTH + 2 * MARGIN, TILE_HEIGHT + 2 * MARGIN, scale)
    x = y = MARGIN
    if lit:
        canvas.box(0, 0, TILE_WIDTH + 2 * MARGIN, TILE_HEIGHT + 2 * MARGIN, GOLD, 7)
    canvas.box(x, y + 2, TILE_WIDTH, TILE_HEIGHT, _EDGE, 5)
    if tile == BACK:
        canvas.box(x, y, TILE_WIDTH, TILE_HEIGHT, _BACK, 5, (22, 74, 68), 1)
        canvas.box(x + 5, y + 5, TILE_WIDTH - 10, TILE_HEIGHT - 10, None, 3, _BACK_LIGHT, 1.4)
        return canvas.done()
    canvas.box(x, y, TILE_WIDTH, TILE_HEIGHT, _FACE, 5, _SIDE, 1)
    if tile >= HONORS:
        _honor(canvas, tile, x, y)
    else:
        suit, rank = divmod(tile, 9)
        (_characters, _bamboo, _dots)[suit](canvas, rank, x, y)
        if suit:
            canvas.text(x + 2.6, y + 2, str(rank + 1), 8, _FAINT, 0.02, "lt")
    picture = canvas.done()
    if dim:
        grey = Image.new("RGBA", picture.size, (30, 60, 52, 0))
        grey.putalpha(picture.getchannel("A").point(lambda alpha: alpha * 52 // 100))
        picture = Image.alpha_composite(picture, grey)
    return picture
