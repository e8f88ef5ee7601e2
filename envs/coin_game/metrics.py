"""What players of the coin game took, and the moves they wasted, in recorded games."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs.coin_game.rules import NONE, STAND, goes_to, is_goal, taken_of
from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.counting import replay as replay

COUNTS = ("decisions", "own_coins", "others_coins", "neither_coins", "stands", "bumps")
"""What ``game_counts`` counts, for the seat that moved.

own_coins, others_coins, neither_coins: coins it took of its own goal, of another seat's and of
nobody's. stands: moves spent standing. bumps: moves off the board or onto a player.
"""
RESULTS = ("goal_coins", "neither_coins")
"""What ``replay`` tells of the end: coins of somebody's and of nobody's goal that all took."""


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    own = counts[seat]
    own[0] += 1
    cell = goes_to(rules, s, action)
    coin = s.coins[cell]
    if coin != NONE:
        if coin == s.goals[seat]:
            own[1] += 1
        elif is_goal(rules, s, coin):
            own[2] += 1
        else:
            own[3] += 1
    elif action == STAND:
        own[4] += 1
    elif cell == s.where[seat]:
        own[5] += 1


@njit(cache=True)
def count_end(rules, s, results):
    for colour in range(rules.colours):
        results[1 - is_goal(rules, s, colour)] += taken_of(rules, s, colour)


def rates(counts: np.ndarray) -> dict[str, Any]:
    """What a policy did, of its counts: coins a decision by class, shares of coins and moves.

    Args:
        counts: (len(COUNTS),), summed over games and the policy's seats.

    Returns:
        Coins a decision by whose goal they were of, the share of ``neither`` among the coins it
        took, and the share of its moves that were wasted, standing or bumping; nan without a case.
    """
    decisions, own, others, neither, stands, bumps = np.asarray(counts, float)
    coins = own + others + neither
    nan = float("nan")
    return {
        "own_coins": own / decisions if decisions else nan,
        "others_coins": others / decisions if decisions else nan,
        "neither_coins": neither / decisions if decisions else nan,
        "neither_share": neither / coins if coins else nan,
        "wasted": (stands + bumps) / decisions if decisions else nan,
    }
