"""Scripted players of Civilization, by levels; each uses only what its seat knows.

settle founds cities where its Settlers stand, makes Warriors and Settlers in turn and the cheapest
tech. expand looks for sites, keeps a defender in each of four cities, lets Workers work and builds
by gain and cost. build has more cities, goals of research, Monarchy, the best rates, and buys.
defend weighs danger and attacks what it beats.
"""

from __future__ import annotations

from numba import njit

from stratagym.agents.games.civilization import council, towns, troops
from stratagym.agents.ladders import Ladder
from stratagym.envs.civilization import actions, turns
from stratagym.envs.civilization.rules import returns
from stratagym.envs.civilization.state import CITIES, COUNCIL, TREATIES

RULES = {"settle": 1, "expand": 2, "build": 3, "defend": 4}
LEAD = 40.0
"""The lead in score at which an estimate is near a sure win."""


@njit(cache=True)
def wanted(rules, s, legal, n, level):
    """What a player of a level wants its actor to do."""
    if s.stage == TREATIES:
        return actions.REJECT
    if s.stage == COUNCIL:
        return council.decide(rules, s, legal, n, level)
    if s.stage == CITIES:
        return towns.decide(rules, s, legal, n, level)
    return troops.decide(rules, s, legal, n, level)


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """The action of a player of ``RULES``: what it wants, or to keep to what is done already."""
    action = wanted(rules, s, legal, n, which)
    return action if troops.is_among(legal, n, action) else legal[0]


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """The strongest of ``RULES``."""
    return rule(rules, s, legal, n, 4)


@njit(cache=True)
def evaluate(rules, s, out):
    """By the lead in score over the mean of the others, surer towards the end."""
    if s.over:
        returns(rules, s, out)
        return
    n = rules.num_players
    total = 0.0
    for seat in range(n):
        out[seat] = turns.count_score(s, seat)
        total += out[seat]
    for seat in range(n):
        lead = out[seat] - (total - out[seat]) / (n - 1)
        out[seat] = lead / (abs(lead) + LEAD)
    mean = 0.0
    for seat in range(n):
        mean += out[seat] / n
    for seat in range(n):
        out[seat] -= mean


LADDER = Ladder(
    "civilization/ladder-v1",
    (
        ("random",),
        ("rule:settle?random=0.72",),
        ("rule:settle?random=0.4",),
        ("rule:settle?random=0.12",),
        ("rule:settle",),
        ("rule:expand",),
        ("rule:build",),
        ("rule:defend",),
    ),
)

TRAINING = {
    "steps": 600_000,
    "opponent": "random,rule:settle?random=0.72",
    "against": "random,rule:settle?random=0.72",
    "options": {"size": "16x12", "turns": 40},
    "envs": 64,
    "rollout": 64,
    "batch": 512,
    "gamma": 0.999,
    "learning_rate": 5e-4,
    "net": (128, 128),
    "shaping": 2.0,
    "greedy": False,
}
"""On the small map, as the result of a whole game tells little of one decision."""
