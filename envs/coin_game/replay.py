"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.coin_game.render import pixel
from stratagym.envs.coin_game.view import COLOURS, destination


def arrow(rules: Any, s: Any, action: int, size: int) -> list[tuple[int, int]]:
    """Pixels from where to where a player goes in a picture of this size."""
    here = int(s["where"][s["player"]])
    cell = destination(rules, s, action)
    return [] if cell == here else [pixel(rules, here, size), pixel(rules, cell, size)]


def beside(rules: Any, s: Any, seat: int) -> str:
    """What a seat has taken, its own goal first."""
    goal = int(s["goals"][seat])
    order = [goal, *(colour for colour in range(rules.colours) if colour != goal)]
    counts = s["taken"][seat].tolist()
    return f"goal {COLOURS[goal]}; " + ", ".join(f"{counts[k]} {COLOURS[k]}" for k in order)
