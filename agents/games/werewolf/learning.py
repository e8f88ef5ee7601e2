"""What learners of Werewolf are told between results: how far ahead a side is."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.werewolf.common import heat
from stratagym.envs.core import returns
from stratagym.envs.werewolf.state import JESTER, RUNNING, has, size

MOST = 0.95
"""The size of an estimate at most."""
HEARD, VOTED = 0.03, 0.06
"""What a suspicion that counts today, and a vote of yesterday or today, are worth if they are
right; if they are wrong, as much less as makes those of chance worth nothing."""


@njit(cache=True)
def evaluate(rules, s, out):
    """By how many wolves there are to each other player, and by whom votes and suspicion have met.

    A jester or a killer, who has a side of its own, is told nothing before the end.
    """
    if s.winner != RUNNING:
        returns(rules, s, out)
        return
    wolves = size(s.alive & s.wolves)
    others = max(1, size(s.alive) - wolves)
    chance = -wolves / others
    village = 1.0 - 2.0 * wolves / others
    for seat in range(rules.num_players):
        if has(s.alive, seat):
            village += HEARD * (1.0 if has(s.wolves, seat) else chance) * heat(rules, s, seat)
        for day in range(max(1, np.int64(s.day) - 1), np.int64(s.day) + 1):
            vote = np.int64(s.votes[day, seat])
            if vote >= 0 and vote < rules.num_players:
                village += VOTED * (1.0 if has(s.wolves, vote) else chance)
    village = max(-MOST, min(MOST, village))
    for seat in range(rules.num_players):
        if s.role[seat] >= JESTER:
            out[seat] = 0.0
        else:
            out[seat] = -village if has(s.wolves, seat) else village
