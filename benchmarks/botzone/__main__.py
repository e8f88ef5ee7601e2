"""BotzoneBench: the ladders of eight games in one table, with mistakes, tokens and first movers.

    python -m benchmarks.botzone
    python -m benchmarks.botzone --policies random,heuristic,mcts:100
    python -m benchmarks.botzone --policies llm --model M --base-url URL --concurrency 32
    python -m benchmarks.botzone --policies llm --model M --game gomoku,chess --as-published

Policies climb the ladder of every game, as in anchored_levels: five boards, hold'em, and the card
and tile games. The report adds results over all games: the mean share of the ladders climbed, the
advantage of moving first, mistakes by game, and whether more thinking leads to higher levels.

Source: BotzoneBench (Li et al.). Its opponents are programs on a server; the ladders here are this
project's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cyclopts import Parameter

from stratagym.agents.ladders import Ladder
from stratagym.benchmarks.botzone import findings as paper
from stratagym.benchmarks.botzone import report
from stratagym.benchmarks.botzone.summary import summarise
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness import climb_setup as setup
from stratagym.benchmarks.harness.botzone_games import BY_GAME, REPLAYS
from stratagym.benchmarks.harness.climb import Plan, new_plan
from stratagym.benchmarks.harness.climb_summary import climb_and_report
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.reporting.terminal import say

NAME = "botzone"
PROTOCOL = (
    "games", "early_stop", "tries", "invalid", "time_limit", "list_legal", "lenient", "rules_text",
    "position", "hints", "reasoning", "answer", "prompt_file", "history", "memory", "system",
    "ask_forced", "reader", "prompt_version",
)  # fmt: skip
"""Options that the paper's protocol sets."""


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(setup.ClimbArgs):
    benchmark = NAME

    game: str = "all"
    """Some of the eight games, separated by commas, or "all" of them."""
    policies: str = "random,heuristic"
    """Policies, separated by commas."""
    as_published: bool = False
    """The paper's protocol: its numbers of games, its judges' rules, its prompts' contents, three
    answers per move and then the action of its code, failed games left out, no early stop."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Climb the ladders of BotzoneBench's games and report on all of them together."""
    if args.as_published:
        refuse_own_protocol(args)
    begun = setup.begun_on(NAME, args.output) if args.resume else {}
    ladders = {
        game: setup.same_ladder(as_asked(ladder, args), begun.get(game))
        for game, ladder in setup.find_ladders(args.game, list(BY_GAME)).items()
    }
    asked = setup.begun_protocols(NAME, args.output) if args.resume else {}
    plans = {game: plan_of(ladder, args, asked.get(game)) for game, ladder in ladders.items()}
    policies = setup.find_policies(list(ladders), args.policies, args)
    named = setup.by_name(policies)
    config = {
        **setup.config_of(plans, named, args.seed),
        "as_published": args.as_published,
        "level_games": {game: list(plan.level_games) for game, plan in plans.items()},
        "protocols": {game: plan.protocol.record() for game, plan in plans.items()},
    }
    replays: dict[str, Any] = {"replays": REPLAYS} if args.as_published else {}
    run = Run(NAME, args, config, setup.models_of(named), **replays)
    climb_and_report(run, plans, policies, summarise, report)


def refuse_own_protocol(args: Args) -> None:
    """Raises ``InputError`` for options that the paper's protocol takes the place of."""
    usual = Args()
    named = [name for name in PROTOCOL if getattr(args, name) != getattr(usual, name)]
    if named:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in named)
        raise cli.InputError(f"{options}: the protocol of --as-published has its own")


def as_asked(ladder: Ladder, args: Args) -> Ladder:
    """The ladder, under Botzone's rules where the paper's protocol is asked for."""
    entry = BY_GAME[ladder.game.name]
    return entry.published_ladder(ladder) if args.as_published else ladder


def plan_of(ladder: Ladder, args: Args, begun: Mapping[str, Any] | None = None) -> Plan:
    """How far up a game's ladder goes here, and how its games are played.

    Args:
        begun: the game's protocol in the configuration of the run to go on with.
    """
    setup.check_games(args.games)
    _, ends = ladder.reachable()
    if ends:
        say(f"{NAME}: {ends}")
    if not args.as_published:
        protocol = args.answer_protocol(ladder.game)
        return new_plan(NAME, ladder, args.seed, protocol, args.games, args.early_stop)
    entry = BY_GAME[ladder.game.name]
    protocol = entry.published_protocol(begun)
    return entry.published_plan(new_plan(NAME, ladder, args.seed, protocol))


@Parameter(name="*")
@dataclass(kw_only=True)
class FindingsArgs:
    page: Path | None = None
    """A page in Markdown, such as docs/benchmarks/botzonebench.md, in which the part between the
    lines `<!-- findings: begin -->` and `<!-- findings: end -->` is replaced."""


def findings(args: FindingsArgs = FindingsArgs()) -> None:  # noqa: B008
    """Say which of the paper's figures contradict each other."""
    if args.page is None:
        print(paper.markdown(), end="")
        return
    cli.put_into(args.page, "findings", paper.markdown())


APP = cli.app(NAME, main, findings)

if __name__ == "__main__":
    cli.run(APP)
