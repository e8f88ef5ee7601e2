"""SPIN-Bench's planning: plans, facts in the middle of a plan, and places after moves.

    python -m benchmarks.planning
    python -m benchmarks.planning --policies llm --model M --base-url URL --task all
    python -m benchmarks.planning --tasks FOLDER --policies planner:4

Without arguments: built-in planners and baselines on fresh problems of every domain. Results go to
``results/planning/<time>/``: every answer, a summary, figures and a report.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cyclopts import Parameter

from stratagym.agents import loops
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import cli, records
from stratagym.benchmarks.harness.begun import BEGUN, begun
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.decisions import read_answered
from stratagym.benchmarks.harness.options import ModelArgs, RunArgs
from stratagym.benchmarks.harness.policies import make_policies, settings, usage
from stratagym.benchmarks.harness.progress import progress_bar, stage
from stratagym.benchmarks.harness.text_options import PromptArgs
from stratagym.benchmarks.harness.watching import check_answered
from stratagym.benchmarks.planning import (
    asking,
    plans,
    report,
    retrieval,
    spatial,
    summaries,
    tasks,
)  # fmt: skip
from stratagym.benchmarks.planning.plans import NAME
from stratagym.benchmarks.reporting.terminal import output_console, say

PLAN, RETRIEVE, SPATIAL, ALL = "plan", "retrieve", "spatial", "all"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(PromptArgs, ModelArgs, RunArgs):
    benchmark = NAME
    policies: str = "planner:0,planner:2,planner:4"
    """Policies, separated by commas: planner:LEVEL (0 to 5), random, mcts:SIMULATIONS, llm,
    llm:MODEL. Only language models answer questions that are no plans."""
    task: str = ALL
    """What is asked: "plan", "retrieve", "spatial", or "all"."""
    domains: str = ""
    """Domains, separated by commas; default all 21."""
    sizes: str = "1,3,5"
    """Sizes of fresh problems, separated by commas: 1 to 9, and "spin", which draws from the whole
    range of the published ones."""
    instances: int = 2
    """Fresh problems of each domain and size."""
    tasks: str | None = None
    """A folder of published files, in place of fresh problems."""
    distinct: bool = False
    """Take no published problem that is a copy of one before."""
    states: int = 5_000
    """The most states that a planner generates for one problem."""
    steps: bool = False
    """Ask language models for one action at a time, and tell the state after each, in place of
    whole plans."""
    tries: int = 10
    """With --steps, the answers for one action; when none of them can be taken, it is over."""
    one_shot: bool = False
    """Show language models a solved problem of three blocks before the asked one."""
    probe: bool = False
    """Of a plan that breaks a condition, ask its model which facts hold where it broke down."""
    n_step: str = "reference"
    """N-step look-ahead counts the length of the best plan known ("reference"), or that of the
    policy's own valid plan ("plan")."""
    questions: int = 2
    """Factual questions for each domain, length and setting."""
    properties: str = "all"
    """How many properties a factual question asks for, separated by commas: 1, 2, 4, all."""
    told: str = "1,5,10,15,20"
    """How many actions a factual question tells, separated by commas."""
    trajectory: str = retrieval.CHANGES
    """How a factual question tells steps: "changes" of each, or "full" states."""
    scenes: str = "own"
    """Spatial scenes: "own", whose ends are all different, or "plans", as published."""
    scenes_each: int = 5
    """Spatial scenes of each of 12 lengths, at most one for each cell of the board; of "plans" 12
    times as many in all."""
    board: int = 5
    """Rows and columns of the board of own scenes."""
    groups: str = report.CODE
    """Groups of domains: "code", each domain in one, or "as_paper", some in two."""
    figures: bool = False
    """Print the figures of SPIN-Bench's paper, and ask nobody."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Ask policies for plans, and language models for facts and places."""
    if args.figures:
        report.figures(output_console())
        return
    asked = _checked(args)
    text = args.text_options(tasks.GAME)
    policies = make_policies(tasks.GAME, args.policies, args)
    with stage("making the problems"):
        items, refused = _items(args)
    config: dict[str, Any] = {
        **settings(policies),
        "task": args.task,
        "problems": {item.name: tasks.GAME.options_in_force(**item.options) for item in items},
        "refused": refused,
        "states": args.states,
        "questions": [args.questions, args.properties, args.told, args.trajectory],
        "scenes": [args.scenes, args.scenes_each, args.board],
        "seed": args.seed,
        "text": text.record(),
        **({"steps": args.tries} if args.steps else {}),
        **({"one_shot": True} if args.one_shot else {}),
        **({"probe": True} if args.probe else {}),
        BEGUN: begun(NAME, args),
    }
    facts = _retrievals(args, items) if RETRIEVE in asked else []
    places = _scenes(args) if SPATIAL in asked else []
    folder = records.open_run(NAME, args.output, config, args.resume)
    answered = read_answered(folder)
    writer = records.JsonlWriter(folder / "decisions.jsonl")
    try:
        with progress_bar() as bar:
            builtin = [one for one in policies if not isinstance(one, LanguageModel)]
            if PLAN in asked and builtin:
                open_items = [
                    item
                    for item in items
                    if any((one.name, "none", item.name) not in answered for one in builtin)
                ]
                bar_task = bar.add_task("planners", total=len(open_items) * len(builtin))
                threads = min(4, os.cpu_count() or 1)
                for record in plans.all_planned(
                    builtin, open_items, args.seed, args.states, threads
                ):
                    if (record["policy"], "none", record["item"]) not in answered:
                        writer.write(record)
                    bar.advance(bar_task)
            for model in (one for one in policies if isinstance(one, LanguageModel)):
                what = items if PLAN in asked else [], facts, places
                run = args, text, writer, answered, folder
                loops.run(asking.ask_model(model, *run, *what, bar))
    finally:
        writer.close()
    with stage("adding up"):
        taken = [*map(dict, records.read_decisions(folder))]
        summary = summaries.summary(config, items, taken, facts, places, args.n_step, refused)
    records.write_json(folder / "summary.json", summary)
    with stage("writing the report"):
        report.write(folder, summary)
    if args.json:
        print(json.dumps(summary))
    else:
        report.screen(output_console(), summary, args.groups)
        say(f"Report: {folder / 'report.html'}")
    check_answered(usage(records.read_decisions(folder), policies))


def _checked(args: Args) -> list[str]:
    """What is asked. Raises ``InputError`` for options that make no sense."""
    choices = {
        "--task": (args.task, (PLAN, RETRIEVE, SPATIAL, ALL)),
        "--n-step": (args.n_step, ("reference", "plan")),
        "--groups": (args.groups, (report.CODE, report.AS_PAPER)),
        "--trajectory": (args.trajectory, (retrieval.CHANGES, retrieval.FULL)),
        "--scenes": (args.scenes, ("own", "plans")),
    }
    for option, (value, known) in choices.items():
        if value not in known:
            raise InputError(f"{option} {value!r}: choose from: {', '.join(known)}")
    numbers = {
        "--instances": (args.instances, 1, 1000),
        "--states": (args.states, 1, 1_000_000),
        "--questions": (args.questions, 1, 1000),
        "--tries": (args.tries, 1, 100),
        "--board": (args.board, 2, 20),
        "--scenes-each": (args.scenes_each, 1, args.board**2),
    }
    for option, (number, low, high) in numbers.items():
        if not low <= number <= high:
            raise InputError(f"{option} {number}: a whole number from {low} to {high} is needed")
    asked = [PLAN, RETRIEVE, SPATIAL] if args.task == ALL else [args.task]
    for option, is_set in (
        ("--steps", args.steps), ("--one-shot", args.one_shot), ("--probe", args.probe)
    ):  # fmt: skip
        if is_set and PLAN not in asked:
            raise InputError(f"{option}: is about plans; it needs --task plan or all")
    for option, is_set in (("--one-shot", args.one_shot), ("--probe", args.probe)):
        if is_set and args.steps:
            raise InputError(f"{option}: is about whole plans; leave out --steps")
    return asked


def _items(args: Args) -> tuple[list[tasks.Item], dict[str, str]]:
    """The problems, and the reasons why published files are none, by name."""
    if args.tasks is None:
        domains, sizes = tasks.domains_of(args.domains), tasks.sizes_of(args.sizes)
        first = args.seed * args.instances
        numbers = range(first, first + args.instances)
        return list(tasks.generated(domains, sizes, numbers)), {}
    named = tasks.domains_of(args.domains) if args.domains else []
    items, refused = [], {}
    for one in tasks.published(Path(args.tasks), named, args.distinct):
        if isinstance(one, tasks.Item):
            items.append(one)
        else:
            refused[one[0]] = one[1]
    if not items:
        raise InputError(f"--tasks {args.tasks}: no problem in it can be played")
    return items, refused


def _retrievals(args: Args, items: list[tasks.Item]) -> list[retrieval.Retrieval]:
    lengths = [_number("--told", word, 1, 500) for word in cli.words(args.told)]
    settings_of = [
        "all" if word == "all" else _number("--properties", word, 1, 1000)
        for word in cli.words(args.properties)
    ]
    return list(
        retrieval.questions(items, lengths, settings_of, args.questions, args.seed, args.trajectory)
    )


def _number(option: str, word: str, low: int, high: int) -> int:
    if not word.isascii() or not word.isdigit() or not low <= int(word) <= high:
        raise InputError(f"{option} {word!r}: a whole number from {low} to {high} is needed")
    return int(word)


def _scenes(args: Args) -> list[spatial.Scene]:
    if args.scenes == "plans":
        count = args.scenes_each * len(spatial.LENGTHS)
        return spatial.plan_scenes(count, args.seed * count)
    return spatial.some_scenes(args.seed, args.scenes_each, args.board)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
