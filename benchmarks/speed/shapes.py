"""The ways to call a game whose speed is compared, each for any game."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import numpy as np

from stratagym import envs
from stratagym.benchmarks.speed.measuring import Episode, choose_random
from stratagym.benchmarks.speed.peers import aec_loop, random_hands
from stratagym.envs import core

BATCH = 1024
BULK_DECISIONS = 20_000


def bulk_loop(game: str) -> Episode:
    """Whole games inside one compiled loop."""
    rules = envs.spec(game).make_rules()
    states, seeds = core.new_states(rules), itertools.count()
    legal, probs = core.new_scratch(rules)

    def episode() -> int:
        seed = np.uint64(next(seeds))
        decisions, _ = core.random_games(rules, states, legal, probs, seed, BULK_DECISIONS)
        return decisions

    return episode


def state_api(game: str, observe: bool = False) -> Episode:
    """A state stepped from Python, as people step it."""
    state, seeds, random = envs.make_state(game), itertools.count(), Random(1).random

    def episode() -> int:
        decisions = 0
        state.reset(next(seeds))
        while not state.is_terminal():
            if observe:
                state.observation_tensor()
            legal = state.legal_actions()
            state.apply_action(legal[int(random() * len(legal))])
            decisions += 1
        return decisions

    return episode


def state_api_observing(game: str) -> Episode:
    """The same with the observation of the seat to move before every decision."""
    return state_api(game, observe=True)


def aec_environment(game: str) -> Episode:
    """The PettingZoo environment as people use it."""
    return aec_loop(envs.make(game))


def batch_environment(game: str) -> Episode:
    """``BATCH`` games stepped together, with observations and masks."""
    batch = envs.make_batch(game, BATCH)
    # Of the game's own dtype: numba takes a smaller record for a kind of the larger one.
    generators, actions = core.new_states(batch.rules), np.zeros(BATCH, np.int64)

    def episode() -> int:
        choose_random(batch.action_masks, generators, actions)
        batch.step(actions)
        return BATCH

    return episode


def perft_leaves(game: str) -> Episode:
    """Leaves of the move tree, counted at the last ply without being listed."""
    from stratagym.envs.chess.perft import perft

    rules = envs.spec(game).make_rules()
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(0), core.new_scratch(rules)[1])
    return lambda: perft(states, 5)


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
        games: those that have it; all if empty. What is counted is then in the title.
    """

    title: str
    make: Callable[[str], Episode]
    games: tuple[str, ...] = ()


SHAPES = {
    "bulk": Shape("bulk loop, no observation", bulk_loop),
    "step": Shape("Python step, no observation", state_api),
    "observe": Shape("Python step + observation", state_api_observing),
    "aec": Shape("AEC loop, observation + mask", aec_environment),
    "batch": Shape(f"batch of {BATCH}, observation + mask", batch_environment),
    "perft": Shape("perft leaves, bulk-counted", perft_leaves, ("chess",)),
    "hands": Shape("7-card hands evaluated", hand_values, ("texas_holdem",)),
}
