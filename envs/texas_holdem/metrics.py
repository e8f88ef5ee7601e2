"""How players behaved over whole matches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core
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
_FOLD, _CHECK, _CALL, _RAISE, _ALL_IN, _HANDS, _VOLUNTARY, _RAISED, _FLOP, _SHOWN, _WON = range(
    1, len(COUNTS)
)


@njit(cache=True)
def move_kind(rules, s, action):
    """The place in ``COUNTS`` of what the seat to move would do."""
    if action == FOLD:
        return _FOLD
    if amount_of(rules, s, action) > s.bet[1 - s.player]:
        return _ALL_IN if amount_of(rules, s, action) == highest(s) else _RAISE
    return _CALL if to_call(s) > 0 else _CHECK


@njit(cache=True, nogil=True)
def _count(rules, states, seeds, actions, plies, legal, probs, counts):
    s = states[0]
    for g in range(seeds.shape[0]):
        seat = core.start(rules, s, seeds[g], probs)
        voluntary = raised = 0  # bits of the seats that did so in this hand
        flop = False
        for ply in range(plies[g]):
            hand, action = s.hand, actions[g, ply]
            kind = move_kind(rules, s, action)
            counts[g, seat, 0] += 1
            counts[g, seat, kind] += 1
            if s.street == PREFLOP:
                if kind in (_CALL, _RAISE, _ALL_IN):
                    voluntary |= 1 << seat
                if kind in (_RAISE, _ALL_IN):
                    raised |= 1 << seat
            seat = core.play(rules, s, action, probs)
            flop |= s.hand == hand and s.street > PREFLOP
            if s.hand == hand:
                continue
            shown = s.last_hole[0, 0] != NO_CARD
            for player in range(2):
                counts[g, player, _HANDS] += s.hand - hand
                counts[g, player, _VOLUNTARY] += voluntary >> player & 1
                counts[g, player, _RAISED] += raised >> player & 1
                counts[g, player, _FLOP] += flop or shown
                if shown:
                    counts[g, player, _SHOWN] += 1
                    won = s.last_won[player]
                    counts[g, player, _WON] += 1.0 if won > 0 else 0.5 if won == 0 else 0.0
            voluntary = raised = 0
            flop = False


def game_counts(
    rules: Any, seeds: np.ndarray, actions: np.ndarray, plies: np.ndarray
) -> np.ndarray:
    """``COUNTS`` of every match and seat, (G, 2, 12) float64, by playing the matches again.

    Args:
        seeds: (G,) uint64. actions: (G, longest) integers. plies: (G,) decisions in each match.
    """
    counts = np.zeros((len(seeds), 2, len(COUNTS)))
    legal, probs = core.new_scratch(rules)
    _count(rules, core.new_states(rules), seeds, actions, plies, legal, probs, counts)
    return counts


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
