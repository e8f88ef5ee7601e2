"""The coin game in teams of one policy: returns, and what inferring the others' goals costs.

    python -m benchmarks.coin_teams
    python -m benchmarks.coin_teams --policies heuristic,mcts:500 --games 100
    python -m benchmarks.coin_teams --policies llm --model M --base-url URL --games 20

One policy sits in every seat, and all policies play the same starts. Unless --no-told is given,
each policy plays the starts again with all goals known: the difference is the loss by having to
infer the others' goals.

Sources: Raileanu et al. 2018 (the game); SPIN-Bench (arXiv:2503.12349), which lets models play it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cyclopts import Parameter

from stratagym.benchmarks.coin_teams import report
from stratagym.benchmarks.coin_teams.summary import team_name, team_rows
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.options import MatchArgs, RunArgs
from stratagym.benchmarks.harness.pairings import Contest, chosen
from stratagym.benchmarks.harness.policies import make_policies, settings
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.whole_games import Played, play_and_report
from stratagym.envs import spec

NAME = "coin_teams"
GAME = spec("coin_game")


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(MatchArgs, RunArgs):
    benchmark = NAME

    policies: str = "random,rule:any,rule:own,heuristic"
    """Policies, separated by commas: random, heuristic, rule:NAME, mcts:SIMULATIONS, llm:MODEL."""
    rules: str = ""
    """Options of the game, such as "players=3,length=30"."""
    games: int = 400
    """Games of each policy, and as many with all goals known."""
    told: bool = True
    """Let each policy play the same starts with all goals known, too."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play the coin game in teams and report returns and how they came about."""
    on = chosen(GAME.name, args.rules)
    rules, options = on.rules, on.in_force
    if rules.told:
        raise cli.InputError("--rules goals=all: these games are played besides; leave it out")
    cli.count("--games", args.games)
    protocol = args.answer_protocol(GAME)
    policies = {policy.name: policy for policy in make_policies(GAME, args.policies, args)}
    config = {
        **settings(list(policies.values())),
        "named": list(policies),
        "rules": options,
        "games": args.games,
        "told": args.told,
        **protocol.record(),
        "seed": args.seed,
    }
    run = Run(NAME, args, config, policies.values(), replays=0)
    contest = Contest(NAME, GAME.name, options, args.games, args.seed, protocol)
    matches = [
        match
        for told, goals in enumerate(("own", "all")[: 1 + args.told])
        for name in policies
        for match in replace(contest, options=options | {"goals": goals}).team(
            team_name(name, told), rules.num_players, name
        )
    ]

    def add_up(games: Played) -> dict[str, Any]:
        return {"teams": team_rows(games, list(policies), rules)}

    play_and_report(run, matches, policies, add_up, report)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
