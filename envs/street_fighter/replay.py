"""What a replay shows beside the picture: inputs, and the frames in which something touched."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from stratagym.envs.street_fighter.render import SEAT_COLOURS, picture
from stratagym.envs.street_fighter.rules import play_frames
from stratagym.envs.street_fighter.view import INPUTS, board_text

_EVENTS = ("is hit", "blocks", "parries")


def move(rules: Any, s: Any, action: int) -> str:
    """An input in short."""
    return INPUTS[action]


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A seat's letter, and its colour."""
    return "RB"[seat], SEAT_COLOURS[seat]


def beside(rules: Any, s: Any, seat: int) -> str:
    """Health, stun and meter."""
    health, stun, meter = (int(s[name][seat]) for name in ("health", "stun", "meter"))
    return f"health {health}, stun {stun}, meter {meter}"


def happened(s: Any) -> str:
    """What touched whom in the last decision, in words; empty for nothing."""
    told = [
        f"{('red', 'blue')[i]} {words}"
        for i in range(2)
        for words, event in zip(_EVENTS, s["events"][i].tolist(), strict=True)
        if event
    ]
    return ", ".join(told)


def frames(
    rules: Any, before: Any, after: Any, size: int = 640
) -> list[tuple[str, str, Callable[[], np.ndarray]]]:
    """The frames of a decision in which something touched: (what, the position, a picture)."""
    if before["seat"] == 0 or after["turn"] == before["turn"] or after["round"] != before["round"]:
        return []
    told = happened(after)
    if not told:
        return []
    found: list[tuple[str, str, Callable[[], np.ndarray]]] = []
    first, second = int(before["committed"]), int(after["given"][1])
    for k in range(1, rules.frames + 1):
        states = np.array([before])
        play_frames(rules, states[0], first, second, k)
        label = f"Frame {k} of {rules.frames}: {told}"
        paint = partial(picture, rules, states[0].copy(), size, label)
        found.append((label, board_text(rules, states[0]), paint))
    return found
