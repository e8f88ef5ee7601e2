"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.mcr_mahjong.table import seat_wind
from stratagym.envs.mcr_mahjong.view import WINDS, action_to_string


def move(rules: Any, s: Any, action: int) -> str:
    """A legal move, as a spectator sees it."""
    return action_to_string(rules, s, action)


def beside(rules: Any, s: Any, seat: int) -> str:
    """A seat's wind and points."""
    return f"{WINDS[seat_wind(s, seat)]}, {int(s['scores'][seat]):+d}"
