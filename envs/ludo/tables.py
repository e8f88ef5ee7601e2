"""Where the squares of a Ludo board lie: on a grid of 15 by 15."""

from __future__ import annotations

BOARD = 15

# Squares by position number (rules.position): 0-51 the track, 52-75 the home paths.
#
#        0  1  2  3  4  5  6  7  8  9 10 11 12 13 14
#    0   .  .  .  .  .  . 10 11 12  .  .  .  .  .  .
#    1   .  .  .  .  .  .  9 58 13  .  .  .  .  .  .      colour 0: top left yard
#    2   .  .  .  .  .  .  8 59 14  .  .  .  .  .  .      colour 1: top right
#    3   .  .  .  .  .  .  7 60 15  .  .  .  .  .  .      colour 2: bottom right
#    4   .  .  .  .  .  .  6 61 16  .  .  .  .  .  .      colour 3: bottom left
#    5   .  .  .  .  .  .  5 62 17  .  .  .  .  .  .
#    6  51  0  1  2  3  4  . 63  . 18 19 20 21 22 23
#    7  50 52 53 54 55 56 57  . 69 68 67 66 65 64 24
#    8  49 48 47 46 45 44  . 75  . 30 29 28 27 26 25
#    9   .  .  .  .  .  . 43 74 31  .  .  .  .  .  .
#   10   .  .  .  .  .  . 42 73 32  .  .  .  .  .  .
#   11   .  .  .  .  .  . 41 72 33  .  .  .  .  .  .
#   12   .  .  .  .  .  . 40 71 34  .  .  .  .  .  .
#   13   .  .  .  .  .  . 39 70 35  .  .  .  .  .  .
#   14   .  .  .  .  .  . 38 37 36  .  .  .  .  .  .
#
# A piece goes once more past the middle of the arm's end than on many boards: its last square is
# the one before its start (51 steps), and from there it enters home cell 1 (53 steps). Cells 1-5
# lead inwards along the arm's middle; cell 6 is the triangle of its colour in the centre.


def turn(x: float, y: float, quarters: int, extent: float = BOARD) -> tuple[float, float]:
    """A point turned clockwise by quarters about the centre of a board ``extent`` units wide."""
    for _ in range(quarters % 4):
        x, y = extent - y, x
    return x, y


_QUARTER = [(1, 6), (2, 6), (3, 6), (4, 6), (5, 6)]
_QUARTER += [(6, 5), (6, 4), (6, 3), (6, 2), (6, 1), (6, 0), (7, 0), (8, 0)]
_HOME = [(1, 7), (2, 7), (3, 7), (4, 7), (5, 7), (6, 7)]
SQUARES = [turn(*square, colour, BOARD - 1) for colour in range(4) for square in _QUARTER]
SQUARES += [turn(*square, colour, BOARD - 1) for colour in range(4) for square in _HOME]
"""(column, row) by position number: 0-51 the track, 52-75 the home paths."""
