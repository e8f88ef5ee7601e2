"""Plans with every built-in planner in all domains, and writes that part of docs/results.md.

``python docs/make_planning.py`` plans for ten problems of each domain with 20,000 states for each
plan, in some ten minutes; ``python docs/make_planning.py 20 5000`` for twenty with 5,000.
``make_results.py`` leaves this part of the page as it is.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import date
from typing import Any

from make_results import PAGE, interval, row

from stratagym.agents.games.planning import BUDGETS

TITLE = "Planning by domain"
LEVELS = range(len(BUDGETS))
QUESTIONS, SCENES = 30, 25
"""Factual questions of a cell, and scenes of a length: one for each place on the board."""
OF_PROBLEMS = "domain", "instance", "task", "domain_file"
"""Options that differ between problems, or that built-in problems do not have."""
PLANS = (
    "Shares of problems with a valid plan. `planner:0` is a random walk of 100 steps, the chance "
    "level. The problems are of the size `spin`, with parameters drawn from the whole range of the "
    "published ones. States generated for a problem at most, by level: "
)
QUESTIONED = (
    "What is right without following the steps, in the questions that are no plans: any value of "
    "each property, the values at the start, those after the last step, the value that is right "
    "most often for the kind of property; any place, the start, the best answer that is always the "
    "same. A language model's answers stand beside these in every report."
)


def plan_rows(summary: Mapping[str, Any]) -> list[str]:
    """A line for each domain with the accuracy of every level, and one for all problems."""
    policies = summary["policies"]
    domains = next(iter(policies.values()))["by_domain"]
    lines = [
        row(["Domain", "Problems", *(f"`{name}`" for name in policies)]),
        row(["---", "---:", *["---:"] * len(policies)]),
    ]
    for domain, rate in domains.items():
        cells = [interval(own["by_domain"][domain], 2) for own in policies.values()]
        lines.append(row([domain, f"{rate['n']:,}", *cells]))
    cells = [interval(own["accuracy"], 2) for own in policies.values()]
    lines.append(row(["all", f"{summary['problems']['asked']:,}", *cells]))
    most = ", ".join(f"{min(BUDGETS[k], summary['config']['states']):,}" for k in LEVELS)
    return [*lines, "", f"{PLANS}{most}."]


def baseline_rows(summary: Mapping[str, Any]) -> list[str]:
    """A line for each baseline of factual questions and of scenes."""
    lines = [
        row(["Question", "Baseline", "Asked", "Right", "Of single properties"]),
        row(["---", "---", "---:", "---:", "---:"]),
    ]
    for name, one in summary["retrieval"]["baselines"].items():
        asked = f"{summary['retrieval']['questions']:,}"
        rates = [_rate(one[field]) for field in ("exact", "per_property")]
        lines.append(row(["facts", name.replace("_", " "), asked, *rates]))
    for name, rate in summary["spatial"]["baselines"].items():
        lines.append(row(["places", name, f"{summary['spatial']['scenes']:,}", _rate(rate), ""]))
    return [*lines, "", QUESTIONED]


def _rate(rate: Mapping[str, Any]) -> str:
    """A rate, without an interval where it is computed and no sample."""
    known = rate["low"] == rate["high"]
    return interval({**rate, "low": None} if known else rate, 3)


def in_force(summary: Mapping[str, Any]) -> str:
    """The options of the game that all problems share."""
    shared = next(iter(summary["config"]["problems"].values()))
    told = [f"`{name}={value}`" for name, value in shared.items() if name not in OF_PROBLEMS]
    return f"Options of the game in force: {', '.join(told)}."


def main(problems: int, states: int) -> None:
    """Run the benchmark and put its tables in their place."""
    levels = ",".join(f"planner:{level}" for level in LEVELS)
    options = (
        f"--policies {levels} --sizes spin --instances {problems} --states {states} "
        f"--questions {QUESTIONS} --scenes-each {SCENES}"
    )
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "stratagym.benchmarks.planning", *options.split()]
        more = ["--json", "--output", f"{folder}/run"]
        done = subprocess.run([*command, *more], stdout=subprocess.PIPE, text=True, check=True)
    summary = json.loads(done.stdout)
    part = "\n".join(
        [
            f"## {TITLE}", "", "```bash", f"python -m benchmarks.planning {options}", "```", "",
            *plan_rows(summary), "", *baseline_rows(summary), "",
            f"{in_force(summary)} Seed 0, {date.today():%Y-%m-%d}; `python docs/make_planning.py "
            f"{problems} {states}` makes this part.",
        ]
    )  # fmt: skip
    page = PAGE.read_text(encoding="utf-8")
    page = re.sub(rf"\n## {TITLE}\n.*?(?=\n## |\Z)", "", page, flags=re.DOTALL).rstrip()
    PAGE.write_text(f"{page}\n\n{part}\n", encoding="utf-8")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*numbers, *(10, 20_000)[len(numbers) :])
