"""A picture of a gomoku board; drawing only. Stones stand on the crossings of the lines."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.drawing import Board, Canvas, headline, mix
from stratagym.envs.gomoku.lines import DIRECTIONS, cell_at, runs, words_in
from stratagym.envs.gomoku.rules import IN_TURN, LINE_MADE, RENJU, RUNNING, is_exact
from stratagym.envs.gomoku.view import LETTERS
from stratagym.envs.words import stones_name

COLOURS = [(28, 28, 32), (248, 247, 242)]
_WOOD = (226, 184, 116)
_LINE, _LABEL, _LAST, _WON = (84, 60, 32), (92, 66, 36), (222, 52, 40), (72, 176, 92)
_EDGE, _TOP = 1.0, 1.9  # in cells: from the outer crossings to the picture's sides and its top


def _board(rules: Any, size: int) -> Board:
    """The cells between the lines, their corners being the crossings."""
    return Board(rules.columns - 1, rules.rows - 1, size, side=_EDGE, top=_TOP, foot=_EDGE)


@lru_cache(maxsize=8)
def _empty(board: Board, from_top: bool) -> Image.Image:
    """The board without stones. To be copied before use."""
    width, height = board.columns, board.rows
    columns, rows = width + 1, height + 1
    canvas = board.canvas()
    margin = _EDGE - 0.1
    whole = -margin, -margin, width + 2 * margin, height + 2 * margin
    canvas.box(*whole, _WOOD, 0.15, mix(_WOOD, _LINE, 0.5), 0.05)
    for column in range(columns):
        canvas.line([(column, 0), (column, height)], _LINE, 0.04)
        for y in (-0.66, height + 0.66):
            canvas.text(column, y, LETTERS[column], 0.34, _LABEL)
    for row in range(rows):
        canvas.line([(0, row), (width, row)], _LINE, 0.04)
        number = str(row + 1 if from_top else rows - row)
        for x in (-0.66, width + 0.66):
            canvas.text(x, row, number, 0.34, _LABEL)
    for x, y in _stars(columns, rows):
        canvas.disc(x, y, 0.09, _LINE)
    return canvas.done()


def _stars(columns: int, rows: int) -> list[tuple[int, int]]:
    """The points that are marked on a board: of 15 x 15 the centre and four around it."""
    if columns % 2 == 0 or rows % 2 == 0 or min(columns, rows) < 9:
        return []
    corners = [(x, y) for x in (3, columns - 4) for y in (3, rows - 4)]
    return [(columns // 2, rows // 2), *corners]


def _draw_stone(canvas: Canvas, x: float, y: float, scale: float, colour: int) -> None:
    paint = COLOURS[colour]
    canvas.disc(x + 0.03 * scale, y + 0.05 * scale, 0.43 * scale, (60, 40, 16, 130))
    canvas.disc(x, y, 0.43 * scale, mix(paint, (90, 84, 76), 0.5))
    canvas.disc(x, y, 0.41 * scale, paint)
    canvas.disc(x - 0.12 * scale, y - 0.13 * scale, 0.12 * scale, mix(paint, (255, 255, 255), 0.22))


@lru_cache(maxsize=16)
def _stone(colour: int, won: bool, last: bool, unit: int) -> Image.Image:
    """A stone; a red dot on the last one, a green ring around those that won."""
    canvas = Canvas(1, 1, unit)
    if won:
        canvas.disc(0.5, 0.5, 0.49, _WON)
    _draw_stone(canvas, 0.5, 0.5, 0.92 if won else 1, colour)
    if last:
        canvas.disc(0.5, 0.5, 0.13, _LAST)
    return canvas.done()


@lru_cache(maxsize=4)
def _cross(unit: int) -> Image.Image:
    """What renju forbids Black."""
    canvas = Canvas(1, 1, unit)
    for rise in (-0.2, 0.2):
        canvas.line([(0.3, 0.5 - rise), (0.7, 0.5 + rise)], _LAST, 0.07, ends=True)
    return canvas.done()


@lru_cache(maxsize=32)
def _headline(colours: tuple[int, ...], words: str, width: int, unit: int) -> Image.Image:
    """Stones and what is said of them, in the middle of a strip."""
    return headline(
        (width, 0.9), unit, colours, lambda canvas, x, y, k: _draw_stone(canvas, x, y, 0.85, k),
        words, height=min(0.5, 0.1 * width), step=0.9, middle=0.4, gap=0.1,
    )  # fmt: skip


def crossing_pixel(rules: Any, cell: int, size: int = 640) -> tuple[int, int]:
    """The pixel (x, y) of a cell in a picture of this size."""
    row, column = divmod(cell, rules.columns)
    return _board(rules, size).pixel(column, row)


def winning_cells(rules: Any, s: Any) -> set[int]:
    """The cells of the lines that won."""
    found: set[int] = set()
    if s["ended"] != LINE_MADE:
        return found
    colour = int(s["winner"] != s["black"])
    for direction in range(DIRECTIONS):
        for word in range(words_in(rules, direction)):
            line = int(s["lines"][colour, direction, word])
            starts = int(runs(line, rules.connect, bool(is_exact(rules, colour))))
            for bit in range(20):
                if starts >> bit & 1:
                    cells = range(bit, bit + rules.connect)
                    found |= {int(cell_at(rules, direction, word, k)) for k in cells}
    return found


def _told(s: Any) -> tuple[tuple[int, ...], str]:
    """Colours and words of the headline."""
    if s["winner"] >= 0:
        colour = int(s["winner"] != s["black"])
        return (colour,), f"{stones_name(colour)} wins"
    if s["ended"] != RUNNING:
        return (0, 1), "draw"
    if s["phase"] != IN_TURN:
        return (), f"Player {s['player']} to move"
    colour = int(s["stones"]) & 1
    return (colour,), f"{stones_name(colour)} to move"


def picture(rules: Any, s: Any, size: int = 640) -> np.ndarray:
    """Draw a position: above the board the stone of the seat to move, or the result.

    The last stone has a red dot, a line that won green rings; where renju forbids Black, who is
    to move, a cell, there is a red cross.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels, about.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    board = _board(rules, size)
    image, unit = _empty(board, bool(rules.from_top)).copy(), board.unit

    def paste(sprite: Image.Image, cell: int) -> None:
        x, y = crossing_pixel(rules, cell, size)
        image.paste(sprite, (x - sprite.width // 2, y - sprite.height // 2), sprite)

    won = winning_cells(rules, s)
    for colour in range(2):
        for row in range(rules.rows):
            for column in range(rules.columns):
                if int(s["lines"][colour, 0, row]) >> column & 1:
                    cell = row * rules.columns + column
                    paste(_stone(colour, cell in won, cell == s["last"], unit), cell)
    if rules.line == RENJU and s["ended"] == RUNNING and s["stones"] % 2 == 0:
        for cell in _forbidden(rules, s):
            paste(_cross(unit), cell)
    strip = _headline(*_told(s), rules.columns + 1, unit)
    image.paste(strip, (0, round(0.05 * unit)), strip)
    return np.array(image)


def _forbidden(rules: Any, s: Any) -> list[int]:
    from stratagym.envs.prompts import legal_list

    legal = set(legal_list(rules, np.array([s], dtype=s.dtype)))
    cells = range(rules.rows * rules.columns)
    return [k for k in cells if k not in legal and not int(s["taken"][k >> 6]) >> (k & 63) & 1]
