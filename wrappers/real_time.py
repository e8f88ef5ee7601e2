"""What the real programs of games in real time share: spaces, players outside of a match, errors.

A reply of a language model is a plan of several moves; one is played at each decision, and the
model is asked again when they are used up, as in a match under ``--clock sync``.
"""

from __future__ import annotations

import contextlib
import sys
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from stratagym.agents.chat import TransportError
from stratagym.agents.core import Decision, Policy
from stratagym.envs.spaces import Discrete


def spaces_of(rules: Any, agents: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The observation and action spaces of a game by agent, as its own environment has them."""
    low, high = rules.observation_low, rules.observation_high
    seen = spaces.Box(low, high, rules.observation_shape, rules.observation_dtype)
    mask: Any = spaces.Box(0, 1, (rules.num_actions,), np.int8)
    observed = {agent: spaces.Dict({"observation": seen, "action_mask": mask}) for agent in agents}
    return observed, {agent: Discrete(rules.num_actions) for agent in agents}


class Queued:
    """A policy with the moves of its last reply that wait.

    Attributes:
        rejected: how many moves could not be played when their turn came; they were idle.
    """

    def __init__(self, policy: Policy):
        self.policy = policy
        self.rejected = 0
        self._waiting: deque[str] = deque()

    def act(self, decision: Decision) -> int:
        """The action of this decision.

        Raises:
            ValueError, TransportError: what a language model's ``answer`` raises.
        """
        answer = getattr(self.policy, "answer", None)
        if answer is None:
            return self.policy.act(decision)
        if not self._waiting:
            self._waiting.extend(answer(decision).moves)
        return self._next(decision, decision.legal.tolist())

    def _next(self, decision: Decision, legal: Collection[int]) -> int:
        view = decision.spec.module("view")
        move = self._waiting.popleft()
        try:
            action = int(view.string_to_action(decision.rules, decision.states[0], move))
        except ValueError:
            action = -1
        if action in legal:
            return action
        self.rejected += 1
        return int(view.IDLE)


@contextlib.contextmanager
def ending(command: str, *errors: type[Exception]) -> Iterator[None]:
    """Let a command end in one line: with 3 if a model cannot be reached, with 2 for ``errors``."""
    try:
        yield
    except TransportError as error:
        told = f"{error.reason}: {error.message}" if error.message else error.reason
        print(f"{command}: the model cannot be reached: {told}", file=sys.stderr)
        sys.exit(3)
    except errors as error:
        print(f"{command}: {error}", file=sys.stderr)
        sys.exit(2)
