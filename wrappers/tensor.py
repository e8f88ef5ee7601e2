"""An AEC environment that observes the tensor alone, for code that takes no ``Dict``.

SuperSuit's wrappers of observations, for one:

    supersuit.frame_stack_v1(TensorObservation(envs.make("connect_four")), 4)
"""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from pettingzoo.utils import BaseWrapper

from stratagym.envs import core
from stratagym.envs.aec import GameEnv


class TensorObservation(BaseWrapper):
    """Observations are the tensor, a ``Box``; the mask stays in ``infos[agent]["action_mask"]``.

    Args:
        env: the environment.
    """

    def __init__(self, env: GameEnv):
        super().__init__(env)
        self.observation_spaces = {
            agent: space["observation"] for agent, space in env.observation_spaces.items()
        }
        self.action_spaces = env.action_spaces

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def observe(self, agent: str) -> np.ndarray:
        # From the kernel: SuperSuit's frame_stack asks once more for an agent that has left.
        env = self.unwrapped
        observation = np.empty(env.rules.observation_shape, env.rules.observation_dtype)
        seat = env.possible_agents.index(agent)
        core.observe_at(env.rules, env.states, 0, seat, observation)
        return observation
