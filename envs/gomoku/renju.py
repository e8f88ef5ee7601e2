"""What renju forbids Black: longer lines, two fours at once, two threes at once.

All functions judge a black stone that has been put into the lines for the purpose. A three counts
only if the stone that makes four of it is legal, which is the same question one stone deeper.
Kernels do not call themselves, so there are four of them, each with the next inside; what the
deepest asks leaves threes out.
"""

from __future__ import annotations

from numba import njit

from stratagym.envs.bits import lowest, popcount
from stratagym.envs.gomoku.lines import (
    BLACK,
    DIRECTIONS,
    WHITE,
    bit_of,
    cell_at,
    extent,
    runs,
    stones_in,
    turn_stone,
    word_of,
)

LEGAL, FIVE, FORBIDDEN = range(3)
_AROUND = 0b111101111  # the cells within four of a stone, in one line
_PAD = 8  # zero bits below a padded line, so that all shifts are to the right


@njit(cache=True)
def _padded(rules, s, direction, row, column):
    """(black stones, empty cells, the cell's bit) of a line, ``_PAD`` bits further up."""
    word = word_of(rules, direction, row, column)
    first, end = extent(rules, direction, word)
    black = stones_in(s, BLACK, direction, word)
    empty = ((1 << end) - (1 << first)) & ~(black | stones_in(s, WHITE, direction, word))
    return black << _PAD, empty << _PAD, bit_of(direction, row, column) + _PAD


@njit(cache=True)
def _gain_cells(black, empty, bit):
    """Cells of a padded line that complete exactly five with the stone at ``bit``."""
    found = 0
    for start in range(bit - 4, bit + 1):
        missing = (31 << start) & ~black
        if (
            missing & (missing - 1) == 0
            and missing & empty
            and not black & (0b1000001 << start - 1)
        ):
            found |= missing
    return found


@njit(cache=True)
def _fours(black, empty, bit):
    """Fours that the stone at ``bit`` is in; a straight four, which two cells complete, is one."""
    cells = _gain_cells(black, empty, bit)
    if cells & (cells - 1) == 0:
        return int(cells != 0)
    straight = runs(black, 4, True)
    return 2 if cells & ~(straight >> 1 | straight << 4) else 1


@njit(cache=True)
def _straight_cells(black, empty, bit):
    """Cells of a padded line that make a straight four with the stone at ``bit``."""
    found = 0
    for start in range(bit - 3, bit + 1):
        missing = (15 << start) & ~black
        if (
            missing & (missing - 1) == 0
            and missing & empty
            and empty >> start - 1 & 0b100001 == 0b100001
            and not black & (0b10000001 << start - 2)
        ):
            found |= missing
    return found


@njit(cache=True)
def _verdict_without_threes(rules, s, row, column):
    fours, longer = 0, False
    for direction in range(DIRECTIONS):
        black, empty, bit = _padded(rules, s, direction, row, column)
        five = runs(black, 5, False)
        if five:
            if runs(black, 5, True):
                return FIVE
            longer = True
        fours += _fours(black, empty, bit)
    return FORBIDDEN if longer or fours >= 2 else LEGAL


def _one_stone_less_deep(deeper):
    @njit(cache=True)
    def verdict(rules, s, row, column):
        found = _verdict_without_threes(rules, s, row, column)
        if found != LEGAL:
            return found
        threes = 0
        for direction in range(DIRECTIONS):
            black, empty, bit = _padded(rules, s, direction, row, column)
            cells = _straight_cells(black, empty, bit)
            while cells:
                word = word_of(rules, direction, row, column)
                cell = cell_at(rules, direction, word, lowest(cells) - _PAD)
                there, along = cell // rules.columns, cell % rules.columns
                turn_stone(rules, s, BLACK, there, along)
                is_legal = deeper(rules, s, there, along) == LEGAL
                turn_stone(rules, s, BLACK, there, along)
                cells &= cells - 1
                if is_legal:
                    threes += 1
                    break
        return FORBIDDEN if threes >= 2 else LEGAL

    return verdict


_verdict_4 = _one_stone_less_deep(_verdict_without_threes)
_verdict_3 = _one_stone_less_deep(_verdict_4)
_verdict_2 = _one_stone_less_deep(_verdict_3)
verdict = _one_stone_less_deep(_verdict_2)
"""What a black stone at (row, column), already in the lines, is: ``LEGAL``, ``FIVE`` (which wins)
or ``FORBIDDEN``."""


@njit(cache=True)
def is_forbidden(rules, s, cell):
    """Whether Black may not place a stone on an empty cell.

    Most cells need no look: two lines with two black stones within four cells, or one line with
    four, are the least that is forbidden.
    """
    row, column = cell // rules.columns, cell % rules.columns
    lines = 0
    for direction in range(DIRECTIONS):
        black = stones_in(s, BLACK, direction, word_of(rules, direction, row, column))
        near = popcount(black << _PAD >> bit_of(direction, row, column) + _PAD - 4 & _AROUND)
        lines += 2 if near >= 4 else near >= 2
    if lines < 2:
        return False
    turn_stone(rules, s, BLACK, row, column)
    found = verdict(rules, s, row, column)
    turn_stone(rules, s, BLACK, row, column)
    return found == FORBIDDEN
