"""What language models are asked in a run: whole plans or single actions, facts, places, probes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import records
from stratagym.benchmarks.harness.decisions import Answered, Question, ask_all
from stratagym.benchmarks.planning import plans, probe, retrieval, spatial, stepwise, tasks
from stratagym.benchmarks.planning.plans import NAME
from stratagym.envs.text import TextOptions


async def ask_model(
    model: LanguageModel,
    args: Any,
    text: TextOptions,
    writer: records.JsonlWriter,
    answered: Answered,
    folder: Path,
    items: list[tasks.Item],
    facts: list[retrieval.Retrieval],
    places: list[spatial.Scene],
    bar: Any,
) -> None:
    """Ask a language model everything.

    Args:
        args: options of the command. answered: recorded answers, which are not asked for again.
        folder: of the run. bar: shows how far it is.
    """
    asked = questions(args, text, [] if args.steps else items, facts, places)
    ask = partial(ask_all, model, writer=writer, concurrency=args.concurrency, answered=answered)
    if asked:
        done = partial(bar.advance, bar.add_task(model.name, total=len(asked)))
        await ask(asked, done=done)
    if args.steps and items:
        done = partial(bar.advance, bar.add_task(f"{model.name}, steps", total=len(items)))
        await stepwise.ask_steps(
            model, items, text, writer, seed=args.seed, tries=args.tries,
            concurrency=args.concurrency, answered=answered, done=done,
        )  # fmt: skip
    if args.probe:
        by_name = {item.name: item for item in items}
        taken = [*map(dict, records.read_decisions(folder))]
        found, _ = probe.probes(taken, by_name, model.name, args.seed)
        asked = [
            Question(
                NAME, one.name, tasks.GAME, None, None, args.seed, None, text,
                extra={"task": probe.TASK, "asked": len(one.facts)}, inquiry=one.inquiry(text),
            )
            for one in found
        ]  # fmt: skip
        if asked:
            await ask(asked, done=lambda: None)


def questions(
    args: Any,
    text: TextOptions,
    items: list[tasks.Item],
    facts: list[retrieval.Retrieval],
    places: list[spatial.Scene],
) -> list[Question]:
    """All questions for a language model."""
    found = [plans.question(item, args.seed, text, args.one_shot) for item in items]
    others = [("retrieve", one.name, one.inquiry()) for one in facts]
    others += [("spatial", one.name, spatial.inquiry(one)) for one in places]
    for task, name, inquiry in others:
        found.append(
            Question(
                NAME, name, tasks.GAME, None, None, args.seed, None, text,
                extra={"task": task}, inquiry=inquiry,
            )
        )  # fmt: skip
    return found
