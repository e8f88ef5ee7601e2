"""Train a policy by MaskablePPO and rate it.

    python -m benchmarks.train_ppo --game connect_four
    python -m benchmarks.train_ppo --game tictactoe --opponent self,random --steps 500000
    python -m benchmarks.train_ppo throughput

The agent plays itself, its own former versions, the levels of the game's ladder or any other
policies on the vector environment. It is evaluated as it learns and rated at the end, seats
rotated; ``agent.zip`` in the run's folder is then the policy ``sb3:PATH`` everywhere. A run that
was killed goes on with ``--resume`` as if nothing had happened.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import partial
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from stratagym import envs
from stratagym.agents.core import make_policy
from stratagym.agents.ladders import Ladder, find_ladder, ladder_of
from stratagym.agents.sb3 import SB3Policy
from stratagym.benchmarks.harness import cli, records
from stratagym.benchmarks.levels import report
from stratagym.benchmarks.levels.summary import anchors
from stratagym.benchmarks.reporting.page import Page, RateCell, Table, code, count
from stratagym.benchmarks.reporting.plots import COLOURS, MARKERS, SOFT, Look, drawing, looks
from stratagym.benchmarks.speed.measuring import machine, machine_line, short
from stratagym.benchmarks.training import ppo
from stratagym.benchmarks.training.evaluation import NAME, Evaluation, resumable
from stratagym.envs import core

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXTRA = "training needs Stable-Baselines3: pip install 'stratagym[rl]'"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args:
    game: str = "connect_four"
    """The game to learn."""
    opponent: str | None = None
    """Opponents in training, separated by commas: "self" (its present and former versions),
    "ladder" (the levels of the game's ladder, those near its strength) and any policies, such as
    self,random,mcts:50; games are dealt out evenly. Default by game."""
    against: str | None = None
    """Whom it is evaluated against, separated by commas: policies, and "ladder" to climb the game's
    ladder. Default by game."""
    rules: str = ""
    """Options of the game, such as players=2."""
    steps: int | None = None
    """Decisions to learn from. Default by game."""
    envs: int | None = None
    """Games played side by side. Default by game."""
    evaluations: int = 10
    """Evaluations in the course of training."""
    eval_games: int = 100
    """Games against each policy in each of them."""
    final_games: int = 1000
    """Games against each policy after training."""
    checkpoint_seconds: float = 30.0
    """Time between checkpoints."""
    threads: int = 1
    """PyTorch's threads; networks as small as these gain little from more."""
    seed: int = 0
    """Seed of every random choice."""
    output: str | None = None
    """Folder of the run; default results/train_ppo/<time>."""
    resume: bool = False
    """Go on with the run in --output, or with the newest."""
    json: bool = False
    """Print the summary as JSON instead of tables."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Train a policy and rate it."""
    game, settings = chosen(args)
    try:
        settings, ladder = with_ladder(game, settings, args.against is None)
        rivals = {
            name: make_policy(game, name)
            for name in cli.words(settings.against)
            if name != ppo.LADDER
        }
        for name in cli.words(settings.opponent):
            if name not in (ppo.SELF, ppo.LADDER):
                make_policy(game, name)
    except (ValueError, ModuleNotFoundError) as error:
        raise cli.InputError(f"--opponent or --against: {error}") from None
    try:
        import sb3_contrib  # noqa: F401
    except ModuleNotFoundError:
        raise cli.InputError(EXTRA) from None
    config: dict[str, Any] = {
        "game": game.name,
        "rules": game.options_in_force(**settings.options),
        "settings": asdict(settings),
        "evaluations": args.evaluations,
        "eval_games": args.eval_games,
        "final_games": args.final_games,
        "threads": args.threads,
        "seed": args.seed,
    }
    if ladder is not None:
        top, ends = ladder.reachable()
        config["ladder"] = {**ladder.facts(), "highest": top}
        if ends:
            print(f"{NAME}: {ends}", file=sys.stderr)
    folder = records.open_run(NAME, args.output, config, args.resume)
    if not ppo.has_tensorboard():
        print("TensorBoard is not installed: no logs for it are written", file=sys.stderr)
    trainer = ppo.Trainer(game, settings, args.seed, folder, args.threads)
    if args.resume:
        trainer.resume()
    agent = SB3Policy("agent", trainer.actor, settings.greedy)
    climbed = ladder if ppo.LADDER in cli.words(settings.against) else None
    evaluation = Evaluation(game, config["rules"], agent, rivals, args.seed, climbed)
    train(trainer, evaluation, args)
    found = rate_finally(evaluation, args.final_games, folder)
    summary = summarise(folder, found, trainer, config)
    if climbed is not None:
        summary["anchors"] = anchors(climbed)
    records.write_json(folder / "summary.json", summary)
    draw_curve(folder, summary)
    write_report(folder, summary)
    if args.json:
        print(dumps(summary))
    else:
        screen(Console(), folder, summary)


def chosen(args: Args) -> tuple[core.GameSpec, ppo.Settings]:
    """The game and how it will be learned; raises ``InputError``."""
    try:
        game = envs.spec(args.game)
    except ValueError as error:
        raise cli.InputError(f"--game: {error}") from None
    settings = ppo.SETTINGS.get(game.name, ppo.OTHERS)
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


def with_ladder(
    game: core.GameSpec, settings: ppo.Settings, is_default: bool
) -> tuple[ppo.Settings, Ladder | None]:
    """The ladder that ``settings`` name, if they do.

    A climb by default is left out, with a line on standard error, where the game's options give
    other observations or actions than the ladder's.

    Raises:
        ValueError: there is no ladder, it is not calibrated, or it is not for these options; one
            line.
    """
    against = cli.words(settings.against)
    named = against + cli.words(settings.opponent)
    if ppo.LADDER not in named:
        return settings, None
    ladder = ladder_of(game.name)
    if ppo.LADDER in against:
        _ = ladder.calibration
        both = (game.make_rules(**options) for options in (settings.options, ladder.options))
        if len({(rules.observation_shape, rules.num_actions) for rules in both}) > 1:
            wanted = ", ".join(f"{name}={value}" for name, value in ladder.options.items())
            reason = f"{ladder.name} is for {wanted or 'the default options'}"
            if not is_default:
                raise ValueError(reason)
            print(f"{NAME}: no climb: {reason}", file=sys.stderr)
            against.remove(ppo.LADDER)
            settings = replace(settings, against=",".join(against))
    return settings, ladder if ppo.LADDER in against + cli.words(settings.opponent) else None


# --- training -------------------------------------------------------------------------------------


def train(trainer: ppo.Trainer, evaluation: Evaluation, args: Args) -> None:
    """Train to the end, with evaluations into ``evaluations.jsonl``."""
    journal = records.JsonlWriter(trainer.folder / "evaluations.jsonl")
    steps = trainer.settings.steps

    def evaluate(done: int) -> None:
        bar.update(task, description="evaluating")
        found = evaluation.in_training(done, args.eval_games)
        level = trainer.opponents.ladder_level
        journal.write({"steps": done, **asdict(trainer.spent), "met_level": level, **found})
        for name, value in figures(found, level).items():
            trainer.model.logger.record(name, value)
        trainer.model.logger.dump(done)
        bar.update(task, description="training", result=_brief(found))

    with training_bar() as bar:
        task = bar.add_task("training", total=steps, result="")
        advance = partial(_advance, bar, task, steps)
        advance(trainer.model.num_timesteps)
        try:
            trainer.learn(evaluate, args.evaluations, advance, args.checkpoint_seconds)
        finally:
            journal.close()


def _advance(bar: Progress, task: Any, steps: int, done: int) -> None:
    bar.update(task, completed=min(done, steps))


def training_bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[result]}"),
        console=Console(stderr=True),
    )


def counts_wins(rates: Iterable[dict[str, Any]]) -> bool:
    """Whether wins say all of some rates; where returns are points or money, their mean does."""
    return all("wins" in found and abs(found["mean_return"]["high"]) <= 1 for found in rates)


def figures(found: dict[str, Any], met_level: int | None) -> dict[str, float]:
    """What TensorBoard is told of an evaluation."""
    figure = "wins" if counts_wins(found["against"].values()) else "mean_return"
    told: dict[str, float | None] = {
        f"eval/{name}": rates[figure]["value"] for name, rates in found["against"].items()
    }
    if found["ladder"] is not None:
        told["eval/level"] = found["ladder"]["level_progress"]
        if found["ladder"]["rating"] is not None:
            told["eval/rating"] = found["ladder"]["rating"]["value"]
    told["train/met_level"] = met_level
    return {name: value for name, value in told.items() if value is not None}


def _brief(found: dict[str, Any]) -> str:
    if found["ladder"] is not None:
        return str(found["ladder"]["result"])
    name, rates = next(iter(found["against"].items()))
    if "wins" in rates:
        return f"{name}: won {rates['wins']['value']:.2f}, lost {rates['losses']['value']:.2f}"
    return f"{name}: {rates['mean_return']['value']:.2f}"


def rate_finally(evaluation: Evaluation, games: int, folder: Path) -> dict[str, Any]:
    """The final rating, its games in ``games.jsonl``; only those not there yet are played."""
    with training_bar() as bar:
        task = bar.add_task("rating", total=0, result="")

        def advance(planned: int, played: int) -> None:
            bar.update(task, total=(bar.tasks[task].total or 0) + planned, advance=played)

        play, journal = resumable(folder, advance)
        try:
            return evaluation.after_training(games, play)
        finally:
            journal.close()


# --- reporting -----------------------------------------------------------------------------------


def summarise(
    folder: Path, found: dict[str, Any], trainer: ppo.Trainer, config: dict[str, Any]
) -> dict[str, Any]:
    """The content of ``summary.json``; ``found`` is the final rating."""
    curve = {line["steps"]: line for line in records.read_jsonl(folder / "evaluations.jsonl")}
    spent, steps = trainer.spent, trainer.model.num_timesteps
    return {
        "config": config,
        "agent": str(folder / "agent.zip"),
        "steps": steps,
        **asdict(spent),
        "steps_per_wall_s": steps / spent.wall_s,
        "steps_per_cpu_s": steps / spent.cpu_s,
        "rules_share": spent.rules_s / spent.wall_s,
        "opponents_share": spent.opponents_s / spent.wall_s,
        **found,
        "curve": [curve[at] for at in sorted(curve)],
    }


def result_table(summary: dict[str, Any]) -> Table:
    """The final rating: games won, drawn and lost, or where it is not all or nothing, the mean."""
    against = summary["against"]
    rated = all("wins" in found for found in against.values())
    means = not counts_wins(against.values())
    columns = ["against", "won", "drawn", "lost"] if rated else ["team"]
    table = Table([*columns, *(["mean return"] if means else []), "games"])
    for name, found in against.items():
        kinds = ("wins", "draws", "losses") if rated else ()
        row: list[Any] = [code(name), *(RateCell(found[kind]) for kind in kinds)]
        if means:
            row.append(RateCell(found["mean_return"], strip=False))
        table.rows.append([*row, count(found["games"])])
    return table


def ladder_rows(summary: dict[str, Any]) -> dict[str, Any]:
    """The climb in the shape of an ``anchored_levels`` summary."""
    return {"games": {summary["config"]["game"]: {"agent": summary["ladder"]}}}


def cost_line(summary: dict[str, Any]) -> str:
    return (
        f"{count(summary['steps'])} decisions in {summary['wall_s']:.0f} s of training, "
        f"{summary['cpu_s']:.0f} CPU-seconds ({count(round(summary['steps_per_cpu_s']))} a "
        f"CPU-second); of the time, {summary['rules_share']:.1%} went into the games and "
        f"{summary['opponents_share']:.1%} into opponents."
    )


def draw_curve(folder: Path, summary: dict[str, Any]) -> None:
    """``learning_curve.png``: the evaluations in training, with their intervals."""
    curve, config = summary["curve"], summary["config"]
    rated = [line for line in curve if line.get("ladder") and line["ladder"]["rating"]]
    has_rates = bool(curve[0]["against"])
    panels = has_rates + bool(rated)
    with drawing(folder, "learning_curve", 7.2, 0.6 + 3.2 * panels) as figure:
        axes = figure.subplots(panels, sharex=True, squeeze=False)[:, 0]
        if has_rates:
            draw_rates(axes[0], curve)
        if rated:
            draw_ratings(axes[-1], rated, summary["anchors"])
        axes[-1].set_xlabel("decisions learned from")
        axes[-1].xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        axes[0].set_title(
            f"{config['game']}, opponent {config['settings']['opponent']}, seed {config['seed']}"
        )


def draw_rates(axes: Axes, curve: list[dict[str, Any]]) -> None:
    """Games won against every rival, or what the agent gained on average."""
    names = list(curve[0]["against"])
    team = "wins" not in curve[0]["against"][names[0]]
    wins = counts_wins(found for line in curve for found in line["against"].values())
    look = looks(names, names)
    for name in names:
        points = [
            (line["steps"], line["against"][name]["wins" if wins else "mean_return"])
            for line in curve
            if name in line["against"]
        ]
        draw_line(axes, points, look[name])
    axes.set_ylabel("games won" if wins else "mean score" if team else "mean return")
    if wins:
        axes.set_ylim(0, 1.02)
    axes.legend(title="with" if team else "against")


def draw_ratings(axes: Axes, curve: list[dict[str, Any]], anchors: dict[str, Any]) -> None:
    """Ratings on the ladder's scale, with its levels as lines up to the first above them all."""
    draw_line(
        axes,
        [(line["steps"], line["ladder"]["rating"]) for line in curve],
        Look("agent", COLOURS[0], MARKERS[0]),
    )
    highest = max(line["ladder"]["rating"]["high"] for line in curve)
    for level, names in enumerate(anchors["levels"]):
        at = sum(anchors["ratings"][name] for name in names) / len(names)
        axes.axhline(at, color=SOFT, linewidth=0.8, linestyle=":")
        axes.annotate(
            f"Lv{level}", (1, at), (4, 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", va="center", fontsize=8, color=SOFT,
        )  # fmt: skip
        if at > highest:
            break
    axes.set_ylabel("rating on the ladder")


def draw_line(axes: Axes, points: list[tuple[int, dict[str, Any]]], look: Look) -> None:
    """Rates over steps as a line, their intervals as a band around it."""
    at, found = [steps for steps, _ in points], [rate for _, rate in points]
    axes.plot(at, [rate["value"] for rate in found], color=look.colour, marker=look.marker,
              markersize=4, label=look.label)  # fmt: skip
    axes.fill_between(at, [rate["low"] for rate in found], [rate["high"] for rate in found],
                      color=look.colour, alpha=0.15, linewidth=0)  # fmt: skip
    axes.grid(axis="y")


def write_report(folder: Path, summary: dict[str, Any]) -> None:
    """Write ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        f"PPO on {envs.spec(config['game']).title}",
        f"Trained against {code(config['settings']['opponent'])}, seed {config['seed']}.",
    )
    page.heading("Rating after training")
    greedy = config["settings"]["greedy"]
    page.text(
        ("It plays its likeliest move. " if greedy else "It draws its moves. ")
        + "Every seed is played once in each seat. Intervals are 95%, from resampling seeds; "
        "games that are alike move by move count as one case."
    )
    if summary["against"]:
        page.table(result_table(summary))
    page.text(cost_line(summary))
    if summary["ladder"]:
        write_climb(page, summary)
    page.heading("Learning curve")
    page.figure(folder / "learning_curve.png", "Evaluations in training with 95% intervals.",
                "Learning curve")  # fmt: skip
    page.write(folder)


def write_climb(page: Page, summary: dict[str, Any]) -> None:
    """The climb up the ladder, as ``anchored_levels`` reports it."""
    game, rows = summary["config"]["game"], ladder_rows(summary)
    facts = summary["config"]["ladder"]
    page.heading("Level on the ladder")
    highest, top = facts["highest"], len(facts["levels"]) - 1
    ends = "" if highest == top else f", of which levels up to {highest} can be played here"
    page.text(f"{code(facts['ladder'])}, levels 0 to {top}{ends}. The climb is that of "
              "`anchored_levels`: a level is passed with half of the decided games, on a ladder of "
              "scores with its mean score.")  # fmt: skip
    page.table(report.level_table(rows, game))
    if facts["measure"] == "score":
        page.table(report.score_table(rows, game), "The levels' own teams on the same seeds")
    else:
        page.table(report.opponent_table(rows, game), "Who was met")


def screen(console: Console, folder: Path, summary: dict[str, Any]) -> None:
    """Print the final tables."""
    policy, game = f"sb3:{folder / 'agent.zip'}", summary["config"]["game"]
    if summary["against"]:
        console.print(result_table(summary).rich(f"{game}: rating"))
    if summary["ladder"]:
        ladder = summary["config"]["ladder"]["ladder"]
        console.print(report.level_table(ladder_rows(summary), game).rich(ladder))
    console.print(cost_line(summary), soft_wrap=True, highlight=False)
    console.print(f"Policy: {policy}", soft_wrap=True, highlight=False)
    if not summary["ladder"] and find_ladder(game):
        console.print(
            f"Its level: python -m benchmarks.anchored_levels --game {game} --policy {policy}",
            soft_wrap=True,
            highlight=False,
        )
    console.print(f"Report: {folder / 'report.html'}", soft_wrap=True, highlight=False)


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
        from stratagym.benchmarks.training import throughput

        found = throughput.measure(seconds, repeats, steps)
    except ModuleNotFoundError as error:
        raise cli.InputError(
            f"{error.name} is not installed: pip install 'stratagym[rl]' 'pettingzoo[classic]'"
        ) from None
    found["machine"] = machine()
    if json:
        print(dumps(found))
        return
    table = Table(["", "delivered", "min", "max", "training", "environment's share"])
    for name, rates in found["delivered"].items():
        learned = found["training"][name]
        table.rows.append(
            [
                name,
                *(short(rates[key]) for key in ("median", "min", "max")),
                short(learned["decisions_per_cpu_s"]),
                f"{learned['environment_share']:.1%}",
            ]
        )
    ratio = found["ratio"]
    console = Console(highlight=False, markup=False)
    console.print(machine_line(found["machine"]), table.rich(), sep="\n")
    console.print(
        f"Decisions a CPU-second with {found['games_side_by_side']} games side by side. Delivered "
        f"by ours over DummyVecEnv: {ratio['median']:.1f}x ({ratio['min']:.1f} to "
        f"{ratio['max']:.1f} in {repeats} repeats).",
        soft_wrap=True,
    )


APP = cli.app(NAME, main, throughput)

if __name__ == "__main__":
    cli.run(APP)
