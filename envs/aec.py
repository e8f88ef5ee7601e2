"""Any game as a PettingZoo AEC environment: all AEC bookkeeping of the project is here."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from functools import cache
from sys import getrefcount
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numba import njit
from pettingzoo import AECEnv

from stratagym.envs import checks, core
from stratagym.envs.annotations import Action, Info, Observation
from stratagym.envs.display import Display, about
from stratagym.envs.spaces import Discrete
from stratagym.envs.window import RENDER_MODES, Rendered

CLEARED = 8000
"""Of more actions a mask is not made anew at every step: one that nobody holds any more is taken
and its ones are cleared. (Of 10,000 actions a step took 5.2 us with new masks and 4.5 with cleared
ones, of 200,000 it took 12.9 and 4.5; of 5,000 no difference could be told.)"""
BUFFERS = 4
"""Masks that are kept for that."""


@njit(cache=True)
def _reset(rules, states, seed, legal, probs, mask, total):
    """Start a game; returns the seat to move.

    ``mask`` is all zeros before. The last number of ``legal`` tells how many actions are.
    """
    s = states[0]
    player = core.start(rules, s, seed, probs)
    legal[-1] = core.add_legal(rules, s, legal, mask)
    core.returns(rules, s, total)
    return player


@njit(cache=True)
def _step(rules, states, action, legal, probs, mask, total, reward):
    """Play and tell mask, returns and rewards; ``legal`` and ``mask`` as of ``_reset``.

    Returns (seat to move, whether there is any reward).
    """
    s = states[0]
    player = core.play(rules, s, action, probs)
    legal[-1] = core.add_legal(rules, s, legal, mask)
    rewarded = False
    for seat in range(total.shape[0]):
        reward[seat] = total[seat]
    core.returns(rules, s, total)
    for seat in range(total.shape[0]):
        reward[seat] = core.round_return(rules, total[seat] - reward[seat])
        if reward[seat] != 0.0:
            rewarded = True
    return player, rewarded


@njit(cache=True)
def _clear(legal, mask):
    """Make a mask all zeros again, ``legal`` as of ``_reset``."""
    for k in range(legal[-1]):
        mask[legal[k]] = 0


@cache
def _held_once() -> int:
    """What ``getrefcount`` says of the first of a pair that nothing else holds."""
    for pair in [(np.zeros(1), None)]:
        return getrefcount(pair[0])
    raise AssertionError


class GameEnv(Display, Rendered, AECEnv):
    """A game over its kernel, one agent at a time.

    Agents are ``player_0`` ..; observations are ``{"observation", "action_mask"}`` and the same
    mask object is in ``infos[agent]["action_mask"]``; it is all zeros for a seat not to move.
    Rewards are differences of the game's returns. Order checks and illegal actions are handled
    here, so that no wrapper is needed. Where an illegal action has ended the game, every agent's
    info has ``"illegal"``: the ``"agent"``, its ``"action"`` and the ``"action_mask"`` then.

    Attributes:
        spec: the game's facts. rules: the options in force, as the kernel takes them.
        states: the game as an array of one record, for searches; copy it before changing it.
    """

    possible_agents: list[str]
    agents: list[str]
    agent_selection: str
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, Info]

    if TYPE_CHECKING:  # PettingZoo has no types

        def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]: ...

    def __init__(
        self,
        spec: core.GameSpec,
        rules: Any,
        *,
        render_mode: str | None = None,
        illegal: str = "terminate",
        max_cycles: int | None = None,
    ):
        self.metadata: dict[str, Any] = {
            "name": f"{spec.name}_v{spec.version}",
            "render_modes": [*RENDER_MODES],
            "render_fps": 2,
            "is_parallelizable": False,
        }
        checks.check_words(render_mode, RENDER_MODES, illegal)
        if max_cycles is not None:
            max_cycles = checks.count("max_cycles", max_cycles)
        self.spec = spec
        self.rules = rules
        self.states = core.new_states(rules)
        self.render_mode = render_mode
        self.illegal = illegal
        self.max_cycles = max_cycles
        self.possible_agents = [f"player_{seat}" for seat in range(rules.num_players)]
        self.agents = []
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._shape, self._dtype = rules.observation_shape, np.dtype(rules.observation_dtype)
        self._num_actions = rules.num_actions
        bounds = core.observation_bounds(rules)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(*bounds, self._shape, rules.observation_dtype),
                    "action_mask": spaces.Box(0, 1, (self._num_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(self._num_actions) for agent in self.possible_agents}
        self.state_space = spaces.Box(
            *bounds,
            (rules.num_players, int(np.prod(self._shape))),
            rules.observation_dtype,
        )
        self._buffers: list[tuple[np.ndarray, np.ndarray]] = []
        self._clears = self._num_actions > CLEARED
        self._probs = core.new_scratch(rules)[1]
        self._total = np.zeros(rules.num_players)
        self._reward = np.zeros(rules.num_players)
        self._mask, self._legal = self._new_mask()
        self._next_seed: int | None = None
        self._bind()

    def _bind(self) -> None:
        """Find the compiled code: calls of it skip numba's look at the types."""
        arrays = self._legal, self._probs, self._mask, self._total
        seen = np.empty(self._shape, self._dtype)
        self._reset = core.direct(_reset, self.rules, self.states, np.uint64(0), *arrays)
        self._step = core.direct(_step, self.rules, self.states, 0, *arrays, self._reward)
        self._observe = core.direct(core.observe_at, self.rules, self.states, 0, 0, seen)

    def _new_mask(self) -> tuple[np.ndarray, np.ndarray]:
        n = self._num_actions
        return np.zeros(n, np.int8), np.zeros(n + 1, np.int64)

    def _cleared_mask(self) -> np.ndarray:
        """A mask of zeros for the next step, whose actions ``_legal`` will be, of many actions."""
        for pair in self._buffers:
            if getrefcount(pair[0]) == _held_once():
                mask, self._legal = pair
                _clear(self._legal, mask)
                return mask
        mask, self._legal = self._new_mask()
        self._buffers = [(mask, self._legal), *self._buffers[: BUFFERS - 1]]
        return mask

    def __getstate__(self) -> dict[str, Any]:
        compiled = ("_reset", "_step", "_observe")
        return {name: value for name, value in vars(self).items() if name not in compiled}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game. Without a seed, the next of a sequence that the last seed began.

        Args:
            seed: 0 to 2**64 - 1.
            options: there are none, and a warning is logged of any that are given: PettingZoo's own
                tests give some, so that they cannot be refused.

        Raises:
            ValueError: a seed that is none; the game is as before.
        """
        if options:
            checks.warn_of_options(self.spec.name, tuple(map(str, options)))
        if seed is None:
            seed = secrets.randbits(63) if self._next_seed is None else self._next_seed
        seed = checks.seed_number(seed)
        self._next_seed = int(core.derive_seed(np.uint64(seed), np.uint64(1)))
        mask = self._cleared_mask() if self._clears else np.zeros(self._num_actions, np.int8)
        player = self._reset(
            self.rules, self.states, seed, self._legal, self._probs, mask, self._total
        )
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._zeros = np.zeros(self._num_actions, np.int8)
        self.infos = {agent: {"action_mask": self._zeros} for agent in self.agents}
        self._skip_agent_selection = None
        self._rewarded = False
        self._cycles = 0
        self._select(player, mask)
        if self.render_mode == "human":
            self.render()

    def _select(self, player: int, mask: np.ndarray) -> None:
        """Give the turn to ``player``, or end the game for all."""
        self._mask = mask
        if player >= 0:
            self.agent_selection = agent = self.possible_agents[player]
            self.infos[agent] = {"action_mask": mask}
        else:
            self._end(self.terminations if player == core.TERMINAL else self.truncations)

    def _end(self, flags: dict[str, bool]) -> None:
        self._mask = self._zeros
        for agent in self.agents:
            flags[agent] = True
            self.infos[agent] = {"action_mask": self._zeros}
        self.agent_selection = self.agents[0]

    def step(self, action: Action) -> None:
        """Play ``action`` for the agent to move; ``None`` for an agent whose game is over.

        Raises:
            ResetNeeded: before the first ``reset`` or after the last agent has left.
            TypeError: ``action`` is no whole number; the game is as before.
            ValueError: an illegal action under ``illegal="raise"``; the game is as before.
        """
        if not self.agents:
            raise ResetNeeded("call reset() before step()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is not None and type(action) is not int:
            action = checks.action_number(self.spec.name, agent, action)
        mask = self._mask
        legal = action is not None and 0 <= action < self._num_actions and mask[action] == 1
        if not legal and self.illegal == "raise":
            raise ValueError(
                f"{self.spec.name}: {agent} may not play {action!r}; "
                f"legal: {checks.some_of(np.flatnonzero(mask))}"
            )
        if self._rewarded:
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._rewarded = False
        self._cumulative_rewards[agent] = 0.0
        if not legal:
            self.rewards[agent] = -1.0
            self._rewarded = True
            self._accumulate_rewards()
            self._end(self.terminations)
            for info in self.infos.values():
                info["illegal"] = checks.illegal_info(agent, action, mask)
            checks.warn_of_illegal(self.spec.name)
            return
        mask = self._cleared_mask() if self._clears else np.zeros(self._num_actions, np.int8)
        player, self._rewarded = self._step(
            self.rules,
            self.states,
            action,
            self._legal,
            self._probs,
            mask,
            self._total,
            self._reward,
        )
        self.infos[agent] = {"action_mask": self._zeros}
        if self._rewarded:
            for seat, reward in enumerate(self._reward.tolist()):
                self.rewards[self.possible_agents[seat]] = reward
            self._accumulate_rewards()
        self._cycles += 1
        self._select(player, mask)
        if player >= 0 and self._cycles == self.max_cycles:
            self._end(self.truncations)
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What ``agent`` sees, as fresh arrays (the mask is shared with ``infos``)."""
        observation = np.empty(self._shape, self._dtype)
        self._observe(self.rules, self.states, 0, self._seat[agent], observation)
        return {"observation": observation, "action_mask": self.infos[agent]["action_mask"]}

    @overload
    def last(
        self, observe: Literal[True] = True
    ) -> tuple[Observation, float, bool, bool, Info]: ...

    @overload
    def last(self, observe: Literal[False]) -> tuple[None, float, bool, bool, Info]: ...

    @overload
    def last(self, observe: bool) -> tuple[Observation | None, float, bool, bool, Info]: ...

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, Info]:
        """(observation, cumulative reward, termination, truncation, info) of the agent to move."""
        if not self.agents:
            raise ResetNeeded("call reset() before last()")
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def state(self) -> np.ndarray:
        """Every seat's observation, flat: (players, size), for centralised critics."""
        views = np.empty((self.rules.num_players, *self._shape), self._dtype)
        for seat in range(self.rules.num_players):
            self._observe(self.rules, self.states, 0, seat, views[seat])
        return views.reshape(self.state_space.shape)

    def _shown(self) -> tuple[core.GameSpec, Any, np.ndarray, str]:
        if self._next_seed is None:
            return self.spec, self.rules, self.states[:0], "not begun; call reset()"
        player = int(core.current_player_at(self.rules, self.states, 0))
        line = about(player, self._cycles)
        ended = [*self.terminations.values(), *self.truncations.values()]
        if player >= 0 and (any(ended) or not self.agents):
            line = f"ply {self._cycles}, stopped"  # by max_cycles or an illegal action
        return self.spec, self.rules, self.states, line

    def render(self) -> Any:
        """A text (``ansi``), an RGB array of (height, width, 3) uint8, or a window's next frame."""
        return self._rendered(self.spec)
