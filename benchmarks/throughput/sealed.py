"""Pairs of sealed plans, fought out in bulk."""

from __future__ import annotations

import numpy as np

from stratagym import envs
from stratagym.agents import hooks
from stratagym.agents.plan_search import Fights
from stratagym.benchmarks.harness.measuring import Episode
from stratagym.envs import core, sealed

PAIRS = 1000


def is_sealed(game: str) -> bool:
    """Whether a game is one of sealed plans: its players know some."""
    return hooks.found(envs.spec(game), "ARCHETYPES") is not None


def resolved_plans(game: str) -> Episode:
    """Pairs of plans that fill their budgets, always the same, fought out in one compiled loop."""
    spec = envs.spec(game)
    rules = spec.make_rules()
    states, fights = core.new_states(rules, PAIRS), Fights(spec, rules)
    for seat in range(2):
        for k, plan in enumerate(fights.fills(seat, PAIRS, seed=seat)):
            sealed.set_plan(rules, states, k, seat, plan)
    results = np.zeros(PAIRS, np.int64)

    def episode() -> int:
        sealed.resolve_plans(rules, states, results)
        return PAIRS

    return episode
