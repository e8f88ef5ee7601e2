"""Speed and strength of the searches, compared with OpenSpiel's Monte Carlo tree search in C++.

One run measures three things: simulations per CPU-second on the same positions, with both programs
in turn; games between the two programs at equal simulations, every opening once with each side; and
decisions per CPU-second of the searches that OpenSpiel does not have.

    python -m benchmarks.search
    python -m benchmarks.search --game connect_four --simulations 400 --games 100
    python -m benchmarks.search --games 0
    python -m benchmarks.search --no-peers

Needs OpenSpiel, pip install 'stratagym[peers]'; without it, add --no-peers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cyclopts import Parameter

from stratagym import envs
from stratagym.benchmarks.harness import cli, records
from stratagym.benchmarks.harness.begun import BEGUN, begun
from stratagym.benchmarks.harness.measuring import machine
from stratagym.benchmarks.harness.options import RunArgs
from stratagym.benchmarks.harness.policies import begun_players, versions
from stratagym.benchmarks.harness.progress import progress_bar
from stratagym.benchmarks.harness.spots import SHIPPED, load_spots
from stratagym.benchmarks.reporting.terminal import output_console
from stratagym.benchmarks.search import report as search_report
from stratagym.benchmarks.search.openspiel import TITLES
from stratagym.benchmarks.search.searches import Timing, time_mcts, time_searchers
from stratagym.benchmarks.search.strength import (
    NAME,
    Pairing,
    board_pairings,
    play,
    rival_pairings,
    strength,
)

SIMULATIONS = {"connect_four": 1000, "chess": 40}
"""A move in the games against MCTSBot, by default."""
GAMES = {"connect_four": 200, "chess": 40}


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(RunArgs):
    game: str = "connect_four,chess"
    """Games, separated by commas; games that OpenSpiel has too are compared with it."""
    simulations: int | None = None
    """Simulations per move in the games between the two programs; default 1000, in chess 40."""
    games: int | None = None
    """Games of each pairing, an even number; default 200, in chess 40; 0 for none."""
    opening: int = 4
    """Random moves at the start of a game, the same for both colours."""
    max_plies: int = 400
    """Plies after which a game counts as drawn."""
    exploration: float = 1.4
    """UCT's exploration constant, for both sides."""
    seconds: float = 0.5
    """Length of one repeat of a speed measurement, in seconds."""
    repeats: int = 5
    """Repeats; the median is the rate."""
    simulation_speed: bool = True
    """Time the simulations of Monte Carlo tree search."""
    peers: bool = True
    """Compare with OpenSpiel."""
    rivals: str = ""
    """Policies, separated by commas: the first plays each of the others in all games of --game."""
    searchers: bool = True
    """Time the other searches too: alpha-beta, and the expectimax of Ludo."""
    page: Path | None = None
    """A page in Markdown, such as docs/performance.md, in which the part between the lines `<!--
    search: begin -->` and `<!-- search: end -->` is replaced."""
    spots: Path = SHIPPED
    """Ludo positions for timing expectimax: a file or folder of LudoBench spots."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Measure searches: simulations and decisions per CPU-second, and strength."""
    boards = check(args)
    if args.page:
        cli.put_into(args.page, NAME)
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
        "spots": 0,
        "seed": args.seed,
        BEGUN: begun(NAME, args),
    }
    if not args.peers:
        config["games"] = {}
    if args.rivals:
        config["rivals"] = args.rivals
    measured = [board for board, games in config["games"].items() if games]
    for board in boards if args.rivals else []:
        config["games"].setdefault(board, args.games or GAMES["connect_four"])

    def pairings_with(players: Mapping[str, str]) -> list[Pairing]:
        found = [
            pairing
            for board in measured
            for pairing in board_pairings(
                board, config["simulations"][board], args.exploration, players
            )
        ]
        for board in boards if args.rivals else []:
            found += rival_pairings(board, cli.words(args.rivals), players)
        return found

    try:
        pairings = pairings_with({})
    except ValueError as error:
        raise cli.InputError(f"--rivals: {error}") from None
    spots, _ = load_spots(args.spots)  # after what may be missing is named: it compiles
    config["spots"] = len(spots)
    config |= versions(policy for each in pairings for policy in (each.ours, each.bot))
    if args.resume:
        old = records.begun_config(NAME, args.output)
        pairings = pairings_with(begun_players(config, old))
    folder = records.open_run(NAME, args.output, config, args.resume)
    finished = {game["match"] for game in records.read_games(folder)}
    timing = Timing(args.seconds, args.repeats, args.seed, args.exploration)
    with progress_bar() as bar:
        timed = boards if args.simulation_speed else []
        speed = {board: time_mcts(board, timing, args.peers, bar) for board in timed}
        decisions = time_searchers(boards, spots, timing, bar) if args.searchers else []
        writer = records.JsonlWriter(folder / "games.jsonl")
        try:
            for pairing in pairings:
                matches = pairing.matches(config["games"][pairing.board], args.seed)
                missing = [match for match in matches if match.name not in finished]
                done = len(matches) - len(missing)
                task = bar.add_task(pairing.name, total=len(matches), completed=done)
                for match in missing:
                    writer.write(play(match, pairing.bot, args.opening, args.max_plies))
                    bar.advance(task)
        finally:
            writer.close()
    summary = {
        "config": config,
        "machine": machine(),
        "speed": speed,
        "decisions": decisions,
        "strength": strength(records.read_games(folder), pairings),
    }
    records.write_json(folder / "summary.json", summary)
    search_report.write(folder, summary)
    if args.page:
        cli.put_into(args.page, NAME, search_report.markdown(summary))
    if args.json:
        print(json.dumps(summary))
    else:
        search_report.screen(output_console(), summary, folder)


def check(args: Args) -> list[str]:
    """The games to measure; raises ``InputError`` for arguments that make no sense."""
    boards, known = cli.words(args.game), envs.games()
    for board in boards:
        if board not in known:
            raise cli.InputError(f"--game: unknown {board!r}; choose from: {', '.join(known)}")
    if not boards:
        raise cli.InputError(f"--game: name at least one of {', '.join(known)}")
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


APP = cli.app(NAME, main, former={"--boards": "--game"})

if __name__ == "__main__":
    cli.run(APP)
