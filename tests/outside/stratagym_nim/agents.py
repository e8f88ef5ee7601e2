"""What players know of Nim: Bouton's theorem, and a ladder of those who know it."""

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.core import Decision, Policy, PolicyString
from stratagym.agents.ladders import Ladder
from stratagym.agents.perfect import ILLEGAL

from .rules import current_player, returns

RULES = {"greedy": 0, "careful": 1}


@njit(cache=True)
def _sum_after(s, action):
    """Binary sum without carry of the heaps once ``action`` is played."""
    total = 0
    for heap in range(3):
        stones = s.heaps[heap]
        if heap == action // 5:
            stones -= action % 5 + 1
        total ^= stones
    return total


@njit(cache=True)
def evaluate(rules, s, out):
    """Whoever is to move has lost if the sum is zero; exact for the form in which last wins."""
    if current_player(rules, s) < 0:
        returns(rules, s, out)
        return
    out[s.player] = 0.9 if s.heaps[0] ^ s.heaps[1] ^ s.heaps[2] else -0.9
    out[1 - s.player] = -out[s.player]


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """The first move that makes the sum zero, else the first of all."""
    for k in range(n):
        if _sum_after(s, legal[k]) == 0:
            return legal[k]
    return legal[0]


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """``greedy`` takes the last heap whole, ``careful`` one stone from the first."""
    return legal[n - 1] if which == 0 else legal[0]


def solve(rules: Any, states: np.ndarray) -> np.ndarray:
    """1 for moves that win, -1 for those that lose, ``ILLEGAL`` for the rest: (N, 15) int8."""
    if not rules.last_wins:
        raise ValueError("nim is solved for the form in which the last stone wins")
    scores = np.full((len(states), 15), ILLEGAL, np.int8)
    for i, s in enumerate(states):
        for heap in range(3):
            for stones in range(1, int(s["heaps"][heap]) + 1):
                after = s["heaps"].tolist()
                after[heap] -= stones
                won = after[0] ^ after[1] ^ after[2] == 0
                scores[i, 5 * heap + stones - 1] = 1 if won else -1
    return scores


class Bouton(Policy):
    """Makes the sum of the heaps zero where it can, and else takes one stone of a certain heap."""

    def __init__(self, name: str, heap: int):
        self.name, self.heap = name, heap

    def act(self, decision: Decision) -> int:
        legal, heaps = decision.legal.tolist(), decision.states["heaps"][0].tolist()
        total = heaps[0] ^ heaps[1] ^ heaps[2]
        for action in legal:
            heap, taken = action // 5, action % 5 + 1
            if total ^ heaps[heap] ^ (heaps[heap] - taken) == 0:
                return action
        return 5 * self.heap if heaps[self.heap] else legal[0]


def bouton(spec: Any, text: PolicyString) -> Policy:
    """``bouton:HEAP``, from 1."""
    if text.argument not in ("1", "2", "3"):
        raise ValueError(f"policy bouton:{text.argument}: the heaps are 1, 2 and 3")
    return Bouton(f"bouton:{text.argument}", int(text.argument) - 1)


POLICIES = {"bouton": bouton}

LADDER = Ladder(
    "nim/ladder-v1",
    (("random",), ("heuristic?random=0.3",), ("heuristic",)),
)
