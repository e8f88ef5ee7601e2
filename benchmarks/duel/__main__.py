"""By how much one policy beats another: the mean margin of duplicate games, with its interval.

In games decided mostly by the cards, a win rate says little and the score says a lot. Every deal is
played once from each seat, so that the luck of the cards cancels out: the measure is the margin of
a pair of games, and the interval is over pairs.

    python -m benchmarks.duel
    python -m benchmarks.duel --game ludo --policies gt,heuristic --games 400
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from cyclopts import Parameter
from rich.console import Console

from stratagym.agents.core import make_policy
from stratagym.agents.kernel_policies import KernelPolicy
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.games import by_pairing
from stratagym.benchmarks.harness.options import RunArgs
from stratagym.benchmarks.harness.pairings import Contest, chosen, two_sides
from stratagym.benchmarks.harness.policies import versions
from stratagym.benchmarks.harness.progress import stage
from stratagym.benchmarks.harness.records import GameRecord
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.schedules import fixed
from stratagym.benchmarks.replaying.album import add_replays
from stratagym.benchmarks.reporting.page import Page, RateCell, Table, code, count, rate_text
from stratagym.benchmarks.reporting.sections import add_run
from stratagym.benchmarks.reporting.stats import FREE
from stratagym.envs import core, spec

NAME = "duel"
BIG_BLINDS = "big blinds per 100 hands"
RETURN = "return a game"
USUAL = ("rule:strong", "gt", "heuristic", "random")


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(RunArgs):
    game: str = "texas_holdem"
    """A game for two players or two sides; games for more players are played by two."""
    policies: str | None = None
    """Compiled policies, separated by commas: random, heuristic, rule:NAME, gt:DEPTH. The margin of
    a pair is that of its first policy. Default: the first two of rule:strong, gt, heuristic and
    random that the game has."""
    games: int = 2000
    """Games of each pair, rounded up to an even number; a game of hold'em is a match of hands."""
    rules: str = ""
    """Options of the game, such as hands=50,stack=10000."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play duplicate games and report margins."""
    on = chosen(args.game, args.rules, for_two=True)
    game, rules, options = on.game, on.rules, on.in_force
    cli.count("--games", args.games, least=2)
    if game.utility not in ("zero_sum", "constant_sum"):
        fits = game.utility == "general" and rules.num_players == 2
        raise cli.InputError(
            f"--game {game.name}: a duel is a contest, in which one wins what the other loses; use "
            f"python -m benchmarks.{'tournament' if fits else 'table'}"
        )
    more = " players or teams; for more use python -m benchmarks.table"
    sides = two_sides(game, rules, "a duel", more)
    policies = compiled_policies(game, args.policies or usual_policies(game))
    config = {
        **versions(policies),
        "game": game.name,
        "rules": options,
        "policies": [policy.name for policy in policies],
        "games": args.games,
        "seed": args.seed,
    }
    run = Run(NAME, args, config)
    pairs = list(combinations((policy.name for policy in policies), 2))
    contest = Contest(NAME, game.name, options, args.games, args.seed)
    matches = [match for pair in pairs for match in contest.among("/".join(pair), sides, pair)]
    records = run.play(fixed(matches))
    unit, scale = scale_of(game.name, rules)
    with stage("adding up the games"):
        rows = margins(records.values(), pairs, scale)
    summary = {"config": config, "unit": unit, "pairs": rows}
    run.finish(summary, write_report, screen)


def usual_policies(game: core.GameSpec) -> str:
    """The two compiled policies that duel where none are named."""
    found = []
    for name in USUAL:
        with suppress(ValueError):
            if isinstance(make_policy(game, name), KernelPolicy):
                found.append(name)
    return ",".join(found[:2])


def compiled_policies(game: core.GameSpec, text: str) -> list[KernelPolicy]:
    """The policies that ``text`` names.

    Raises:
        InputError: fewer than two different ones, an unknown one, or one that is not compiled.
    """
    made: dict[str, KernelPolicy] = {}
    for name in cli.words(text):
        try:
            policy = make_policy(game, name)
        except (ValueError, ModuleNotFoundError) as error:
            raise cli.InputError(f"--policies: {error}") from None
        if not isinstance(policy, KernelPolicy):
            raise cli.InputError(
                f"--policies: {name} is not compiled; a duel takes random, heuristic, rule:NAME "
                "and gt:DEPTH"
            )
        made[policy.name] = policy
    if len(made) < 2:
        raise cli.InputError("--policies: name at least two different ones")
    return list(made.values())


def scale_of(game: str, rules: Any) -> tuple[str, float]:
    """The unit that a game's margins are quoted in, and how many of it a return of 1 a game is."""
    if game == "texas_holdem" and not rules.carry:
        return BIG_BLINDS, 100 / rules.hands
    return RETURN, 1.0


def margins(
    records: Iterable[GameRecord], pairs: Sequence[tuple[str, str]], scale: float
) -> list[dict[str, Any]]:
    """For each pair the first policy's margin and how often it came out ahead."""
    by_pair = by_pairing(records)
    rows = []
    for one, other in pairs:
        played = by_pair[f"{one}/{other}"]
        won = played.returns_of(one)
        bounds = FREE if scale != 1 else None
        rows.append(
            {
                "one": one,
                "other": other,
                "margin": played.rate(scale * won, chance=0.0, bounds=bounds).record(),
                "ahead": played.rate(played.score_of(one) == 1, chance=0.5).record(),
            }
        )
    return rows


def margin_table(summary: Mapping[str, Any]) -> Table:
    """One row a pair."""
    table = Table(["policy", "against", "games", "margin", "ahead"], left=(1,))
    for row in summary["pairs"]:
        n = row["margin"]["n"]
        table.rows.append(
            [
                code(row["one"]),
                code(row["other"]),
                count(n),
                rate_text(row["margin"], 1 if summary["unit"] == BIG_BLINDS else 2),
                RateCell(row["ahead"]),
            ]
        )
    return table


def write_report(folder: Path, summary: Mapping[str, Any]) -> None:
    """Write ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        f"Duels: {spec(config['game']).title}",
        f"Margins are in {summary['unit']}, with 95% intervals over pairs of games. "
        "The two games of a pair have the same seed, so the same cards or dice, with the seats "
        "changed; equal players have margin 0.",
    )
    page.table(margin_table(summary))
    page.bullets(
        [
            "**ahead**: share of games with a positive return.",
        ]
    )
    add_replays(page, folder)
    add_run(page, config)
    page.write(folder)


def screen(console: Console, summary: Mapping[str, Any]) -> None:
    """Print the table of margins."""
    title = spec(summary["config"]["game"]).title
    console.print(margin_table(summary).rich(f"{title}: {summary['unit']}"))


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
