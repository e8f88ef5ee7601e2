"""Many plans tried at once come to what each comes to alone."""

from __future__ import annotations

import numpy as np
import pytest

from stratagym.envs.planning import bulk
from stratagym.envs.planning import task as engine
from stratagym.envs.planning.domains import NAMES
from stratagym.envs.planning.problems import choose


def plans_of(rng, problem, plan, count):
    """The plan, no plan, and plans with some of its actions left out, exchanged or replaced."""
    made = [plan, plan[:0]]
    for _ in range(count):
        moves = plan.copy()
        for _ in range(int(rng.integers(1, 3))):
            at, kind = int(rng.integers(len(moves))), int(rng.integers(4))
            if kind == 0:
                moves[at] = rng.integers(problem.task.actions)
            elif kind == 1 and len(moves) > 1:
                moves = np.delete(moves, at)
            elif kind == 2:
                moves[[at, -1]] = moves[[-1, at]]
            else:
                moves = moves[: at + 1]
        made.append(moves)
    return made


@pytest.mark.parametrize("domain", NAMES)
def test_plans_in_bulk_are_plans_alone(domain, seed):
    rng = np.random.default_rng(seed)
    chosen = choose(domain, 1, seed % 1000, "", "", "published")
    problem, task = chosen.grounded, chosen.grounded.task
    plan = np.array([problem.action_of[action] for action in chosen.plan], np.int64)
    plans = plans_of(rng, problem, plan, 100)
    ends = np.cumsum([len(one) for one in plans])
    steps, goals = np.full(len(plans), -1), np.zeros(len(plans), np.bool_)
    scratch = engine.scratch_of(task)
    bulk.check_plans(task, np.concatenate(plans), ends, steps, goals, *scratch)
    assert goals[0] and steps[0] == len(plan)
    assert not goals[1] and steps[1] == 0
    for k, one in enumerate(plans):
        engine.start_state(task, *scratch[:2])
        assert engine.run_plan(task, one, *scratch) == steps[k], (domain, one)
        assert engine.goal_holds(task, *scratch[:2]) == goals[k], (domain, one)
