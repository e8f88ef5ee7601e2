"""Train a policy by MaskablePPO and rate it.

    python -m benchmarks.train_ppo --game connect_four
    python -m benchmarks.train_ppo --game tictactoe --opponent self,random --steps 500000
    python -m benchmarks.train_ppo throughput

Needs Stable-Baselines3, pip install 'stratagym[rl]'; throughput also 'pettingzoo[classic]'.

The agent plays against itself, its own former versions, the levels of the game's ladder or any
other policies on the vector environment. It is evaluated during training and rated at the end, with
seats rotated. ``agent.zip`` in the run's folder is the policy ``sb3:PATH`` for every other command.
``--resume`` continues a run that was killed, with exactly the same results.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from json import dumps
from typing import Annotated, Any

from cyclopts import Parameter

from stratagym import envs
from stratagym.agents.core import make_policy
from stratagym.agents.sb3 import SB3Policy
from stratagym.benchmarks.harness import cli, records
from stratagym.benchmarks.harness.begun import BEGUN, begun
from stratagym.benchmarks.harness.climb_summary import anchors
from stratagym.benchmarks.harness.measuring import machine
from stratagym.benchmarks.harness.options import RunArgs
from stratagym.benchmarks.harness.policies import begun_players, versions
from stratagym.benchmarks.reporting.terminal import output_console, say
from stratagym.benchmarks.train_ppo import ppo, report, run
from stratagym.benchmarks.train_ppo.evaluation import NAME, Evaluation, with_ladder
from stratagym.benchmarks.train_ppo.start import Start
from stratagym.envs import core

EXTRA = "training needs Stable-Baselines3: pip install 'stratagym[rl]'"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(RunArgs):
    game: str = "connect_four"
    """The game to learn."""
    opponent: str | None = None
    """Opponents in training, separated by commas: "self" (its present and former versions),
    "ladder" (the levels of the game's ladder near its strength) and any policies, such as
    self,random,mcts:50; games are divided evenly among them. Default by game."""
    against: str | None = None
    """Opponents in evaluations, separated by commas: policies, and "ladder" to climb the game's
    ladder. Default by game."""
    from_: Annotated[str | None, Parameter("--from")] = None
    """Go on from an agent: sb3, the one that comes with the game, or an agent file. Its network
    replaces the game's own; where the file has no critic a new one learns alone for the first tenth
    of the decisions."""
    rules: str = ""
    """Options of the game, such as players=2."""
    steps: int | None = None
    """Decisions to learn from. Default by game."""
    envs: int | None = None
    """Games played side by side. Default by game."""
    evaluations: int = 10
    """Number of evaluations during training."""
    eval_games: int = 100
    """Games against each policy in each evaluation."""
    final_games: int = 1000
    """Games against each policy after training."""
    checkpoint_seconds: float = 30.0
    """Seconds between checkpoints."""
    threads: int = 1
    """PyTorch's threads; small networks gain little from more threads."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Train a policy and rate it."""
    game, settings = chosen(args)
    old = records.begun_config(NAME, args.output) if args.resume else {}
    try:
        settings, ladder = with_ladder(game, settings, args.against is None, old.get("ladder"))
        named = [
            make_policy(game, name)
            for name in cli.words(f"{settings.against},{settings.opponent}")
            if name not in (ppo.SELF, ppo.LADDER)
        ]
    except (ValueError, ModuleNotFoundError) as error:
        raise cli.InputError(f"--opponent or --against: {error}") from None
    try:
        import sb3_contrib  # noqa: F401
    except ModuleNotFoundError:
        raise cli.InputError(EXTRA) from None
    start = None if args.from_ is None else Start(game, args.from_, settings)
    if start is not None:
        settings = start.settings
        say(f"{NAME}: goes on from {start.name}; its critic is {start.critic}")
    config: dict[str, Any] = {
        **versions(named),
        "game": game.name,
        "rules": game.options_in_force(**settings.options),
        "settings": asdict(settings),
        "evaluations": args.evaluations,
        "eval_games": args.eval_games,
        "final_games": args.final_games,
        "threads": args.threads,
        "seed": args.seed,
        BEGUN: begun(NAME, args),
    }
    if start is not None:
        config["from"] = start.record()
    if ladder is not None:
        top, ends = ladder.reachable()
        config["ladder"] = {**ladder.facts(), "highest": top}
        if ends:
            say(f"{NAME}: {ends}")
    players = begun_players(config, old) if args.resume else {}
    rivals = {
        name: make_policy(game, players.get(name, name))
        for name in cli.words(settings.against)
        if name != ppo.LADDER
    }
    opponents = [players.get(name, name) for name in cli.words(settings.opponent)]
    learned = replace(settings, opponent=",".join(opponents))
    folder = records.open_run(NAME, args.output, config, args.resume)
    if not ppo.has_tensorboard():
        print("TensorBoard is not installed: no logs for it are written", file=sys.stderr)
    trainer = ppo.Trainer(game, learned, args.seed, folder, args.threads, ladder, start)
    if args.resume:
        trainer.resume()
    agent = SB3Policy("agent", trainer.actor, settings.greedy)
    climbed = ladder if ppo.LADDER in cli.words(settings.against) else None
    evaluation = Evaluation(game, config["rules"], agent, rivals, args.seed, climbed)
    run.train(trainer, evaluation, args.evaluations, args.eval_games, args.checkpoint_seconds)
    found = run.rate_finally(evaluation, args.final_games, folder)
    summary = report.summarise(folder, found, trainer, config)
    if climbed is not None:
        summary["anchors"] = anchors(climbed)
    records.write_json(folder / "summary.json", summary)
    report.draw_curve(folder, summary)
    report.write(folder, summary)
    if args.json:
        print(dumps(summary))
    else:
        report.screen(output_console(), folder, summary)


def chosen(args: Args) -> tuple[core.GameSpec, ppo.Settings]:
    """The game and how it will be learned; raises ``InputError``."""
    try:
        game = envs.spec(args.game)
    except ValueError as error:
        raise cli.InputError(f"--game: {error}") from None
    settings = ppo.settings_of(game)
    options = settings.options | cli.pairs("--rules", args.rules)
    try:
        options = {name: game.options_in_force(**options)[name] for name in options}
    except ValueError as error:
        raise cli.InputError(f"--rules: {error}") from None
    names = ("steps", "envs", "opponent", "against")
    given: dict[str, Any] = {name: getattr(args, name) for name in names}
    given = {name: value for name, value in given.items() if value is not None}
    settings = replace(settings, options=options, **given)
    numbers = {
        "--steps": settings.steps, "--envs": settings.envs, "--evaluations": args.evaluations,
        "--eval-games": args.eval_games, "--final-games": args.final_games,
        "--threads": args.threads,
    }  # fmt: skip
    for name, value in numbers.items():
        if value < 1:
            raise cli.InputError(f"{name} {value}: at least 1 is needed")
    for name in ("opponent", "against"):
        if not cli.words(getattr(settings, name)):
            raise cli.InputError(f"--{name}: name at least one policy")
    if (settings.envs * settings.rollout) % settings.batch:
        batch = settings.envs * settings.rollout
        settings = replace(settings, batch=min(batch, settings.batch))
    return game, settings


def throughput(
    *,
    seconds: float = 2.0,
    repeats: int = 5,
    steps: int = 50_000,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Measure how fast SB3 is fed on connect four, beside its DummyVecEnv over PettingZoo.

    Args:
        seconds: Length of one repeat.
        repeats: Repeats of each measurement; medians are shown.
        steps: Decisions to learn from where training is measured.
        json: Print one JSON document instead of tables.
    """
    if not seconds > 0 or repeats < 1 or steps < 1:
        raise cli.InputError("--seconds, --repeats and --steps: more than 0 is needed")
    try:
        from stratagym.benchmarks.train_ppo import throughput

        found = throughput.measure(seconds, repeats, steps)
    except ModuleNotFoundError as error:
        raise cli.InputError(
            f"{error.name} is not installed: pip install 'stratagym[rl]' 'pettingzoo[classic]'"
        ) from None
    found["machine"] = machine()
    if json:
        print(dumps(found))
        return
    throughput.screen(found, repeats)


APP = cli.app(NAME, main, throughput)

if __name__ == "__main__":
    cli.run(APP)
