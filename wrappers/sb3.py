"""Any game as a Stable-Baselines3 ``VecEnv``, for ``MaskablePPO`` of sb3-contrib.

    from sb3_contrib import MaskablePPO
    from stratagym.wrappers.sb3 import SB3VecEnv

    model = MaskablePPO("MlpPolicy", SB3VecEnv("connect_four", 64, opponent="random"))

All games are stepped in one numba call; opponents that are no kernel policies are asked for the
actions of all their games at once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "SB3VecEnv needs Stable-Baselines3: pip install 'stratagym[rl]'"
    ) from None

from stratagym import envs
from stratagym.agents import learner_games as learner
from stratagym.agents import opponents
from stratagym.agents.core import Policy
from stratagym.envs import core
from stratagym.envs.checks import SEED_MASK
from stratagym.wrappers.single_agent import observation_space_of


class SB3VecEnv(VecEnv):
    """``num_envs`` games of one learner against policies, or of one learner in every seat.

    Observations are (N, *shape) arrays, rewards (N,) float32; masks come through
    ``env_method("action_masks")``. The seat's own reward: what it has gained since its last
    decision. A game that ends starts anew in the same step; its ``info`` then has
    ``terminal_observation``, ``TimeLimit.truncated`` and ``episode`` (return ``r``, length ``l``).

    Args:
        game: one of ``envs.games()``.
        num_envs: N.
        opponent: as in ``SingleAgentEnv``; with ``"self"`` the learner decides for every seat in
            turn, and a seat's reward is what its own move gained. ``set_opponents`` gives every
            game opponents of its own.
        seat: 0 .., ``"rotate"`` or ``"random"``; means nothing with ``"self"``.
        seed: of all games; see ``VectorEnv``.
        reward_scale: rewards are multiplied by it.
        shaping: weight of the change of the game evaluator's estimate for the seat, which is
            added to the reward as a potential (Ng, Harada, Russell 1999) of discount ``gamma``.
        **options: the game's own.

    Attributes:
        game, rules, states: facts, options in force, (N,) records.
        rules_s, opponents_s: seconds spent on stepping games and on asking opponents that are
            not compiled.

    Raises:
        ValueError: a wrong argument, in one line that names the choices.
    """

    def __init__(
        self,
        game: str,
        num_envs: int,
        opponent: opponents.Opponent | Sequence[opponents.Opponent] = "random",
        seat: int | str = "rotate",
        *,
        seed: int = 0,
        reward_scale: float = 1.0,
        shaping: float = 0.0,
        gamma: float = 1.0,
        **options: Any,
    ):
        self.game = envs.spec(game)
        self.rules = self.game.make_rules(**options)
        if num_envs < 1:
            raise ValueError(f"num_envs={num_envs!r}; a whole number of at least 1 is needed")
        self.render_mode = None
        super().__init__(
            num_envs,
            observation_space_of(self.rules, False),
            spaces.Discrete(self.rules.num_actions),
        )
        self.reward_scale, self.shaping, self.gamma = reward_scale, shaping, gamma
        policies = opponents.make_opponents(self.game, self.rules, opponent)
        rule = learner.seat_rule(self.game, self.rules, seat if policies else 0, not policies)
        if shaping and not policies:
            raise ValueError(f'{game}: shaping needs one seat that learns, not opponent="self"')
        self._games = opponents.make_games(self.game, self.rules, num_envs, rule, policies)
        self._base_seed = seed
        self._lengths = np.zeros(num_envs, np.int64)
        self._returns = np.zeros(num_envs)
        self.rules_s = 0.0

    @property
    def states(self) -> np.ndarray:
        return self._games.states

    @property
    def opponents_s(self) -> float:
        return self._games.opponents_s

    def set_opponents(self, policies: Sequence[Policy], choice: np.ndarray) -> None:
        """Let ``policies[choice[i]]`` play all other seats of game i from now on.

        Args:
            choice: (N,) int64.

        Raises:
            ValueError: the environment was made with compiled opponents alone or with ``"self"``.
        """
        if not isinstance(self._games, opponents.AskedGames):
            raise ValueError("set_opponents: make the environment with a Policy as opponent")
        self._games.policies = [list(policies)] * (self.rules.num_players - 1)
        self._games.choice = choice

    # --- SB3's interface ---

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """What the next ``reset`` starts from, where SB3 asks for a seed."""
        if seed is not None:
            self._base_seed = seed
        return [self._base_seed] * self.num_envs

    def reset(self) -> np.ndarray:
        """Start every game at its first episode; returns observations (N, *shape)."""
        games = self._games.games
        base = np.uint64(self._base_seed & SEED_MASK)
        games["seed"] = [core.derive_seed(base, np.uint64(i)) for i in range(self.num_envs)]
        games["episode"] = 0
        self._lengths[:], self._returns[:] = 0, 0.0
        self._games.reset(np.ones(self.num_envs, np.bool_))
        self._estimates = self._games.estimates() if self.shaping else np.zeros(0)
        return self._games.observations

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = np.asarray(actions, np.int64).reshape(self.num_envs)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        began, asked = time.perf_counter(), self.opponents_s
        games = self._games
        games.step(self._actions, learner.SAME_STEP)
        ended, last = games.terminations | games.truncations, games.last_observations
        truncations = games.truncations
        rewards = games.rewards[np.arange(self.num_envs), games.movers]
        self._lengths += 1
        self._returns += rewards
        rewards = rewards * self.reward_scale
        which = np.flatnonzero(ended)
        # Games that go on share one empty record: only those that ended cost Python time.
        infos: list[dict[str, Any]] = [{}] * self.num_envs
        for i in which:
            infos[i] = {
                "terminal_observation": last[i].copy(),
                "TimeLimit.truncated": bool(truncations[i]),
                "episode": {"r": float(self._returns[i]), "l": int(self._lengths[i]), "t": 0.0},
            }
        if len(which):
            self._lengths[which], self._returns[which] = 0, 0.0
        if self.shaping:
            estimates = games.estimates()
            after = np.where(ended, 0.0, estimates)
            rewards += self.shaping * (self.gamma * after - self._estimates)
            self._estimates = estimates
        self.rules_s += time.perf_counter() - began - (self.opponents_s - asked)
        return games.observations, rewards.astype(np.float32), ended, infos

    def action_masks(self) -> np.ndarray:
        """(N, A) bool, the legal actions of every game."""
        return self._games.masks == 1

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> Any:
        """The rows of ``action_masks()``; there is no other method of a single game."""
        if method_name != "action_masks":
            raise AttributeError(f"SB3VecEnv has no method {method_name!r} of a single game")
        masks = self.action_masks()
        return masks if indices is None else masks[list(self._get_indices(indices))]

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """True for SB3's ``Monitor``: episodes are reported as it would."""
        monitored = wrapper_class.__name__ == "Monitor"
        return [monitored] * len(list(self._get_indices(indices)))

    def close(self) -> None:
        pass

    # --- to go on later ---

    def snapshot(self) -> dict[str, np.ndarray]:
        """All that the games' further course depends on, opponents apart, as plain arrays."""
        games = self._games
        return {
            "states": games.states.view(np.uint8),
            "games": games.games.view(np.uint8),
            "totals": games._totals,
            "lengths": self._lengths,
            "returns": self._returns,
        }

    def restore(self, arrays: Any) -> np.ndarray:
        """Go on from a ``snapshot`` of the same game and N; returns the observations."""
        games = self._games
        games.states[:] = arrays["states"].view(games.states.dtype)
        games.games[:] = arrays["games"].view(learner.GAME)
        games._totals[:] = arrays["totals"]
        self._lengths[:], self._returns[:] = arrays["lengths"], arrays["returns"]
        games.present()
        self._estimates = games.estimates() if self.shaping else np.zeros(0)
        return games.observations
