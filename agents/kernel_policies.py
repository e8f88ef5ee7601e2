"""Policies that are numba functions, one at a time or in bulk games.

A kernel policy is two numbers, its kind and a parameter, so that one compiled loop plays games
between any of them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents import expectimax, hooks
from stratagym.agents.core import BatchPolicy, PolicyString, is_combinatorial
from stratagym.envs import core

RANDOM, HEURISTIC, EXPECTIMAX, RULE, SOONEST = range(5)


def _is_open(rules_class: type) -> bool:
    """Whether a game, as far as its ``SPEC`` tells, hides nothing."""
    package = sys.modules.get(rules_class.__module__.rpartition(".")[0])
    return getattr(getattr(package, "SPEC", None), "information", "perfect") == "perfect"


def _no_search(rules, s, depth, soonest, scratch):
    return np.int64(-1)


@core.kernel("agents", find=lambda c: expectimax.expectimax if _is_open(c) else _no_search)
def _search(rules, s, depth, soonest, scratch):
    """``expectimax`` where ``gt`` plays: elsewhere it would only hold the rules once more."""


@njit(cache=True, inline="always")
def choose(rules, s, kind, parameter, legal, generator, scratch):
    """The action of a kernel policy in ``s``, where a seat is to move.

    ``generator`` is another record of the game's dtype, of which only the generator is used.
    """
    n = core.legal_actions(rules, s, legal)
    if kind == HEURISTIC:
        return hooks.heuristic(rules, s, legal, n)
    if kind == EXPECTIMAX or kind == SOONEST:
        return _search(rules, s, parameter, kind == SOONEST, scratch)
    if kind == RULE:
        return hooks.rule(rules, s, legal, n, parameter)
    return legal[core.random_below(generator, n)]


@njit(cache=True, nogil=True)
def choose_each(rules, states, seeds, kind, parameter, legal, generators, scratch, actions):
    """One policy's action in every state, into ``actions``; its generator restarts each time."""
    for i in range(states.shape[0]):
        core.seed_rng(generators[0], seeds[i])
        actions[i] = choose(rules, states[i], kind, parameter, legal, generators[0], scratch)


@njit(cache=True, nogil=True)
def play_games(
    rules, states, seeds, seating, kinds, parameters, legal, probs, generators, scratch,
    actions, plies, endings, totals,
):  # fmt: skip
    """Play game ``g`` from ``seeds[g]`` with policy ``seating[g, p]`` in seat ``p``, for all g.

    Writes actions (G, longest game), plies (G,), endings (G,: TERMINAL or TRUNCATED) and
    totals (G, P: returns). A seat's own generator depends on the game's seed and the seat.
    """
    s = states[0]
    for g in range(seeds.shape[0]):
        for seat in range(seating.shape[1]):
            core.seed_rng(generators[seat], core.derive_seed(seeds[g], seat + 1))
        player = core.start(rules, s, seeds[g], probs)
        ply = 0
        while player >= 0:
            policy = seating[g, player]
            action = choose(
                rules, s, kinds[policy], parameters[policy], legal, generators[player], scratch
            )
            actions[g, ply] = action
            ply += 1
            player = core.play(rules, s, action, probs)
        plies[g] = ply
        endings[g] = player
        core.returns(rules, s, totals[g])


@dataclass
class Games:
    """Finished games: arrays over games; ``actions[g, :plies[g]]`` replays game ``g``."""

    seeds: np.ndarray
    seating: np.ndarray
    actions: np.ndarray
    plies: np.ndarray
    endings: np.ndarray
    returns: np.ndarray


class KernelPolicy(BatchPolicy):
    """A policy of ``choose``: its ``kind`` and ``parameter``."""

    def __init__(self, name: str, kind: int, parameter: int = 0, version: int = 1):
        self.name, self.kind, self.parameter, self.version = name, kind, parameter, version
        self._scratch: tuple[Any, Any] | None = None

    def act_each(self, rules: Any, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        if self._scratch is None or self._scratch[0] != rules:
            legal, _ = core.new_scratch(rules)
            generators = core.new_states(rules)
            scratch = expectimax.new_scratch(rules, max(1, self.parameter))
            self._scratch = rules, (legal, generators, scratch)
        legal, generators, scratch = self._scratch[1]
        actions = np.empty(len(states), np.int64)
        choose_each(
            rules, states, seeds, self.kind, self.parameter, legal, generators, scratch, actions
        )
        return actions


def play_many(
    rules: Any, policies: list[KernelPolicy], seeds: np.ndarray, seating: np.ndarray
) -> Games:
    """Games between kernel policies; releases the GIL, so threads run side by side.

    Args:
        seeds: (G,) uint64. seating: (G, P) int64, the policy's place in ``policies`` by seat.
    """
    games = len(seeds)
    legal, probs = core.new_scratch(rules)
    depth = max(1, *(policy.parameter for policy in policies))
    result = Games(
        seeds,
        seating,
        np.zeros((games, rules.max_game_length), np.int32),
        np.zeros(games, np.int64),
        np.zeros(games, np.int64),
        np.zeros((games, rules.num_players)),
    )
    play_games(
        rules,
        core.new_states(rules),
        seeds,
        seating,
        np.array([policy.kind for policy in policies]),
        np.array([policy.parameter for policy in policies]),
        legal,
        probs,
        core.new_states(rules, rules.num_players),
        expectimax.new_scratch(rules, depth),
        result.actions,
        result.plies,
        result.endings,
        result.returns,
    )
    return result


def _no_options(text: PolicyString) -> None:
    if text.options or (text.argument and text.name not in ("gt", "rule")):
        raise ValueError(f"policy {text.name!r} takes no options; write {text.name!r} alone")


def random_policy(spec: core.GameSpec, text: PolicyString) -> KernelPolicy:
    """``random``: uniform over legal actions."""
    _no_options(text)
    return KernelPolicy("random", RANDOM)


def heuristic_policy(spec: core.GameSpec, text: PolicyString) -> KernelPolicy:
    """``heuristic``: the game's rule-based player. Raises ``ValueError`` where it has none."""
    _no_options(text)
    if hooks.found(spec, "heuristic") is None:
        raise ValueError(f"{spec.name} has no heuristic; random plays every game")
    return KernelPolicy("heuristic", HEURISTIC)


def rule_policy(spec: core.GameSpec, text: PolicyString) -> KernelPolicy:
    """``rule:NAME``: one of the game's rule-based players."""
    _no_options(text)
    names = hooks.rule_names(spec)
    if text.argument not in names:
        known = ", ".join(names) or "none"
        raise ValueError(
            f"policy rule:{text.argument}: the rule-based players of {spec.name} are: {known}"
        )
    number, version = hooks.rule_number(spec, text.argument, text.version)
    return KernelPolicy(f"rule:{text.argument}", RULE, number, version)


MAX_DEPTH = 8


def game_theory_policy(spec: core.GameSpec, text: PolicyString) -> KernelPolicy:
    """``gt`` or ``gt:DEPTH``: expectimax over the game's evaluator, depth 2 by default.

    In combinatorial games it wins as soon and loses as late as it can; ``version=1`` does not.
    """
    _no_options(text)
    depth = text.argument or "2"
    if not depth.isdigit() or not 1 <= int(depth) <= MAX_DEPTH:
        raise ValueError(f"policy gt:{depth}: the depth is a whole number from 1 to {MAX_DEPTH}")
    if spec.information != "perfect":
        raise ValueError(f"policy gt: {spec.name} hides information; mcts plays it")
    if is_combinatorial(spec) and text.version > 1:
        return KernelPolicy(f"gt:{depth}", SOONEST, int(depth), text.version)
    return KernelPolicy(f"gt:{depth}", EXPECTIMAX, int(depth))
