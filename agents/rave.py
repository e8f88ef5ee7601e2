"""Monte Carlo tree search by rapid action values, for two players who see all and throw no dice.

UCT as in ``mcts``, but a move is judged by all simulations in which its player made it later too,
as long as it has few of its own: all moves as first, RAVE (Gelly and Silver 2007; 2011). A move
with neither is tried as if it had returned the first-play urgency (Gelly and Wang 2006), so that
not every move need be tried before one is tried twice; one that the game's agents shun, which no
playout makes, as if it had lost.
"""

from __future__ import annotations

from math import isnan, log, nan, sqrt
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import decisive, hooks
from stratagym.envs import core

NODE = np.dtype(
    [
        ("value", "f8"),  # sum of returns of the seat that moved here
        ("rapid", "f8"),  # the same over simulations in which it made the move later
        ("visits", "i4"),
        ("rapid_visits", "i4"),
        ("first", "i4"),  # of the children, which stand in a row; 0 for none yet
        ("children", "i4"),
        ("action", "i4"),  # that led here, and the seat that moved
        ("mover", "i1"),
        ("shunned", "i1"),
        ("proof", "f4"),  # seat 0's proven return, or NaN
    ],
    align=True,
)
_NOBODY = -1


@njit(cache=True, nogil=True)
def search(
    rules, states, roots, solve, simulations, exploration, rave, urgency, playout, legal, tree,
    path, moves, movers, makers, total,
):  # fmt: skip
    """Search from ``states[0]``; node 0 is the root. Returns the nodes used.

    Args:
        states: (3,) records: the root, a working copy, and one whose generator drives the search.
        roots: (n,) int64, the actions to choose from.
        solve: whether to prove results. The search ends when the root's is proven.
        exploration: UCT's constant, for returns within [-1, 1].
        rave: visits at which a move's own returns weigh as much as the rapid ones; 0 for none.
        urgency: what a move that no simulation holds counts for.
        playout: plies of play before the game's evaluator judges; -1 to the end.
        tree: (N,) of ``NODE``. path, moves, movers: nodes, actions and seats of a simulation, as
            long as a game and one more. makers: (A,) int8, scratch. total: scratch, one a seat.
    """
    root = tree[0]
    root.visits = root.first = root.children = 0
    root.value = 0.0
    root.proof = nan
    used = 1
    for _ in range(simulations):
        if not isnan(tree[0].proof):
            break
        states[1] = states[0]
        w = states[1]
        core.seed_rng(w, core.random_uint64(states[2]))
        node, depth = 0, 0
        path[0] = 0
        while True:
            player = core.current_player(rules, w)
            if player < 0 or not isnan(tree[node].proof):
                break
            if node != 0 and tree[node].visits == 0:
                break
            if tree[node].children == 0:
                n = decisive.actions_at(rules, w, node, roots, legal)
                if used + n > tree.shape[0]:
                    break
                tree[node].first, tree[node].children = used, n
                for k in range(n):
                    _clear(tree[used + k], legal[k], player)
                    tree[used + k].shunned = hooks.is_shunned(rules, w, legal[k])
                used += n
            node = _select(tree, node, exploration, rave, urgency, states[2])
            moves[depth], movers[depth] = tree[node].action, player
            core.step(rules, w, moves[depth])
            depth += 1
            path[depth] = node
        length = depth
        if isnan(tree[node].proof):
            while player >= 0 and length - depth != playout:
                action = hooks.urgent(rules, w)
                if action < 0:
                    n = core.legal_actions(rules, w, legal)
                    action = hooks.playout(rules, w, legal, n)
                moves[length], movers[length] = action, player
                core.step(rules, w, moves[length])
                length += 1
                player = core.current_player(rules, w)
            if player >= 0:
                hooks.evaluate(rules, w, total)
            else:
                core.returns(rules, w, total)
            if solve and player < 0 and length == depth:
                tree[node].proof = total[0]
                _prove(tree, path, depth)
        else:
            total[0], total[1] = tree[node].proof, -tree[node].proof
            _prove(tree, path, depth)
        for k in range(depth + 1):
            tree[path[k]].visits += 1
            if k > 0:
                tree[path[k]].value += total[movers[k - 1]]
        if rave > 0:
            _credit_rapidly(tree, path, depth, moves, movers, length, makers, total)
    return used


@njit(cache=True)
def _clear(node, action, player):
    node.visits = node.rapid_visits = node.first = node.children = 0
    node.value = node.rapid = 0.0
    node.proof = nan
    node.action, node.mover = action, player


@njit(cache=True)
def _select(tree, node, exploration, rave, urgency, generator):
    """The child that promises most; ties at random."""
    parent = tree[node]
    log_visits = log(parent.visits + 1.0)
    best, best_score, ties = -1, -np.inf, 0
    for k in range(parent.first, parent.first + parent.children):
        child = tree[k]
        if not isnan(child.proof):
            score = child.proof if child.mover == 0 else -child.proof
        else:
            score = -1.0 if child.shunned else urgency
            if child.rapid_visits > 0:
                score = child.rapid / child.rapid_visits
            if child.visits > 0:
                own = child.value / child.visits
                share = sqrt(rave / (3.0 * child.visits + rave)) if child.rapid_visits > 0 else 0.0
                score = share * score + (1.0 - share) * own
                score += exploration * sqrt(log_visits / child.visits)
        if score > best_score:
            best, best_score, ties = k, score, 1
        elif score == best_score:
            ties += 1
            if core.random_below(generator, ties) == 0:
                best = k
    return best


@njit(cache=True)
def _prove(tree, path, depth):
    """Carry the proof of a path's last node up, as far as it decides the nodes above.

    A node is decided by one child that wins for its mover, or by all children.
    """
    for k in range(depth, 0, -1):
        node, parent = tree[path[k]], tree[path[k - 1]]
        if isnan(node.proof):
            return
        side = 1.0 if node.mover == 0 else -1.0
        best = side * node.proof
        if best < 1.0:
            for child in range(parent.first, parent.first + parent.children):
                if isnan(tree[child].proof):
                    return
                best = max(best, side * tree[child].proof)
        parent.proof = side * best


@njit(cache=True)
def _credit_rapidly(tree, path, depth, moves, movers, length, makers, total):
    """Credit the children along the path whose move their seat made there or later.

    What the other seat made before, it did not make: in go the point was taken.
    """
    for k in range(length):
        makers[moves[k]] = _NOBODY
    for k in range(length - 1, -1, -1):
        makers[moves[k]] = movers[k]
        if k > depth:
            continue
        node = tree[path[k]]
        gained = total[movers[k]]
        for child in range(node.first, node.first + node.children):
            if makers[tree[child].action] == movers[k] and not tree[child].shunned:
                tree[child].rapid += gained
                tree[child].rapid_visits += 1
    for k in range(length):
        makers[moves[k]] = _NOBODY


def new_memory(rules: Any, simulations: int) -> tuple[np.ndarray, ...]:
    """(tree, path, moves, movers, makers, total) for a search of so many simulations."""
    children = min(rules.num_actions, 64)
    longest = rules.max_game_length + 1
    return (
        np.zeros(min((simulations + 1) * children, 4_000_000) + rules.num_actions, NODE),
        np.zeros(longest + 1, np.int32),
        np.zeros(longest, np.int64),
        np.zeros(longest, np.int64),
        np.full(rules.num_actions, _NOBODY, np.int8),
        np.zeros(2),
    )
