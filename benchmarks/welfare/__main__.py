"""Welfare Diplomacy as DSGBench plays it: four powers of a policy, three of an opponent.

    python -m benchmarks.welfare --policies disarm,passive,dumbbot --games 10
    python -m benchmarks.welfare all --policies disarm,dumbbot --games 10
    python -m benchmarks.welfare rotated --policies negotiator --rounds 3 --games 14
    python -m benchmarks.welfare --policies llm --model M --base-url URL --rounds 3 --games 1
    python -m benchmarks.welfare --policies negotiator --rounds 3 --judge llm:OTHER --base-url URL

"four" gives a policy AUSTRIA, ENGLAND, FRANCE and GERMANY, "rotated" moves these on by a power
from game to game of a seed, and "all" gives it all seven. Points are a power's centres less its
units, added up over the years. Games with talk are played without it too, on the same seeds.

Sources: DSGBench (arXiv:2503.06047), Welfare Diplomacy (arXiv:2310.08901).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cyclopts import Parameter

from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.diplomacy_judges import JudgeArgs, Talk
from stratagym.benchmarks.harness.options import MatchArgs, RunArgs
from stratagym.benchmarks.harness.policies import make_policies, settings
from stratagym.benchmarks.harness.protocol import DEFAULT
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.whole_games import Played, play_and_report
from stratagym.benchmarks.welfare import report
from stratagym.benchmarks.welfare.settings import ALL, FOUR, GAME, setting_of
from stratagym.benchmarks.welfare.summary import Found, add_up

NAME = "welfare"
OPPONENT = "dumbbot"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(JudgeArgs, MatchArgs, RunArgs):
    setting: str = FOUR
    """The same as the word behind the command: four, rotated or all."""
    policies: str = "disarm,passive,dumbbot"
    """Policies, separated by commas."""
    opponent: str | None = None
    """The policy of the other powers; default dumbbot."""
    games: int = 10
    """Games of a policy; in "rotated" rounded up to a multiple of seven."""
    years: int = 10
    """Years that a game lasts."""
    rounds: int = 0
    """Rounds of talk before each movement phase; 3 in DSGBench."""
    tries: int = 1
    """Answers that a model may give for one phase."""
    invalid: str = DEFAULT
    """After the last bad answer: "default" lets units hold or disband, "random" plays random
    orders, "forfeit" loses the game."""


def main(setting: str | None = None, /, *, args: Args = Args()) -> None:  # noqa: B008 - cyclopts' way
    """Play Welfare Diplomacy and report points, alliances and Nash welfare."""
    if setting is not None:
        args = replace(args, setting=setting)
    on = setting_of(args.setting, years=args.years, rounds=args.rounds)
    cli.count("--games", args.games)
    protocol = args.answer_protocol(GAME, GAME.make_rules(**on.options))
    named = make_policies(GAME, args.policies, args)
    others = []
    if on.name != ALL:
        others = make_policies(GAME, args.opponent or OPPONENT, args, option="--opponent")
        if len(others) > 1:
            raise cli.InputError("--opponent: one policy is needed")
    elif args.opponent is not None:
        raise cli.InputError(f"--opponent: in {ALL} a policy has all powers")
    judges, by_hand = args.judges(GAME, args, args.rounds), args.by_hand()
    policies = {policy.name: policy for policy in [*named, *others]}
    everybody = {policy.name: policy for policy in [*policies.values(), *judges]}
    names = [policy.name for policy in named]
    other = others[0].name if others else ""
    config = {
        **settings(list(everybody.values())),
        "setting": on.name,
        "named": names,
        "opponent": other or None,
        "variants": list(on.variants),
        "rules": GAME.options_in_force(**on.options),
        "games": args.games,
        **protocol.record(),
        "seed": args.seed,
        **({"judge": [[one.name for one in judges], args.judged]} if judges else {}),
    }
    run = Run(NAME, args, config, everybody.values())
    talk = Talk(run, GAME, NAME, judges, by_hand, args.judged, args.seed)
    matches = on.matches(names, other, args.games, args.seed, protocol, NAME)

    def ask(games: Played) -> None:
        run.ask(talk.questions(games))

    def counted(games: Played) -> dict[str, object]:
        decisions = [*map(dict, run.decisions())]
        return add_up(
            Found(games, on, names, decisions, talk.messages(), talk.again, talk.labels(games))
        )

    play_and_report(run, matches, policies, counted, report, ask=ask)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
