"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.go.render import COLOURS
from stratagym.envs.go.rules import grid_of
from stratagym.envs.words import MARKS


def beside(rules: Any, s: Any, seat: int) -> str:
    """How many stones a seat has on the board, and how many it has taken."""
    stones = int((grid_of(rules, s) == seat).sum())
    return f"{stones} stones, {int(s['prisoners'][seat])} taken"


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A seat's mark, and the colour that it has in pictures."""
    return MARKS[seat], COLOURS[seat]
