"""How many games of so many plies there are: the count that every generator of moves is held to."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs import core


def perft(rules, start, depth):
    """Games of ``depth`` plies from ``start``, states (1,); those over before count for nothing."""
    states = core.new_states(rules, depth)
    states[0] = start[0]
    return _perft(rules, states, np.zeros((depth, rules.num_actions), np.int64), depth)


@njit
def _perft(rules, states, legal, depth):
    """As ``perft``; ``states`` and ``legal`` have ``depth`` rows, one a level."""
    nodes, level, tried = 0, 0, np.zeros(depth, np.int64)
    counts = np.zeros(depth, np.int64)
    counts[0] = core.legal_actions(rules, states[0], legal[0])
    if depth == 1:
        return counts[0]
    while level >= 0:
        if tried[level] == counts[level]:
            level -= 1
            continue
        states[level + 1] = states[level]
        core.step(rules, states[level + 1], legal[level, tried[level]])
        tried[level] += 1
        if core.current_player(rules, states[level + 1]) < 0:
            continue
        n = core.legal_actions(rules, states[level + 1], legal[level + 1])
        if level + 2 == depth:
            nodes += n
        else:
            level += 1
            tried[level], counts[level] = 0, n
    return nodes
