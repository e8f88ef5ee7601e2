"""Planners: built-in players that plan from the position and carry the plan out.

``planner:LEVEL``:

| Level | Planner | States generated |
| --- | --- | --- |
| 0 | a random walk of 100 steps | 100 |
| 1 | breadth-first search | 10,000 |
| 2 | random walks of 50 steps, each from where most of the goal held so far | 10,000 |
| 3 | greedy best-first search by h_add | 10,000 |
| 4 | greedy best-first search by h_ff, helpful actions first, novelty between equals | 100,000 |
| 5 | level 4, then weighted A* with weights 5, 3 and 1 for a plan, or a shorter one | 1,000,000 |
"""

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np

from stratagym.agents.core import Decision, Policy, PolicyString
from stratagym.agents.games.planning import search
from stratagym.agents.games.planning.relaxed import Desk, Graph, desk_of, graph_of
from stratagym.envs import core
from stratagym.envs.planning.problems import grounded_of
from stratagym.envs.planning.task import Task

LEVELS = range(6)
BUDGETS = (100, 10_000, 10_000, 10_000, 100_000, 1_000_000)
"""States that each level generates at most."""
WALKS, WALK, LONG_WALK = 200, 50, 100
WEIGHTS = (5, 3, 1)
_ANY_LENGTH = 1 << 30
_MOST_GRAPHS = 16
_MOST_PLANS = 4096

_graphs: dict[int, tuple[Task, Graph]] = {}
_LOCK = Lock()


def find_plan(
    task: Task,
    level: int,
    start: tuple[np.ndarray, np.ndarray] | None = None,
    budget: int | None = None,
    seed: int = 0,
) -> search.Found:
    """What a level's planner finds.

    Args:
        start: the state that it begins in, by default the task's. budget: states to be generated,
            by default the level's. seed: of levels 0 and 2.
    """
    budget = BUDGETS[level] if budget is None else min(budget, BUDGETS[level])
    start = search.any_state(task) if start is None else start
    if level == 0:
        plan, solved, _, closest = search.walk(task, start, min(LONG_WALK, budget), seed)
        return search.Found(plan if solved else None, closest, len(plan), 0)
    if level == 2:
        return search.climb(task, start, WALKS, WALK, budget, seed)
    graph = _graph(task)
    desk = desk_of(task, graph)  # of this search alone: several threads may plan for one problem
    if level == 1:
        return search.search(task, graph, desk, start, budget)
    if level == 3:
        return search.search(task, graph, desk, start, budget, search.ADDITIVE)
    first = search.search(
        task, graph, desk, start, min(budget, BUDGETS[4]), search.RELAXED, prefer=True
    )
    if level == 4 or (first.plan is None and first.is_complete):
        return first
    return _improved(task, graph, desk, start, budget, first)


def _improved(
    task: Task, graph: Graph, desk: Desk, start: Any, budget: int, first: search.Found
) -> search.Found:
    """The shortest plan that weighted A* finds with what is left of the budget."""
    best, generated, evaluated = first.plan, first.generated, first.evaluated
    for weight in WEIGHTS:
        left = budget - generated
        most = _ANY_LENGTH if best is None else len(best) - 1
        if left <= 0 or most < 0:
            break
        found = search.search(
            task, graph, desk, start, left, search.RELAXED, weight, True, most=most
        )
        generated += found.generated
        evaluated += found.evaluated
        if found.plan is not None:
            best = found.plan
    closest = first.closest if best is None else best
    return search.Found(best, closest, generated, evaluated)


def _graph(task: Task) -> Graph:
    key = id(task.ints)
    kept = _graphs.get(key)
    if kept is None or kept[0].ints is not task.ints:
        kept = task, graph_of(task)
        with _LOCK:  # several problems are planned for at once
            if len(_graphs) >= _MOST_GRAPHS:
                _graphs.pop(next(iter(_graphs)))
            _graphs[key] = kept
    return kept[1]


class Planner(Policy):
    """Plans from the position, keeps the plan, and plans anew where the state is another.

    Where no plan is found, it goes to the state that looked closest to the goal; from there, where
    nothing looked closer, it takes any action.
    """

    def __init__(self, level: int):
        self.level = level
        self.name = f"planner:{level}"
        self._next: dict[tuple[int, bytes], int] = {}

    def act(self, decision: Decision) -> int:
        rules, state = decision.rules, decision.states[0]
        key = rules.number, state["bits"].tobytes() + state["values"].tobytes()
        if key not in self._next:
            self._plan(rules, state, key)
        action = self._next.get(key, -1)
        legal = decision.legal
        if action < 0:
            drawn = int(core.derive_seed(np.uint64(decision.seed), np.uint64(0)))
            return int(legal[drawn % len(legal)])
        return action

    def _plan(self, rules: Any, state: Any, key: tuple[int, bytes]) -> None:
        """Note the actions of a plan by the states in which they are taken."""
        task = grounded_of(rules).task
        words, numbers = max(1, (task.atoms + 63) // 64), max(1, task.values)
        start = state["bits"][:words].copy(), state["values"][:numbers].copy()
        seed = int(core.derive_seed(np.uint64(rules.number), np.uint64(int(state["steps"]))))
        found = find_plan(task, self.level, start, seed=seed % (1 << 31))
        if len(self._next) > _MOST_PLANS:
            self._next.clear()
        plan = found.closest if found.plan is None else found.plan
        twin = np.array([state])
        scratch = core.new_scratch(rules)
        for action in plan.tolist():
            here = twin[0]
            self._next[rules.number, here["bits"].tobytes() + here["values"].tobytes()] = action
            if core.play_at(rules, twin, 0, action, *scratch)[0] < 0:
                break


@lru_cache(maxsize=1)
def _listed() -> str:
    return ", ".join(map(str, LEVELS))


def planner_policy(spec: core.GameSpec, text: PolicyString) -> Policy:
    """``planner:LEVEL``. Raises ``ValueError`` for what is no level."""
    if text.argument not in map(str, LEVELS):
        raise ValueError(f"policy {text}: a level is needed, one of: {_listed()}")
    if text.options:
        raise ValueError(f"policy {text}: planner takes no options")
    return Planner(int(text.argument))


POLICIES = {"planner": planner_policy}
