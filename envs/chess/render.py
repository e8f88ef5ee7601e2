"""A picture of a chess position; drawing only.

The pieces are drawn here from simple shapes, so that no font is needed for them. A piece is
described in a unit square, x to the right and y down, and drawn with an outline.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from stratagym.envs.chess import moves, notation, rules, view
from stratagym.envs.chess.tables import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, WHITE

_LIGHT, _DARK = (238, 223, 196), (170, 124, 88)
_LAST_LIGHT, _LAST_DARK = (247, 226, 116), (214, 178, 66)
_FRAME, _TEXT = (58, 42, 34), (226, 206, 176)
_CHECK = (214, 48, 36)
FILLS = ((252, 248, 240), (58, 54, 58))
_LINES = ((44, 36, 36), (14, 12, 14))
_DETAILS = ((44, 36, 36), (206, 200, 196))

OVERSAMPLE = 4


def _grid(size: int) -> tuple[int, int]:
    """Pixels per square and of the frame left of and above the board."""
    unit = max(1, int(size / 8.7))
    return unit, (size - 8 * unit) // 2


def pixel(square: int, size: int = 720) -> tuple[int, int]:
    """The pixel (x, y) of the middle of a square in a picture ``size`` wide."""
    unit, margin = _grid(size)
    return margin + (square >> 3) * unit + unit // 2, margin + (7 - square & 7) * unit + unit // 2


# --- pieces --------------------------------------------------------------------------------------

_BASE = [(0.2, 0.88), (0.2, 0.81), (0.26, 0.76), (0.74, 0.76), (0.8, 0.81), (0.8, 0.88)]
_KNIGHT = [
    (0.25, 0.78), (0.28, 0.66), (0.36, 0.57), (0.45, 0.5), (0.455, 0.435), (0.36, 0.485),
    (0.29, 0.545), (0.215, 0.535), (0.175, 0.47), (0.2, 0.42), (0.27, 0.33), (0.32, 0.235),
    (0.395, 0.185), (0.405, 0.085), (0.475, 0.155), (0.535, 0.09), (0.56, 0.17), (0.66, 0.225),
    (0.735, 0.33), (0.77, 0.47), (0.77, 0.62), (0.75, 0.78),
]  # fmt: skip
_ROOK = [
    (0.22, 0.32), (0.22, 0.15), (0.325, 0.15), (0.325, 0.215), (0.445, 0.215), (0.445, 0.15),
    (0.555, 0.15), (0.555, 0.215), (0.675, 0.215), (0.675, 0.15), (0.78, 0.15), (0.78, 0.32),
    (0.7, 0.38), (0.7, 0.64), (0.77, 0.77), (0.23, 0.77), (0.3, 0.64), (0.3, 0.38),
]  # fmt: skip
_PAWN = [(0.43, 0.42), (0.57, 0.42), (0.62, 0.6), (0.72, 0.77), (0.28, 0.77), (0.38, 0.6)]
_BISHOP = [
    (0.5, 0.16), (0.585, 0.235), (0.655, 0.345), (0.665, 0.44), (0.61, 0.54), (0.63, 0.62),
    (0.7, 0.77), (0.3, 0.77), (0.37, 0.62), (0.39, 0.54), (0.335, 0.44), (0.345, 0.345),
    (0.415, 0.235),
]  # fmt: skip
_QUEEN = [
    (0.14, 0.27), (0.295, 0.5), (0.31, 0.2), (0.42, 0.46), (0.5, 0.165), (0.58, 0.46),
    (0.69, 0.2), (0.705, 0.5), (0.86, 0.27), (0.76, 0.64), (0.76, 0.77), (0.24, 0.77),
    (0.24, 0.64),
]  # fmt: skip
_KING = [
    (0.5, 0.4), (0.56, 0.33), (0.68, 0.3), (0.79, 0.345), (0.82, 0.44), (0.775, 0.53),
    (0.72, 0.64), (0.72, 0.77), (0.28, 0.77), (0.28, 0.64), (0.225, 0.53), (0.18, 0.44),
    (0.21, 0.345), (0.32, 0.3), (0.44, 0.33),
]  # fmt: skip
_CROSS = [
    (0.46, 0.4), (0.46, 0.245), (0.375, 0.245), (0.375, 0.165), (0.46, 0.165), (0.46, 0.08),
    (0.54, 0.08), (0.54, 0.165), (0.625, 0.165), (0.625, 0.245), (0.54, 0.245), (0.54, 0.4),
]  # fmt: skip

# By kind of piece: polygons, discs (x, y, radius), and lines of the inside.
_SHAPES: dict[int, tuple[list[Any], list[Any], list[Any]]] = {
    PAWN: ([_PAWN], [(0.5, 0.3, 0.145)], [[(0.4, 0.45), (0.6, 0.45)]]),
    KNIGHT: ([_KNIGHT], [], [[(0.61, 0.25), (0.68, 0.36), (0.7, 0.5), (0.7, 0.66)]]),
    BISHOP: (
        [_BISHOP],
        [(0.5, 0.125, 0.06)],
        [[(0.5, 0.27), (0.5, 0.43)], [(0.42, 0.35), (0.58, 0.35)], [(0.38, 0.56), (0.62, 0.56)]],
    ),
    ROOK: ([_ROOK], [], [[(0.29, 0.36), (0.71, 0.36)], [(0.3, 0.65), (0.7, 0.65)]]),
    QUEEN: (
        [_QUEEN],
        [(0.14, 0.24, 0.055), (0.31, 0.17, 0.055), (0.5, 0.135, 0.055), (0.69, 0.17, 0.055),
         (0.86, 0.24, 0.055)],
        [[(0.26, 0.64), (0.38, 0.6), (0.62, 0.6), (0.74, 0.64)]],
    ),
    KING: (
        [_CROSS, _KING],
        [],
        [[(0.5, 0.42), (0.5, 0.62)], [(0.3, 0.65), (0.4, 0.62), (0.6, 0.62), (0.7, 0.65)]],
    ),
}  # fmt: skip


@lru_cache(maxsize=64)
def _piece(colour: int, kind: int, unit: int) -> Image.Image:
    """A piece in a transparent square of ``unit`` pixels, with a soft shadow."""
    width = unit * OVERSAMPLE
    polygons, discs, inside = _SHAPES[kind]

    def scaled(points: list[tuple[float, float]], shift: float = 0.0) -> list[tuple[float, float]]:
        return [(x * width, (y + shift) * width) for x, y in points]

    def silhouette(draw: ImageDraw.ImageDraw, fill: Any, grow: float, shift: float = 0.0) -> None:
        for points in [*polygons, _BASE]:
            corners = scaled(points, shift)
            draw.polygon(corners, fill)
            if grow:
                thick = round(2 * grow * width)
                draw.line([*corners, corners[0]], fill, thick)
                for x, y in corners:
                    r = grow * width
                    draw.ellipse((x - r, y - r, x + r, y + r), fill)
        for x, y, radius in discs:
            r = (radius + grow) * width
            x, y = x * width, (y + shift) * width
            draw.ellipse((x - r, y - r, x + r, y + r), fill)

    image = Image.new("RGBA", (width, width), (0, 0, 0, 0))
    silhouette(ImageDraw.Draw(image), (20, 12, 8, 120), 0.012, 0.03)
    image = image.filter(ImageFilter.GaussianBlur(0.02 * width))
    draw = ImageDraw.Draw(image)
    silhouette(draw, (*_LINES[colour], 255), 0.018)
    # One outline around each part, then the parts filled within it.
    for points in [*polygons, _BASE]:
        draw.polygon(scaled(points), FILLS[colour])
    for x, y, radius in discs:
        draw.ellipse([v * width for v in (x - radius, y - radius, x + radius, y + radius)],
                     FILLS[colour])  # fmt: skip
    thin = max(1, round(0.022 * width))
    for points in [*inside, [(0.25, 0.765), (0.75, 0.765)]]:
        draw.line(scaled(points), _DETAILS[colour], thin, joint="curve")
    if kind == KNIGHT:
        for x, y, radius in [(0.43, 0.275, 0.026), (0.235, 0.455, 0.014)]:
            draw.ellipse([v * width for v in (x - radius, y - radius, x + radius, y + radius)],
                         _DETAILS[colour])  # fmt: skip
    return image.reduce(OVERSAMPLE)


# --- the board -----------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _board(size: int) -> Image.Image:
    """Frame, squares and coordinates. To be copied before use."""
    unit, margin = _grid(size)
    image = Image.new("RGB", (size, size), _FRAME)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(max(1, margin * 0.56))
    for square in range(64):
        _square(draw, square, size, _colour_of(square))
    for k in range(8):
        middle = margin + k * unit + unit / 2
        draw.text((middle, size - margin / 2), "abcdefgh"[k], _TEXT, font, "mm")
        for edge in (margin / 2, size - margin / 2):
            draw.text((edge, middle), str(8 - k), _TEXT, font, "mm")
    return image


def _colour_of(square: int, last: bool = False) -> tuple[int, int, int]:
    light = ((square >> 3) + (square & 7)) % 2 == 1
    if last:
        return _LAST_LIGHT if light else _LAST_DARK
    return _LIGHT if light else _DARK


def _square(draw: ImageDraw.ImageDraw, square: int, size: int, fill: tuple[int, ...]) -> None:
    unit, margin = _grid(size)
    x, y = margin + (square >> 3) * unit, margin + (7 - square & 7) * unit
    draw.rectangle((x, y, x + unit - 1, y + unit - 1), fill)


@lru_cache(maxsize=8)
def _glow(unit: int) -> Image.Image:
    """A red light under a king in check."""
    x = (np.arange(unit) + 0.5) / unit - 0.5
    distance = np.sqrt(x[:, None] ** 2 + x[None, :] ** 2)
    image = np.zeros((unit, unit, 4), np.uint8)
    image[..., :3] = _CHECK
    image[..., 3] = np.clip(255 * (1.35 - 2.2 * distance), 0, 235)
    return Image.fromarray(image)


def _headline(image: Image.Image, s: Any, size: int) -> None:
    """Above the board whose turn it is, with a disc of that side's colour, or the result."""
    _, margin = _grid(size)
    large = margin * OVERSAMPLE
    disc = Image.new("RGBA", (large, large))
    edges = [0.2 * large, 0.2 * large, 0.8 * large, 0.8 * large]
    left = margin
    if s["termination"] == rules.ONGOING:
        side = int(s["turn"])
        outline = max(1, large // 24)
        ImageDraw.Draw(disc).ellipse(edges, FILLS[side], _TEXT, outline)
        disc = disc.reduce(OVERSAMPLE)
        image.paste(disc, (margin, 0), disc)
        left += margin
    font = ImageFont.load_default(max(1, margin * 0.56))
    ImageDraw.Draw(image).text((left, margin / 2), view.status(s), _TEXT, font, "lm")


def picture(game_rules: Any, s: Any, size: int = 720) -> np.ndarray:
    """Draw a position, White below, and above it whose turn it is or the result.

    The last move and a king in check are marked.

    Args:
        game_rules: the game's ``Rules``.
        s: one record of ``STATE``, such as ``states[0]``.
        size: width and height in pixels.

    Returns:
        Array of (size, size, 3) uint8, RGB.
    """
    unit, _ = _grid(size)
    image = _board(size).copy()
    draw = ImageDraw.Draw(image)

    def put(sprite: Image.Image, square: int) -> None:
        x, y = pixel(square, size)
        image.paste(sprite, (x - unit // 2, y - unit // 2), sprite)

    for name in ("from_square", "to_square"):
        if s[name] >= 0:
            _square(draw, int(s[name]), size, _colour_of(int(s[name]), last=True))
    if moves.is_check(s):
        own = s["white"] if s["turn"] == WHITE else s["black"]
        put(_glow(unit), (int(s["kings"]) & int(own)).bit_length() - 1)
    for square, (colour, kind) in notation.piece_map(s).items():
        put(_piece(colour, kind, unit), square)
    _headline(image, s, size)
    return np.array(image)
