"""The two parts of a run, training with evaluations and the final rating, each with its bar."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from stratagym.benchmarks.harness import records
from stratagym.benchmarks.harness.progress import progress_bar
from stratagym.benchmarks.train_ppo import ppo, report
from stratagym.benchmarks.train_ppo.evaluation import Evaluation, resumable


def train(
    trainer: ppo.Trainer,
    evaluation: Evaluation,
    evaluations: int,
    eval_games: int,
    checkpoint_seconds: float,
) -> None:
    """Train to the end, with evaluations into ``evaluations.jsonl``.

    Args:
        evaluations: how many. eval_games: of each, against each policy.
        checkpoint_seconds: time between checkpoints.
    """
    writer = records.JsonlWriter(trainer.folder / "evaluations.jsonl")
    steps = trainer.settings.steps

    def evaluate(done: int) -> None:
        bar.update(task, description="evaluating")
        found = evaluation.in_training(done, eval_games)
        level = trainer.opponents.ladder_level
        writer.write({"steps": done, **asdict(trainer.spent), "met_level": level, **found})
        for name, value in report.figures(found, level).items():
            trainer.model.logger.record(name, value)
        trainer.model.logger.dump(done)
        bar.update(task, description="training", result=report.brief(found))

    with training_bar() as bar:
        task = bar.add_task("training", total=steps, result="")
        advance = partial(_advance, bar, task, steps)
        advance(trainer.model.num_timesteps)
        try:
            trainer.learn(evaluate, evaluations, advance, checkpoint_seconds)
        finally:
            writer.close()


def _advance(bar: Progress, task: Any, steps: int, done: int) -> None:
    bar.update(task, completed=min(done, steps))


def training_bar() -> Progress:
    """A bar that counts decisions or games, on standard error, with a last ``result``."""
    return progress_bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[result]}", markup=False),
    )


def rate_finally(evaluation: Evaluation, games: int, folder: Path) -> dict[str, Any]:
    """The final rating, its games in ``games.jsonl``; only those not there yet are played."""
    with training_bar() as bar:
        task = bar.add_task("rating", total=0, result="")

        def advance(planned: int, played: int) -> None:
            bar.update(task, total=(bar.tasks[task].total or 0) + planned, advance=played)

        play, writer = resumable(folder, advance)
        try:
            return evaluation.after_training(games, play)
        finally:
            writer.close()
