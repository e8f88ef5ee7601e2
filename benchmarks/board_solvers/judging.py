"""A solver or engine as the judge of every move of a recorded game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stratagym.agents.core import Policy, decision_for
from stratagym.agents.perfect import move_scores, ranks
from stratagym.benchmarks.harness.records import GameRecord
from stratagym.envs import core, spec

TOP = (1, 2, 3)
"""How far down a move may stand and still count as one of the best."""


@dataclass
class Judged:
    """What the solver made of one move: its rank, the share of legal moves that would have been
    within each of ``TOP``, and the score it lost."""

    rank: int
    chance: tuple[float, ...]
    loss: float


def judge_game(record: GameRecord, policy: str, solver: Policy) -> list[Judged]:
    """Every move of a policy in a recorded game, after the random opening if it had one."""
    game = spec(record["game"])
    rules = game.make_rules(**record["rules"])
    states = core.new_states(rules)
    legal, probs = core.new_scratch(rules)
    seat = core.start_at(rules, states, 0, np.uint64(record["seed"]), probs)
    judged = []
    for ply, action in enumerate(record["actions"]):
        if record["seats"][seat] == policy and ply >= record.get("opening", 0):
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
