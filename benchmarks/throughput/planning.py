"""Planning: plans validated, problems grounded and states evaluated, by us and by other planners.

All on one problem, satellite of size 5 and 366 actions, which every peer reads; states are
evaluated in a larger one.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.measuring import Episode
from stratagym.envs.planning import bulk
from stratagym.envs.planning import task as engine
from stratagym.envs.planning.checking import move_text
from stratagym.envs.planning.grounding import ground
from stratagym.envs.planning.pddl import read_domain, read_problem
from stratagym.envs.planning.problems import Chosen, choose

DOMAIN, SIZE, LARGE = "satellite", 5, 7
"""The problem, and the size of the one in which states are evaluated."""
PLANS = 1000
"""Plans of one compiled call."""
STEPS = 200
"""Steps of one random walk. ``STATES``: evaluated in one episode."""
STATES = 100


def _chosen(size: int = SIZE) -> Chosen:
    return choose(DOMAIN, size, 0, "", "", "published")


def _plan(chosen: Chosen) -> np.ndarray:
    return np.array([chosen.grounded.action_of[action] for action in chosen.plan], np.int64)


def plan_checks(game: str) -> Episode:
    """The problem's own plan, tried many times in one compiled call."""
    chosen = _chosen()
    plan, task = _plan(chosen), chosen.grounded.task
    actions, ends = np.tile(plan, PLANS), np.arange(1, PLANS + 1) * len(plan)
    steps, goals = np.zeros(PLANS, np.int64), np.zeros(PLANS, np.bool_)
    scratch = engine.scratch_of(task)

    def episode() -> int:
        bulk.check_plans(task, actions, ends, steps, goals, *scratch)
        return PLANS

    return episode


def plan_calls(game: str) -> Episode:
    """The same plan, one call each: the start, the plan, the goal."""
    chosen = _chosen()
    plan, task = _plan(chosen), chosen.grounded.task
    scratch = engine.scratch_of(task)
    steps, goals, ends = np.zeros(1, np.int64), np.zeros(1, np.bool_), np.array([len(plan)])

    def episode() -> int:
        for _ in range(PLANS):
            bulk.check_plans(task, plan, ends, steps, goals, *scratch)
        return PLANS

    return episode


def grounding(game: str) -> Episode:
    """A problem, from its PDDL to arrays."""
    chosen = _chosen()

    def episode() -> int:
        domain = read_domain(chosen.domain_text, DOMAIN)
        ground(domain, read_problem(chosen.problem_text, domain, "problem"))
        return 1

    return episode


def evaluations(game: str) -> Episode:
    """h_ff of the states along a random walk."""
    from stratagym.agents.games.planning.relaxed import desk_of, graph_of
    from stratagym.agents.games.planning.search import evaluate_each

    task = _chosen(LARGE).grounded.task
    graph = graph_of(task)
    desk, (bits, values, fired, fresh) = desk_of(task, graph), engine.scratch_of(task)
    every = np.zeros((STATES, len(bits)), np.uint64), np.zeros((STATES, len(values)))
    engine.start_state(task, bits, values)
    legal, draw = np.zeros(task.actions, np.int64), random.Random(1)
    for k in range(STATES):
        every[0][k], every[1][k] = bits, values
        n = engine.applicable(task, bits, values, legal)
        engine.apply(task, int(legal[draw.randrange(n)]), bits, values, fired, fresh)
    found = np.zeros(STATES, np.int64)

    def episode() -> int:
        evaluate_each(task, graph, desk, *every, found)
        return STATES

    return episode


# --- others --------------------------------------------------------------------------------------


def _files(chosen: Chosen, folder: str) -> tuple[str, str]:
    paths = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
    for path, text in zip(paths, (chosen.domain_text, chosen.problem_text), strict=True):
        path.write_text(text, encoding="utf-8")
    return str(paths[0]), str(paths[1])


def _plan_text(chosen: Chosen) -> str:
    return "\n".join(map(move_text, chosen.plan)) + "\n"


def kairos_checks(game: str) -> Episode:
    """Kairos: a ready plan validated, one call each."""
    import kairos

    chosen = _chosen()
    with tempfile.TemporaryDirectory() as folder:
        domain_file, problem_file = _files(chosen, folder)
        domain = kairos.load_domain(domain_file)
        problem = kairos.load_problem(problem_file, domain)
    plan = kairos.parse_plan(_plan_text(chosen))

    def episode() -> int:
        for _ in range(20):
            status = kairos.validate(problem, plan).status
        assert str(status).lower().rpartition(".")[2] == "valid"
        return 20

    return episode


def _unified(chosen: Chosen) -> tuple[Any, Any]:
    from unified_planning.io import PDDLReader
    from unified_planning.shortcuts import get_environment

    get_environment().credits_stream = None
    reader = PDDLReader()
    return reader, reader.parse_problem_string(chosen.domain_text, chosen.problem_text)


def unified_checks(game: str) -> Episode:
    """unified-planning: a ready plan validated, one call each."""
    from unified_planning.engines import SequentialPlanValidator

    chosen = _chosen()
    reader, problem = _unified(chosen)
    plan, validator = (
        reader.parse_plan_string(problem, _plan_text(chosen)),
        SequentialPlanValidator(),
    )
    validator.skip_checks = True

    def episode() -> int:
        assert validator.validate(problem, plan)
        return 1

    return episode


def unified_steps(game: str) -> Episode:
    """unified-planning: random steps with all applicable actions, by its simulator."""
    from unified_planning.shortcuts import SequentialSimulator

    _, problem = _unified(_chosen())
    simulator, draw = SequentialSimulator(problem), random.Random(1)

    def episode() -> int:
        state = simulator.get_initial_state()
        for _ in range(STEPS // 20):
            action, arguments = draw.choice(list(simulator.get_applicable_actions(state)))
            state = simulator.apply_unsafe(state, action, arguments)
        return STEPS // 20

    return episode


def unified_grounding(game: str) -> Episode:
    """unified-planning: a problem from its PDDL, grounded by its own grounder."""
    from unified_planning.engines.compilers import Grounder

    chosen = _chosen()

    def episode() -> int:
        _, problem = _unified(chosen)
        Grounder().compile(problem)
        return 1

    return episode


def _pyperplan(chosen: Chosen) -> Any:
    from pyperplan import planner

    with tempfile.TemporaryDirectory() as folder:
        return planner._ground(planner._parse(*_files(chosen, folder)))


def pyperplan_steps(game: str) -> Episode:
    """pyperplan: random steps, each of which expands its state: it lists no actions alone."""
    task, draw = _pyperplan(_chosen()), random.Random(1)

    def episode() -> int:
        state = task.initial_state
        for _ in range(STEPS):
            _, state = draw.choice(task.get_successor_states(state))
        return STEPS

    return episode


def pyperplan_grounding(game: str) -> Episode:
    """pyperplan: a problem from its PDDL files, grounded."""
    chosen = _chosen()
    _pyperplan(chosen)

    def episode() -> int:
        _pyperplan(chosen)
        return 1

    return episode


def pyperplan_evaluations(game: str) -> Episode:
    """pyperplan: h_ff of the states along a random walk."""
    from pyperplan.heuristics.relaxation import hFFHeuristic
    from pyperplan.search.searchspace import make_root_node

    task, draw = _pyperplan(_chosen(LARGE)), random.Random(1)
    heuristic, state, nodes = hFFHeuristic(task), task.initial_state, []
    for _ in range(STATES):
        nodes.append(make_root_node(state))
        _, state = draw.choice(task.get_successor_states(state))

    def episode() -> int:
        for node in nodes:
            heuristic(node)
        return STATES

    return episode
