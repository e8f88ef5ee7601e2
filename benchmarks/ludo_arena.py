"""Whole games of Ludo between policies, with two, three and four players.

    python -m benchmarks.ludo_arena
    python -m benchmarks.ludo_arena --policies gt,gt:1 --players 2 --games 10000
    python -m benchmarks.ludo_arena --policies random,llm:M --base-url URL --games 8 --players 2

With two players a pairing is a against b; with more it is one a against the rest, all b. Every
seed is played once from each seat. Language models get their turns as prompts.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from rich.console import Console

from stratagym.agents.core import Policy
from stratagym.benchmarks.harness import cli, match_play, records
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.pairings import duel_seating
from stratagym.benchmarks.harness.policies import make_policies, settings, usage
from stratagym.benchmarks.harness.progress import counter, progress_bar
from stratagym.benchmarks.harness.workers import Match, MatchArgs, play_all
from stratagym.benchmarks.ludobench import arena_report
from stratagym.benchmarks.ludobench.metrics import AS_PUBLISHED_RULES
from stratagym.benchmarks.reporting.stats import bootstrap_mean
from stratagym.envs import spec
from stratagym.envs.ludo.metrics import COUNTS, game_counts

NAME = "ludo_arena"
GAME = spec("ludo")


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(MatchArgs):
    policies: Annotated[str, Parameter(name=["--policies", "--policy"])] = "random,heuristic,gt"
    """Policies, separated by commas: random, heuristic, gt, gt:DEPTH, mcts:SIMULATIONS, llm,
    llm:MODEL."""
    players: str = "2,3,4"
    """Numbers of players, separated by commas."""
    games: int = 1000
    """Games for each pairing, rounded up so that every seed is played from every seat."""
    depth: int = 2
    """Decisions that gt looks ahead."""
    rules: str = ""
    """Options of the game, such as stacking=safe,home=exact."""
    as_published: bool = False
    """The rules of the LudoBench authors' released code: stacking=safe,home=exact."""
    invalid: str = match_play.RANDOM
    """After the last bad answer: "random" plays a legal move, "forfeit" loses the game."""
    time_limit: float | None = None
    """Seconds a model may take over a move, all its answers together; default no limit."""
    timeout: float = 60.0
    """Seconds to wait for a reply before trying again; less than --time-limit makes a slow model's
    replies transport failures."""
    seed: int = 0
    """Seed of the games; the same for every pairing."""
    output: str | None = None
    """Folder of the run; default results/ludo_arena/<time>."""
    resume: bool = False
    """Go on with the run in --output, or with the newest."""
    json: bool = False
    """Print the summary as JSON instead of tables."""


@dataclass(frozen=True)
class Pairing:
    """One policy against the rest, in games of ``players``."""

    players: int
    one: str
    rest: str

    @property
    def name(self) -> str:
        return f"{self.players}p/{self.one}/{self.rest}"


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play whole games of Ludo and report win rates."""
    players = [_players(word) for word in cli.words(args.players)]
    if args.games < 1:
        raise cli.InputError(f"--games {args.games}: at least 1 is needed")
    protocol = args.answer_protocol(GAME)
    executor = args.executor_options()
    options = dict(AS_PUBLISHED_RULES) if args.as_published else {}
    options |= cli.pairs("--rules", args.rules)
    try:
        rules = {n: GAME.make_rules(players=n, **options) for n in players}
    except (ValueError, TypeError) as error:
        raise cli.InputError(str(error)) from None
    policies = {p.name: p for p in make_policies(GAME, args.policies, args, depth=args.depth)}
    if len(policies) < 2:
        raise cli.InputError("--policies: name at least two different ones")
    pairings = [
        Pairing(n, a, b)
        for n in players
        for a, b in permutations(policies, 2)
        if n > 2 or list(policies).index(a) > list(policies).index(b)
    ]
    config = {
        **settings(list(policies.values())),
        "players": players,
        "games": args.games,
        "rules": {n: GAME.options_in_force(players=n, **options) for n in players},
        **protocol.record(),
        "seed": args.seed,
    }
    folder = records.open_run(NAME, args.output, config, args.resume)
    with progress_bar() as bar:
        for pairing in pairings:
            items = pairing_items(pairing, options, protocol, args)
            play_all(
                items,
                folder,
                concurrency=args.concurrency,
                policies=policies,
                replays=0,
                done=counter(bar, pairing.name, len(items)),
                **executor,
            )
    summary = summarise(folder, pairings, rules, policies, config)
    records.write_json(folder / "summary.json", summary)
    arena_report.write(folder, summary, "Ludo arena")
    if args.json:
        print(json.dumps(summary))
    else:
        arena_report.screen(Console(), summary, folder)


def _players(word: str) -> int:
    if word not in ("2", "3", "4"):
        raise cli.InputError(f"--players {word!r}: choose from 2, 3, 4")
    return int(word)


def pairing_items(
    pairing: Pairing, options: dict[str, Any], protocol: match_play.AnswerProtocol, args: Args
) -> list[Match]:
    """All matches of a pairing, in the order of their seeds."""
    two = pairing.one, pairing.rest
    seeds, seating = duel_seating(pairing.players, args.games, args.seed)
    return [
        Match(
            NAME,
            f"{pairing.name}/{g // pairing.players}/{g % pairing.players}",
            GAME.name,
            {"players": pairing.players, **options},
            int(seeds[g]),
            tuple(two[k] for k in seating[g]),
            protocol,
        )
        for g in range(len(seeds))
    ]


def summarise(
    folder: Path,
    pairings: list[Pairing],
    rules: dict[int, Any],
    policies: dict[str, Policy],
    config: dict[str, Any],
) -> dict[str, Any]:
    """The content of ``summary.json``, from the records on disk."""
    # A match that was broken off and played on later has a second, whole record.
    last = {game["match"]: game for game in records.read_jsonl(folder / "games.jsonl")}
    games = defaultdict(list)
    aborted: Counter[str] = Counter()
    for game in last.values():
        name = game["match"].rsplit("/", 2)[0]
        if game["ended_by"] == TRANSPORT:
            aborted[name] += 1
        else:
            games[name].append(game)
    table = []
    for pairing in pairings:
        played = games[pairing.name]
        seat = [game["seats"].index(pairing.one) for game in played]
        # 1 is winning alone; where somebody forfeits, the others share it.
        won = np.array([game["returns"][k] == 1 for game, k in zip(played, seat, strict=True)])
        table.append(
            {
                "players": pairing.players,
                "one": pairing.one,
                "rest": pairing.rest,
                "win_rate": bootstrap_mean(
                    won, np.array([g["seed"] for g in played]), chance=1 / pairing.players
                ).record(),
                "endings": dict(Counter(game["ended_by"] for game in played)),
                "transport_aborted": aborted[pairing.name],
                "mean_plies": float(np.mean([game["plies"] for game in played]))
                if played
                else None,
                "process": _process(rules[pairing.players], played, pairing),
            }
        )
    decisions = records.read_jsonl(folder / "decisions.jsonl")
    return {"config": config, "pairings": table, "models": usage(decisions, policies.values())}


def _process(rules: Any, played: list[dict[str, Any]], pairing: Pairing) -> dict[str, Any]:
    """Per game and seat of each side: the mean of every count, with its interval."""
    if not played:
        return {}
    plies = np.array([game["plies"] for game in played])
    actions = np.zeros((len(played), plies.max()), np.int16)
    for g, game in enumerate(played):
        actions[g, : plies[g]] = game["actions"]
    seeds = np.array([game["seed"] for game in played], np.uint64)
    counts = game_counts(rules, seeds, actions, plies)
    is_one = np.array([[name == pairing.one for name in game["seats"]] for game in played])
    result = {}
    for side, mine in (("one", is_one), ("rest", ~is_one)):
        per_game = (counts * mine[:, :, None]).sum(1) / mine.sum(1)[:, None]
        result[side] = {
            name: bootstrap_mean(per_game[:, k], seeds, draws=400).record()
            for k, name in enumerate(COUNTS)
        }
    return result


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
