"""A learner's opponents as people write them, and games in which they are asked for moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numba import njit

from stratagym.agents import kernel_policies
from stratagym.agents import learner_games as learner
from stratagym.agents.core import Decision, Policy, decision_for, make_policy
from stratagym.agents.learner_games import LearnerGames
from stratagym.envs import checks, core

Opponent: TypeAlias = str | Policy | Callable[[Decision], int] | Mapping[Any, float]


class FunctionPolicy(Policy):
    """A policy made of a function from ``Decision`` to an action."""

    def __init__(self, function: Callable[[Decision], int]):
        self.name = getattr(function, "__name__", type(function).__name__)
        self._function = function

    def act(self, view: Decision) -> int:
        return self._function(view)


class Mixture(Policy):
    """One of several policies, drawn for every episode.

    Args:
        policies: K of them. weights: (K,), what each is drawn with, in proportion.

    Raises:
        ValueError: weights that are none, in one line.
    """

    def __init__(self, policies: Sequence[Policy], weights: Sequence[float]):
        self.policies = list(policies)
        shares = np.array(weights, np.float64)
        if not len(shares) or not np.isfinite(shares).all() or (shares < 0).any():
            raise ValueError(f"opponent: weights {list(weights)}; numbers from 0 on are needed")
        if not shares.any():
            raise ValueError(f"opponent: weights {list(weights)}; one has to be above 0")
        self.cumulative = np.cumsum(shares / shares.sum())
        self.name = "+".join(policy.name for policy in self.policies)

    def act(self, view: Decision) -> int:
        raise NotImplementedError("AskedGames asks the policy that was drawn for the episode")


def make_opponents(
    spec: core.GameSpec, rules: Any, opponent: Opponent | Sequence[Opponent]
) -> list[Policy]:
    """The policies of the seats after the learner's, in turn order; none for ``"self"``.

    Args:
        opponent: ``"self"``, or one policy for all seats, or a list of one for each. A mapping
            of policies to weights stands for one of them, drawn for every episode.

    Raises:
        ValueError: not that, or an unknown policy, in one line.
    """
    if isinstance(opponent, str) and opponent == "self":
        return []
    seats = rules.num_players - 1
    listed = isinstance(opponent, Sequence) and not isinstance(opponent, str)
    given: list[Any] = [*opponent] if listed else [opponent] * seats  # type: ignore[misc]
    if len(given) != seats:
        raise ValueError(
            f"{spec.name}: opponent names {len(given)} policies for {seats} other seats; "
            "give one for all, or one for each in turn order after the learner's seat"
        )
    made: dict[int, Policy] = {}
    for item in given:
        if id(item) not in made:
            made[id(item)] = _make_opponent(spec, item)
    return [made[id(item)] for item in given]


def _make_opponent(spec: core.GameSpec, item: Any) -> Policy:
    if isinstance(item, Policy):
        return item
    if isinstance(item, str):
        return make_policy(spec, item)
    if isinstance(item, Mapping):
        return Mixture([_make_opponent(spec, one) for one in item], list(item.values()))
    if callable(item):
        return FunctionPolicy(item)
    raise ValueError(
        f"{spec.name}: opponent={item!r}; a policy string, a Policy, a function of a Decision, "
        'a mapping of these to weights or "self" is needed'
    )


@njit(cache=True, nogil=True)
def _draw_policies(games, which, number, weights, drawn):
    """Draw a policy for game ``which[k]``'s episode; ``weights`` add up to 1, one after another."""
    for k in range(which.shape[0]):
        bits = core.derive_seed(games[which[k]].episode_seed, number)
        share = np.float64(bits >> np.uint64(11)) / 2.0**53
        drawn[k] = 0
        while drawn[k] < weights.shape[0] - 1 and share >= weights[drawn[k]]:
            drawn[k] += 1


_FIRST_GAME = np.zeros(1, np.int64)


class AskedGames(LearnerGames):
    """``LearnerGames`` against policies of every kind, each asked for all of its games at once.

    Args:
        game: the game's facts. rules, num_envs, rule: as in ``LearnerGames``.
        opponents: one or more policies of the other seats, in turn order after the learner's; a
            ``Mixture`` draws one of its own for every episode.

    Attributes:
        policies: for each of these seats the list of its policies.
        choice: (N,) int64, which policy of such a list plays in a game; 0 at first.
    """

    def __init__(
        self,
        game: core.GameSpec,
        rules: Any,
        num_envs: int,
        rule: int,
        opponents: Sequence[Policy],
    ):
        super().__init__(rules, num_envs, rule)
        self.game = game
        self.policies: list[Sequence[Policy]] = [[policy] for policy in opponents]
        self.choice = np.zeros(num_envs, np.int64)

    def reset(self, chosen: np.ndarray) -> None:
        """As ``LearnerGames.reset``, up to the learner's first decision.

        Raises:
            ValueError: an opponent plays an illegal action. RuntimeError: as there.
        """
        self._start(chosen)
        for _ in range(learner.MAX_SKIPPED):
            self._ask()
            over = chosen & (self.games["player"] < 0)
            if not over.any():
                self.present()
                return
            self.games["episode"][over] += 1
            self._start(over)
        raise RuntimeError(learner.NO_DECISION)

    def step(self, actions: np.ndarray, after: int = learner.DISABLED, strict: bool = False) -> int:
        """As ``LearnerGames.step``.

        Raises:
            ValueError: an opponent plays an illegal action. RuntimeError: as there.
        """
        begun = self.games["player"] < 0
        code = super().step(actions, learner.DISABLED, strict)
        if code >= 0:
            return code
        self._ask()
        self.settle(~begun)
        if begun.any():
            self._pass_over(begun)
        if after == learner.SAME_STEP:
            ended = self.terminations | self.truncations
            if ended.any():
                self.last_observations[ended] = self.observations[ended]
                self.games["episode"][ended] += 1
                self.reset(ended)
        return code

    def _pass_over(self, begun: np.ndarray) -> None:
        """Begin anew where an episode that has just begun had no decision for the learner."""
        over = begun & (self.games["player"] < 0)
        if over.any():
            self.games["episode"][over] += 1
            self.reset(over)

    def _ask(self) -> None:
        """Ask opponents for their actions until the learner is to move or the game is over."""
        began = time.perf_counter()
        if self.num_envs == 1:
            self._ask_in_one_game()
        else:
            self._ask_in_all()
        self.opponents_s += time.perf_counter() - began

    def _ask_in_one_game(self) -> None:
        """As ``_ask_in_all``; what arrays cost there is half of a step of one game."""
        games = self.games
        while (player := int(games["player"][0])) >= 0 and player != games["seat"][0]:
            place = (player - int(games["seat"][0])) % self.rules.num_players - 1
            policy = self.policies[place][self.choice[0]]
            if isinstance(policy, Mixture):
                policy = policy.policies[self._drawn(policy, place, _FIRST_GAME)[0]]
            seed = core.derive_seed(games["episode_seed"][0], np.int64(player + 1))
            seed = int(core.derive_seed(np.uint64(seed), games["ply"][0]))
            view = decision_for(self.game, self.rules, self.states, seed)
            legal = view.legal.tolist()
            action = policy.act(view)
            if action not in legal:
                raise self._illegal(policy, action, legal)
            games["player"] = core.play_at(
                self.rules, self.states, 0, int(action), self._legal, self._probs
            )[0]
            games["ply"] += 1

    def _ask_in_all(self) -> None:
        which, seeds = np.empty(self.num_envs, np.int64), np.empty(self.num_envs, np.uint64)
        while n := learner.waiting_games(self.games, which, seeds):
            waiting = which[:n]
            actions = np.empty(n, np.int64)
            groups = self._groups(waiting)
            for policy, own in groups:
                actions[own] = learner.act_each(
                    self.game, policy, self.rules, self.states[waiting[own]], seeds[:n][own]
                )
            bad = learner.answer_games(
                self.rules, self.states, self.games, waiting, actions, self._legal, self._probs
            )
            if bad >= 0:
                policy = next(policy for policy, own in groups if own[bad])
                legal = core.legal_actions_at(self.rules, self.states, waiting[bad], self._legal)
                raise self._illegal(policy, actions[bad], self._legal[:legal].tolist())

    def _illegal(self, policy: Policy, action: Any, legal: Iterable[int]) -> ValueError:
        return ValueError(
            f"{self.game.name}: opponent {policy.name!r} may not play {action}; "
            f"legal: {checks.some_of(legal)}"
        )

    def _drawn(self, mixture: Mixture, place: int, which: np.ndarray) -> np.ndarray:
        """The number of the policy that the mixture drew for the games ``which`` (K,)."""
        drawn = np.empty(len(which), np.int64)
        number = np.int64(self.rules.num_players + 1 + place)  # below it are the seeds of seats
        _draw_policies(self.games, which, number, mixture.cumulative, drawn)
        return drawn

    def _groups(self, waiting: np.ndarray) -> list[tuple[Policy, np.ndarray]]:
        """Who plays in which of the games that are ``waiting``, as (policy, (K,) bool)."""
        seats = self.rules.num_players
        games, choice = self.games[waiting], self.choice[waiting]
        places = (games["player"] - games["seat"]) % seats - 1
        groups: dict[int, tuple[Policy, np.ndarray]] = {}
        for place in _distinct(places):
            here = places == place
            for number in _distinct(choice[here]):
                policy, own = self.policies[place][number], here & (choice == number)
                drawn = [(policy, own)]
                if isinstance(policy, Mixture):
                    which = self._drawn(policy, place, waiting)
                    drawn = [(policy.policies[k], own & (which == k)) for k in _distinct(which)]
                for one, its in drawn:
                    before = groups.get(id(one))
                    groups[id(one)] = one, its if before is None else its | before[1]
        return list(groups.values())


def _distinct(numbers: np.ndarray) -> list[int]:
    """The numbers that occur; most often it is one game that waits."""
    return sorted(set(numbers.tolist()))


def make_games(
    game: core.GameSpec, rules: Any, num_envs: int, rule: int, opponents: Sequence[Policy]
) -> LearnerGames:
    """Games of a learner against ``opponents``, in one compiled call a step where all of them are
    compiled: a kernel cannot stop for some of them."""
    kernels = [policy for policy in opponents if isinstance(policy, kernel_policies.KernelPolicy)]
    if len(kernels) == len(opponents):
        return LearnerGames(rules, num_envs, rule, kernels)
    return AskedGames(game, rules, num_envs, rule, opponents)
