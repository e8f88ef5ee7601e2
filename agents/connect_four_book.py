"""The opening book of connect four: values of positions with few stones, by the suite's solver.

    python -m stratagym.agents.connect_four_book [PLIES] [FILE]

solves all positions of ``PLIES`` stones that are not in the file yet and adds them to it, and then
those of fewer stones, whose values follow. It saves its work as it goes, so a run that was stopped
goes on where it was; default file: the one that is shipped.

    python -m stratagym.agents.connect_four_book lines [PLIES] [FILE]

solves only what a perfect player can meet, which is quick: the start, one best move, all replies to
it, one best move to each, and so on up to ``PLIES`` stones, and the same for the second seat.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.agents.connect_four_solver import (
    best_moves,
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


@njit(cache=True)
def _back_up(keys, plies, known, values, out):
    """Values of positions from those of the positions after each move, ``UNKNOWN`` if one lacks."""
    for i in range(keys.shape[0]):
        mover, taken = position_of(keys[i])
        out[i] = best = UNKNOWN
        for column in range(COLUMNS):
            move = landing(taken, column)
            if has_four(mover | move):
                best = (43 - plies) >> 1
                break
            if move:
                key = key_of(mover ^ taken, taken | move)
                at = np.searchsorted(known, key)
                if at == known.shape[0] or known[at] != key:
                    best = UNKNOWN
                    break
                best = max(best, -values[at])
        out[i] = best


def completed(book: Book, plies: int) -> Book:
    """The book with all positions of fewer than ``plies`` stones whose value follows from it."""
    for fewer in range(plies - 1, -1, -1):
        keys = positions(fewer)
        keys = keys[book.find(keys) == UNKNOWN]
        values = np.empty(len(keys), np.int8)
        _back_up(keys, fewer, book.keys, book.values, values)
        book = book.joined(keys, values)
    return book


@njit(cache=True, nogil=True)
def _solve(keys, plies, table, stack, nodes, values):
    for i in range(keys.shape[0]):
        mover, taken = position_of(keys[i])
        values[i] = value_of(mover, taken, plies, table, stack, nodes)


def make(plies: int, path: Path, threads: int, table_bits: int = 27) -> None:
    """Solve all positions of ``plies`` stones that the file does not hold; add them to it.

    The threads share one table, of 2**table_bits entries of 8 bytes; an entry is one machine
    word, so that they need no lock.
    """
    book = load(path)
    keys = positions(plies)
    keys = keys[book.find(keys) == UNKNOWN]
    table = new_table(table_bits)
    print(f"{len(keys)} positions of {plies} stones to solve", flush=True)

    def solve(chunk: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.empty(len(chunk), np.int8)
        _solve(chunk, plies, table, new_stack(), np.zeros(1, np.int64), values)
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
    save(completed(book, plies), path)


@njit(cache=True, nogil=True)
def _solve_line(keys, plies, known, known_values, table, stack, nodes, values, replies):
    """Values of positions, and the keys after their first best move and every reply to it."""
    marks = np.empty(COLUMNS, np.bool_)
    written = 0
    for i in range(keys.shape[0]):
        mover, taken = position_of(keys[i])
        values[i] = best_moves(mover, taken, plies, known, known_values, table, stack, nodes, marks)
        for k in range(COLUMNS):
            column = 3 + ((k + 1) >> 1) * (1 - 2 * (k & 1))
            move = landing(taken, column)
            if marks[column]:
                mover_after, taken_after = mover ^ taken, taken | move
                if not has_four(mover | move):
                    replies[written] = key_of(mover_after, taken_after)
                    written += 1
                    for reply in range(COLUMNS):
                        answer = landing(taken_after, reply)
                        if answer and not has_four(mover_after | answer):
                            replies[written] = key_of(mover | move, taken_after | answer)
                            written += 1
                break
    return written


def make_lines(plies: int, path: Path, threads: int, table_bits: int = 27) -> None:
    """Add to a file what a perfect player can meet up to ``plies`` stones, in either seat."""
    book, table = load(path), new_table(table_bits)

    def solve(stones: int, chunk: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.empty(len(chunk), np.int8)
        after = np.empty(len(chunk) * (1 + COLUMNS), np.int64)
        n = _solve_line(
            chunk, stones, book.keys, book.values, table, new_stack(), np.zeros(1, np.int64),
            values, after,
        )  # fmt: skip
        return values, after[:n]

    for seat in range(2):
        keys = positions(seat)
        for stones in range(seat, plies + 1, 2):
            started = time.time()
            with ThreadPoolExecutor(threads) as pool:
                solved = list(pool.map(partial(solve, stones), np.array_split(keys, len(keys))))
            # The first position after each is the one after the best move: the opposite value.
            moved = [(after[0], -values[0]) for values, after in solved if len(after)]
            book = book.joined(keys, np.concatenate([values for values, _ in solved]))
            book = book.joined(
                np.array([key for key, _ in moved], np.int64),
                np.array([value for _, value in moved], np.int8),
            )
            save(book, path)
            spent = time.time() - started
            print(
                f"seat {seat}: {len(keys)} positions of {stones} stones, {spent:.0f} s", flush=True
            )
            keys = np.unique(np.concatenate([after[1:] for _, after in solved]))


if __name__ == "__main__":
    arguments = sys.argv[1:]
    FILE.parent.mkdir(exist_ok=True)
    work = make
    if arguments[:1] == ["lines"]:
        work = make_lines
        del arguments[0]
    work(
        int(arguments[0]) if arguments else PLIES,
        Path(arguments[1]) if len(arguments) > 1 else FILE,
        threads=os.cpu_count() or 1,
    )
