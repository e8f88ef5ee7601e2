"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.breakthrough.render import pixel
from stratagym.envs.breakthrough.rules import squares_of


def arrow(rules: Any, s: Any, action: int, size: int) -> list[tuple[int, int]]:
    """Pixels from where to where a pawn goes in a picture of this size."""
    return [pixel(rules, int(square), size) for square in squares_of(rules, action)]


def beside(rules: Any, s: Any, seat: int) -> str:
    """How many pawns a seat has left."""
    return f"{int(s['white' if seat else 'black']).bit_count()} pawns"
