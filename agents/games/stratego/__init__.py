"""What players know of Stratego.

``rule:greedy`` takes what it can take for sure and else goes forward; the ``heuristic``
(``rule:evaluator``) weighs what an attack is worth on average and what stands next to its pieces;
``rule:belief`` also goes by where people set up which pieces. ``worlds`` searches in worlds that
are drawn by these beliefs. All of them set up as people do, by chance.
"""

from __future__ import annotations

from numba import njit

from stratagym.agents.games.stratego.evaluator import BELIEF, EVALUATOR, GREEDY, choose
from stratagym.agents.games.stratego.learning import PLANES_FIRST as PLANES_FIRST
from stratagym.agents.games.stratego.learning import action_cells as action_cells
from stratagym.agents.games.stratego.learning import evaluate as evaluate
from stratagym.agents.games.stratego.worlds import worlds_policy
from stratagym.agents.ladders import Ladder

RULES = {"greedy": GREEDY, "evaluator": EVALUATOR, "belief": BELIEF}
"""Names of the players for the policy ``rule:NAME``, and ``which`` of ``rule``."""

POLICIES = {"worlds": worlds_policy}


@njit(cache=True)
def heuristic(rules, s, legal, n):
    return choose(rules, s, legal, n, EVALUATOR)


@njit(cache=True)
def rule(rules, s, legal, n, which):
    return choose(rules, s, legal, n, which)


TRAINING = {
    "steps": 120_000,
    "opponent": "self,random,rule:greedy?random=0.5",
    "against": "random,rule:greedy",
    "options": {"board": "barrage", "setup": "human"},
    "envs": 64,
    "batch": 512,
    "gamma": 0.97,
    "gae_lambda": 0.7,
    "entropy": 0.003,
    "net": (16, 16, 16),
    "learning_rate": 3e-3,
    "epochs": 3,
    "board": True,
    "planes": 29,
    "shaping": 1.0,
    "greedy": False,
}
LADDER = Ladder(
    "stratego/ladder-v1",
    (
        ("random",),
        ("rule:greedy?random=0.2",),
        ("rule:evaluator?random=0.05",),
        ("worlds:16?plies=4&moves=6",),
    ),
    {"setup": "human"},
)
