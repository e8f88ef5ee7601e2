"""Who won a recorded game, and with whom: the fields of its record that tell it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stratagym.envs.core import GameSpec
from stratagym.envs.dealing import dealt_by
from stratagym.envs.facts import Sides, first_places, side_leads, side_returns


def outcome_of(
    game: GameSpec, rules: Any, seed: int, actions: list[int], returns: list[float] | None
) -> list[int] | None:
    """The seats with a positive return; where sides have several seats, those of the winners.

    None where the game was broken off.
    """
    if returns is None:
        return None
    sides, _ = _sides_and_roles(game, rules, seed, actions)
    if any(len(side) > 1 for side in sides):
        return _seats_of(sides, side_leads(sides, returns) > 0)
    return [seat for seat, value in enumerate(returns) if value > 0]


def side_fields(
    game: GameSpec, rules: Any, seed: int, actions: list[int], returns: list[float] | None
) -> dict[str, Any]:
    """``sides``, ``roles`` and ``leads`` of a record, where it has them.

    ``leads`` are the seats of the sides that came first, all of those that share it.
    """
    sides, roles = _sides_and_roles(game, rules, seed, actions)
    fields: dict[str, Any] = {}
    if roles or any(len(side) > 1 for side in sides):
        fields["sides"] = [list(side) for side in sides]
    if roles:
        fields["roles"] = roles
    if len(sides) > 2 and game.utility != "identical":
        places = None if returns is None else first_places(side_returns(sides, returns))
        fields["leads"] = None if places is None else _seats_of(sides, places > 0)
    return fields


def _sides_and_roles(
    game: GameSpec, rules: Any, seed: int, actions: list[int]
) -> tuple[Sides, list[str]]:
    """Nothing of either where roles are dealt and nobody tells which."""
    dealt = dealt_by(game, rules, seed, actions)
    return (game.sides_of(rules) or (), []) if dealt is None else dealt


def _seats_of(sides: Sides, which: Iterable[Any]) -> list[int]:
    """The seats of those sides, ascending."""
    return sorted(
        seat for side, counts in zip(sides, which, strict=True) if counts for seat in side
    )
