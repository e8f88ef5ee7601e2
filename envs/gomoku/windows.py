"""Windows: as many cells of a line as win, and what threatens to fill one.

A window counts for a colour while no enemy stone is in it and, where longer lines do not win, no
own stone next to it. With one cell left it is a four, with two a three (by the names of five in a
line, whatever ``connect`` is). All windows of a line are counted at once: bit ``b`` of a word is
the window that begins there.
"""

from __future__ import annotations

from numba import njit

from stratagym.envs.bits import lowest
from stratagym.envs.gomoku.lines import (
    DIRECTIONS,
    bit_of,
    cell_at,
    extent,
    has_line,
    stones_in,
    turn_stone,
    word_of,
    words_in,
)
from stratagym.envs.gomoku.rules import is_exact


@njit(cache=True)
def open_windows(rules, s, colour, direction, word):
    """Windows of a line that a colour can still fill."""
    first, end = extent(rules, direction, word)
    own = stones_in(s, colour, direction, word)
    found = ((1 << end) - (1 << first)) & ~stones_in(s, 1 - colour, direction, word)
    reach, length = 1, rules.connect
    while 2 * reach <= length:
        found &= found >> reach
        reach *= 2
    if reach < length:
        found &= found >> (length - reach)
    if is_exact(rules, colour):
        found &= ~(own << 1) & ~(own >> length)
    return found


@njit(cache=True)
def count_stones(rules, own):
    """The number of own stones in every window, as four words, the lowest bit's first."""
    ones, twos, fours, eights = 0, 0, 0, 0
    for k in range(rules.connect):
        more = own >> k
        carry = ones & more
        ones ^= more
        more = twos & carry
        twos ^= carry
        carry = fours & more
        fours ^= more
        eights ^= carry
    return ones, twos, fours, eights


@njit(cache=True)
def with_count(counts, n):
    """The windows that hold ``n`` stones."""
    ones, twos, fours, eights = counts
    found = ones if n & 1 else ~ones
    found &= twos if n & 2 else ~twos
    found &= fours if n & 4 else ~fours
    return found & (eights if n & 8 else ~eights)


@njit(cache=True)
def gain_bits(rules, s, colour, direction, word):
    """Bits of a line whose cells complete one for a colour."""
    own = stones_in(s, colour, direction, word)
    found = 0
    if own:
        windows = with_count(count_stones(rules, own), rules.connect - 1)
        windows &= open_windows(rules, s, colour, direction, word)
        cells = (1 << rules.connect) - 1
        while windows:
            found |= (cells << lowest(windows)) & ~own
            windows &= windows - 1
    return found


@njit(cache=True)
def gain_cells(rules, s, colour):
    """(a cell that completes a line of a colour, a second one); -1 where there is none."""
    one = -1
    for direction in range(DIRECTIONS):
        for word in range(words_in(rules, direction)):
            bits = gain_bits(rules, s, colour, direction, word)
            while bits:
                cell = cell_at(rules, direction, word, lowest(bits))
                if one < 0:
                    one = cell
                elif cell != one:
                    return one, cell
                bits &= bits - 1
    return one, -1


@njit(cache=True)
def gain_cells_through(rules, s, colour, cell):
    """The same for the four lines through a cell."""
    row, column = cell // rules.columns, cell % rules.columns
    one = -1
    for direction in range(DIRECTIONS):
        word = word_of(rules, direction, row, column)
        bits = gain_bits(rules, s, colour, direction, word)
        while bits:
            other = cell_at(rules, direction, word, lowest(bits))
            if one < 0:
                one = other
            elif other != one:
                return one, other
            bits &= bits - 1
    return one, -1


@njit(cache=True)
def most_stones_through(rules, s, colour, cell):
    """The most stones of a colour in a window, open to it, that holds an empty cell; -1: none."""
    row, column = cell // rules.columns, cell % rules.columns
    most = -1
    for direction in range(DIRECTIONS):
        word = word_of(rules, direction, row, column)
        counts = count_stones(rules, stones_in(s, colour, direction, word))
        windows = windows_through(rules, s, colour, direction, word, row, column)
        for n in range(rules.connect - 1, most, -1):
            if with_count(counts, n) & windows:
                most = n
                break
    return most


@njit(cache=True)
def windows_through(rules, s, colour, direction, word, row, column):
    """The open windows of a line that hold a cell."""
    bit = bit_of(direction, row, column)
    near = ((1 << rules.connect) - 1) << bit >> (rules.connect - 1)
    return open_windows(rules, s, colour, direction, word) & near


@njit(cache=True)
def makes_two_gains(rules, s, colour, cell):
    """Whether a stone on an empty cell gives two cells that complete a line: an open four or two.

    It cannot be answered by one stone.
    """
    if most_stones_through(rules, s, colour, cell) < rules.connect - 2:
        return False
    row, column = cell // rules.columns, cell % rules.columns
    turn_stone(rules, s, colour, row, column)
    _, second = gain_cells_through(rules, s, colour, cell)
    turn_stone(rules, s, colour, row, column)
    return second >= 0


@njit(cache=True)
def wins_at(rules, s, colour, cell):
    """Whether a stone of a colour on an empty cell wins."""
    row, column = cell // rules.columns, cell % rules.columns
    turn_stone(rules, s, colour, row, column)
    won = has_line(rules, s, colour, row, column, is_exact(rules, colour))
    turn_stone(rules, s, colour, row, column)
    return won
