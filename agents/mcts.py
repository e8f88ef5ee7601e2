"""Monte Carlo tree search on any kernel: UCT, with chance nodes and with hidden information.

UCT (Kocsis and Szepesvari 2006) with random playouts: every simulation walks down the tree, adds
the children of one node, plays out and credits each move with the return of the seat that made it.
Dice are nodes of their own, sampled. Where information is hidden every simulation draws a
determinization first, and a child competes only where it is legal, weighed by how often it was
(single-observer information set MCTS; Cowling, Powley, Whitehouse 2012). In two-player games
without chance it proves results as well, and then needs no playouts for them (MCTS-Solver; Winands,
Björnsson, Saito 2008), and what wins or loses at once is known before it begins (``decisive``).

In such games it may also go by priors and judgements, which is another search (``puct``).
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, isnan, log, nan, sqrt
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import decisive, hooks, puct
from stratagym.agents import rave as rapid
from stratagym.agents.core import Decision, Policy, PolicyString, is_combinatorial
from stratagym.envs import core

_NONE = -1
_WIN = 1.0


@njit(cache=True, nogil=True)
def search(
    rules, states, roots, hidden, solve, simulations, exploration, playout, legal, probs, tree,
    path, total, memory,
):  # fmt: skip
    """Search from ``states[0]``; node 0 is the root. Returns the nodes used.

    Args:
        states: (3,) records: the root, a working copy, and one whose generator drives the search.
        roots: (n,) int64, the actions to choose from; where information is imperfect, any legal.
        hidden: whether information is imperfect.
        solve: whether to prove results; of a game of two seats whose returns are opposite, at most
            1, and not subject to chance. The search ends when the root's is proven.
        exploration: UCT's constant, for returns within [-1, 1].
        playout: plies of random play before the game's evaluator judges; -1 to the end.
        tree: (action, mover, visits, available, value, proof, first, sibling), each one entry a
            node; ``proof`` is seat 0's proven return, or NaN.
        path: nodes of a simulation; at least as long as a game. total: scratch, one a seat.
        memory: for ``hooks.judge``.
    """
    action, mover, visits, available, value, proof, first, sibling = tree
    capacity = action.shape[0]
    root_seat = core.current_player(rules, states[0])
    seats = total.shape[0]
    visits[0] = 0
    proof[0] = nan
    first[0] = _NONE
    used = 1
    for _ in range(simulations):
        if not isnan(proof[0]):
            break
        states[1] = states[0]
        w = states[1]
        core.seed_rng(w, core.random_uint64(states[2]))
        if hidden:
            hooks.imagine(rules, w, root_seat)
        node, depth = 0, 0
        path[0] = 0
        while True:
            player = core.current_player(rules, w)
            if player <= core.TERMINAL or not isnan(proof[node]):
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
                    n = decisive.actions_at(rules, w, _NONE if hidden else node, roots, legal)
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
        if isnan(proof[node]):
            _play_out(rules, w, playout, legal, probs, total, memory)
            if solve and player <= core.TERMINAL:
                proof[node] = total[0]
        else:
            total[0], total[1] = proof[node], -proof[node]
        _prove(tree, path, depth)
        for k in range(depth + 1):
            visited = path[k]
            visits[visited] += 1
            if k > 0 and mover[visited] >= 0 and mover[visited] < seats:
                value[visited] += total[mover[visited]]
    return used


@njit(cache=True)
def _add(tree, node, child, act, player):
    """Link a new child in front of its siblings."""
    action, mover, visits, available, value, proof, first, sibling = tree
    action[child], mover[child] = act, player
    visits[child], available[child], value[child], proof[child] = 0, 0, 0.0, nan
    first[child] = _NONE
    sibling[child] = first[node]
    first[node] = child


@njit(cache=True)
def _prove(tree, path, depth):
    """Carry the proof of a path's last node up, as far as it decides the nodes above.

    A node is decided by one child that wins for its mover, or by all children.
    """
    _, mover, _, _, _, proof, first, sibling = tree
    for k in range(depth, 0, -1):
        node, parent = path[k], path[k - 1]
        if isnan(proof[node]):
            return
        side = 1.0 if mover[node] == 0 else -1.0
        best = side * proof[node]
        child = first[parent] if best < _WIN else _NONE
        while child != _NONE:
            if isnan(proof[child]):
                return
            best = max(best, side * proof[child])
            child = sibling[child]
        proof[parent] = side * best


@njit(cache=True)
def _select(tree, node, exploration, hidden, n, path, generator):
    """The child of highest upper confidence bound, or proven value; ties at random."""
    _, mover, visits, available, value, proof, first, sibling = tree
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
        if not isnan(proof[child]):
            score = proof[child] if mover[child] == 0 else -proof[child]
        elif visits[child] == 0:
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
def _children(tree, found):
    """Write the root's children into ``found``, by action; returns how many."""
    action, _, _, _, _, _, first, sibling = tree
    n, child = 0, first[0]
    while child != _NONE:
        k = n
        while k > 0 and action[found[k - 1]] > action[child]:
            found[k] = found[k - 1]
            k -= 1
        found[k] = child
        n += 1
        child = sibling[child]
    return n


@njit(cache=True)
def _play_out(rules, w, playout, legal, probs, total, memory):
    """Play to the end, or for ``playout`` plies and then the evaluator's judgement."""
    player = core.play_chance(rules, w, probs)
    plies = 0
    while player >= 0 and plies != playout:
        n = core.legal_actions(rules, w, legal)
        player = core.play(rules, w, hooks.playout(rules, w, legal, n), probs)
        plies += 1
    if player >= 0:
        hooks.judge(rules, w, -np.inf, np.inf, memory, total)
    else:
        core.returns(rules, w, total)


class MCTS(Policy):
    """UCT as a policy.

    Args:
        simulations: playouts a move. exploration: UCT's constant.
        playout: plies of random play before the evaluator judges; None plays to the end.
        solve: prove results as far as the simulations reach; for combinatorial games.

    Attributes:
        narrowed: whether ``act`` chooses among what ``decisive`` leaves; for combinatorial games.
    """

    narrowed = False

    def __init__(
        self,
        simulations: int,
        exploration: float = 1.4,
        playout: int | None = None,
        solve: bool = False,
    ):
        self.simulations, self.exploration, self.playout = simulations, exploration, playout
        self.solve = solve
        self.name = f"mcts:{simulations}"
        self._narrow = decisive.Narrowing()
        self._memory: tuple[Any, ...] | None = None

    def _allocate(self, rules: Any) -> tuple[Any, ...]:
        if self._memory is None or self._memory[0] != rules:
            nodes = puct.tree_nodes(rules, self.simulations)
            tree = (
                np.zeros(nodes, np.int32),
                np.zeros(nodes, np.int8),
                np.zeros(nodes, np.int32),
                np.zeros(nodes, np.int32),
                np.zeros(nodes),
                np.zeros(nodes, np.float32),
                np.zeros(nodes, np.int32),
                np.zeros(nodes, np.int32),
            )
            path = np.zeros(4 * rules.max_game_length + rules.num_actions + 2, np.int32)
            scratch = core.new_scratch(rules)
            memory = hooks.judge_memory(rules)
            self._found = np.zeros(rules.num_actions, np.int64)
            self._memory = (rules, tree, path, *scratch, np.zeros(rules.num_players), memory)
        return self._memory[1:]

    def statistics(self, decision: Decision) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(actions, visits, mean returns) of the root's children after a search.

        Where a child's result is proven, the mean is that return.
        """
        actions, visits, means, proofs = self._search(decision)
        return actions, visits, np.where(np.isnan(proofs), means, proofs)

    def _search(self, decision: Decision) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """As ``statistics``, means as sampled, with the proven returns of the mover or NaN."""
        tree, path, legal, probs, total, memory = self._allocate(decision.rules)
        states = np.repeat(decision.states[:1], 3)
        states["rng"][2] = decision.seed
        search(
            decision.rules,
            states,
            decision.legal,
            decision.spec.information == "imperfect",
            self.solve,
            self.simulations,
            self.exploration,
            -1 if self.playout is None else self.playout,
            legal,
            probs,
            tree,
            path,
            total,
            memory,
        )
        action, _, visits, _, value, proof, _, _ = tree
        found = self._found[: _children(tree, self._found)]
        side = -1 if decision.seat else 1
        means = value[found] / np.maximum(visits[found], 1)
        return action[found], visits[found], means, proof[found] * side

    def act(self, decision: Decision) -> int:
        """The move of the search; without one where there is no choice, or none is left.

        Where the policy is ``narrowed``, that is a win at once, or the only move that does not let
        the other seat win at once.
        """
        if self.narrowed:
            decision = replace(decision, legal=self._narrow(decision))
            if len(decision.legal) == 1:
                return int(decision.legal[0])
        return self._choose(decision)

    def _choose(self, decision: Decision) -> int:
        """The most visited legal move; the better mean among equals, then by the decision's seed.

        A proven win comes before that, a proven loss after it.
        """
        actions, visits, means, proofs = self._search(decision)
        legal = np.isin(actions, decision.legal)
        proven = np.nan_to_num(proofs)
        visits = np.where(legal, visits, -1)
        best = np.lexsort((means, visits, proven))[-1]
        alike = (proven == proven[best]) & (visits == visits[best]) & (means == means[best])
        if alike.sum() > 1:
            lots = np.random.default_rng(decision.seed).random(len(actions))
            best = np.where(alike, lots, -1.0).argmax()
        return int(actions[best])


class PriorMCTS(MCTS):
    """Search by priors and judgements as a policy; for combinatorial games.

    A decision follows from the position alone, whatever its seed, and comes with fewer simulations
    where one move leads by far.

    Args:
        simulations, exploration, solve: as ``MCTS`` has them.
    """

    def __init__(self, simulations: int, exploration: float = 0.2, solve: bool = True):
        super().__init__(simulations, exploration, 0, solve)

    def _allocate(self, rules: Any) -> tuple[Any, ...]:
        if self._memory is None or self._memory[0] != rules:
            self._memory = (rules, *puct.new_memory(rules, self.simulations))
        return self._memory[1:]

    def _best(self, decision: Decision) -> np.void:
        """The node of the move to play; the tree is left in memory."""
        states, legal, tree, path, gains, tried, total, memory = self._allocate(decision.rules)
        states[0] = decision.states[0]
        best = puct.search(
            decision.rules, states, decision.legal, self.solve, self.simulations,
            self.exploration, legal, tree, path, gains, tried, total, memory,
        )  # fmt: skip
        return tree[best]

    def _search(self, decision: Decision) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """As ``MCTS`` has it, with minimax values in place of means; -1 where there is none."""
        self._best(decision)
        tree = self._allocate(decision.rules)[2]
        found = np.sort(tree[tree["first"][0] :][: tree["children"][0]], order="action")
        side = -1 if decision.seat else 1
        values = np.where(found["visits"] > 0, side * found["implied"], -1.0)
        return found["action"].astype(np.int64), found["visits"], values, found["proof"] * side

    def _choose(self, decision: Decision) -> int:
        """The legal move of highest minimax value, less where it was looked at little.

        A proven win comes before that, a proven loss after it.
        """
        return int(self._best(decision)["action"])


class RaveMCTS(MCTS):
    """UCT with rapid action values as a policy; for combinatorial games.

    Args:
        simulations, exploration, playout, solve: as ``MCTS`` has them.
        rave: visits at which a move's own returns weigh as much as the rapid ones; 0 for none.
        urgency: what a move that no simulation holds counts for.
    """

    def __init__(
        self,
        simulations: int,
        exploration: float,
        playout: int | None,
        solve: bool,
        rave: float,
        urgency: float,
    ):
        super().__init__(simulations, exploration, playout, solve)
        self.rave, self.urgency = rave, urgency

    def _allocate(self, rules: Any) -> tuple[Any, ...]:
        if self._memory is None or self._memory[0] != rules:
            legal, _ = core.new_scratch(rules)
            self._memory = (rules, legal, *rapid.new_memory(rules, self.simulations))
        return self._memory[1:]

    def _search(self, decision: Decision) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        memory = self._allocate(decision.rules)
        states = np.repeat(decision.states[:1], 3)
        states["rng"][2] = decision.seed
        playout = -1 if self.playout is None else self.playout
        rapid.search(
            decision.rules,
            states,
            decision.legal,
            self.solve,
            self.simulations,
            self.exploration,
            self.rave,
            self.urgency,
            playout,
            *memory,
        )
        tree = memory[1]
        found = tree[tree["first"][0] :][: tree["children"][0]]
        means = found["value"] / np.maximum(found["visits"], 1)
        proofs = found["proof"] * (-1 if decision.seat else 1)
        return found["action"].astype(np.int64), found["visits"], means, proofs


def mcts_policy(spec: core.GameSpec, text: PolicyString) -> MCTS:
    """``mcts:SIMULATIONS?c=1.4&playout=PLIES&solve=no&priors=yes``: 1000 simulations by default.

    ``rave=K`` or ``fpu=URGENCY`` make it a search by rapid action values (``rave``).
    Results are proven where the game permits it, unless ``solve=no`` says otherwise. What a game's
    agents say in ``MCTS_DEFAULTS`` takes the place of the other defaults; ``playout=all`` plays to
    the end. With ``priors=yes`` leaves are judged without playouts, and c is 0.2. ``version=1`` is
    the player that may pass over what wins or loses at once, kept for the ladders that hold it.

    Raises:
        ValueError: a bad number or option, in one line.
    """
    known = {"c", "playout", "solve", "priors", "rave", "fpu"}
    if set(text.options) - known:
        raise ValueError(
            f"policy mcts: unknown option; the options are: {', '.join(sorted(known))}"
        )
    combinatorial = is_combinatorial(spec)
    defaults = {
        "c": "1.4", "playout": "all", "priors": "no", "solve": "yes" if combinatorial else "no",
        "rave": "0", "fpu": "none",
    }  # fmt: skip
    own = hooks.found(spec, "MCTS_DEFAULTS") or {}
    options = defaults | own | text.options
    if options["priors"] == "yes":
        alone = {"rave": "0", "fpu": "none"}
        options = defaults | {"c": "0.2", "playout": "0"} | own | alone | text.options
    try:
        simulations = int(text.argument or 1000)
        exploration = float(options["c"])
        playout = None if options["playout"] == "all" else int(options["playout"])
        words = {"no": False, "yes": True}
        solve, priors = words[options["solve"]], words[options["priors"]]
        rave = float(options["rave"])
        urgency = inf if options["fpu"] == "none" else float(options["fpu"])
        if simulations < 1 or not exploration >= 0 or (playout or 0) < 0:
            raise ValueError
        if not 0 <= rave < inf or isnan(urgency):
            raise ValueError
    except (ValueError, KeyError):
        raise ValueError(
            "policy mcts: write mcts:SIMULATIONS?c=NUMBER&playout=PLIES&solve=no&priors=yes"
            "&rave=VISITS&fpu=URGENCY, such as mcts:200"
        ) from None
    if priors and not combinatorial:
        raise ValueError(
            f"policy mcts: priors=yes is for two players and no chance, which {spec.name} is not"
        )
    if solve and not combinatorial:
        raise ValueError(
            f"policy mcts: solve=yes is for two players and no chance, which {spec.name} is not"
        )
    if priors and playout != 0:
        raise ValueError("policy mcts: playouts and priors exclude each other: write priors=no")
    rapidly = rave > 0 or urgency < inf
    if rapidly and (priors or not combinatorial):
        raise ValueError(
            f"policy mcts: rave and fpu are for two players, no chance and no priors: {spec.name}"
        )
    policy: MCTS
    if priors:
        policy = PriorMCTS(simulations, exploration, solve)
    elif rapidly:
        policy = RaveMCTS(simulations, exploration, playout, solve, rave, urgency)
    else:
        policy = MCTS(simulations, exploration, playout, solve)
    if combinatorial and text.version > 1:
        policy.narrowed, policy.version = True, text.version
    if text.options:
        policy.name += "?" + "&".join(f"{k}={v}" for k, v in text.options.items())
    return policy
