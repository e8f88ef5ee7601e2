"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.ataxx.render import pixel
from stratagym.envs.ataxx.rules import CELLS, PASS, source_of, square_of, stones


def arrow(rules: Any, s: Any, action: int, size: int) -> list[tuple[int, int]] | None:
    """Pixels from where to where a stone jumps in a picture of this size; a clone has no arrow."""
    if not CELLS <= action < PASS:
        return None
    squares = source_of(action), square_of(action % CELLS)
    return [pixel(rules, int(square), size) for square in squares]


def beside(rules: Any, s: Any, seat: int) -> str:
    """How many stones a seat has."""
    return f"{int(stones(rules, s)[seat])} stones"
