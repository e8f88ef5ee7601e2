"""A picture of the coin game for a spectator: all goals shown; drawing only."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.coin_game.rules import NONE, STAND
from stratagym.envs.coin_game.view import COLOURS
from stratagym.envs.drawing import Canvas, mix

PAINTS = [
    (228, 84, 84), (70, 132, 226), (240, 186, 56), (96, 176, 104), (164, 104, 200),
    (240, 140, 70), (90, 190, 196),
]  # fmt: skip
_PAPER, _INK, _DIM = (247, 249, 253), (36, 42, 60), (126, 134, 156)
_LIGHT, _DARK, _FRAME, _LETTERS = (238, 241, 247), (227, 232, 241), (70, 80, 106), (222, 228, 240)
PLAYERS = [(44, 48, 66), (250, 250, 252), (120, 92, 70), (94, 116, 90)]
_NAMES = [(250, 250, 252), (36, 40, 56), (250, 250, 252), (250, 250, 252)]
_LAST = (92, 108, 150)
_MARGIN, _FRAME_WIDTH = 0.75, 0.5  # in cells: around the board, its frame
_HEAD, _ROW = 0.95, 0.82  # in cells: the headline, a row of what a player has taken
_NARROW = 6
"""Boards with fewer columns get a strip beside them, so that the words fit."""


def _left(rules: Any) -> float:
    return _MARGIN + max(0, _NARROW - rules.columns) / 2


def _top(rules: Any) -> float:
    return _HEAD + rules.num_players * _ROW + 0.7


def _width(rules: Any) -> float:
    return max(rules.columns, _NARROW) + 2 * _MARGIN


def _unit(rules: Any, size: int) -> int:
    return max(4, int(size / _width(rules)))


def _coin(canvas: Canvas, x: float, y: float, colour: int, scale: float = 1.0) -> None:
    """A coin around (x, y) with its letter."""
    paint = PAINTS[colour]
    canvas.disc(x, y + 0.03 * scale, 0.33 * scale, mix(paint, _INK, 0.55))
    canvas.disc(x, y, 0.32 * scale, mix(paint, _INK, 0.25))
    canvas.disc(x, y, 0.27 * scale, paint)
    canvas.text(x, y - 0.01, COLOURS[colour], 0.36 * scale, (255, 255, 255), 0.04)


def _player(canvas: Canvas, x: float, y: float, seat: int, goal: int, scale: float = 1.0) -> None:
    """A player's token with its number, in a ring of its goal's colour."""
    radius = 0.42 * scale
    canvas.box(x - radius, y - radius, 2 * radius, 2 * radius, _INK, 0.16 * scale)
    inner = radius - 0.02 * scale
    ring = _DIM if goal == NONE else PAINTS[goal]
    canvas.box(x - inner, y - inner, 2 * inner, 2 * inner, ring, 0.15 * scale)
    inner = radius - 0.1 * scale
    canvas.box(x - inner, y - inner, 2 * inner, 2 * inner, PLAYERS[seat], 0.1 * scale)
    canvas.text(x, y - 0.01, str(seat), 0.42 * scale, _NAMES[seat], 0.04)


@lru_cache(maxsize=8)
def _empty(rules: Any, unit: int) -> Image.Image:
    """The board with nothing on it. To be copied before use."""
    left, top = _left(rules), _top(rules)
    canvas = Canvas(_width(rules), top + rules.rows + _MARGIN, unit, _PAPER, (left, top))
    frame = rules.columns + 2 * _FRAME_WIDTH, rules.rows + 2 * _FRAME_WIDTH
    canvas.box(-_FRAME_WIDTH, -_FRAME_WIDTH, *frame, _FRAME, 0.18)
    for row in range(rules.rows):
        for column in range(rules.columns):
            canvas.box(column, row, 1, 1, _DARK if (row + column) % 2 else _LIGHT)
    for column in range(rules.columns):
        for edge in (-0.26, rules.rows + 0.26):
            canvas.text(column + 0.5, edge, str(column), 0.3, _LETTERS)
    for row in range(rules.rows):
        for edge in (-0.26, rules.columns + 0.26):
            canvas.text(edge, row + 0.5, str(row), 0.3, _LETTERS)
    return canvas.done()


@lru_cache(maxsize=32)
def _sprite(kind: str, number: int, goal: int, unit: int) -> Image.Image:
    canvas = Canvas(1, 1, unit)
    if kind == "coin":
        _coin(canvas, 0.5, 0.5, number)
    else:
        _player(canvas, 0.5, 0.5, number, goal)
    return canvas.done()


@lru_cache(maxsize=16)
def _came(action: int, unit: int) -> Image.Image:
    """A wedge on the side of a cell from which the last mover came; a frame where it stayed."""
    canvas = Canvas(1, 1, unit)
    if action == STAND:
        canvas.box(0.01, 0.01, 0.98, 0.98, (0, 0, 0, 0), 0.1, (*_LAST, 255), 0.045)
    else:
        points = [(0.3, 1.0), (0.7, 1.0), (0.5, 0.8)]  # it went up: it came from below
        turned = {
            0: points,
            1: [(1 - x, 1 - y) for x, y in points],
            2: [(y, 1 - x) for x, y in points],
            3: [(1 - y, x) for x, y in points],
        }[action]
        canvas.polygon(turned, (*_LAST, 255))
    return canvas.done()


def pixel(rules: Any, cell: int, size: int = 640) -> tuple[int, int]:
    """The pixel (x, y) of the middle of a cell, ``row * columns + column``."""
    unit, (row, column) = _unit(rules, size), divmod(cell, rules.columns)
    return round((_left(rules) + column + 0.5) * unit), round((_top(rules) + row + 0.5) * unit)


def _goals(rules: Any, s: Any, seat: int | None) -> list[int]:
    """The goals that a seat knows, ``NONE`` for the others."""
    known = seat is None or rules.told
    return [
        int(s["goals"][player]) if known or player == seat else NONE
        for player in range(rules.num_players)
    ]


def _head(rules: Any, s: Any, goals: list[int], unit: int) -> Image.Image:
    """Whose turn it is, and what every player has taken beside its goal."""
    canvas = Canvas(_width(rules), _top(rules) - _FRAME_WIDTH, unit, _PAPER)
    left, over = rules.length - int(s["moves"]), s["moves"] == rules.length
    if over:
        words = "The game is over"
    else:
        words = f"Player {int(s['player'])} to move, {left} {'move' if left == 1 else 'moves'} left"
    canvas.text(_width(rules) / 2, 0.5, words, 0.4 if rules.columns >= _NARROW else 0.34, _INK)
    step = min(1.0, (_width(rules) - 3.4) / rules.colours)
    for seat in range(rules.num_players):
        y, goal = _HEAD + _ROW * (seat + 0.5), goals[seat]
        at = s["player"] == seat and not over
        canvas.disc(0.36, y, 0.09, _INK if at else _PAPER)
        _player(canvas, 0.95, y, seat, goal, 0.85)
        canvas.text(1.5, y, "goal", 0.28, _DIM, 0, "lm")
        if goal == NONE:
            canvas.text(2.5, y, "?", 0.36, _DIM, 0.03)
        else:
            _coin(canvas, 2.5, y, goal, 0.85)
        for colour in range(rules.colours):
            x, count = 3.25 + step * colour, int(s["taken"][seat, colour])
            faded = mix(PAINTS[colour], _PAPER, 0.0 if count else 0.72)
            canvas.disc(x, y, 0.13, faded)
            canvas.text(x + 0.22, y, str(count), 0.32, _INK if count else _DIM, 0, "lm")
    return canvas.done()


def picture(rules: Any, s: Any, size: int = 640, seat: int | None = None) -> np.ndarray:
    """Draw a position: coins, players in rings of their goals' colours, what was taken.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels, about.
        seat: whose view it is; None for a spectator, who sees all.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    unit = _unit(rules, size)
    image = _empty(rules, unit).copy()

    def paste(sprite: Image.Image, cell: int) -> None:
        row, column = divmod(cell, rules.columns)
        at = round((_left(rules) + column) * unit), round((_top(rules) + row) * unit)
        image.paste(sprite, at, sprite)

    for cell, coin in enumerate(s["coins"][: rules.rows * rules.columns].tolist()):
        if coin != NONE:
            paste(_sprite("coin", coin, 0, unit), cell)
    goals = _goals(rules, s, seat)
    for player, goal in enumerate(goals):
        paste(_sprite("player", player, goal, unit), int(s["where"][player]))
    if s["last"] != NONE:
        mover = (int(s["moves"]) - 1) % rules.num_players
        paste(_came(int(s["last"]), unit), int(s["where"][mover]))
    image.paste(_head(rules, s, goals, unit), (0, 0))
    return np.array(image)
