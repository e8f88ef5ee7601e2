"""Monte Carlo tree search by priors and judgements: best-first search for games of two players.

For two players with opposite returns, without chance and hidden information. Children are chosen by
PUCT (Rosin 2011, in AlphaZero's form) with priors from what the game finds promising; a leaf is
worth what the game's ``judge`` says. A node is worth a mix of the mean of what was judged below it
and its minimax (implicit minimax backups; Lanctot, Winands, Pepels, Sturtevant 2014). Results are
proven (MCTS-Solver; Winands, Björnsson, Saito 2008).

What it costs: a node's children lie side by side, and only the best of those not yet looked at is
looked up; positions of nodes that have children are kept, so that a simulation plays one move; and
the judge is told the window that matters, as alpha-beta would have it.
"""

from __future__ import annotations

from math import exp, isnan, nan, sqrt
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import hooks
from stratagym.agents.core import Decision, Policy
from stratagym.envs import core

_NONE = -1
_KEPT = 2048

NODE = np.dtype(
    [
        ("action", "i4"),
        ("first", "i4"),  # of its children, which lie side by side; -1 before there are any
        ("count", "i4"),  # of its children
        ("opened", "i4"),  # of these, how many were visited: the first ones
        ("visits", "i4"),
        ("kept", "i4"),  # where its position is kept, -1 for nowhere
        ("seat", "i1"),  # that moves here
        ("settled", "i1"),  # nothing is to be looked at below it
        ("prior", "f4"),
        ("judged", "f4"),  # values are for seat 0
        ("implied", "f4"),  # the minimax of what was judged
        ("proof", "f4"),  # the proven return, or NaN
        ("sum", "f8"),  # of what was judged at and below it, a visit each
    ],
    align=True,
)
"""A node of the tree; node 0 is the root."""

# Parameters while they are sought.
(P_C, P_IMPLIED, P_SHARP, P_MOST, P_FPU, P_MARGIN, P_ENOUGH, P_FINAL, P_LEAST, P_GAIN, P_TEMPO) = range(11)


@njit(cache=True, nogil=True)
def search(rules, states, roots, simulations, params, legal, tree, path, total, memory, gains, tried):
    """Search from ``states[0]``. Returns the child of the root to be played, -1 for none.

    Args:
        states: the root, a working copy, and room for positions of nodes that have children.
        roots: the actions to choose from.
        tree: (nodes,) ``NODE``. path: as long as a game at least. total: scratch, one a seat.
        memory: for ``hooks.judge``.
    """
    capacity = tree.shape[0]
    root = tree[0]
    _clear(root, 0)
    root.seat = core.current_player(rules, states[0])
    root.kept = 0
    hooks.judge(rules, states[0], -np.inf, np.inf, memory, total)
    root.judged = root.implied = total[0]
    used, stored = 1, 2
    gains[:] = 0.0
    tried[:] = 0
    for _ in range(simulations):
        if not isnan(root.proof):
            break
        node, depth = np.int64(0), 0
        path[0] = 0
        known, held = 0, -1  # depths: of the last position kept on the path, and of the working copy
        low, high = -np.inf, np.inf
        while True:
            n = tree[node]
            if n.settled or (n.visits == 0 and node != 0):
                break
            if n.first == _NONE:
                held = _follow(rules, states, tree, path, known, held, depth)
                if node == 0:
                    count = roots.shape[0]
                    for k in range(count):
                        legal[k] = roots[k]
                else:
                    count = core.legal_actions(rules, states[1], legal)
                if used + count > capacity:
                    break
                _expand(rules, states[1], tree, node, used, legal, count, params, gains)
                used += count
                if node != 0 and stored < states.shape[0]:
                    states[stored] = states[1]
                    n.kept = stored
                    stored += 1
            if n.kept >= 0:
                known = depth
            node, other = _select(tree, node, params)
            if n.seat == 0:
                low = max(low, other)
            else:
                high = min(high, -other)
            depth += 1
            path[depth] = node
        leaf = tree[node]
        if not leaf.settled:
            held = _follow(rules, states, tree, path, known, held, depth)
            w = states[1]
            leaf.seat = core.current_player(rules, w)
            if leaf.seat <= core.TERMINAL:
                core.returns(rules, w, total)
                leaf.settled = 1
                leaf.proof = total[0]
            elif depth > 0 and hooks.is_repeated(rules, w):
                total[0] = 0.0
                leaf.settled = 1
            else:
                a = min(low, high) - params[P_MARGIN]
                b = max(low, high) + params[P_MARGIN]
                hooks.judge(rules, w, a, b, memory, total)
                total[0] += params[P_TEMPO] if leaf.seat == 0 else -params[P_TEMPO]
            if leaf.visits == 0 and depth > 0:
                parent = tree[path[depth - 1]]
                seat, action = parent.seat, leaf.action
                tried[seat, action] += 1
                gain = total[0] - parent.judged if seat == 0 else parent.judged - total[0]
                gains[seat, action] += (gain - gains[seat, action]) / tried[seat, action]
            leaf.judged = leaf.implied = total[0]
        value = leaf.implied
        leaf.visits += 1
        leaf.sum += value
        proving, implying = not isnan(leaf.proof), True
        for k in range(depth - 1, -1, -1):
            n = tree[path[k]]
            n.visits += 1
            n.sum += value
            if proving:
                _prove(tree, path[k])
                proving = not isnan(n.proof)
            if implying or proving:
                before = n.implied
                _imply(tree, path[k], params)
                implying = n.implied != before
    return _best(tree, params)


@njit(cache=True)
def _clear(n, action):
    n.action = action
    n.first = n.kept = _NONE
    n.count = n.opened = n.visits = 0
    n.settled = 0
    n.sum = 0.0
    n.proof = nan


@njit(cache=True)
def _follow(rules, states, tree, path, known, held, depth):
    """Bring the working copy to the position of the path's node at ``depth``; returns ``depth``."""
    if held < known:
        states[1] = states[tree[path[known]].kept]
        held = known
    for k in range(held, depth):
        core.step(rules, states[1], np.int64(tree[path[k + 1]].action))
    return depth


@njit(cache=True)
def _expand(rules, s, tree, node, first, legal, count, params, gains):
    """Give a node its children from ``first`` on; priors are the softmax of priorities."""
    whole = 0.0
    for k in range(count):
        child = tree[first + k]
        _clear(child, legal[k])
        logit = params[P_SHARP] * min(hooks.priority(rules, s, legal[k]), params[P_MOST])
        share = exp(logit + params[P_GAIN] * gains[tree[node].seat, legal[k]])
        child.prior = share
        whole += share
    for k in range(first, first + count):
        tree[k].prior /= whole
    n = tree[node]
    n.first, n.count = first, count
    _bring_best_forward(tree, first, first + count)


@njit(cache=True)
def _bring_best_forward(tree, begin, end):
    """Put the child of highest prior among ``begin`` .. ``end - 1``, none visited, in front."""
    best = begin
    for k in range(begin + 1, end):
        if tree[k].prior > tree[best].prior:
            best = k
    if best != begin:
        a, b = tree[begin], tree[best]
        a.action, b.action = b.action, a.action
        a.prior, b.prior = b.prior, a.prior


@njit(cache=True)
def _select(tree, node, params):
    """(the child of highest value and prior, the best value of another), for the seat to move.

    The first among equals. A proven child counts by its result alone. The best of those not yet
    looked at is taken for as good as the node itself was judged.
    """
    n = tree[node]
    side = 1.0 if n.seat == 0 else -1.0
    weight = params[P_C] * sqrt(n.visits + 1.0)
    best, best_score = np.int64(_NONE), -np.inf
    first, second, leading = -np.inf, -np.inf, np.int64(_NONE)
    end = n.first + n.opened
    for k in range(n.first, end):
        c = tree[k]
        implied = side * c.implied
        if not isnan(c.proof):
            score = implied
        else:
            score = params[P_IMPLIED] * implied
            score += (1.0 - params[P_IMPLIED]) * side * c.sum / c.visits
            score += weight * c.prior / (1.0 + c.visits)
        if score > best_score:
            best, best_score = np.int64(k), score
        if implied > first:
            first, second, leading = implied, first, np.int64(k)
        elif implied > second:
            second = implied
    if n.opened < n.count:
        score = side * n.judged - params[P_FPU] + weight * tree[end].prior
        if score > best_score:
            best = np.int64(end)
            n.opened += 1
            if n.opened < n.count:
                _bring_best_forward(tree, end + 1, n.first + n.count)
    return best, second if best == leading else first


@njit(cache=True)
def _prove(tree, node):
    """A node is decided by one child that wins for its seat, or by all children."""
    n = tree[node]
    side = 1.0 if n.seat == 0 else -1.0
    best, whole = -np.inf, n.opened == n.count
    for k in range(n.first, n.first + n.opened):
        proof = tree[k].proof
        if isnan(proof):
            whole = False
        else:
            best = max(best, side * proof)
    if best >= 1.0 or whole:
        n.proof = side * best
        n.settled = 1


@njit(cache=True)
def _imply(tree, node, params):
    """The minimax value of a node; before enough children were looked at, at least its own."""
    n = tree[node]
    side = 1.0 if n.seat == 0 else -1.0
    best = -np.inf
    if not isnan(n.proof):
        best = side * n.proof
    else:
        for k in range(n.first, n.first + n.opened):
            best = max(best, side * tree[k].implied)
        if n.opened < n.count and n.opened < params[P_ENOUGH]:
            best = max(best, side * n.judged)
    n.implied = side * best


@njit(cache=True)
def _best(tree, params):
    """The root's child to be played: a proven win, the best in value, a proven loss last."""
    n = tree[0]
    side = 1.0 if n.seat == 0 else -1.0
    best, best_score = np.int64(_NONE), -np.inf
    for k in range(n.first, n.first + n.opened):
        c = tree[k]
        if not isnan(c.proof):
            score = 3.0 * side * c.proof
        else:
            score = side * c.implied - params[P_FINAL] / sqrt(np.float64(c.visits))
            if c.visits < params[P_LEAST] * n.visits:
                score -= 1.0
        if score > best_score:
            best, best_score = np.int64(k), score
    return best


class PriorMCTS(Policy):
    """Search by priors and judgements as a policy. The same from the same position, whatever seed.

    Args:
        simulations: a move. exploration: PUCT's constant.
    """

    def __init__(self, simulations: int, exploration: float = 0.7, **params):
        self.simulations, self.exploration = simulations, exploration
        self.name = f"mcts:{simulations}"
        p = dict(c=exploration, implied=0.8, sharp=0.8, most=4.0, fpu=0.0, margin=3.0, enough=1000,
                 final=0.0, least=0.0, gain=0.0, tempo=0.0) | params
        self._params = np.array(list(p.values()), float)
        assert len(p) == 11, p
        self._memory: tuple[Any, ...] | None = None

    def _allocate(self, rules: Any) -> tuple[Any, ...]:
        if self._memory is None or self._memory[0] != rules:
            nodes = min(self.simulations * 48 + rules.num_actions + 1, 4_000_000)
            self._memory = (
                rules,
                core.new_states(rules, min(self.simulations, _KEPT) + 2),
                core.new_scratch(rules)[0],
                np.zeros(nodes, NODE),
                np.zeros(rules.max_game_length + 2, np.int32),
                np.zeros(rules.num_players),
                hooks.judge_memory(rules),
            )
            shape = rules.num_players, rules.num_actions
            self._gains = np.zeros(shape, np.float32), np.zeros(shape, np.int32)
        return self._memory[1:]

    def _search(self, decision: Decision) -> tuple[int, np.ndarray]:
        states, legal, tree, path, total, memory = self._allocate(decision.rules)
        states[0] = decision.states[0]
        best = search(
            decision.rules, states, decision.legal, self.simulations, self._params, legal, tree,
            path, total, memory, *self._gains,
        )  # fmt: skip
        return int(best), tree

    def act(self, decision: Decision) -> int:
        """The move best in value; a proven win comes before that, a proven loss after it."""
        best, tree = self._search(decision)
        return int(tree["action"][best])
