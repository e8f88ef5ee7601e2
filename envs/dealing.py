"""Roles that are dealt: who wins with whom in one game, which nobody knows before it.

The view of a game with ``sides=None`` may tell it: ``dealt_sides(rules, s)`` the sides in the order
of ``SIDE_NAMES``, or None while they are not dealt, and ``dealt_role(rules, s, seat)`` what a seat
is, by default the name of its side. Both are for who may see everything; nothing of it is shown to
a seat. Sides and roles stay what they are once they are dealt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from stratagym.envs import core
from stratagym.envs.checks import SEED_MASK
from stratagym.envs.facts import GameSpec, Sides


class Dealt(NamedTuple):
    """Who won with whom in a game whose roles are dealt.

    Attributes:
        sides: as ``GameSpec`` has them. roles: by seat, such as ``seer``.
    """

    sides: Sides
    roles: list[str]


def deals(game: GameSpec, rules: Any) -> bool:
    """Whether roles are dealt, and the game tells which."""
    return game.sides_of(rules) is None and hasattr(game.module("view"), "dealt_sides")


def dealt_in(game: GameSpec, rules: Any, states: np.ndarray) -> Dealt | None:
    """What is dealt in ``states[0]``; None where nothing is, or not yet, or nobody tells."""
    if not deals(game, rules):
        return None
    view, s = game.module("view"), states[0]
    found = view.dealt_sides(rules, s)
    if found is None:
        return None
    sides = tuple(tuple(int(seat) for seat in side) for side in found)
    side_of = {seat: k for k, side in enumerate(sides) for seat in side}
    role = getattr(view, "dealt_role", None)
    names = getattr(view, "SIDE_NAMES", None) or [f"side {k}" for k in range(len(sides))]
    seats = range(rules.num_players)
    return Dealt(sides, [role(rules, s, k) if role else names[side_of[k]] for k in seats])


def dealt_by(game: GameSpec, rules: Any, seed: int, actions: Sequence[int] = ()) -> Dealt | None:
    """What is dealt at the start of the game of a seed, or else at the end of these actions."""
    if not deals(game, rules):
        return None
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(seed & SEED_MASK), probs)
    found = dealt_in(game, rules, states)
    if found is None and actions:
        for action in actions:
            core.play_at(rules, states, 0, action, legal, probs)
        found = dealt_in(game, rules, states)
    return found
