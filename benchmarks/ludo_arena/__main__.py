"""Whole games of Ludo between policies, with two, three and four players.

    python -m benchmarks.ludo_arena
    python -m benchmarks.ludo_arena --policies gt,gt:1 --players 2 --games 10000
    python -m benchmarks.ludo_arena --policies random,llm:M --base-url URL --games 8 --players 2

With two players a pairing is policy a against policy b; with more players it is one a against
several b. Every seed is played once from each seat. Language models get a prompt for each turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cyclopts import Parameter

from stratagym.benchmarks.harness import cli, match_play
from stratagym.benchmarks.harness.options import MatchArgs, RunArgs
from stratagym.benchmarks.harness.pairings import Contest
from stratagym.benchmarks.harness.policies import make_policies, settings
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.spots import AS_PUBLISHED_RULES
from stratagym.benchmarks.harness.whole_games import Played, play_and_report
from stratagym.benchmarks.ludo_arena import report
from stratagym.benchmarks.ludo_arena.summary import all_pairings, pairing_rows
from stratagym.envs import spec

NAME = "ludo_arena"
GAME = spec("ludo")


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(MatchArgs, RunArgs):
    benchmark = NAME

    policies: str = "random,heuristic,gt"
    """Policies, separated by commas: random, heuristic, gt, gt:DEPTH, mcts:SIMULATIONS, llm,
    llm:MODEL."""
    players: str = "2,3,4"
    """Numbers of players, separated by commas."""
    games: int = 1000
    """Games for each pairing, rounded up so that every seed is played from every seat."""
    depth: int = 2
    """Search depth of gt in decisions."""
    rules: str = ""
    """Options of the game, such as stacking=safe,home=exact."""
    as_published: bool = False
    """The rules of the LudoBench authors' released code: stacking=safe,home=exact."""
    invalid: str = match_play.RANDOM
    """After the last bad answer: "random" plays a legal move, "forfeit" loses the game."""
    time_limit: float | None = None
    """Seconds that a model may take for a move, all its answers together; default no limit."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play whole games of Ludo and report win rates."""
    players = cli.numbers("--players", args.players, (2, 3, 4))
    cli.count("--games", args.games)
    protocol = args.answer_protocol(GAME)
    options = dict(AS_PUBLISHED_RULES) if args.as_published else {}
    options |= cli.pairs("--rules", args.rules)
    try:
        rules = {n: GAME.make_rules(players=n, **options) for n in players}
    except (ValueError, TypeError) as error:
        raise cli.InputError(str(error)) from None
    policies = make_policies(GAME, args.policies, args, depth=args.depth)
    if len(policies) < 2:
        raise cli.InputError("--policies: name at least two different ones")
    config = {
        **settings(policies),
        "players": players,
        "games": args.games,
        "rules": {n: GAME.options_in_force(players=n, **options) for n in players},
        **protocol.record(),
        "seed": args.seed,
    }
    run = Run(NAME, args, config, policies, replays=0)
    pairings = all_pairings(players, [policy.name for policy in policies])
    contest = Contest(NAME, GAME.name, options, args.games, args.seed, protocol)
    matches = [match for pairing in pairings for match in pairing.matches(contest)]

    def add_up(games: Played) -> dict[str, Any]:
        return {"pairings": pairing_rows(games, pairings, rules)}

    play_and_report(run, matches, run.policies, add_up, report, tell_games=False)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
