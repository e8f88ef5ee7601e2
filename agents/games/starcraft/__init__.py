"""Scripted players of StarCraft: seven levels, each with builds, and an evaluator."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.starcraft.levels import BUILDS, LEVEL
from stratagym.agents.games.starcraft.script import choose
from stratagym.agents.ladders import Ladder
from stratagym.envs.starcraft.rules import is_over, returns, value

TOP = 7
"""The highest level."""
RULES = {
    f"lv{level}{'-' + build if k else ''}": level + 8 * k
    for level in range(1, TOP + 1)
    for k, build in enumerate(BUILDS)
}
"""``lv1`` to ``lv7`` play the build ``macro``, ``lv3-rush`` and the like another."""
THRESHOLD = 64
"""A player's number is level + 8 build + 64 times the supply of the army that attacks; 0 is the
level's."""


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """The action of a player of ``RULES``."""
    seat = np.int64(s.seat)
    return choose(s, seat, LEVEL[which % 8], which // 8 % 8, which // THRESHOLD)


@njit(cache=True)
def heuristic(rules, s, legal, n):
    return rule(rules, s, legal, n, 5)


@njit(cache=True)
def evaluate(rules, s, out):
    """The share of what both have in armies and structures, from -1 to 1; results where over."""
    if is_over(rules, s):
        returns(rules, s, out)
        return
    own, other = np.float64(value(s, 0)), np.float64(value(s, 1))
    out[0] = 0.9 * (own - other) / max(own + other, 1.0)
    out[1] = -out[0]


LADDER = Ladder(
    "starcraft/ladder-v1",
    (("random",), *((f"rule:lv{level}",) for level in range(1, TOP + 1))),
    measure="points",  # random play loses few games within half an hour
)
TRAINING = {
    "steps": 450_000,
    "opponent": "rule:lv1,random",
    "against": "random,rule:lv1,rule:lv2",
    "options": {"minutes": 12, "timeout": "value"},
    "envs": 64,
    "rollout": 128,
    "batch": 1024,
    "learning_rate": 5e-4,
    "gamma": 0.997,
    "entropy": 0.01,
    "net": (128, 128),
    "shaping": 1.0,
    "greedy": False,
}
"""Games of twelve minutes, after which who has more wins: a draw would teach nothing. What the
evaluator says shapes the rewards."""
