"""What players made of the ends of recorded games of reversi, by exact scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.agents.games.reversi.scores import endgame_scores
from stratagym.agents.perfect import ILLEGAL
from stratagym.envs import core

EMPTIES = 14
"""Decisions with so many empty squares or fewer are judged."""
COUNTS = ("decisions", "discs_lost", "discs_lost_chance", "kept", "kept_chance")
"""What ``game_counts`` counts.

decisions: those judged. discs_lost: the best score less that of the move. kept: where the move's
score has the sign of the best, so that a win stays a win and a draw a draw. chance: what a random
legal move would come to in the same decisions.
"""


def game_counts(
    rules: Any, seeds: np.ndarray, actions: np.ndarray, plies: np.ndarray
) -> np.ndarray:
    """``COUNTS`` of every game and seat, (G, 2, len(COUNTS)) float64; arguments as ``replay``'s.

    Nothing is counted where passes are voluntary: the scores know nothing of that.
    """
    counts = np.zeros((len(seeds), 2, len(COUNTS)))
    if rules.voluntary:
        return counts
    states = core.new_states(rules)
    legal, probs = core.new_scratch(rules)
    for game, seed in enumerate(np.asarray(seeds, np.uint64)):
        seat = int(core.start_at(rules, states, 0, seed, probs))
        judged = []
        for action in actions[game, : plies[game]].tolist():
            if rules.size**2 - int(states["own"][0] | states["opp"][0]).bit_count() <= EMPTIES:
                judged.append((seat, action, states.copy()))
            seat = int(core.play_at(rules, states, 0, action, legal, probs)[0])
        # From the end: what is known of later positions makes the earlier ones quick.
        for mover, action, before in reversed(judged):
            counts[game, mover] += _judge(endgame_scores(rules, before)[0], action)
    return counts


def _judge(scores: np.ndarray, action: int) -> np.ndarray:
    """``COUNTS`` of one decision from the scores of all its moves."""
    known = scores[scores != ILLEGAL].astype(float)
    best = known.max()
    mine = float(scores[action])
    kept = np.sign(known) == np.sign(best)
    return np.array(
        [1, best - mine, best - known.mean(), np.sign(mine) == np.sign(best), kept.mean()]
    )


def rates(counts: np.ndarray) -> dict[str, float]:
    """Means over the decisions from ``COUNTS`` summed over games; nan where there are none.

    ending_discs_lost: discs lost a decision. ending_sign_kept: share of the decisions that keep
    the sign of what the position is worth. Each with what a random legal move would come to.
    """
    judged, *sums = np.asarray(counts, float).tolist()
    names = (
        "ending_discs_lost",
        "ending_discs_lost_chance",
        "ending_sign_kept",
        "ending_sign_kept_chance",
    )
    return {
        name: total / judged if judged else float("nan")
        for name, total in zip(names, sums, strict=True)
    }
