"""Many games of one kind in one record array, stepped together in numba."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import checks, core
from stratagym.envs.display import Display, about
from stratagym.envs.threads import Helpers

PARTS = 16
"""Parts of the games for each thread: with more than one, the quicker threads take more of them."""
MAX_SKIPPED = 1000
"""Episodes in a row that may end before anybody has a decision; a batch passes over them."""
LEAST_GAMES = 256
"""Games in such a part, at least; handing one over costs some microseconds."""


def _mask_of_list(rules, s, legal, masks, i):
    for action in range(masks.shape[1]):
        masks[i, action] = 0
    n = core.legal_actions(rules, s, legal)
    for k in range(n):
        masks[i, legal[k]] = 1


@core.kernel("rules", default=_mask_of_list)
def write_mask(rules, s, legal, masks, i):
    """Write the mask of the legal actions into row ``i`` of ``masks`` (N, A); a seat is to move.

    Rules that hold their legal actions as bits may define it, to write many at once. ``legal`` is
    scratch.
    """


@njit(cache=True)
def _present(rules, s, i, player, legal, observing, observations, masks, players):
    """Write what the seat to move in game ``i`` sees."""
    # Indices instead of rows and slices: views cost counted references.
    players[i] = player
    if player >= 0:
        write_mask(rules, s, legal, masks, i)
    else:
        for action in range(masks.shape[1]):
            masks[i, action] = 0
    if observing:
        core.observe(rules, s, max(player, 0), observations[i])


@njit(cache=True)
def _begin(rules, s, i, seeds, episodes, probs, total, totals, autoreset):
    """Start the episode of game ``i``, under ``autoreset`` the first from it with a decision.

    Returns the seat to move.
    """
    player = core.start(rules, s, core.derive_seed(seeds[i], episodes[i]), probs)
    if autoreset:
        for _ in range(MAX_SKIPPED):
            if player >= 0:
                break
            episodes[i] += 1
            player = core.start(rules, s, core.derive_seed(seeds[i], episodes[i]), probs)
    core.returns(rules, s, total)
    for seat in range(rules.num_players):
        totals[i, seat] = total[seat]
    return player


@njit(cache=True, nogil=True)
def _observe_games(rules, states, players, observations):
    for i in range(states.shape[0]):
        core.observe(rules, states[i], max(players[i], 0), observations[i])


@njit(cache=True, nogil=True)
def _find_illegal(actions, players, masks):
    """The first game whose action is illegal, or -1."""
    for i in range(players.shape[0]):
        if players[i] >= 0 and not (0 <= actions[i] < masks.shape[1] and masks[i, actions[i]] == 1):
            return i
    return -1


@njit(cache=True, nogil=True)
def _step_games(
    rules, states, seeds, episodes, legal, probs, total, observing, observations, masks,
    players, totals, rewards, terminations, truncations, actions, autoreset, anew,
):  # fmt: skip
    """Step the games, their actions being legal, or start all of them ``anew``.

    Both in one function: each holds all of a game's rules, whose code takes seconds to compile.
    """
    for i in range(states.shape[0]):
        s = states[i]
        player = core.TERMINAL
        if anew:
            episodes[i] = -1
        elif players[i] < 0:
            for seat in range(rules.num_players):
                rewards[i, seat] = 0.0
            continue
        else:
            player = core.play(rules, s, actions[i], probs)
            core.returns(rules, s, total)
            for seat in range(rules.num_players):
                rewards[i, seat] = core.round_return(rules, total[seat] - totals[i, seat])
                totals[i, seat] = total[seat]
            terminations[i] = player == core.TERMINAL
            truncations[i] = player == core.TRUNCATED
        if player < 0 and (autoreset or anew):
            episodes[i] += 1
            player = _begin(rules, s, i, seeds, episodes, probs, total, totals, autoreset)
        _present(rules, s, i, player, legal, observing, observations, masks, players)


@njit(cache=True)
def _derive_seeds(seed, seeds):
    for i in range(seeds.shape[0]):
        seeds[i] = core.derive_seed(seed, i)


class BatchEnv(Display):
    """``num_envs`` games of one kind; every array below is changed in place by ``step``.

    Game ``i`` plays episode ``k`` from seed ``derive_seed(seeds[i], k)``, so a batch is
    reproducible whatever its size and its ``threads``.

    Args:
        spec: the game's facts. rules: its options in force. num_envs: N.
        seed: as in ``reset``.
        autoreset: start the next episode of a game in the step that ends one; episodes that end
            before anybody has a decision are passed over.
        threads: that share out the games of every step; the GIL is free meanwhile. They want
            processors that are free, and many games.
        observe: False leaves ``observations`` as they are until ``observe`` is called, where a
            policy does not need them at every step. Chess spends most of a step on its 7 kB.

    Attributes:
        states: (N,) records. seeds: (N,) uint64. episodes: (N,) int64, games finished so far.
        observations: (N, *shape), what the seat to move sees. action_masks: (N, A) int8.
        players: (N,) int64, the seat to move, or ``TERMINAL`` / ``TRUNCATED`` without autoreset.
        rewards: (N, P) float64, each seat's reward of the last step.
        terminations, truncations: (N,) bool, whether the last step ended the game. With
            ``autoreset`` the observation is already that of the next game.

    Raises:
        ValueError: a wrong argument, in one line that says what would be right.
    """

    def __init__(
        self,
        spec: core.GameSpec,
        rules: Any,
        num_envs: int,
        *,
        seed: int | Sequence[int] | np.ndarray = 0,
        autoreset: bool = True,
        threads: int = 1,
        observe: bool = True,
    ):
        num_envs = checks.count("num_envs", num_envs)
        self.threads = min(checks.count("threads", threads), num_envs)
        self.spec, self.rules, self.num_envs = spec, rules, num_envs
        self.autoreset, self.observing = bool(autoreset), bool(observe)
        self.states = core.new_states(rules, num_envs)
        self.seeds = np.zeros(num_envs, np.uint64)
        self.episodes = np.zeros(num_envs, np.int64)
        self.observations = np.zeros((num_envs, *rules.observation_shape), rules.observation_dtype)
        self.action_masks = np.zeros((num_envs, rules.num_actions), np.int8)
        self.players = np.zeros(num_envs, np.int64)
        self.rewards = np.zeros((num_envs, rules.num_players))
        self.terminations = np.zeros(num_envs, np.bool_)
        self.truncations = np.zeros(num_envs, np.bool_)
        self._totals = np.zeros((num_envs, rules.num_players))
        self._bind()
        self.reset(seed)

    def _bind(self) -> None:
        """Find the compiled code and cut the games into parts, each with rows and scratch."""
        most = max(1, self.num_envs // (self.threads * LEAST_GAMES))
        parts = 1 if self.threads == 1 else self.threads * min(PARTS, most)
        bounds = np.linspace(0, self.num_envs, parts + 1).astype(int).tolist()
        self._rows = [slice(*pair) for pair in itertools.pairwise(bounds)]
        self._parts = [
            (
                self.rules, self.states[k], self.seeds[k], self.episodes[k],
                *core.new_scratch(self.rules), np.zeros(self.rules.num_players),
                self.observing, self.observations[k], self.action_masks[k],
                self.players[k], self._totals[k],
            )
            for k in self._rows
        ]  # fmt: skip
        self._ends = [
            (self.rewards[k], self.terminations[k], self.truncations[k]) for k in self._rows
        ]
        part, ends, actions = self._parts[0], self._ends[0], self.episodes
        self._step_games = core.direct(_step_games, *part, *ends, actions, True, True)
        self._find_illegal = core.direct(_find_illegal, actions, self.players, self.action_masks)
        self._helpers: Helpers | None = None

    def __getstate__(self) -> dict[str, Any]:
        bound = ("_rows", "_parts", "_ends", "_helpers", "_step_games", "_find_illegal")
        return {name: value for name, value in vars(self).items() if name not in bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def _share(self, function: Callable[..., None], work: list[tuple[Any, ...]]) -> None:
        """Call ``function`` with each of the arguments in ``work``, at once."""
        if len(work) > 1:
            if self._helpers is None or self._helpers.pid != os.getpid():
                self._helpers = Helpers(self.threads - 1)  # a fork leaves the threads behind
            self._helpers.share(function, work)
        else:
            function(*work[0])

    def _share_steps(self, actions: np.ndarray, anew: bool) -> None:
        """Step all games; started ``anew``, they take no notice of ``actions``."""
        work = [
            (*part, *ends, actions[k], self.autoreset, anew)
            for part, ends, k in zip(self._parts, self._ends, self._rows, strict=True)
        ]
        self._share(self._step_games, work)

    def reset(self, seed: int | Sequence[int] | np.ndarray = 0) -> None:
        """Start all games anew, from one seed or from (N,) of them, each 0 to 2**64 - 1.

        Raises:
            ValueError: seeds that are none, or not N; the games are as before.
        """
        if np.ndim(seed) == 0:
            _derive_seeds(np.uint64(checks.seed_number(seed)), self.seeds)
        else:
            self.seeds[:] = checks.seed_array(self.num_envs, seed)
        self.rewards[:] = 0
        self.terminations[:] = False
        self.truncations[:] = False
        self._share_steps(self.episodes, anew=True)

    def step(self, actions: np.ndarray | Sequence[int]) -> None:
        """Play one action in every game; in games that are over it is ignored.

        Args:
            actions: (N,) integers.

        Raises:
            ValueError: actions of another shape or type, or an illegal one; no game has been
                stepped.
        """
        chosen = checks.action_array(self.spec.name, self.num_envs, actions)
        bad = self._find_illegal(chosen, self.players, self.action_masks)
        if bad >= 0:
            legal = checks.some_of(np.flatnonzero(self.action_masks[bad]))
            raise ValueError(
                f"{self.spec.name}: game {bad} may not play {actions[bad]}; legal: {legal}"
            )

        self._share_steps(chosen, anew=False)

    def observe(self) -> np.ndarray:
        """Bring ``observations`` to date and return them; what ``step`` does by itself unless the
        batch was made with ``observe=False``."""
        work = [
            (self.rules, self.states[k], self.players[k], self.observations[k]) for k in self._rows
        ]
        self._share(_observe_games, work)
        return self.observations

    def _shown(self) -> tuple[core.GameSpec, Any, np.ndarray, str]:
        line = f"{self.num_envs} games, {int(self.episodes.sum())} finished; game 0: "
        return self.spec, self.rules, self.states, line + about(int(self.players[0]))
