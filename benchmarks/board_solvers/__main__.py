"""Board games against solvers and engines, as in SPIN-Bench's competitive part.

    python -m benchmarks.board_solvers
    python -m benchmarks.board_solvers --policies llm --model M --base-url URL
    python -m benchmarks.board_solvers --policies mcts:100,mcts:1000 --game connect_four

Every policy plays against a perfect player in tic-tac-toe and connect four and an engine in chess,
with sides swapped after half of the games, and then against every other policy. On request, reversi
is played from random positions with a dozen empty squares, where the solver plays perfectly;
reversi on 4 x 4 squares and go on 3 x 3 lines are played as whole games. The solver or engine ranks
each move of a policy among all legal moves; moves of equal score share the best rank. A model has
one try and ten retries for a legal move, then the game is lost.

Source: SPIN-Bench (arXiv:2503.12349), section on competitive games; 10, 10 and 4 games a policy.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from cyclopts import Parameter

from stratagym.agents.core import make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.board_solvers import report
from stratagym.benchmarks.board_solvers.boards import BOARDS, board_of
from stratagym.benchmarks.board_solvers.summary import summarise
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.match_play import FORFEIT, AnswerProtocol
from stratagym.benchmarks.harness.matches import Match, Place
from stratagym.benchmarks.harness.options import ExecutorArgs, ModelArgs, RunArgs
from stratagym.benchmarks.harness.policies import by_name, make_policies, settings
from stratagym.benchmarks.harness.progress import stage
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.schedules import fixed
from stratagym.benchmarks.harness.text_options import PromptArgs
from stratagym.envs import spec

NAME = "board_solvers"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(PromptArgs, ModelArgs, ExecutorArgs, RunArgs):
    benchmark = NAME

    policies: str = "random,mcts:200"
    """Policies, separated by commas."""
    game: str = "tictactoe,connect_four,chess"
    """Games, separated by commas: tictactoe, connect_four, chess, reversi (endings), reversi_6x6
    (endings), reversi_4x4, go_3x3."""
    games: int | None = None
    """Games of a policy against each opponent; default 10, in chess 4, in endings 20. With an even
    number every side is played equally often."""
    engine: str = BOARDS["chess"].solver
    """The engine that is opponent and judge in chess."""
    retries_illegal: int = 10
    """Further answers after an illegal one before the game is lost."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play board games against solvers and rank every move."""
    boards = cli.words(args.game)
    for board in boards:
        if board not in BOARDS:
            raise cli.InputError(f"--game: unknown {board!r}; choose from: {', '.join(BOARDS)}")
    if not boards:
        raise cli.InputError("--game: at least one game is needed")
    if args.games is not None:
        cli.count("--games", args.games)
    cli.count("--retries-illegal", args.retries_illegal, least=0)
    facts = {board: spec(BOARDS[board].game) for board in boards}
    text, *_ = [args.text_options(facts[board]) for board in boards]
    policies = {
        board: {p.name: p for p in make_policies(facts[board], args.policies, args)}
        for board in boards
    }
    try:
        solvers = {
            board: make_policy(
                facts[board], args.engine if board == "chess" else BOARDS[board].solver
            )
            for board in boards
        }
    except ValueError as error:
        raise cli.InputError(f"{error} (or leave chess out of --game)") from None
    config = {
        **settings(list(by_name(policies).values())),
        "boards": boards,
        "games": {board: args.games or BOARDS[board].games for board in boards},
        "solvers": {board: solver.name for board, solver in solvers.items()},
        "rules": {
            board: facts[board].options_in_force(**BOARDS[board].options) for board in boards
        },
        "retries_illegal": args.retries_illegal,
        "text": text.record(),
        "seed": args.seed,
    }
    if openings := {board: BOARDS[board].opening for board in boards if BOARDS[board].opening}:
        config["openings"] = openings
    # Other policies are made again by their names, for each board its own.
    models = [p for p in policies[boards[0]].values() if isinstance(p, LanguageModel)]
    run = Run(NAME, args, config, models, replays=0)
    protocol = AnswerProtocol(text, 1 + args.retries_illegal, FORFEIT)
    matches = [
        match
        for board in boards
        for match in board_matches(
            board, list(policies[board]), solvers[board].name, config, protocol
        )
    ]
    records = run.play(fixed(matches), lambda match: board_of(match.name))
    with stage("ranking every move"):
        summary = summarise(run, records, policies, solvers)
    run.finish(summary, report.write, report.screen)


def board_matches(
    board: str,
    policies: list[str],
    solver: str,
    config: dict[str, Any],
    protocol: AnswerProtocol,
) -> list[Match]:
    """Every policy against the solver and against every other; sides swap half way."""
    games = config["games"][board]
    half = -(-games // 2)
    pairs = [(policy, solver) for policy in policies]
    pairs += [pair for pair in combinations(policies, 2) if solver not in pair]
    return [
        Match(
            NAME,
            f"{board}/{one}/{other}/{g}",
            BOARDS[board].game,
            dict(BOARDS[board].options),
            item_seed(config["seed"], board, str(g % half)),
            (one, other) if g < half else (other, one),
            protocol,
            Place(f"{board}/{one}/{other}", g % half, int(g >= half)),
            BOARDS[board].opening,
        )
        for one, other in pairs
        for g in range(games)
    ]


APP = cli.app(NAME, main, former={"--boards": "--game"})

if __name__ == "__main__":
    cli.run(APP)
