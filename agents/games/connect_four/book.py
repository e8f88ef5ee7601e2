"""The opening book of connect four: values of all positions of few stones, by the suite's solver.

    python -m stratagym.agents.games.connect_four.book [PLIES] [FILE]

solves all positions of ``PLIES`` stones that are not in the file yet, and works out those of fewer
stones from them. It saves its work as it goes, so a run that was stopped goes on where it was;
default: the book that is shipped.
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

from stratagym.agents.games.connect_four.solver import UNKNOWN, key_of, new_memory, value_of
from stratagym.envs.connect_four.rules import COLUMNS, HEIGHT, has_four, landing

FILE = Path(__file__).parents[2] / "data" / "connect_four_book.npz"
PLIES = 8


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
        """With more positions."""
        keys, first = np.unique(np.concatenate([self.keys, keys]), return_index=True)
        return Book(keys, np.concatenate([self.values, values])[first])


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


@njit(cache=True)
def _back_up(keys, plies, known, values, out):
    """Values of positions of ``plies`` stones from those of all positions of one stone more."""
    for i in range(keys.shape[0]):
        mover, taken = position_of(keys[i])
        out[i] = UNKNOWN
        for column in range(COLUMNS):
            move = landing(taken, column)
            if has_four(mover | move):
                out[i] = (43 - plies) >> 1
            elif move:
                value = values[np.searchsorted(known, key_of(mover ^ taken, taken | move))]
                out[i] = max(out[i], -value)


@njit(cache=True, nogil=True)
def _solve(keys, plies, memory, values):
    for i in range(keys.shape[0]):
        mover, taken = position_of(keys[i])
        values[i] = value_of(mover, taken, plies, memory)


def make(plies: int, path: Path, threads: int, table_bits: int = 27) -> None:
    """Solve all positions of ``plies`` stones that the file does not hold; add them to it.

    At the end the file holds those and all positions of fewer stones, and no others. The threads
    share one table of ``2**table_bits`` entries of 8 bytes.
    """
    book = load(path)
    keys = positions(plies)
    keys = keys[book.find(keys) == UNKNOWN]
    shared = new_memory(table_bits)
    print(f"{len(keys)} positions of {plies} stones to solve", flush=True)

    def solve(chunk: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.empty(len(chunk), np.int8)
        _solve(chunk, plies, new_memory(far=shared.far), values)
        return chunk, values

    started = saved = time.time()
    done = 0
    with ThreadPoolExecutor(threads) as pool:
        chunks = np.array_split(keys, len(keys) // 8 + 1)
        for future in as_completed([pool.submit(solve, chunk) for chunk in chunks]):
            chunk, values = future.result()
            book = book.joined(chunk, values)
            done += len(chunk)
            if time.time() > saved + 60:
                saved = time.time()
                save(book, path)
                left = (len(keys) - done) / done * (saved - started) / 60
                print(f"{done} of {len(keys)}, about {left:.0f} min left", flush=True)
    keys = positions(plies)
    whole = last = Book(keys, book.find(keys))
    for fewer in range(plies - 1, -1, -1):
        keys = positions(fewer)
        values = np.empty(len(keys), np.int8)
        _back_up(keys, fewer, last.keys, last.values, values)
        last = Book(keys, values)
        whole = whole.joined(keys, values)
    save(whole, path)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    FILE.parent.mkdir(exist_ok=True)
    make(
        int(arguments[0]) if arguments else PLIES,
        Path(arguments[1]) if len(arguments) > 1 else FILE,
        threads=os.cpu_count() or 1,
    )
