"""Any game whose seats decide at the same time as a PettingZoo parallel environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import ParallelEnv

from stratagym import envs
from stratagym.envs import checks, core
from stratagym.envs.aec import GameEnv
from stratagym.envs.display import Display
from stratagym.envs.turns import OpenTurn


class ParallelGame(Display, ParallelEnv):
    """A simultaneous game in which every agent acts at each step.

    A step takes one kernel action of every seat that still owes one in the running turn, each
    checked and observed as if nobody else had acted in it. When no seat owes any, all that was
    committed is played and the turn resolves. Until then rewards are 0. A seat that owes none, as
    it has committed all of its plan or has nothing to decide in this turn, waits:
    ``infos[agent]["waiting"]`` is true, its mask allows action 0 alone, and its action is ignored.

    Observations, action masks, spaces, ``illegal`` and ``render_mode`` are as in ``GameEnv``; only
    the infos of agents that acted illegally have ``"illegal"``.

    Attributes:
        spec, rules: the game and its options. max_cycles: steps after which a game is truncated.

    Raises:
        ValueError: the game's seats decide one after the other.
    """

    def __init__(
        self,
        spec: core.GameSpec,
        rules: Any,
        *,
        render_mode: str | None = None,
        illegal: str = "terminate",
        max_cycles: int | None = None,
    ):
        if not spec.is_simultaneous:
            raise ValueError(
                f"{spec.name}: its seats decide one after the other; make its AEC environment"
            )
        if max_cycles is not None:
            max_cycles = checks.count("max_cycles", max_cycles)
        # The turn is played there when everybody has committed.
        self._env = GameEnv(spec, rules, render_mode=render_mode, illegal=illegal)
        self.metadata = {**self._env.metadata, "is_parallelizable": True}
        self.spec, self.rules, self.max_cycles = spec, rules, max_cycles
        self.render_mode = render_mode
        self.possible_agents = self._env.possible_agents[:]
        self.agents: list[str] = []
        self.observation_spaces = self._env.observation_spaces
        self.action_spaces = self._env.action_spaces
        self._scratch = core.new_scratch(rules)
        self._turn: OpenTurn

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a game; returns (observations, infos) by agent. Arguments as in ``GameEnv``."""
        self._env.reset(seed, options)
        self.agents = self.possible_agents[:]
        self._cycles = 0
        self._begin_turn()
        return self._observations(), self._infos()

    def _begin_turn(self) -> None:
        over = self._env.terminations[self.agents[0]] or self._env.truncations[self.agents[0]]
        if not over:
            self._turn = OpenTurn(self.rules, self._env.states)
        seats = [] if over else self._turn.seats
        # What the seats of the turn see; of one that has committed all, from before its last.
        self._positions = {seat: self._turn.position(seat) for seat in seats}
        self._own: dict[int, list[int]] = {seat: [] for seat in seats}
        self._owing = set(seats)

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict]]:
        """Take the agents' actions; those of agents that wait are ignored.

        Returns:
            (observations, rewards, terminations, truncations, infos) by agent.

        Raises:
            ResetNeeded: before the first ``reset`` or after the end.
            TypeError: an action is no whole number. The game is as before.
            ValueError: an agent that owes an action gives none; or, under ``illegal="raise"``, an
                illegal one. The game is as before.
        """
        if not self.agents:
            raise ResetNeeded("call reset() before step()")
        agents = self.agents
        chosen: dict[int, int] = {}
        offenders: dict[str, dict[str, Any]] = {}
        for seat in sorted(self._owing):
            agent = self.possible_agents[seat]
            if actions.get(agent) is None:
                raise ValueError(f"{self.spec.name}: {agent} owes an action and gives none")
            chosen[seat] = checks.action_number(self.spec.name, agent, actions[agent])
            mask = self._mask(seat)
            if not (0 <= chosen[seat] < len(mask) and mask[chosen[seat]]):
                if self._env.illegal == "raise":
                    raise ValueError(
                        f"{self.spec.name}: {agent} may not play {actions[agent]!r}; "
                        f"legal: {checks.some_of(np.flatnonzero(mask))}"
                    )
                offenders[agent] = dict(checks.illegal_info(agent, chosen[seat], mask))
        rewards = dict.fromkeys(agents, 0.0)
        terminations, truncations = dict.fromkeys(agents, False), dict.fromkeys(agents, False)
        if offenders:
            rewards |= dict.fromkeys(offenders, -1.0)
            terminations = dict.fromkeys(agents, True)
            checks.warn_of_illegal(self.spec.name)
        else:
            for seat, action in chosen.items():
                self._commit(seat, action)
            if not self._owing:
                self._resolve(rewards)
                terminations |= {agent: self._env.terminations[agent] for agent in agents}
                truncations |= {agent: self._env.truncations[agent] for agent in agents}
                self._begin_turn()
        self._cycles += 1
        over = any(terminations.values()) or any(truncations.values())
        if not over and self.max_cycles is not None and self._cycles >= self.max_cycles:
            truncations, over = dict.fromkeys(agents, True), True
        if over:
            self._owing = set()
        infos = self._infos()
        for agent, told in offenders.items():
            infos[agent]["illegal"] = told
        found = self._observations(), rewards, terminations, truncations, infos
        if over:
            self.agents = []
        return found

    def _commit(self, seat: int, action: int) -> None:
        self._own[seat].append(action)
        after = self._positions[seat].copy()
        core.play_at(self.rules, after, 0, action, *self._scratch)
        if self._turn.is_deciding(seat, after):
            self._positions[seat] = after
        else:
            self._owing.discard(seat)

    def _resolve(self, rewards: dict[str, float]) -> None:
        for seat in self._turn.seats:
            for action in self._own[seat]:
                self._env.step(action)
                for agent, reward in self._env.rewards.items():
                    rewards[agent] += reward

    def _mask(self, seat: int) -> np.ndarray:
        mask = np.zeros(self.rules.num_actions, np.int8)
        if seat in self._owing:
            legal = self._scratch[0]
            n = core.legal_actions_at(self.rules, self._positions[seat], 0, legal)
            mask[legal[:n]] = 1
        else:
            mask[0] = 1
        return mask

    def _observations(self) -> dict[str, Any]:
        found = {}
        for agent in self.agents:
            seat = self.possible_agents.index(agent)
            out = np.empty(self.rules.observation_shape, self.rules.observation_dtype)
            core.observe_at(self.rules, self._positions.get(seat, self._env.states), 0, seat, out)
            found[agent] = {"observation": out, "action_mask": self._mask(seat)}
        return found

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {
            agent: {
                "action_mask": self._mask(seat),
                "waiting": seat not in self._owing,
            }
            for seat, agent in enumerate(self.possible_agents)
            if agent in self.agents
        }

    def state(self) -> np.ndarray:
        """Every seat's observation as the turn began, flat: (players, size)."""
        return self._env.state()

    def render(self) -> Any:
        """As ``GameEnv.render``; what is committed in the running turn is not in the picture."""
        return self._env.render()

    def _shown(self) -> tuple[core.GameSpec, Any, np.ndarray, str]:
        return self._env._shown()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._env.close()


def parallel_env(
    game: str,
    *,
    render_mode: str | None = None,
    illegal: str = "terminate",
    max_cycles: int | None = None,
    **options: Any,
) -> ParallelGame:
    """A simultaneous game's parallel environment; arguments as of ``stratagym.envs.make``.

    Raises:
        ValueError: an unknown game, option or value, or a game that is not simultaneous.
    """
    spec = envs.spec(game)
    return ParallelGame(
        spec,
        spec.make_rules(**options),
        render_mode=render_mode,
        illegal=illegal,
        max_cycles=max_cycles,
    )
