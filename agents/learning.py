"""What learners compute from rollouts of a ``BatchEnv``, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _advantages(
    rewards, terminations, truncations, players, values, final_values, next_values, gamma, lam,
    gained, following, later, known, found, usable,
):  # fmt: skip
    """Go backwards through every game, with one line of time for each seat.

    ``gained``, ``following``, ``later``, ``known`` are (P,): the seat's rewards since the decision
    that is looked for, the value that follows it, the advantage after it, and whether both exist.
    """
    steps, games, seats = rewards.shape
    for i in range(games):
        for seat in range(seats):
            gained[seat] = later[seat] = 0.0
            following[seat] = next_values[i, seat]
            known[seat] = not np.isnan(next_values[i, seat])
        for t in range(steps - 1, -1, -1):
            if terminations[t, i] or truncations[t, i]:
                for seat in range(seats):
                    gained[seat] = later[seat] = following[seat] = 0.0
                    known[seat] = True
                    if truncations[t, i]:
                        following[seat] = final_values[t, i, seat]
                        known[seat] = not np.isnan(following[seat])
            for seat in range(seats):
                gained[seat] += rewards[t, i, seat]
            seat = players[t, i]
            if seat < 0:
                continue
            found[t, i], usable[t, i] = 0.0, known[seat]
            if known[seat]:
                surprise = gained[seat] + gamma * following[seat] - values[t, i]
                found[t, i] = surprise + gamma * lam * later[seat]
            # The value of a decision is known even where its advantage is not.
            following[seat], later[seat] = values[t, i], found[t, i]
            gained[seat], known[seat] = 0.0, True


def advantages(
    rewards: np.ndarray,
    terminations: np.ndarray,
    truncations: np.ndarray,
    players: np.ndarray,
    values: np.ndarray,
    next_values: np.ndarray,
    *,
    gamma: float,
    lam: float,
    final_values: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Generalised advantage estimates of T steps of N games with P seats.

    Every seat has a line of time of its own, from a decision of its to its next one, whoever moves
    between them and in whatever order; what it gains there is one reward, and ``gamma`` discounts
    once for each decision of the seat. So it holds for any number of seats, for teams, and for
    simultaneous moves, which seats make one after another. A truncated game goes on, as far as
    the estimate is concerned, with what its seats expected at its end (Pardo et al. 2018).

    Args:
        rewards: (T, N, P), what every seat gained by a step.
        terminations, truncations: (T, N) bool, whether a step ended the game.
        players: (T, N), the seat that decided; negative where a game was over.
        values: (T, N), what that seat expected.
        next_values: (N, P), what every seat expects after the last step; NaN where it was not
            asked. The seat to move is enough, but then the last decisions of the others have no
            estimate.
        gamma, lam: the discount and the weight of long estimates, 0 to 1.
        final_values: (T, N, P), what every seat expected where a game was truncated, in the
            observation of that end; read nowhere else. NaN where a seat was not asked.

    Returns:
        (advantages, usable): (T, N) float64 and bool. The advantage plus the value is the
        target of the value. Where ``usable`` is False there was no decision or nothing is known
        of what followed, and the advantage is 0.

    Raises:
        ValueError: arrays of other shapes, or a truncated game and no ``final_values``.

    Source: Schulman et al. 2016, "High-dimensional continuous control using generalized advantage
    estimation", equations 11 to 16.
    """
    steps, games, seats = np.shape(rewards)
    if final_values is None:
        if np.any(truncations):
            raise ValueError(
                "final_values: truncated games are in the rollout; give what every seat expected "
                "at their end, such as the values of final_observations"
            )
        final_values = np.zeros((0, 0, seats))
        final_shape: tuple[int, ...] = (0, 0, seats)
    else:
        final_shape = (steps, games, seats)
    expected: dict[str, tuple[np.ndarray, tuple[int, ...]]] = {
        "final_values": (final_values, final_shape),
        "terminations": (terminations, (steps, games)),
        "truncations": (truncations, (steps, games)),
        "players": (players, (steps, games)),
        "values": (values, (steps, games)),
        "next_values": (next_values, (games, seats)),
    }
    for name, (array, shape) in expected.items():
        if np.shape(array) != shape:
            raise ValueError(
                f"{name} of shape {np.shape(array)}; rewards of shape {np.shape(rewards)} "
                f"want {shape}"
            )
    found, usable = np.zeros((steps, games)), np.zeros((steps, games), np.bool_)
    gained, following, later = np.zeros((3, seats))
    _advantages(
        np.ascontiguousarray(rewards, np.float64),
        np.ascontiguousarray(terminations, np.bool_),
        np.ascontiguousarray(truncations, np.bool_),
        np.ascontiguousarray(players, np.int64),
        np.ascontiguousarray(values, np.float64),
        np.ascontiguousarray(final_values, np.float64),
        np.ascontiguousarray(next_values, np.float64),
        float(gamma),
        float(lam),
        gained,
        following,
        later,
        np.zeros(seats, np.bool_),
        found,
        usable,
    )
    return found, usable
