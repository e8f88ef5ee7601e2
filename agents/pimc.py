"""Perfect information Monte Carlo: hidden cards guessed many times, each guess played out.

For every guess (a determinization) each legal action is played, and the game from there by the
game's heuristic in all seats, or solved exactly where the game's agents can; the action with the
highest sum is played. It needs a heuristic that says something about the game, and does not see
that others, or itself, will have to act without knowing the cards (Ginsberg 2001; Long, Sturtevant,
Buro, Furtak 2010).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import hooks
from stratagym.agents.core import Decision, Policy, PolicyString
from stratagym.envs import core

MOST_WORLDS = 100_000


@njit(cache=True, nogil=True)
def search(rules, states, worlds, weighted, legal, own, probs, total, memory, sums):
    """Add to ``sums`` what each legal action of ``states[0]`` is worth in so many worlds.

    Args:
        states: (4,) records: the root, a world, one that is played on, and one whose generator
            drives the search.
        weighted: whether a world counts by ``hooks.likelihood``.
        legal, own: scratch for legal actions; ``legal`` holds the root's in the end.
        total: scratch, one a seat. memory: for ``hooks.exact``.
        sums: (legal actions,) float64.

    Returns:
        how many legal actions there are.
    """
    seat = core.current_player(rules, states[0])
    n = core.legal_actions(rules, states[0], legal)
    for k in range(n):
        sums[k] = 0.0
    for _ in range(worlds):
        states[1] = states[0]
        world = states[1]
        core.seed_rng(world, core.random_uint64(states[3]))
        hooks.imagine(rules, world, seat)
        weight = hooks.likelihood(rules, world, seat) if weighted else 1.0
        for k in range(n):
            states[2] = states[1]
            s = states[2]
            player = core.play(rules, s, legal[k], probs)
            while player >= 0:
                if hooks.exact(rules, s, memory, total):
                    break
                count = core.legal_actions(rules, s, own)
                player = core.play(rules, s, hooks.heuristic(rules, s, own, count), probs)
            if player < 0:
                core.returns(rules, s, total)
                hooks.as_worth(rules, s, total)
            sums[k] += weight * total[seat]
    return n


@njit(cache=True)
def _heuristic_at(rules, states, legal):
    n = core.legal_actions(rules, states[0], legal)
    return hooks.heuristic(rules, states[0], legal, n)


class PIMC(Policy):
    """Perfect information Monte Carlo as a policy.

    Args:
        worlds: determinizations a move.
        weighted: count worlds by how well they agree with what others did, where the game's agents
            can tell (``hooks.likelihood``).
    """

    def __init__(self, worlds: int, weighted: bool = False):
        self.worlds, self.weighted = worlds, weighted
        self.name = f"pimc:{worlds}{'?weights=yes' if weighted else ''}"
        self._memory: tuple[Any, ...] | None = None

    def _allocate(self, rules: Any) -> tuple[Any, ...]:
        if self._memory is None or self._memory[0] != rules:
            legal, probs = core.new_scratch(rules)
            self._memory = (
                rules, legal, legal.copy(), probs, np.zeros(rules.num_players),
                hooks.exact_memory(rules), np.zeros(rules.num_actions),
            )  # fmt: skip
        return self._memory[1:]

    def statistics(self, decision: Decision) -> tuple[np.ndarray, np.ndarray]:
        """(actions, mean worth) of all legal moves after a search."""
        legal, own, probs, total, memory, sums = self._allocate(decision.rules)
        for array in memory:  # a decision must not depend on those before it
            array[...] = np.zeros((), array.dtype)
        states = np.repeat(decision.states[:1], 4)
        states["rng"][3] = decision.seed
        n = search(
            decision.rules, states, self.worlds, self.weighted, legal, own, probs, total, memory,
            sums,
        )  # fmt: skip
        return legal[:n].copy(), sums[:n] / self.worlds

    def act(self, decision: Decision) -> int:
        """The move of highest worth; among equals the heuristic's, else the first."""
        if len(decision.legal) == 1:
            return int(decision.legal[0])
        actions, worth = self.statistics(decision)
        best = actions[worth >= worth.max() - 1e-9]
        usual = _heuristic_at(decision.rules, decision.states, self._allocate(decision.rules)[0])
        return int(usual if usual in best else best[0])


def pimc_policy(spec: core.GameSpec, text: PolicyString) -> PIMC:
    """``pimc:WORLDS``, 20 by default; ``weights=yes`` counts worlds by the moves seen so far.

    Raises:
        ValueError: a bad number or option, or a game that hides nothing or has no heuristic.
    """
    worlds = text.argument or "20"
    weights = text.options.get("weights", "no")
    good = worlds.isdigit() and 1 <= int(worlds) <= MOST_WORLDS and weights in ("no", "yes")
    if not good or set(text.options) - {"weights"}:
        raise ValueError("policy pimc: write pimc:WORLDS or pimc:WORLDS?weights=yes, as in pimc:20")
    if spec.information != "imperfect" or hooks.found(spec, "heuristic") is None:
        raise ValueError(
            f"policy pimc: {spec.name} hides nothing or has no heuristic to play it out; mcts plays"
        )
    return PIMC(int(worlds), weights == "yes")
