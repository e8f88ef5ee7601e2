"""Moves that decide a game at once, looked for before a search begins.

A search that samples may pass over a win, or miss the one reply that wins for the other seat. So
in combinatorial games its root is narrowed first: to a move that wins at once, else to the moves
after which the other seat cannot win at once (decisive and anti-decisive moves; Teytaud and Teytaud
2010).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import hooks
from stratagym.agents.core import Decision
from stratagym.envs import core

_WIN = 1.0


@njit(cache=True)
def _win(rules, states, level, legal, n, total):
    """The first action among ``legal[:n]`` that wins ``states[level]`` at once, or -1."""
    seat = core.current_player(rules, states[level])
    for k in range(n):
        states[level + 1] = states[level]
        core.step(rules, states[level + 1], legal[k])
        if core.current_player(rules, states[level + 1]) <= core.TERMINAL:
            core.returns(rules, states[level + 1], total)
            if total[seat] >= _WIN:
                return legal[k]
    return -1


@njit(cache=True)
def _loses(rules, states, action, replies, total):
    """Whether an action in ``states[0]`` loses at once, or lets the other seat win at once."""
    seat = core.current_player(rules, states[0])
    states[1] = states[0]
    core.step(rules, states[1], action)
    other = core.current_player(rules, states[1])
    if other <= core.TERMINAL:
        core.returns(rules, states[1], total)
        return total[seat] <= -_WIN
    if other == seat or not hooks.may_win(rules, states[1]):
        return False
    n = core.legal_actions(rules, states[1], replies)
    return _win(rules, states, 1, replies, n, total) >= 0


@njit(cache=True, nogil=True)
def narrow(rules, states, legal, n, replies, total):
    """Put the actions of ``states[0]`` that are left to choose from in front; return how many.

    Where all actions lose, all are left.

    Args:
        states: (3,) records, the position and scratch. legal: (n or more,) actions to choose from.
        replies, total: scratch, one an action and one a seat.
    """
    if hooks.may_win(rules, states[0]):
        action = _win(rules, states, 0, legal, n, total)
        if action >= 0:
            legal[0] = action
            return 1
    safe = 0
    for k in range(n):
        if not _loses(rules, states, legal[k], replies, total):
            legal[k], legal[safe] = legal[safe], legal[k]
            safe += 1
    return safe if safe else n


@njit(cache=True)
def actions_at(rules, s, node, roots, legal):
    """Write what a search tries at a node into ``legal``: at node 0 ``roots``; returns how many."""
    if node != 0:
        return core.legal_actions(rules, s, legal)
    for k in range(roots.shape[0]):
        legal[k] = roots[k]
    return roots.shape[0]


@njit(cache=True)
def _draws(rules, states, action, total):
    """Whether an action in ``states[0]`` ends the game without a winner."""
    states[1] = states[0]
    core.step(rules, states[1], action)
    if core.current_player(rules, states[1]) > core.TERMINAL:
        return False
    core.returns(rules, states[1], total)
    return -_WIN < total[0] < _WIN


@njit(cache=True, nogil=True)
def look_each(rules, given, masks, states, legal, replies, total):
    """Leave in every row of ``masks`` (N, A) what looking two moves ahead leaves of it.

    That is a move that wins at once, else those of ``narrow`` that do not end the game as a draw,
    if there are any. ``given`` are the positions (N,), the rest is scratch as in ``narrow``.
    """
    for i in range(given.shape[0]):
        states[0] = given[i]
        n = 0
        for action in range(masks.shape[1]):
            if masks[i, action]:
                legal[n] = action
                n += 1
                masks[i, action] = 0
        left = narrow(rules, states, legal, n, replies, total)
        going = 0
        for k in range(left):
            if left > 1 and not _draws(rules, states, legal[k], total):
                legal[k], legal[going] = legal[going], legal[k]
                going += 1
        for k in range(going if going else left):
            masks[i, legal[k]] = 1


class Narrowing:
    """``narrow`` of decisions, with the memory that it works in."""

    def __init__(self) -> None:
        self._memory: tuple[Any, ...] | None = None

    def __call__(self, decision: Decision) -> np.ndarray:
        """Those of ``decision.legal`` to choose from, ascending."""
        rules = decision.rules
        if self._memory is None or self._memory[0] != rules:
            actions = np.zeros(rules.num_actions, np.int64)
            self._memory = rules, core.new_states(rules, 3), actions, actions.copy(), np.zeros(2)
        _, states, legal, replies, total = self._memory
        n = len(decision.legal)
        states[0] = decision.states[0]
        legal[:n] = decision.legal
        return np.sort(legal[: narrow(rules, states, legal, n, replies, total)])
