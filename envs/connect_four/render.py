"""A picture of a connect four board; drawing only."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.connect_four.rules import CELLS, COLUMN, COLUMNS, HEIGHT, NO_WINNER, ROWS
from stratagym.envs.drawing import INK, PAPER, Board, Canvas, headline, mix
from stratagym.envs.words import MARKS

SEAT_COLOURS = [(226, 52, 52), (250, 204, 30)]
_FRAME, _EDGE, _HOLE = (30, 88, 190), (18, 60, 140), (232, 238, 248)
_WHITE = (255, 255, 255)


def _board(size: int) -> Board:
    return Board(COLUMNS, ROWS, size, side=0.25, top=0.95, foot=0.5)


@lru_cache(maxsize=8)
def _empty(board: Board) -> Image.Image:
    """The board without stones. To be copied before use."""
    canvas, frame = board.canvas(), (COLUMNS + 0.24, ROWS + 0.24)
    canvas.box(-0.07, -0.07, *frame, mix(PAPER, INK, 0.28), 0.28)
    canvas.blur(0.06)
    canvas.box(-0.12, -0.12, *frame, _FRAME, 0.28, _EDGE, 0.05)
    for column in range(COLUMNS):
        for row in range(ROWS):
            canvas.disc(column + 0.5, row + 0.5, 0.43, _EDGE)
            canvas.disc(column + 0.5, row + 0.52, 0.41, _HOLE)
        canvas.text(column + 0.5, ROWS + 0.31, str(column), 0.3, mix(INK, PAPER, 0.25))
    return canvas.done()


def _draw_stone(canvas: Canvas, x: float, y: float, seat: int, size: float, won: bool) -> None:
    """A stone; those that won have a white ring."""
    paint = SEAT_COLOURS[seat]
    dark, light = mix(paint, (60, 20, 0), 0.3), mix(paint, _WHITE, 0.28)
    canvas.disc(x, y, 0.42 * size, _WHITE if won else dark)
    canvas.disc(x, y, (0.35 if won else 0.4) * size, paint)
    canvas.disc(x, y, 0.27 * size, dark)
    canvas.disc(x, y + 0.015 * size, 0.255 * size, light if won else mix(paint, light, 0.5))


@lru_cache(maxsize=16)
def _stone(seat: int, won: bool, last: bool, unit: int) -> Image.Image:
    canvas = Canvas(1, 1, unit)
    _draw_stone(canvas, 0.5, 0.5, seat, 1, won)
    if last:
        canvas.disc(0.5, 0.5, 0.13, INK)
        canvas.disc(0.5, 0.5, 0.1, _WHITE)
    return canvas.done()


@lru_cache(maxsize=16)
def _headline(seats: tuple[int, ...], words: str, unit: int) -> Image.Image:
    draw = partial(_draw_stone, size=0.6, won=False)
    size, lengths = (COLUMNS, 0.84), {"height": 0.36, "step": 0.62, "middle": 0.3, "gap": 0.08}
    return headline(size, unit, seats, draw, words, **lengths)


def stone_pixel(column: int, height: int, size: int = 640) -> tuple[int, int]:
    """The pixel (x, y) of the middle of a square, ``height`` counted from the lowest row."""
    return _board(size).pixel(column + 0.5, ROWS - height - 0.5)


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
    """A position as ``Render.picture`` has it; above it the stone to move, or the result."""
    board = _board(size)
    image, unit = _empty(board).copy(), board.unit
    turn = int(s["plies"]) & 1
    stones = [int(s["mover"]), int(s["other"])]
    bottom = HEIGHT * (int(s["last"]) - 1)  # of the last stone's column; below 0 before the first
    last = bottom + (sum(stones) >> bottom & COLUMN).bit_length() - 1 if s["last"] else bottom
    for seat, own in enumerate(reversed(stones) if turn else stones):
        line = winning_stones(own)
        for square in range(COLUMNS * HEIGHT):
            if own >> square & 1:
                column, height = divmod(square, HEIGHT)
                stone = _stone(seat, bool(line >> square & 1), square == last, unit)
                board.paste(image, stone, column, ROWS - 1 - height)
    if s["winner"] != NO_WINNER:
        headline = _headline((int(s["winner"]),), f"{MARKS[s['winner']]} wins", unit)
    elif s["plies"] == CELLS:
        headline = _headline((0, 1), "draw", unit)
    else:
        headline = _headline((turn,), f"{MARKS[turn]} to move", unit)
    board.paste_headline(image, headline, 0)
    return np.array(image)
