"""An AEC environment as text: prompts for observations, replies for actions."""

from __future__ import annotations

from gymnasium import spaces
from pettingzoo.utils import BaseWrapper

from stratagym.envs.aec import GameEnv
from stratagym.envs.text import OK, TextOptions, judge, messages


class TextObservation(BaseWrapper):
    """An AEC environment whose observations are prompts and whose actions are replies.

    The observation is the prompt as one string; ``infos[agent]["messages"]`` has it as chat
    messages. A reply that is not a legal move is handled as the environment handles an illegal
    action, and ``infos[agent]["outcome"]`` of the agent that gave it says what it came to.
    """

    def __init__(self, env: GameEnv, text: TextOptions = TextOptions()):  # noqa: B008 - frozen
        super().__init__(env)
        text.check(env.spec)
        self.text = text
        self._space = spaces.Text(max_length=100_000, min_length=0, charset=_Printable())

    def observation_space(self, agent: str) -> spaces.Space:
        return self._space

    def action_space(self, agent: str) -> spaces.Space:
        return self._space

    def observe(self, agent: str) -> str:
        env = self.unwrapped
        if agent != env.agent_selection or env.terminations[agent] or env.truncations[agent]:
            return ""
        asked = messages(env.spec, env.rules, env.states, self.text)
        env.infos[agent]["messages"] = asked
        return "\n\n".join(message["content"] for message in asked)

    def step(self, action: str | None) -> None:
        env = self.unwrapped
        if action is None or not env.agents:
            super().step(action)
            return
        agent = env.agent_selection
        outcome = judge(env.spec, env.rules, env.states, action, self.text)
        super().step(outcome.action if outcome.kind == OK else -1)
        env.infos[agent]["outcome"] = outcome


class _Printable(frozenset):
    """A character set that holds every character; its listing, for sampling, is ASCII."""

    def __new__(cls) -> _Printable:
        return super().__new__(cls, map(chr, (10, *range(32, 127))))

    def __contains__(self, character: object) -> bool:
        return isinstance(character, str)
