"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.coin_game.render import PLAYERS
from stratagym.envs.coin_game.view import COLOURS


def beside(rules: Any, s: Any, seat: int) -> str:
    """What a seat has taken, its own goal first."""
    goal = int(s["goals"][seat])
    order = [goal, *(colour for colour in range(rules.colours) if colour != goal)]
    counts = s["taken"][seat].tolist()
    return f"goal {COLOURS[goal]}; " + ", ".join(f"{counts[k]} {COLOURS[k]}" for k in order)


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A seat's mark, and the colour that it has in pictures."""
    return str(seat), PLAYERS[seat]
