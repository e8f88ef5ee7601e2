"""The lines of a board of any size, as words of bits.

Every row, column and diagonal of either direction is one word for each colour. A cell stands in
four of them, one for each direction:

| Direction | Word | Bit |
| --- | --- | --- |
| 0, row | row | column |
| 1, column | column | row |
| 2, diagonal up to the right | row + column | column |
| 3, diagonal down to the right | row - column + columns - 1 | column |
"""

from __future__ import annotations

import numpy as np
from numba import njit

BLACK, WHITE = 0, 1
DIRECTIONS, WORDS = 4, 37
"""A board of 19 x 19 has 37 diagonals a direction."""


@njit(cache=True)
def word_of(rules, direction, row, column):
    """Which word of a direction a cell is in."""
    if direction == 0:
        return row
    if direction == 1:
        return column
    if direction == 2:
        return row + column
    return row - column + rules.columns - 1


@njit(cache=True)
def bit_of(direction, row, column):
    """Which bit of its word a cell is."""
    return row if direction == 1 else column


@njit(cache=True)
def cell_at(rules, direction, word, bit):
    """The cell of a bit, ``row * columns + column``: the inverse of the two above."""
    if direction == 0:
        return word * rules.columns + bit
    if direction == 1:
        return bit * rules.columns + word
    if direction == 2:
        return (word - bit) * rules.columns + bit
    return (word + bit - rules.columns + 1) * rules.columns + bit


@njit(cache=True)
def words_in(rules, direction):
    """How many words a direction has."""
    if direction == 0:
        return rules.rows
    if direction == 1:
        return rules.columns
    return rules.rows + rules.columns - 1


@njit(cache=True)
def extent(rules, direction, word):
    """(first bit, one past the last) of a word that are on the board."""
    if direction == 0:
        return 0, rules.columns
    if direction == 1:
        return 0, rules.rows
    if direction == 2:
        return max(0, word - rules.rows + 1), min(rules.columns, word + 1)
    return max(0, rules.columns - 1 - word), min(
        rules.columns, rules.rows + rules.columns - 1 - word
    )


@njit(cache=True)
def stones_in(s, colour, direction, word):
    """A colour's stones in a line, int64."""
    return np.int64(s.lines[colour, direction, word])


@njit(cache=True)
def turn_stone(rules, s, colour, row, column):
    """Put a stone into its four lines, or take it out of them."""
    bit = 1 << column
    s.lines[colour, 0, row] ^= bit
    s.lines[colour, 1, column] ^= 1 << row
    s.lines[colour, 2, row + column] ^= bit
    s.lines[colour, 3, row - column + rules.columns - 1] ^= bit


@njit(cache=True)
def runs(line, length, exact):
    """First bits of the runs of at least ``length`` stones; if ``exact``, of no more."""
    found, reach = line, 1
    while 2 * reach <= length:
        found &= found >> reach
        reach *= 2
    if reach < length:
        found &= found >> (length - reach)
    if exact:
        found &= ~(line << 1) & ~(line >> length)
    return found


@njit(cache=True)
def has_line(rules, s, colour, row, column, exact):
    """Whether a line through a cell holds enough stones of a colour."""
    for direction in range(DIRECTIONS):
        line = stones_in(s, colour, direction, word_of(rules, direction, row, column))
        if runs(line, rules.connect, exact):
            return True
    return False
