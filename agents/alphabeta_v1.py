"""The alpha-beta player of version 0.1, frozen for the ladders that hold it: ``version=1``.

Its values know no distance, and bounds of refuted moves tie with the best at the root, so that from
depth 4 on it passes over wins. Iterative deepening over minimax values from seat 0's side, with a
transposition table where the game gives a hash.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import hooks
from stratagym.agents.core import Decision, Policy
from stratagym.agents.pvs import bring_best_forward
from stratagym.envs import core

# What is kept of each level's node, besides its state and moves.
_SEAT, _NEXT, _COUNT, _BEST = range(4)
_ALPHA, _BETA, _VALUE, _FLOOR, _CEILING = range(5)
_EXACT, _LOWER, _UPPER = 1, 2, 3

ENTRY = np.dtype(
    [
        ("key", "u8"), ("value", "f8"), ("move", "i4"), ("depth", "i2"), ("bound", "i2"),
        ("age", "i8"),
    ],
    align=True,
)  # fmt: skip
"""A transposition entry: the value of a position searched to a depth, exact or a bound, and the
number of the decision that it was found for."""


@njit(cache=True, nogil=True)
def search(
    rules, states, depth, allowed, nodes, bounds, legal, order, table, age, total, root_order,
    hashed,
):  # fmt: skip
    """Minimax from ``states[0]`` to ``depth`` plies, as a loop over levels.

    Returns (best action, value for seat 0, positions visited); the action is -1 where more than
    ``allowed`` positions would have been visited.

    Args:
        states, nodes, bounds, legal, order: scratch, one row a level, ``depth`` + 1 of them.
        table: (2**k,) ``ENTRY``, of which only entries of this ``age`` count.
        total: scratch, one a seat.
        root_order: (A,) values of the root's actions for seat 0 from a shallower search; updated.
        hashed: whether to use the table; of 0.1's games only chess had a hash.
    """
    level, opening, visited, result = 0, True, 0, 0.0
    last = np.uint64(table.shape[0] - 1)
    bounds[0, _ALPHA], bounds[0, _BETA] = -np.inf, np.inf
    while True:
        left = depth - level
        valued = False
        if opening:
            visited += 1
            if visited > allowed:
                return -1, 0.0, visited
            opening = False
            seat = core.current_player(rules, states[level])
            if seat <= core.TERMINAL or left == 0:
                hooks.evaluate(rules, states[level], total)
                result, valued = total[0], True
            else:
                known = -1
                key = hooks.position_hash(rules, states[level]) if hashed else np.uint64(0)
                entry = table[np.int64(key & last)]
                if key != np.uint64(0) and entry.key == key and entry.age == age:
                    known = entry.move
                    if level > 0 and entry.depth >= left:
                        result = entry.value
                        valued = (
                            entry.bound == _EXACT
                            or (entry.bound == _LOWER and result >= bounds[level, _BETA])
                            or (entry.bound == _UPPER and result <= bounds[level, _ALPHA])
                        )
                if not valued:
                    n = core.legal_actions(rules, states[level], legal[level])
                    nodes[level, _SEAT], nodes[level, _NEXT] = seat, 0
                    nodes[level, _COUNT], nodes[level, _BEST] = n, -1
                    bounds[level, _VALUE] = -np.inf if seat == 0 else np.inf
                    bounds[level, _FLOOR] = bounds[level, _ALPHA]
                    bounds[level, _CEILING] = bounds[level, _BETA]
                    for k in range(n):
                        move = legal[level, k]
                        if level == 0:
                            order[0, k] = root_order[move] if seat == 0 else -root_order[move]
                        elif move == known:
                            order[level, k] = np.inf
                        else:
                            order[level, k] = 0.0
        elif (
            nodes[level, _NEXT] == nodes[level, _COUNT]
            or bounds[level, _ALPHA] >= bounds[level, _BETA]
        ):
            result, valued = bounds[level, _VALUE], True
            key = hooks.position_hash(rules, states[level]) if hashed else np.uint64(0)
            if key != np.uint64(0):
                entry = table[np.int64(key & last)]
                entry.key, entry.value, entry.depth = key, result, left
                entry.move, entry.age = nodes[level, _BEST], age
                entry.bound = _EXACT
                if result <= bounds[level, _FLOOR]:
                    entry.bound = _UPPER
                elif result >= bounds[level, _CEILING]:
                    entry.bound = _LOWER
        if valued:
            if level == 0:
                return nodes[0, _BEST], result, visited
            level -= 1
            _take(nodes, bounds, legal, level, result)
            if level == 0:
                root_order[legal[0, nodes[0, _NEXT] - 1]] = result
            continue
        k = nodes[level, _NEXT]
        bring_best_forward(legal, order, level, k, nodes[level, _COUNT])
        states[level + 1] = states[level]
        core.step(rules, states[level + 1], legal[level, k])
        bounds[level + 1, _ALPHA], bounds[level + 1, _BETA] = (
            bounds[level, _ALPHA],
            bounds[level, _BETA],
        )
        nodes[level, _NEXT] = k + 1
        level += 1
        opening = True


@njit(cache=True)
def _take(nodes, bounds, legal, level, result):
    """Take the value of the child tried last into its parent."""
    first = nodes[level, _BEST] < 0
    if nodes[level, _SEAT] == 0:
        better = result > bounds[level, _VALUE]
        bounds[level, _ALPHA] = max(bounds[level, _ALPHA], result)
    else:
        better = result < bounds[level, _VALUE]
        bounds[level, _BETA] = min(bounds[level, _BETA], result)
    if first or better:
        bounds[level, _VALUE] = result
        nodes[level, _BEST] = legal[level, nodes[level, _NEXT] - 1]


class AlphaBetaV1(Policy):
    """Iterative deepening to ``depth`` plies, or until ``positions`` have been visited.

    Raises:
        ValueError: from ``act``, in a game with chance, hidden information or other than two seats.
    """

    def __init__(self, depth: int, positions: int = 2**62, table_bits: int = 18):
        self.depth, self.positions = depth, positions
        self.name = f"alphabeta:{depth}"
        self._table = np.zeros(2**table_bits, ENTRY)
        self._age = 0
        self._memory: tuple[Any, ...] | None = None

    def _allocate(self, rules: Any) -> tuple[Any, ...]:
        if self._memory is None or self._memory[0] != rules:
            levels = self.depth + 1
            self._memory = (
                rules,
                core.new_states(rules, levels),
                np.zeros((levels, 4), np.int64),
                np.zeros((levels, 5)),
                np.zeros((levels, rules.num_actions), np.int64),
                np.zeros((levels, rules.num_actions)),
                np.zeros(rules.num_players),
            )
        return self._memory[1:]

    def search(self, decision: Decision) -> tuple[int, float, int]:
        """(action, value for seat 0, depth reached) of the deepest search that was finished."""
        spec, rules = decision.spec, decision.rules
        if spec.chance == "explicit" or spec.information != "perfect" or rules.num_players != 2:
            raise ValueError(f"{self.name}: {spec.name} is not a two-player game without chance")
        states, nodes, bounds, legal, order, total = self._allocate(rules)
        root_order = np.zeros(rules.num_actions)
        found = int(decision.legal[0]), 0.0, 0
        spent = 0
        # What earlier decisions left in the table would make this one depend on them.
        self._age += 1
        for depth in range(1, self.depth + 1):
            states[0] = decision.states[0]
            allowed = self.positions - spent
            action, value, visited = search(
                rules, states, depth, allowed, nodes, bounds, legal, order, self._table, self._age,
                total, root_order, spec.name == "chess",
            )  # fmt: skip
            spent += visited
            if action < 0:
                break
            found = int(action), float(value), depth
        return found

    def act(self, decision: Decision) -> int:
        return self.search(decision)[0]
