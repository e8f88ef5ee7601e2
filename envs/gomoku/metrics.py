"""What players did with their chances in recorded games of gomoku."""

from __future__ import annotations

from numba import njit

from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.gomoku.lines import turn_stone
from stratagym.envs.gomoku.rules import IN_TURN, legal_actions
from stratagym.envs.gomoku.windows import gain_cells, gain_cells_through, makes_two_gains, wins_at

COUNTS = (
    "decisions",
    "wins_offered",
    "wins_taken",
    "wins_chance",
    "blocks_needed",
    "blocks_made",
    "blocks_chance",
    "threes_to_answer",
    "threes_answered",
    "threes_chance",
)
"""What ``game_counts`` counts, of decisions that place a stone when both seats have their colours.

wins: decisions with a winning cell, and where one was taken. blocks: those without one where the
opponent could win with its next stone, and where such a cell was taken. threes: those of neither
kind where the opponent's next stone could make two winning cells at once, and where the stone
played leaves it none such, or was a four itself. ``chance``: what a uniformly random legal stone
would have scored, in thousandths of a decision.
"""


@njit(cache=True)
def _leaves_none(rules, s, colour, action, cells, n):
    """Whether a stone is a four, or leaves the opponent no cell of ``cells[:n]`` that makes two."""
    row, column = action // rules.columns, action % rules.columns
    turn_stone(rules, s, colour, row, column)
    answered = gain_cells_through(rules, s, colour, action)[0] >= 0
    if not answered:
        answered = True
        for k in range(n):
            if cells[k] != action and makes_two_gains(rules, s, 1 - colour, cells[k]):
                answered = False
                break
    turn_stone(rules, s, colour, row, column)
    return answered


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    if s.phase != IN_TURN:
        return
    colour = s.stones & 1
    n = legal_actions(rules, s, legal)
    own = counts[seat]
    own[0] += 1
    for column, side in ((1, colour), (4, 1 - colour)):
        if gain_cells(rules, s, side)[0] >= 0:
            good = 0
            for k in range(n):
                good += wins_at(rules, s, side, legal[k])
            if good or side != colour:
                own[column] += 1
                own[column + 1] += wins_at(rules, s, side, action)
                own[column + 2] += 1000 * good // n
                return
    threes = 0  # put in front: a stone of the mover's makes none more of them
    for k in range(n):
        cell = legal[k]
        if makes_two_gains(rules, s, 1 - colour, cell):
            legal[k] = legal[threes]
            legal[threes] = cell
            threes += 1
    if threes:
        answers = 0
        for k in range(n):
            answers += _leaves_none(rules, s, colour, legal[k], legal, threes)
        own[7] += 1
        own[8] += _leaves_none(rules, s, colour, action, legal, threes)
        own[9] += 1000 * answers // n
