"""What the generators of planning problems make: digests, and checks of many problems at once.

    PYTHONPATH=tests python tests/planning_generators.py digests
    PYTHONPATH=tests python tests/planning_generators.py plans [SEEDS [SIZES]]
    PYTHONPATH=tests python tests/planning_generators.py medians [SEEDS]

``digests`` records what each domain makes in ``golden/planning_problems.json``, which the tests
compare with on every platform. ``plans`` has the plan of every domain, size and seed judged by
Kairos (``pip install kairos-planner``), which does not ground, so that the largest problems take
no longer than the smallest. ``medians`` prints the sizes of problems of size 5 beside the
published medians.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from stratagym.envs.planning.checking import move_text
from stratagym.envs.planning.domains import NAMES, SIZES, make_instance
from stratagym.envs.planning.pddl import problem_text
from stratagym.envs.planning.problems import choose

FILE = Path(__file__).parent / "golden" / "planning_problems.json"
INSTANCES = range(3)
"""Of each size, those that are in a digest."""
MEDIANS = {
    "Multi_Agent_coordination": (45, 276, 5473),
    "assembly": (14, 68, 114),
    "barman": (24, 167, 982),
    "blocksworld": (10, 131, 220),
    "briefcaseworld": (27, 209, 391),
    "cooperate_sequential_gripper": (36, 326, 2464),
    "counters": (24, 0, 48),
    "depots": (42, 477, 4084),
    "drone": (40, 40, 47),
    "elevator": (26, 220, 3036),
    "floortile": (15, 50, 70),
    "freecell": (88, 357, 6957),
    "grid": (15, 53, 166),
    "logistics": (16, 50, 108),
    "markettrader": (22, 4, 145),
    "rovers": (24, 81, 244),
    "satellite": (22, 77, 346),
    "settlersnumeric": (21, 163, 1464),
    "sokoban": (41, 102, 186),
    "sugar": (16, 42, 256),
    "termes": (26, 136, 1430),
}
"""Medians (the upper of two middle tasks) of what SPIN-Bench publishes: objects, and atoms and
actions that can be reached.
Of freecell all have one size, which is size 9 here."""


def digest(domain: str) -> str:
    """Of the problems and plans that a domain makes in all sizes."""
    found = hashlib.sha256()
    for size in SIZES:
        for instance in INSTANCES:
            made = make_instance(domain, size, instance, "published")
            lines = (problem_text(made.problem), *map(move_text, made.plan))
            found.update("\n".join(lines).encode())
    return found.hexdigest()[:16]


def recorded() -> dict[str, str]:
    """The digests that are kept, by domain."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def record() -> None:
    digests = {domain: digest(domain) for domain in NAMES}
    FILE.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


def measures(domain: str, seeds: Sequence[int], size: int = 5) -> tuple[float, float, float]:
    """Medians over problems: objects, with those of the domain; atoms; actions."""
    rows = []
    for seed in seeds:
        problem = choose(domain, size, seed, "", "", "published").grounded
        objects = len(problem.problem.objects) + len(problem.domain.constants)
        rows.append((objects, problem.reachable, problem.task.actions))
    first, second, third = (float(median(column)) for column in zip(*rows, strict=True))
    return first, second, third


def _medians(seeds: int) -> None:
    for domain, published in MEDIANS.items():
        found = measures(domain, range(seeds))
        told = [
            f"{x:g} of {y} ({x / y:.2f})" if y else f"{x:g} of 0"
            for x, y in zip(found, published, strict=True)
        ]
        print(domain, *told, sep="  ", flush=True)


def _plans(seeds: int, sizes: Sequence[int]) -> None:
    import kairos

    for size in sizes:
        for domain in NAMES:
            started, valid, texts = time.perf_counter(), 0, set()
            for seed in range(seeds):
                made = make_instance(domain, size, seed, "published")
                texts.add(problem_text(made.problem).replace(made.problem.name, ""))
                theirs = kairos.parse_domain(made.domain_text)
                problem = kairos.parse_problem(problem_text(made.problem), theirs)
                plan = kairos.parse_plan("\n".join(map(move_text, made.plan)))
                status = str(kairos.validate(problem, plan).status)
                valid += status.lower().rpartition(".")[2] == "valid"
            seconds = time.perf_counter() - started
            print(size, domain, f"{valid} of {seeds} valid, {len(texts)} differ, {seconds:.1f} s")


if __name__ == "__main__":
    what, *numbers = [*sys.argv[1:], *([] if sys.argv[1:] else ["digests"])]
    if what == "digests":
        record()
    elif what == "medians":
        _medians(int(numbers[0]) if numbers else 9)
    else:
        listed = [int(size) for size in numbers[1].split(",")] if len(numbers) > 1 else SIZES[:-1]
        _plans(int(numbers[0]) if numbers else 20, listed)
