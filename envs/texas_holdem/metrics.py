"""How players behaved over whole matches."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.texas_holdem.rules import (
    FOLD,
    NO_CARD,
    PREFLOP,
    amount_of,
    highest,
    to_call,
)

COUNTS = (
    "decisions",
    "fold",
    "check",
    "call",
    "raise",
    "all_in",
    "hands",
    "voluntary",
    "raised_preflop",
    "saw_flop",
    "showdowns",
    "showdowns_won",
)
"""What ``game_counts`` counts: decisions by kind, then hands of a kind.

raise: for less than all-in, bets included. all_in: raises to all-in. hands: begun.
voluntary: chips put in before the flop beyond the blind. showdowns_won: half for a split pot.
"""
COUNTS_DTYPE = np.float64
_FOLD, _CHECK, _CALL, _RAISE, _ALL_IN, _HANDS, _VOLUNTARY, _RAISED, _FLOP, _SHOWN, _WON = range(
    1, len(COUNTS)
)
MEMORY = 3
_PAID, _BET, _SEEN = range(len(COUNTS), len(COUNTS) + MEMORY)
"""Of the hand being played: paid of one's own will or raised before the flop, the flop was seen."""


@njit(cache=True)
def move_kind(rules, s, action):
    """The place in ``COUNTS`` of what the seat to move would do."""
    if action == FOLD:
        return _FOLD
    if amount_of(rules, s, action) > s.bet[1 - s.player]:
        return _ALL_IN if amount_of(rules, s, action) == highest(s) else _RAISE
    return _CALL if to_call(s) > 0 else _CHECK


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    kind = move_kind(rules, s, action)
    counts[seat, 0] += 1
    counts[seat, kind] += 1
    if s.street == PREFLOP:
        if kind in (_CALL, _RAISE, _ALL_IN):
            counts[seat, _PAID] = 1
        if kind in (_RAISE, _ALL_IN):
            counts[seat, _BET] = 1


@njit(cache=True)
def count_after(rules, s, seat, action, counts):
    if s.hand == counts[0, _HANDS]:  # the hand goes on
        counts[:, _SEEN] = s.street > PREFLOP
        return
    shown = s.last_hole[0, 0] != NO_CARD
    for player in range(2):
        own = counts[player]
        own[_HANDS] = s.hand
        own[_VOLUNTARY] += own[_PAID]
        own[_RAISED] += own[_BET]
        own[_FLOP] += own[_SEEN] or shown
        own[_PAID] = own[_BET] = own[_SEEN] = 0
        if shown:
            own[_SHOWN] += 1
            won = s.last_won[player]
            own[_WON] += 1.0 if won > 0 else 0.5 if won == 0 else 0.0


def rates(counts: np.ndarray) -> dict[str, float]:
    """Behaviour from ``COUNTS`` summed over matches; nan where nothing was counted.

    Shares of all decisions: fold, check, call, raise, all_in. Shares of hands: vpip (chips put in
    of one's own will before the flop), pfr (raised before the flop), saw_flop, showdown.
    aggression: raises and all-ins for each call. showdown_won: of the showdowns.

    Args:
        counts: (12,) numbers.
    """
    of = dict(zip(COUNTS, np.asarray(counts, float).tolist(), strict=True))

    def share(part: float, whole: float) -> float:
        return part / whole if whole else float("nan")

    return {
        **{name: share(of[name], of["decisions"]) for name in COUNTS[1:6]},
        "vpip": share(of["voluntary"], of["hands"]),
        "pfr": share(of["raised_preflop"], of["hands"]),
        "saw_flop": share(of["saw_flop"], of["hands"]),
        "showdown": share(of["showdowns"], of["hands"]),
        "aggression": share(of["raise"] + of["all_in"], of["call"]),
        "showdown_won": share(of["showdowns_won"], of["showdowns"]),
    }
