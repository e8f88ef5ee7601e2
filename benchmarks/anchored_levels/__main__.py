"""Absolute skill: policies climb a frozen ladder of opponents, as in BotzoneBench.

    python -m benchmarks.anchored_levels
    python -m benchmarks.anchored_levels --game chess --policies llm:M --base-url URL
    python -m benchmarks.anchored_levels --game ludo,chess --policies random,heuristic,mcts:200
    python -m benchmarks.anchored_levels calibrate --game connect_four

Every game has a ladder: level 0 is random play, and each level wins 70 to 90% of its decided games
against the level below. A policy plays the levels from the bottom until it wins fewer than half of
its decided games. The policy's level is the first that it did not pass; its progress is twice its
win rate there.

Source: BotzoneBench (Li et al.), with fixed seeds, intervals, ratings and early stops added.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cyclopts import Parameter

from stratagym.agents.core import make_policy
from stratagym.agents.ladders import Ladder, ladder_of, laddered
from stratagym.benchmarks.anchored_levels import calibration, report
from stratagym.benchmarks.harness import cli, workers
from stratagym.benchmarks.harness import climb_setup as setup
from stratagym.benchmarks.harness.climb import Plan, new_plan
from stratagym.benchmarks.harness.climb_summary import climb_and_report, summarise
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.options import ExecutorArgs
from stratagym.benchmarks.harness.progress import progress_bar
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.schedules import Records
from stratagym.benchmarks.reporting.terminal import say
from stratagym.envs import spec

NAME = "anchored_levels"
USUAL = ("random", "heuristic", "alphabeta:4", "mcts:200")


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(setup.ClimbArgs):
    benchmark = NAME

    game: str = "connect_four"
    """Games, separated by commas, or "all" games with a ladder; chess/ladder-v1 names an earlier
    ladder."""
    policies: str | None = None
    """Policies, separated by commas. Default: those of random, heuristic, alphabeta:4 and mcts:200
    that the games have."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Rate policies on the ladders of games."""
    begun = setup.begun_on(NAME, args.output) if args.resume else {}
    ladders = {
        game: setup.same_ladder(ladder, begun.get(game))
        for game, ladder in setup.find_ladders(args.game).items()
    }
    plans = {game: _plan(ladder, args) for game, ladder in ladders.items()}
    words = usual_policies(list(ladders)) if args.policies is None else args.policies
    policies = setup.find_policies(list(ladders), words, args)
    named = setup.by_name(policies)
    run = Run(NAME, args, setup.config_of(plans, named, args.seed), setup.models_of(named))
    climb_and_report(run, plans, policies, summarise, report)


def usual_policies(games: list[str]) -> str:
    """The policies that climb where none are named; says which no game has."""
    kept = [name for name in USUAL if any(_plays(game, name) for game in games)]
    missing = [name for name in USUAL if name not in kept]
    if missing:
        say(
            f"{NAME}: no {' and no '.join(missing)} plays {' or '.join(games)}; "
            f"--policies is {','.join(kept)}"
        )
    return ",".join(kept)


def _plays(game: str, name: str) -> bool:
    with suppress(ValueError):
        return bool(make_policy(spec(game), name))
    return False


def _plan(ladder: Ladder, args: Args) -> Plan:
    setup.check_games(args.games)
    _, ends = ladder.reachable()
    if ends:
        say(f"{NAME}: {ends}")
    rules = ladder.game.make_rules(**ladder.options)
    protocol = args.answer_protocol(ladder.game, rules)
    return new_plan(NAME, ladder, args.seed, protocol, args.games, args.early_stop)


@Parameter(name="*")
@dataclass(kw_only=True)
class CalibrateArgs(ExecutorArgs):
    game: str = "all"
    """Games, separated by commas, or "all" games with a ladder."""
    games: int = calibration.GAMES
    """Games of every pairing, rounded up so that every seed is played from every seat."""
    seed: int = 0
    """Seed of the set of seeds that every pairing plays."""
    freeze: bool = False
    """Store the results beside the ladder, which must not change from then on."""
    check: int = field(default=0)
    """Only replay this many seeds of every frozen pairing and compare game by game."""
    output: str | None = None
    """Folder of the records, which a later call continues; default a temporary folder."""


def calibrate(args: CalibrateArgs = CalibrateArgs()) -> None:  # noqa: B008
    """Measure every pair of neighbouring levels, and print the table of the documentation."""
    names = laddered() if args.game.strip() == "all" else cli.words(args.game)
    try:
        ladders = [ladder_of(name) for name in names]
    except ValueError as error:
        raise cli.InputError(f"--game: {error}") from None
    cli.count("--games", args.games, least=setup.FEWEST)
    cli.count("--check", args.check, least=0)
    failed = False
    for ladder in ladders:
        with tempfile.TemporaryDirectory() as nowhere:
            folder = Path(args.output or nowhere) / ladder.game.name
            folder.mkdir(parents=True, exist_ok=True)
            failed |= not _calibrate(ladder, args, folder)
    if failed:
        sys.exit(1)


def _calibrate(ladder: Ladder, args: CalibrateArgs, folder: Path) -> bool:
    """Whether the ladder is as it should be, after saying what was measured."""
    missing = ladder.missing()
    if missing and not args.check:
        raise cli.InputError(f"{ladder.name} cannot be calibrated here: {missing[min(missing)]}")
    with progress_bar() as bar:
        task = bar.add_task(ladder.name, total=None)

        def play(matches: list[Match]) -> Records:
            bar.update(task, total=len(matches))
            return workers.play_all(
                matches,
                folder,
                done=lambda record: bar.advance(task),
                **args.executor_options(),
            )

        if args.check:
            try:
                lines = calibration.replay(ladder, play, args.check)
            except ValueError as error:
                raise cli.InputError(str(error)) from None
        else:
            found = calibration.calibrate(ladder, args.games, args.seed, play)
            lines = calibration.problems(ladder, found)
    if not args.check:
        print(f"## {ladder.name}\n\n{calibration.table(found).markdown()}\n")
        if args.freeze and not lines:
            calibration.write(ladder.path, found)
            say(f"{NAME}: frozen in {ladder.path}")
    for line in lines:
        say(f"{NAME}: {ladder.name}: {line}")
    if args.check and not lines:
        print(f"{ladder.name}: the games are the same")
    return not lines


APP = cli.app(NAME, main, calibrate)

if __name__ == "__main__":
    cli.run(APP)
