"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.hanabi.rules import DISCARD, PLAY, RANKS, REVEAL_COLOUR, decode
from stratagym.envs.hanabi.view import COLOURS, card_name


def move(rules: Any, s: Any, action: int) -> str:
    """A legal move in short, as a spectator sees it: ``plays R1``, ``tells 1: red``."""
    kind, offset, value = decode(rules, action)
    seat = int(s["player"])
    if kind in (PLAY, DISCARD):
        card = int(s["hands"][seat, value])
        if kind == DISCARD:
            return f"discards {card_name(card)}"
        fits = card % RANKS == s["fireworks"][card // RANKS]
        return f"plays {card_name(card)}{'' if fits else ' ✗'}"
    about = COLOURS[value] if kind == REVEAL_COLOUR else f"{value + 1}s"
    return f"tells {(seat + offset) % rules.num_players} {about}"
