"""The opening book of connect four: the value of every position with few stones.

    python -m stratagym.agents.connect_four_book [PLIES] [FILE]     makes it, default the shipped one

The file holds one byte for each position of ``PLIES`` stones, in the order of ``positions``; the
positions themselves are not stored, and those with fewer stones are worked out from it.
A run that is stopped goes on where it was.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numba import njit

from stratagym.agents.connect_four_solver import (
    key_of,
    new_stack,
    new_table,
    value_of,
    wins_at_once,
)
from stratagym.envs.connect_four.rules import BOARD, BOTTOM, COLUMNS, HEIGHT, has_four, landing

PLIES = 8
FILE = Path(__file__).parent / "data" / "connect_four_book.npz"
UNKNOWN = -128


@njit(cache=True)
def position_of(key):
    """(mover, taken): a position by its key (``connect_four_solver.key_of``)."""
    taken = 0
    for column in range(COLUMNS):
        stones = ((key >> HEIGHT * column) & 127) + 1
        while stones > 1:
            taken += (taken >> HEIGHT * column & 127) + 1 << HEIGHT * column
            stones >>= 1
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
    """Keys (int64, ascending) of all positions of ``plies`` stones in which nobody has won.

    Of a position and its mirror image only one is there.
    """
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


def make(plies: int, path: Path, threads: int, bits: int = 26) -> None:
    """Solve all positions of ``plies`` stones and write the book; the table takes 2**(bits+3) B."""
    keys = positions(plies)
    values = np.full(len(keys), UNKNOWN, np.int8)
    part = path.with_suffix(".part.npy")
    if part.exists():
        values = np.load(part)
    table = new_table(bits)
    todo = np.array_split(np.flatnonzero(values == UNKNOWN), max(1, len(keys) // 16))
    started, saved, done = time.time(), time.time(), 0

    def solve(chunk: np.ndarray) -> int:
        found = np.zeros(len(chunk), np.int8)
        nodes = np.zeros(1, np.int64)
        _solve(keys[chunk], plies, table, new_stack(), nodes, found)
        values[chunk] = found
        return len(chunk)

    with ThreadPoolExecutor(threads) as pool:
        total = sum(map(len, todo))
        for n in pool.map(solve, todo):
            done += n
            if time.time() > saved + 20 or done == total:
                saved = time.time()
                np.save(part, values)
                rate = done / (saved - started)
                print(f"{done} of {total}, {(total - done) / rate / 60:.0f} min left", flush=True)
    np.savez_compressed(path, plies=np.int64(plies), values=values)
    part.unlink()


if __name__ == "__main__":
    arguments = sys.argv[1:]
    FILE.parent.mkdir(exist_ok=True)
    make(
        int(arguments[0]) if arguments else PLIES,
        Path(arguments[1]) if len(arguments) > 1 else FILE,
        threads=os.cpu_count() or 1,
    )
