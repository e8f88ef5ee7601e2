"""Games in which one seat learns and policies play the others, stepped together in numba.

``LearnerGames`` brings each game from one decision of the learner to the next; the Gymnasium
environments are thin shells over it. ``opponents.AskedGames`` does so
with policies that are not compiled.

Randomness is laid out so that one game alone and the same game in a batch are equal: episode k of
a game that was given seed s starts from e = ``derive_seed(s, k)``, and at decision t of the
episode the opponent in seat p acts with ``derive_seed(derive_seed(e, p + 1), t)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import expectimax, hooks, kernel_policies
from stratagym.agents.core import decision_for
from stratagym.envs import core

GAME = np.dtype(
    [
        ("seed", "u8"),
        ("episode", "i8"),
        ("episode_seed", "u8"),
        ("ply", "i8"),  # decisions of the episode so far, all seats together
        ("seat", "i8"),  # the learner's; in self-play the seat to move, then the last that moved
        ("player", "i8"),  # to move, or TERMINAL / TRUNCATED
    ],
    align=True,
)

ROTATE, RANDOM_SEAT, EVERY_SEAT = -1, -2, -3
"""Seat rules below the fixed seats 0, 1, ...: see ``seat_rule``."""
NEXT_STEP, SAME_STEP, DISABLED = range(3)
"""What follows the end of a game: Gymnasium's autoreset modes."""

_FINE, _NO_DECISION = -1, -2
MAX_SKIPPED = 1000
NO_DECISION = (
    f"the learner's seat had no decision in {MAX_SKIPPED} games in a row; "
    "choose another seat or other game options"
)


@njit(cache=True)
def opponent_seed(game):
    """The seed with which the seat to move, an opponent's, acts."""
    return core.derive_seed(core.derive_seed(game.episode_seed, game.player + 1), game.ply)


@njit(cache=True, inline="always")
def _act(rules, s, seed, kind, parameter, legal, own, scratch):
    """What ``KernelPolicy.act`` answers to ``decision_for(.., s, seed)``."""
    view, generator = own[0], own[1]
    core.seed_rng(generator, seed)
    if kind == kernel_policies.RANDOM:
        n = core.legal_actions(rules, s, legal)
        return legal[core.random_below(generator, n)]
    own[0] = s
    core.seed_rng(view, seed)
    core.determinize(rules, view, core.current_player(rules, s))
    return kernel_policies.choose(rules, view, kind, parameter, legal, generator, scratch)


@njit(cache=True)
def _advance(rules, s, game, kinds, parameters, legal, probs, own, scratch):
    """Let the opponents move until the learner is to move or the game is over.

    Without ``kinds`` nobody moves: the caller plays the opponents.
    """
    while game.player >= 0 and game.player != game.seat and kinds.shape[0] > 0:
        place = (game.player - game.seat) % rules.num_players - 1
        action = _act(
            rules, s, opponent_seed(game), kinds[place], parameters[place], legal, own, scratch
        )
        game.player = core.play(rules, s, action, probs)
        game.ply += 1


@njit(cache=True)
def _begin(rules, s, game, rule, total, kinds, parameters, legal, probs, own, scratch):
    """Start the episode, or the first after it in which the learner has a decision.

    Returns whether there was one.
    """
    seats = np.uint64(rules.num_players)
    for _ in range(MAX_SKIPPED):
        game.episode_seed = core.derive_seed(game.seed, game.episode)
        game.ply = 0
        game.player = core.start(rules, s, game.episode_seed, probs)
        core.returns(rules, s, total)
        if rule == ROTATE:
            game.seat = np.int64((game.seed + np.uint64(game.episode)) % seats)
        elif rule == RANDOM_SEAT:
            game.seat = np.int64(core.derive_seed(game.episode_seed, 0) % seats)
        elif rule == EVERY_SEAT:
            game.seat = game.player
        else:
            game.seat = rule
        _advance(rules, s, game, kinds, parameters, legal, probs, own, scratch)
        if game.player >= 0:
            return True
        game.episode += 1
    return False


@njit(cache=True)
def _settle(rules, s, total, reward):
    """Add what every seat has gained since ``total`` to ``reward``, and bring ``total`` to date."""
    for seat in range(total.shape[0]):
        reward[seat] -= total[seat]
    core.returns(rules, s, total)
    for seat in range(total.shape[0]):
        reward[seat] = core.round_return(rules, reward[seat] + total[seat])


@njit(cache=True)
def _present(rules, s, game, legal, observation, mask):
    core.observe(rules, s, game.seat, observation)
    if game.player >= 0:
        core.legal_mask(rules, s, legal, mask)
    else:
        for action in range(mask.shape[0]):
            mask[action] = 0


@njit(cache=True, nogil=True)
def _reset_games(
    rules, states, games, chosen, rule, totals, kinds, parameters, legal, probs, own, scratch,
    observations, masks,
):  # fmt: skip
    for i in range(states.shape[0]):
        if chosen[i] and not _begin(
            rules, states[i], games[i], rule, totals[i], kinds, parameters, legal, probs, own,
            scratch,
        ):  # fmt: skip
            return _NO_DECISION
        _present(rules, states[i], games[i], legal, observations[i], masks[i])
    return _FINE


@njit(cache=True, nogil=True)
def _settle_games(
    rules, states, games, chosen, totals, legal, observations, masks, rewards, terminations,
    truncations,
):  # fmt: skip
    for i in range(states.shape[0]):
        if chosen[i]:
            _settle(rules, states[i], totals[i], rewards[i])
            terminations[i] = games[i].player == core.TERMINAL
            truncations[i] = games[i].player == core.TRUNCATED
        _present(rules, states[i], games[i], legal, observations[i], masks[i])


@njit(cache=True, nogil=True)
def waiting_games(games, which, seeds):
    """The games in which an opponent is to move, and the seed it acts with; returns how many."""
    n = 0
    for i in range(games.shape[0]):
        if games[i].player >= 0 and games[i].player != games[i].seat:
            which[n], seeds[n] = i, opponent_seed(games[i])
            n += 1
    return n


@njit(cache=True, nogil=True)
def answer_games(rules, states, games, which, actions, legal, probs):
    """Play ``actions[k]`` in game ``which[k]``; returns the first k whose action is illegal, or
    ``_FINE``."""
    for k in range(which.shape[0]):
        s, game = states[which[k]], games[which[k]]
        known = False
        for j in range(core.legal_actions(rules, s, legal)):
            known |= legal[j] == actions[k]
        if not known:
            return k
        game.player = core.play(rules, s, actions[k], probs)
        game.ply += 1
    return _FINE


@njit(cache=True, nogil=True)
def determinize_each(rules, states, seeds):
    """Redraw in every state what the seat to move cannot know, as ``core.determinize_at`` does."""
    for i in range(states.shape[0]):
        core.seed_rng(states[i], seeds[i])
        core.determinize(rules, states[i], core.current_player(rules, states[i]))


@njit(cache=True, nogil=True)
def _estimate_games(rules, states, games, total, estimates):
    for i in range(states.shape[0]):
        hooks.evaluate(rules, states[i], total)
        estimates[i] = total[games[i].seat]


@njit(cache=True, nogil=True)
def _step_games(
    rules, states, games, actions, strict, after, rule, totals, kinds, parameters, legal, probs,
    own, scratch, last_masks, observations, masks, rewards, movers, terminations, truncations,
    last_observations,
):  # fmt: skip
    """One step of every game; returns ``_FINE``, ``_NO_DECISION``, or, when ``strict``, the index
    of the first illegal action (no game has been stepped then)."""
    num_actions = last_masks.shape[1]
    if strict:
        for i in range(states.shape[0]):
            if games[i].player >= 0 and not (
                0 <= actions[i] < num_actions and last_masks[i, actions[i]] == 1
            ):
                return i
    for i in range(states.shape[0]):
        s, game = states[i], games[i]
        for seat in range(rules.num_players):
            rewards[i, seat] = 0.0
        movers[i] = game.seat
        over = game.player < 0
        if not over:
            if 0 <= actions[i] < num_actions and last_masks[i, actions[i]] == 1:
                game.player = core.play(rules, s, actions[i], probs)
                game.ply += 1
                if rule == EVERY_SEAT and game.player >= 0:
                    game.seat = game.player
                _advance(rules, s, game, kinds, parameters, legal, probs, own, scratch)
                _settle(rules, s, totals[i], rewards[i])
            else:
                rewards[i, game.seat] = -1.0
                game.player = core.TERMINAL
        terminations[i] = not over and game.player == core.TERMINAL
        truncations[i] = not over and game.player == core.TRUNCATED
        if game.player < 0 and after == SAME_STEP:
            core.observe(rules, s, game.seat, last_observations[i])
            over = True
        if over:
            game.episode += 1
            if not _begin(
                rules, s, game, rule, totals[i], kinds, parameters, legal, probs, own, scratch
            ):
                return _NO_DECISION
        _present(rules, s, game, legal, observations[i], masks[i])
    return _FINE


class LearnerGames:
    """``num_envs`` games of a learner against kernel policies.

    ``reset`` and ``step`` put new arrays into the attributes, so that what a caller holds stays.

    Args:
        rules: the game's options in force.
        num_envs: N.
        rule: the learner's seat, or ``ROTATE`` (seed + episode, modulo the seats),
            ``RANDOM_SEAT`` (drawn for every episode) or ``EVERY_SEAT`` (self-play).
        opponents: the policies of the other seats in turn order after the learner's; without
            any, the games stop at an opponent's turn; the caller plays it, and calls ``present``
            after a reset and ``settle`` after a step, as ``opponents.AskedGames`` does.

    Attributes:
        states: (N,) records. games: (N,) ``GAME``.
        observations: (N, *shape), what the seat in ``games`` sees.
        masks: (N, A) int8, zeros after the end.
        rewards: (N, P) float64, every seat's gain since the learner's last decision.
        movers: (N,) int64, the seat that made that decision.
        terminations, truncations: (N,) bool.
        last_observations: (N, *shape), of games that ended in a ``SAME_STEP`` step.
        opponents_s: seconds spent on asking opponents that are not compiled.
    """

    def __init__(
        self,
        rules: Any,
        num_envs: int,
        rule: int,
        opponents: Sequence[kernel_policies.KernelPolicy] = (),
    ):
        self.rules, self.num_envs, self.rule = rules, num_envs, rule
        self.states = core.new_states(rules, num_envs)
        self.games = np.zeros(num_envs, GAME)
        self._totals = np.zeros((num_envs, rules.num_players))
        self._kinds = np.array([policy.kind for policy in opponents], np.int64)
        self._parameters = np.array([policy.parameter for policy in opponents], np.int64)
        self._legal, self._probs = core.new_scratch(rules)
        self._own = core.new_states(rules, 2)
        self._scratch = expectimax.new_scratch(rules, max([1, *self._parameters.tolist()]))
        self.last_observations = self._new_observations()
        self.opponents_s = 0.0

    def _new_observations(self) -> np.ndarray:
        shape = (self.num_envs, *self.rules.observation_shape)
        return np.empty(shape, self.rules.observation_dtype)

    def _new_masks(self) -> np.ndarray:
        return np.empty((self.num_envs, self.rules.num_actions), np.int8)

    def reset(self, chosen: np.ndarray) -> None:
        """Start the episode that ``games`` names where ``chosen`` (N,) bool.

        Raises:
            RuntimeError: the learner's seat gets no decision in a thousand episodes.
        """
        self._start(chosen)

    def _start(self, chosen: np.ndarray) -> None:
        self.observations, self.masks = self._new_observations(), self._new_masks()
        _check(
            _reset_games(
                self.rules, self.states, self.games, chosen, self.rule, self._totals,
                self._kinds, self._parameters, self._legal, self._probs, self._own,
                self._scratch, self.observations, self.masks,
            )
        )  # fmt: skip

    def step(self, actions: np.ndarray, after: int = DISABLED, strict: bool = False) -> int:
        """Play the learner's actions (N,) int64, then the opponents'.

        An illegal action ends its game with reward -1. A game that was over before starts its
        next episode and ignores the action.

        Args:
            after: ``SAME_STEP`` starts the next episode of games that end in this step.
            strict: on an illegal action step no game and return the first offender's index.

        Returns:
            That index, else a negative number.

        Raises:
            RuntimeError: as in ``reset``.
        """
        observations, masks = self._new_observations(), self._new_masks()
        rewards = np.empty((self.num_envs, self.rules.num_players))
        movers = np.empty(self.num_envs, np.int64)
        terminations = np.empty(self.num_envs, np.bool_)
        truncations = np.empty(self.num_envs, np.bool_)
        code = _check(
            _step_games(
                self.rules, self.states, self.games, actions, strict, after, self.rule,
                self._totals, self._kinds, self._parameters, self._legal, self._probs, self._own,
                self._scratch, self.masks, observations, masks, rewards, movers, terminations,
                truncations, self.last_observations,
            )
        )  # fmt: skip
        if code < 0:
            self.observations, self.masks = observations, masks
            self.rewards, self.movers = rewards, movers
            self.terminations, self.truncations = terminations, truncations
        return code

    def estimates(self) -> np.ndarray:
        """(N,) float64: what the game's evaluator gives the learner's seat in every game."""
        estimates = np.empty(self.num_envs)
        total = np.empty(self.rules.num_players)
        _estimate_games(self.rules, self.states, self.games, total, estimates)
        return estimates

    def present(self) -> None:
        """Bring observations and masks to date after moves of the caller's own."""
        self._start(np.zeros(self.num_envs, np.bool_))

    def settle(self, chosen: np.ndarray | None = None) -> None:
        """Bring rewards and ends to date as well, in the games that are ``chosen`` (N,) bool."""
        if chosen is None:
            chosen = np.ones(self.num_envs, np.bool_)
        _settle_games(
            self.rules, self.states, self.games, chosen, self._totals, self._legal,
            self.observations, self.masks, self.rewards, self.terminations, self.truncations,
        )  # fmt: skip


def _check(code: int) -> int:
    if code == _NO_DECISION:
        raise RuntimeError(NO_DECISION)
    return code


def act_each(
    game: core.GameSpec, policy: Any, rules: Any, states: np.ndarray, seeds: np.ndarray
) -> np.ndarray:
    """A policy's actions (N,) int64 in ``states`` (N,), at once where it can.

    It gets what ``decision_for`` gives: copies in which what the seat cannot know has been redrawn.
    """
    if not hasattr(policy, "act_each"):
        views = (
            decision_for(game, rules, states[k : k + 1], int(seed)) for k, seed in enumerate(seeds)
        )
        return np.array([policy.act(view) for view in views], np.int64)
    own = states.copy()
    determinize_each(rules, own, seeds)
    return policy.act_each(rules, own, seeds)


def seat_rule(spec: core.GameSpec, rules: Any, seat: int | str, self_play: bool) -> int:
    """The number that ``LearnerGames`` takes for a seat: 0 .., ``"rotate"`` or ``"random"``.

    Raises:
        ValueError: anything else, or any but 0 in self-play, where every seat is the learner's.
    """
    if self_play:
        if seat != 0 or isinstance(seat, bool):
            raise ValueError(
                f'{spec.name}: seat={seat!r} means nothing with opponent="self"; leave it out'
            )
        return EVERY_SEAT
    words = {"rotate": ROTATE, "random": RANDOM_SEAT}
    if isinstance(seat, str) and seat in words:
        return words[seat]
    if type(seat) is int and 0 <= seat < rules.num_players:
        return seat
    choices = ", ".join([*map(str, range(rules.num_players)), *words])
    raise ValueError(f"{spec.name}: seat={seat!r}; choose one of: {choices}")
