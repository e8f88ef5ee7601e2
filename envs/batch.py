"""Many games of one kind in one record array, stepped together in numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core


@njit(cache=True)
def _present(rules, s, i, player, legal, observations, masks, players):
    """Write what the seat to move in game ``i`` sees."""
    players[i] = player
    core.legal_mask(rules, s, legal, masks[i])
    core.observe(rules, s, max(player, 0), observations[i])


@njit(cache=True, nogil=True)
def _reset_batch(
    rules, states, seeds, episodes, legal, probs, observations, masks, players, totals
):
    for i in range(states.shape[0]):
        s = states[i]
        episodes[i] = 0
        player = core.start(rules, s, core.derive_seed(seeds[i], 0), probs)
        core.returns(rules, s, totals[i])
        _present(rules, s, i, player, legal, observations, masks, players)


@njit(cache=True, nogil=True)
def _step_batch(
    rules,
    states,
    actions,
    seeds,
    episodes,
    autoreset,
    legal,
    probs,
    observations,
    masks,
    players,
    totals,
    rewards,
    terminations,
    truncations,
):
    """Step every game; returns the index of the first illegal action, or -1 (nothing done then)."""
    for i in range(states.shape[0]):
        if players[i] >= 0 and not (0 <= actions[i] < masks.shape[1] and masks[i, actions[i]] == 1):
            return i
    for i in range(states.shape[0]):
        s = states[i]
        if players[i] < 0:
            rewards[i, :] = 0.0
            continue
        player = core.play(rules, s, actions[i], probs)
        rewards[i, :] = totals[i]
        core.returns(rules, s, totals[i])
        for seat in range(rules.num_players):
            rewards[i, seat] = totals[i, seat] - rewards[i, seat]
        terminations[i] = player == core.TERMINAL
        truncations[i] = player == core.TRUNCATED
        if player < 0 and autoreset:
            episodes[i] += 1
            player = core.start(rules, s, core.derive_seed(seeds[i], episodes[i]), probs)
            core.returns(rules, s, totals[i])
        _present(rules, s, i, player, legal, observations, masks, players)
    return -1


class BatchEnv:
    """``num_envs`` games of one kind; every array below is changed in place by ``step``.

    Game ``i`` plays episode ``k`` from seed ``derive_seed(seeds[i], k)``, so a batch is
    reproducible whatever its size.

    Attributes:
        states: (N,) records. seeds: (N,) uint64. episodes: (N,) int64, games finished so far.
        observations: (N, *shape), what the seat to move sees. action_masks: (N, A) int8.
        players: (N,) int64, the seat to move, or ``TERMINAL`` / ``TRUNCATED`` without autoreset.
        rewards: (N, P) float64, each seat's reward of the last step.
        terminations, truncations: (N,) bool, whether the last step ended the game. With
            ``autoreset`` the observation is already that of the next game.
    """

    def __init__(
        self,
        spec: core.GameSpec,
        rules: Any,
        num_envs: int,
        *,
        seed: int = 0,
        autoreset: bool = True,
    ):
        if num_envs < 1:
            raise ValueError(f"num_envs={num_envs}; at least 1 is needed")
        self.spec, self.rules, self.num_envs, self.autoreset = spec, rules, num_envs, autoreset
        self.states = core.new_states(rules, num_envs)
        self.episodes = np.zeros(num_envs, np.int64)
        self.observations = np.zeros((num_envs, *rules.observation_shape), rules.observation_dtype)
        self.action_masks = np.zeros((num_envs, rules.num_actions), np.int8)
        self.players = np.zeros(num_envs, np.int64)
        self.rewards = np.zeros((num_envs, rules.num_players))
        self.terminations = np.zeros(num_envs, np.bool_)
        self.truncations = np.zeros(num_envs, np.bool_)
        self._totals = np.zeros((num_envs, rules.num_players))
        self._legal, self._probs = core.new_scratch(rules)
        self.reset(seed)

    def reset(self, seed: int | np.ndarray = 0) -> None:
        """Start all games anew, from one seed or from an (N,) array of uint64."""
        if isinstance(seed, np.ndarray):
            self.seeds = seed.astype(np.uint64)
            if self.seeds.shape != (self.num_envs,):
                raise ValueError(f"seeds of shape {seed.shape}; ({self.num_envs},) is needed")
        else:
            base = np.uint64(int(seed) & (2**64 - 1))
            self.seeds = np.array(
                [core.derive_seed(base, np.uint64(i)) for i in range(self.num_envs)], np.uint64
            )
        self.rewards[:] = 0
        self.terminations[:] = False
        self.truncations[:] = False
        _reset_batch(
            self.rules,
            self.states,
            self.seeds,
            self.episodes,
            self._legal,
            self._probs,
            self.observations,
            self.action_masks,
            self.players,
            self._totals,
        )

    def step(self, actions: np.ndarray) -> None:
        """Play one action in every game; in games that are over it is ignored.

        Args:
            actions: (N,) integers.

        Raises:
            ValueError: an illegal action; no game has been stepped.
        """
        bad = _step_batch(
            self.rules,
            self.states,
            actions,
            self.seeds,
            self.episodes,
            self.autoreset,
            self._legal,
            self._probs,
            self.observations,
            self.action_masks,
            self.players,
            self._totals,
            self.rewards,
            self.terminations,
            self.truncations,
        )
        if bad >= 0:
            legal = np.flatnonzero(self.action_masks[bad]).tolist()
            raise ValueError(
                f"{self.spec.name}: game {bad} may not play {actions[bad]}; legal: {legal}"
            )
