"""An AEC environment as text: prompts for observations, replies for actions."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from pettingzoo.utils import BaseWrapper

from stratagym.envs.aec import GameEnv
from stratagym.envs.text import OK, TextGame, TextOptions


class TextObservation(BaseWrapper):
    """An AEC environment whose observations are prompts and whose actions are replies.

    The observation is the prompt as one string; ``infos[agent]["messages"]`` has it as chat
    messages. A reply that is not a legal move is handled as the environment handles an illegal
    action, and ``infos[agent]["outcome"]`` of the agent that gave it says what it came to.
    A reply that is a plan plays all of its actions, and what it says is in the prompts of those
    who heard it. Where seats decide at the same time, no prompt shows what others have committed.
    """

    def __init__(self, env: GameEnv, text: TextOptions = TextOptions()):  # noqa: B008 - frozen
        super().__init__(env)
        text.check(env.spec)
        self.text = text
        self._game = TextGame(env.spec.name, text, rules=env.rules)
        self._space = spaces.Text(max_length=100_000, min_length=0, charset=_Printable())

    def observation_space(self, agent: str) -> spaces.Space:
        return self._space

    def action_space(self, agent: str) -> spaces.Space:
        return self._space

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        super().reset(seed=seed, options=options)
        self._game.begin(self.unwrapped.states)

    def observe(self, agent: str) -> str:
        env = self.unwrapped
        if agent != env.agent_selection or env.terminations[agent] or env.truncations[agent]:
            return ""
        asked = self._followed().observe().messages
        env.infos[agent]["messages"] = asked
        return "\n\n".join(message["content"] for message in asked)

    def step(self, action: str | None) -> None:
        env = self.unwrapped
        if action is None or not env.agents:
            super().step(action)
            return
        agent = env.agent_selection
        game = self._followed()
        before = len(game.actions)
        outcome = game.submit(action)
        if outcome.kind == OK:
            while not game.over and game.is_waiting(game.seat):
                game.play_waiting()
            self._play(agent, game.actions[before:])
        else:
            super().step(-1)
        env.infos[agent]["outcome"] = outcome

    def _followed(self) -> TextGame:
        """The game in words, where the environment is."""
        states = self.unwrapped.states
        if not np.array_equal(self._game.states, states):
            self._game.begin(states)
        return self._game

    def _play(self, agent: str, actions: list[int]) -> None:
        """Step the environment as if the actions were one, up to a limit of it."""
        env = self.unwrapped
        total = dict.fromkeys(env.possible_agents, 0.0)
        before = dict(env._cumulative_rewards)
        for action in actions:
            if env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
                break
            super().step(action)
            for other, reward in env.rewards.items():
                total[other] += reward
        if len(actions) > 1:
            before[agent] = 0.0
            env.rewards = total
            env._rewarded = any(total.values())
            env._cumulative_rewards = {
                other: before[other] + total[other] for other in env._cumulative_rewards
            }


class _Printable(frozenset):
    """A character set that holds every character; its listing, for sampling, is ASCII."""

    def __new__(cls) -> _Printable:
        return super().__new__(cls, map(chr, (10, *range(32, 127))))

    def __contains__(self, character: object) -> bool:
        return isinstance(character, str)
