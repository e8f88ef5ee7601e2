"""A picture of a Stratego board; drawing only.

Lengths are in cells. A piece that both sides know has a white face, one that only its own side
knows a tinted one; of what a seat does not know it sees the back.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.drawing import INK, PAPER, Board, Canvas, headline, mix
from stratagym.envs.stratego.boards import BOMB, FLAG, KINDS, LETTERS, MOST_PIECES, SEATS
from stratagym.envs.stratego.moves import cell_of, is_lake
from stratagym.envs.stratego.rules import PLACING
from stratagym.envs.stratego.telling import last_moves, lost
from stratagym.envs.stratego.view import standing

SEAT_COLOURS = ((196, 62, 58), (58, 104, 186))
_GRASS, _DARK_GRASS, _FRAME, _WATER = (
    (222, 214, 184),
    (214, 205, 172),
    (110, 92, 70),
    (128, 176, 206),
)
_MARK, _WAVE, _PALE = (255, 206, 84), (168, 206, 228), (250, 248, 242)
_FOOT = 1.5


def _board(rules: Any, size: int) -> Board:
    return Board(rules.columns, rules.rows, size, foot=0.75 + _FOOT)


def middle_pixel(rules: Any, cell: int, size: int) -> tuple[int, int]:
    """The pixel (x, y) of an absolute cell's middle in a spectator's picture."""
    row, column = divmod(cell, rules.columns)
    return _board(rules, size).pixel(column + 0.5, rules.rows - 0.5 - row)


@lru_cache(maxsize=16)
def _empty(rules: Any, board: Board) -> Image.Image:
    """The board without pieces, its rows named from the top."""
    names = [f"{k}" for k in range(rules.columns)], [f"{k}" for k in range(rules.rows)]
    canvas = board.framed(_FRAME, *names)
    for cell in range(rules.rows * rules.columns):
        row, column = divmod(cell, rules.columns)
        y = rules.rows - 1 - row
        if is_lake.py_func(rules, cell):
            canvas.box(column, y, 1, 1, _WATER)
            for down in (0.3, 0.55, 0.8):
                points = [(column + 0.2 + 0.1 * k, y + down + 0.05 * (k % 2)) for k in range(7)]
                canvas.line(points, _WAVE, 0.04, ends=True)
        else:
            canvas.box(column, y, 1, 1, _DARK_GRASS if (row + column) % 2 else _GRASS)
    return canvas.done().convert("RGB")


@lru_cache(maxsize=128)
def _piece(seat: int, kind: int, open_to_both: bool, unit: int) -> Image.Image:
    """A piece; kind 0 is its back. What both sides know has a white face."""
    canvas = Canvas(1, 1, unit)
    colour = SEAT_COLOURS[seat]
    canvas.box(0.1, 0.12, 0.84, 0.84, mix(colour, INK, 0.55), 0.16)
    canvas.box(0.07, 0.06, 0.84, 0.84, colour, 0.16)
    if kind == 0:
        canvas.text(0.49, 0.48, "?", 0.52, mix(colour, _PALE, 0.6), 0.03)
        return canvas.done()
    inner = _PALE if open_to_both else mix(colour, _PALE, 0.78)
    canvas.box(0.14, 0.13, 0.70, 0.70, inner, 0.11)
    ink = mix(colour, INK, 0.45)
    if kind == FLAG:
        canvas.line([(0.36, 0.24), (0.36, 0.74)], ink, 0.05, ends=True)
        canvas.polygon([(0.38, 0.24), (0.7, 0.34), (0.38, 0.46)], colour)
    elif kind == BOMB:
        canvas.disc(0.47, 0.53, 0.19, ink)
        canvas.line([(0.58, 0.38), (0.64, 0.3), (0.7, 0.28)], ink, 0.05, ends=True)
        canvas.disc(0.72, 0.26, 0.045, (236, 150, 40))
    else:
        canvas.text(0.49, 0.48, LETTERS[kind], 0.46, ink, 0.04)
    return canvas.done()


@lru_cache(maxsize=16)
def _marked(unit: int, newest: bool) -> Image.Image:
    canvas = Canvas(1, 1, unit)
    canvas.box(0.02, 0.02, 0.96, 0.96, (*_MARK, 190 if newest else 120), 0.08)
    return canvas.done()


def picture(rules: Any, s: Any, size: int = 640, seat: int | None = None) -> np.ndarray:
    """Draw a position: pieces, the cells of the last move, and below what both sides lost.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels, about.
        seat: whose view it is, its side at the bottom; None for a spectator, who sees all kinds and
            Red's side at the bottom. Pieces that both sides know have a white face.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    board, viewer = _board(rules, size), seat or 0
    image, unit = _empty(rules, board).copy(), board.unit

    def paste(sprite: Image.Image, cell: int) -> None:
        row, column = divmod(int(cell_of.py_func(rules, viewer, cell)), rules.columns)
        board.paste(image, sprite, column, rules.rows - 1 - row)

    if s["ply"]:
        _, start, end, *_ = last_moves(rules, s)[0]
        paste(_marked(unit, False), start)
        paste(_marked(unit, True), end)
    for piece in range(2 * MOST_PIECES):
        owner = int(piece >= MOST_PIECES)
        if s["pos"][piece] < 0 or (s["phase"] == PLACING and seat not in (None, owner)):
            continue
        shown = bool(s["shown"][piece])
        known = shown or seat in (None, owner)
        kind = int(s["kind"][piece]) if known else 0
        paste(_piece(owner, kind, shown, unit), int(s["pos"][piece]))
    winner = int(s["winner"])
    signs = [winner if winner >= 0 else int(s["player"])] if s["over"] == 0 or winner >= 0 else []
    strip = headline(
        (rules.columns, 0.9), unit, signs, _sign, standing(s), height=0.4, step=0.7, middle=0.3,
        gap=0.05,
    )  # fmt: skip
    board.paste_headline(image, strip)
    foot = _lost_strip(rules, s, viewer, unit)
    image.paste(foot, board.pixel(0, rules.rows + 0.62))
    return np.array(image)


def _sign(canvas: Canvas, x: float, y: float, seat: int) -> None:
    canvas.box(x - 0.22, y - 0.22, 0.44, 0.44, SEAT_COLOURS[seat], 0.1)


def _lost_strip(rules: Any, s: Any, viewer: int, unit: int) -> Image.Image:
    """What each side lost, the other side's above."""
    canvas = Canvas(rules.columns, _FOOT, unit, PAPER)
    for k, seat in enumerate((1 - viewer, viewer)):
        y = 0.3 + 0.62 * k
        canvas.text(0.1, y, f"{SEATS[seat]} lost", 0.26, mix(SEAT_COLOURS[seat], INK, 0.3), 0, "lm")
        gone = lost(rules, s, seat) if s["phase"] != PLACING else np.zeros(KINDS + 1, int)
        told = [
            f"{LETTERS[kind]} ({gone[kind]})" if gone[kind] > 1 else LETTERS[kind]
            for kind in range(KINDS, 0, -1)
            if gone[kind]
        ]
        words = ",  ".join(told) or "nothing"
        height = min(0.28, 0.28 * (rules.columns - 1.6) / max(canvas.width_of(words, 0.28), 0.1))
        canvas.text(1.45, y, words, height, INK, 0, "lm")
    return canvas.done().convert("RGB")
