"""Whether a position of an m,n,k game is won, lost or drawn, by exhaustive search of small boards.

Alpha-beta over cells as bits, with a table of positions. What has to be answered is answered, and
who has no line left that can be filled cannot win.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, ONE, bit, lowest, popcount
from stratagym.envs.core import mix64
from stratagym.envs.gomoku.rules import AT_LEAST, IN_TURN, RUNNING

LOST, DRAWN, WON = -1, 0, 1
MOST_CELLS = 64
_UNKNOWN = 2
_ENTRY = np.dtype([("own", "u8"), ("other", "u8"), ("low", "i1"), ("high", "i1")], align=True)


class Memory(NamedTuple):
    """What a search works with.

    Attributes:
        lines: (L,) uint64, the cells of every line that wins.
        order: (cells,) int64, cells in fewer lines first.
        table: (2**bits,) records: stones of who is to move and of the other, and the bounds of
            the value; no stones at all where nothing is kept.
        boards: (levels, 2) uint64, the stones of each position from the root on.
        numbers: (levels, 5) int64: alpha, beta, alpha at first, best value, moves left.
        moves: (levels, cells) int64, the best last.
        nodes: (1,) int64, positions looked at.
    """

    lines: np.ndarray
    order: np.ndarray
    table: np.ndarray
    boards: np.ndarray
    numbers: np.ndarray
    moves: np.ndarray
    nodes: np.ndarray


@njit(cache=True)
def _look(lines, connect, own, other):
    """What shows without a search, for who is to move with ``own`` stones.

    Returns:
        (the value or ``_UNKNOWN``, the cell that has to be taken or none, the lowest and the
        highest value there can be, cells that leave an own line one stone short, cells of the
        other's lines that are two short).
    """
    forced, making, stopping = EMPTY, EMPTY, EMPTY
    low, high = WON, LOST
    for k in range(len(lines)):
        line = lines[k]
        mine, theirs = line & own, line & other
        if theirs == EMPTY:
            high = WON
            missing = connect - popcount(mine)
            if missing == 1:
                return WON, EMPTY, LOST, WON, EMPTY, EMPTY
            if missing == 2:
                making |= line & ~own
        if mine == EMPTY:
            low = LOST
            missing = connect - popcount(theirs)
            if missing == 1:
                forced |= line & ~other
            elif missing == 2:
                stopping |= line & ~other
    if forced & (forced - ONE):
        return LOST, EMPTY, LOST, WON, EMPTY, EMPTY
    low = min(low, DRAWN)
    high = max(high, DRAWN)
    value = DRAWN if low == high else _UNKNOWN
    return value, forced, low, high, making, stopping


@njit(cache=True)
def _write_moves(order, own, other, forced, making, stopping, out):
    """Write the empty cells, those that make fours last; returns how many."""
    if forced:
        out[0] = lowest(forced)
        return 1
    n = 0
    for tier in range(3):
        for k in range(len(order)):
            cell = bit(order[k])
            if cell & (own | other):
                continue
            which = 2 if cell & making else 1 if cell & stopping else 0
            if which == tier:
                out[n] = order[k]
                n += 1
    return n


@njit(cache=True, nogil=True)
def value_of(memory, connect, own, other):
    """``WON``, ``DRAWN`` or ``LOST`` for who is to move, with ``own`` stones."""
    lines, order, table, boards, numbers, moves, nodes = memory
    mask = np.uint64(len(table) - 1)
    boards[0, 0], boards[0, 1] = own, other
    numbers[0, 0], numbers[0, 1] = LOST, WON
    level, opening = 0, True
    while True:
        mine, theirs = boards[level, 0], boards[level, 1]
        value = _UNKNOWN
        if opening:
            opening = False
            nodes[0] += 1
            value, forced, low, high, making, stopping = _look(lines, connect, mine, theirs)
            if value == _UNKNOWN:
                entry = table[mix64(mine ^ mix64(theirs)) & mask]
                if entry.own == mine and entry.other == theirs and mine | theirs:
                    low, high = max(low, entry.low), min(high, entry.high)
                numbers[level, 2] = numbers[level, 0]
                if low == high or low >= numbers[level, 1]:
                    value = np.int64(low)
                elif high <= numbers[level, 0]:
                    value = np.int64(high)
                else:
                    numbers[level, 0] = max(numbers[level, 0], low)
                    numbers[level, 1] = min(numbers[level, 1], high)
                    numbers[level, 3] = low
                    numbers[level, 4] = _write_moves(
                        order, mine, theirs, forced, making, stopping, moves[level]
                    )
        elif numbers[level, 3] >= numbers[level, 1] or numbers[level, 4] == 0:
            value = numbers[level, 3]
            entry = table[mix64(mine ^ mix64(theirs)) & mask]
            if entry.own != mine or entry.other != theirs:
                entry.own, entry.other = mine, theirs
                entry.low, entry.high = LOST, WON
            if value > numbers[level, 2]:
                entry.low = max(entry.low, value)
            if value < numbers[level, 1]:
                entry.high = min(entry.high, value)
        if value == _UNKNOWN:
            numbers[level, 4] -= 1
            cell = bit(moves[level, numbers[level, 4]])
            boards[level + 1, 0], boards[level + 1, 1] = theirs, mine | cell
            numbers[level + 1, 0] = -numbers[level, 1]
            numbers[level + 1, 1] = -max(numbers[level, 0], numbers[level, 3])
            level += 1
            opening = True
            continue
        if level == 0:
            return value
        level -= 1
        numbers[level, 3] = max(numbers[level, 3], -value)


class Solver:
    """Values of positions on one board.

    Args:
        rules: the game's ``Rules``; longer lines have to win, and there are 64 cells at most.
        table_bits: the table has ``2**table_bits`` entries of 24 bytes; what one search found
            serves the next ones.

    Raises:
        ValueError: other rules, in one line.
    """

    def __init__(self, rules: Any, table_bits: int = 20):
        cells = rules.rows * rules.columns
        if rules.line != AT_LEAST or cells > MOST_CELLS:
            raise ValueError(
                f"gomoku: only line='at_least' and boards of up to {MOST_CELLS} cells are solved"
            )
        self.rules = rules
        lines = winning_lines(rules)
        through = [sum(line >> cell & 1 for line in lines) for cell in range(cells)]
        order = sorted(range(cells), key=lambda cell: through[cell])
        self.memory = Memory(
            np.array(lines, np.uint64),
            np.array(order, np.int64),
            np.zeros(1 << table_bits, _ENTRY),
            np.zeros((cells + 2, 2), np.uint64),
            np.zeros((cells + 2, 5), np.int64),
            np.zeros((cells + 2, cells), np.int64),
            np.zeros(1, np.int64),
        )

    def values(self, states: np.ndarray) -> np.ndarray:
        """(N,) int8: ``WON``, ``DRAWN`` or ``LOST`` for the seat to move in states (N,).

        Raises:
            ValueError: a game is over, or its seats have no colours yet.
        """
        found = np.zeros(len(states), np.int8)
        for i, s in enumerate(states):
            if s["ended"] != RUNNING or s["phase"] != IN_TURN:
                raise ValueError("gomoku: positions with a stone to place are needed")
            stones = [
                sum(
                    int(s["lines"][colour, 0, row]) << row * self.rules.columns
                    for row in range(self.rules.rows)
                )
                for colour in range(2)
            ]
            mover = int(s["stones"]) & 1
            own, other = np.uint64(stones[mover]), np.uint64(stones[1 - mover])
            found[i] = value_of(self.memory, self.rules.connect, own, other)
        return found


def winning_lines(rules: Any) -> list[int]:
    """Bits of the cells of every line that wins."""
    found = []
    for row in range(rules.rows):
        for column in range(rules.columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
                last = row + down * (rules.connect - 1), column + right * (rules.connect - 1)
                if 0 <= last[0] < rules.rows and last[1] < rules.columns:
                    cells = [
                        (row + k * down) * rules.columns + column + k * right
                        for k in range(rules.connect)
                    ]
                    found.append(sum(1 << cell for cell in cells))
    return found
