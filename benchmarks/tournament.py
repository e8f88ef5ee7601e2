"""Policies of a game against each other: cross table and ratings, with intervals.

    python -m benchmarks.tournament
    python -m benchmarks.tournament --game chess --policies random,mcts:50,llm:M --base-url URL
    python -m benchmarks.tournament --game tictactoe --policies a,b,c,d,e,f,g,h --format swiss

Every pairing plays the same seeds, each seed once from either seat. In a round robin everyone meets
everyone; a Swiss tournament has as many rounds as it takes to tell the best, in each of which
neighbours in the standings meet who have not met before.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, log2
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from rich.console import Console

from stratagym.agents.core import Policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import cli, records, workers
from stratagym.benchmarks.harness.decisions import TRANSPORT, item_seed
from stratagym.benchmarks.harness.policies import make_policies, settings, usage
from stratagym.benchmarks.harness.progress import counter, progress_bar
from stratagym.benchmarks.harness.workers import Match, MatchArgs
from stratagym.benchmarks.reporting.page import Page, RateCell, Table, against, code, count, number
from stratagym.benchmarks.reporting.plots import drawing, heat_map, short_labels
from stratagym.benchmarks.reporting.ratings import rate
from stratagym.benchmarks.reporting.sections import RATINGS, model_table
from stratagym.benchmarks.reporting.stats import bootstrap_mean, wilson
from stratagym.envs import spec
from stratagym.envs.core import GameSpec

NAME = "tournament"
ROUND_ROBIN, SWISS = "round_robin", "swiss"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(MatchArgs):
    game: str = "connect_four"
    """The game; of those for more than two players, ludo is played by two here."""
    policies: Annotated[str, Parameter(name=["--policies", "--policy"])] = (
        "random,mcts:20,mcts:40,mcts:80,alphabeta:2"
    )
    """Policies, separated by commas."""
    format: str = ROUND_ROBIN
    """"round_robin" (everyone meets everyone) or "swiss"."""
    games: int = 40
    """Games of a pairing, rounded up to an even number: every seed is played from both seats."""
    rounds: int | None = None
    """Rounds of a Swiss tournament; default the logarithm to base 2 of the number of policies."""
    rules: str = ""
    """Options of the game, such as stacking=safe,home=exact."""
    seed: int = 0
    """Seed of the games; the same for every pairing."""
    output: str | None = None
    """Folder of the run; default results/tournament/<time>."""
    resume: bool = False
    """Go on with the run in --output, or with the newest."""
    json: bool = False
    """Print the summary as JSON instead of tables."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play policies of a game against each other."""
    game, options = _game(args)
    protocol = args.answer_protocol(game)
    if args.games < 1:
        raise cli.InputError(f"--games {args.games}: at least 1 is needed")
    executor = args.executor_options()
    policies = {p.name: p for p in make_policies(game, args.policies, args)}
    if len(policies) < 2:
        raise cli.InputError("--policies: name at least two different ones")
    config = {
        **settings(list(policies.values())),
        "game": game.name,
        "rules": game.options_in_force(**options),
        "format": args.format,
        "rounds": _rounds(args, len(policies)),
        "games": args.games + args.games % 2,
        **protocol.record(),
        "seed": args.seed,
    }
    folder = records.open_run(NAME, args.output, config, args.resume)

    def items(pairings: Sequence[tuple[str, str]], label: str = "") -> list[Match]:
        return [
            Match(
                NAME,
                f"{label}{a}/{b}/{k}/{swapped}",
                game.name,
                options,
                item_seed(args.seed, game.name, str(k)),
                (b, a) if swapped else (a, b),
                protocol,
            )
            for a, b in pairings
            for k in range(config["games"] // 2)
            for swapped in range(2)
        ]

    with progress_bar() as bar:

        def play(pairings: Sequence[tuple[str, str]], label: str = "") -> list[workers.Record]:
            wanted = items(pairings, label)
            played = workers.play_all(
                wanted,
                folder,
                concurrency=args.concurrency,
                policies=policies,
                done=counter(bar, label.rstrip("/") or game.name, len(wanted)),
                **executor,
            )
            return list(played.values())

        if args.format == SWISS:
            played, byes = swiss(list(policies), config["rounds"], play)
        else:
            played, byes = play(list(combinations(policies, 2))), {}
    summary = summarise(folder, policies, played, config, byes)
    records.write_json(folder / "summary.json", summary)
    write_report(folder, summary)
    if args.json:
        print(json.dumps(summary))
    else:
        screen(Console(), summary, folder)


def _game(args: Args) -> tuple[GameSpec, dict[str, Any]]:
    """The game and those of its options that are not at their defaults."""
    try:
        game = spec(args.game)
        options: dict[str, Any] = cli.pairs("--rules", args.rules)
        if "players" in game.options and game.min_players == 2:
            options.setdefault("players", 2)
        rules = game.make_rules(**options)
    except (ValueError, TypeError) as error:
        raise cli.InputError(str(error)) from None
    if game.utility == "identical":
        raise cli.InputError(
            f"--game {game.name}: its players win or lose together, so that nobody can be rated "
            "against another; use python -m benchmarks.hanabi_teams"
        )
    if rules.num_players != 2:
        raise cli.InputError(
            f"--game {game.name} with {rules.num_players} players: a tournament seats two; for "
            "more use python -m benchmarks.ludo_arena"
        )
    return game, options


def _rounds(args: Args, players: int) -> int | None:
    """Rounds of a Swiss tournament, None for a round robin."""
    if args.format not in (ROUND_ROBIN, SWISS):
        raise cli.InputError(f"--format {args.format!r}: choose {ROUND_ROBIN} or {SWISS}")
    if args.format == ROUND_ROBIN:
        if args.rounds is not None:
            raise cli.InputError(f"--rounds: goes with --format {SWISS}")
        return None
    most = ceil(players / 2)
    rounds = ceil(log2(players)) if args.rounds is None else args.rounds
    if not 1 <= rounds <= most:
        raise cli.InputError(
            f"--rounds {rounds}: 1 to {most} with {players} policies, so that nobody meets twice; "
            f"beyond that --format {ROUND_ROBIN} says more"
        )
    return rounds


# --- Swiss pairings --------------------------------------------------------------------------


def swiss(
    players: list[str], rounds: int, play: Callable[..., list[workers.Record]]
) -> tuple[list[workers.Record], dict[str, int]]:
    """Play round after round; returns all games, and who was left out in which round.

    Raises:
        InputError: transport failures left a round unfinished, and the next cannot be paired.
    """
    standings = dict.fromkeys(players, 0.0)
    met: set[frozenset[str]] = set()
    byes: dict[str, int] = {}
    played: list[workers.Record] = []
    for at in range(1, rounds + 1):
        pairings, bye = pair(standings, met, set(byes))
        if bye is not None:
            byes[bye] = at
            standings[bye] += 1.0
        new = play(pairings, f"round {at}/")
        broken = sum(game["returns"] is None for game in new)
        if broken:
            raise cli.InputError(
                f"round {at}: transport failures broke off {broken} of {len(new)} games, and the "
                "next round cannot be paired; --resume goes on with them"
            )
        for game in new:
            first = points(game)
            share = len(pairings) / len(new)
            standings[game["seats"][0]] += share * first
            standings[game["seats"][1]] += share * (1 - first)
        met |= {frozenset(pairing) for pairing in pairings}
        played += new
    return played, byes


def pair(
    standings: dict[str, float], met: set[frozenset[str]], rested: set[str]
) -> tuple[list[tuple[str, str]], str | None]:
    """Pairings of the next Swiss round, and who has a bye where the number is odd.

    The first in the standings meets the highest that it has not met, and so on, as far as that
    leaves an opponent for everybody; the bye goes to the lowest that has had none. There are always
    such pairings in the first half as many rounds as there are players (Dirac's theorem).
    """
    order = sorted(standings, key=lambda name: -standings[name])
    resting = [None] if len(order) % 2 == 0 else [n for n in reversed(order) if n not in rested]

    def match_up(left: list[str]) -> list[tuple[str, str]] | None:
        if not left:
            return []
        for opponent in left[1:]:
            if frozenset((left[0], opponent)) not in met:
                rest = match_up([name for name in left[1:] if name != opponent])
                if rest is not None:
                    return [(left[0], opponent), *rest]
        return None

    for bye in resting:
        pairings = match_up([name for name in order if name != bye])
        if pairings is not None:
            return pairings, bye
    raise ValueError("everybody has met everybody")


def points(game: workers.Record) -> float:
    """What the first seat's player scores: 1 for a win, 0.5 for a draw."""
    first, second = game["returns"]
    return 0.5 + 0.5 * (first > second) - 0.5 * (first < second)


# --- figures ---------------------------------------------------------------------------------


def summarise(
    folder: Path,
    policies: dict[str, Policy],
    played: list[workers.Record],
    config: dict[str, Any],
    byes: dict[str, int],
) -> dict[str, Any]:
    """The content of ``summary.json``."""
    names = {game["match"] for game in played}
    broken = Counter(
        game["match"]
        for game in records.read_jsonl(folder / "games.jsonl")
        if game["ended_by"] == TRANSPORT and game["match"] in names
    )
    pairs: defaultdict[tuple[str, str], list[workers.Record]] = defaultdict(list)
    for game in played:
        a, b = game["seats"]
        pairs[(a, b) if (a, b) in pairs or (b, a) not in pairs else (b, a)].append(game)
    whole = [game for game in played if game["returns"] is not None]
    ratings = rate([(*game["seats"], points(game), game["seed"]) for game in whole])
    models = usage(records.read_jsonl(folder / "decisions.jsonl"), policies.values())
    rows = {}
    for name, policy in policies.items():
        mine = [game for game in whole if name in game["seats"]]
        lost = sum(
            game["forfeited_by"] is not None and game["seats"][game["forfeited_by"]] == name
            for game in mine
        )
        rows[name] = {
            **ratings.get(name, {"games": 0, "points": 0.0, "bradley_terry": None}),
            "forfeits": wilson(lost, len(mine)).record()
            if isinstance(policy, LanguageModel)
            else None,
            "transport_breaks": sum(
                broken[game["match"]] for game in played if name in game["seats"]
            ),
            "bye_in_round": byes.get(name),
        }
    return {
        "config": config,
        "policies": rows,
        "pairings": [_pairing(a, b, members) for (a, b), members in pairs.items()],
        "models": models,
    }


def _pairing(a: str, b: str, played: list[workers.Record]) -> dict[str, Any]:
    """How ``a`` fared against ``b``; seeds are resampled for the intervals."""
    whole = [game for game in played if game["returns"] is not None]
    score = np.array([points(g) if g["seats"][0] == a else 1 - points(g) for g in whole])
    seeds = np.array([game["seed"] for game in whole])
    return {
        "a": a,
        "b": b,
        "score": bootstrap_mean(score, seeds, chance=0.5).record(),
        "wins": bootstrap_mean(score == 1, seeds).record(),
        "draws": bootstrap_mean(score == 0.5, seeds).record(),
        "losses": bootstrap_mean(score == 0, seeds).record(),
        "different_games": len({(g["seats"][0], tuple(g["actions"])) for g in whole}),
        "endings": dict(Counter(game["ended_by"] for game in whole)),
        "mean_plies": float(np.mean([game["plies"] for game in whole])) if whole else None,
        "broken_off": len(played) - len(whole),
    }


# --- report ----------------------------------------------------------------------------------


def rating_table(summary: dict[str, Any]) -> Table:
    """Players by rating, with what did not go by the rules."""
    table = Table(
        ["player", "Bradley-Terry", "95%", "Elo", "points", "games", "forfeits", "replays"]
    )
    rows = summary["policies"].items()
    for name, row in sorted(rows, key=lambda item: -(item[1]["bradley_terry"] or -np.inf)):
        unrated = row["bradley_terry"] is None
        table.rows.append(
            [
                code(name),
                "–" if unrated else f"{row['bradley_terry']:.0f}",
                "–" if unrated else f"[{row['low']:.0f}, {row['high']:.0f}]",
                "–" if unrated else f"{row['elo']:.0f}",
                f"{row['points']:g}",
                count(row["games"]),
                RateCell(row["forfeits"], strip=False),
                count(row["transport_breaks"]),
            ]
        )
    return table


def pairing_table(summary: dict[str, Any], *, full: bool = True) -> Table:
    """Every pairing with its wins, draws and losses; their shares if ``full``."""
    shares = ["wins", "draws", "losses"] if full else []
    table = Table(["pairing", "W-D-L", "score", *shares, "different"])
    for row in summary["pairings"]:
        n = row["score"]["n"]
        wdl = [round(n * (row[key]["value"] or 0)) for key in ("wins", "draws", "losses")]
        table.rows.append(
            [
                f"{code(row['a'])} – {code(row['b'])}",
                "-".join(map(str, wdl)),
                RateCell(row["score"]),
                *(RateCell(row[key], strip=False) for key in shares),
                f"{row['different_games']}/{n}",
            ]
        )
    return table


def draw_cross_table(folder: Path, summary: dict[str, Any]) -> Path:
    """Heat map of every row player's score against every column player, best rated first."""
    rows = summary["policies"]
    names = sorted(rows, key=lambda name: -(rows[name]["bradley_terry"] or -np.inf))
    cells: dict[tuple[str, str], tuple[float, bool]] = {}
    for row in summary["pairings"]:
        value = row["score"]["value"]
        if value is not None:
            strong = against(row["score"], 0.5) != 0
            cells[row["a"], row["b"]] = value, strong
            cells[row["b"], row["a"]] = 1 - value, strong
    labels = list(short_labels(names).values())
    size = 0.62 * len(names)
    with drawing(folder, "cross_table", 2.4 + size, 1.6 + 0.62 * size) as figure:
        axes = figure.subplots()
        heat_map(
            axes,
            [[cells.get((a, b), (None, False))[0] for b in names] for a in names],
            labels,
            labels,
            colours="RdBu",
            limits=(0.0, 1.0),
            texts=[
                [number(cells[a, b][0]) if (a, b) in cells else "" for b in names] for a in names
            ],
            strong=[[cells.get((a, b), (None, False))[1] for b in names] for a in names],
        )
        axes.tick_params(axis="x", labelrotation=40)
        axes.set_xlabel("against")
    return folder / "cross_table.png"


def write_report(folder: Path, summary: dict[str, Any]) -> None:
    """Write ``report.md``, ``report.html`` and the cross table as a picture."""
    config = summary["config"]
    page = Page(
        f"{spec(config['game']).title}: a tournament",
        "A score counts a draw as half a win. Intervals are 95%, from resampling seeds, of which "
        "each was played from both seats.",
    )
    rounds = "" if config["rounds"] is None else f", {config['rounds']} rounds"
    page.figures_in_brief(
        [
            (count(len(summary["policies"])), "policies"),
            (count(sum(row["score"]["n"] for row in summary["pairings"])), "games"),
            (count(config["games"]), "games a pairing"),
            (config["format"].replace("_", " "), f"format{rounds}"),
        ]
    )
    page.heading("Ratings")
    page.table(rating_table(summary))
    page.heading("Cross table")
    page.figure(
        draw_cross_table(folder, summary),
        "Score of the row against the column; bold where the interval excludes one half.",
        "Heat map of scores between all policies",
    )
    page.table(pairing_table(summary))
    if summary["models"]:
        page.heading("Language models")
        page.table(model_table(summary), "Answers by kind")
        text = config["text"]
        listed = "with" if text["list_legal"] else "without"
        told = "; the game under made-up names" if text["renamed"] else ""
        seconds = config["time_limit_s"]
        limit = "no time limit" if seconds is None else f"{seconds:g} s a move"
        page.text(
            f"Prompts {listed} the list of legal moves{told}; {config['tries']} tries a move, "
            f"then {code(config['invalid'])}; {limit}."
        )
    page.heading("Options in force")
    page.listing("\n".join(f"{k}={v}" for k, v in config["rules"].items()) or "none")
    alike = [
        row for row in summary["pairings"] if 0 < row["different_games"] * 2 < row["score"]["n"]
    ]
    for row in alike:
        page.note(
            f"{code(row['a'])} against {code(row['b'])}: only {row['different_games']} different "
            f"games of {row['score']['n']}, as neither player leaves much to chance; the interval "
            "takes copies for evidence and is too narrow.",
            warning=True,
        )
    page.heading("Words")
    page.bullets(
        [
            RATINGS,
            "**Forfeits**: share of games lost because no legal answer came, or none in time.",
            "**Replays**: how often a transport failure broke off a game, which was then gone on "
            "with; never counted as play.",
            "**Different**: games that differ in their moves or in who began.",
        ]
    )
    page.write(folder)


def screen(console: Console, summary: dict[str, Any], folder: Path) -> None:
    """Print the final tables."""
    config = summary["config"]
    console.print(rating_table(summary).rich(f"{spec(config['game']).title}: ratings"))
    console.print(pairing_table(summary, full=False).rich("Pairings"))
    if summary["models"]:
        console.print(model_table(summary).rich("Language models"))
    console.print(f"Report: {folder / 'report.html'}", soft_wrap=True, highlight=False)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
