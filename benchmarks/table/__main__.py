"""Policies at tables of any number of seats: mean return, rank and first places, with intervals.

    python -m benchmarks.table
    python -m benchmarks.table --game ludo --rules players=3 --seating mixed,one,teams
    python -m benchmarks.table --policies random,llm:M --base-url URL --seating one --games 8

Policies are seated in three ways: all mixed at one table, one policy among seats of another, and in
teams of one policy. Every seed is played once from each seat, or on each side if seats win
together, or in each role if roles are dealt.
"""

from __future__ import annotations

from dataclasses import dataclass

from cyclopts import Parameter

from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.options import MatchArgs, RunArgs
from stratagym.benchmarks.harness.pairings import Contest, chosen
from stratagym.benchmarks.harness.policies import make_policies, settings
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.seatings import (
    MIXED,
    SEATINGS,
    TEAMS,
    matches_of,
    parties_of,
    tables,
)
from stratagym.benchmarks.harness.whole_games import play_and_report
from stratagym.benchmarks.table import report
from stratagym.benchmarks.table.summary import add_up

NAME = "table"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(MatchArgs, RunArgs):
    benchmark = NAME

    game: str = "ludo"
    """The game, of any number of seats."""
    policies: str = "random,mcts:20,mcts:80"
    """Policies, separated by commas."""
    seating: str = MIXED
    """How policies are seated, separated by commas: "mixed" (all at one table), "one" (each among
    seats of each other) and "teams" (every seat of one policy)."""
    games: int = 40
    """Games of a table, rounded up so that every seed is played from every seat."""
    rules: str = ""
    """Options of the game, such as players=4,home=exact."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play policies of a game at tables of any number of seats."""
    on = chosen(args.game, args.rules)
    game, rules = on.game, on.rules
    asked = cli.some_of("--seating", args.seating, SEATINGS)
    seatings = [name for name in SEATINGS if name in asked]
    cli.count("--games", args.games)
    protocol = args.answer_protocol(game, rules)
    policies = make_policies(game, args.policies, args)
    if len(policies) < 2 and seatings != [TEAMS]:
        raise cli.InputError(
            f"--policies: name at least two different ones, or --seating {TEAMS} for one alone"
        )
    names = [policy.name for policy in policies]
    parties = parties_of(game, rules)
    if len(parties) == 1 and seatings != [TEAMS]:
        raise cli.InputError(
            f"--seating {args.seating}: {game.name} has one seat here, so that there is nobody to "
            f"sit among; use --seating {TEAMS}"
        )
    config = {
        **settings(policies),
        "named": names,
        "game": game.name,
        "rules": on.in_force,
        "seats": rules.num_players,
        "seatings": seatings,
        "games": args.games,
        **protocol.record(),
        "seed": args.seed,
    }
    run = Run(NAME, args, config, policies)
    contest = Contest(NAME, game.name, on.options, args.games, args.seed, protocol)
    played = tables(seatings, names, len(parties))
    play_and_report(
        run,
        [match for table in played for match in matches_of(contest, parties, table)],
        names,
        lambda games: add_up(games, played),
        report,
        line=lambda match: match.place.pairing.partition("/")[0],
    )


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
