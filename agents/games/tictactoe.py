"""What the agents know of tic-tac-toe: an evaluator, a rule-based player and a solution.

The rule-based player follows Newell and Simon (1972) without the forks: win, block, the centre,
a corner, a side.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.boards import board_symmetries
from stratagym.agents.ladders import Ladder
from stratagym.agents.perfect import ILLEGAL
from stratagym.envs.tictactoe.metrics import winning_squares
from stratagym.envs.tictactoe.rules import (
    FULL,
    LINES,
    NO_WINNER,
    SQUARES,
    current_player,
    has_line,
    returns,
)

CENTRE, CORNERS = 0b000_010_000, 0b101_000_101


@njit(cache=True)
def evaluate(rules, s, out):
    """A tenth for every line still open to a player, minus the opponent's; exact at the end."""
    if current_player(rules, s) < 0:
        returns(rules, s, out)
        return
    balance = 0
    for line in LINES:
        balance += (line & s.noughts == 0) - (line & s.crosses == 0)
    out[0] = 0.1 * balance
    out[1] = -out[0]


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """The first of: a winning square, a blocking one, the centre, a corner, any."""
    own, other = (s.crosses, s.noughts) if s.player == 0 else (s.noughts, s.crosses)
    empty = FULL ^ (own | other)
    for wanted in (
        winning_squares(own, empty),
        winning_squares(other, empty),
        CENTRE,
        CORNERS,
    ):
        for k in range(n):
            if wanted >> legal[k] & 1:
                return legal[k]
    return legal[0]


@njit(cache=True)
def _fill(values):
    """Values of all positions for the seat to move, (512, 512) int8 by its and the other's marks.

    A move adds a mark, so the positions reached from one have larger numbers of marks in sum:
    they are done when masks are gone through downwards.
    """
    for marked in range(FULL, -1, -1):
        own = marked
        while True:  # every way to share the marks out
            other = marked ^ own
            plies = 0
            for square in range(SQUARES):
                plies += marked >> square & 1
            if has_line(other):
                values[own, other] = -((11 - plies) // 2)
            elif marked == FULL:
                values[own, other] = 0
            else:
                best = -127
                for square in range(SQUARES):
                    if marked >> square & 1 == 0:
                        best = max(best, -values[other, own | 1 << square])
                values[own, other] = best
            if own == 0:
                break
            own = (own - 1) & marked


@lru_cache(maxsize=1)
def _values() -> np.ndarray:
    values = np.zeros((FULL + 1, FULL + 1), np.int8)
    _fill(values)
    return values


def solve(rules: Any, states: np.ndarray) -> np.ndarray:
    """The score of every move, (N, 9) int8, ``ILLEGAL`` where there is none.

    In the manner of connect four's: (11 - marks on the grid at the win) // 2, negative if the
    opponent wins, 0 for a draw. States whose game is over have no moves.
    """
    values = _values()
    scores = np.full((len(states), SQUARES), ILLEGAL, np.int8)
    for i, s in enumerate(states):
        if s["winner"] != NO_WINNER:
            continue
        own, other = int(s["crosses"]), int(s["noughts"])
        if s["player"]:
            own, other = other, own
        for square in range(SQUARES):
            if (own | other) >> square & 1 == 0:
                scores[i, square] = -values[other, own | 1 << square]
    return scores


def symmetries(rules: Any) -> np.ndarray:
    """Where each square goes under the turns and mirrorings of the grid: (8, 9) int64."""
    return board_symmetries(3, 3, SQUARES)


LADDER = Ladder(
    "tictactoe/ladder-v1",
    (
        ("random",),
        ("heuristic?random=0.5", "perfect?random=0.5"),
        ("heuristic?random=0.15", "perfect?random=0.15"),
        ("perfect",),
    ),
    solved=True,
)
