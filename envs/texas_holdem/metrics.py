"""How players behaved over whole matches."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.texas_holdem.rules import (
    CALL,
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
    "all_in_calls",
)
"""What ``game_counts`` counts: decisions by kind, then hands of a kind.

Decisions count by what was chosen. raise: for less than all-in, bets included. all_in: declared,
also where it comes to a call, as Botzone's judge has it; all_in_calls: these. hands: begun.
voluntary: chips put in before the flop beyond the blind. showdowns_won: half for a split pot.
"""
COUNTS_DTYPE = np.float64
(
    _FOLD, _CHECK, _CALL, _RAISE, _ALL_IN, _HANDS, _VOLUNTARY, _RAISED, _FLOP, _SHOWN, _WON,
    _ALL_IN_CALL,
) = range(1, len(COUNTS))  # fmt: skip
MEMORY = 3
_PAID, _BET, _SEEN = range(len(COUNTS), len(COUNTS) + MEMORY)
"""Of the hand being played: paid of one's own will or raised before the flop, the flop was seen."""


@njit(cache=True)
def move_kind(rules, s, action):
    """The place in ``COUNTS`` of what the seat to move would choose."""
    if action == FOLD:
        return _FOLD
    if action == CALL:
        return _CALL if to_call(s) > 0 else _CHECK
    return _ALL_IN if amount_of(rules, s, action) == highest(s) else _RAISE


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    kind = move_kind(rules, s, action)
    counts[seat, 0] += 1
    counts[seat, kind] += 1
    calls = kind == _ALL_IN and highest(s) <= s.bet[1 - s.player]
    counts[seat, _ALL_IN_CALL] += calls
    if s.street == PREFLOP:
        if kind in (_CALL, _RAISE, _ALL_IN):
            counts[seat, _PAID] = 1
        if kind == _RAISE or (kind == _ALL_IN and not calls):
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

    Shares of all decisions by what was chosen: fold, check, call, raise, all_in; by what it came
    to: calls_made and all_ins_made, with all-ins that call among the calls. Shares of hands: vpip
    (chips put in of one's own will before the flop), pfr (raised before the flop), saw_flop,
    showdown. aggression: raises and all-ins made for each call made. showdown_won: of the
    showdowns.

    Args:
        counts: (13,) numbers.
    """
    of = dict(zip(COUNTS, np.asarray(counts, float).tolist(), strict=True))

    def share(part: float, whole: float) -> float:
        return part / whole if whole else float("nan")

    calls, all_ins = of["call"] + of["all_in_calls"], of["all_in"] - of["all_in_calls"]
    return {
        **{name: share(of[name], of["decisions"]) for name in COUNTS[1:6]},
        "calls_made": share(calls, of["decisions"]),
        "all_ins_made": share(all_ins, of["decisions"]),
        "vpip": share(of["voluntary"], of["hands"]),
        "pfr": share(of["raised_preflop"], of["hands"]),
        "saw_flop": share(of["saw_flop"], of["hands"]),
        "showdown": share(of["showdowns"], of["hands"]),
        "aggression": share(of["raise"] + all_ins, calls),
        "showdown_won": share(of["showdowns_won"], of["showdowns"]),
    }
