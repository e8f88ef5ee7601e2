"""What a Ludo move does, and how a player behaved over a game."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.ludo.rules import BASE, FINISHED, FORBIDDEN, TRACK, destination, is_safe
from stratagym.envs.ludo.view import captured, position

TAGS = ("capture", "home_entry", "home_finish", "safe", "open", "move_existing")
"""What a move can be; it may be several at once.

capture: sends opposing pieces back. home_entry: lands in the home path, or moves in it.
home_finish: lands on its last cell. safe: lands on a safe square of the track. open: leaves base.
move_existing: does not leave base.
"""


def move_tags(rules: Any, s: Any, action: int, *, open_is_safe: bool = False) -> frozenset[str]:
    """The ``TAGS`` of a legal move of the seat to move.

    Leaving base lands on a safe square but counts as ``open`` only, unless ``open_is_safe`` (as
    in LudoBench's released code).
    """
    player = int(s["player"])
    steps = int(s["steps"][player, action])
    target = int(destination(rules, steps, int(s["dice"])))
    if target == FORBIDDEN:
        raise ValueError(f"ludo: piece {action} cannot move")
    tags = {"open" if steps == BASE else "move_existing"}
    if captured(rules, s, player, target):
        tags.add("capture")
    if target > TRACK:
        tags.add("home_entry")
    elif is_safe(position(rules, player, target)) and (steps != BASE or open_is_safe):
        tags.add("safe")
    if target == FINISHED:
        tags.add("home_finish")
    return frozenset(tags)


def game_metrics(rules: Any, seed: int, actions: list[int]) -> list[dict[str, int]]:
    """Per seat: decisions, decisions with a choice, and how many moves had each tag."""
    states = core.new_states(rules)
    legal, probs = core.new_scratch(rules)
    counts: list[Counter[str]] = [Counter() for _ in range(rules.num_players)]
    seat = core.start_at(rules, states, 0, np.uint64(seed), probs)
    for action in actions:
        counts[seat]["decisions"] += 1
        counts[seat]["choices"] += core.legal_actions_at(rules, states, 0, legal) > 1
        counts[seat].update(move_tags(rules, states[0], action))
        seat, _ = core.play_at(rules, states, 0, action, legal, probs)
    return [{key: c[key] for key in ("decisions", "choices", *TAGS)} for c in counts]
