"""Monte Carlo tree search by priors and judgements, for two players who see all and throw no dice.

A leaf is worth what the game's ``judge`` says; nothing is played at random. Children are chosen by
PUCT (Rosin 2011, in AlphaZero's form): by value, and by a prior from what the game finds promising
and from what the same move gained elsewhere in the tree. A node's value mixes the mean of what was
judged below it with the minimax (implicit minimax backups; Lanctot, Winands, Pepels, Sturtevant
2014). Results are proven as in ``mcts``.

Most of the time goes into judging, so the judge is told the window that matters, as alpha-beta
would have it. The rest is kept small: a node's children stand in a row, those that were visited
first, so that the others cost nothing, and positions of nodes with children are kept, so that a
simulation plays a move or two.
"""

from __future__ import annotations

from math import exp, isnan, nan, sqrt
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import decisive, hooks
from stratagym.envs import core

_IMPLIED = 0.85
"""Weight of the minimax value beside the mean."""
_SHARPNESS, _MOST = 0.35, 4.0
"""Logits of a prior for each unit of ``hooks.priority``, which counts up to ``_MOST``."""
_GAIN = 10.0
"""Logits of a prior for each unit of value that the move gained elsewhere."""
_HOPE = 0.07
"""By how much a child not yet visited is taken to be better for its mover than the node."""
_ENOUGH = 16
"""Children after which a node's own judgement no longer counts beside theirs."""
_MARGIN = 0.12
"""What the judge's window has on either side beyond the values that it lies between."""
_DOUBT = 0.16
"""What a move that was visited once is worth less when one is chosen; less with more visits."""
_LEAD, _LEAD_VISITS = 0.04, 0.5
"""A move this much better than any other is played at once, if it was visited more often than any
other by this share of the simulations left."""
_KEPT = 4096
"""Positions kept at most."""
_MOST_NODES = 4_000_000
_NONE = -1

NODE = np.dtype(
    [
        ("action", "i4"),  # that led here
        ("first", "i4"),  # of the children; -1 before there are any
        ("children", "i4"),
        ("opened", "i4"),  # how many of them were visited
        ("visits", "i4"),
        ("kept", "i4"),  # where the position is kept; -1 for nowhere
        ("seat", "i1"),  # to move
        ("settled", "i1"),  # whether nothing below is to be looked at
        ("prior", "f4"),
        ("judged", "f4"),  # values are seat 0's
        ("implied", "f4"),  # minimax of what was judged
        ("proof", "f4"),  # the proven return, or NaN
        ("value", "f8"),  # sum over visits of what was judged
    ],
    align=True,
)


@njit(cache=True, nogil=True)
def search(
    rules, states, roots, solve, simulations, exploration, legal, tree, path, gains, tried, total,
    memory,
):  # fmt: skip
    """Search from ``states[0]``; node 0 is the root. Returns the root's child to play.

    Args:
        states: (2 or more,) records: the root, a working copy, and room for positions to keep.
        roots: (n,) int64, the actions to choose from.
        solve: whether to prove results. The search ends when the root's is proven.
        simulations: at most; fewer where one move leads by far.
        exploration: PUCT's constant, for returns within [-1, 1].
        tree: (N,) of ``NODE``. path: nodes of a simulation, as long as a game and one more.
        gains, tried: (seats, A): what moves gained on the mean, and how often they were judged.
        legal, total: scratch, one an action and one a seat. memory: for ``hooks.judge``.
    """
    root = tree[0]
    _clear(root, _NONE)
    root.seat = core.current_player(rules, states[0])
    root.kept = 0
    hooks.judge(rules, states[0], -np.inf, np.inf, memory, total)
    root.judged = root.implied = total[0]
    gains[:] = 0.0
    tried[:] = 0
    used, stored = 1, 2
    for done in range(simulations):
        if not isnan(root.proof) or (done % 8 == 7 and _is_decided(tree, simulations - done)):
            break
        node, depth = np.int64(0), 0
        path[0] = 0
        # Depths of the path's last kept position, and of the one in the working copy.
        known, held = 0, _NONE
        low, high = -np.inf, np.inf
        while True:
            n = tree[node]
            if n.settled or (n.visits == 0 and depth > 0):
                break
            if n.first == _NONE:
                _follow(rules, states, tree, path, known, held, depth)
                held = depth
                count = decisive.actions_at(rules, states[1], node, roots, legal)
                if used + count > tree.shape[0]:
                    break
                _expand(rules, states[1], tree, node, used, legal, count, gains)
                used += count
                if depth > 0 and stored < states.shape[0]:
                    states[stored] = states[1]
                    n.kept = stored
                    stored += 1
            if n.kept != _NONE:
                known = depth
            node, other = _select(tree, node, exploration)
            if n.seat == 0:
                low = max(low, other)
            else:
                high = min(high, -other)
            depth += 1
            path[depth] = node
        leaf = tree[node]
        if leaf.visits == 0 and depth > 0:
            _follow(rules, states, tree, path, known, held, depth)
            w = states[1]
            parent = tree[path[depth - 1]]
            leaf.seat = core.current_player(rules, w)
            if leaf.seat <= core.TERMINAL:
                core.returns(rules, w, total)
                leaf.settled = 1
                if solve:
                    leaf.proof = total[0]
            elif hooks.is_repeated(rules, w):
                total[0] = 0.0
                leaf.settled = 1
            else:
                least, most = min(low, high) - _MARGIN, max(low, high) + _MARGIN
                hooks.judge(rules, w, least, most, memory, total)
            leaf.judged = leaf.implied = total[0]
            seat, action = parent.seat, leaf.action
            gain = total[0] - parent.judged if seat == 0 else parent.judged - total[0]
            tried[seat, action] += 1
            gains[seat, action] += (gain - gains[seat, action]) / tried[seat, action]
        value = leaf.implied
        leaf.visits += 1
        leaf.value += value
        proven, changed = not isnan(leaf.proof), True
        for k in range(depth - 1, -1, -1):
            n = tree[path[k]]
            n.visits += 1
            n.value += value
            if proven:
                _prove(tree, n)
                proven = not isnan(n.proof)
            if changed or proven:
                before = n.implied
                _imply(tree, n)
                changed = n.implied != before
    return _best(tree)


@njit(cache=True)
def _clear(n, action):
    n.action = action
    n.first = n.kept = _NONE
    n.children = n.opened = n.visits = 0
    n.settled = 0
    n.value = 0.0
    n.proof = nan


@njit(cache=True)
def _follow(rules, states, tree, path, known, held, depth):
    """Bring the working copy, at the depth ``held`` of the path, to the position at ``depth``."""
    if held < known:
        states[1] = states[tree[path[known]].kept]
        held = known
    for k in range(held, depth):
        core.step(rules, states[1], np.int64(tree[path[k + 1]].action))


@njit(cache=True)
def _expand(rules, s, tree, node, first, legal, count, gains):
    """Give a node its children, from ``first`` on; their priors are a softmax."""
    n = tree[node]
    n.first, n.children = first, count
    whole = 0.0
    for k in range(count):
        child = tree[first + k]
        _clear(child, legal[k])
        logit = _SHARPNESS * min(hooks.priority(rules, s, legal[k]), _MOST)
        child.prior = exp(logit + _GAIN * gains[n.seat, legal[k]])
        whole += child.prior
    for k in range(first, first + count):
        tree[k].prior /= whole
    _bring_best_forward(tree, first, first + count)


@njit(cache=True)
def _bring_best_forward(tree, begin, end):
    """Put the highest prior of children not yet visited, ``begin`` .. ``end - 1``, in front."""
    best = begin
    for k in range(begin + 1, end):
        if tree[k].prior > tree[best].prior:
            best = k
    a, b = tree[begin], tree[best]
    a.action, b.action = b.action, a.action
    a.prior, b.prior = b.prior, a.prior


@njit(cache=True)
def _select(tree, node, exploration):
    """(the child of highest value and prior, the best value of the others) for the seat to move.

    The first among equals. One not yet visited has the node's value. A proven child is not gone to
    again: nothing is left to be learnt there, and a draw would hide a win of low prior beside it.
    """
    n = tree[node]
    side = 1.0 if n.seat == 0 else -1.0
    weight = exploration * sqrt(n.visits + 1.0)
    best, best_score = np.int64(_NONE), -np.inf
    leading, first, second = np.int64(_NONE), -np.inf, -np.inf
    end = n.first + n.opened
    for k in range(n.first, end):
        child = tree[k]
        implied = side * child.implied
        if isnan(child.proof):
            score = _IMPLIED * implied + (1.0 - _IMPLIED) * side * child.value / child.visits
            score += weight * child.prior / (1.0 + child.visits)
            if score > best_score:
                best, best_score = np.int64(k), score
        if implied > first:
            leading, first, second = np.int64(k), implied, first
        elif implied > second:
            second = implied
    if n.opened < n.children:
        score = side * n.judged + _HOPE + weight * tree[end].prior
        if score > best_score:
            best = np.int64(end)
            n.opened += 1
            if n.opened < n.children:
                _bring_best_forward(tree, end + 1, n.first + n.children)
    return best, second if best == leading else first


@njit(cache=True)
def _prove(tree, n):
    """A node is decided by one child that wins for its seat, or by all children."""
    side = 1.0 if n.seat == 0 else -1.0
    best, whole = -np.inf, n.opened == n.children
    for k in range(n.first, n.first + n.opened):
        proof = tree[k].proof
        if isnan(proof):
            whole = False
        else:
            best = max(best, side * proof)
    if whole or best >= 1.0:
        n.proof = side * best
        n.settled = 1


@njit(cache=True)
def _imply(tree, n):
    """The minimax of a node's children; until enough were visited, its own judgement at least."""
    if not isnan(n.proof):
        n.implied = n.proof
        return
    side = 1.0 if n.seat == 0 else -1.0
    best = -np.inf
    if n.opened < min(n.children, _ENOUGH):
        best = side * n.judged
    for k in range(n.first, n.first + n.opened):
        best = max(best, side * tree[k].implied)
    n.implied = side * best


@njit(cache=True)
def _is_decided(tree, left):
    """Whether one move of the root leads by so much that ``left`` simulations hardly matter."""
    n = tree[0]
    if n.opened < n.children:
        return False
    side = 1.0 if n.seat == 0 else -1.0
    leading, first, second = np.int64(_NONE), -np.inf, -np.inf
    favourite, most, next_most = np.int64(_NONE), np.int64(0), np.int64(0)
    for k in range(n.first, n.first + n.opened):
        implied, visits = side * tree[k].implied, np.int64(tree[k].visits)
        if implied > first:
            leading, first, second = np.int64(k), implied, first
        elif implied > second:
            second = implied
        if visits > most:
            favourite, most, next_most = np.int64(k), visits, most
        elif visits > next_most:
            next_most = visits
    lead = first - second
    return leading == favourite and lead > _LEAD and most - next_most > _LEAD_VISITS * left


@njit(cache=True)
def _best(tree):
    """The root's child of highest minimax value; a proven win before all, a proven loss last."""
    n = tree[0]
    side = 1.0 if n.seat == 0 else -1.0
    best, best_score = np.int64(_NONE), -np.inf
    for k in range(n.first, n.first + n.opened):
        child = tree[k]
        if isnan(child.proof):
            score = side * child.implied - _DOUBT / sqrt(np.float64(child.visits))
        else:
            score = 3.0 * side * child.proof
        if score > best_score:
            best, best_score = np.int64(k), score
    return best


def tree_nodes(rules: Any, simulations: int) -> int:
    """Nodes of a tree for so many simulations; what does not fit is not added."""
    return min(simulations * 48 + rules.num_actions + 1, _MOST_NODES)


def new_memory(rules: Any, simulations: int) -> tuple[Any, ...]:
    """(states, legal, tree, path, gains, tried, total, memory): what ``search`` works in."""
    shape = rules.num_players, rules.num_actions
    return (
        core.new_states(rules, min(simulations, _KEPT) + 2),
        core.new_scratch(rules)[0],
        np.zeros(tree_nodes(rules, simulations), NODE),
        np.zeros(rules.max_game_length + 2, np.int32),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.int32),
        np.zeros(rules.num_players),
        hooks.judge_memory(rules),
    )
