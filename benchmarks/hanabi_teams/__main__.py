"""Cooperative Hanabi: teams of one policy, and every policy among teammates that it does not know.

    python -m benchmarks.hanabi_teams
    python -m benchmarks.hanabi_teams --policies rule:focus,mcts:50 --players 2 --games 20
    python -m benchmarks.hanabi_teams --policies llm --model M --base-url URL --games 5

All teams play the same deals. A team of one policy sits in every seat; in a mixed team one policy
sits among teammates of one kind, once in each seat of every deal. Three scores come from the
recorded moves: strict (0 once all lives are lost), keep (points in any case) and SPIN-Bench's.

Sources: SPIN-Bench (arXiv:2503.12349), section on Hanabi; Walton-Rivers et al. 2017 (agents that
play in mixed teams).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from cyclopts import Parameter

from stratagym.benchmarks.hanabi_teams import report
from stratagym.benchmarks.hanabi_teams.summary import SCORES, summarise
from stratagym.benchmarks.hanabi_teams.teams import all_teams
from stratagym.benchmarks.harness import cli, match_play
from stratagym.benchmarks.harness.options import MatchArgs, RunArgs
from stratagym.benchmarks.harness.pairings import Contest
from stratagym.benchmarks.harness.policies import make_policies, settings
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.whole_games import play_and_report
from stratagym.envs import spec

NAME = "hanabi_teams"
GAME = spec("hanabi")


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(MatchArgs, RunArgs):
    benchmark = NAME

    policies: str = "random,rule:simple,rule:iggi,rule:piers,rule:focus"
    """Policies, separated by commas: random, rule:NAME, mcts:SIMULATIONS, llm, llm:MODEL."""
    teammates: str = "rule:simple,rule:iggi,rule:piers,rule:focus"
    """Teammates in mixed teams, separated by commas; "none" for no mixed teams."""
    players: str = "2,3,4,5"
    """Numbers of players, separated by commas."""
    games: int = 1000
    """Games for each team of one policy."""
    mixed_games: int | None = None
    """Games for each mixed team, rounded up so that every deal is played from every seat; by
    default as many as --games."""
    score: str = "strict"
    """Rules in force: strict, keep or spin. All three scores are always reported."""
    invalid: str = match_play.RANDOM
    """After the last bad answer: "random" plays a legal move, "forfeit" ends the game at 0."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play Hanabi in teams and report scores and how they came about."""
    players = cli.numbers("--players", args.players, (2, 3, 4, 5))
    games = cli.count("--games", args.games)
    mixed_games = games if args.mixed_games is None else args.mixed_games
    cli.count("--mixed-games", mixed_games)
    cli.choice("--score", args.score, SCORES)
    protocol = args.answer_protocol(GAME)
    named_ones = make_policies(GAME, args.policies, args)
    mates = make_policies(GAME, args.teammates, args, option="--teammates", none=True)
    policies = {policy.name: policy for policy in [*named_ones, *mates]}
    named, teammates = ([one.name for one in some] for some in (named_ones, mates))
    teams = all_teams(players, named, teammates, args.score)
    config = {
        **settings(list(policies.values())),
        "named": named,
        "teammates": teammates,
        "players": players,
        "games": args.games,
        "mixed_games": mixed_games,
        "rules": {n: GAME.options_in_force(players=n, score=args.score) for n in players},
        **protocol.record(),
        "seed": args.seed,
    }
    run = Run(NAME, args, config, policies.values(), replays=0)
    contest = Contest(NAME, GAME.name, {}, args.games, args.seed, protocol)
    matches = [match for team in teams for match in team.matches(contest, mixed_games)]
    add_up = partial(summarise, teams=teams, config=config)
    play_and_report(run, matches, policies, add_up, report, line=lambda match: "games")


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
