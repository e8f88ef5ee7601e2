"""The opening book of connect four: values of positions with few stones, by the suite's solver.

    python -m stratagym.agents.connect_four_book [PLIES] [FILE]

solves all positions of up to ``PLIES`` stones that are not in the file yet and adds them to it. It
saves its work as it goes, so a run that was stopped goes on where it was; default file: the one
that is shipped.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.agents.connect_four_solver import (
    key_of,
    new_stack,
    new_table,
    value_of,
)
from stratagym.envs.connect_four.rules import COLUMNS, HEIGHT, has_four, landing

FILE = Path(__file__).parent / "data" / "connect_four_book.npz"
PLIES = 8
UNKNOWN = -128


class Book(NamedTuple):
    """Known positions, in which nobody has won, by ``connect_four_solver.key_of``.

    Attributes:
        keys: (N,) int64, ascending; of a position and its mirror image one stands for both.
        values: (N,) int8, for the seat to move.
    """

    keys: np.ndarray
    values: np.ndarray

    def find(self, keys: np.ndarray) -> np.ndarray:
        """Values of some positions, ``UNKNOWN`` for those that are not in the book."""
        if not len(self.keys):
            return np.full(len(keys), UNKNOWN, np.int8)
        at = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.values[at], UNKNOWN).astype(np.int8)

    def joined(self, keys: np.ndarray, values: np.ndarray) -> Book:
        """With more positions, of which the ``UNKNOWN`` are left out."""
        known = values != UNKNOWN
        keys, first = np.unique(np.concatenate([self.keys, keys[known]]), return_index=True)
        return Book(keys, np.concatenate([self.values, values[known]])[first])


def load(path: Path = FILE) -> Book:
    """The book in a file; an empty one if there is no file."""
    if not path.exists():
        return Book(np.zeros(0, np.int64), np.zeros(0, np.int8))
    with np.load(path) as file:
        return Book(np.cumsum(file["steps"]), file["values"])


def save(book: Book, path: Path) -> None:
    """Write a book: the differences of its keys, and its values."""
    part = path.with_name(path.name + ".part.npz")
    np.savez_compressed(part, steps=np.diff(book.keys, prepend=0), values=book.values)
    part.replace(path)


@njit(cache=True)
def position_of(key):
    """(mover, taken) of the position with this key."""
    taken = 0
    for column in range(COLUMNS):
        # A column's seven bits are those of the stones plus those of the mover: with h stones,
        # a number from 2**h - 1 to 2**(h+1) - 2.
        field = ((key >> HEIGHT * column) & 127) + 1
        height = 0
        while field > 1:
            field >>= 1
            height += 1
        taken |= ((1 << height) - 1) << HEIGHT * column
    return key - taken, taken


@njit(cache=True)
def _children(keys, out):
    """Write the keys after every move that does not end the game; returns how many."""
    n = 0
    for i in range(keys.shape[0]):
        mover, taken = position_of(keys[i])
        for column in range(COLUMNS):
            move = landing(taken, column)
            if move and not has_four(mover | move):
                out[n] = key_of(mover ^ taken, taken | move)
                n += 1
    return n


def positions(plies: int) -> np.ndarray:
    """Keys (int64, ascending) of all positions of ``plies`` stones in which nobody has won."""
    keys = np.zeros(1, np.int64)
    for _ in range(plies):
        out = np.empty(COLUMNS * len(keys), np.int64)
        keys = np.unique(out[: _children(keys, out)])
    return keys


@njit(cache=True, nogil=True)
def _solve(keys, plies, table, stack, nodes, values):
    for i in range(keys.shape[0]):
        mover, taken = position_of(keys[i])
        values[i] = value_of(mover, taken, plies, table, stack, nodes)


def make(plies: int, path: Path, threads: int, table_bits: int = 26) -> None:
    """Solve all positions of up to ``plies`` stones that the file does not hold; add them to it.

    Few stones first, so that the file soon is of use. The threads share one table, of
    2**table_bits entries of 8 bytes, over the whole run; an entry is one machine word, so that
    they need no lock.
    """
    table = new_table(table_bits)

    def solve(chunk: np.ndarray, stones: int) -> tuple[np.ndarray, np.ndarray]:
        values = np.empty(len(chunk), np.int8)
        _solve(chunk, stones, table, new_stack(), np.zeros(1, np.int64), values)
        return chunk, values

    book = load(path)
    for stones in range(plies + 1):
        keys = positions(stones)
        keys = keys[book.find(keys) == UNKNOWN]
        started = saved = time.time()
        done = 0
        with ThreadPoolExecutor(threads) as pool:
            chunks = np.array_split(keys, max(1, len(keys) if stones < 5 else len(keys) // 8))
            for future in as_completed([pool.submit(solve, chunk, stones) for chunk in chunks]):
                chunk, values = future.result()
                book = book.joined(chunk, values)
                done += len(chunk)
                if time.time() > saved + 30 or done == len(keys):
                    saved = time.time()
                    save(book, path)
                    left = (len(keys) - done) / max(done, 1) * (saved - started) / 60
                    print(
                        f"{stones} stones: {done} of {len(keys)}, about {left:.0f} min left",
                        flush=True,
                    )


if __name__ == "__main__":
    arguments = sys.argv[1:]
    FILE.parent.mkdir(exist_ok=True)
    make(
        int(arguments[0]) if arguments else PLIES,
        Path(arguments[1]) if len(arguments) > 1 else FILE,
        threads=os.cpu_count() or 1,
    )
