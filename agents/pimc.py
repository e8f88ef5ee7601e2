"""Perfect information Monte Carlo: hidden cards guessed many times, each guess played out.

For every guess (a determinization) each legal action is played, and the game from there by the
game's heuristic in all seats, or solved exactly where the game's agents can; the action with the
highest sum is played. It needs a heuristic that says something about the game, and does not see
that others, or itself, will have to act without knowing the cards (Ginsberg 2001; Long, Sturtevant,
Buro, Furtak 2010). Where luck decides most of a game, few guesses tell its actions apart by chance
alone: with ``sure`` the heuristic's action is left only for one that is better by so many standard
errors of their difference, guess by guess.
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
def search(rules, states, worlds, weighted, legal, own, probs, total, memory, sums, gains):
    """Add to ``sums`` what each candidate of ``states[0]`` is worth in so many worlds.

    Args:
        states: (4,) records: the root, a world, one that is played on, and one whose generator
            drives the search.
        weighted: whether a world counts by ``hooks.likelihood``.
        legal, own: scratch for legal actions; ``legal`` begins with the candidates in the end.
        total: scratch, one a seat. memory: for ``hooks.exact``.
        sums: (legal actions,) float64. gains: (legal actions, 3) float64, written: what an action
            is worth in the last world, what all worlds together give it more than the heuristic's
            action, and the squares of that.

    Returns:
        (candidates, the place of the heuristic's action among them).
    """
    seat = core.current_player(rules, states[0])
    n = core.legal_actions(rules, states[0], legal)
    chosen = hooks.heuristic(rules, states[0], legal, n)
    n = hooks.candidates(rules, states[0], legal, n, 0)
    usual = 0
    for k in range(n):
        sums[k] = 0.0
        gains[k, 1] = 0.0
        gains[k, 2] = 0.0
        if legal[k] == chosen:
            usual = k
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
            gains[k, 0] = weight * total[seat]
        for k in range(n):
            more = gains[k, 0] - gains[usual, 0]
            gains[k, 1] += more
            gains[k, 2] += more * more
    return n, usual


class PIMC(Policy):
    """Perfect information Monte Carlo as a policy.

    Args:
        worlds: determinizations a move.
        weighted: count worlds by how well they agree with what others did, where the game's agents
            can tell (``hooks.likelihood``).
        sure: standard errors by which an action must be better than the heuristic's; 0 for the
            best of all.
    """

    def __init__(self, worlds: int, weighted: bool = False, sure: float = 0.0):
        self.worlds, self.weighted, self.sure = worlds, weighted, sure
        options = (["weights=yes"] if weighted else []) + ([f"sure={sure:g}"] if sure else [])
        self.name = f"pimc:{worlds}{'?' if options else ''}{'&'.join(options)}"
        self._memory: tuple[Any, ...] | None = None

    def _allocate(self, rules: Any) -> tuple[Any, ...]:
        if self._memory is None or self._memory[0] != rules:
            legal, probs = core.new_scratch(rules)
            self._memory = (
                rules, legal, legal.copy(), probs, np.zeros(rules.num_players),
                hooks.exact_memory(rules), np.zeros(rules.num_actions),
                np.zeros((rules.num_actions, 3)),
            )  # fmt: skip
        return self._memory[1:]

    def statistics(self, decision: Decision) -> tuple[np.ndarray, np.ndarray]:
        """(actions, mean worth) of all candidates after a search."""
        n, _ = self._search(decision)
        legal, *_, sums, _ = self._allocate(decision.rules)
        return legal[:n].copy(), sums[:n] / self.worlds

    def _search(self, decision: Decision) -> tuple[int, int]:
        legal, own, probs, total, memory, sums, gains = self._allocate(decision.rules)
        for array in memory:  # a decision must not depend on those before it
            array[...] = np.zeros((), array.dtype)
        states = np.repeat(decision.states[:1], 4)
        states["rng"][3] = decision.seed
        n, usual = search(
            decision.rules, states, self.worlds, self.weighted, legal, own, probs, total, memory,
            sums, gains,
        )  # fmt: skip
        return int(n), int(usual)

    def act(self, decision: Decision) -> int:
        """The move of highest worth; among equals the heuristic's, else the first.

        With ``sure``, the heuristic's unless a better one is better for sure.
        """
        if len(decision.legal) == 1:
            return int(decision.legal[0])
        n, usual = self._search(decision)
        legal, *_, sums, gains = self._allocate(decision.rules)
        worth = sums[:n] / self.worlds
        if self.sure:
            mean, squares = gains[:n, 1] / self.worlds, gains[:n, 2] / self.worlds
            error = np.sqrt(np.maximum(squares - mean**2, 0) / max(self.worlds - 1, 1))
            surely = (mean > self.sure * error) & (self.worlds > 1)
            worth = np.where(surely, worth, -np.inf)
            worth[usual] = sums[usual] / self.worlds
        best = np.flatnonzero(worth >= worth.max() - 1e-9)
        return int(legal[usual if usual in best else best[0]])


def pimc_policy(spec: core.GameSpec, text: PolicyString) -> PIMC:
    """``pimc:WORLDS``, 20 by default; ``weights=yes`` counts worlds by the moves seen so far,
    ``sure=ERRORS`` leaves the heuristic's move only for one that is surely better.

    Raises:
        ValueError: a bad number or option, or a game that hides nothing or has no heuristic.
    """
    worlds = text.argument or "20"
    weights = text.options.get("weights", "no")
    good = worlds.isdigit() and 1 <= int(worlds) <= MOST_WORLDS and weights in ("no", "yes")
    try:
        sure = float(text.options.get("sure", 0))
    except ValueError:
        sure = -1.0
    if not good or not 0 <= sure <= 10 or set(text.options) - {"weights", "sure"}:
        raise ValueError(
            "policy pimc: write pimc:WORLDS, as in pimc:20, with ?weights=yes or ?sure=2 (0 to 10)"
        )
    if spec.information != "imperfect" or hooks.found(spec, "heuristic") is None:
        raise ValueError(
            f"policy pimc: {spec.name} hides nothing or has no heuristic to play it out; mcts plays"
        )
    return PIMC(int(worlds), weights == "yes", sure)
