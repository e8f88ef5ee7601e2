"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.connect_four.render import stone_pixel
from stratagym.envs.connect_four.rules import HEIGHT, ROWS


def arrow(rules: Any, s: Any, action: int, size: int) -> list[tuple[int, int]]:
    """Pixels from above the board to where a stone comes to rest in a picture of this size."""
    stones = (int(s["mover"]) | int(s["other"])) >> action * HEIGHT & (1 << ROWS) - 1
    return [stone_pixel(action, row, size) for row in (ROWS, stones.bit_count())]
