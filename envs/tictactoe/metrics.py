"""What players did with their chances in recorded games of tic-tac-toe."""

from __future__ import annotations

from numba import njit

from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.tictactoe.rules import FULL, LINES

COUNTS = ("decisions", "wins_offered", "wins_taken", "blocks_needed", "blocks_made")
"""What ``game_counts`` counts: decisions; those with a winning move, and where it was played;
those without one but with an opposing threat to meet, and where one was met."""


@njit(cache=True)
def winning_squares(marks, empty):
    """Mask of the empty squares that complete a line of ``marks``."""
    found = 0
    for line in LINES:
        missing = line & ~marks
        if missing & (missing - 1) == 0:
            found |= missing & empty
    return found


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    own, other = (s.crosses, s.noughts) if seat == 0 else (s.noughts, s.crosses)
    empty = FULL ^ (own | other)
    wins, blocks = winning_squares(own, empty), winning_squares(other, empty)
    counts[seat, 0] += 1
    if wins:
        counts[seat, 1] += 1
        counts[seat, 2] += wins >> action & 1
    elif blocks:
        counts[seat, 3] += 1
        counts[seat, 4] += blocks >> action & 1
