"""What players did with their chances in recorded games of gomoku."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.gomoku.fours import DEPTH, four_cells, may_place, put, search
from stratagym.envs.gomoku.lines import turn_stone
from stratagym.envs.gomoku.rules import IN_TURN, legal_actions
from stratagym.envs.gomoku.windows import gain_cells, gain_cells_through, makes_two_gains, wins_at

_POSITIONS, _TABLE = 2000, 1 << 10

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
    "fours_offered",
    "fours_begun",
    "fours_chance",
)
"""What ``game_counts`` counts, of decisions that place a stone when both seats have their colours.

wins: decisions with a winning cell, and where one was taken. blocks: those without one where the
opponent could win with its next stone, and where such a cell was taken. threes: those of neither
kind where the opponent's next stone could make two winning cells at once, and where the stone
played leaves it none such, or was a four itself. fours: those without a winning cell in which
continuous fours win, and where the stone played was one that begins such a win. ``chance``: what a
uniformly random legal stone would have scored, in thousandths of a decision.
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
def _wins_by_fours(rules, s, colour, cells, numbers, seen, line):
    seen[:] = 0
    counts, places, replies = numbers[0], numbers[1], numbers[2]
    return (
        search(rules, s, colour, DEPTH, _POSITIONS, cells, counts, places, replies, seen, line) > 0
    )


@njit(cache=True)
def _begins_fours(rules, s, colour, cell, cells, numbers, seen, line):
    """Whether a stone on an empty cell makes a four with which a victory by fours begins."""
    if not may_place(rules, s, colour, cell):
        return False
    put(rules, s, colour, cell)
    reply, second = gain_cells_through(rules, s, colour, cell)
    found = False
    if reply >= 0 and gain_cells(rules, s, 1 - colour)[0] < 0:
        found = second >= 0 or not may_place(rules, s, 1 - colour, reply)
        if not found:
            put(rules, s, 1 - colour, reply)
            found = _wins_by_fours(rules, s, colour, cells, numbers, seen, line)
            put(rules, s, 1 - colour, reply)
    put(rules, s, colour, cell)
    return found


@njit(cache=True)
def _count_fours(rules, s, colour, action, legal, own):
    """The three columns of fours; ``legal`` is scratch."""
    tried = four_cells(rules, s, colour, legal)
    if tried == 0:
        return
    # Rare enough to allocate what the search works in.
    cells = np.zeros((DEPTH + 1, rules.rows * rules.columns), np.int64)
    numbers = np.zeros((3, DEPTH + 1), np.int64)
    seen, line = np.zeros(_TABLE, np.uint64), np.zeros(2 * DEPTH + 3, np.int64)
    if not _wins_by_fours(rules, s, colour, cells, numbers, seen, line):
        return
    good, taken = 0, False
    for k in range(tried):
        if _begins_fours(rules, s, colour, legal[k], cells, numbers, seen, line):
            good += 1
            taken |= legal[k] == action
    own[10] += 1
    own[11] += taken
    own[12] += 1000 * good // legal_actions(rules, s, legal)


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    if s.phase != IN_TURN:
        return
    colour = s.stones & 1
    n = legal_actions(rules, s, legal)
    own = counts[seat]
    own[0] += 1
    if gain_cells(rules, s, colour)[0] < 0:
        _count_fours(rules, s, colour, action, legal, own)
        n = legal_actions(rules, s, legal)
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


def rates(counts: np.ndarray) -> dict[str, float]:
    """Shares of ``COUNTS`` summed over games; nan where nothing was counted.

    Of the decisions of their kind: wins_taken, blocks_made, threes_answered, fours_begun. The same
    of a player that chooses uniformly in these decisions: wins_chance and so on.

    Args:
        counts: (13,) numbers.
    """
    of = dict(zip(COUNTS, np.asarray(counts, float).tolist(), strict=True))
    found = {}
    for kind, whole, part in (
        ("wins", "wins_offered", "wins_taken"),
        ("blocks", "blocks_needed", "blocks_made"),
        ("threes", "threes_to_answer", "threes_answered"),
        ("fours", "fours_offered", "fours_begun"),
    ):
        decisions = of[whole] or float("nan")
        found[part] = of[part] / decisions
        found[f"{kind}_chance"] = of[f"{kind}_chance"] / 1000 / decisions
    return found
