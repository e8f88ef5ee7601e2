"""How often players of Nim made the sum of the heaps zero where they could."""

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core

COUNTS = ("decisions", "zeroable", "zeroed")


@njit(cache=True)
def _count(rules, states, seeds, actions, plies, probs, counts):
    s = states[0]
    for g in range(seeds.shape[0]):
        seat = core.start(rules, s, seeds[g], probs)
        for ply in range(plies[g]):
            before = s.heaps[0] ^ s.heaps[1] ^ s.heaps[2]
            mover = seat
            seat = core.play(rules, s, actions[g, ply], probs)
            counts[g, mover, 0] += 1
            if before:
                counts[g, mover, 1] += 1
                counts[g, mover, 2] += s.heaps[0] ^ s.heaps[1] ^ s.heaps[2] == 0


def game_counts(
    rules: Any, seeds: np.ndarray, actions: np.ndarray, plies: np.ndarray
) -> np.ndarray:
    """``COUNTS`` of every game and seat, (G, 2, 3) int64, by playing the games again."""
    counts = np.zeros((len(seeds), 2, len(COUNTS)), np.int64)
    _, probs = core.new_scratch(rules)
    _count(rules, core.new_states(rules), seeds, actions, plies, probs, counts)
    return counts
