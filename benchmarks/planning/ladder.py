"""The planners as a ladder: on which problems each level finds a plan.

A calibration plans for problems of every domain and size by every level and keeps what each found;
searches repeat exactly, so that another run of the same problems writes the same file:

    python -m stratagym.benchmarks.planning.ladder [FILE [BUDGET [THREADS [ACTIONS]]]]

Each level generates BUDGET states at most, and no more than its own budget; problems with more
than ACTIONS actions are left out.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from stratagym.agents.games.planning import LEVELS, find_plan
from stratagym.benchmarks.reporting.stats import wilson
from stratagym.envs.planning.domains import NAMES
from stratagym.envs.planning.problems import choose

FILE = Path(__file__).parent / "data" / "ladder.json"
SIZES = range(1, 10)
INSTANCE, SEED = 1, 0
BUDGET = 10_000
"""States that a level generates at most in the calibration that is kept, where its own budget is
not less: one for all levels from 1 on, so that searches are compared and not budgets."""
MOST_ACTIONS = 3000
"""Problems with more actions are left out of a calibration: they take hours."""
_UNSOLVED = -1


@dataclass(frozen=True)
class Calibration:
    """What each level found.

    Attributes:
        budget: states that a level generated at most. most_actions: of a problem. problems:
            (domain, size). lengths: by level, the length of the plan of each problem, -1 for none.
            generated: states, likewise.
        left_out: problems with more than ``most_actions`` actions.
    """

    budget: int
    most_actions: int
    problems: tuple[tuple[str, int], ...]
    lengths: tuple[tuple[int, ...], ...]
    generated: tuple[tuple[int, ...], ...]
    left_out: tuple[tuple[str, int], ...]

    def solved(self, level: int) -> int:
        """How many problems a level solved."""
        return sum(length != _UNSOLVED for length in self.lengths[level])

    def discordant(self, level: int, other: int) -> tuple[int, int]:
        """(problems that one level alone solved, that another alone solved)."""
        pairs = list(zip(self.lengths[level], self.lengths[other], strict=True))
        above = sum(x != _UNSOLVED and y == _UNSOLVED for x, y in pairs)
        return above, sum(x == _UNSOLVED and y != _UNSOLVED for x, y in pairs)

    def shorter(self, level: int, other: int) -> tuple[int, int]:
        """Of problems that both solved: (plans of one level that are shorter, of another)."""
        pairs = [
            (x, y)
            for x, y in zip(self.lengths[level], self.lengths[other], strict=True)
            if _UNSOLVED not in (x, y)
        ]
        return sum(x < y for x, y in pairs), sum(x > y for x, y in pairs)


def tried(domain: str, size: int, budget: int, most_actions: int = MOST_ACTIONS) -> Any:
    """[length or -1, states generated] by level, of one problem; None if it is too large."""
    task = choose(domain, size, INSTANCE, "", "", "published").grounded.task
    if task.actions > most_actions:
        return None
    found = [find_plan(task, level, budget=budget, seed=SEED) for level in LEVELS]
    return [[_UNSOLVED if x.plan is None else len(x.plan), x.generated] for x in found]


def calibrate(
    budget: int,
    threads: int,
    most_actions: int = MOST_ACTIONS,
    sizes: Iterable[int] = SIZES,
    domains: Sequence[str] = NAMES,
) -> Calibration:
    """Plan for one problem of every domain and size by every level."""
    problems = [(domain, size) for size in sizes for domain in domains]
    with ThreadPoolExecutor(threads) as pool:
        rows = []
        found = pool.map(lambda one: tried(one[0], one[1], budget, most_actions), problems)
        for problem, row in zip(problems, found, strict=True):
            rows.append((problem, row))
            print(*problem, "left out" if row is None else row, flush=True)
    kept = [(problem, row) for problem, row in rows if row is not None]
    return Calibration(
        budget,
        most_actions,
        tuple(problem for problem, _ in kept),
        tuple(tuple(row[level][0] for _, row in kept) for level in LEVELS),
        tuple(tuple(row[level][1] for _, row in kept) for level in LEVELS),
        tuple(problem for problem, row in rows if row is None),
    )


def save(found: Calibration, path: Path) -> None:
    """Write a calibration, one level a line."""
    rows = {
        "budget": found.budget,
        "most_actions": found.most_actions,
        "instance": INSTANCE,
        "problems": found.problems,
        "left_out": found.left_out,
        **{f"lengths {level}": found.lengths[level] for level in LEVELS},
        **{f"generated {level}": found.generated[level] for level in LEVELS},
    }
    lines = [f" {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


@cache
def calibration(path: Path = FILE) -> Calibration:
    """The calibration that is kept."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return Calibration(
        rows["budget"],
        rows["most_actions"],
        tuple((domain, size) for domain, size in rows["problems"]),
        tuple(tuple(rows[f"lengths {level}"]) for level in LEVELS),
        tuple(tuple(rows[f"generated {level}"]) for level in LEVELS),
        tuple((domain, size) for domain, size in rows["left_out"]),
    )


def table(found: Calibration) -> str:
    """A row a level in Markdown: problems solved, with Wilson's interval; problems that it or the
    level below solved alone; and its plans that are shorter and longer than that level's."""
    lines = [
        f"| Level | Solved of {len(found.problems)} | It alone | The level below alone "
        "| Shorter plans | Longer plans |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for level in LEVELS:
        share = wilson(found.solved(level), len(found.problems))
        row = f"| {level} | {found.solved(level)}: {share.text()} |"
        if not level:
            lines.append(f"{row} | | | |")
            continue
        counts = (*found.discordant(level, level - 1), *found.shorter(level, level - 1))
        lines.append(f"{row} {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Make a calibration, and print its table."""
    parser = argparse.ArgumentParser(
        prog="python -m stratagym.benchmarks.planning.ladder",
        description="Plan for one problem of every domain and size by every level.",
    )
    parser.add_argument("file", type=Path, nargs="?", default=FILE)
    parser.add_argument("budget", type=int, nargs="?", default=BUDGET, help="states a level")
    parser.add_argument("threads", type=int, nargs="?", default=os.cpu_count() or 1)
    parser.add_argument("actions", type=int, nargs="?", default=MOST_ACTIONS, help="of a problem")
    given = parser.parse_args(arguments)
    made = calibrate(given.budget, given.threads, given.actions)
    save(made, given.file)
    print(table(made))


if __name__ == "__main__":
    main()
