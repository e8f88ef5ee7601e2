"""What players did in recorded games: the games are played again and each move is counted.

A game's ``metrics.py`` holds ``COUNTS``, the names of what is counted, and the kernel
``count_move``. It is found from the class of ``rules``, as ``core`` finds the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core


@core.kernel("metrics")
def count_move(rules, s, seat, action, legal, counts):
    """Count a legal move of the seat to move in ``s``, before it is played.

    ``counts`` (seats, columns) holds this game's counts so far: a column for each of ``COUNTS``,
    then ``MEMORY`` columns of the game's own, for what it has to remember between moves. ``legal``
    is scratch for ``core.legal_actions``.
    """


def _nothing_after(rules, s, seat, action, counts):
    pass


@core.kernel("metrics", default=_nothing_after)
def count_after(rules, s, seat, action, counts):
    """Count what shows when ``action`` of ``seat`` has been played, and chance after it."""


def _nothing_in_the_end(rules, s, results):
    pass


@core.kernel("metrics", default=_nothing_in_the_end)
def count_end(rules, s, results):
    """Write what the end of a game was like into ``results``, a column for each of ``RESULTS``."""


@njit(cache=True, nogil=True)
def _replay(rules, states, seeds, actions, plies, legal, probs, counts, results):
    s = states[0]
    for g in range(seeds.shape[0]):
        seat = core.start(rules, s, seeds[g], probs)
        for ply in range(plies[g]):
            action = actions[g, ply]
            count_move(rules, s, seat, action, legal, counts[g])
            next_seat = core.play(rules, s, action, probs)
            count_after(rules, s, seat, action, counts[g])
            seat = next_seat
        count_end(rules, s, results[g])


def replay(
    rules: Any, seeds: np.ndarray, actions: np.ndarray, plies: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """``COUNTS`` of every game and seat and ``RESULTS`` of every game, by playing them again.

    Args:
        seeds: (G,) uint64. actions: (G, longest) integers. plies: (G,) decisions in each game.

    Returns:
        counts (G, P, len(COUNTS)), int64 or the game's ``COUNTS_DTYPE``, and results
        (G, len(RESULTS)) int64; no columns where the game has no ``RESULTS``.
    """
    metrics = core.home(type(rules), "metrics")
    columns = len(metrics.COUNTS)
    shape = (len(seeds), rules.num_players, columns + getattr(metrics, "MEMORY", 0))
    counts = np.zeros(shape, getattr(metrics, "COUNTS_DTYPE", np.int64))
    results = np.zeros((len(seeds), len(getattr(metrics, "RESULTS", ()))), np.int64)
    legal, probs = core.new_scratch(rules)
    _replay(rules, core.new_states(rules), seeds, actions, plies, legal, probs, counts, results)
    return counts[..., :columns].copy(), results


def game_counts(
    rules: Any, seeds: np.ndarray, actions: np.ndarray, plies: np.ndarray
) -> np.ndarray:
    """The counts of ``replay`` alone."""
    return replay(rules, seeds, actions, plies)[0]


@njit(cache=True, nogil=True)
def _first_illegal(rules, states, seed, actions, legal, probs):
    s = states[0]
    seat = core.start(rules, s, seed, probs)
    for ply in range(actions.shape[0]):
        if seat < 0 or not core.is_legal_action(rules, s, actions[ply], legal):
            return ply
        seat = core.play(rules, s, actions[ply], probs)
    return -1


def first_illegal(rules: Any, seed: int, actions: Sequence[int]) -> int | None:
    """The ply of the first action of a game that was not legal, None where all were.

    What plays recorded games again takes this for granted, as all kernels do.

    Args:
        seed: of the game, 64 bits. actions: integers of 64 bits.
    """
    legal, probs = core.new_scratch(rules)
    played = np.array(actions, np.int64)
    ply = _first_illegal(rules, core.new_states(rules), np.uint64(seed), played, legal, probs)
    return None if ply < 0 else int(ply)
