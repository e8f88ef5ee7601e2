"""Fast Downward and ENHSP against the reader, the engine and the searches; where they are there."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from stratagym.agents.games.planning import search
from stratagym.agents.games.planning.relaxed import desk_of, graph_of
from stratagym.envs.planning.checking import check_plan, plan_lines
from stratagym.envs.planning.domains import NAMES
from stratagym.envs.planning.problems import choose

NUMERIC = {"counters", "drone", "markettrader", "settlersnumeric", "sugar"}
SMALL = ("blocksworld", "logistics", "satellite", "sokoban", "grid", "assembly")
"""Domains without costs whose smallest problems breadth-first search solves, always."""
FOUND, NOT_FOUND, TIME = 0, 12, 23
pytestmark = pytest.mark.oracle


def package(name: str) -> Path:
    found = find_spec(name)
    if found is None or not found.origin:
        pytest.skip(f"{name} is not installed: pip install 'stratagym[planners]'")
    return Path(found.origin).parent


def written(folder, domain, size, instance):
    chosen = choose(domain, size, instance, "", "", "published")
    paths = folder / "domain.pddl", folder / "problem.pddl"
    for path, text in zip(paths, (chosen.domain_text, chosen.problem_text), strict=True):
        path.write_text(text)
    return chosen, paths


def fast_downward(folder, paths, *how):
    """The lines of the plan that it finds, or None."""
    script = package("up_fast_downward") / "downward" / "fast-downward.py"
    options, searching = (how, ()) if how[0].startswith("--alias") else ((), how)
    done = subprocess.run(
        [sys.executable, script, "--overall-time-limit", "10s", "--plan-file", "plan.txt",
         *options, *paths, *searching],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode in (FOUND, NOT_FOUND, TIME), done.stdout[-500:] + done.stderr[-500:]
    return plan_lines((folder / "plan.txt").read_text()) if done.returncode == FOUND else None


@pytest.mark.parametrize("domain", SMALL)
def test_shortest_plans_are_as_long_as_fast_downwards(domain, tmp_path, seed):
    """Nine problems a domain, by blind A* with unit costs; each finds a plan for all."""
    for k in range(9):
        chosen, paths = written(tmp_path, domain, 1, (seed + k) % 1000)
        theirs = fast_downward(tmp_path, paths, "--search", "astar(blind())")
        task = chosen.grounded.task
        graph = graph_of(task)
        ours = search.search(task, graph, desk_of(task, graph), search.any_state(task), 300_000)
        assert theirs is not None and ours.plan is not None, chosen.problem_text
        assert check_plan(chosen.grounded, theirs).verdict == "valid"
        assert len(ours.plan) == len(theirs)


@pytest.mark.slow
@pytest.mark.parametrize("domain", sorted(set(NAMES) - NUMERIC))
def test_fast_downward_reads_every_domain_without_numbers(domain, tmp_path, seed):
    chosen, paths = written(tmp_path, domain, 1, seed % 1000)
    if plan := fast_downward(tmp_path, paths, "--alias", "lama-first"):
        assert check_plan(chosen.grounded, plan).verdict == "valid"


@pytest.mark.parametrize("domain", ["counters", "drone"])
def test_plans_of_enhsp_are_valid(domain, tmp_path, seed):
    jar = package("up_enhsp") / "ENHSP" / "enhsp.jar"
    if not shutil.which("java"):
        pytest.skip("ENHSP needs Java: no java on the path")
    chosen, paths = written(tmp_path, domain, 1, seed % 1000)
    done = subprocess.run(
        ["java", "-jar", jar, "-o", paths[0], "-f", paths[1], "-planner", "sat-hmrp",
         "-sp", tmp_path / "plan.txt"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (tmp_path / "plan.txt").exists(), done.stdout[-500:] + done.stderr[-500:]
    plan = plan_lines((tmp_path / "plan.txt").read_text())
    assert check_plan(chosen.grounded, plan).verdict == "valid"
