"""Diplomacy as SPIN-Bench plays it: one power alone, several agents, or seven players that talk.

    python -m benchmarks.diplomacy basic --policies random,greedy,dumbbot --games 10
    python -m benchmarks.diplomacy agents --agents 4 --policies greedy,dumbbot --games 10
    python -m benchmarks.diplomacy negotiate --policies negotiator,negotiator:0.5 --years 5
    python -m benchmarks.diplomacy basic --policies llm --model M --base-url URL --games 1

"basic" gives a policy FRANCE among six powers that stand still; "agents" gives it the powers that
SPIN-Bench tests among two to five agents; "negotiate" seats all policies at one table, with rounds
of talk, and checks what was promised against what was ordered. Games with talk are played without
it too, on the same seeds.

Source: SPIN-Bench (arXiv:2503.12349), its sections on Diplomacy and its published scripts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cyclopts import Parameter

from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.diplomacy import facts, report
from stratagym.benchmarks.diplomacy.asking import Asking
from stratagym.benchmarks.diplomacy.settings import AGENTS, BASIC, GAME, NEGOTIATE, setting_of
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.diplomacy_judges import JudgeArgs, Talk
from stratagym.benchmarks.harness.options import MatchArgs, RunArgs
from stratagym.benchmarks.harness.policies import make_policies, settings
from stratagym.benchmarks.harness.protocol import DEFAULT
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.whole_games import play_and_report

NAME = "diplomacy"
OTHERS = {BASIC: "passive", AGENTS: "dumbbot"}


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(JudgeArgs, MatchArgs, RunArgs):
    setting: str = BASIC
    """The same as the word behind the command: basic, agents or negotiate."""
    policies: str = "random,greedy,dumbbot"
    """Policies, separated by commas."""
    others: str | None = None
    """The policy of the other powers; by default passive in "basic" and dumbbot in "agents"."""
    agents: int = 2
    """How many agents share the powers in "agents", from 2 to 5."""
    games: int = 10
    """Games of a policy; in "negotiate" of the table, rounded up to a multiple of seven."""
    years: int = 20
    """Years that a game lasts; SPIN-Bench's code stops after 19."""
    win: int | None = None
    """Centres that win; by default 18, and 25 or 20 with two or three agents."""
    rounds: int | None = None
    """Rounds of talk before each movement phase; by default 3 in "negotiate" and 0 else."""
    rotate: bool = False
    """In "basic" and "agents", give the policy the powers of every agent in turn."""
    ablate: bool = False
    """In "basic" and "agents", let language models play again under prompts that ask for no steps
    of reasoning, and for neither steps nor facts."""
    ask: str = ""
    """What else language models are asked: "facts", about positions of the games."""
    questions: int = 20
    """With --ask facts, how many positions."""
    tries: int = 1
    """Answers that a model may give for one phase."""
    invalid: str = DEFAULT
    """After the last bad answer: "default" lets units hold or disband, "random" plays random
    orders, "forfeit" loses the game."""


def main(setting: str | None = None, /, *, args: Args = Args()) -> None:  # noqa: B008 - cyclopts' way
    """Play Diplomacy in SPIN-Bench's settings and report results, orders and promises."""
    if setting is not None:
        args = replace(args, setting=setting)
    if args.ask not in ("", facts.TASK):
        raise cli.InputError(f"--ask {args.ask!r}: there is only {facts.TASK}")
    cli.count("--games", args.games)
    cli.count("--questions", args.questions)
    named = make_policies(GAME, args.policies, args)
    models = [policy.name for policy in named if isinstance(policy, LanguageModel)]
    for option, is_set in (("--ablate", args.ablate), ("--ask", bool(args.ask))):
        if is_set and not models:
            raise cli.InputError(f"{option}: is about language models, and --policies names none")
    if args.ablate and args.position:
        raise cli.InputError("--ablate: tries every form of position; leave out --position")
    on = setting_of(
        args.setting, agents=args.agents, years=args.years, win=args.win, rounds=args.rounds,
        rotated=args.rotate, ablated=models if args.ablate else (),
    )  # fmt: skip
    protocol = args.answer_protocol(GAME, GAME.make_rules(**on.options))
    others = []
    if on.name != NEGOTIATE:
        others = make_policies(GAME, args.others or OTHERS[on.name], args, option="--others")
        if len(others) > 1:
            raise cli.InputError("--others: one policy is needed")
    elif args.others is not None:
        raise cli.InputError(f"--others: in {NEGOTIATE} the policies sit among themselves")
    judges, by_hand = args.judges(GAME, args, on.options["rounds"]), args.by_hand()
    policies = {policy.name: policy for policy in [*named, *others]}
    everybody = {policy.name: policy for policy in [*policies.values(), *judges]}
    names = [policy.name for policy in named]
    config = {
        **settings(list(everybody.values())),
        "setting": on.name,
        "named": names,
        "others": others[0].name if others else None,
        "agents": args.agents,
        "variants": list(on.variants),
        "rules": GAME.options_in_force(**on.options),
        "games": args.games,
        **protocol.record(),
        "seed": args.seed,
        **({"rotate": True} if args.rotate else {}),
        **({"ablate": models} if args.ablate else {}),
        **({"ask": [args.ask, args.questions]} if args.ask else {}),
        **({"judge": [[one.name for one in judges], args.judged]} if judges else {}),
    }
    run = Run(NAME, args, config, everybody.values())
    other = others[0].name if others else ""
    matches = on.matches(names, other, args.games, args.seed, protocol, NAME)
    talk = Talk(run, GAME, NAME, judges, by_hand, args.judged, args.seed)
    asking = Asking(run, on, names, models if args.ask else [], talk, args.questions)
    play_and_report(run, matches, policies, asking.counted, report, ask=asking.ask)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
