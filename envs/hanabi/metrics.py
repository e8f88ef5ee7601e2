"""What a Hanabi move does, and how players behaved over a game."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core
from stratagym.envs.hanabi.rules import (
    DISCARD,
    PLAY,
    RANKS,
    REVEAL_COLOUR,
    copies,
    decode,
    seat_after,
)

TAGS = (
    "play",
    "misplay",
    "discard",
    "useless_discard",
    "critical_loss",
    "hint",
    "useful_hint",
    "repeated_hint",
)
"""What a move can be; it may be several at once.

misplay: a play that does not fit. useless_discard: of a card that can never be played any more.
critical_loss: a discard or misplay of the last copy of a card that could still be played.
useful_hint: rules something out about a card that fits now. repeated_hint: rules nothing out that
earlier hints had not, about any card.
"""


@njit(cache=True)
def is_useless(rules, s, card):
    """Whether a card is played already, or a lower card of its colour is lost for good."""
    colour, rank = card // RANKS, card % RANKS
    if rank < s.fireworks[colour]:
        return True
    for lower in range(s.fireworks[colour], rank + 1):
        if s.discards[RANKS * colour + lower] == copies(lower):
            return True
    return False


@njit(cache=True)
def is_critical(rules, s, card):
    """Whether this is the last copy of a card that can still be played."""
    if s.discards[card] != copies(card % RANKS) - 1:
        return False
    return not is_useless(rules, s, card)


@njit(cache=True)
def tag_bits(rules, s, action):
    """The tags of a legal move of the seat to move: bit ``k`` is ``TAGS[k]``."""
    kind, offset, value = decode(rules, action)
    if kind in (DISCARD, PLAY):
        card = s.hands[s.player, value]
        if kind == PLAY:
            bits = 1
            if card % RANKS == s.fireworks[card // RANKS]:
                return bits
            bits |= 2
        else:
            bits = 4
            if is_useless(rules, s, card):
                bits |= 8
        if is_critical(rules, s, card):
            bits |= 16
        return bits
    bits, new = 32, False
    seat = seat_after(rules, s.player, offset)
    bit = 1 << value if kind == REVEAL_COLOUR else 32 << value
    field = 31 if kind == REVEAL_COLOUR else 31 << 5
    for k in range(s.hand_sizes[seat]):
        card = s.hands[seat, k]
        known = s.knowledge[seat, k]
        touched = (card // RANKS if kind == REVEAL_COLOUR else card % RANKS) == value
        # What may be left, of the colours or ranks, once this was told.
        left = known & bit if touched else known & field & ~bit
        if left != known & field:
            new = True
            if card % RANKS == s.fireworks[card // RANKS]:
                bits |= 64
    return bits if new else bits | 128


def move_tags(rules: Any, s: Any, action: int) -> frozenset[str]:
    """The ``TAGS`` of a legal move of the seat to move in the record ``s``."""
    bits = tag_bits(rules, s, action)
    return frozenset(tag for k, tag in enumerate(TAGS) if bits >> k & 1)


COUNTS = ("decisions", *TAGS)
"""What ``game_counts`` counts: decisions and tags."""


@njit(cache=True, nogil=True)
def _count(rules, states, seeds, actions, plies, probs, counts):
    s = states[0]
    for g in range(seeds.shape[0]):
        seat = core.start(rules, s, seeds[g], probs)
        for ply in range(plies[g]):
            counts[g, seat, 0] += 1
            bits = tag_bits(rules, s, actions[g, ply])
            for k in range(8):
                counts[g, seat, 1 + k] += bits >> k & 1
            seat = core.play(rules, s, actions[g, ply], probs)


def game_counts(
    rules: Any, seeds: np.ndarray, actions: np.ndarray, plies: np.ndarray
) -> np.ndarray:
    """``COUNTS`` of every game and seat, (G, P, 9) int64, by playing the games again.

    Args:
        seeds: (G,) uint64. actions: (G, longest) integers. plies: (G,) decisions in each game.
    """
    counts = np.zeros((len(seeds), rules.num_players, len(COUNTS)), np.int64)
    _, probs = core.new_scratch(rules)
    _count(rules, core.new_states(rules), seeds, actions, plies, probs, counts)
    return counts


@njit(cache=True, nogil=True)
def _finish(rules, finals, seeds, actions, plies, probs):
    for g in range(seeds.shape[0]):
        s = finals[g]
        core.start(rules, s, seeds[g], probs)
        for ply in range(plies[g]):
            core.play(rules, s, actions[g, ply], probs)


SCORES = ("strict", "keep", "spin")
"""The three ways to score a game; see the options of the game."""


def game_scores(
    rules: Any, seeds: np.ndarray, actions: np.ndarray, plies: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """``SCORES`` of every game (G, 3) int64, and its lives at the end (G,), by playing it again.

    ``spin`` is the score before the last move. Whatever the rules in force score, it is the same
    game; but SPIN-Bench's hands of five for four players come only with ``score="spin"``.
    Arguments as ``game_counts``.
    """
    finals = core.new_states(rules, len(seeds))
    _, probs = core.new_scratch(rules)
    _finish(rules, finals, seeds, actions, plies, probs)
    keep, lives = finals["score"].astype(np.int64), finals["life_tokens"].astype(np.int64)
    return np.stack([keep * (lives > 0), keep, finals["score_before"]], axis=1), lives
