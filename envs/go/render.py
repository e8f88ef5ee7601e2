"""A picture of a go board; drawing only."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.core import legal_actions_at
from stratagym.envs.drawing import INK, PAPER, Board, Canvas, mix
from stratagym.envs.go.rules import FREE, GOING, USUAL_SIZES, grid_of
from stratagym.envs.go.view import COLUMNS
from stratagym.envs.words import stones_name

COLOURS = [(28, 30, 34), (248, 248, 244)]
_WOOD, _SHADE, _LINE, _LAST = (222, 178, 108), (150, 110, 58), (58, 40, 20), (226, 62, 48)
_MARGIN, _TOP = 1.15, 2.1  # in lines: around the board's points, above them
_EDGE = 0.95  # of the wood, beyond the outer lines


def _stars(size: int) -> list[tuple[int, int]]:
    """The points that are marked on a board: (column, row)."""
    if size not in USUAL_SIZES:
        return [(size // 2, size // 2)] if size in (5, 7) else []
    near = 2 if size == 9 else 3
    far, middle = size - 1 - near, size // 2
    places = (near, middle, far) if size == 19 else (near, far)
    return [(x, y) for x in places for y in places] + ([] if size == 19 else [(middle, middle)])


def _board(rules: Any, size: int) -> Board:
    """The cells between the lines, their corners being the points."""
    last = rules.size - 1
    return Board(last, last, size, side=_MARGIN, top=_TOP, foot=_MARGIN)


@lru_cache(maxsize=8)
def _empty(board: Board) -> Image.Image:
    """The board without stones. To be copied before use."""
    last, size, whole = board.rows, board.rows + 1, board.rows + 2 * _EDGE
    canvas = board.canvas()
    canvas.box(-_EDGE + 0.06, -_EDGE + 0.08, whole, whole, mix(PAPER, INK, 0.3), 0.15)
    canvas.blur(0.06)
    canvas.box(-_EDGE, -_EDGE, whole, whole, _WOOD, 0.15, mix(_WOOD, _SHADE, 0.6), 0.03)
    for k in range(size):
        thick = 0.06 if k in (0, last) else 0.035
        canvas.line([(k, 0), (k, last)], _LINE, thick, ends=True)
        canvas.line([(0, k), (last, k)], _LINE, thick, ends=True)
    for x, y in _stars(size):
        canvas.disc(x, y, 0.1, _LINE)
    for k in range(size):
        for edge in (-0.7, last + 0.7):
            canvas.text(k, edge, COLUMNS[k], 0.32, mix(_LINE, _WOOD, 0.15))
            canvas.text(edge, k, str(size - k), 0.32, mix(_LINE, _WOOD, 0.15))
    return canvas.done()


def _draw_stone(canvas: Canvas, x: float, y: float, scale: float, seat: int) -> None:
    paint, other = COLOURS[seat], COLOURS[1 - seat]
    canvas.disc(x + 0.03 * scale, y + 0.05 * scale, 0.47 * scale, (60, 36, 10, 110))
    canvas.disc(x, y, 0.465 * scale, mix(paint, other, 0.35 if seat else 0.1))
    canvas.disc(x - 0.005 * scale, y - 0.015 * scale, 0.445 * scale, paint)
    if seat == 0:
        canvas.disc(x - 0.13 * scale, y - 0.15 * scale, 0.13 * scale, mix(paint, other, 0.12))


@lru_cache(maxsize=16)
def _stone(seat: int, last: bool, unit: int) -> Image.Image:
    canvas = Canvas(1, 1, unit)
    _draw_stone(canvas, 0.5, 0.5, 1, seat)
    if last:
        canvas.disc(0.5, 0.5, 0.22, COLOURS[1 - seat])
        canvas.disc(0.5, 0.5, 0.15, COLOURS[seat])
        canvas.disc(0.5, 0.5, 0.1, _LAST)
    return canvas.done()


@lru_cache(maxsize=8)
def _forbidden(unit: int) -> Image.Image:
    """A free point where the seat to move may not put a stone, as diagrams show a ko."""
    canvas = Canvas(1, 1, unit)
    canvas.box(0.34, 0.34, 0.32, 0.32, _WOOD, 0.0, _LAST, 0.06)
    return canvas.done()


@lru_cache(maxsize=64)
def _headline(taken: tuple[int, int], words: str, width: float, unit: int) -> Image.Image:
    """Prisoners at the sides of a strip as wide as the board, in the middle what is said."""
    canvas = Canvas(width, 1.0, unit)
    size = min(0.42, width / 20)
    for seat, x in ((0, 0.5), (1, width - 0.5)):
        _draw_stone(canvas, x, 0.5, 0.85, seat)
    canvas.text(1.05, 0.5, f"+{taken[0]}", size, INK, 0, "lm")
    canvas.text(width - 1.05, 0.5, f"+{taken[1]}", size, INK, 0, "rm")
    canvas.text(width / 2, 0.5, words, size, INK)
    return canvas.done()


def _words(rules: Any, s: Any) -> str:
    if s["over"] == GOING:
        player = int(s["player"])
        passed = f"; {stones_name(1 - player)} passed" if s["passes"] else ""
        return f"{stones_name(player)} to move{passed}"
    lead = int(s["area"]) - rules.komi
    return f"{stones_name(int(lead < 0))} wins by {abs(lead):g}" if lead else "Draw"


def pixel(rules: Any, action: int, size: int = 640) -> tuple[int, int]:
    """The pixel (x, y) of the point where an action that is no pass puts a stone."""
    row, column = divmod(action, rules.size)
    return _board(rules, size).pixel(column, row)


def picture(rules: Any, s: Any, size: int = 640) -> np.ndarray:
    """Draw a position: stones, a ring on the last one, squares where the mover may not put one.

    Args:
        rules: the game's ``Rules``. s: one record of its states, such as ``states[0]``.
        size: width in pixels, about.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    board = _board(rules, size)
    image, unit = _empty(board).copy(), board.unit
    legal = np.zeros(rules.num_actions, np.int64)
    n = legal_actions_at(rules, np.array([s]), 0, legal) if s["over"] == GOING else 0
    allowed = set(legal[:n].tolist())
    for action, there in enumerate(grid_of(rules, s).ravel().tolist()):
        row, column = divmod(action, rules.size)
        if there != FREE:
            mark = _stone(there, action == s["last"], unit)
            board.paste(image, mark, column - 0.5, row - 0.5)
        elif n and action not in allowed:
            board.paste(image, _forbidden(unit), column - 0.5, row - 0.5)
    taken = (int(s["prisoners"][0]), int(s["prisoners"][1]))
    strip = _headline(taken, _words(rules, s), rules.size - 1 + 2 * _EDGE, unit)
    board.paste(image, strip, -_EDGE, -_TOP + 0.1)
    return np.array(image)
