"""Depth-limited expectimax for games with chance: expectiminimax for two, MaxN for more.

Every player maximises its own component of the value vector (MaxN, Luckhardt and Irani 1986); for
two players with opposite values that is expectiminimax (Michie 1966). The dice that the root
faces are the real ones. Depth counts decisions, the root's included; a chance event that asks
nobody (a passed turn) uses one unit as well. Ties go to the lowest action.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import knowledge
from stratagym.envs import core


@njit(cache=True)
def _search(rules, states, values, legal, probs, level, depth):
    """Value of ``states[level]`` into ``values[level]``; returns the best action, or -1."""
    s = states[level]
    value, below = values[level], values[level + 1]
    player = core.current_player(rules, s)
    best = -1
    if player <= core.TERMINAL or depth == 0:
        knowledge.evaluate(rules, s, value)
    elif player == core.CHANCE:
        value[:] = 0.0
        for outcome in range(core.chance_outcomes(rules, s, probs[level])):
            states[level + 1] = s
            child = states[level + 1]
            core.apply_chance(rules, child, outcome)
            passed = core.current_player(rules, child) == core.CHANCE
            _search(rules, states, values, legal, probs, level + 1, depth - passed)
            for seat in range(value.shape[0]):
                value[seat] += probs[level, outcome] * below[seat]
    else:
        for k in range(core.legal_actions(rules, s, legal[level])):
            states[level + 1] = s
            core.step(rules, states[level + 1], legal[level, k])
            _search(rules, states, values, legal, probs, level + 1, depth - 1)
            if best < 0 or below[player] > value[player]:
                best = legal[level, k]
                value[:] = below
    return best


@njit(cache=True)
def expectimax(rules, s, depth, scratch):
    """The action of depth-limited expectimax in ``s``, where a seat is to move.

    Args:
        depth: decisions looked ahead, at least 1.
        scratch: from ``new_scratch`` for this depth or more.
    """
    states, values, legal, probs = scratch
    states[0] = s
    return _search(rules, states, values, legal, probs, 0, depth)


def new_scratch(rules: Any, depth: int) -> tuple[np.ndarray, ...]:
    """Working memory: states, values, legal actions and probabilities of every level."""
    levels = 2 * depth + 2
    return (
        core.new_states(rules, levels),
        np.zeros((levels, rules.num_players)),
        np.zeros((levels, rules.num_actions), np.int64),
        np.zeros((levels, core.MAX_OUTCOMES)),
    )
