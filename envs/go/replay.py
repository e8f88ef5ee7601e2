"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.go.rules import grid_of


def beside(rules: Any, s: Any, seat: int) -> str:
    """How many stones a seat has on the board, and how many it has taken."""
    stones = int((grid_of(rules, s) == seat).sum())
    return f"{stones} stones, {int(s['prisoners'][seat])} taken"
