"""What pictures of games are drawn with: an antialiased canvas in units of the game's own, boards.

Drawing only; PIL is imported here and in the games' ``render`` modules, by nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

CLEAR = (0, 0, 0, 0)
Point = tuple[float, float]


def mix(colour: tuple[int, ...], other: tuple[int, ...], share: float) -> tuple[int, ...]:
    """``colour`` with a ``share`` (0 .. 1) of ``other``."""
    return tuple(round(a + (b - a) * share) for a, b in zip(colour, other, strict=True))


def put(image: Image.Image, sprite: Image.Image, x: float, y: float) -> None:
    """Paste a sprite over a picture, its middle at the pixel (x, y)."""
    at = round(x - sprite.width / 2), round(y - sprite.height / 2)
    image.paste(sprite, at, sprite)


@lru_cache(maxsize=64)
def _font(pixels: float) -> Any:
    return ImageFont.load_default(max(1, pixels))


class Canvas:
    """A picture drawn ``oversample`` times larger, then shrunk.

    All lengths are in units, x to the right and y down. On an RGB paper translucent colours blend;
    on an RGBA paper what is drawn replaces what was there, alpha included.

    Args:
        width, height: of the picture. unit: pixels a unit.
        paper: what fills it. origin: where the point (0, 0) lies in it.
    """

    def __init__(
        self,
        width: float,
        height: float,
        unit: float,
        paper: tuple[int, ...] = CLEAR,
        origin: Point = (0.0, 0.0),
        oversample: int = 4,
    ):
        self.unit, self.oversample = unit * oversample, oversample  # large pixels a unit
        self.origin = [round(at * self.unit) for at in origin]
        size = (round(width * unit) * oversample, round(height * unit) * oversample)
        self.use(Image.new("RGB" if len(paper) == 3 else "RGBA", size, paper))

    def use(self, image: Image.Image) -> None:
        """Go on with another large picture, such as a copy of one drawn before."""
        self.image, self.draw = image, ImageDraw.Draw(image, "RGBA")

    def points(self, *points: Point) -> list[Point]:
        """Points of the large picture."""
        (left, top), unit = self.origin, self.unit
        return [(left + x * unit, top + y * unit) for x, y in points]

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: Any,
        radius: float = 0.0,
        line: Any = None,
        thick: float = 0.0,
    ) -> None:
        """A rectangle from its top left corner (x, y), rounded by ``radius``."""
        (x0, y0), (x1, y1) = self.points((x, y), (x + width, y + height))
        edges, thick = (x0, y0, x1 - 1, y1 - 1), round(thick * self.unit)
        self.draw.rounded_rectangle(edges, radius * self.unit, fill, line, thick)

    def disc(self, x: float, y: float, radius: float, fill: Any, squeeze: float = 1.0) -> None:
        """A disc around (x, y), its height ``squeeze`` times its width; too small, none."""
        high = radius * squeeze
        (x0, y0), (x1, y1) = self.points((x - radius, y - high), (x + radius, y + high))
        self.draw.ellipse((x0, y0, max(x0, x1 - 1), max(y0, y1 - 1)), fill)

    def polygon(self, points: Iterable[Point], fill: Any) -> None:
        self.draw.polygon(self.points(*points), fill)

    def line(self, points: Iterable[Point], fill: Any, thick: float, *, ends: bool = False) -> None:
        """Lines from point to point; with ``ends``, every corner and end of them is round."""
        points = list(points)
        wide = max(1, round(thick * self.unit))
        self.draw.line(self.points(*points), fill, wide, None if ends else "curve")
        for x, y in points if ends else ():
            self.disc(x, y, thick / 2, fill)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        height: float,
        fill: Any,
        weight: float = 0.0,
        anchor: str = "mm",
    ) -> None:
        """Words ``height`` high, (x, y) being where PIL's ``anchor`` says; bold by ``weight``."""
        (at,) = self.points((x, y))
        bold = round(weight * height * self.unit)
        font = _font(height * self.unit)
        self.draw.text(at, words, fill, font, anchor, stroke_width=bold, stroke_fill=fill)

    def width_of(self, words: str, height: float) -> float:
        """How long words of this height are."""
        return _font(height * self.unit).getlength(words) / self.unit

    def blur(self, radius: float) -> None:
        """Blur all that was drawn so far, as the shadow of what follows."""
        self.use(self.image.filter(ImageFilter.GaussianBlur(radius * self.unit)))

    def done(self) -> Image.Image:
        """The picture in its own size, in the mode of its paper."""
        return self.image.reduce(self.oversample)

    def array(self) -> np.ndarray:
        """The picture as (height, width, 3) uint8, RGB."""
        return np.array(self.done().convert("RGB"))


# --- boards --------------------------------------------------------------------------------------

PAPER, INK = (247, 249, 253), (40, 46, 66)
"""What boards lie on, and what is written there."""
_LABELS = (236, 222, 204)
_FRAME_WIDTH = 0.5


def headline(
    size: tuple[float, float],
    unit: int,
    signs: Sequence[int],
    draw: Callable[[Canvas, float, float, int], None],
    words: str,
    *,
    height: float,
    step: float,
    middle: float,
    gap: float,
) -> Image.Image:
    """A strip with signs, such as stones, and what is said of them, in its middle.

    Args:
        size: of the strip, in units. unit: in pixels. draw: draws a sign around a point.
        height: of the letters. step: from sign to sign. middle: of a sign, from where it begins.
        gap: between the last sign and the words.
    """
    canvas = Canvas(*size, unit)
    left = (size[0] - canvas.width_of(words, height) - step * len(signs)) / 2
    for sign in signs:
        draw(canvas, left + middle, size[1] / 2, sign)
        left += step
    canvas.text(left + gap, size[1] / 2, words, height, INK, 0, "lm")
    return canvas.done()


@dataclass(frozen=True)
class Board:
    """A board of square cells in a picture, and the paper around it. All lengths are in cells.

    Points are given from the board's top left corner, x to the right and y down.

    Attributes:
        columns, rows: of cells. size: the picture's width in pixels, about.
        side, top, foot: paper on its left and its right, above and below it.
    """

    columns: int
    rows: int
    size: int
    side: float = 0.75
    top: float = 1.65
    foot: float = 0.75

    @property
    def unit(self) -> int:
        """Pixels a cell."""
        return max(4, int(self.size / (self.columns + 2 * self.side)))

    def canvas(self) -> Canvas:
        """The paper."""
        size = self.columns + 2 * self.side, self.top + self.rows + self.foot
        return Canvas(*size, self.unit, PAPER, (self.side, self.top))

    def framed(self, fill: tuple[int, ...], columns: Sequence[str], rows: Sequence[str]) -> Canvas:
        """The paper with a frame and its shadow; the cells are still to be drawn.

        Args:
            fill: of the frame. columns, rows: their names, told on all four edges.
        """
        canvas = self.canvas()
        frame = self.columns + 2 * _FRAME_WIDTH, self.rows + 2 * _FRAME_WIDTH
        canvas.box(-_FRAME_WIDTH + 0.06, -_FRAME_WIDTH + 0.08, *frame, mix(PAPER, INK, 0.3), 0.2)
        canvas.blur(0.06)
        canvas.box(-_FRAME_WIDTH, -_FRAME_WIDTH, *frame, fill, 0.2)
        for k, name in enumerate(columns):
            for edge in (-0.26, self.rows + 0.26):
                canvas.text(k + 0.5, edge, name, 0.3, _LABELS)
        for k, name in enumerate(rows):
            for edge in (-0.26, self.columns + 0.26):
                canvas.text(edge, k + 0.5, name, 0.3, _LABELS)
        return canvas

    def pixel(self, x: float, y: float) -> tuple[int, int]:
        """The pixel (x, y) of a point of the board."""
        return round((self.side + x) * self.unit), round((self.top + y) * self.unit)

    def paste(self, image: Image.Image, sprite: Image.Image, x: float, y: float) -> None:
        """Paste a sprite, its top left corner at a point of the board."""
        image.paste(sprite, self.pixel(x, y), sprite)

    def paste_headline(self, image: Image.Image, strip: Image.Image, down: float = 0.14) -> None:
        """Paste a strip as wide as the board above it, ``down`` from the picture's edge."""
        image.paste(strip, (round(self.side * self.unit), round(down * self.unit)), strip)
