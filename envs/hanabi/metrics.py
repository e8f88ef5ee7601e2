"""What a Hanabi move does, and how players behaved over a game."""

from __future__ import annotations

from typing import Any

from numba import njit

from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.counting import replay as replay
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
    "playable_discard",
    "wasted_token",
)
"""What a move can be; it may be several at once.

misplay: a play that does not fit. useless_discard: of a card that can never be played any more.
critical_loss: a discard or misplay of the last copy of a card that could still be played.
useful_hint: rules something out about a card that fits now. repeated_hint: rules nothing out that
earlier hints had not, about any card. playable_discard: of a card that fits now. wasted_token: a
repeated hint, or a 5 played while no token is missing, whose token is lost.
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
                full = s.information_tokens == rules.max_information_tokens
                return bits | 512 if full and card % RANKS == RANKS - 1 else bits
            bits |= 2
        else:
            bits = 4
            if is_useless(rules, s, card):
                bits |= 8
            if card % RANKS == s.fireworks[card // RANKS]:
                bits |= 256
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
    return bits if new else bits | 128 | 512


def move_tags(rules: Any, s: Any, action: int) -> frozenset[str]:
    """The ``TAGS`` of a legal move of the seat to move in the record ``s``."""
    bits = tag_bits(rules, s, action)
    return frozenset(tag for k, tag in enumerate(TAGS) if bits >> k & 1)


COUNTS = ("decisions", *TAGS)
"""What ``game_counts`` counts: decisions and tags."""

RESULTS = ("points", "points_before_last", "lives", "tokens", "points_lost")
"""What ``replay`` tells of the end of a game.

points: height of all fireworks, whatever became of the lives. points_before_last: the same before
the game's last move. lives, tokens: left. points_lost: of the full score, what could not be had any
more because all copies of a card were gone.
"""


@njit(cache=True)
def points_lost(rules, s):
    """Points that are out of reach for good: cards that need one of which no copy is left."""
    lost = 0
    for colour in range(rules.colours):
        for rank in range(s.fireworks[colour], RANKS):
            if s.discards[RANKS * colour + rank] == copies(rank):
                lost += RANKS - rank
                break
    return lost


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    counts[seat, 0] += 1
    bits = tag_bits(rules, s, action)
    for k in range(counts.shape[1] - 1):
        counts[seat, 1 + k] += bits >> k & 1


@njit(cache=True)
def count_end(rules, s, results):
    results[0] = s.score
    results[1] = s.score_before
    results[2] = s.life_tokens
    results[3] = s.information_tokens
    results[4] = points_lost(rules, s)
