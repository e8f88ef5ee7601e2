"""Werewolf as DSGBench plays it: one policy on either side, one among others, or alone.

    python -m benchmarks.werewolf
    python -m benchmarks.werewolf --policies rule:herd,rule:seer --against rule:bluff --games 100
    python -m benchmarks.werewolf --policies llm --model M --base-url URL --games 4 --identify
    python -m benchmarks.werewolf --scene dsgbench --setting one --games 16

"sides" plays every seed twice, with the policy as village against frozen wolves and as wolves
against a frozen village; "one" puts it into each seat in turn among frozen players; "self" gives it
all seats. Metrics are DSGBench's, with statements checked against the truth.

Source: DSGBench (arXiv:2503.06047), appendix F and tables 2 to 4.
"""

from __future__ import annotations

from dataclasses import dataclass

from cyclopts import Parameter

from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.messages import read_messages
from stratagym.benchmarks.harness.options import MatchArgs, RunArgs
from stratagym.benchmarks.harness.pairings import Contest
from stratagym.benchmarks.harness.policies import make_policies, settings
from stratagym.benchmarks.harness.protocol import DEFAULT
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.whole_games import Played, play_and_report
from stratagym.benchmarks.werewolf import identify, report
from stratagym.benchmarks.werewolf.settings import (
    GAME,
    SCENE,
    SETTINGS,
    SIDES,
    checked,
    settings_of,
)
from stratagym.benchmarks.werewolf.summary import add_up

NAME = "werewolf"
SCENES = {"default": {}, "dsgbench": SCENE}


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(MatchArgs, RunArgs):
    policies: str = "rule:herd,rule:seer"
    """Policies, separated by commas."""
    against: str = "rule:bluff"
    """The frozen player of the other seats."""
    setting: str = SIDES
    """How policies are seated, separated by commas: "sides", "one" and "self"."""
    scene: str = "default"
    """Rules to begin with: "default", or "dsgbench" (a wolf drawn by lot kills, votes are
    secret)."""
    rules: str = ""
    """Options of the game, such as players=12,debate=bid."""
    games: int = 40
    """Games of a policy in each setting, rounded up so that every seed is played from each side or
    seat."""
    identify: bool = False
    """After the games, ask models at each of their votes for the probability that each player is a
    wolf; it changes no game."""
    tries: int = 2
    """Answers that a model may give for one decision."""
    invalid: str = DEFAULT
    """After the last bad answer: "default" ends a speech, bids 0, and else chooses by lot; "random"
    plays random moves, "forfeit" loses the game."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play Werewolf on either side, among others or alone, and report votes and statements."""
    scene = SCENES[cli.some_of("--scene", args.scene, list(SCENES))[0]]
    names = cli.some_of("--setting", args.setting, SETTINGS)
    cli.count("--games", args.games)
    options = {**scene, **cli.pairs("--rules", args.rules)}
    try:
        rules = GAME.make_rules(**options)
    except (ValueError, TypeError) as error:
        raise cli.InputError(f"--rules: {error}") from None
    checked(names, rules)
    protocol = args.answer_protocol(GAME, rules)
    own = make_policies(GAME, args.policies, args)
    others = make_policies(GAME, args.against, args, option="--against")
    if len(others) > 1:
        raise cli.InputError("--against: one policy is needed")
    policies = {policy.name: policy for policy in [*own, *others]}
    named, other = [policy.name for policy in own], others[0].name
    config = {
        **settings(list(policies.values())),
        "named": named,
        "against": other,
        "settings": names,
        "rules": GAME.options_in_force(**options),
        "games": args.games,
        "identify": args.identify,
        **protocol.record(),
        "seed": args.seed,
    }
    run = Run(NAME, args, config, policies.values())
    played = settings_of(names, named, other)
    contest = Contest(NAME, GAME.name, options, args.games, args.seed, protocol)

    def counted(games: Played) -> dict[str, object]:
        if args.identify:
            records = {one["match"]: one for each in games.values() for one in each.records}
            identify.ask(run, records, protocol.text, NAME, args.concurrency)
        return {
            **add_up(games, played, run.decisions(), read_messages(run.folder)),
            "identify": identify.scored(run.decisions()),
        }

    matches = [match for one in played for match in one.matches(contest, rules)]
    play_and_report(run, matches, policies, counted, report)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
