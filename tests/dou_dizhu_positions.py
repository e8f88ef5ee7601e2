"""Positions of Fight the Landlord, set up by hands and played on by the texts of moves."""

from __future__ import annotations

import numpy as np

from stratagym.envs import core, spec
from stratagym.envs.dou_dizhu import cards as sets
from stratagym.envs.dou_dizhu import view

GAME = spec("dou_dizhu")
PARTS = GAME.make_rules()
WHOLE = GAME.make_rules(plays="whole")


def started(rules, seed=0):
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(seed), core.new_scratch(rules)[1])
    return states


def dealt(rules, hands, landlord=0, player=0):
    """A state with these hands (lists of ranks) and nothing played; the rest has been played."""
    states = started(rules)
    s = states[0]
    s["hands"] = [sets.packed(hand) for hand in hands]
    rest = int(sets.DECK) - sum(int(hand) for hand in s["hands"])
    s["played"] = [rest if seat == (landlord + 1) % 3 else 0 for seat in range(3)]
    s["bottom"], s["landlord"], s["player"] = 0, landlord, player
    return states


def legal_of(rules, states):
    out = np.zeros(rules.num_actions, np.int64)
    return out[: core.legal_actions_at(rules, states, 0, out)].tolist()


def play(rules, states, *moves):
    """Play moves by their texts; returns the seat to move."""
    legal, probs = core.new_scratch(rules)
    seat = core.current_player_at(rules, states, 0)
    for move in moves:
        action = view.string_to_action(rules, states[0], move)
        assert action in legal_of(rules, states), (move, view.why_illegal(rules, states[0], action))
        seat, _ = core.play_at(rules, states, 0, action, legal, probs)
    return seat
