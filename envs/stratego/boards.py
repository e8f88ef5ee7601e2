"""The pieces and boards of Stratego: numbers, names and tables, no rules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SPY, SCOUT, MINER, SERGEANT, LIEUTENANT, CAPTAIN, MAJOR = 1, 2, 3, 4, 5, 6, 7
COLONEL, GENERAL, MARSHAL, FLAG, BOMB = 8, 9, 10, 11, 12
"""Kinds of pieces; of those that move the higher beats the lower. 0 is no piece."""
KINDS = 12
NAMES = (
    "", "spy", "scout", "miner", "sergeant", "lieutenant", "captain", "major", "colonel", "general",
    "marshal", "flag", "bomb",
)  # fmt: skip
LETTERS = (".", "S", "2", "3", "4", "5", "6", "7", "8", "9", "10", "F", "B")
"""Kinds as prompts and setups write them."""
SEATS = ("Red", "Blue")
MOST_CELLS, MOST_PIECES, MOST_HOME = 100, 40, 40
"""The largest numbers of any board: cells, a seat's pieces, a seat's home cells."""


class BoardFacts(NamedTuple):
    """A board and who stands on it.

    Attributes:
        rows, columns: of the board; cell = columns * row + column. home_rows: a seat sets up in.
        lakes: cells that nobody enters. pieces: of kinds 1 to 12, a seat's. max_moves: of both.
        humans: the row of ``setups.HUMAN_COUNTS``; -1 if nobody has counted such setups.
    """

    rows: int
    columns: int
    home_rows: int
    lakes: tuple[int, ...]
    pieces: tuple[int, ...]
    max_moves: int
    humans: int = -1


_LAKES = (42, 43, 46, 47, 52, 53, 56, 57)
_BARRAGE = (1, 2, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1)
BOARDS = {
    "classic": BoardFacts(10, 10, 4, _LAKES, (1, 8, 5, 4, 4, 4, 3, 2, 1, 1, 1, 6), 2000, 0),
    "barrage": BoardFacts(10, 10, 4, _LAKES, _BARRAGE, 1000, 1),
    "barrage8": BoardFacts(8, 8, 3, (26, 29, 34, 37), _BARRAGE, 1000),
    "six": BoardFacts(6, 6, 1, (), (0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0), 200),
    "five": BoardFacts(5, 5, 1, (), (0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0), 60),
}


def packed(pieces: tuple[int, ...]) -> int:
    """Numbers of kinds 1 to 12, four bits each, those of kind k from bit 4 k on."""
    return sum(count << 4 * kind for kind, count in enumerate(pieces, 1))


def _column_sets() -> np.ndarray:
    sets = np.zeros((11, 2), np.uint64)
    for columns in range(1, 11):
        whole = sum(1 << columns * row for row in range(10))
        sets[columns] = whole & 2**64 - 1, whole >> 64
    return sets


FIRST_COLUMN = _column_sets()
"""By the number of columns: the set of column 0's cells, of ten rows, as two words."""
