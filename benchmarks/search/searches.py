"""How fast searches are: simulations and decisions per CPU-second, on the same positions."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.progress import Progress

from stratagym.agents.core import Decision, decision_for, make_policy
from stratagym.agents.kernel_policies import KernelPolicy
from stratagym.agents.mcts import MCTS
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.measuring import Episode, rate, spread_of
from stratagym.benchmarks.harness.openings import opening_moves
from stratagym.benchmarks.harness.spots import rules_for
from stratagym.benchmarks.search.openspiel import TITLES, MCTSBot
from stratagym.envs import core, spec

TIMED = {"connect_four": 5000, "chess": 200}
"""Simulations of a search that is timed; ``TIMED_OTHERS`` in the other games."""
TIMED_OTHERS = 500
PLIES = range(0, 16, 2)
"""Random moves before the positions that are timed."""
DEPTHS = {"connect_four": (4, 6, 8), "chess": (2, 3, 4)}
"""Depths of the alpha-beta searches that are timed."""
LUDO = ("heuristic", "gt:2", "gt:3")


@dataclass(frozen=True)
class Timing:
    """How searches are timed.

    Attributes:
        seconds: of one repeat. repeats: the median is the rate. seed: of the positions.
        exploration: UCT's constant.
    """

    seconds: float
    repeats: int
    seed: int
    exploration: float

    def rate(self, episode: Episode) -> float:
        """One repeat."""
        return rate(episode, self.seconds)


def positions(board: str, plies: Iterable[int], seed: int) -> list[tuple[Decision, list[int]]]:
    """A view of the seat to move after so many random moves, and these moves, for each."""
    game = spec(board)
    rules, found = game.make_rules(), []
    for k, length in enumerate(plies):
        start = item_seed(seed, board, str(k))
        moves = opening_moves(game, rules, length, start)
        states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
        core.start_at(rules, states, 0, np.uint64(start), probs)
        for move in moves:
            core.play_at(rules, states, 0, move, legal, probs)
        found.append((decision_for(game, rules, states, start), moves))
    return found


def our_searches(board: str, timing: Timing) -> Episode:
    """One search of every position; returns the simulations."""
    policy = MCTS(TIMED.get(board, TIMED_OTHERS), timing.exploration)
    views = [view for view, _ in positions(board, PLIES, timing.seed)]

    def episode() -> int:
        for view in views:
            policy.act(view)
        return policy.simulations * len(views)

    return episode


def their_searches(board: str, timing: Timing) -> Episode:
    """The same of OpenSpiel's bot."""
    game, simulations = spec(board), TIMED[board]
    rules, bots = game.make_rules(), []
    for view, moves in positions(board, PLIES, timing.seed):
        bot = MCTSBot(game, simulations, timing.exploration, False)
        bot.begin(view.seed)
        states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
        core.start_at(rules, states, 0, np.uint64(view.seed), probs)
        for move in moves:
            bot.follow(states, move)
            core.play_at(rules, states, 0, move, legal, probs)
        bots.append(bot)

    def episode() -> int:
        for bot in bots:
            bot.search()
        return simulations * len(bots)

    return episode


def time_mcts(board: str, timing: Timing, peers: bool, bar: Progress) -> dict[str, Any]:
    """Simulations per CPU-second of ours and, where it has the game, of OpenSpiel's; in turn."""
    task = bar.add_task(f"{board}: simulations/s", total=timing.repeats)
    ours: list[float] = []
    theirs: list[float] = []
    mine = our_searches(board, timing)
    peer = their_searches(board, timing) if peers and board in TITLES else None
    mine()
    for _ in range(timing.repeats):
        ours.append(timing.rate(mine))
        if peer:
            theirs.append(timing.rate(peer))
        bar.advance(task)
    return {
        "simulations": TIMED.get(board, TIMED_OTHERS),
        "ours": spread_of(ours),
        "openspiel": spread_of(theirs),
        "ratio": spread_of([a / b for a, b in zip(ours, theirs, strict=False)]),
    }


def time_searchers(
    boards: list[str], spots: list[Any], timing: Timing, bar: Progress
) -> list[dict[str, Any]]:
    """Decisions per CPU-second of the rule-based player and expectimax of Ludo, and of alpha-beta
    on the boards it can play."""
    episodes = [("ludo", name, ludo_decisions(name, spots)) for name in LUDO]
    for board in boards:
        for depth in DEPTHS.get(board, ()):
            name = f"alphabeta:{depth}"
            episodes.append((board, name, fresh_decisions(board, name, timing.seed)))
    task = bar.add_task("decisions/s", total=len(episodes))
    rows = []
    for board, name, episode in episodes:
        episode()
        rates = [timing.rate(episode) for _ in range(timing.repeats)]
        rows.append({"game": board, "policy": name, "rate": spread_of(rates)})
        bar.advance(task)
    return rows


def ludo_decisions(name: str, spots: list[Any]) -> Episode:
    """A decision of a compiled policy in every spot."""
    policy = make_policy(spec("ludo"), name)
    assert isinstance(policy, KernelPolicy)
    lots = []
    for players, group in itertools.groupby(
        sorted(spots, key=lambda spot: spot.players), key=lambda spot: spot.players
    ):
        rules = rules_for(players)
        states = np.concatenate([spot.states(rules) for spot in group])
        lots.append((rules, states, np.zeros(len(states), np.uint64)))

    def episode() -> int:
        for rules, states, seeds in lots:
            policy.act_each(rules, states, seeds)
        return len(spots)

    return episode


def fresh_decisions(board: str, name: str, seed: int) -> Episode:
    """A decision in each of many positions; every episode starts with an empty table."""
    views = [view for view, _ in positions(board, [*PLIES] * 16, seed)]

    def episode() -> int:
        policy = make_policy(spec(board), name)
        for view in views:
            policy.act(view)
        return len(views)

    return episode
