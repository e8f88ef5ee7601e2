"""Sealed plans by the dozen: fills, how they fare against each other, hill climbing.

What a game says of its plans: ``fillers`` and ``shaping``, kernels, and ``entries_of``,
``actions_of`` and ``edited``, which tell plans as lists of entries and change one at random.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import hooks
from stratagym.envs import core, sealed

MOST_EDITS = 3
"""Of one step of a climb."""


def _all(rules, s, legal, n):
    return n


@core.kernel("agents", default=_all)
def fillers(rules, s, legal, n):
    """Put what a filler plays of ``legal[:n]`` in front, in any order; return how many.

    A filler never waits or stops while something fits, and never keeps a plan.
    """


def _nothing(rules, s, seat):
    return 0.0


@core.kernel("agents", default=_nothing)
def shaping(rules, s, seat):
    """What a simulation tells beside its result, far less than 1; by default nothing.

    A climb goes on over plans that are as good, so that what is told must not hold it up.
    """


@njit(cache=True)
def fill(rules, s, seat, filled, legal, out):
    """Write a random plan of ``seat`` into ``s`` and its actions into ``out``; returns how many.

    Args:
        filled: False: uniform legal actions. s: a record in its first round.
    """
    s.round = 0
    s.seat = seat
    s.acts[seat] = 0
    sealed.empty_plan(rules, s, seat)
    count, complete = 0, False
    while not complete:
        n = core.legal_actions(rules, s, legal)
        if filled:
            n = fillers(rules, s, legal, n)
        out[count] = legal[core.random_below(s, n)]
        complete = sealed.take(rules, s, seat, out[count])
        s.acts[seat] += 1
        count += 1
    return count


@njit(cache=True)
def fill_at(rules, states, seat, filled, seed, legal, out):
    """``fill`` with the record's dice started at ``seed``."""
    core.seed_rng(states[0], seed)
    return fill(rules, states[0], seat, filled, legal, out)


@njit(cache=True)
def next_fill(rules, states, seed, legal):
    """What a filler plays now in ``states[0]``."""
    s = states[0]
    core.seed_rng(s, seed)
    n = fillers(rules, s, legal, core.legal_actions(rules, s, legal))
    return legal[core.random_below(s, n)]


@njit(cache=True)
def meet(rules, states, seat, actions, values):
    """Fight a plan of ``seat`` against the plans of the other seat in every record.

    Writes its result, with ``shaping``, into ``values`` (N,); returns the mean result.
    """
    total, sign = 0, 1 - 2 * seat
    for k in range(states.shape[0]):
        sealed.set_plan(rules, states, k, seat, actions)
        s = states[k]
        result = sign * sealed.simulate(rules, s, s.log[:1])
        values[k] = result + shaping(rules, s, seat)
        total += result
    return total / states.shape[0]


class Fights:
    """Simulations of one game under some rules."""

    def __init__(self, spec: core.GameSpec, rules: Any):
        self.spec, self.rules = spec, rules
        self._states, (self._legal, _) = core.new_states(rules), core.new_scratch(rules)
        self._out = np.zeros(rules.max_game_length + 1, np.int64)

    def fill_action(self, states: np.ndarray, seed: int) -> int:
        """What a filler plays now in ``states[0]``."""
        return int(next_fill(self.rules, states.copy(), np.uint64(seed), self._legal))

    def fills(self, seat: int, n: int, seed: int, fill: bool = True) -> list[np.ndarray]:
        """So many plans that fill the budget, or of uniform legal actions: micro-actions each."""
        found = []
        for k in range(n):
            one = core.derive_seed(np.uint64(seed), np.uint64(k))
            args = (self.rules, self._states, seat, fill, np.uint64(one), self._legal, self._out)
            found.append(self._out[: fill_at(*args)].copy())
        return found

    def board(self, seat: int, plans: Sequence[np.ndarray]) -> np.ndarray:
        """Records (N,) in which ``seat`` has these plans."""
        states = core.new_states(self.rules, len(plans))
        for k, plan in enumerate(plans):
            sealed.set_plan(self.rules, states, k, seat, plan)
        return states

    def mean(self, seat: int, plan: np.ndarray, board: np.ndarray) -> float:
        """A plan's mean result, -1 to 1, against those of a board of the other seat."""
        return float(meet(self.rules, board, seat, plan, np.zeros(len(board))))

    def value(self, seat: int, plan: np.ndarray, board: np.ndarray) -> float:
        """The same with what shaping adds."""
        values = np.zeros(len(board))
        meet(self.rules, board, seat, plan, values)
        return float(values.mean())

    def best_fill(self, seat: int, n: int, against: Sequence[np.ndarray], seed: int) -> np.ndarray:
        """The best of ``n`` fills against plans of the other seat, the first of equals."""
        board = self.board(1 - seat, against)
        return max(self.fills(seat, n, seed), key=lambda plan: self.mean(seat, plan, board))

    def climb(
        self, seat: int, start: np.ndarray, against: Sequence[np.ndarray], steps: int, seed: int
    ) -> np.ndarray:
        """A plan after so many steps of random edits, each taken if it is not worse."""
        return self._climb(seat, start, self.board(1 - seat, against), steps, random.Random(seed))

    def _climb(
        self, seat: int, start: np.ndarray, board: np.ndarray, steps: int, rng: random.Random
    ) -> np.ndarray:
        own = hooks.found(self.spec, "entries_of"), hooks.found(self.spec, "edited")
        actions_of = hooks.found(self.spec, "actions_of")
        entries = own[0](self.rules, seat, start)
        best, value = start, self.value(seat, start, board)
        for _ in range(steps):
            tried = entries
            for _ in range(rng.randint(1, MOST_EDITS)):
                tried = own[1](self.rules, seat, tried, rng)
            if tried == entries:
                continue
            plan = np.array(actions_of(self.rules, seat, tried), np.int64)
            found = self.value(seat, plan, board)
            if found >= value:
                best, value, entries = plan, found, tried
        return best

    def reply(self, states: np.ndarray, seat: int, evals: int, seed: int) -> np.ndarray:
        """A climbed answer to the other seat's last plan in ``states[0]``.

        A third of the simulations go to fills, the rest to climbs from the best of them.
        """
        board = states.copy()
        sealed.recall_plans(self.rules, board)
        fills = self.fills(seat, max(1, min(evals // 3, 100)), seed)
        ranked = sorted(fills, key=lambda plan: -self.value(seat, plan, board))
        rng, best, left = random.Random(seed), ranked[0], evals - len(fills)
        for start in ranked[:3]:
            if left <= 0 or self.mean(seat, best, board) > 0:
                break
            found = self._climb(
                seat, start, board, min(left, max(1, (evals - len(fills)) // 3)), rng
            )
            left -= max(1, (evals - len(fills)) // 3)
            if self.value(seat, found, board) > self.value(seat, best, board):
                best = found
        return best
