"""OpenSpiel's MCTSBot as an opponent: a game of its own follows ours move by move."""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.agents.core import Decision, Policy
from stratagym.benchmarks.harness.cli import InputError
from stratagym.envs import core

TITLES = {"connect_four": "connect_four", "chess": "chess"}
"""Games that both have under the same rules, and OpenSpiel's names of them."""
MEMORY_MB = 1000
"""What a search tree of OpenSpiel's may take; enough never to prune one here."""


class MCTSBot(Policy):
    """OpenSpiel's Monte Carlo tree search, every leaf judged by one random playout.

    It sees OpenSpiel's game, which the caller keeps in step: ``begin``, then ``follow`` for every
    move of either side.

    Args:
        game: one of ``TITLES``. simulations: a move. exploration: UCT's constant.
        solve: whether it proves results (MCTS-Solver).

    Raises:
        InputError: OpenSpiel is not installed; the line names the extra.
    """

    def __init__(self, game: core.GameSpec, simulations: int, exploration: float, solve: bool):
        try:
            import pyspiel
        except ModuleNotFoundError:
            raise InputError(
                "OpenSpiel is not installed: pip install 'stratagym[peers]', or add --no-peers"
            ) from None
        self._pyspiel: Any = pyspiel
        self._game: Any = pyspiel.load_game(TITLES[game.name])
        self._spec, self._settings = game, (simulations, exploration, solve)
        self.name = f"openspiel-mcts:{simulations}" + ("?solve=yes" if solve else "")

    def begin(self, seed: int) -> None:
        """Start a game; ``seed`` drives the searches in it."""
        simulations, exploration, solve = self._settings
        seed %= 2**31
        evaluator = self._pyspiel.RandomRolloutEvaluator(1, seed)
        self.state: Any = self._game.new_initial_state()
        self._bot: Any = self._pyspiel.MCTSBot(
            self._game, evaluator, exploration, simulations, MEMORY_MB, solve, seed, False
        )

    def action_of(self, states: np.ndarray, action: int) -> int:
        """OpenSpiel's number of our action, legal in ``states[0]``."""
        if self._spec.name == "chess":
            move = self._spec.module("notation").uci(states[0], action)
            return int(self.state.parse_move_to_action(move))
        return action

    def follow(self, states: np.ndarray, action: int) -> None:
        """Play our action, legal in ``states[0]``, in OpenSpiel's game."""
        self.state.apply_action(self.action_of(states, action))

    def over(self) -> bool:
        """Whether the game is over by OpenSpiel's rules."""
        return bool(self.state.is_terminal())

    def search(self) -> int:
        """OpenSpiel's number of the action it chooses."""
        return int(self._bot.step(self.state))

    def act(self, view: Decision) -> int:
        chosen = self.search()
        return next(a for a in view.legal.tolist() if self.action_of(view.states, a) == chosen)
