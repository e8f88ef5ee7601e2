"""The ways to call a game whose speed is compared, each for any game."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

import numpy as np

from stratagym import envs
from stratagym.benchmarks.harness.measuring import (
    Batched,
    Episode,
    best_batch,
    choose_random,
    observed_games,
)
from stratagym.benchmarks.throughput import diplomacy, loops, mahjong, planning, sealed
from stratagym.benchmarks.throughput.native import random_hands
from stratagym.envs import core
from stratagym.envs.threads import processors

BATCHES = (256, 1024, 4096)
"""Batch sizes that are tried; the quickest is measured."""
BULK_DECISIONS = 20_000


def bulk_loop(game: str, **options: Any) -> Episode:
    """Whole games inside one compiled loop, under some options of the game."""
    rules = envs.spec(game).make_rules(**options)
    states, seeds = core.new_states(rules), itertools.count()
    legal, probs = core.new_scratch(rules)

    def episode() -> int:
        seed = np.uint64(next(seeds))
        decisions, _ = core.random_games(rules, states, legal, probs, seed, BULK_DECISIONS)
        return decisions

    return episode


def bulk_loop_observing(game: str) -> Episode:
    """The same with the observation of the seat to move before every decision."""
    rules = envs.spec(game).make_rules()
    states, seeds = core.new_states(rules), itertools.count()
    legal, probs = core.new_scratch(rules)
    seen = np.zeros(rules.observation_shape, rules.observation_dtype)

    def episode() -> int:
        seed = np.uint64(next(seeds))
        decisions: int = observed_games(rules, states, legal, probs, seen, seed, BULK_DECISIONS)
        return decisions

    return episode


def state_api(game: str, observe: bool = False, **options: Any) -> Episode:
    """A state stepped from Python, as people step it.

    Args:
        observe: also write the observation of the seat to move before every decision.
        options: of the game.
    """
    state, seeds, random = envs.make_state(game, **options), itertools.count(), Random(1).random
    seen = state.observation_tensor()

    def episode() -> int:
        decisions = 0
        state.reset(next(seeds))
        while state.current_player() >= 0:
            if observe:
                state.observation_tensor(out=seen)
            legal = state.legal_actions()
            state.apply_action(legal[int(random() * len(legal))])
            decisions += 1
        return decisions

    return episode


def state_api_observing(game: str) -> Episode:
    """The same with the observation of the seat to move before every decision."""
    return state_api(game, observe=True)


def core_functions(game: str) -> Episode:
    """``core.start_at`` and ``core.play_at`` by ``core.direct``, on the bare record."""
    rules = envs.spec(game).make_rules()
    states, seeds = core.new_states(rules), itertools.count()
    legal, probs = core.new_scratch(rules)
    start_at = core.direct(core.start_at, rules, states, 0, np.uint64(0), probs)
    legal_at = core.direct(core.legal_actions_at, rules, states, 0, legal)
    play_at = core.direct(core.play_at, rules, states, 0, 0, legal, probs)
    random = Random(1).random

    def episode() -> int:
        decisions = 0
        player = start_at(rules, states, 0, next(seeds), probs)
        n = legal_at(rules, states, 0, legal)
        while player >= 0:
            action = legal[int(random() * n)]
            player, n = play_at(rules, states, 0, action, legal, probs)
            decisions += 1
        return decisions

    return episode


def copies(game: str) -> Episode:
    """Copies of the positions of random games."""
    return loops.copies(_position(game), "clone")


def children(game: str) -> Episode:
    """Every position's children: a copy, a move, and the list of legal actions."""
    return loops.children(_position(game))


def _position(game: str) -> Callable[[Callable[[], float]], Any]:
    state = envs.make_state(game)

    def position(random: Callable[[], float]) -> Any:
        """Some position of a random game, in which somebody is to move."""
        state.reset(int(random() * 2**32))
        met = []
        while legal := state.legal_actions():
            met.append(state.clone())
            state.apply_action(legal[int(random() * len(legal))])
        return met[int(random() * len(met))]

    return position


def aec_environment(game: str) -> Episode:
    """The PettingZoo environment as people use it."""
    return loops.aec_loop(envs.make(game))


def batch_of(game: str, size: int, threads: int = 1, lines: int | None = None) -> Episode:
    """``size`` games stepped together, with observations and masks.

    Args:
        lines: of the board, in games that have it of different sizes.
    """
    options: dict[str, Any] = {} if lines is None else {"size": lines}
    batch = envs.make_batch(game, size, threads=threads, **options)
    # Of the game's own dtype: numba takes a smaller record for a kind of the larger one.
    generators, actions = core.new_states(batch.rules), np.zeros(size, np.int64)

    def episode() -> int:
        choose_random(batch.action_masks, generators, actions)
        batch.step(actions)
        return size

    return episode


def batch_environment(game: str) -> Batched:
    """The batch size with most decisions per CPU-second, in one thread."""
    return best_batch(lambda size: batch_of(game, size), BATCHES)


def batch_on_all_cores(game: str) -> Batched:
    """The batch size with most decisions per second, in as many threads as processors."""
    return best_batch(lambda size: batch_of(game, size, processors()), BATCHES, "wall")


def bulk_19(game: str) -> Episode:
    """Whole games on 19 lines inside one compiled loop."""
    return bulk_loop(game, size=19)


def batch_19(game: str) -> Batched:
    """Batches on 19 lines, in one thread."""
    return best_batch(lambda size: batch_of(game, size, lines=19), BATCHES[:2])


def perft_leaves(game: str) -> Episode:
    """Leaves of the move tree, counted at the last ply without being listed."""
    from stratagym.envs.chess.perft import perft

    rules = envs.spec(game).make_rules()
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(0), core.new_scratch(rules)[1])
    return lambda: perft(states, 5)


def perft_calls(game: str) -> Episode:
    """The same move by move from Python, with one state a position."""
    root = envs.make_state(game)

    def leaves(state: Any, left: int) -> int:
        legal = state.legal_actions()
        return len(legal) if left == 1 else sum(leaves(state.child(a), left - 1) for a in legal)

    return lambda: leaves(root, loops.PERFT_PLIES)


def hand_values(game: str) -> Episode:
    """Values of random hands of seven cards in one compiled loop."""
    from stratagym.envs.texas_holdem.evaluator import evaluate_each

    hands = random_hands(20_000)
    values = np.zeros(len(hands), np.int64)

    def episode() -> int:
        evaluate_each(hands, 1, values)
        return len(hands)

    return episode


@dataclass(frozen=True)
class Shape:
    """A way of calling a game; only rates of one shape are compared.

    Attributes:
        games: those that have it, or whether one has it; all if empty. What is counted is
            then in the title.
        clock: whose seconds rates are taken by: "cpu", in one thread, or "wall", on all processors.
    """

    title: str
    make: Callable[[str], Episode]
    games: tuple[str, ...] | Callable[[str], bool] = ()
    clock: str = "cpu"

    def has(self, game: str) -> bool:
        """Whether a game can be called so."""
        if callable(self.games):
            return self.games(game)
        return not self.games or game in self.games


_WHOLE = ("dou_dizhu",)
"""Games whose default actions are parts of what others take for one."""

_TILES = ("mcr_mahjong",)

_PDDL = ("planning",)

_ORDERS = ("diplomacy",)

SHAPES = {
    "bulk": Shape("bulk loop, no observation", bulk_loop),
    "bulk_observe": Shape("bulk loop + observation", bulk_loop_observing),
    "step": Shape("Python step, no observation", state_api),
    "core": Shape("Python step by core.direct, no observation", core_functions),
    "observe": Shape("Python step + observation", state_api_observing),
    "copy": Shape("copies of a state, by Python calls", copies),
    "child": Shape("children of a state and their legal actions, by Python calls", children),
    "aec": Shape("AEC loop, observation + mask", aec_environment),
    "batch": Shape("batch, observation + mask", batch_environment),
    "batch_cores": Shape("batch on all processors, per second", batch_on_all_cores, clock="wall"),
    "bulk_19": Shape("bulk loop on 19 x 19, no observation", bulk_19, ("go",)),
    "batch_19": Shape("batch on 19 x 19, observation + mask", batch_19, ("go",)),
    "bulk_whole": Shape(
        "whole plays in a bulk loop, no observation", partial(bulk_loop, plays="whole"), _WHOLE
    ),
    "step_whole": Shape(
        "whole plays by Python step, no observation", partial(state_api, plays="whole"), _WHOLE
    ),
    "observe_whole": Shape(
        "whole plays by Python step + observation",
        partial(state_api, observe=True, plays="whole"),
        _WHOLE,
    ),
    "step_drawn": Shape(
        "drawn setups by Python step, no observation",
        partial(state_api, setup="random"),
        ("stratego",),
    ),
    "observe_drawn": Shape(
        "drawn setups by Python step + observation",
        partial(state_api, observe=True, setup="random"),
        ("stratego",),
    ),
    "resolve": Shape("pairs of plans fought out", sealed.resolved_plans, sealed.is_sealed),
    "perft": Shape("perft leaves in a bulk loop", perft_leaves, ("chess",)),
    "perft_calls": Shape("perft leaves by Python calls", perft_calls, ("chess",)),
    "hands": Shape("7-card hands evaluated in a bulk loop", hand_values, ("texas_holdem",)),
    "fans": Shape("fans of winning hands in a bulk loop", mahjong.fan_counts, _TILES),
    "fan_calls": Shape("fans of winning hands by Python calls", mahjong.fan_calls, _TILES),
    "shanten": Shape("shanten of 13 tiles in a bulk loop", mahjong.shantens, _TILES),
    "useful": Shape("shanten and useful tiles in a bulk loop", mahjong.useful_tiles, _TILES),
    "useful_calls": Shape("shanten and useful tiles by Python calls", mahjong.useful_calls, _TILES),
    "plans": Shape("plans validated in a bulk loop", planning.plan_checks, _PDDL),
    "plan_calls": Shape("plans validated by Python calls", planning.plan_calls, _PDDL),
    "walks": Shape(
        "random steps with all legal actions in a bulk loop",
        partial(bulk_loop, domain=planning.DOMAIN, size=planning.SIZE),
        _PDDL,
    ),
    "grounding": Shape("problems read and grounded", planning.grounding, _PDDL),
    "resolutions": Shape(
        "boards whose orders are resolved in a bulk loop", diplomacy.resolutions, _ORDERS
    ),
    "movements": Shape(
        "movement phases of whole games in a bulk loop", diplomacy.movement_phases, _ORDERS
    ),
    "dumbbot": Shape("turns of a power by dumbbot", diplomacy.dumbbot_turns, _ORDERS),
    "sbr": Shape("turns of a power by sbr", diplomacy.response_turns, _ORDERS),
    "h_ff": Shape("states evaluated by h_ff in a bulk loop", planning.evaluations, _PDDL),
}
