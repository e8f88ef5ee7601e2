"""Whole games between policies: seats rotated, the same seeds for every pairing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any

import numpy as np

from stratagym.agents.kernel_policies import Games, KernelPolicy, play_many
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.reporting.stats import Rate, bootstrap_mean
from stratagym.envs import core

CHUNK = 256
"""Games a thread plays at a time."""


def duel_seating(seats: int, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """One policy (0) against the rest (1): every seed once with policy 0 in each seat.

    Returns:
        seeds (G,) uint64 and seating (G, seats) int64; G is ``games`` rounded up to whole
        rounds of ``seats`` games that share a seed.
    """
    rounds = -(-games // seats)
    base = np.uint64(item_seed(seed, "arena"))
    seeds = np.array([core.derive_seed(base, np.uint64(r)) for r in range(rounds)], np.uint64)
    seating = np.ones((rounds * seats, seats), np.int64)
    seating[np.arange(rounds * seats), np.arange(rounds * seats) % seats] = 0
    return np.repeat(seeds, seats), seating


def play_parallel(
    rules: Any,
    policies: list[KernelPolicy],
    seeds: np.ndarray,
    seating: np.ndarray,
    done: Callable[[int], Any] = lambda games: None,
) -> list[Games]:
    """The games in chunks, in order, on all cores; the outcome does not depend on their number."""
    starts = range(0, len(seeds), CHUNK)

    def work(start: int) -> Games:
        part = slice(start, start + CHUNK)
        games = play_many(rules, policies, seeds[part], seating[part])
        done(len(games.seeds))
        return games

    first = [work(0)] if len(seeds) else []  # compiles once, before the threads ask for it
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return first + list(pool.map(work, starts[1:]))


def each_game(played: list[Games]) -> Iterator[tuple[list[int], int, list[float]]]:
    """(actions, ending, returns) of every game in order."""
    for games in played:
        for g in range(len(games.seeds)):
            yield (
                games.actions[g, : games.plies[g]].tolist(),
                int(games.endings[g]),
                games.returns[g].tolist(),
            )


def duel_rate(games: list[Games], seats: int) -> Rate:
    """How often policy 0 won alone against the others, resampling seeds for the interval."""
    returns = np.concatenate([g.returns for g in games])
    seating = np.concatenate([g.seating for g in games])
    won = (returns > 0)[np.arange(len(returns)), seating.argmin(axis=1)]
    seeds = np.concatenate([g.seeds for g in games])
    return bootstrap_mean(won, seeds, chance=1 / seats)


def head_to_head(policies: list[KernelPolicy], rules: Any, games: int, seed: int) -> dict[str, Any]:
    """Win rates of every pair in two-player games: ``wins[a][b]`` is how often a beat b."""
    wins: dict[str, dict[str, Any]] = {policy.name: {} for policy in policies}
    if games > 0:
        for a, b in combinations(policies, 2):
            seeds, seating = duel_seating(2, games, seed)
            rate = duel_rate(play_parallel(rules, [a, b], seeds, seating), 2)
            wins[a.name][b.name] = rate.record()
            wins[b.name][a.name] = rate.complement().record()
    return {"games": games, "wins": wins}
