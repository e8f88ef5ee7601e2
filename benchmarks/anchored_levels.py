"""Absolute skill: policies climb a frozen ladder of opponents, as in BotzoneBench.

    python -m benchmarks.anchored_levels
    python -m benchmarks.anchored_levels --game chess --policies llm:M --base-url URL
    python -m benchmarks.anchored_levels --game ludo,chess --policies random,heuristic,mcts:200
    python -m benchmarks.anchored_levels calibrate --game connect_four

Every game has a ladder: level 0 is random play, and each level wins 70 to 90% of its decided games
against the level below. A policy plays the levels from the bottom until it wins fewer than half of
its decided games. Its level is the first it did not pass, its progress twice its win rate there.

Source: BotzoneBench (Li et al.), with fixed seeds, intervals, ratings and early stops added.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cyclopts import Parameter

from stratagym.agents.core import Policy
from stratagym.agents.ladders import Ladder, is_kept, ladder_of, laddered
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import cli, workers
from stratagym.benchmarks.harness.files import read_object
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.options import ExecutorArgs, MatchArgs, RunArgs
from stratagym.benchmarks.harness.policies import make_policies, settings
from stratagym.benchmarks.harness.progress import progress_bar, stage
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.schedules import Records
from stratagym.benchmarks.levels import calibration, report
from stratagym.benchmarks.levels.climb import (
    INTERIM_ANALYSES,
    Plan,
    new_climb,
    new_plan,
    schedule_of,
)
from stratagym.benchmarks.levels.summary import summarise
from stratagym.benchmarks.reporting.terminal import say
from stratagym.envs import spec

NAME = "anchored_levels"
FEWEST = 8
"""Fewer games with an opponent settle nothing."""


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(MatchArgs, RunArgs):
    game: str = "connect_four"
    """Games, separated by commas, or "all" that have a ladder; chess/ladder-v1 names an earlier."""
    policies: str = "random,heuristic,alphabeta:4,mcts:200"
    """Policies, separated by commas."""
    games: int | None = None
    """Games with each opponent, rounded up so that every seed is played from every seat; default
    32 with perfect and 64 with hidden information."""
    early_stop: bool = True
    """Leave a level once it is settled: after each quarter of its games, where the 99% interval of
    the win rate leaves out one half."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Rate policies on the ladders of games."""
    begun = _begun_on(args.output) if args.resume else {}
    ladders = {g: _same_ladder(ladder, begun.get(g)) for g, ladder in _ladders(args.game).items()}
    plans = {game: _plan(ladder, args) for game, ladder in ladders.items()}
    policies = _policies(list(ladders), args)
    named: dict[str, Policy] = {}
    for own in policies.values():
        named |= own
    config = {
        **settings(list(named.values())),
        "ladders": {game: ladder.facts() for game, ladder in ladders.items()},
        "highest": {game: plan.top for game, plan in plans.items()},
        "games": {game: plan.games for game, plan in plans.items()},
        "early_stop": args.early_stop,
        **next(iter(plans.values())).protocol.record(),
        "seed": args.seed,
    }
    models = [policy for policy in named.values() if isinstance(policy, LanguageModel)]
    # Others are made again by their names, for each game its own.
    run = Run(NAME, args, config, models)
    climbs = [new_climb(plans[game], name) for game, own in policies.items() for name in own]
    run.play(
        schedule_of(climbs), lambda match: f"{match.game} {match.seats[match.place.seat or 0]}"
    )
    with stage("adding up the games"):
        summary = summarise(run, climbs, ladders, named)
    run.finish(summary, report.write, report.screen)


def _ladders(text: str) -> dict[str, Ladder]:
    names = laddered() if text.strip() == "all" else cli.words(text)
    if not names:
        raise cli.InputError(f"--game: name at least one of: {', '.join(laddered())}")
    found: dict[str, Ladder] = {}
    for name in names:
        try:
            ladder = ladder_of(name)
            _ = ladder.calibration
        except ValueError as error:
            raise cli.InputError(f"--game: {error}") from None
        game = ladder.game.name
        if game in found:
            raise cli.InputError(f"--game: {game} is named twice")
        found[game] = ladder
    return found


def _plan(ladder: Ladder, args: Args) -> Plan:
    if args.games is not None and args.games < FEWEST:
        raise cli.InputError(
            f"--games {args.games}: at least {FEWEST} with each opponent are needed, for "
            f"{INTERIM_ANALYSES} looks at every seat; fewer settle nothing"
        )
    _, ends = ladder.reachable()
    if ends:
        say(f"{NAME}: {ends}")
    protocol = args.answer_protocol(ladder.game)
    return new_plan(NAME, ladder, args.seed, protocol, args.games, args.early_stop)


def _policies(games: list[str], args: Args) -> dict[str, dict[str, Policy]]:
    """By game, the policies that can play it; each can play one game at least."""
    found: dict[str, dict[str, Policy]] = {game: {} for game in games}
    if not cli.words(args.policies):
        make_policies(spec(games[0]), args.policies, args)  # says what is missing
    for word in cli.words(args.policies):
        errors = []
        for game in games:
            try:
                (policy,) = make_policies(spec(game), word, args)
            except cli.InputError as error:
                errors.append(error)
                continue
            if policy.name in found[game]:
                raise cli.InputError(f"--policies: {policy.name} is named twice")
            found[game][policy.name] = policy
        if len(errors) == len(games):
            raise errors[0]
    return found


def _begun_on(output: str | None) -> dict[str, dict[str, Any]]:
    """The facts of the ladders of the run to go on with, by game."""
    newest = sorted(
        (Path("results") / NAME).glob("*/config.json"), key=lambda path: path.stat().st_mtime
    )
    path = Path(output) / "config.json" if output else newest[-1] if newest else None
    if path is None or not path.exists():
        return {}  # open_run says so
    begun = read_object(path).get("ladders")
    if not isinstance(begun, dict):
        return {}
    for game, facts in begun.items():
        if not isinstance(facts, dict) or "ladder" not in facts:
            raise cli.InputError(f"--resume: {path}: 'ladders' does not say what {game}'s is")
    return begun


def _same_ladder(ladder: Ladder, facts: dict[str, Any] | None) -> Ladder:
    """The ladder that a run was begun on; refused where this version has it no more."""
    if facts is None or facts == json.loads(json.dumps(ladder.facts())):
        return ladder
    if is_kept(facts):
        return ladder_of(facts["ladder"])
    raise cli.InputError(
        f"--resume: the run was begun on {facts['ladder']}, and this version of stratagym "
        f"has {ladder.name}"
        + (" with other levels" if facts["ladder"] == ladder.name else "")
        + "; start a new run"
    )


@Parameter(name="*")
@dataclass(kw_only=True)
class CalibrateArgs(ExecutorArgs):
    game: str = "all"
    """Games, separated by commas, or "all" that have a ladder."""
    games: int = calibration.GAMES
    """Games of every pairing, rounded up so that every seed is played from every seat."""
    seed: int = 0
    """Seed of the set of seeds that every pairing plays."""
    freeze: bool = False
    """Keep the results beside the ladder, which is then not to be changed any more."""
    check: int = field(default=0)
    """Only play this many seeds of every frozen pairing again and compare game by game."""
    output: str | None = None
    """Folder of the records, which a later call goes on with; default one that is thrown away."""


def calibrate(args: CalibrateArgs = CalibrateArgs()) -> None:  # noqa: B008
    """Measure every pair of neighbouring levels, and print the table of the documentation."""
    names = laddered() if args.game.strip() == "all" else cli.words(args.game)
    try:
        ladders = [ladder_of(name) for name in names]
    except ValueError as error:
        raise cli.InputError(f"--game: {error}") from None
    if args.games < FEWEST or args.check < 0:
        raise cli.InputError(f"--games {args.games}: at least {FEWEST} are needed")
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
