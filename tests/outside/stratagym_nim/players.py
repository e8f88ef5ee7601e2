"""Players of any game, in a package of their own."""

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.core import BatchPolicy, Decision, Policy, PolicyString
from stratagym.envs import core


class Nth(Policy):
    """Plays the legal action of a certain number, modulo how many there are."""

    def __init__(self, number: int):
        self.number = number

    def act(self, decision: Decision) -> int:
        return decision.legal[self.number % len(decision.legal)]


def nth(spec: Any, text: PolicyString) -> Policy:
    """The legal action of a certain number.

    ``nth:NUMBER``, from 0.
    """
    if not text.argument.isdecimal():
        raise ValueError(f"policy nth:{text.argument}: a number is needed")
    return Nth(int(text.argument))


@njit(cache=True)
def _ahead(rules, states, legal, probs, totals, actions):
    for i in range(states.shape[0]):
        s = states[i]
        n = core.legal_actions(rules, s, legal)
        best, actions[i] = -np.inf, legal[0]
        seat = core.current_player(rules, s)
        for k in range(n):
            after = states[i : i + 1].copy()
            core.play(rules, after[0], legal[k], probs)
            core.returns(rules, after[0], totals)
            if totals[seat] > best:
                best, actions[i] = totals[seat], legal[k]


class Ahead(BatchPolicy):
    """Plays the action after which its return is highest at once."""

    name = "ahead"

    def act_each(self, rules: Any, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        actions = np.empty(len(states), np.int64)
        legal, probs = core.new_scratch(rules)
        _ahead(rules, states, legal, probs, np.zeros(rules.num_players), actions)
        return actions


def ahead(spec: Any, text: PolicyString) -> Policy:
    """The action after which the return is highest at once."""
    if text.argument:
        raise ValueError("policy ahead: it takes no argument")
    return Ahead()


class OtherBouton(Nth):
    """Is called as a player that Nim's agents name."""


def other_bouton(spec: Any, text: PolicyString) -> Policy:
    """The first action; in Nim the name is a player's of its own."""
    return OtherBouton(0)
