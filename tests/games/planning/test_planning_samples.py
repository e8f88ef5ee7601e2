"""Published tasks, solved and spoilt by others, against the reader and the engine."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import planning_samples
import pytest
from planning_samples import grounded, mutated

from stratagym.envs.planning import task as engine
from stratagym.envs.planning.checking import check_plan, plan_lines
from stratagym.envs.planning.domains import NAMES
from stratagym.envs.planning.grounding import ground
from stratagym.envs.planning.pddl import read_domain, read_problem

TASKS = os.environ.get("STRATAGYM_SPIN_TASKS", "")
"""``classical_planning_dataset`` of SPIN-Bench's repository, for the test of all its files."""
UNREACHABLE = {
    ("p064.pddl", 124, 206, 128, 215),
    ("p111.pddl", 85, 169, 90, 176),
    ("p113.pddl", 15, 22, 17, 22),
}
"""Assembly tasks with parts that nobody can get, as (file, atoms and actions here, as listed). The
list passes over "there is no part that is not in place"; here all parts have to be reachable first,
and so the goal of these is found to be out of reach."""


@pytest.fixture(scope="module")
def samples(shared_data):
    if not (shared_data / "planning" / "samples.json").exists():
        pytest.skip("the published planning tasks are not there")
    return planning_samples.samples(shared_data)


def test_sizes_and_plans_of_the_samples(samples, shared_data):
    """Reachable atoms and actions, plans, states after half of them, applicable actions: all 59."""
    listed = planning_samples.table(shared_data, "applicable.tsv")
    counts = {tuple(row.values())[:2]: [*map(int, list(row.values())[2:])] for row in listed}
    assert {task["domain"] for task in samples} == set(NAMES) and len(samples) == 59
    for task in samples:
        problem, name = grounded(task), f"{task['domain']} {task['file']}"
        found = problem.reachable, problem.task.actions
        assert found == (task["reachable_atoms"], task["reachable_actions"]), name
        if "plan" not in task:
            continue
        bits, values, fired, fresh = engine.scratch_of(problem.task)
        engine.start_state(problem.task, bits, values)
        legal = np.zeros(problem.task.actions, np.int64)
        applicable = []
        for step, text in enumerate(task["plan"]):
            if step == task["after_half"]["steps"]:
                assert half_state(problem, bits, values, task) == expected_half(task), name
            n = engine.applicable(problem.task, bits, values, legal)
            action = problem.action_of[tuple(text.split())]
            assert action in legal[:n], f"{name}: step {step}, {text}"
            applicable.append(int(n))
            engine.apply(problem.task, action, bits, values, fired, fresh)
            assert not fired.any() and not fresh.any()
        assert engine.goal_holds(problem.task, bits, values), name
        file = next(one for one in counts if one[0] == task["domain"]
                    and one[1].removesuffix(".pddl") == task["file"])  # fmt: skip
        assert [len(applicable), sum(applicable), applicable[0]] == counts[file], name


def half_state(problem, bits, values, task):
    """(atoms that became true, those that became false, numbers of the task's list)."""
    true = {" ".join(problem.atoms[k]) for k in range(problem.task.atoms)
            if engine.is_true(bits, k)}  # fmt: skip
    fluent = {name for name, *_ in problem.atoms}
    before = {atom for atom in task["init"] if atom.split()[0] in fluent}
    numbers = {" ".join(place): values[k] for k, place in enumerate(problem.values)}
    wanted = task["after_half"]["values"]
    return true - before, before - true, {place: numbers[place] for place in wanted}


def expected_half(task):
    half = task["after_half"]
    return set(half["atoms_added"]), set(half["atoms_gone"]), half["values"]


def test_verdicts_on_mutated_plans(samples):
    seen = set()
    for task in samples:
        problem = grounded(task) if "plan" in task else None
        for kind, index, step, verdict in task.get("mutations", ()):
            moves = plan_lines("\n".join(mutated(task["plan"], kind, index)))
            found = check_plan(problem, moves)
            wanted = "valid" if verdict == "ok" else verdict
            assert (found.verdict, found.step) == (wanted, step), (task["domain"], kind, index)
            seen.add(wanted)
    assert seen == {"valid", "goal", "precondition", "unknown_action", "unknown_object", "arity"}


def test_the_domains_are_those_of_the_published_tasks(shared_data):
    if not (shared_data / "planning" / "instances.tsv").exists():
        pytest.skip("the published planning tasks are not there")
    rows = planning_samples.table(shared_data, "instances.tsv")
    assert len(rows) == 1280 and {row["domain"] for row in rows} == set(NAMES)


@pytest.mark.slow
@pytest.mark.skipif(not TASKS, reason="STRATAGYM_SPIN_TASKS names no folder of published tasks")
@pytest.mark.parametrize("domain", NAMES)
def test_reachable_atoms_and_actions_of_the_published_tasks(domain, shared_data):
    rows = [row for row in planning_samples.table(shared_data, "instances.tsv")
            if row["domain"] == domain]  # fmt: skip
    folder, different = Path(TASKS) / domain, set()
    lifted = read_domain((folder / "domain.pddl").read_text(), domain)
    for row in rows:
        text = (folder / "instances" / row["file"]).read_text()
        found = ground(lifted, read_problem(text, lifted, row["file"]))
        ours = found.reachable, found.task.actions
        listed = int(row["reachable_fluent_atoms"]), int(row["reachable_ground_actions"])
        if ours != listed:
            different.add((row["file"], *ours, *listed))
    assert different == (UNREACHABLE if domain == "assembly" else set())
    assert rows
