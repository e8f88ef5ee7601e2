"""Tune a language model on a game, on the processor: by an expert's moves, then by its own games.

    python -m benchmarks.tune --game tictactoe
    python -m benchmarks.tune --game connect_four --expert heuristic --updates 100
    python -m benchmarks.tune reinforce RUN

Needs PyTorch, transformers and peft, pip install 'stratagym[tune]', and a model as a GGUF file.

An expert's decisions in positions of the game are the examples. A LoRA adapter of a GGUF file's
weights learns them and becomes a GGUF file again, so that ``gguf:MODEL?lora=FILE`` is a policy for
every other command. The model is rated without and with it: on positions that it was not tuned on,
in games with random play, and on the game's frozen ladder.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from cyclopts import Parameter

from stratagym.benchmarks.harness import cli, experts
from stratagym.benchmarks.harness.options import RunArgs
from stratagym.benchmarks.harness.progress import stage
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.tune import evaluation, practice_report, report, setup

NAME, REINFORCE = "tune", "tune_reinforce"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(RunArgs):
    game: str = "tictactoe"
    """The game to learn, one whose answers are single moves."""
    model: str = "smollm2"
    """A GGUF file of the Llama architecture, or a model's name: smollm2."""
    expert: str | None = None
    """The policy that is learned from; default perfect where the game has it, else heuristic."""
    positions: int = 4520
    """How many positions the expert is asked about; a tenth of them is held out."""
    rules: str = ""
    """Options of the game, such as players=2."""
    prompt: str | None = None
    """Options of prompts, such as list_legal=yes,reasoning=free; default rules=brief,
    reasoning=answer, and position=lines or position=list where the game has such a form: small
    models learn by these many times sooner than by a grid."""
    updates: int = 24
    """Updates of the adapter."""
    batch: int = 8
    """Positions of an update."""
    rate: float = 2e-3
    """Learning rate, the same in all updates."""
    rank: int = 16
    """Rank of the adapter's matrices."""
    layers: int = 20
    """How many of the model's last layers are adapted; fewer are faster."""
    every: int = 12
    """Updates between two looks at held-out positions."""
    looks: int = 32
    """Held-out positions that are looked at."""
    questions: int = 300
    """Held-out positions that the model is asked about before and after."""
    games: int = 100
    """Games against random play, before and after."""
    climb: bool = True
    """Have both climb the game's ladder."""
    untuned: bool = True
    """Rate the model without the adapter too, which is the same whatever the seed."""
    max_tokens: int = 32
    """Longest answer in tokens, before and after."""
    context: int = 1024
    """Tokens of a prompt and its answer together."""
    threads: int = 1
    """Threads that compute; a second one gains a third or so."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Tune a model by an expert's moves, and rate it before and after."""
    subject, wanted, course, lora = setup.of(NAME, args)
    setup.import_learners()
    file = setup.file_of(args.model)
    from stratagym.benchmarks.tune import supervised
    from stratagym.benchmarks.tune.learner import Learner, Tokens, load_model

    run = Run(NAME, args, setup.config_of(subject, wanted, course, lora, args))
    with stage("asking the expert"):
        given, there_are = experts.lessons(wanted, subject.game.name)
        train, held_out = setup.divided(given, course)
    with stage("loading the model"):
        tokens = Tokens(file)
        learner = Learner(load_model(file), lora, args.seed, args.threads)
    with setup.updates_bar("tuning", course.updates) as told:
        spent = supervised.train(
            learner, tokens, train, held_out, course, args.seed, run.folder, told
        )
    adapter = run.folder / setup.ADAPTER
    learner.write(adapter)
    models = [setup.player_of(subject, evaluation.UNTUNED)] if args.untuned else []
    models.append(setup.player_of(subject, evaluation.TUNED, adapter))
    positions = evaluation.ask_positions(run.folder, subject, held_out[: args.questions], models)
    played = evaluation.play(run, subject, setup.ladder_of(subject, args.climb), args.games, models)
    summary = {
        "config": run.config,
        **setup.adapter_facts(run.folder),
        "examples": {"train": len(train), "held_out": len(held_out), "there_are": there_are},
        "cpu_s": spent,
        "curve": supervised.read_curve(run.folder),
        "positions": positions,
        **played,
        "models": run.usage(),
    }
    run.finish(summary, report.write, report.screen)


@Parameter(name="*")
@dataclass(kw_only=True)
class ReinforceArgs(RunArgs):
    updates: int = 20
    """Updates of the adapter."""
    games: int = 12
    """Games of an update, rounded up so that every seed is played from every seat."""
    rate: float = 3e-4
    """Learning rate, the same in all updates."""
    opponent: str = "random"
    """The policy of all other seats."""
    forfeit: float = -2.0
    """What an answer earns that is no legal move and forfeits the game; a loss is -1."""
    regret: float | None = None
    """Times what a move gives away by the game's solver, of a result from 1 to -1; default -1 where
    the game has one, else 0, which is nothing."""
    rating_games: int = 200
    """Games for the rating before and after, on the same seeds, which are other ones."""
    threads: int = 1
    """Threads that compute."""


def reinforce(run: str, /, *, args: ReinforceArgs = ReinforceArgs()) -> None:  # noqa: B008
    """Have a tuned model play whole games and learn from what they come to, by REINFORCE.

    Parameters
    ----------
    run
        Folder of a run that tuned it, whose adapter is gone on from.
    """
    start = setup.Start.of(Path(run))
    practice, pairs = setup.practice_of(start, args)
    setup.import_learners()
    from stratagym.benchmarks.tune import practising
    from stratagym.benchmarks.tune.learner import Learner, Tokens, load_model

    config = setup.practice_config(start, practice, args)
    own = Run(REINFORCE, args, config, called=f"{NAME} reinforce {shlex.quote(run)}")
    with stage("loading the model"):
        model = load_model(start.file)
        learner = Learner(model, start.lora(args.rate), args.seed, args.threads)
        learner.read(start.adapter)
        games = practising.Games(start, practice, Tokens(start.file))
    before = practising.rated(learner, games, pairs, args.seed, own.folder / practising.BEFORE)
    with setup.updates_bar("practising", practice.updates) as told:
        spent = practising.practise(learner, games, practice, args.seed, own.folder, told)
    learner.write(own.folder / setup.ADAPTER)
    after = practising.rated(learner, games, pairs, args.seed, own.folder / practising.AFTER)
    summary = {
        "config": own.config,
        **setup.adapter_facts(own.folder),
        "cpu_s": spent,
        "curve": practising.read_curve(own.folder),
        **practising.compared(before, after, pairs),
    }
    own.finish(summary, practice_report.write, practice_report.screen)


APP = cli.app(NAME, main, reinforce)

if __name__ == "__main__":
    cli.run(APP)
