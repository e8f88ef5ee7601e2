"""Board games against players that do not err, as in SPIN-Bench's competitive part.

    python -m benchmarks.board_solvers
    python -m benchmarks.board_solvers --policies llm --model M --base-url URL
    python -m benchmarks.board_solvers --policies mcts:100,mcts:1000 --boards connect_four

Every policy meets a perfect player in tic-tac-toe and connect four and an engine in chess, with
sides swapped half way, and then every other policy. Each of its moves is ranked among all legal
ones by the solver or engine; moves of equal score share the best rank. A model has one try and ten
retries for a legal move, then the game is lost.

Source: SPIN-Bench (arXiv:2503.12349), section on competitive games; 10, 10 and 4 games a policy.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from rich.console import Console

from stratagym.agents.core import Policy, decision_for, make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.agents.perfect import move_scores, ranks
from stratagym.benchmarks.harness import cli, match_play, records
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.policies import ModelArgs, make_policies, settings
from stratagym.benchmarks.harness.progress import counter, progress_bar
from stratagym.benchmarks.harness.text_options import PromptArgs
from stratagym.benchmarks.harness.workers import ExecutorArgs, Match, play_all
from stratagym.benchmarks.reporting.page import Page, RateCell, Table, code, count, number
from stratagym.benchmarks.reporting.ratings import rate
from stratagym.benchmarks.reporting.sections import RATINGS
from stratagym.benchmarks.reporting.stats import bootstrap_mean, wilson
from stratagym.envs import core, spec

NAME = "board_solvers"
GAMES = {"tictactoe": 10, "connect_four": 10, "chess": 4}
"""Games a policy plays against the solver, as in SPIN-Bench."""
TOP = (1, 2, 3)


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(PromptArgs, ModelArgs, ExecutorArgs):
    policies: Annotated[str, Parameter(name=["--policies", "--policy"])] = "random,mcts:200"
    """Policies, separated by commas."""
    boards: str = "tictactoe,connect_four,chess"
    """Games, separated by commas: tictactoe, connect_four, chess."""
    games: int | None = None
    """Games of a policy against each opponent; default 10, 10 and 4. Even numbers are fair."""
    engine: str = "uci:stockfish?nodes=2000"
    """The opponent and judge in chess."""
    retries_illegal: int = 10
    """Tries after an illegal answer before the game is lost."""
    seed: int = 0
    """Seed of every random choice."""
    output: str | None = None
    """Folder of the run; default results/board_solvers/<time>."""
    resume: bool = False
    """Go on with the run in --output, or with the newest."""
    json: bool = False
    """Print the summary as JSON instead of tables."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play board games against solvers and rank every move."""
    boards = cli.words(args.boards)
    for board in boards:
        if board not in GAMES:
            raise cli.InputError(f"--boards: unknown {board!r}; choose from: {', '.join(GAMES)}")
    if not boards or (args.games is not None and args.games < 1) or args.retries_illegal < 0:
        raise cli.InputError("--boards, --games and --retries-illegal: at least one board and game")
    executor = args.executor_options()
    (text,) = {args.text_options(spec(board)) for board in boards}
    policies = {
        board: {p.name: p for p in make_policies(spec(board), args.policies, args)}
        for board in boards
    }
    try:
        solvers = {
            board: make_policy(spec(board), args.engine if board == "chess" else "perfect")
            for board in boards
        }
    except ValueError as error:
        raise cli.InputError(f"{error} (or leave chess out with --boards)") from None
    config = {
        **settings(list(policies[boards[0]].values())),
        "boards": boards,
        "games": {board: args.games or GAMES[board] for board in boards},
        "solvers": {board: solver.name for board, solver in solvers.items()},
        "rules": {board: spec(board).options_in_force() for board in boards},
        "retries_illegal": args.retries_illegal,
        "text": text.record(),
        "seed": args.seed,
    }
    folder = records.open_run(NAME, args.output, config, args.resume)
    protocol = match_play.AnswerProtocol(text, 1 + args.retries_illegal, match_play.FORFEIT)
    with progress_bar() as bar:
        for board in boards:
            solver = solvers[board]
            items = board_items(board, list(policies[board]), solver.name, config, protocol)
            play_all(
                items,
                folder,
                concurrency=args.concurrency,
                policies={**policies[board], solver.name: solver},
                replays=0,
                done=counter(bar, board, len(items)),
                **executor,
            )
    summary = summarise(folder, policies, solvers, config)
    records.write_json(folder / "summary.json", summary)
    write_report(folder, summary)
    if args.json:
        print(json.dumps(summary))
    else:
        screen(Console(), summary, folder)


def board_items(
    board: str,
    policies: list[str],
    solver: str,
    config: dict[str, Any],
    protocol: match_play.AnswerProtocol,
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
            board,
            {},
            item_seed(config["seed"], board, str(g % half)),
            (one, other) if g < half else (other, one),
            protocol,
        )
        for one, other in pairs
        for g in range(games)
    ]


@dataclass
class Judged:
    """What the solver made of one move: its rank, the share of legal moves that would have been
    within each of ``TOP``, and the score it lost."""

    rank: int
    chance: tuple[float, ...]
    loss: float


def judge_game(record: dict[str, Any], policy: str, solver: Policy) -> list[Judged]:
    """Every move of a policy in a recorded game."""
    game = spec(record["game"])
    rules = game.make_rules(**record["rules"])
    states = core.new_states(rules)
    legal, probs = core.new_scratch(rules)
    seat = core.start_at(rules, states, 0, np.uint64(record["seed"]), probs)
    judged = []
    for action in record["actions"]:
        if record["seats"][seat] == policy:
            view = decision_for(game, rules, states, 0)
            scores = move_scores(solver, view)
            place = ranks(scores)
            mine = int(np.flatnonzero(view.legal == action)[0])
            judged.append(
                Judged(
                    int(place[mine]),
                    tuple(float((place <= k).mean()) for k in TOP),
                    float(scores.max() - scores[mine]),
                )
            )
        seat, _ = core.play_at(rules, states, 0, action, legal, probs)
    return judged


def summarise(
    folder: Path,
    policies: dict[str, dict[str, Policy]],
    solvers: dict[str, Policy],
    config: dict[str, Any],
) -> dict[str, Any]:
    """The content of ``summary.json``, from the records on disk."""
    last = {game["match"]: game for game in records.read_jsonl(folder / "games.jsonl")}
    answers: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for decision in records.read_jsonl(folder / "decisions.jsonl"):
        answers[decision["game"], decision["policy"]][decision["kind"]] += 1
    boards: dict[str, Any] = {}
    for board, by_name in policies.items():
        # By name: lines stand in the order in which games ended, which is not always the same.
        games = [
            g for _, g in sorted(last.items()) if g["game"] == board and g["returns"] is not None
        ]
        rows = {}
        for name, policy in by_name.items():
            against = [g for g in games if set(g["seats"]) == {name, solvers[board].name}]
            points = [g["returns"][g["seats"].index(name)] for g in against]
            judged = [judge_game(g, name, solvers[board]) for g in against]
            moves = [move for game in judged for move in game]
            cluster = np.repeat(np.arange(len(judged)), [len(game) for game in judged])
            kinds = answers[board, name]
            illegal = kinds["illegal"] + kinds["unparseable"]
            turns = sum(kinds.values()) - illegal - kinds["transport"]
            mine = [g for g in games if name in g["seats"]]
            lost = sum(
                g["ended_by"] == match_play.FORFEIT and g["returns"][g["seats"].index(name)] < 0
                for g in mine
            )
            rows[name] = {
                "wins": wilson(sum(x > 0 for x in points), len(points)).record(),
                "draws": wilson(sum(x == 0 for x in points), len(points)).record(),
                "losses": wilson(sum(x < 0 for x in points), len(points)).record(),
                **{
                    f"top_{k}": bootstrap_mean(
                        np.array([move.rank <= k for move in moves]),
                        cluster,
                        chance=float(np.mean([m.chance[at] for m in moves])) if moves else None,
                    ).record()
                    for at, k in enumerate(TOP)
                },
                "score_loss": bootstrap_mean(
                    np.array([min(move.loss, 1000.0) for move in moves]), cluster
                ).record(),
                "moves": len(moves),
                "illegal_moves_per_turn": illegal / turns
                if isinstance(policy, LanguageModel) and turns
                else None,
                "games_lost_by_illegal_moves": wilson(lost, len(mine)).record()
                if isinstance(policy, LanguageModel)
                else None,
                "answers": dict(kinds),
            }
        results = [
            (g["seats"][0], g["seats"][1], 0.5 + g["returns"][0] / 2, g["seed"]) for g in games
        ]
        boards[board] = {"policies": rows, "ratings": rate(results) if results else {}}
    return {"config": config, "boards": boards}


def quality_table(summary: dict[str, Any], board: str) -> Table:
    """Results against the solver, and how good the moves were."""
    loss = "cp loss" if board == "chess" else "score loss"
    table = Table(["policy", "W-D-L", "top 1", "chance", "top 3", loss])
    for name, row in summary["boards"][board]["policies"].items():
        n = row["wins"]["n"]
        wdl = "-".join(
            "–" if row[k]["value"] is None else str(round(row[k]["value"] * n))
            for k in ("wins", "draws", "losses")
        )
        lost = row["score_loss"]["value"]
        table.rows.append(
            [
                code(name),
                wdl,
                RateCell(row["top_1"]),
                number(row["top_1"]["chance"]),
                RateCell(row["top_3"]),
                "–" if lost is None else f"{lost:.2f}",
            ]
        )
    return table


def legality_table(summary: dict[str, Any], board: str) -> Table:
    """Illegal moves of language models; no rows where only built-in policies played."""
    table = Table(["model", "illegal a turn (IMT)", "games lost by it (IML)"])
    for name, row in summary["boards"][board]["policies"].items():
        imt, iml = row["illegal_moves_per_turn"], row["games_lost_by_illegal_moves"]
        if iml is not None:
            table.rows.append([code(name), "–" if imt is None else f"{imt:.2f}", RateCell(iml)])
    return table


def rating_table(summary: dict[str, Any], board: str) -> Table:
    """Bradley-Terry with its interval, and Elo's fixed point."""
    table = Table(["player", "Bradley-Terry", "95%", "Elo", "points", "games"])
    ratings = summary["boards"][board]["ratings"]
    for name, row in sorted(ratings.items(), key=lambda item: -item[1]["bradley_terry"]):
        table.rows.append(
            [
                code(name),
                f"{row['bradley_terry']:.0f}",
                f"[{row['low']:.0f}, {row['high']:.0f}]",
                f"{row['elo']:.0f}",
                f"{row['points']:g}",
                count(row["games"]),
            ]
        )
    return table


def write_report(folder: Path, summary: dict[str, Any]) -> None:
    """Write ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        "Against players that do not err",
        "Top k is the share of moves among the solver's best k, where equal scores share a rank; "
        "chance is that of a random legal move. Intervals are 95%, from resampling games.",
    )
    for board in config["boards"]:
        page.heading(spec(board).title)
        page.text(
            f"{config['games'][board]} games a pairing, sides swapped half way; opponent and judge "
            f"{code(config['solvers'][board])}."
        )
        page.table(quality_table(summary, board))
        legality = legality_table(summary, board)
        if legality.rows:
            page.table(legality, "Illegal moves")
        page.table(rating_table(summary, board), "Ratings of all games")
    page.heading("Words")
    page.bullets(
        [
            "**IMT**: illegal or unreadable answers for each turn that was played.",
            "**IML**: share of all games lost because no legal answer came in "
            f"{1 + config['retries_illegal']} tries.",
            "**Score loss**: the best score minus the move's, at most 1000; in chess in "
            "centipawns, else in the solver's points (how much later a win or sooner a loss).",
            RATINGS,
        ]
    )
    page.write(folder)


def screen(console: Console, summary: dict[str, Any], folder: Path) -> None:
    """Print the final tables."""
    for board in summary["config"]["boards"]:
        solver = summary["config"]["solvers"][board]
        console.print(quality_table(summary, board).rich(f"{spec(board).title} against {solver}"))
        legality = legality_table(summary, board)
        if legality.rows:
            console.print(legality.rich("Illegal moves"))
        console.print(rating_table(summary, board).rich("Ratings"))
    console.print(f"Report: {folder / 'report.html'}", soft_wrap=True, highlight=False)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
