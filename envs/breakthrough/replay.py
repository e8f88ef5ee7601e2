"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.breakthrough.render import PAINT
from stratagym.envs.breakthrough.view import PAWNS


def beside(rules: Any, s: Any, seat: int) -> str:
    """How many pawns a seat has left."""
    return f"{int(s['white' if seat else 'black']).bit_count()} pawns"


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A seat's mark, and the colour that it has in pictures."""
    return PAWNS[seat], PAINT[seat]
