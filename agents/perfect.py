"""Perfect players: games whose positions can be solved.

A game has one if its ``agents/games/<game>.py`` defines ``solve(rules, states)``: the score of
every move in every state, (N, num_actions) int8. A score is the mover's: 0 for a draw, positive
for a win, the larger the sooner, negative for a loss, and ``ILLEGAL`` where the move is not
legal. Where finding a best move is much quicker than scoring them all, it also defines
``best_moves(rules, states)``: (N, num_actions) bool, moves of the best score, at least one.

A game that can be solved only towards its end or on small boards defines
``endgame_scores(rules, states)``, which is like ``solve``, and has no perfect player.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stratagym.agents import hooks
from stratagym.agents.core import BatchPolicy, Decision, Policy, PolicyString
from stratagym.agents.engines import UCIEngine
from stratagym.envs import core, spec, specs

ILLEGAL = -128
"""The score of a move that is not legal: lower than any other."""


def solver_of(game: str) -> Callable[[Any, np.ndarray], np.ndarray] | None:
    """The game's ``solve``, or None."""
    return hooks.found(spec(game), "solve")


def ranks(scores: np.ndarray) -> np.ndarray:
    """Rank of every move, same shape, int64: 1 + the number of moves with a better score.

    Moves of equal score share a rank, so a move is among the top k where its rank is at most k;
    moves that are not legal rank below all others.
    """
    return (scores[..., None, :] > scores[..., :, None]).sum(-1) + 1


def move_scores(solver: Policy, decision: Decision) -> np.ndarray:
    """The solver's score of every legal action, (len(decision.legal),), the mover's side."""
    if isinstance(solver, UCIEngine):
        actions, scores = solver.scores(decision)
        known = dict(zip(actions.tolist(), scores.tolist(), strict=True))
        return np.array([known.get(action, -np.inf) for action in decision.legal.tolist()])
    solve = solver_of(decision.spec.name) or hooks.found(decision.spec, "endgame_scores")
    assert solve is not None
    return solve(decision.rules, decision.states)[0][decision.legal].astype(float)


def _best_of(solve: Callable[[Any, np.ndarray], np.ndarray]) -> Callable[[Any, np.ndarray], Any]:
    def best_moves(rules: Any, states: np.ndarray) -> np.ndarray:
        scores = solve(rules, states)
        return scores == scores.max(axis=1, keepdims=True)

    return best_moves


class Perfect(BatchPolicy):
    """Plays a move of the best score: wins as early and loses as late as it can."""

    name = "perfect"

    def __init__(self, facts: core.GameSpec):
        solve = solver_of(facts.name)
        if solve is None:
            known = ", ".join(game.name for game in specs() if hooks.found(game, "solve"))
            raise ValueError(
                f"policy 'perfect': {facts.name} has no perfect player; games with one are: {known}"
            )
        self.best_moves = hooks.found(facts, "best_moves") or _best_of(solve)

    def act_each(self, rules: Any, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Best moves of equal score are drawn from by the decision's seed."""
        actions = np.empty(len(states), np.int64)
        for i, marks in enumerate(self.best_moves(rules, states)):
            best = np.flatnonzero(marks)
            drawn = core.derive_seed(np.uint64(seeds[i]), np.uint64(0))
            actions[i] = best[int(drawn) % len(best)]
        return actions


def perfect_policy(spec: core.GameSpec, text: PolicyString) -> Perfect:
    """``perfect``: the game's perfect player."""
    if text.options or text.argument:
        raise ValueError("policy 'perfect' takes no options; write 'perfect' alone")
    return Perfect(spec)
