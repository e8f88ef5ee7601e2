"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.ataxx.render import PAINT
from stratagym.envs.ataxx.rules import stones
from stratagym.envs.words import MARKS


def beside(rules: Any, s: Any, seat: int) -> str:
    """How many stones a seat has."""
    return f"{int(stones(rules, s)[seat])} stones"


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A seat's mark, and the colour that it has in pictures."""
    return MARKS[seat], PAINT[seat]
