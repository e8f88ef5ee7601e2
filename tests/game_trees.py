"""Positions of any game: random ones, all that follow one move, and their values by trying all."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs import core, spec


@njit
def expand(rules, states, out, legal):
    """Write the states after every legal action into ``out``; returns how many."""
    n = 0
    for i in range(states.shape[0]):
        if core.current_player(rules, states[i]) >= 0:
            for k in range(core.legal_actions(rules, states[i], legal)):
                out[n] = states[i]
                core.step(rules, out[n], legal[k])
                n += 1
    return n


def after_each_move(rules, states):
    out = core.new_states(rules, rules.num_actions * len(states))
    return out[: expand(rules, states, out, np.zeros(rules.num_actions, np.int64))]


def random_position(game, plies, rng, **options):
    """A state after random moves whose game goes on."""
    facts = spec(game)
    rules = facts.make_rules(**options)
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    while True:
        seat = core.start_at(rules, states, 0, np.uint64(rng.integers(2**63)), probs)
        for _ in range(plies):
            if seat < 0:
                break
            n = core.legal_actions_at(rules, states, 0, legal)
            seat, _ = core.play_at(rules, states, 0, int(rng.choice(legal[:n])), legal, probs)
        if seat >= 0:
            return facts, rules, states


def minimax(facts, rules, states):
    """Seat 0's value, by trying everything; for the test."""
    return values_of(rules, states)[0]


def values_of(rules, states):
    """Seat 0's value, and whether any sequence of moves ends in a draw."""
    seat = core.current_player_at(rules, states, 0)
    legal, probs = core.new_scratch(rules)
    if seat < 0:
        out = np.zeros(2)
        core.returns_at(rules, states, 0, out)
        return out[0], out[0] == 0
    values, draws = [], False
    for action in legal[: core.legal_actions_at(rules, states, 0, legal)].tolist():
        after = states.copy()
        core.play_at(rules, after, 0, action, np.zeros_like(legal), probs)
        value, draw = values_of(rules, after)
        values.append(value)
        draws |= draw
    return (max(values) if seat == 0 else min(values)), draws
