"""By how much one policy beats another: the mean margin of duplicate games, with its interval.

Where games differ mostly by the cards, a win rate says little and the score says a lot. Every deal
is played once from each seat, so that luck of the cards cancels out: the margin of a pair of games
is the evidence, and the interval comes from resampling pairs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from rich.console import Console

from stratagym.agents.core import make_policy
from stratagym.agents.kernel_policies import KernelPolicy
from stratagym.benchmarks.harness import cli, match_play, pairings, records
from stratagym.benchmarks.harness.progress import progress_bar
from stratagym.benchmarks.reporting.page import Page, RateCell, Table, code, count, rate_text
from stratagym.benchmarks.reporting.sections import rules_text
from stratagym.benchmarks.reporting.stats import bootstrap_mean
from stratagym.envs import core, games, spec

NAME = "duel"
BIG_BLINDS = "big blinds per 100 hands"
RETURN = "return a game"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args:
    game: str = "texas_holdem"
    """A game for two players."""
    policies: Annotated[str, Parameter(name=["--policies", "--policy"])] = "rule:strong,heuristic"
    """Compiled policies, separated by commas: random, heuristic, rule:NAME, gt:DEPTH. The first
    of a pair is the one whose margin is given."""
    games: int = 2000
    """Games of each pair, rounded up to an even number; a game of hold'em is a match of hands."""
    rules: str = ""
    """Options of the game, such as hands=50,stack=10000."""
    seed: int = 0
    """Seed of the deals; the same for every pair."""
    output: str | None = None
    """Folder of the run; default results/duel/<time>."""
    resume: bool = False
    """Go on with the run in --output, or with the newest."""
    json: bool = False
    """Print the summary as JSON instead of a table."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play duplicate games and report margins."""
    if args.game not in games():
        raise cli.InputError(f"--game {args.game!r}: choose from: {', '.join(games())}")
    game = spec(args.game)
    if args.games < 2:
        raise cli.InputError(f"--games {args.games}: at least 2 are needed")
    try:
        options = game.options_in_force(**cli.pairs("--rules", args.rules))
        rules = game.make_rules(**options)
    except ValueError as error:
        raise cli.InputError(f"--rules: {error}") from None
    if rules.num_players != 2 or game.utility not in ("zero_sum", "constant_sum"):
        raise cli.InputError(f"--game {game.name}: a duel is a contest of two players")
    policies = compiled_policies(game, args.policies)
    config = {
        "game": game.name,
        "rules": options,
        "policies": [policy.name for policy in policies],
        "games": args.games,
        "seed": args.seed,
    }
    folder = records.open_run(NAME, args.output, config, args.resume)
    finished = {record["match"] for record in records.read_jsonl(folder / "games.jsonl")}
    journal = records.JsonlWriter(folder / "games.jsonl")
    try:
        with progress_bar() as bar:
            for pair in combinations(policies, 2):
                matches = pair_matches(game, rules, options, pair, args)
                missing = [match for match in matches if match.name not in finished]
                name = f"{pair[0].name} - {pair[1].name}"
                task = bar.add_task(name, total=len(matches), completed=len(matches) - len(missing))
                played = pairings.play_parallel(
                    rules,
                    list(pair),
                    np.array([match.seed for match in missing], np.uint64),
                    np.array([[pair.index(policy) for policy in match.seats] for match in missing]),
                    partial(bar.advance, task),
                )
                journal.write_all(
                    [
                        match.record(*outcome)
                        for match, outcome in zip(missing, pairings.each_game(played), strict=True)
                    ]
                )
    finally:
        journal.close()
    summary = {
        "config": config,
        **margins(records.read_jsonl(folder / "games.jsonl"), policies, rules),
    }
    records.write_json(folder / "summary.json", summary)
    write_report(folder, summary)
    if args.json:
        print(json.dumps(summary))
    else:
        console = Console()
        console.print(margin_table(summary).rich(f"{game.title}: {summary['unit']}"))
        console.print(f"Report: {folder / 'report.html'}", soft_wrap=True, highlight=False)


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


def pair_matches(
    game: core.GameSpec,
    rules: Any,
    options: dict[str, Any],
    pair: tuple[KernelPolicy, KernelPolicy],
    args: Args,
) -> list[match_play.SeatedMatch]:
    """Every deal once with either policy in the first seat."""
    seeds, seating = pairings.duel_seating(2, args.games, args.seed)
    return [
        match_play.SeatedMatch(
            NAME,
            f"{pair[0].name}/{pair[1].name}/{g // 2}/{g % 2}",
            game,
            rules,
            options,
            int(seeds[g]),
            [pair[k] for k in seating[g]],
        )
        for g in range(len(seeds))
    ]


def scale_of(game: str, rules: Any) -> tuple[str, float]:
    """The unit that a game's margins are quoted in, and how many of it a return of 1 a game is."""
    if game == "texas_holdem" and not rules.carry:
        return BIG_BLINDS, 100 / rules.hands
    return RETURN, 1.0


def margins(
    played: Iterable[dict[str, Any]], policies: list[KernelPolicy], rules: Any
) -> dict[str, Any]:
    """``unit``, and for each pair the first policy's margin and how often it came out ahead."""
    by_pair: dict[str, list[dict[str, Any]]] = {}
    game = ""
    for record in played:
        by_pair.setdefault(record["match"].rsplit("/", 2)[0], []).append(record)
        game = record["game"]
    unit, scale = scale_of(game, rules)
    rows = []
    for one, other in combinations(policies, 2):
        pair = by_pair[f"{one.name}/{other.name}"]
        won = np.array([record["returns"][record["seats"].index(one.name)] for record in pair])
        deals = np.array([record["seed"] for record in pair])
        rows.append(
            {
                "one": one.name,
                "other": other.name,
                "margin": bootstrap_mean(scale * won, deals, chance=0.0).record(),
                "ahead": bootstrap_mean(won > 0, deals, chance=0.5).record(),
            }
        )
    return {"unit": unit, "pairs": rows}


def margin_table(summary: dict[str, Any]) -> Table:
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


def write_report(folder: Path, summary: dict[str, Any]) -> None:
    """Write ``report.md`` and ``report.html``."""
    config = summary["config"]
    options = rules_text(config["rules"])
    page = Page(
        f"Duels: {spec(config['game']).title}",
        f"Margins are in {summary['unit']}, with 95% intervals from resampling pairs of games. "
        "The two games of a pair have the same seed, so the same cards or dice, with the seats "
        "changed; equal players have margin 0.",
    )
    page.table(margin_table(summary))
    page.bullets(
        [
            "**ahead**: share of games with a positive return.",
            f"Options in force: {options or 'none'}. Seed {config['seed']}.",
        ]
    )
    page.write(folder)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
