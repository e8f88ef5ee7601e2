"""Who meets whom and who sits where: seats rotated, the same seeds for every pairing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any

import numpy as np

from stratagym.agents.kernel_policies import Games, KernelPolicy, play_many
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.match_play import AnswerProtocol
from stratagym.benchmarks.harness.matches import Match, Place
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


def points(game: Mapping[str, Any]) -> float:
    """What the first seat's player scores in a game of two: 1 for a win, 0.5 for a draw."""
    first, second = game["returns"]
    return 0.5 + 0.5 * (first > second) - 0.5 * (first < second)


def pair(
    standings: dict[str, float], met: set[frozenset[str]], rested: set[str]
) -> tuple[list[tuple[str, str]], str | None]:
    """Pairings of the next Swiss round, and who has a bye where the number is odd.

    The first in the standings meets the highest that it has not met, and so on, as far as that
    leaves an opponent for everybody; the bye goes to the lowest that has had none. There are always
    such pairings in the first half as many rounds as there are players (Dirac's theorem).
    """
    order = sorted(standings, key=lambda name: -standings[name])
    resting = [None] if len(order) % 2 == 0 else [n for n in reversed(order) if n not in rested]

    def match_up(left: list[str]) -> list[tuple[str, str]] | None:
        if not left:
            return []
        for opponent in left[1:]:
            if frozenset((left[0], opponent)) not in met:
                rest = match_up([name for name in left[1:] if name != opponent])
                if rest is not None:
                    return [(left[0], opponent), *rest]
        return None

    for bye in resting:
        pairings = match_up([name for name in order if name != bye])
        if pairings is not None:
            return pairings, bye
    raise ValueError("everybody has met everybody")


def duel_matches(
    benchmark: str,
    pairing: str,
    game: str,
    options: dict[str, Any],
    seats: int,
    games: int,
    seed: int,
    policies: tuple[str, str],
    protocol: AnswerProtocol,
) -> list[Match]:
    """One policy against a table of another: every seed once with the first in each seat.

    Args:
        pairing: what the matches' names begin with. seats: how many there are.
        games: rounded up to whole rounds of ``seats``. seed: of the set of seeds.
    """
    seeds, seating = duel_seating(seats, games, seed)
    return [
        Match(
            benchmark,
            f"{pairing}/{g // seats}/{g % seats}",
            game,
            options,
            int(seeds[g]),
            tuple(policies[k] for k in seating[g]),
            protocol,
            Place(pairing, g // seats, g % seats),
        )
        for g in range(len(seeds))
    ]
