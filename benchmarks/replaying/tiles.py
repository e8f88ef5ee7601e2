"""Pictures that differ little, stored as the small squares in which they do."""

from __future__ import annotations

import base64
import io

import numpy as np

TILE = 32
"""Pixels of a tile's side."""
ACROSS = 64
"""How many tiles a row of the sheet has."""
MOST = 30_000
"""The most tiles of a sheet that browsers still decode as one picture."""
COLOURS = 256


class Tiles:
    """A sheet of all different tiles of pictures, and what of it each picture is made of."""

    def __init__(self) -> None:
        self._tiles: list[np.ndarray] = []
        self._numbers: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._tiles)

    def numbers(self, pixels: np.ndarray) -> np.ndarray:
        """The number of every tile of a picture (H, W, 3) uint8, row by row; edges are padded."""
        high, wide = (-(-x // TILE) for x in pixels.shape[:2])
        room = (high * TILE - pixels.shape[0], wide * TILE - pixels.shape[1])
        padded = np.pad(pixels, ((0, room[0]), (0, room[1]), (0, 0)))
        tiles = padded.reshape(high, TILE, wide, TILE, 3).swapaxes(1, 2).reshape(-1, TILE, TILE, 3)
        return np.array([self._number(np.ascontiguousarray(tile)) for tile in tiles], np.int64)

    def _number(self, tile: np.ndarray) -> int:
        number = self._numbers.setdefault(tile.tobytes(), len(self._tiles))
        if number == len(self._tiles):
            self._tiles.append(tile)
        return number

    def sheet(self) -> str | None:
        """All tiles in rows of ``ACROSS`` as the address of a PNG; None without any."""
        from PIL import Image

        if not self._tiles:
            return None
        rows = -(-len(self._tiles) // ACROSS)
        sheet = np.zeros((rows * ACROSS, TILE, TILE, 3), np.uint8)
        sheet[: len(self._tiles)] = self._tiles
        pixels = sheet.reshape(rows, ACROSS, TILE, TILE, 3).swapaxes(1, 2)
        picture = Image.fromarray(pixels.reshape(rows * TILE, ACROSS * TILE, 3))
        file = io.BytesIO()
        # Without dithering, areas of one colour stay that, and small.
        picture.quantize(COLOURS, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
        return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def changes(before: np.ndarray | None, after: np.ndarray) -> list[int]:
    """How a picture comes from the one before it: (tiles skipped, new number) flattened.

    Args:
        before, after: their ``numbers``; None before the first.
    """
    if before is None or len(before) != len(after):
        at = np.arange(len(after))
    else:
        at = np.flatnonzero(before != after)
    skipped = np.diff(at, prepend=-1) - 1
    return np.stack([skipped, after[at]], 1).ravel().tolist()
