"""What players did with their chances in recorded games of tic-tac-toe."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core
from stratagym.envs.tictactoe.rules import LINES

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


@njit(cache=True, nogil=True)
def _count(rules, states, seeds, actions, plies, probs, counts):
    s = states[0]
    for g in range(seeds.shape[0]):
        seat = core.start(rules, s, seeds[g], probs)
        for ply in range(plies[g]):
            action = actions[g, ply]
            own, other = (s.crosses, s.noughts) if seat == 0 else (s.noughts, s.crosses)
            empty = 511 ^ (own | other)
            wins, blocks = winning_squares(own, empty), winning_squares(other, empty)
            counts[g, seat, 0] += 1
            if wins:
                counts[g, seat, 1] += 1
                counts[g, seat, 2] += wins >> action & 1
            elif blocks:
                counts[g, seat, 3] += 1
                counts[g, seat, 4] += blocks >> action & 1
            seat = core.play(rules, s, action, probs)


def game_counts(
    rules: Any, seeds: np.ndarray, actions: np.ndarray, plies: np.ndarray
) -> np.ndarray:
    """``COUNTS`` of every game and seat, (G, 2, 5) int64, by playing the games again.

    Args:
        seeds: (G,) uint64. actions: (G, longest) integers. plies: (G,) decisions in each game.
    """
    counts = np.zeros((len(seeds), 2, len(COUNTS)), np.int64)
    _, probs = core.new_scratch(rules)
    _count(rules, core.new_states(rules), seeds, actions, plies, probs, counts)
    return counts
