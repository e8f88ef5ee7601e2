"""Kernels of the checks of games, apart because pytest changes modules with assertions.

What Python does not compile as its source stands cannot be kept.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs import core


@njit(cache=True)
def mask_at(rules, states, legal, mask):
    """``core.legal_mask`` of ``states[0]``."""
    return core.legal_mask(rules, states[0], legal, mask)


@njit(cache=True)
def chance_events(rules, states, generators, seed, legal, probs, wrong):
    """Play a random game; returns its chance events, and adds those without a distribution.

    Chance is drawn by the probabilities as they are told, not by ``core.play_chance``.
    """
    s, own = states[0], generators[0]
    core.reset(rules, s, seed)
    core.seed_rng(own, seed)
    events = 0
    while True:
        player = core.current_player(rules, s)
        if player == core.CHANCE:
            events += 1
            probs[:] = np.nan
            n = core.chance_outcomes(rules, s, probs)
            total, least = 0.0, 1.0
            if n < 1 or n > probs.shape[0]:
                wrong[0] += 1
                return events
            for k in range(n):
                total += probs[k]
                least = min(least, probs[k])
            if not (least > 0.0 and abs(total - 1.0) < 1e-9):
                wrong[0] += 1
                return events
            drawn, bound, outcome = core.random_unit(own), 0.0, 0
            for k in range(n - 1):
                bound += probs[k]
                outcome += drawn >= bound
            core.apply_chance(rules, s, outcome)
        elif player >= 0:
            n = core.legal_actions(rules, s, legal)
            core.step(rules, s, legal[core.random_below(own, n)])
        else:
            return events


@njit(cache=True)
def bytes_apart(rules, record, trial, raw, moves, probs, goal, apart):
    """Play each of the ``moves`` from a record; how many bytes then differ from another's.

    Args:
        record, goal: (bytes,) uint8, the record before a move, and the other one.
        trial, raw: scratch, a record (1,) and the same memory as bytes.
        moves: (n,) legal actions. apart: (n,) int64, written.
    """
    for k in range(moves.shape[0]):
        for place in range(record.shape[0]):
            raw[place] = record[place]
        core.play(rules, trial[0], moves[k], probs)
        differing = 0
        for place in range(goal.shape[0]):
            differing += raw[place] != goal[place]
        apart[k] = differing
