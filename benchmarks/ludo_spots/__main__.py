"""LudoBench: single Ludo decisions that show how a player weighs one aim against another.

    python -m benchmarks.ludo_spots
    python -m benchmarks.ludo_spots --policies gt,heuristic,llm --model M --base-url URL
    python -m benchmarks.ludo_spots generate --seed 7 --output my_spots

Without arguments: the random, heuristic and game-theory players on the 480 built-in boards. Results
go to ``results/ludo_spots/<time>/``: every decision, a summary, figures and a report.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from stratagym.agents import loops
from stratagym.agents.kernel_policies import KernelPolicy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import cli, records, spots
from stratagym.benchmarks.harness.begun import BEGUN, begun
from stratagym.benchmarks.harness.decisions import ask_all, ask_kernel
from stratagym.benchmarks.harness.options import ModelArgs, RunArgs
from stratagym.benchmarks.harness.policies import make_policies, settings, usage
from stratagym.benchmarks.harness.progress import progress_bar, stage
from stratagym.benchmarks.harness.spots import AS_PUBLISHED_RULES, GAME, NAME
from stratagym.benchmarks.harness.text_options import PromptArgs
from stratagym.benchmarks.harness.watching import check_answered
from stratagym.benchmarks.ludo_spots import generate as spot_maker
from stratagym.benchmarks.ludo_spots import report, run
from stratagym.benchmarks.reporting.terminal import output_console
from stratagym.envs.prompts import reader_field


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(PromptArgs, ModelArgs, RunArgs):
    benchmark = NAME

    policies: str = "random,heuristic,gt"
    """Policies, separated by commas: random, heuristic, gt, gt:DEPTH, mcts:SIMULATIONS, llm,
    llm:MODEL."""
    personas: str = "none"
    """Styles of play that language models are asked for, separated by commas, or "all": none,
    aggressive, greedy, safe, unforgiving. Built-in policies ignore them."""
    spots: str | None = None
    """A spot file, or a folder of spots_*.json; default: the 480 built-in boards."""
    categories: str | None = None
    """Only these categories, separated by commas."""
    skip_invalid: bool = False
    """Skip invalid entries and list them in the report, instead of stopping."""
    depth: int = 2
    """Search depth of gt in decisions, also as the reference of the agreement rates."""
    as_published: bool = False
    """Play and score as in the authors' released code: stacking="safe", home="exact", and a move
    out of base counts both as open and as safe."""
    system: str = "merge"
    """"merge" is one user message, as LudoBench asks; "split" puts role, rules and answer form into
    a system message, which servers cache."""
    head_to_head: int = 400
    """Two-player games for each pair of built-in policies in the win-rate matrix; 0 for none."""
    retry_transport: bool = False
    """With --resume: repeat the questions to which no reply came."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Ask policies for single Ludo decisions and report how they decide."""
    if not 1 <= args.depth <= 8:
        raise cli.InputError(f"--depth {args.depth}: a whole number from 1 to 8 is needed")
    personas, text = _personas(args.personas), args.text_options(GAME)
    policies = make_policies(GAME, args.policies, args, depth=args.depth)
    chosen, invalid = spots.load_spots(args.spots or spots.SHIPPED, skip_invalid=args.skip_invalid)
    if args.categories is not None:
        chosen = _only(chosen, cli.words(args.categories))
    rules_options = AS_PUBLISHED_RULES if args.as_published else {}
    config = {
        **settings(policies),
        "personas": personas,
        "spots": {
            "source": args.spots or "shipped",
            "entries": len(chosen),
            "sha256": run.digest(chosen),
        },
        "rules": {
            name: value
            for name, value in GAME.options_in_force(**rules_options).items()
            if name not in ("players", "seats")  # each spot's own
        },
        "as_published": args.as_published,
        "lenient": args.lenient,
        "list_legal": args.list_legal,
        "renamed": args.renamed,
        "depth": args.depth,
        "seed": args.seed,
        **(reader_field(text) if text.as_in_0_1 else {"text": text.record()}),
        BEGUN: begun(NAME, args),
    }
    (reference,) = make_policies(GAME, "gt", args, depth=args.depth)
    assert isinstance(reference, KernelPolicy)
    folder = records.open_run(NAME, args.output, config, args.resume)
    decisions = folder / "decisions.jsonl"
    kept = run.recorded(decisions, args.retry_transport)
    writer = records.JsonlWriter(decisions)
    try:
        with progress_bar() as bar:
            for policy in policies:
                styles = ["none"] if isinstance(policy, KernelPolicy) else personas
                questions = [
                    question
                    for persona in styles
                    for question in spots.questions(
                        chosen, rules_options, replace(text, persona=persona), args.seed
                    )
                    if (policy.name, persona, question.item) not in kept
                ]
                total = len(styles) * len(chosen)
                task = bar.add_task(policy.name, total=total, completed=total - len(questions))
                if isinstance(policy, KernelPolicy):
                    writer.write_all(ask_kernel(policy, questions))
                    bar.update(task, completed=total)
                elif isinstance(policy, LanguageModel):
                    loops.run(
                        ask_all(
                            policy,
                            questions,
                            writer,
                            concurrency=args.concurrency,
                            done=partial(bar.advance, task),
                        )
                    )
    finally:
        writer.close()
    with stage("comparing with chance and the reference, playing whole games"):
        summary = run.summarise(
            decisions, chosen, invalid, policies, config, reference, args.head_to_head
        )
    records.write_json(folder / "summary.json", summary)
    with stage("drawing the figures, writing the report"):
        report.write(folder, summary)
    if args.json:
        print(json.dumps(summary))
    else:
        report.screen(output_console(), summary, folder)
    check_answered(usage(records.read_decisions(folder), policies))


def _personas(text: str) -> list[str]:
    known = list(GAME.module("view").PERSONAS)
    names = known if text == "all" else cli.words(text)
    for name in names:
        if name not in known:
            raise cli.InputError(f"--personas: unknown {name!r}; choose from: {', '.join(known)}")
    return names


def _only(chosen: list[spots.Spot], categories: list[str]) -> list[spots.Spot]:
    for name in categories:
        if name not in spots.CATEGORIES:
            known = ", ".join(spots.CATEGORIES)
            raise cli.InputError(f"--categories: unknown {name!r}; choose from: {known}")
    left = [spot for spot in chosen if spot.category in categories]
    if not left:
        raise cli.InputError(f"--categories {','.join(categories)}: the spots hold none of them")
    return left


def generate(
    *,
    output: str,
    seed: Annotated[int, Parameter(help="Another seed gives other boards.")] = 0,
    per_category: Annotated[int, Parameter(help="Boards of each category.")] = 40,
) -> None:
    """Make a fresh set of validated spots, to use with --spots.

    Parameters
    ----------
    output
        Folder for the set's spots_<category>.json files.
    """
    if per_category < 1:
        raise cli.InputError(f"--per-category {per_category}: at least 1 is needed")
    folder = Path(output)
    if any(folder.glob("spots_*.json")):
        raise cli.InputError(f"--output {folder} holds spots already; name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cli.InputError(f"--output {folder}: cannot be written ({error.strerror})") from None
    with progress_bar() as bar:
        task = bar.add_task("boards", total=per_category * len(spots.CATEGORIES))
        made = spot_maker.generate(seed, per_category, lambda: bar.advance(task))
    spots.save_spots(made, folder)
    print(f"{len(made)} spots, {per_category} boards a category, seed {seed}: {folder}")


APP = cli.app(NAME, main, generate, former={"--boards": "--per-category"})

if __name__ == "__main__":
    cli.run(APP)
