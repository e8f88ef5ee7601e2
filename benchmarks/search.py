"""How fast and how strong the searches are, beside OpenSpiel's Monte Carlo tree search in C++.

Three things in one run: simulations per CPU-second on the same positions, ours and OpenSpiel's in
turn; games between the two at equal simulations, every opening once with each side; decisions per
CPU-second of the searches that OpenSpiel has no like of.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cyclopts import Parameter
from rich.console import Console
from rich.progress import Progress

from stratagym import envs
from stratagym.agents.core import Decision, Policy, decision_for, make_policy
from stratagym.agents.kernel_policies import KernelPolicy
from stratagym.agents.mcts import MCTS
from stratagym.benchmarks.harness import cli, match_play, records
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.progress import progress_bar
from stratagym.benchmarks.ludobench.spots import SHIPPED, load_spots, rules_for
from stratagym.benchmarks.reporting.page import Page, RateCell, Table, code, count
from stratagym.benchmarks.reporting.stats import bootstrap_mean, wilson
from stratagym.benchmarks.speed.openspiel import TITLES, MCTSBot
from stratagym.benchmarks.speed.peers import Episode
from stratagym.benchmarks.throughput import machine, machine_line, rate, short, spread_of
from stratagym.envs import core, spec

NAME = "search"
SIMULATIONS = {"connect_four": 1000, "chess": 40}
"""A move in the games against MCTSBot, by default."""
GAMES = {"connect_four": 200, "chess": 40}
TIMED = {"connect_four": 5000, "chess": 200}
"""Simulations of a search that is timed; ``TIMED_OTHERS`` in the other games."""
TIMED_OTHERS = 500
PLIES = range(0, 16, 2)
"""Random moves before the positions that are timed."""
DEPTHS = {"connect_four": (4, 6, 8), "chess": (2, 3, 4)}
"""Depths of the alpha-beta searches that are timed."""
LUDO = ("heuristic", "gt:2", "gt:3")
CUT = "cut"
"""How a game ended that reached ``--max-plies``."""


@Parameter(name="*")
@dataclass(kw_only=True)
class Args:
    boards: str = "connect_four,chess"
    """Games, separated by commas; those that OpenSpiel has too are compared with it."""
    simulations: int | None = None
    """Simulations a move in the games between the two; default 1000, and 40 in chess."""
    games: int | None = None
    """Games of each pairing, an even number; default 200, and 40 in chess; 0 plays none."""
    opening: int = 4
    """Random moves at the start of a game, the same for both colours."""
    max_plies: int = 400
    """Plies after which a game counts as drawn."""
    exploration: float = 1.4
    """UCT's constant, of both sides."""
    seconds: float = 0.5
    """Length of one repeat of a measurement of speed."""
    repeats: int = 5
    """Repeats; the median is the rate."""
    peers: bool = True
    """Compare with OpenSpiel."""
    searchers: bool = True
    """Time the other searches too: alpha-beta, and the expectimax of Ludo."""
    spots: Path = SHIPPED
    """Ludo positions that expectimax is timed on: a file or folder of LudoBench spots."""
    seed: int = 0
    """Seed of every random choice."""
    output: str | None = None
    """Folder of the run; default results/search/<time>."""
    resume: bool = False
    """Go on with the run in --output, or with the newest; speeds are measured again."""
    json: bool = False
    """Print the summary as JSON instead of tables."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Measure searches: simulations and decisions per CPU-second, and strength."""
    boards = check(args)
    spots, _ = load_spots(args.spots)
    config: dict[str, Any] = {
        "boards": boards,
        "simulations": {b: args.simulations or SIMULATIONS[b] for b in boards if b in TITLES},
        "games": {b: GAMES[b] if args.games is None else args.games for b in boards if b in TITLES},
        "opening": args.opening,
        "max_plies": args.max_plies,
        "exploration": args.exploration,
        "seconds": args.seconds,
        "repeats": args.repeats,
        "peers": args.peers,
        "searchers": args.searchers,
        "spots": len(spots),
        "seed": args.seed,
    }
    if not args.peers:
        config["games"] = dict.fromkeys(config["games"], 0)
    pairings = [
        pairing
        for board, games in config["games"].items()
        for pairing in board_pairings(board, config["simulations"][board], args)
        if games
    ]
    folder = records.open_run(NAME, args.output, config, args.resume)
    finished = {game["match"] for game in records.read_jsonl(folder / "games.jsonl")}
    with progress_bar() as bar:
        speed = {board: time_mcts(board, args, bar) for board in boards}
        decisions = time_searchers(boards, spots, args, bar) if args.searchers else []
        journal = records.JsonlWriter(folder / "games.jsonl")
        try:
            for pairing in pairings:
                matches = pairing.matches(config["games"][pairing.board], args.seed)
                missing = [match for match in matches if match.name not in finished]
                done = len(matches) - len(missing)
                task = bar.add_task(pairing.name, total=len(matches), completed=done)
                for match in missing:
                    journal.write(play(match, pairing.bot, args))
                    bar.advance(task)
        finally:
            journal.close()
    summary = {
        "config": config,
        "machine": machine(),
        "speed": speed,
        "decisions": decisions,
        "strength": strength(records.read_jsonl(folder / "games.jsonl"), pairings),
    }
    records.write_json(folder / "summary.json", summary)
    write_report(folder, summary)
    if args.json:
        print(json.dumps(summary))
    else:
        screen(Console(), summary, folder)


def check(args: Args) -> list[str]:
    """The games to measure; raises ``InputError`` for arguments that make no sense."""
    boards, known = cli.words(args.boards), envs.games()
    for board in boards:
        if board not in known:
            raise cli.InputError(f"--boards: unknown {board!r}; choose from: {', '.join(known)}")
    if not boards:
        raise cli.InputError(f"--boards: name at least one of {', '.join(known)}")
    if args.simulations is not None and args.simulations < 2:
        raise cli.InputError(f"--simulations {args.simulations}: at least 2 are needed")
    if args.games is not None and (args.games < 0 or args.games % 2):
        raise cli.InputError(f"--games {args.games}: an even number is needed, or 0")
    if args.opening < 0 or args.max_plies <= args.opening:
        raise cli.InputError("--opening, --max-plies: 0 or more, and a game must go on after it")
    if not args.exploration >= 0:
        raise cli.InputError(f"--exploration {args.exploration:g}: 0 or more is needed")
    if not 0 < args.seconds < 3600 or args.repeats < 1:
        raise cli.InputError("--seconds, --repeats: a time above 0 and at least one repeat")
    return list(dict.fromkeys(boards))


# --- speed ---------------------------------------------------------------------------------------


def opening_moves(game: core.GameSpec, rules: Any, plies: int, seed: int) -> list[int]:
    """Random legal moves after which the game goes on."""
    rng = np.random.default_rng(seed)
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    while True:
        moves: list[int] = []
        player = core.start_at(rules, states, 0, np.uint64(seed), probs)
        n = core.legal_actions_at(rules, states, 0, legal)
        while len(moves) < plies and player >= 0:
            moves.append(int(rng.choice(legal[:n])))
            player, n = core.play_at(rules, states, 0, moves[-1], legal, probs)
        if player >= 0:
            return moves


def positions(board: str, plies: Iterable[int], seed: int) -> list[tuple[Decision, list[int]]]:
    """A view of the seat to move after so many random moves, and these moves, for each."""
    game = spec(board)
    rules, found = game.make_rules(), []
    for k, length in enumerate(plies):
        start = item_seed(seed, board, str(k))
        moves = opening_moves(game, rules, length, start)
        states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
        core.start_at(rules, states, 0, np.uint64(start), probs)
        for move in moves:
            core.play_at(rules, states, 0, move, legal, probs)
        found.append((decision_for(game, rules, states, start), moves))
    return found


def our_searches(board: str, args: Args) -> Episode:
    """One search of every position; returns the simulations."""
    policy = MCTS(TIMED.get(board, TIMED_OTHERS), args.exploration)
    views = [view for view, _ in positions(board, PLIES, args.seed)]

    def episode() -> int:
        for view in views:
            policy.act(view)
        return policy.simulations * len(views)

    return episode


def their_searches(board: str, args: Args) -> Episode:
    """The same of OpenSpiel's bot."""
    game, simulations = spec(board), TIMED[board]
    rules, bots = game.make_rules(), []
    for view, moves in positions(board, PLIES, args.seed):
        bot = MCTSBot(game, simulations, args.exploration, False)
        bot.begin(view.seed)
        states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
        core.start_at(rules, states, 0, np.uint64(view.seed), probs)
        for move in moves:
            bot.follow(states, move)
            core.play_at(rules, states, 0, move, legal, probs)
        bots.append(bot)

    def episode() -> int:
        for bot in bots:
            bot.search()
        return simulations * len(bots)

    return episode


def time_mcts(board: str, args: Args, bar: Progress) -> dict[str, Any]:
    """Simulations per CPU-second of ours and, where it has the game, of OpenSpiel's; in turn."""
    task = bar.add_task(f"{board}: simulations/s", total=args.repeats)
    ours: list[float] = []
    theirs: list[float] = []
    mine = our_searches(board, args)
    peer = their_searches(board, args) if args.peers and board in TITLES else None
    mine()
    for _ in range(args.repeats):
        ours.append(rate(mine, args.seconds))
        if peer:
            theirs.append(rate(peer, args.seconds))
        bar.advance(task)
    return {
        "simulations": TIMED.get(board, TIMED_OTHERS),
        "ours": spread_of(ours),
        "openspiel": spread_of(theirs),
        "ratio": spread_of([a / b for a, b in zip(ours, theirs, strict=False)]),
    }


def time_searchers(
    boards: list[str], spots: list[Any], args: Args, bar: Progress
) -> list[dict[str, Any]]:
    """Decisions per CPU-second of the rule-based player and expectimax of Ludo, and of alpha-beta
    on the boards it can play."""
    episodes = [("ludo", name, ludo_decisions(name, spots)) for name in LUDO]
    for board in boards:
        for depth in DEPTHS.get(board, ()):
            name = f"alphabeta:{depth}"
            episodes.append((board, name, fresh_decisions(board, name, args.seed)))
    task = bar.add_task("decisions/s", total=len(episodes))
    rows = []
    for board, name, episode in episodes:
        episode()
        rates = [rate(episode, args.seconds) for _ in range(args.repeats)]
        rows.append({"game": board, "policy": name, "rate": spread_of(rates)})
        bar.advance(task)
    return rows


def ludo_decisions(name: str, spots: list[Any]) -> Episode:
    """A decision of a compiled policy in every spot."""
    policy = make_policy(spec("ludo"), name)
    assert isinstance(policy, KernelPolicy)
    lots = []
    for players, group in itertools.groupby(
        sorted(spots, key=lambda spot: spot.players), key=lambda spot: spot.players
    ):
        rules = rules_for(players)
        states = np.concatenate([spot.states(rules) for spot in group])
        lots.append((rules, states, np.zeros(len(states), np.uint64)))

    def episode() -> int:
        for rules, states, seeds in lots:
            policy.act_each(rules, states, seeds)
        return len(spots)

    return episode


def fresh_decisions(board: str, name: str, seed: int) -> Episode:
    """A decision in each of many positions; every episode starts with an empty table."""
    views = [view for view, _ in positions(board, [*PLIES] * 16, seed)]

    def episode() -> int:
        policy = make_policy(spec(board), name)
        for view in views:
            policy.act(view)
        return len(views)

    return episode


# --- strength ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pairing:
    """Our search and OpenSpiel's, alike in all that can be set."""

    board: str
    ours: Policy
    bot: MCTSBot

    @property
    def name(self) -> str:
        return f"{self.board}/{self.ours.name}/{self.bot.name}"

    def matches(self, games: int, seed: int) -> list[match_play.SeatedMatch]:
        """Each opening, the match's seed, once with either side."""
        game = spec(self.board)
        rules, options = game.make_rules(), game.options_in_force()
        seats: list[Policy] = [self.ours, self.bot]
        return [
            match_play.SeatedMatch(
                NAME,
                f"{self.name}/{g // 2}/{g % 2}",
                game,
                rules,
                options,
                item_seed(seed, self.board, "opening", str(g // 2)),
                seats[:: -1 if g % 2 else 1],
            )
            for g in range(games)
        ]


def board_pairings(board: str, simulations: int, args: Args) -> list[Pairing]:
    """Plain UCT and ours that proves results against OpenSpiel's without and with its solver.

    Without it OpenSpiel's bot still knows a won or lost child for what it is, plain UCT does not.
    """
    game = spec(board)
    plain = make_policy(game, f"mcts:{simulations}?c={args.exploration:g}&solve=no")
    proving = make_policy(game, f"mcts:{simulations}?c={args.exploration:g}")
    theirs, theirs_proving = (
        MCTSBot(game, simulations, args.exploration, solve) for solve in (False, True)
    )
    return [
        Pairing(board, plain, theirs),
        Pairing(board, proving, theirs),
        Pairing(board, proving, theirs_proving),
    ]


def play(match: match_play.SeatedMatch, bot: MCTSBot, args: Args) -> dict[str, Any]:
    """The record of one game. It is over when either side's rules say so."""
    rules = match.rules
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    player = core.start_at(rules, states, 0, np.uint64(match.seed), probs)
    bot.begin(item_seed(match.seed, match.name))
    actions: list[int] = []
    opening = opening_moves(match.game, rules, args.opening, match.seed)
    while player >= 0 and not bot.over() and len(actions) < args.max_plies:
        if len(actions) < len(opening):
            action = opening[len(actions)]
        else:
            seed = item_seed(match.seed, match.name, str(len(actions)))
            action = match.seats[player].act(decision_for(match.game, rules, states, seed))
        bot.follow(states, action)
        player, _ = core.play_at(rules, states, 0, action, legal, probs)
        actions.append(action)
    returns = np.zeros(rules.num_players)
    core.returns_at(rules, states, 0, returns)
    ending = player if player < 0 else "openspiel" if bot.over() else CUT
    return match.record(actions, ending, returns.tolist())


def strength(games: Iterable[dict[str, Any]], pairings: list[Pairing]) -> list[dict[str, Any]]:
    """Results of our search by pairing, from the records."""
    by_name: dict[str, list[dict[str, Any]]] = {pairing.name: [] for pairing in pairings}
    for game in games:
        by_name[game["match"].rsplit("/", 2)[0]].append(game)
    rows = []
    for pairing in pairings:
        played = by_name[pairing.name]
        won = np.array([g["returns"][g["seats"].index(pairing.ours.name)] for g in played])
        rows.append(
            {
                "game": pairing.board,
                "ours": pairing.ours.name,
                "openspiel": pairing.bot.name,
                "wins": wilson(int((won > 0).sum()), len(won)).record(),
                "draws": wilson(int((won == 0).sum()), len(won)).record(),
                "losses": wilson(int((won < 0).sum()), len(won)).record(),
                "points": bootstrap_mean(
                    (won + 1) / 2, np.array([g["seed"] for g in played]), chance=0.5
                ).record(),
                "cut": sum(g["ended_by"] == CUT for g in played),
                "mean_plies": float(np.mean([g["plies"] for g in played])),
            }
        )
    return rows


# --- reporting -----------------------------------------------------------------------------------


def _rates(row: dict[str, float] | None) -> list[str]:
    if row is None:
        return ["–", "–"]
    return [short(row["median"]), f"{short(row['min'])}–{short(row['max'])}"]


def speed_table(summary: dict[str, Any]) -> Table:
    """Simulations per CPU-second."""
    table = Table(["game", "simulations", "ours/s", "range", "OpenSpiel/s", "range", "ratio"])
    for board, row in summary["speed"].items():
        ratio = "–" if row["ratio"] is None else f"{short(row['ratio']['median'])}x"
        table.rows.append(
            [
                spec(board).title,
                count(row["simulations"]),
                *_rates(row["ours"]),
                *_rates(row["openspiel"]),
                ratio,
            ]
        )
    return table


def strength_table(summary: dict[str, Any]) -> Table:
    """Results at equal simulations."""
    columns = ["game", "ours", "OpenSpiel", "games", "W-D-L", "points", "cut", "plies"]
    table = Table(columns, left=(1, 2))
    for row in summary["strength"]:
        n = row["points"]["n"]
        results = (round(row[key]["value"] * n) for key in ("wins", "draws", "losses"))
        table.rows.append(
            [
                spec(row["game"]).title,
                code(row["ours"]),
                code(row["openspiel"]),
                count(n),
                "-".join(map(str, results)),
                RateCell(row["points"]),
                count(row["cut"]),
                f"{row['mean_plies']:.0f}",
            ]
        )
    return table


def decision_table(summary: dict[str, Any]) -> Table:
    """Decisions per CPU-second."""
    table = Table(["game", "policy", "decisions/s", "range"], left=(1,))
    for row in summary["decisions"]:
        title = spec(row["game"]).title
        table.rows.append([title, code(row["policy"]), *_rates(row["rate"])])
    return table


def sections(summary: dict[str, Any]) -> list[tuple[str, str, Table]]:
    """(title, what it shows, table) of what was measured."""
    config = summary["config"]
    found: list[tuple[str, str, Callable[[dict[str, Any]], Table], str]] = [
        (
            "Simulations",
            "Simulations of Monte Carlo tree search per CPU-second, one thread, random playouts; "
            f"{len(PLIES)} positions after {PLIES[0]} to {PLIES[-1]} random moves, median and "
            f"range of {config['repeats']} repeats, the two in turn.",
            speed_table,
            "speed",
        ),
        (
            "Equal simulations",
            "Our search against OpenSpiel's with the same number of simulations and the same "
            f"exploration ({config['exploration']:g}); every opening of {config['opening']} random "
            "moves once with either side. Points are wins and half the draws; .50 is equal "
            "strength; intervals are 95%, from resampling openings.",
            strength_table,
            "strength",
        ),
        (
            "Other searches",
            f"Decisions per CPU-second, one thread: Ludo's in {config['spots']} LudoBench spots, "
            "alpha-beta's in positions after random moves, from an empty table.",
            decision_table,
            "decisions",
        ),
    ]
    return [(title, text, make(summary)) for title, text, make, key in found if summary[key]]


def write_report(folder: Path, summary: dict[str, Any]) -> None:
    """Write ``report.md`` and ``report.html``."""
    page = Page("Searches", f"Measured on {machine_line(summary['machine'])}.")
    for title, text, table in sections(summary):
        page.heading(title)
        page.text(text)
        page.table(table)
    page.write(folder)


def screen(console: Console, summary: dict[str, Any], folder: Path) -> None:
    """Print the final tables."""
    console.print(machine_line(summary["machine"]), highlight=False)
    for title, _, table in sections(summary):
        console.print(table.rich(title))
    console.print(f"Report: {folder / 'report.html'}", soft_wrap=True, highlight=False)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
