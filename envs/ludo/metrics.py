"""What a Ludo move does, and how players behaved over a game."""

from __future__ import annotations

from typing import Any

from numba import njit

from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.ludo.rules import (
    BASE,
    FINISHED,
    TRACK,
    captures,
    destination,
    is_safe,
    legal_actions,
    square_at,
)

TAGS = ("capture", "home_entry", "home_finish", "safe", "open", "move_existing")
"""What a move can be; it may be several at once.

capture: sends opposing pieces back. home_entry: lands in the home path, or moves in it.
home_finish: lands on its last cell. safe: lands on a safe square of the track. open: leaves base.
move_existing: does not leave base.
"""


@njit(cache=True)
def tag_bits(rules, s, action, open_is_safe):
    """The tags of a legal move of the seat to move: bit ``k`` is ``TAGS[k]``."""
    steps = s.steps[s.player, action]
    target = destination(rules, steps, s.dice)
    leaves = steps == BASE
    bits = 16 if leaves else 32
    if captures(rules, s, s.player, target) > 0:
        bits |= 1
    if target > TRACK:
        bits |= 2
    elif is_safe(square_at(rules, s.player, target)) and (open_is_safe or not leaves):
        bits |= 8
    if target == FINISHED:
        bits |= 4
    return bits


def move_tags(rules: Any, s: Any, action: int, *, open_is_safe: bool = False) -> frozenset[str]:
    """The ``TAGS`` of a legal move of the seat to move in the record ``s``.

    Leaving base lands on a safe square but counts as ``open`` only, unless ``open_is_safe`` (as
    in LudoBench's released code).
    """
    bits = tag_bits(rules, s, action, open_is_safe)
    return frozenset(tag for k, tag in enumerate(TAGS) if bits >> k & 1)


COUNTS = ("decisions", "choices", *TAGS)
"""What ``game_counts`` counts: decisions, those with two or more legal moves, and tags."""


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    counts[seat, 0] += 1
    counts[seat, 1] += legal_actions(rules, s, legal) > 1
    bits = tag_bits(rules, s, action, False)
    for k in range(6):
        counts[seat, 2 + k] += bits >> k & 1
