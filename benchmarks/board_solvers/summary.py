"""The content of ``summary.json``: results against the solvers, and how good the moves were."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stratagym.agents.core import Policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.board_solvers.boards import board_of
from stratagym.benchmarks.board_solvers.judging import TOP, judge_game
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.games import Games
from stratagym.benchmarks.harness.match_play import FORFEIT
from stratagym.benchmarks.harness.own_play import counting
from stratagym.benchmarks.harness.pairings import points
from stratagym.benchmarks.harness.records import DecisionRecord, GameRecord
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.reporting.ratings import rate
from stratagym.benchmarks.reporting.stats import COUNT, mean_rate

MOST_LOSS = 1000.0
"""What a move loses at most, so that a lost win does not outweigh all others."""


@dataclass
class Answers:
    """A policy's answers on one board.

    Attributes:
        kinds: how many there were of each kind. turns: (item, ply) of those that were no failures
            to reach the model.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    turns: set[tuple[str, int | None]] = field(default_factory=set)

    def add(self, decision: DecisionRecord) -> None:
        self.kinds[decision["kind"]] += 1
        if decision["kind"] != TRANSPORT:
            self.turns.add((decision["item"], decision["ply"]))

    @property
    def illegal_a_turn(self) -> float | None:
        """Illegal and unreadable answers for each turn that the policy was asked in."""
        illegal = self.kinds["illegal"] + self.kinds["unparseable"]
        return illegal / len(self.turns) if self.turns else None


def summarise(
    run: Run,
    records: Mapping[str, GameRecord],
    policies: Mapping[str, Mapping[str, Policy]],
    solvers: Mapping[str, Policy],
) -> dict[str, Any]:
    """The summary of a run.

    Args:
        records: of all matches, by name. policies: by board and name. solvers: by board.
    """
    answers: defaultdict[tuple[str, str], Answers] = defaultdict(Answers)
    for decision in run.decisions():
        answers[board_of(decision["item"]), decision["policy"]].add(decision)
    boards: dict[str, Any] = {}
    play = run.own_play()
    for board, by_name in policies.items():

        def on_board(match: str, board: str = board) -> bool:
            return board_of(match) == board

        of_board = Games.of(records[name] for name in sorted(filter(on_board, records))).records
        games = counting(of_board, play.void(on_board))
        results = [(g["seats"][0], g["seats"][1], points(g), g["seed"]) for g in games]
        boards[board] = {
            "policies": {
                name: _row(games, of_board, policy, solvers[board], answers[board, name])
                for name, policy in by_name.items()
            },
            "own": play.records(by_name, on_board),
            "ratings": rate(results) if results else {},
        }
    return {"config": run.config, "boards": boards, "models": run.usage()}


def _row(
    games: list[GameRecord],
    every: list[GameRecord],
    policy: Policy,
    solver: Policy,
    answers: Answers,
) -> dict[str, Any]:
    """Results and moves of one policy against the solver, and its answers by kind.

    Args:
        games: those that count. every: all that ended, for how many were lost by bad answers.
    """
    name = policy.name
    against = Games([g for g in games if set(g["seats"]) == {name, solver.name}])
    score = against.score_of(name)
    judged = [judge_game(g, name, solver) for g in against.records]
    moves = [move for game in judged for move in game]
    cluster = np.repeat(np.arange(len(judged)), [len(game) for game in judged])
    mine = Games([g for g in every if name in g["seats"]])
    lost = [
        record["ended_by"] == FORFEIT and own < 0
        for record, own in zip(mine.records, mine.returns_of(name), strict=True)
    ]
    is_model = isinstance(policy, LanguageModel)
    return {
        "wins": against.rate(score == 1).record(),
        "draws": against.rate(score == 0.5).record(),
        "losses": against.rate(score == 0).record(),
        **{
            f"top_{k}": mean_rate(
                np.array([move.rank <= k for move in moves]),
                cluster,
                chance=float(np.mean([m.chance[at] for m in moves])) if moves else None,
            ).record()
            for at, k in enumerate(TOP)
        },
        "score_loss": mean_rate(
            np.array([min(move.loss, MOST_LOSS) for move in moves]), cluster, bounds=COUNT
        ).record(),
        "moves": len(moves),
        "illegal_moves_per_turn": answers.illegal_a_turn if is_model else None,
        "games_lost_by_illegal_moves": mine.rate(lost).record() if is_model else None,
        "answers": dict(answers.kinds),
    }
