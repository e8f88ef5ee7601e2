"""Principal variation search on any kernel, as a loop that can stop at any node and go on.

Alpha-beta with a null window for all moves but the first (principal variation search; Marsland and
Campbell 1982), a transposition table where the game gives a hash, killer moves and a history of
moves that refuted others (Schaeffer 1989). Where the game answers the questions of ``hooks``, also
quiescence beyond the last ply, null moves (Donninger 1993), reductions of late moves, and pruning
of moves that cannot reach the window by their margin. A game that answers none is searched
to its full width, and the value is minimax's.

Values are whole numbers for the seat to move, ``hooks.UNIT`` for a return of 1. A result counts one
less for each ply from the root, so that the sooner win and the later loss are preferred.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import hooks
from stratagym.envs import core

RUNNING, DONE = 0, 1
MAX_PLY = 96
"""Levels kept for a search, quiescence and extensions included; deeper positions are judged."""

# What is kept of each level's node, besides its state and moves.
(
    _SEAT, _ALPHA, _BETA, _DEPTH, _BEST, _MOVE, _NEXT, _COUNT, _STAGE, _FLOOR, _STATIC, _CHECK,
    _CHILD_DEPTH, _NULL, _KNOWN, _KILLER_1, _KILLER_2,
) = range(17)  # fmt: skip
_FIELDS = 17
# How the child under way is being searched.
_FULL, _SCOUT, _REDUCED, _PASSED = range(4)
_EXACT, _LOWER, _UPPER = 1, 2, 3

_INFINITE = np.int64(1) << np.int64(60)
_UNIT, _RESULT = np.int64(hooks.UNIT), np.int64(hooks.RESULT)
_HISTORY_LIMIT = 1 << 14
_RANKED = 1e9
"""Order of moves that have been best at the root, more for later ones."""
_KILLER = 0.9
_NULL_REDUCTION = 3
_LEAST_NULL_DEPTH, _LEAST_REDUCED_DEPTH = 3, 3

ENTRY = np.dtype(
    [
        ("key", "u8"), ("value", "i8"), ("move", "i4"), ("age", "i4"), ("depth", "i2"),
        ("bound", "i2"),
    ],
    align=True,
)  # fmt: skip
"""A transposition entry: the value of a position searched to a depth, exact or a bound, and the
number of the decision that it was found for."""


def _reductions() -> np.ndarray:
    table = np.zeros((64, 64), np.int64)
    for depth in range(1, 64):
        for k in range(1, 64):
            table[depth, k] = int(0.4 + log(depth) * log(k) / 2.1)
    return table


REDUCTIONS = _reductions()
"""Plies by which the k-th quiet move is searched less deeply, by depth and k."""


@njit(cache=True)
def _value_of_end(rules, s, seat, level, total):
    """A finished game's value for ``seat``: its return, less in size the later it comes."""
    core.returns(rules, s, total)
    value = np.int64(round(total[0] * _UNIT))
    if value > level:
        value -= level
    elif value < -level:
        value += level
    return value if seat == 0 else -value


@njit(cache=True)
def _is_result(value):
    return _RESULT <= value <= _UNIT or -_UNIT <= value <= -_RESULT


@njit(cache=True)
def _from_here(value, level):
    """A value as it is kept in the table: results count from the position, not from the root."""
    if _is_result(value):
        return value + level if value > 0 else value - level
    return value


@njit(cache=True)
def _from_root(value, level):
    if _is_result(value):
        return value - level if value > 0 else value + level
    return value


@njit(cache=True)
def bring_best_forward(legal, order, level, k, n):
    """Put the move of highest order among k .. n-1 in place k; the earlier among equals."""
    best = k
    for j in range(k + 1, n):
        if order[level, j] > order[level, best]:
            best = j
    move, score = legal[level, best], order[level, best]
    for j in range(best, k, -1):
        legal[level, j], order[level, j] = legal[level, j - 1], order[level, j - 1]
    legal[level, k], order[level, k] = move, score


@njit(cache=True)
def _descend(nodes, level, seat, alpha, beta, depth):
    """Set the child's window and depth; ``alpha`` and ``beta`` are the parent's."""
    if seat == nodes[level, _SEAT]:
        nodes[level + 1, _ALPHA], nodes[level + 1, _BETA] = alpha, beta
    else:
        nodes[level + 1, _ALPHA], nodes[level + 1, _BETA] = -beta, -alpha
    nodes[level + 1, _SEAT] = seat
    nodes[level + 1, _DEPTH] = depth


@njit(cache=True)
def _reward(history, seat, legal, level, played, move, depth):
    """A quiet move refuted the position: it counts more from now on, those tried before less."""
    bonus = min(depth * depth, 400)
    history[seat, move] += bonus - history[seat, move] * bonus // _HISTORY_LIMIT
    for k in range(played):
        other = legal[level, k]
        history[seat, other] -= bonus + history[seat, other] * bonus // _HISTORY_LIMIT


@njit(cache=True)
def _actions(rules, states, legal, level):
    """Write what is tried at a level into its row; returns how many."""
    n = core.legal_actions(rules, states[level], legal[level])
    return hooks.candidates(rules, states[level], legal[level], n, level)


@njit(cache=True, nogil=True)
def search(
    rules, states, depth, allowed, running, nodes, legal, order, table, age, history, total, ranks
):
    """Search ``states[0]`` to ``depth`` plies, or until ``allowed`` more positions were visited.

    Args:
        states, nodes, legal, order: scratch, one row a level.
        running: (3,) int64: the level to go on at, positions visited, and whether a return beyond
            1 in size was met. Zeros begin a search; an unfinished one leaves what lets it go on.
        table: (2**k,) ``ENTRY``, of which only entries of this ``age`` count.
        history: (seats, actions) int64, kept over the depths of a decision.
        total: scratch, one a seat.
        ranks: (actions,) int64: how lately each action was the best at the root; updated.

    Returns:
        ``DONE`` or ``RUNNING``. The best action so far is ``best_action(nodes)``, -1 for none.
    """
    level, visited, opening = running[0], running[1], True
    last = np.uint64(table.shape[0] - 1)
    stop = visited + allowed
    deepest = states.shape[0] - 1
    if level == 0:
        nodes[0, _SEAT] = core.current_player(rules, states[0])
        nodes[0, _ALPHA], nodes[0, _BETA] = -_INFINITE, _INFINITE
        nodes[0, _DEPTH], nodes[0, _MOVE], nodes[0, _NULL] = depth, -1, 0
        nodes[1, _KILLER_1] = nodes[1, _KILLER_2] = -1
        nodes[0, _KILLER_1] = nodes[0, _KILLER_2] = -1
    result = np.int64(0)
    while True:
        valued = False
        if opening:
            if visited >= stop:
                running[0], running[1] = level, visited
                return RUNNING
            visited += 1
            opening = False
            alpha, beta, left = nodes[level, _ALPHA], nodes[level, _BETA], nodes[level, _DEPTH]
            seat = nodes[level, _SEAT]
            known = -1
            nodes[level, _MOVE], nodes[level, _NEXT], nodes[level, _FLOOR] = -1, 0, alpha
            nodes[level, _BEST], nodes[level, _COUNT] = -_INFINITE, 0
            if core.current_player(rules, states[level]) <= core.TERMINAL:
                result, valued = _value_of_end(rules, states[level], seat, level, total), True
                if abs(result) > _UNIT:
                    running[2] = 1
            elif level > 0 and hooks.is_repeated(rules, states[level]):
                result, valued = np.int64(0), True
            elif level == deepest:
                result, valued = hooks.estimate(rules, states[level], total), True
            else:
                key = hooks.position_hash(rules, states[level])
                if key != np.uint64(0):
                    entry = table[np.int64(key & last)]
                    if entry.key == key and entry.age == age:
                        known = entry.move
                        if level > 0 and entry.depth >= max(left, 0):
                            result = _from_root(entry.value, level)
                            valued = (
                                entry.bound == _EXACT
                                or (entry.bound == _LOWER and result >= beta)
                                or (entry.bound == _UPPER and result <= alpha)
                            )
            if not valued:
                check = hooks.is_check(rules, states[level])
                nodes[level, _CHECK] = 1 if check else 0
                static = -_INFINITE
                if not check:
                    static = hooks.estimate(rules, states[level], total)
                nodes[level, _STATIC] = static
                n = 0
                if left <= 0:
                    nodes[level, _DEPTH] = 0
                    if not check:
                        nodes[level, _BEST] = static
                        if static > alpha:
                            alpha = static
                            nodes[level, _ALPHA] = static
                        if static < beta:
                            n = hooks.forcing_actions(
                                rules, states[level], alpha - static, legal[level]
                            )
                    else:
                        n = _actions(rules, states, legal, level)
                    if n == 0:
                        result, valued = nodes[level, _BEST], True
                else:
                    narrow = beta - alpha == 1 and level > 0 and not check and not _is_result(beta)
                    gap = hooks.margin(rules, left)
                    if narrow and gap >= 0 and static - gap >= beta:
                        result, valued = static, True
                    if (
                        not valued
                        and narrow
                        and left >= _LEAST_NULL_DEPTH
                        and nodes[level, _NULL] == 0
                        and static >= beta
                        and hooks.may_pass(rules, states[level])
                    ):
                        nodes[level, _STAGE] = _PASSED
                        nodes[level, _KNOWN] = known
                        states[level + 1] = states[level]
                        hooks.pass_turn(rules, states[level + 1])
                        other = core.current_player(rules, states[level + 1])
                        less = _NULL_REDUCTION + left // 4
                        _descend(nodes, level, other, beta - 1, beta, left - 1 - less)
                        nodes[level + 1, _NULL] = 1
                        if level + 2 <= deepest:
                            nodes[level + 2, _KILLER_1] = nodes[level + 2, _KILLER_2] = -1
                        level += 1
                        opening = True
                        continue
                    if not valued:
                        n = _actions(rules, states, legal, level)
                if not valued:
                    _set_order(rules, states, nodes, legal, order, history, ranks, level, n, known)
        elif (
            nodes[level, _NEXT] >= nodes[level, _COUNT]
            or nodes[level, _ALPHA] >= nodes[level, _BETA]
        ):
            result, valued = nodes[level, _BEST], True
            key = hooks.position_hash(rules, states[level])
            if key != np.uint64(0):
                entry = table[np.int64(key & last)]
                other = entry.key != key or entry.age != age
                # Quiescence does not push out what was searched.
                if (
                    entry.age != age
                    or entry.depth <= nodes[level, _DEPTH]
                    or (other and nodes[level, _DEPTH] > 0)
                ):
                    if other or nodes[level, _MOVE] >= 0:
                        entry.move = nodes[level, _MOVE]
                    entry.key, entry.age = key, age
                    entry.value, entry.depth = _from_here(result, level), nodes[level, _DEPTH]
                    entry.bound = _EXACT
                    if result <= nodes[level, _FLOOR]:
                        entry.bound = _UPPER
                    elif result >= nodes[level, _BETA]:
                        entry.bound = _LOWER
        if valued:
            if level == 0:
                running[0], running[1] = 0, visited
                return DONE
            child_seat = nodes[level, _SEAT]
            level -= 1
            value = result if child_seat == nodes[level, _SEAT] else -result
            alpha, beta = nodes[level, _ALPHA], nodes[level, _BETA]
            stage = nodes[level, _STAGE]
            if stage == _PASSED:
                if value >= beta:
                    # Shown by a move that there is not: no result, only a bound.
                    nodes[level, _BEST] = beta if _is_result(value) else value
                    nodes[level, _ALPHA] = beta
                    nodes[level, _MOVE], nodes[level, _NEXT], nodes[level, _COUNT] = -1, 0, 0
                else:
                    known = nodes[level, _KNOWN]
                    n = _actions(rules, states, legal, level)
                    _set_order(rules, states, nodes, legal, order, history, ranks, level, n, known)
                continue
            if stage == _REDUCED and value > alpha:
                nodes[level, _STAGE] = _SCOUT
                _descend(nodes, level, child_seat, alpha, alpha + 1, nodes[level, _CHILD_DEPTH])
                level += 1
                opening = True
                continue
            if stage != _FULL and alpha < value < beta:
                nodes[level, _STAGE] = _FULL
                _descend(nodes, level, child_seat, alpha, beta, nodes[level, _CHILD_DEPTH])
                level += 1
                opening = True
                continue
            played = nodes[level, _NEXT] - 1
            move = legal[level, played]
            if value > nodes[level, _BEST]:
                nodes[level, _BEST] = value
            if value > alpha:
                nodes[level, _ALPHA], nodes[level, _MOVE] = value, move
                if level == 0 and depth > 0:
                    latest = 0  # numba takes long to compile ``max`` of an array
                    for k in range(ranks.shape[0]):
                        latest = max(latest, ranks[k])
                    ranks[move] = latest + 1
                left = nodes[level, _DEPTH]
                if value >= beta and left > 0 and hooks.is_quiet(rules, states[level], move):
                    _reward(history, nodes[level, _SEAT], legal, level, played, move, left)
                    if nodes[level, _KILLER_1] != move:
                        nodes[level, _KILLER_2] = nodes[level, _KILLER_1]
                        nodes[level, _KILLER_1] = move
            continue
        # Choose the next move and go down.
        k, n = nodes[level, _NEXT], nodes[level, _COUNT]
        bring_best_forward(legal, order, level, k, n)
        move = legal[level, k]
        nodes[level, _NEXT] = k + 1
        left = nodes[level, _DEPTH]
        alpha, beta = nodes[level, _ALPHA], nodes[level, _BETA]
        late = False
        if left > 0 and k > 0 and nodes[level, _CHECK] == 0:
            # A move may be looked at less, or not at all, where the game knows a margin.
            late = hooks.margin(rules, 1) >= 0 and hooks.is_quiet(rules, states[level], move)
        states[level + 1] = states[level]
        core.step(rules, states[level + 1], move)
        nodes[level + 1, _NULL] = 0
        child = core.current_player(rules, states[level + 1])
        if child <= core.TERMINAL:
            child = 1 - nodes[level, _SEAT]
            threat = False
        else:
            threat = left > 0 and hooks.is_check(rules, states[level + 1])
            if late and not threat and beta - alpha == 1 and nodes[level, _BEST] > -_RESULT:
                gap = hooks.margin(rules, left)
                reach = nodes[level, _STATIC] + gap
                if gap >= 0 and (reach <= alpha or k > 4 + 2 * left * left):
                    if nodes[level, _BEST] < reach <= alpha:
                        nodes[level, _BEST] = reach
                    continue
        deeper = max(left - 1, 0)
        if threat and level < 2 * nodes[0, _DEPTH]:
            deeper += 1
        nodes[level, _CHILD_DEPTH] = deeper
        if level + 2 <= deepest:
            nodes[level + 2, _KILLER_1] = nodes[level + 2, _KILLER_2] = -1
        if k == 0 or left == 0:
            nodes[level, _STAGE] = _FULL
            _descend(nodes, level, child, alpha, beta, deeper)
        else:
            less = np.int64(0)
            if late and level > 0 and left >= _LEAST_REDUCED_DEPTH and k > 1 and not threat:
                less = REDUCTIONS[min(left, 63), min(k, 63)]
                if beta - alpha > 1:
                    less -= 1
                if move == nodes[level, _KILLER_1] or move == nodes[level, _KILLER_2]:
                    less -= 1
                less = min(max(less, 0), deeper - 1)
            nodes[level, _STAGE] = _REDUCED if less > 0 else _SCOUT
            _descend(nodes, level, child, alpha, alpha + 1, deeper - less)
        level += 1
        opening = True


@njit(cache=True)
def _set_order(rules, states, nodes, legal, order, history, ranks, level, n, known):
    """Give the ``n`` legal actions of a level their order: known, promising, killers, history."""
    nodes[level, _COUNT], nodes[level, _NEXT] = n, 0
    nodes[level, _STAGE] = _FULL
    seat = nodes[level, _SEAT]
    for k in range(n):
        move = legal[level, k]
        if level == 0 and ranks[move] > 0:
            order[level, k] = _RANKED + ranks[move]
        elif move == known:
            order[level, k] = _RANKED
        else:
            score = hooks.priority(rules, states[level], move)
            if level > 0 and nodes[level, _DEPTH] > 0:
                if move == nodes[level, _KILLER_1] or move == nodes[level, _KILLER_2]:
                    score += _KILLER
                score += history[seat, move] / _HISTORY_LIMIT
            order[level, k] = score


@njit(cache=True)
def best_action(nodes):
    """The root's best action so far, or -1."""
    return nodes[0, _MOVE]


@njit(cache=True)
def best_value(nodes):
    """The root's best value so far, for its seat to move."""
    return nodes[0, _BEST]


def plies_to_result(value: int) -> int | None:
    """Plies from the root to the result that a value stands for; None if it is an estimate."""
    if hooks.RESULT <= abs(value) <= hooks.UNIT:
        return hooks.UNIT - abs(value)
    return None


def new_memory(rules: Any, levels: int) -> tuple[np.ndarray, ...]:
    """(states, nodes, legal, order, history, total): what ``search`` works in."""
    return (
        core.new_states(rules, levels),
        np.zeros((levels, _FIELDS), np.int64),
        np.zeros((levels, rules.num_actions), np.int64),
        np.zeros((levels, rules.num_actions)),
        np.zeros((rules.num_players, rules.num_actions), np.int64),
        np.zeros(rules.num_players),
    )
