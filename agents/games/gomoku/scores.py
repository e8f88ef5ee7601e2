"""How much cells and positions of gomoku are worth, by the stones in windows."""

from __future__ import annotations

from numba import njit

from stratagym.envs.bits import popcount
from stratagym.envs.gomoku.lines import DIRECTIONS, stones_in, word_of, words_in
from stratagym.envs.gomoku.windows import (
    count_stones,
    gain_cells,
    open_windows,
    windows_through,
    wins_at,
    with_count,
)

THEIRS = 0.9
"""What the opponent's windows count, beside the own ones."""


@njit(cache=True)
def cell_score(rules, s, colour, cell):
    """What a stone of a colour on an empty cell would build and hinder.

    Ten times as much for every stone more in a window that holds the cell.
    """
    row, column = cell // rules.columns, cell % rules.columns
    score = 0.0
    for side in range(2):
        part = 0
        for direction in range(DIRECTIONS):
            word = word_of(rules, direction, row, column)
            windows = windows_through(rules, s, side, direction, word, row, column)
            own = stones_in(s, side, direction, word)
            if own == 0 or windows == 0:
                part += popcount(windows)
                continue
            counts, worth = count_stones(rules, own), 1
            for n in range(rules.connect):
                part += worth * popcount(with_count(counts, n) & windows)
                worth *= 10
        score += part if side == colour else THEIRS * part
    return score


@njit(cache=True)
def window_sum(rules, s, colour):
    """(sum over the windows of a colour, 10 ** (stones - 1) each; windows that lack one stone)."""
    total, fours = 0, 0
    for direction in range(DIRECTIONS):
        for word in range(words_in(rules, direction)):
            own = stones_in(s, colour, direction, word)
            if own == 0:
                continue
            windows = open_windows(rules, s, colour, direction, word)
            if windows == 0:
                continue
            counts, worth = count_stones(rules, own), 1
            for n in range(1, rules.connect):
                found = popcount(with_count(counts, n) & windows)
                total += worth * found
                worth *= 10
            fours += found
    return total, fours


@njit(cache=True)
def position_value(rules, s, colour):
    """Between -0.99 and 0.99 for a colour, whose turn it is.

    0.99 with a winning cell, -0.98 where the opponent has two and the colour none; else the
    difference of the windows, squashed to 0.9.
    """
    own, fours = window_sum(rules, s, colour)
    if fours:
        return 0.99
    theirs, fours = window_sum(rules, s, 1 - colour)
    if fours > 1 and gain_cells(rules, s, 1 - colour)[1] >= 0:
        return -0.98
    difference = own - THEIRS * theirs
    return 0.9 * difference / (abs(difference) + 3.0 * 10.0 ** (rules.connect - 3))


@njit(cache=True)
def legal_win(rules, s, colour, legal, n):
    """A legal cell that wins for a colour, or -1."""
    one, _ = gain_cells(rules, s, colour)
    if one < 0:
        return -1
    for k in range(n):
        if legal[k] == one:
            return one
    for k in range(n):
        if wins_at(rules, s, colour, legal[k]):
            return legal[k]
    return -1


@njit(cache=True)
def write_scores(rules, states, i, cells, out):
    """``cell_score`` of ``cells`` for the seat to move in ``states[i]``."""
    for k in range(len(cells)):
        out[k] = cell_score(rules, states[i], states[i].stones & 1, cells[k])
