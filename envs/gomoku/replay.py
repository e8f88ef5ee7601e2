"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.gomoku.render import COLOURS
from stratagym.envs.gomoku.rules import IN_TURN, SWAP2
from stratagym.envs.words import MARKS

GREY = (120, 124, 132)
"""Of seats whose colours are still to be chosen."""


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A seat's mark, and the colour that it has in pictures."""
    if rules.opening == SWAP2 and s["phase"] != IN_TURN:
        return str(seat), GREY
    colour = int(seat != s["black"])
    return MARKS[colour], COLOURS[colour]
