"""What players gained by their moves in recorded games of ataxx."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.ataxx.rules import (
    BOARD,
    CELLS,
    after,
    around,
    blocks_of,
    gain_of,
    legal_actions,
    reach,
)
from stratagym.envs.bits import EMPTY, ONE, bit, lowest, popcount
from stratagym.envs.counting import game_counts as game_counts

COUNTS = (
    "decisions",
    "gain",
    "gain_best",
    "gain_chance",
    "clones_as_good",
    "jumps_instead",
    "jumps_chance",
    "exposed",
    "exposed_chance",
)
"""What ``game_counts`` counts.

gain: stones that the moves turned, and 1 for a clone; of the best moves; of random legal moves.
clones_as_good: decisions in which some jump gains no more than some clone, those in which such a
jump was played, and what a random legal move would come to in the same decisions. exposed:
decisions after which the reply can gain more than the move did, and the same of random moves.
"""
COUNTS_DTYPE = np.float64


@njit(cache=True)
def best_gain(own, opp, blocks):
    """The most that a move of the side with ``own`` gains; 0 if it has none."""
    empty = BOARD & ~(own | opp | blocks)
    clones, best = around(own) & empty, 0
    targets = clones | reach(own) & empty
    while targets:
        to = bit(lowest(targets))
        targets &= targets - ONE
        gain = popcount(around(to) & opp) + (1 if clones & to != EMPTY else 0)
        best = max(best, gain)
    return best


@njit(cache=True)
def is_exposed(rules, s, action):
    """Whether the reply to a legal action can gain more than the action does."""
    own, opp = after(s.own, s.opp, action)
    return best_gain(opp, own, blocks_of(rules)) > gain_of(s.own, s.opp, action)


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    n = legal_actions(rules, s, legal)
    total = best = best_clone = exposed = 0
    for k in range(n):
        gain = gain_of(s.own, s.opp, legal[k])
        total += gain
        best = max(best, gain)
        exposed += is_exposed(rules, s, legal[k])
        if legal[k] < CELLS:
            best_clone = max(best_clone, gain)
    poor = 0  # jumps that gain no more than a clone would; a clone gains 1 at least
    for k in range(n):
        poor += legal[k] >= CELLS and gain_of(s.own, s.opp, legal[k]) <= best_clone
    own, gain = counts[seat], gain_of(s.own, s.opp, action)
    own[0] += 1
    own[1] += gain
    own[2] += best
    own[3] += total / n
    if best_clone and poor:
        own[4] += 1
        own[5] += action >= CELLS and gain <= best_clone
        own[6] += poor / n
    own[7] += is_exposed(rules, s, action)
    own[8] += exposed / n
