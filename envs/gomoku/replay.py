"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.gomoku.render import crossing_pixel


def arrow(rules: Any, s: Any, action: int, size: int) -> list[tuple[int, int]]:
    """The pixel where a stone is placed, in a picture of this size; none for swap2's choices."""
    if action >= rules.columns * rules.rows:
        return []
    return [crossing_pixel(rules, action, size)] * 2
