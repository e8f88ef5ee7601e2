"""A picture of a connect four board; drawing only."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from stratagym.envs.connect_four.rules import CELLS, COLUMNS, HEIGHT, NO_WINNER, ROWS

COLOURS = [(226, 52, 52), (250, 204, 30)]
_FRAME, _EDGE, _HOLE, _PAPER = (30, 88, 190), (18, 60, 140), (232, 238, 248), (247, 249, 253)
_INK, _WHITE = (40, 46, 66), (255, 255, 255)
_OVERSAMPLE = 4
_MARGIN, _TOP, _FOOT = 0.25, 0.95, 0.5  # in squares: around the board, above it, below it


def _mix(colour: tuple[int, ...], other: tuple[int, ...], share: float) -> tuple[int, ...]:
    return tuple(round(a + (b - a) * share) for a, b in zip(colour, other, strict=True))


def _disc(draw: ImageDraw.ImageDraw, x: float, y: float, radius: float, colour: Any) -> None:
    draw.ellipse((x - radius, y - radius, x + radius - 1, y + radius - 1), colour)


@lru_cache(maxsize=8)
def _empty(unit: int) -> Image.Image:
    """The board without stones, ``unit`` pixels a square. To be copied before use."""
    u = unit * _OVERSAMPLE
    width, height = round((COLUMNS + 2 * _MARGIN) * u), round((_TOP + ROWS + _FOOT) * u)
    image = Image.new("RGB", (width, height), _PAPER)
    left, top = _MARGIN * u, _TOP * u
    box = (left - 0.12 * u, top - 0.12 * u, left + (COLUMNS + 0.12) * u, top + (ROWS + 0.12) * u)
    shadow = Image.new("L", image.size, 0)
    ImageDraw.Draw(shadow).rounded_rectangle([x + 0.05 * u for x in box], 0.28 * u, 120)
    image.paste(_mix(_PAPER, _INK, 0.6), mask=shadow.filter(ImageFilter.GaussianBlur(0.06 * u)))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle(box, 0.28 * u, _FRAME, _EDGE, round(0.05 * u))
    for column in range(COLUMNS):
        for row in range(ROWS):
            x, y = left + (column + 0.5) * u, top + (row + 0.5) * u
            _disc(draw, x, y, 0.43 * u, _EDGE)
            _disc(draw, x, y + 0.02 * u, 0.41 * u, _HOLE)
    font = ImageFont.load_default(0.3 * u)
    for column in range(COLUMNS):
        at = (left + (column + 0.5) * u, top + (ROWS + 0.31) * u)
        draw.text(at, str(column), _mix(_INK, _PAPER, 0.25), font, "mm")
    return image.reduce(_OVERSAMPLE)


@lru_cache(maxsize=32)
def _stone(seat: int, won: bool, unit: int) -> Image.Image:
    """A stone, in the middle of a picture one square wide; stones that won have a white ring."""
    u = unit * _OVERSAMPLE
    image = Image.new("RGBA", (u, u), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    paint = COLOURS[seat]
    dark, light = _mix(paint, (60, 20, 0), 0.3), _mix(paint, _WHITE, 0.28)
    _disc(draw, u / 2, u / 2, 0.42 * u, _WHITE if won else dark)
    _disc(draw, u / 2, u / 2, (0.35 if won else 0.4) * u, paint)
    _disc(draw, u / 2, u / 2, 0.27 * u, dark)
    _disc(draw, u / 2, u / 2 + 0.015 * u, 0.255 * u, light if won else _mix(paint, light, 0.5))
    return image.reduce(_OVERSAMPLE)


def winning_stones(stones: int) -> int:
    """Bitboard of the stones that stand in a line of four or more."""
    found = 0
    for gap in (1, 6, 7, 8):
        pairs = stones & (stones >> gap)
        four = pairs & (pairs >> 2 * gap)
        for k in range(4):
            found |= four << k * gap
    return found


def picture(rules: Any, s: Any, size: int = 640) -> np.ndarray:
    """Draw a position: above the board the stone of the seat to move, or the result.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels, about.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    unit = max(4, int(size / (COLUMNS + 2 * _MARGIN)))
    image = _empty(unit).copy()
    turn = int(s["plies"]) & 1
    stones = [int(s["mover"]), int(s["other"])]
    if turn:
        stones.reverse()
    lines = [winning_stones(own) for own in stones]
    for column in range(COLUMNS):
        for height in range(ROWS):
            square = HEIGHT * column + height
            for seat in range(2):
                if stones[seat] >> square & 1:
                    stone = _stone(seat, bool(lines[seat] >> square & 1), unit)
                    x = round((_MARGIN + column) * unit)
                    y = round((_TOP + ROWS - 1 - height) * unit)
                    image.paste(stone, (x, y), stone)
    won, full = s["winner"] != NO_WINNER, s["plies"] == CELLS
    words = "wins" if won else "draw" if full else "to move"
    shown = [int(s["winner"])] if won else [0, 1] if full else [turn]
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(0.36 * unit)
    length = draw.textlength(words, font)
    left = (image.width - length - 0.62 * unit * len(shown)) / 2
    for seat in shown:
        stone = _stone(seat, False, max(2, round(0.6 * unit)))
        image.paste(stone, (round(left), round(0.42 * unit - stone.height / 2)), stone)
        left += 0.62 * unit
    draw.text((left + 0.08 * unit, 0.42 * unit), words, _INK, font, "lm")
    return np.array(image)
