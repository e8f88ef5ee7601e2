"""Random moves with which games begin, for benchmarks that do not play from the start."""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.agents import hooks
from stratagym.envs import core


def opening_moves(game: core.GameSpec, rules: Any, plies: int, seed: int) -> list[int]:
    """Random legal moves after which the game goes on.

    A game's agents may define ``opening(rules, plies, rng)``, which lists other ones, such as that
    give neither side too much.
    """
    rng = np.random.default_rng(seed)
    if draw := hooks.found(game, "opening"):
        return draw(rules, plies, rng)
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
