"""What players did with their chances in recorded games of connect four."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core
from stratagym.envs.connect_four.rules import COLUMNS, has_four, landing

COUNTS = (
    "decisions",
    "wins_offered",
    "wins_taken",
    "blocks_needed",
    "blocks_made",
    "gifts_possible",
    "gifts_made",
)
"""What ``game_counts`` counts.

wins: decisions with a winning move, and where one was played. blocks: those without one where the
opponent threatens to win with its next stone, and where that square was taken. gifts: those of
neither kind where some move, not all, lets the opponent win on top of it, and where one was played.
"""


@njit(cache=True)
def chances(mover, other, action):
    """(win, block, gift): what a legal move of the seat to move would be."""
    taken = mover | other
    move = landing(taken, action)
    above = landing(taken | move, action)
    return (
        has_four(mover | move),
        has_four(other | move),
        above != 0 and has_four(other | above),
    )


@njit(cache=True, nogil=True)
def _count(rules, states, seeds, actions, plies, probs, counts):
    s = states[0]
    for g in range(seeds.shape[0]):
        seat = core.start(rules, s, seeds[g], probs)
        for ply in range(plies[g]):
            action = actions[g, ply]
            wins = blocks = gifts = legal = 0
            for column in range(COLUMNS):
                if landing(s.mover | s.other, column):
                    win, block, gift = chances(s.mover, s.other, column)
                    wins += win
                    blocks += block
                    gifts += gift
                    legal += 1
            win, block, gift = chances(s.mover, s.other, action)
            counts[g, seat, 0] += 1
            if wins:
                counts[g, seat, 1] += 1
                counts[g, seat, 2] += win
            elif blocks:
                counts[g, seat, 3] += 1
                counts[g, seat, 4] += block
            elif 0 < gifts < legal:
                counts[g, seat, 5] += 1
                counts[g, seat, 6] += gift
            seat = core.play(rules, s, action, probs)


def game_counts(
    rules: Any, seeds: np.ndarray, actions: np.ndarray, plies: np.ndarray
) -> np.ndarray:
    """``COUNTS`` of every game and seat, (G, 2, 7) int64, by playing the games again.

    Args:
        seeds: (G,) uint64. actions: (G, longest) integers. plies: (G,) decisions in each game.
    """
    counts = np.zeros((len(seeds), 2, len(COUNTS)), np.int64)
    _, probs = core.new_scratch(rules)
    _count(rules, core.new_states(rules), seeds, actions, plies, probs, counts)
    return counts
