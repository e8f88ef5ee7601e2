"""Who judges the positions of a replay, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from stratagym.agents.core import Policy, decision_for, make_policy
from stratagym.agents.engines import UCIEngine
from stratagym.agents.perfect import Perfect, move_scores, ranks, solver_of
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.replays import Position
from stratagym.envs import core


@dataclass(frozen=True)
class Evaluation:
    """What a judge makes of a position.

    Attributes:
        judge: its name. scores, ranks: of each legal move, for the mover, where it scores them.
        choice: what it would play, where it does not.
    """

    judge: str
    scores: list[float | None] | None = None
    ranks: list[int] | None = None
    choice: int | None = None


Evaluator: TypeAlias = Callable[[Position], "Evaluation | None"]


def evaluator(game: core.GameSpec, chosen: str | None) -> Evaluator:
    """A function from positions to what a judge makes of them.

    Args:
        chosen: a policy; by default the game's solver, and nobody where it has none.

    Raises:
        InputError: it is no policy of the game.
    """
    judge: Policy
    if chosen is not None:
        try:
            judge = make_policy(game, chosen)
        except (ValueError, ModuleNotFoundError) as error:
            raise cli.InputError(f"--evaluate: {error}") from None
    elif solver_of(game.name) is not None:
        judge = make_policy(game, "perfect")
    else:
        return lambda position: None

    def evaluate(position: Position) -> Evaluation | None:
        if not position.legal or position.states is None:
            return None
        seed = item_seed(0, judge.name, str(position.ply))
        view = decision_for(game, position.rules, position.states, seed)
        if not isinstance(judge, Perfect | UCIEngine):
            return Evaluation(judge.name, choice=judge.act(view))
        scores = move_scores(judge, view)
        found = [float(x) if np.isfinite(x) else None for x in scores]
        return Evaluation(judge.name, found, ranks(scores).tolist())

    return evaluate
