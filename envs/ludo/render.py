"""A picture of a Ludo position; drawing only.

Everything is placed in board units: (0, 0) is the top left corner of the 15 x 15 board, x runs
right, y down, and a square is one unit wide, so that square (column, row) has its centre half a
unit further on. What belongs to a colour is written down for colour 0 and turned for the others.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.drawing import Canvas, mix, put
from stratagym.envs.ludo.rules import BASE, FINISHED, NO_WINNER, PIECES, TRACK, is_safe, position
from stratagym.envs.ludo.tables import BOARD, SQUARES, turn

# Centre of colour 0's yard; by piece, places in base from there, and centres when finished.
_YARD = (3.0, 3.0)
_BASES = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)]
_FINISHES = [(6.37, 6.84), (6.37, 7.5), (6.37, 8.16), (6.99, 7.5)]

COLOURS = [(222, 60, 56), (38, 158, 90), (246, 190, 38), (48, 112, 214)]
_PAPER, _GRID, _SAFE, _INK = (255, 255, 255), (176, 180, 190), (228, 231, 237), (38, 42, 56)
_GREY, _STAR, _NUMBER = (226, 227, 231), (160, 166, 180), (122, 128, 144)
_GOLD, _BRONZE, _FRAME = (255, 200, 40), (168, 112, 8), (46, 50, 66)

_MARGIN = 0.3  # of the frame around the board, at least


def _star(canvas: Canvas, x: float, y: float, radius: float, fill: tuple[int, ...]) -> None:
    spokes = [(radius if k % 2 else 0.45 * radius, pi / 2 + k * pi / 5) for k in range(10)]
    canvas.polygon([(x + r * cos(angle), y + r * sin(angle)) for r, angle in spokes], fill)


def _grid(size: int) -> tuple[int, int]:
    """Pixels per square and of the margin left of and above the board."""
    unit = max(1, int(size / (BOARD + 2 * _MARGIN)))
    return unit, (size - BOARD * unit) // 2


def pixel(x: float, y: float, size: int = 720) -> tuple[int, int]:
    """The pixel (x, y) of a point in board units in a picture ``size`` wide."""
    unit, margin = _grid(size)
    return round(margin + x * unit), round(margin + y * unit)


def _ink(colour: int) -> tuple[int, int, int]:
    """What can be read on a colour: white, but not on yellow."""
    return _INK if colour == 2 else _PAPER


@lru_cache(maxsize=16)
def _board(colours: tuple[int, ...], size: int) -> Image.Image:
    """All that never moves; colours not taking part are faded. To be copied before use."""
    unit, margin = _grid(size)
    origin = margin / unit, margin / unit
    canvas = Canvas(size / unit, size / unit, unit, _FRAME, origin)
    line = 0.03

    def square(number: int, fill: tuple[int, ...]) -> None:
        x, y = SQUARES[number]
        canvas.box(x - line / 2, y - line / 2, 1 + line, 1 + line, fill, 0, _GRID, line)

    canvas.box(-0.12, -0.12, BOARD + 0.24, BOARD + 0.24, _PAPER, 0.35)
    for number in range(TRACK):
        square(number, _SAFE if is_safe(number) else _PAPER)
    for colour in range(4):
        playing = colour in colours
        paint = COLOURS[colour] if playing else mix(COLOURS[colour], _GREY, 0.78)
        dark = mix(paint, _INK, 0.25 if playing else 0.08)
        x, y = turn(*_YARD, colour)
        canvas.box(x - 2.94, y - 2.94, 5.88, 5.88, paint, 0.35)
        canvas.box(x - 2.1, y - 2.1, 4.2, 4.2, dark, 0.75)
        canvas.box(x - 2.04, y - 2.04, 4.08, 4.08, _PAPER, 0.7)
        for dx, dy in _BASES:
            canvas.disc(x + dx, y + dy, 0.6, dark)
            canvas.disc(x + dx, y + dy, 0.55, mix(paint, _PAPER, 0.6))
        if playing:
            seat = f"PLAYER {colour}"
            canvas.text(x, y + (-2.42 if y < 7.5 else 2.42), seat, 0.42, _ink(colour), 0.03)
        for number in (13 * colour, *range(TRACK + 6 * colour, TRACK + 6 * colour + 5)):
            square(number, paint)
        canvas.polygon([turn(*point, colour) for point in [(6, 6), (7.5, 7.5), (6, 9)]], paint)
        # From the last square of the track, one step across the corner into home cell 1.
        arrow = [(1.48, 7.48), (1.06, 7.28), (1.24, 7.24), (1.28, 7.06)]
        canvas.polygon([turn(*point, colour) for point in arrow], _PAPER)
    for corner in [(6, 6), (9, 6), (6, 9), (9, 9)]:
        canvas.line([corner, (7.5, 7.5)], _PAPER, 0.06)
    for number in range(TRACK):
        x, y = SQUARES[number]
        start = number % 13 == 0
        if is_safe(number):
            _star(canvas, x + 0.53, y + 0.55, 0.36, _PAPER if start else _STAR)
        ink = _ink(number // 13) if start and number // 13 in colours else _NUMBER
        canvas.text(x + 0.06, y + 0.22, str(number), 0.24, ink, 0, "ls")
    for colour in colours:
        for number in range(TRACK + 6 * colour, TRACK + 6 * colour + 5):
            x, y = SQUARES[number]
            at, anchor = (0.94, "rs") if number == TRACK else (0.06, "ls")  # beside the arrow
            canvas.text(x + at, y + 0.22, str(number), 0.24, _ink(colour), 0, anchor)
    return canvas.done()


@lru_cache(maxsize=1024)
def _piece(colour: int, piece: int, diameter: float, unit: int) -> Image.Image:
    """A piece with its number, in the middle of a square picture one and a half times as wide."""
    width = 2 * max(1, round(0.75 * diameter * unit))
    canvas = Canvas(1.5, 1.5, width / 1.5)
    paint, dark = COLOURS[colour], mix(COLOURS[colour], _INK, 0.5)
    canvas.disc(0.77, 0.81, 0.5, (*_INK, 150))
    canvas.blur(0.05)
    canvas.disc(0.75, 0.75, 0.5, dark)
    canvas.disc(0.75, 0.75, 0.46, _PAPER)
    canvas.disc(0.75, 0.75, 0.37, paint)
    canvas.text(0.75, 0.745, str(piece), 0.62, _ink(colour), 0.035)
    return canvas.done()


# The pips of each face of a die, on a 3 x 3 grid numbered from left to right and down.
_PIPS = ("", "4", "26", "246", "0268", "02468", "023568")


@lru_cache(maxsize=64)
def _die(dice: int, unit: int) -> Image.Image:
    """The face of a die, one unit wide in the middle of a picture of two."""
    canvas = Canvas(2, 2, unit)
    canvas.box(0.53, 0.59, 0.96, 0.96, (*_INK, 170), 0.2)
    canvas.blur(0.06)
    canvas.box(0.5, 0.5, 1, 1, _INK, 0.22)
    canvas.box(0.54, 0.54, 0.92, 0.92, _PAPER, 0.19)
    for pip in map(int, _PIPS[dice]):
        canvas.disc(0.73 + 0.27 * (pip % 3), 0.73 + 0.27 * (pip // 3), 0.1, _INK)
    return canvas.done()


@lru_cache(maxsize=16)
def _ring(colour: tuple[int, int, int], unit: int) -> Image.Image:
    """A ring around a yard, six units wide in the middle of a picture of eight."""
    canvas = Canvas(8, 8, unit)
    canvas.box(0.96, 0.96, 6.08, 6.08, None, 0.5, _INK, 0.28)
    canvas.box(1.02, 1.02, 5.96, 5.96, None, 0.44, colour, 0.16)
    return canvas.done()


@lru_cache(maxsize=8)
def _to_move(colour: int, unit: int) -> Image.Image:
    """The words TO MOVE, to stand in a yard of that colour; four units wide."""
    canvas = Canvas(4, 0.6, unit)
    canvas.text(2, 0.3, "TO MOVE", 0.36, _ink(colour), 0.03)
    return canvas.done()


@lru_cache(maxsize=8)
def _frame(unit: int) -> Image.Image:
    """Around a square of the last move, which is one unit wide in a picture of one and a half."""
    canvas = Canvas(1.5, 1.5, unit)
    canvas.box(0.19, 0.19, 1.12, 1.12, None, 0.12, _INK, 0.11)
    canvas.box(0.21, 0.21, 1.08, 1.08, None, 0.1, _GOLD, 0.065)
    return canvas.done()


@lru_cache(maxsize=8)
def _crown(unit: int) -> Image.Image:
    """A crown over the word WINNER, to cover the places in a yard; four units wide."""
    canvas = Canvas(4, 4, unit)
    canvas.box(0.05, 0.05, 3.9, 3.9, _PAPER, 0.65)
    tips = [(0.5, 1.0), (1.33, 1.55), (2, 0.6), (2.67, 1.55), (3.5, 1.0)]
    for colour, edge in ((_BRONZE, 0.06), (_GOLD, 0.0)):
        canvas.polygon([(0.8 - edge, 2.2 + edge), *tips, (3.2 + edge, 2.2 + edge)], colour)
        for x, y in tips[::2]:
            canvas.disc(x, y, 0.15 + edge, colour)
        canvas.box(0.78 - edge, 2.3 - edge, 2.44 + 2 * edge, 0.34 + 2 * edge, colour, 0.08)
    canvas.text(2, 3.25, "WINNER", 0.66, _INK, 0.04)
    return canvas.done()


def _layout(count: int) -> tuple[float, list[tuple[float, float]]]:
    """Diameter and centres, within a square, of ``count`` (1 .. 16) pieces that share it.

    The square's number in its top left corner is covered last.
    """
    if count == 1:
        return 0.74, [(0.53, 0.55)]
    if count == 2:
        return 0.56, [(0.3, 0.7), (0.7, 0.3)]
    columns = next(n for n in (2, 3, 4) if n * n >= count)
    pitch = 0.96 / columns
    places = [0.5 + pitch * (k - (columns - 1) / 2) for k in range(columns)]
    return 0.97 * pitch, [(x, y) for y in places for x in places][-count:]


def _place_of(rules: Any, player: int, piece: int, steps: int) -> tuple[float, float]:
    """The centre of the place of a piece that no other shares."""
    colour = rules.colours[player]
    if steps == BASE:
        (x, y), (dx, dy) = turn(*_YARD, colour), _BASES[piece]
        return x + dx, y + dy
    if steps == FINISHED:
        return turn(*_FINISHES[piece], colour)
    x, y = SQUARES[position(rules, player, steps)]
    return x + 0.5, y + 0.5


def picture(rules: Any, s: Any, size: int = 720) -> np.ndarray:
    """Draw a position: who is to move, with the dice, or has won; frames show the last move.

    Args:
        rules: the game's ``Rules``.
        s: one record of ``STATE``, such as ``states[0]``.
        size: width and height in pixels.

    Returns:
        Array of (size, size, 3) uint8, RGB.
    """
    unit, _ = _grid(size)
    image = _board(rules.colours, size).copy()

    def place(sprite: Image.Image, x: float, y: float) -> None:
        put(image, sprite, *pixel(x, y, size))

    winner = int(s["winner"])
    marked = rules.colours[int(s["player"]) if winner == NO_WINNER else winner]
    yard = turn(*_YARD, marked)
    place(_ring(_PAPER if winner == NO_WINNER else _GOLD, unit), *yard)
    if winner != NO_WINNER:
        place(_crown(unit), *yard)
    else:
        opposite = 2.52 if yard[1] < 7.5 else -2.52  # of the player's name
        place(_to_move(marked, unit), yard[0], yard[1] + opposite)
        if s["dice"] > 0:
            place(_die(int(s["dice"]), unit), *yard)
    if s["last_moved"]:
        player, piece = divmod(int(s["last_moved"]) - 1, PIECES)
        for steps in (int(s["last_from"]), int(s["steps"][player, piece])):
            place(_frame(unit), *_place_of(rules, player, piece, steps))

    shared: dict[tuple[float, float], list[tuple[int, int]]] = {}
    for player, colour in enumerate(rules.colours):
        for piece in range(PIECES):
            steps = int(s["steps"][player, piece])
            if steps in (BASE, FINISHED):
                diameter = 0.92 if steps == BASE else 0.6
                sprite = _piece(colour, piece, diameter, unit)
                place(sprite, *_place_of(rules, player, piece, steps))
            else:
                square = SQUARES[position(rules, player, steps)]
                shared.setdefault(square, []).append((colour, piece))
    for (x, y), pieces in shared.items():
        diameter, centres = _layout(len(pieces))
        for (colour, piece), (dx, dy) in zip(pieces, centres, strict=True):
            place(_piece(colour, piece, diameter, unit), x + dx, y + dy)
    return np.array(image)
