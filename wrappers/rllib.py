"""Any game as an RLlib multi-agent environment (new API stack), with action masks.

    from ray.rllib.algorithms.ppo import PPOConfig
    from stratagym.wrappers.rllib import RLlibEnv

    PPOConfig().environment(RLlibEnv, env_config={"game": "connect_four"})

``docs/tutorials/rllib.md`` has the whole configuration.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

try:
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "RLlibEnv needs RLlib: pip install 'stratagym[rllib]' (and torch)"
    ) from None

from stratagym import envs
from stratagym.envs import core


class RLlibEnv(MultiAgentEnv):
    """A game with one agent for every seat; only the seat to move observes.

    Observations are ``{"observations": (n,) float32, "action_mask": (A,) float32}``, the tensor
    flat, under the names that RLlib's ``ActionMaskingTorchRLModule`` reads. At the end every seat
    that has moved gets its last observation. Rewards go to all seats when they fall.

    Args:
        config: ``{"game": NAME}`` and, beside it, what ``envs.make`` takes.

    Raises:
        ValueError: an unknown game, option or value, in one line that names the choices.
    """

    def __init__(self, config: dict[str, Any]):
        super().__init__()
        given = dict(config)
        self.env = envs.make(given.pop("game", ""), **given)
        rules = self.env.rules
        size, bounds = int(np.prod(rules.observation_shape)), core.observation_bounds(rules)
        space = spaces.Dict(
            {
                "observations": spaces.Box(*bounds, (size,), np.float32),
                "action_mask": spaces.Box(0, 1, (rules.num_actions,), np.float32),
            }
        )
        self.agents = self.possible_agents = self.env.possible_agents[:]
        self.observation_spaces = dict.fromkeys(self.agents, space)
        self.action_spaces = self.env.action_spaces

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        self.env.reset(seed)
        self._moved: set[str] = set()
        return self._observe([self.env.agent_selection]), {}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play the action of the agent to move; the others' are not asked for."""
        env, agent = self.env, self.env.agent_selection
        env.step(int(action_dict[agent]))
        self._moved.add(agent)
        terminated, truncated = any(env.terminations.values()), any(env.truncations.values())
        over = terminated or truncated
        # RLlib has no episode for a seat that has not been asked yet.
        known = sorted(self._moved)
        observed = known if over else [env.agent_selection]
        rewards = {one: env.rewards[one] for one in {*known, *observed} if env.rewards[one]}
        flags = [
            {"__all__": flag, **(dict.fromkeys(known, True) if flag else {})}
            for flag in (terminated, truncated)
        ]
        return self._observe(observed), rewards, *flags, {}

    def _observe(self, agents: list[str]) -> dict[str, Any]:
        observed = {}
        for agent in agents:
            seen = self.env.observe(agent)
            observed[agent] = {
                "observations": seen["observation"].astype(np.float32).ravel(),
                "action_mask": seen["action_mask"].astype(np.float32),
            }
        return observed

    def render(self) -> Any:
        return self.env.render()

    def close(self) -> None:
        self.env.close()
