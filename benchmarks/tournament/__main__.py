"""Policies of a game against each other: cross table and ratings, with intervals.

    python -m benchmarks.tournament
    python -m benchmarks.tournament --game chess --policies random,mcts:50,llm:M --base-url URL
    python -m benchmarks.tournament --policies random,heuristic,mcts:20,mcts:80 --format swiss

Every pairing plays the same seeds, each seed once from either seat. In a round robin everyone meets
everyone; a Swiss tournament has as many rounds as it takes to find the best policy, and in each
round neighbours in the standings meet who have not met before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2

from cyclopts import Parameter

from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.matches import Match, Place
from stratagym.benchmarks.harness.options import MatchArgs, RunArgs
from stratagym.benchmarks.harness.pairings import Chosen, SidesAt, chosen, seated, two_sides
from stratagym.benchmarks.harness.policies import make_policies, settings
from stratagym.benchmarks.harness.progress import stage
from stratagym.benchmarks.harness.records import GameRecord
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.schedules import round_robin, swiss
from stratagym.benchmarks.tournament import report
from stratagym.benchmarks.tournament.summary import summarise

NAME = "tournament"
ROUND_ROBIN, SWISS = "round_robin", "swiss"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(MatchArgs, RunArgs):
    benchmark = NAME

    game: str = "connect_four"
    """The game; ludo is played by two here."""
    policies: str = "random,mcts:20,mcts:40,mcts:80,alphabeta:2"
    """Policies, separated by commas."""
    format: str = ROUND_ROBIN
    """"round_robin" (everyone meets everyone) or "swiss"."""
    games: int = 40
    """Games per pairing, rounded up to an even number: every seed is played from both seats."""
    rounds: int | None = None
    """Rounds of a Swiss tournament; default the logarithm to base 2 of the number of policies."""
    rules: str = ""
    """Options of the game, such as stacking=safe,home=exact."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play policies of a game against each other."""
    on = chosen(args.game, args.rules, for_two=True)
    game, sides_at = on.game, _sides(on)
    protocol = args.answer_protocol(game, on.rules)
    cli.count("--games", args.games)
    policies = make_policies(game, args.policies, args)
    if len(policies) < 2:
        raise cli.InputError("--policies: name at least two different ones")
    config = {
        **settings(policies),
        "game": game.name,
        "rules": on.in_force,
        "format": args.format,
        "rounds": _rounds(args, len(policies)),
        "games": args.games + args.games % 2,
        **protocol.record(),
        "seed": args.seed,
    }
    run = Run(NAME, args, config, policies)
    names = [policy.name for policy in policies]

    seeds = [item_seed(args.seed, game.name, str(k)) for k in range(config["games"] // 2)]
    sides = [sides_at(seed) for seed in seeds]

    def matches_of(pairings: Sequence[tuple[str, str]], label: str) -> list[Match]:
        return [
            Match(
                NAME,
                f"{label}{a}/{b}/{k}/{swapped}",
                game.name,
                on.options,
                seed,
                seated(sides[k], (b, a) if swapped else (a, b)),
                protocol,
                Place(f"{label}{a}/{b}", k, sides[k][swapped][0]),
            )
            for a, b in pairings
            for k, seed in enumerate(seeds)
            for swapped in range(2)
        ]

    def line(match: Match) -> str:
        return match.name.partition("/")[0] if config["rounds"] else game.name

    byes: dict[str, int] = {}
    played: list[GameRecord]
    if args.format == SWISS:
        played, byes = run.play(swiss(names, config["rounds"], matches_of), line)
    else:
        played = run.play(round_robin(names, matches_of), line)
    with stage("adding up the games"):
        summary = summarise(run, played, byes)
    run.finish(summary, report.write, report.screen)


def _sides(on: Chosen) -> SidesAt:
    """The two sides of the game by its seed. Raises ``InputError`` where there are others."""
    if on.game.utility == "identical":
        raise cli.InputError(
            f"--game {on.game.name}: its players win or lose together, so that nobody can be rated "
            "against another; use python -m benchmarks.anchored_levels, and hanabi_teams for Hanabi"
        )
    more = "; for more use python -m benchmarks.table"
    return two_sides(on.game, on.rules, "a tournament", more)


def _rounds(args: Args, players: int) -> int | None:
    """Rounds of a Swiss tournament, None for a round robin."""
    if args.format not in (ROUND_ROBIN, SWISS):
        raise cli.InputError(f"--format {args.format!r}: choose {ROUND_ROBIN} or {SWISS}")
    if args.format == ROUND_ROBIN:
        if args.rounds is not None:
            raise cli.InputError(f"--rounds: goes with --format {SWISS}")
        return None
    most = ceil(players / 2)
    rounds = ceil(log2(players)) if args.rounds is None else args.rounds
    if not 1 <= rounds <= most:
        raise cli.InputError(
            f"--rounds {rounds}: 1 to {most} with {players} policies, so that nobody meets twice; "
            f"beyond that --format {ROUND_ROBIN} says more"
        )
    return rounds


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
