"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.civilization.naming import action_to_string
from stratagym.envs.civilization.render import SEAT_COLOURS
from stratagym.envs.civilization.state import TREATIES
from stratagym.envs.civilization.view import actor_name


def move(rules: Any, s: Any, action: int) -> str:
    """A legal action in short, with its actor: ``Settlers 0: build city``."""
    words = action_to_string(rules, s, action)
    return words if int(s["stage"]) == TREATIES else f"{actor_name(rules, s)}: {words}"


def beside(rules: Any, s: Any, seat: int) -> str:
    """A seat's score, cities, units and gold."""
    cities = sum(tile >= 0 for tile in s["city_tile"][seat].tolist())
    units = sum(kind >= 0 for kind in s["unit_type"][seat].tolist())
    score, gold = int(s["score"][seat]), int(s["gold"][seat])
    return f"score {score}, {cities} cities, {units} units, {gold} gold"


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A seat's number, and its colour."""
    return str(seat), SEAT_COLOURS[seat]
