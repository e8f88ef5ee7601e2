"""Rules of generalized geography. Node k leads to ``to[first[k] : first[k + 1]]``, ascending."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, seed_rng, sizes, winner_takes

from .graphs import MOST_NODES, graph_of

STATE = np.dtype(
    [("rng", "u8"), ("been", "u1", (MOST_NODES,)), ("at", "i1"), ("player", "i1"), ("over", "i1")],
    align=True,
)


@sizes(
    actions=lambda rules: rules.nodes,
    observation=lambda rules: (2, rules.nodes),
    decisions=lambda rules: rules.nodes - 1,
    arrays={"first": np.int16, "to": np.int16},
)
class Rules(NamedTuple):
    nodes: int
    first: np.ndarray
    to: np.ndarray
    num_players: int = 2


def make_rules(graph: str) -> Rules:
    successors = graph_of(graph)
    first = np.cumsum([0, *map(len, successors)])
    return Rules(len(successors), first, [node for nodes in successors for node in nodes])


@njit(cache=True)
def _is_stuck(rules, s):
    for k in range(rules.first[s.at], rules.first[s.at + 1]):
        if not s.been[rules.to[k]]:
            return False
    return True


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    for node in range(MOST_NODES):
        s.been[node] = 0
    s.been[0] = 1
    s.at = 0
    s.player = 0
    s.over = 0


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.over else s.player


@njit(cache=True)
def legal_actions(rules, s, out):
    n = 0
    for k in range(rules.first[s.at], rules.first[s.at + 1]):
        if not s.been[rules.to[k]]:
            out[n] = rules.to[k]
            n += 1
    return n


@njit(cache=True)
def step(rules, s, action):
    s.at = action
    s.been[action] = 1
    s.player = 1 - s.player
    s.over = _is_stuck(rules, s)


@njit(cache=True)
def returns(rules, s, out):
    winner_takes(1 - s.player if s.over else -1, out)


@njit(cache=True)
def observe(rules, s, player, out):
    for node in range(rules.nodes):
        out[0, node] = s.been[node]
        out[1, node] = s.at == node
