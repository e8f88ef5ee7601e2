"""Monte Carlo tree search on any kernel: UCT, with chance nodes and with hidden information.

UCT (Kocsis and Szepesvari 2006) with random playouts: every simulation walks down the tree, adds
the children of one node, plays out and credits each move with the return of the seat that made it.
Dice are nodes of their own, sampled. Where information is hidden every simulation draws a
determinization first, and a child competes only where it is legal, weighed by how often it was
(single-observer information set MCTS; Cowling, Powley, Whitehouse 2012).
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import knowledge
from stratagym.agents.core import Policy, PolicyString, View
from stratagym.envs import core

_NONE = -1


@njit(cache=True, nogil=True)
def search(
    rules, states, hidden, simulations, exploration, playout, legal, probs, tree, path, total
):  # fmt: skip
    """Search from ``states[0]``; node 0 is the root. Returns the nodes used.

    Args:
        states: (3,) records: the root, a working copy, and one whose generator drives the search.
        hidden: whether information is imperfect.
        exploration: UCT's constant, for returns within [-1, 1].
        playout: plies of random play before the game's evaluator judges; -1 to the end.
        tree: (action, mover, visits, available, value, first, sibling), each one entry a node.
        path: nodes of a simulation; at least as long as a game. total: scratch, one a seat.
    """
    action, mover, visits, available, value, first, sibling = tree
    capacity = action.shape[0]
    root_seat = core.current_player(rules, states[0])
    seats = total.shape[0]
    visits[0] = 0
    first[0] = _NONE
    used = 1
    for _ in range(simulations):
        states[1] = states[0]
        w = states[1]
        core.seed_rng(w, core.random_uint64(states[2]))
        if hidden:
            core.determinize(rules, w, root_seat)
        node, depth = 0, 0
        path[0] = 0
        while True:
            player = core.current_player(rules, w)
            if player <= core.TERMINAL:
                break
            if player == core.CHANCE:
                outcome = core.draw_chance(rules, w, probs)
                core.apply_chance(rules, w, outcome)
                child = first[node]
                while child != _NONE and action[child] != outcome:
                    child = sibling[child]
                if child == _NONE:
                    if used == capacity:
                        break
                    child, used = used, used + 1
                    _add(tree, node, child, outcome, core.CHANCE)
            else:
                if node != 0 and visits[node] == 0:
                    break
                if hidden or first[node] == _NONE:
                    n = core.legal_actions(rules, w, legal)
                    if used + n > capacity:
                        break
                    for k in range(n):
                        child = first[node] if hidden else _NONE
                        while child != _NONE and action[child] != legal[k]:
                            child = sibling[child]
                        if child == _NONE:
                            child, used = used, used + 1
                            _add(tree, node, child, legal[k], player)
                        available[child] += 1
                        mover[child] = player
                        # Marks the children that are legal in this determinization.
                        path[path.shape[0] - 1 - k] = child
                else:
                    n = 0
                child = _select(tree, node, exploration, hidden, n, path, states[2])
                core.step(rules, w, action[child])
            node = child
            depth += 1
            path[depth] = node
        _play_out(rules, w, playout, legal, probs, total)
        for k in range(depth + 1):
            visited = path[k]
            visits[visited] += 1
            if k > 0 and mover[visited] >= 0 and mover[visited] < seats:
                value[visited] += total[mover[visited]]
    return used


@njit(cache=True)
def _add(tree, node, child, act, player):
    """Link a new child in front of its siblings."""
    action, mover, visits, available, value, first, sibling = tree
    action[child], mover[child] = act, player
    visits[child], available[child], value[child] = 0, 0, 0.0
    first[child] = _NONE
    sibling[child] = first[node]
    first[node] = child


@njit(cache=True)
def _select(tree, node, exploration, hidden, n, path, generator):
    """The child of highest upper confidence bound; ties at random."""
    _, _, visits, available, value, first, sibling = tree
    best, best_score, ties = _NONE, -np.inf, 0
    log_visits = log(visits[node] + 1.0)
    child, k = first[node], 0
    while True:
        if hidden:
            if k == n:
                break
            child = path[path.shape[0] - 1 - k]
            k += 1
        elif child == _NONE:
            break
        if visits[child] == 0:
            score = np.inf
        else:
            seen = log(available[child] + 0.0) if hidden else log_visits
            score = value[child] / visits[child] + exploration * sqrt(seen / visits[child])
        if score > best_score:
            best, best_score, ties = child, score, 1
        elif score == best_score:
            ties += 1
            if core.random_below(generator, ties) == 0:
                best = child
        child = sibling[child]
    return best


@njit(cache=True)
def _play_out(rules, w, playout, legal, probs, total):
    """Random play to the end, or for ``playout`` plies and then the evaluator's judgement."""
    player = core.play_chance(rules, w, probs)
    plies = 0
    while player >= 0 and plies != playout:
        n = core.legal_actions(rules, w, legal)
        player = core.play(rules, w, legal[core.random_below(w, n)], probs)
        plies += 1
    if player >= 0:
        knowledge.evaluate(rules, w, total)
    else:
        core.returns(rules, w, total)


class MCTS(Policy):
    """UCT as a policy.

    Args:
        simulations: playouts a move. exploration: UCT's constant.
        playout: plies of random play before the evaluator judges; None plays to the end.
    """

    def __init__(self, simulations: int, exploration: float = 1.4, playout: int | None = None):
        self.simulations, self.exploration, self.playout = simulations, exploration, playout
        self.name = f"mcts:{simulations}"
        self._memory: tuple[Any, ...] | None = None

    def _allocate(self, rules: Any) -> tuple[Any, ...]:
        if self._memory is None or self._memory[0] != rules:
            nodes = min(self.simulations * 48 + rules.num_actions + 1, 4_000_000)
            tree = (
                np.zeros(nodes, np.int32),
                np.zeros(nodes, np.int8),
                np.zeros(nodes, np.int32),
                np.zeros(nodes, np.int32),
                np.zeros(nodes),
                np.zeros(nodes, np.int32),
                np.zeros(nodes, np.int32),
            )
            path = np.zeros(4 * rules.max_game_length + rules.num_actions + 2, np.int32)
            scratch = core.new_scratch(rules)
            self._memory = (rules, tree, path, *scratch, np.zeros(rules.num_players))
        return self._memory[1:]

    def statistics(self, view: View) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(actions, visits, mean returns) of the root's children after a search."""
        tree, path, legal, probs, total = self._allocate(view.rules)
        states = np.repeat(view.states[:1], 3)
        states["rng"][2] = view.seed
        search(
            view.rules,
            states,
            view.spec.information == "imperfect",
            self.simulations,
            self.exploration,
            -1 if self.playout is None else self.playout,
            legal,
            probs,
            tree,
            path,
            total,
        )
        action, _, visits, _, value, first, sibling = tree
        children = []
        child = first[0]
        while child != _NONE:
            children.append(child)
            child = sibling[child]
        found = np.array(sorted(children, key=lambda c: action[c]))
        return action[found], visits[found], value[found] / np.maximum(visits[found], 1)

    def act(self, view: View) -> int:
        """The most visited legal move; the better mean among equals."""
        actions, visits, means = self.statistics(view)
        legal = np.isin(actions, view.legal)
        order = np.lexsort((means, np.where(legal, visits, -1)))
        return int(actions[order[-1]])


def mcts_policy(spec: core.GameSpec, text: PolicyString) -> MCTS:
    """``mcts:SIMULATIONS?c=1.4&playout=PLIES``: UCT, 1000 simulations by default.

    Raises:
        ValueError: a bad number or option, in one line.
    """
    known = {"c", "playout"}
    if set(text.options) - known:
        raise ValueError(
            f"policy mcts: unknown option; the options are: {', '.join(sorted(known))}"
        )
    try:
        simulations = int(text.argument or 1000)
        exploration = float(text.options.get("c", 1.4))
        playout = int(text.options["playout"]) if "playout" in text.options else None
        if simulations < 1 or exploration < 0 or (playout is not None and playout < 0):
            raise ValueError
    except ValueError:
        raise ValueError(
            "policy mcts: write mcts:SIMULATIONS?c=NUMBER&playout=PLIES, such as mcts:200"
        ) from None
    policy = MCTS(simulations, exploration, playout)
    if text.options:
        policy.name += "?" + "&".join(f"{k}={v}" for k, v in text.options.items())
    return policy
