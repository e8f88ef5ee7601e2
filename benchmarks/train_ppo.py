"""Train a policy by MaskablePPO and rate it.

    python -m benchmarks.train_ppo --game connect_four
    python -m benchmarks.train_ppo --game tictactoe --opponent self,random --steps 500000
    python -m benchmarks.train_ppo throughput

The agent plays itself, its own former versions or any other policies on the vector environment.
It is evaluated as it learns and rated at the end, seats rotated; ``agent.zip`` in the run's folder
is then the policy ``sb3:PATH`` everywhere. A run that was killed goes on with ``--resume`` as if
nothing had happened.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from functools import partial
from json import dumps
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from stratagym import envs
from stratagym.agents.core import Policy, make_policy
from stratagym.agents.ladders import find_ladder
from stratagym.agents.sb3 import SB3Policy
from stratagym.benchmarks import cli, ppo, records
from stratagym.benchmarks.batched import play_batched
from stratagym.benchmarks.report import Page, RateCell, Table, code, count, drawing, looks
from stratagym.benchmarks.runner import Match, item_seed
from stratagym.benchmarks.stats import Rate, bootstrap_mean, wilson
from stratagym.benchmarks.throughput import machine, machine_line, short
from stratagym.envs import core

NAME = "train_ppo"
EXTRA = "training needs Stable-Baselines3: pip install 'stratagym[rl]'"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args:
    game: str = "connect_four"
    """The game to learn."""
    opponent: str | None = None
    """Opponents in training, separated by commas: "self" (its present and former versions) and
    any policies, such as self,random,mcts:50; games are dealt out evenly. Default by game."""
    against: str | None = None
    """Policies that it is evaluated against, separated by commas. Default by game."""
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
        rivals = {name: make_policy(game, name) for name in cli.words(settings.against)}
        for name in cli.words(settings.opponent):
            if name != ppo.SELF:
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
    folder = records.open_run(NAME, args.output, config, args.resume)
    if not ppo.has_tensorboard():
        print("TensorBoard is not installed: no logs for it are written", file=sys.stderr)
    trainer = ppo.Trainer(game, settings, args.seed, folder, args.threads)
    if args.resume:
        trainer.resume()
    agent = SB3Policy("sb3", trainer.actor, settings.greedy)
    evaluation = Evaluation(game, config["rules"], agent, rivals, args.seed)
    train(trainer, evaluation, args)
    rate_finally(evaluation, args.final_games, folder)
    summary = summarise(folder, evaluation, trainer, config)
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


# --- evaluation ----------------------------------------------------------------------------------


@dataclass
class Evaluation:
    """Games of an agent against each rival, every seed once with the agent in each seat.

    Where all seats share one return there is also a team of the agent alone, named ``self``.
    """

    game: core.GameSpec
    options: dict[str, Any]
    agent: Policy
    rivals: dict[str, Policy]
    seed: int

    def __post_init__(self) -> None:
        self.rules = self.game.make_rules(**self.options)
        self.is_team_game = self.game.utility == "identical"

    def pairings(self) -> dict[str, Policy]:
        """Who fills the other seats, by name."""
        return {ppo.SELF: self.agent, **self.rivals} if self.is_team_game else self.rivals

    def matches(self, games: int, purpose: str) -> list[Match]:
        """At least ``games`` of every pairing; whole rounds of seats."""
        seats = range(self.rules.num_players)
        found = []
        for name, rival in self.pairings().items():
            seatings = [[self.agent if seat == own else rival for seat in seats] for own in seats]
            if rival is self.agent:
                seatings = seatings[:1]
            for k in range(-(-games // len(seatings))):
                seed = item_seed(self.seed, self.game.name, purpose, str(k))
                found += [
                    Match(NAME, f"{purpose}/{name}/{k}/{place}", self.game, self.rules,
                          self.options, seed, seating)
                    for place, seating in enumerate(seatings)
                ]  # fmt: skip
        return found

    def results(self, played: list[dict[str, Any]]) -> dict[str, Any]:
        """Rates of each pairing, from the records of whole rounds.

        Intervals resample rounds (the games of one seed); rounds that are alike move by move are
        one case.
        """
        rounds: dict[str, dict[str, list[dict[str, Any]]]] = {}
        for record in played:
            head, k, _ = record["match"].rsplit("/", 2)
            pairing = head.partition("/")[2]
            rounds.setdefault(pairing, {}).setdefault(k, []).append(record)
        return {pairing: self._rates(list(own.values())) for pairing, own in rounds.items()}

    def _rates(self, rounds: list[list[dict[str, Any]]]) -> dict[str, Any]:
        kinds: dict[Any, int] = {}
        points, clusters, plies = [], [], []
        for own in rounds:
            key = tuple(tuple(record["actions"]) for record in own)
            cluster = kinds.setdefault(key, len(kinds))
            for record in own:
                seat = int(record["match"].rsplit("/", 1)[1])
                points.append(record["returns"][seat])
                clusters.append(cluster)
                plies.append(record["plies"])
        x, labels = np.array(points), np.array(clusters)
        found = {
            "games": len(x),
            "different_rounds": len(kinds),
            "plies": float(np.mean(plies)),
            "mean_return": bootstrap_mean(x, labels).record(),
        }
        if not self.is_team_game:
            found["wins"] = share(x > 0, labels).record()
            found["draws"] = share(x == 0, labels).record()
            found["losses"] = share(x < 0, labels).record()
        return found


def share(hits: np.ndarray, clusters: np.ndarray) -> Rate:
    """Share of ``hits`` (N,) bool with its interval from resampling clusters.

    Where all or none are hits, resampling would give no width: Wilson's then, a cluster one case.
    """
    if 0 < hits.sum() < len(hits):
        return bootstrap_mean(hits, clusters)
    n = len(np.unique(clusters))
    return replace(wilson(n if hits.any() else 0, n), n=len(hits))


RATES = ("mean_return", "wins", "draws", "losses")


def train(trainer: ppo.Trainer, evaluation: Evaluation, args: Args) -> None:
    """Train to the end, with evaluations into ``evaluations.jsonl``."""
    journal = records.Journal(trainer.folder / "evaluations.jsonl")
    steps = trainer.settings.steps

    def evaluate(done: int) -> None:
        bar.update(task, description="evaluating")
        played = play_batched(evaluation.matches(args.eval_games, f"eval {done}"))
        results = evaluation.results(played)
        journal.write({"steps": done, **asdict(trainer.spent), "against": results})
        for name, found in results.items():
            figure = "mean_return" if evaluation.is_team_game else "wins"
            trainer.model.logger.record(f"eval/{name}", found[figure]["value"])
        trainer.model.logger.dump(done)
        first = next(iter(results.values()))
        bar.update(task, description="training", result=_brief(first, next(iter(results))))

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


def _brief(found: dict[str, Any], name: str) -> str:
    if "wins" in found:
        return f"{name}: won {found['wins']['value']:.2f}, lost {found['losses']['value']:.2f}"
    return f"{name}: {found['mean_return']['value']:.2f}"


def rate_finally(evaluation: Evaluation, games: int, folder: Path) -> None:
    """Play what is missing of the final games into ``games.jsonl``, a few at a time.

    As many are played with a random policy in the agent's place: the level of chance.
    """
    path = folder / "games.jsonl"
    finished = {record["match"] for record in records.read_jsonl(path)}
    by_chance = replace(evaluation, agent=make_policy(evaluation.game, "random"))
    planned = evaluation.matches(games, "final") + by_chance.matches(games, "chance")
    missing = [match for match in planned if match.name not in finished]
    journal = records.Journal(path)
    with training_bar() as bar:
        task = bar.add_task("rating", total=len(missing), result="")
        try:
            for start in range(0, len(missing), 200):
                part = missing[start : start + 200]
                journal.write_all(play_batched(part, partial(bar.advance, task)))
        finally:
            journal.close()


def final_rates(evaluation: Evaluation, folder: Path) -> dict[str, Any]:
    """The final rates with their levels of chance."""
    played: dict[str, list[dict[str, Any]]] = {"final": [], "chance": []}
    for record in records.read_jsonl(folder / "games.jsonl"):
        played[record["match"].partition("/")[0]].append(record)
    against, chance = (evaluation.results(played[kind]) for kind in ("final", "chance"))
    for name, found in against.items():
        for kind in set(RATES) & set(found):
            found[kind]["chance"] = chance[name][kind]["value"]
    return against


# --- reporting -----------------------------------------------------------------------------------


def summarise(
    folder: Path, evaluation: Evaluation, trainer: ppo.Trainer, config: dict[str, Any]
) -> dict[str, Any]:
    """The content of ``summary.json``, from the records on disk."""
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
        "against": final_rates(evaluation, folder),
        "curve": [curve[at] for at in sorted(curve)],
    }


def result_table(summary: dict[str, Any]) -> Table:
    """The final rating: games won, drawn and lost, or where it is not all or nothing, the mean."""
    against = summary["against"]
    rated = all("wins" in found for found in against.values())
    means = any(abs(found["mean_return"]["high"]) > 1 for found in against.values())
    columns = ["against", "won", "drawn", "lost"] if rated else ["team"]
    table = Table([*columns, *(["mean return"] if means else []), "games"])
    for name, found in against.items():
        kinds = ("wins", "draws", "losses") if rated else ()
        row: list[Any] = [code(name), *(RateCell(found[kind]) for kind in kinds)]
        if means:
            row.append(RateCell(found["mean_return"], strip=False))
        table.rows.append([*row, count(found["games"])])
    return table


def cost_line(summary: dict[str, Any]) -> str:
    return (
        f"{count(summary['steps'])} decisions in {summary['wall_s']:.0f} s of training, "
        f"{summary['cpu_s']:.0f} CPU-seconds ({count(round(summary['steps_per_cpu_s']))} a "
        f"CPU-second); of the time, {summary['rules_share']:.1%} went into the games and "
        f"{summary['opponents_share']:.1%} into opponents."
    )


def draw_curve(folder: Path, summary: dict[str, Any]) -> None:
    """``learning_curve.png``: the evaluations in training, with their intervals."""
    curve = summary["curve"]
    names = list(curve[0]["against"])
    team = "wins" not in curve[0]["against"][names[0]]
    figure_of = "mean_return" if team else "wins"
    look = looks(names, names)
    with drawing(folder, "learning_curve", 7.2, 3.8) as figure:
        axes = figure.subplots()
        for name in names:
            points = [
                (line["steps"], line["against"][name][figure_of])
                for line in curve
                if name in line["against"]
            ]
            at = [steps for steps, _ in points]
            axes.plot(at, [rate["value"] for _, rate in points], color=look[name].colour,
                      marker=look[name].marker, markersize=4, label=look[name].label)  # fmt: skip
            axes.fill_between(at, [rate["low"] for _, rate in points],
                              [rate["high"] for _, rate in points],
                              color=look[name].colour, alpha=0.15, linewidth=0)  # fmt: skip
        axes.set_xlabel("decisions learned from")
        axes.set_ylabel("mean score" if team else "games won")
        if not team:
            axes.set_ylim(0, 1.02)
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        axes.grid(axis="y")
        axes.legend(title="with" if team else "against")
        settings = summary["config"]["settings"]
        axes.set_title(
            f"{summary['config']['game']}, opponent {settings['opponent']}, "
            f"seed {summary['config']['seed']}"
        )


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
    page.table(result_table(summary))
    page.text(cost_line(summary))
    page.heading("Learning curve")
    page.figure(folder / "learning_curve.png", "Evaluations in training with 95% intervals.",
                "Learning curve")  # fmt: skip
    page.write(folder)


def screen(console: Console, folder: Path, summary: dict[str, Any]) -> None:
    """Print the final tables."""
    console.print(result_table(summary).rich(f"{summary['config']['game']}: rating"))
    console.print(cost_line(summary), soft_wrap=True, highlight=False)
    policy, game = f"sb3:{folder / 'agent.zip'}", summary["config"]["game"]
    console.print(f"Policy: {policy}", soft_wrap=True, highlight=False)
    if find_ladder(game):
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
        from stratagym.benchmarks import ppo_throughput

        found = ppo_throughput.measure(seconds, repeats, steps)
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
