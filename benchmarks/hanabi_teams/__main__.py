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
from typing import Any

from cyclopts import Parameter

from stratagym.benchmarks.hanabi_teams import report
from stratagym.benchmarks.hanabi_teams.summary import SCORES, summarise
from stratagym.benchmarks.hanabi_teams.teams import all_teams
from stratagym.benchmarks.harness import cli, match_play
from stratagym.benchmarks.harness.options import MatchArgs, RunArgs
from stratagym.benchmarks.harness.policies import make_policies, settings
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.whole_games import Played, play_and_report
from stratagym.envs import spec

NAME = "hanabi_teams"
GAME = spec("hanabi")


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(MatchArgs, RunArgs):
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
    mixed_games = args.games if args.mixed_games is None else args.mixed_games
    if not players:
        raise cli.InputError("--players: at least one number of players is needed")
    cli.count("--games", args.games)
    cli.count("--mixed-games", mixed_games)
    if args.score not in SCORES:
        raise cli.InputError(f"--score {args.score!r}: choose from {', '.join(SCORES)}")
    protocol = args.answer_protocol(GAME)
    policies = {p.name: p for p in make_policies(GAME, args.policies, args)}
    named = list(policies)
    mates = (
        []
        if args.teammates == "none"
        else make_policies(GAME, args.teammates, args, option="--teammates")
    )
    for policy in mates:
        policies.setdefault(policy.name, policy)
    teammates = [policy.name for policy in mates]
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
    matches = [match for team in teams for match in team.matches(NAME, config, protocol)]

    def add_up(games: Played) -> dict[str, Any]:
        return summarise(games, teams, config)

    named_ones = [*named, *teammates]
    play_and_report(run, matches, named_ones, add_up, report, line=lambda match: "games")


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
