"""The fields of a game's record that say who won, and with whom."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.core import GameSpec
from stratagym.envs.dealing import dealt_by
from stratagym.envs.facts import Sides, first_places, side_leads, side_returns
from stratagym.envs.views import seat_names


def sides_and_roles(
    game: GameSpec, rules: Any, seed: int, actions: Sequence[int]
) -> tuple[Sides, list[str]]:
    """Who won with whom in a played game, and the roles by seat; no roles where none are dealt,
    and nothing of either where they are and nobody tells which.
    """
    dealt = dealt_by(game, rules, seed, actions)
    return (game.sides_of(rules) or (), []) if dealt is None else dealt


def seats_called(game: GameSpec, rules: Any, seed: int) -> tuple[str, ...]:
    """What the seats are called at the start of the game of a seed."""
    states, probs = core.new_states(rules), core.new_scratch(rules)[1]
    core.start_at(rules, states, 0, np.uint64(seed), probs)
    return seat_names(game.module("view"), rules, states[0])


def outcome_of(sides: Sides, returns: list[float] | None) -> list[int] | None:
    """The seats with a positive return; where sides have several seats, those of the winners.

    None where the game was broken off.
    """
    if returns is None:
        return None
    if any(len(side) > 1 for side in sides):
        return _seats_of(sides, side_leads(sides, returns) > 0)
    return [seat for seat, value in enumerate(returns) if value > 0]


def side_fields(
    game: GameSpec,
    sides: Sides,
    roles: list[str],
    returns: list[float] | None,
    gone: Collection[int | None] = (),
) -> dict[str, Any]:
    """``sides``, ``roles`` and ``leads`` of a record, where it has them.

    ``leads`` are the seats of the sides that came first, all of those that share it.

    Args:
        sides, roles: as of ``sides_and_roles``. gone: the seats that forfeited.
    """
    fields: dict[str, Any] = {}
    if roles or any(len(side) > 1 for side in sides):
        fields["sides"] = [list(side) for side in sides]
    if roles:
        fields["roles"] = roles
    if len(sides) > 2 and game.utility != "identical":
        fields["leads"] = None
        if returns is not None:
            results = placed_results(sides, returns, gone)
            fields["leads"] = _seats_of(sides, first_places(results) > 0)
    return fields


def placed_results(
    sides: Sides, returns: Sequence[float], gone: Collection[int | None] = ()
) -> np.ndarray:
    """The results by which more than two sides are ranked, (sides,) float64.

    Those of ``side_returns``, but sides all of whose seats are gone come last, whatever they have.
    """
    results = side_returns(sides, returns)
    if len(sides) > 2 and gone:
        last = [all(seat in gone for seat in side) for side in sides]
        results[last] = results.min() - 1
    return results


def _seats_of(sides: Sides, which: Iterable[Any]) -> list[int]:
    """The seats of those sides, ascending."""
    return sorted(
        seat for side, counts in zip(sides, which, strict=True) if counts for seat in side
    )
