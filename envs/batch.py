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
_NEXT, _FIRST, _LEAVE = range(3)
"""What to do in a game that is not stepped: begin its next or its first episode, leave it alone."""
_COUNTS = np.dtype([("episode", "i8"), ("begun", "i8"), ("episode_length", "i8")], align=True)
"""One array of three numbers: every array that a compiled call takes costs it some time.

``begun``: the batch's step after which an episode began, so that a step of a game counts nothing;
of a game that is over, -1 - its decisions.
"""


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


@njit(cache=True, inline="always")
def _begin(rules, s, i, seeds, counts, probs, total, sums, autoreset, now):
    """Start the next episode of game ``i``, under ``autoreset`` the next with a decision.

    Returns the seat to move.
    """
    player = core.TERMINAL
    for _ in range(1 + MAX_SKIPPED):
        counts[i].episode += 1
        player = core.start(rules, s, core.derive_seed(seeds[i], counts[i].episode), probs)
        if player >= 0 or not autoreset:
            break
    core.returns(rules, s, total)
    for seat in range(rules.num_players):
        sums[i, seat] = total[seat]
    counts[i].begun = now if player >= 0 else -1
    return player


@njit(cache=True, nogil=True)
def _observe_games(rules, states, players, observations):
    for i in range(states.shape[0]):
        core.observe(rules, states[i], max(players[i], 0), observations[i])


@njit(cache=True, nogil=True)
def _observe_seats(rules, states, chosen, views):
    for i in range(states.shape[0]):
        if chosen[i]:
            for seat in range(rules.num_players):
                core.observe(rules, states[i], seat, views[i, seat])


@njit(cache=True, nogil=True)
def _find_illegal(actions, players, masks):
    """The first game whose action is illegal, or -1."""
    for i in range(players.shape[0]):
        if players[i] >= 0 and not (0 <= actions[i] < masks.shape[1] and masks[i, actions[i]] == 1):
            return i
    return -1


@njit(cache=True, nogil=True)
def _step_games(
    rules, states, seeds, counts, legal, probs, total, observing, observations, masks, players,
    sums, ended, rewards, terminations, truncations, actions, autoreset, starting, now,
):  # fmt: skip
    """Step every game, its action being legal; where ``starting``, ``actions`` say what to do.

    ``now`` is the number of the batch's steps, this one among them.

    All in one function: each of them holds all of a game's rules, whose code takes seconds to
    compile. ``sums`` and ``ended`` (N, P) are the returns so far and those of the last episode that
    ended.
    """
    for i in range(states.shape[0]):
        s = states[i]
        player = core.TERMINAL
        if starting:
            if actions[i] == _LEAVE:
                continue
            if actions[i] == _FIRST:
                counts[i].episode = -1
        elif players[i] < 0:
            for seat in range(rules.num_players):
                rewards[i, seat] = 0.0
            continue
        else:
            player = core.play(rules, s, actions[i], probs)
            core.returns(rules, s, total)
            for seat in range(rules.num_players):
                rewards[i, seat] = core.round_return(rules, total[seat] - sums[i, seat])
                sums[i, seat] = total[seat]
            terminations[i] = player == core.TERMINAL
            truncations[i] = player == core.TRUNCATED
            if player < 0:
                length = now - counts[i].begun
                counts[i].episode_length, counts[i].begun = length, -1 - length
                for seat in range(rules.num_players):
                    ended[i, seat] = total[seat]
        if player < 0 and (autoreset or starting):
            player = _begin(rules, s, i, seeds, counts, probs, total, sums, autoreset, now)
        _present(rules, s, i, player, legal, observing, observations, masks, players)


@njit(cache=True, nogil=True)
def _go_on(
    rules, states, counts, legal, total, observing, observations, masks, players, sums, chosen,
    seeds, reseed, now,
):  # fmt: skip
    """Take the ``states`` that are ``chosen`` as they are, with new dice where told to."""
    for i in range(states.shape[0]):
        if chosen[i]:
            s = states[i]
            if reseed:
                core.seed_rng(s, seeds[i])
            core.returns(rules, s, total)
            for seat in range(rules.num_players):
                sums[i, seat] = total[seat]
            player = core.current_player(rules, s)
            counts[i].begun = now if player >= 0 else -1
            _present(rules, s, i, player, legal, observing, observations, masks, players)


@njit(cache=True)
def _derive_seeds(seed, seeds):
    for i in range(seeds.shape[0]):
        seeds[i] = core.derive_seed(seed, i)


def observe_seats(rules: Any, states: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """What every seat sees in every state, (N, P, *shape), written into ``out`` where it is given.

    Raises:
        ValueError: ``out`` has another shape or dtype, or is not C-contiguous.
    """
    shape = (len(states), rules.num_players, *rules.observation_shape)
    if out is None:
        out = np.empty(shape, rules.observation_dtype)
    elif out.shape != shape or out.dtype != rules.observation_dtype or not out.flags.c_contiguous:
        raise ValueError(
            f"out: a C-contiguous array of shape {shape} and dtype "
            f"{np.dtype(rules.observation_dtype)} is needed, not {out.shape} and {out.dtype}"
        )
    _observe_seats(rules, states, np.ones(len(states), np.bool_), out)
    return out


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
        final_observations: write what every seat sees where a game has just ended, before the
            next episode begins: a truncated game's return is estimated from it.

    Attributes:
        states: (N,) records. seeds: (N,) uint64. episodes: (N,) int64, games finished so far.
        observations: (N, *shape), what the seat to move sees. action_masks: (N, A) int8.
        players: (N,) int64, the seat to move, or ``TERMINAL`` / ``TRUNCATED`` without autoreset.
        rewards: (N, P) float64, each seat's reward of the last step.
        terminations, truncations: (N,) bool, whether the last step ended the game. With
            ``autoreset`` the observation is already that of the next game.
        final_observations: (N, P, *shape) on request, else None; row i is of the last episode of
            game i that a step ended.
        lengths: (N,) int64, decisions of the running episode, all seats together; a new array.
        episode_returns, episode_lengths: (N, P) float64 and (N,) int64 of the last episode of
            every game that a step ended; zeros before there was one.

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
        final_observations: bool = False,
    ):
        num_envs = checks.count("num_envs", num_envs)
        self.threads = min(checks.count("threads", threads), num_envs)
        self.spec, self.rules, self.num_envs = spec, rules, num_envs
        self.autoreset, self.observing = bool(autoreset), bool(observe)
        shape, seats = rules.observation_shape, rules.num_players
        self.states = core.new_states(rules, num_envs)
        self.seeds = np.zeros(num_envs, np.uint64)
        self.observations = np.zeros((num_envs, *shape), rules.observation_dtype)
        self.final_observations: np.ndarray | None = None
        if final_observations:
            self.final_observations = np.zeros((num_envs, seats, *shape), rules.observation_dtype)
        self.action_masks = np.zeros((num_envs, rules.num_actions), np.int8)
        self.players = np.zeros(num_envs, np.int64)
        self.rewards = np.zeros((num_envs, seats))
        self.terminations = np.zeros(num_envs, np.bool_)
        self.truncations = np.zeros(num_envs, np.bool_)
        self._counts = np.zeros(num_envs, _COUNTS)
        self._steps = 0
        self._sums = np.zeros((num_envs, seats))
        self._ended = np.zeros((num_envs, seats))
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
                self.rules, self.states[k], self.seeds[k], self._counts[k],
                *core.new_scratch(self.rules), np.zeros(self.rules.num_players),
                self.observing, self.observations[k], self.action_masks[k],
                self.players[k], self._sums[k], self._ended[k], self.rewards[k],
                self.terminations[k], self.truncations[k],
            )
            for k in self._rows
        ]  # fmt: skip
        actions = self.players
        self._step_games = core.direct(_step_games, *self._parts[0], actions, True, True, 0)
        self._find_illegal = core.direct(_find_illegal, actions, self.players, self.action_masks)
        self._helpers: Helpers | None = None

    @property
    def episodes(self) -> np.ndarray:
        return self._counts["episode"]

    @property
    def lengths(self) -> np.ndarray:
        begun = self._counts["begun"]
        return np.where(begun < 0, -1 - begun, self._steps - begun)

    @property
    def episode_lengths(self) -> np.ndarray:
        return self._counts["episode_length"]

    @property
    def episode_returns(self) -> np.ndarray:
        return self._ended

    def __getstate__(self) -> dict[str, Any]:
        bound = ("_rows", "_parts", "_helpers", "_step_games", "_find_illegal")
        return {name: value for name, value in vars(self).items() if name not in bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def copy(self) -> BatchEnv:
        """A batch that plays on from here by itself; it shares no array with this one."""
        copied: BatchEnv = object.__new__(type(self))
        copied.__setstate__(
            {
                name: value.copy() if isinstance(value, np.ndarray) else value
                for name, value in self.__getstate__().items()
            }
        )
        return copied

    def _share(self, function: Callable[..., None], work: list[tuple[Any, ...]]) -> None:
        """Call ``function`` with each of the arguments in ``work``, at once."""
        if len(work) > 1:
            if self._helpers is None or self._helpers.pid != os.getpid():
                self._helpers = Helpers(self.threads - 1)  # a fork leaves the threads behind
            self._helpers.share(function, work)
        else:
            function(*work[0])

    def _share_steps(self, actions: np.ndarray, autoreset: bool, starting: bool = False) -> None:
        """``_step_games`` in all parts."""
        work = [
            (*part, actions[k], autoreset, starting, self._steps)
            for part, k in zip(self._parts, self._rows, strict=True)
        ]
        self._share(self._step_games, work)

    def _start(self, chosen: np.ndarray, todo: int, autoreset: bool) -> None:
        """Begin the ``_NEXT`` or the ``_FIRST`` episode of the games that are ``chosen``."""
        self._share_steps(np.where(chosen, todo, _LEAVE), autoreset, True)

    def _chosen(self, mask: np.ndarray | None) -> np.ndarray:
        """(N,) bool, everywhere True without a ``mask``."""
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        chosen = np.asarray(mask)
        if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_:
            raise ValueError(
                f"mask of shape {chosen.shape} and type {chosen.dtype}; ({self.num_envs},) bool "
                "is needed"
            )
        return chosen

    def _seeds_from(self, seed: int | Sequence[int] | np.ndarray) -> np.ndarray:
        """(N,) uint64 from one seed or from N of them."""
        if np.ndim(seed) != 0:
            return checks.seed_array(self.num_envs, seed)
        seeds = np.empty(self.num_envs, np.uint64)
        _derive_seeds(np.uint64(checks.seed_number(seed)), seeds)
        return seeds

    def reset(
        self,
        seed: int | Sequence[int] | np.ndarray | None = 0,
        mask: np.ndarray | None = None,
    ) -> None:
        """Start games anew, from one seed or from (N,) of them, each 0 to 2**64 - 1.

        Args:
            seed: None begins the next episode of every game, of the seed that it has.
            mask: (N,) bool, which games; the others stay as they are. All, where it is None.

        Raises:
            ValueError: seeds that are none, or not N, or another mask; the games are as before.
        """
        chosen = self._chosen(mask)
        if seed is not None:
            self.seeds[chosen] = self._seeds_from(seed)[chosen]
            self.episode_returns[chosen] = 0
            self.episode_lengths[chosen] = 0
        self._forget_step(chosen)
        self._start(chosen, _NEXT if seed is None else _FIRST, self.autoreset)

    def _forget_step(self, chosen: np.ndarray) -> None:
        self.rewards[chosen] = 0
        self.terminations[chosen] = False
        self.truncations[chosen] = False

    def begin(
        self,
        states: np.ndarray,
        mask: np.ndarray | None = None,
        seed: int | Sequence[int] | np.ndarray | None = None,
    ) -> None:
        """Go on from given positions, for curricula and searches.

        Args:
            states: (N,) records of this game, or one for all games.
            mask: (N,) bool, which games; the others stay as they are. All, where it is None.
            seed: of the dice and cards to come, as in ``reset``; None keeps each record's own.

        Raises:
            ValueError: records of another shape or game, or, with ``autoreset``, a game that is
                over; the games are as before.
        """
        chosen, given = self._chosen(mask), np.asarray(states)
        if given.dtype != self.states.dtype or given.shape not in {(), (1,), (self.num_envs,)}:
            raise ValueError(
                f"{self.spec.name}: states of shape {given.shape} and type {given.dtype.kind}; "
                f"one record of this game or ({self.num_envs},) of them are needed"
            )
        given = np.broadcast_to(given, self.num_envs)[chosen]
        seeds = self.seeds if seed is None else self._seeds_from(seed)
        if self.autoreset:
            for i, k in enumerate(np.flatnonzero(chosen)):
                if core.current_player_at(self.rules, given, i) < 0:
                    raise ValueError(f"{self.spec.name}: the game of state {k} is over")
        self.states[chosen] = given
        self._forget_step(chosen)
        _go_on(
            self.rules, self.states, self._counts, core.new_scratch(self.rules)[0],
            np.zeros(self.rules.num_players), self.observing, self.observations,
            self.action_masks, self.players, self._sums, chosen, seeds, seed is not None,
            self._steps,
        )  # fmt: skip

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
        self._steps += 1
        if self.final_observations is None:
            self._share_steps(chosen, self.autoreset)
        else:
            self._step_to_the_end(chosen, self.final_observations)

    def _step_to_the_end(self, actions: np.ndarray, final: np.ndarray) -> None:
        """Step, and look at the games that end before the next ones begin."""
        going = self.players >= 0
        self._share_steps(actions, False)
        ended = going & (self.players < 0)
        if ended.any():
            self._share(
                _observe_seats,
                [(self.rules, self.states[k], ended[k], final[k]) for k in self._rows],
            )
            if self.autoreset:
                self._start(ended, _NEXT, True)

    def observe(self) -> np.ndarray:
        """Bring ``observations`` to date and return them; what ``step`` does by itself unless the
        batch was made with ``observe=False``."""
        work = [
            (self.rules, self.states[k], self.players[k], self.observations[k]) for k in self._rows
        ]
        self._share(_observe_games, work)
        return self.observations

    def views(self, out: np.ndarray | None = None) -> np.ndarray:
        """What every seat sees now, (N, P, *shape): a new array, or ``out``, written anew.

        Raises:
            ValueError: ``out`` has another shape or dtype, or is not C-contiguous.
        """
        return observe_seats(self.rules, self.states, out)

    def state(self) -> np.ndarray:
        """Every seat's observation, flat: (N, P, size), for centralised critics."""
        return self.views().reshape(self.num_envs, self.rules.num_players, -1)

    def _shown(self) -> tuple[core.GameSpec, Any, np.ndarray, str]:
        line = f"{self.num_envs} games, {int(self.episodes.sum())} finished; game 0: "
        return self.spec, self.rules, self.states, line + about(int(self.players[0]))
