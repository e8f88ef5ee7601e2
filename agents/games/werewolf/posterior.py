"""How likely each player is a wolf, to one who weighs all packs that agree with what it knows.

A pack's weight is the product of how likely its members and the others make what was said and how
it was voted; the seer is summed over. In 20,000 games each of ``seer`` and of ``deductive`` among
themselves a villager voted for a wolf exp(.37) and exp(.36) times as often as by chance (exp(.09)
where wolves bluff), a wolf for another player exp(.16) to exp(.19) times, and never for a wolf. The
other numbers are guesses on the safe side.
"""

from __future__ import annotations

from math import exp

import numpy as np
from numba import njit

from stratagym.agents.games.werewolf.common import claimants, told_of
from stratagym.envs.werewolf.knowledge import known_role, known_sides
from stratagym.envs.werewolf.observation import last_vote
from stratagym.envs.werewolf.state import (
    ABSTAIN,
    ASK_VOTE,
    IS_WOLF,
    KILLED,
    NOBODY,
    NOT_WOLF,
    SEER,
    SUSPECT,
    SUSPECTED,
    has,
    size,
)

VILLAGE_VOTES_WOLF = 0.35
"""Logarithms of how much likelier than by chance: a villager votes for a wolf,"""
WOLF_VOTES_WOLF = -2.0
"""a wolf for a packmate,"""
WOLF_VOTES_VILLAGE = 0.15
"""a wolf for another."""
SAID = 0.6
"""What a suspicion counts of a vote."""
WOLF_CLAIMS = -1.0
"""A wolf claims to be the seer,"""
LIAR_CLAIMS = -5.0
"""another player who is not,"""
SEER_IS_SILENT = -0.25
"""the seer says nothing, for each day."""
WRONG_RESULT = -7.0
"""A seer tells a wrong result,"""
BETRAYS = -2.5
"""a wolf calls a packmate a wolf."""


@njit(cache=True)
def _note(col, row, both, i, j, weight):
    col[j] += weight * VILLAGE_VOTES_WOLF
    row[i] += weight * WOLF_VOTES_VILLAGE
    both[i, j] += weight * (WOLF_VOTES_WOLF - WOLF_VOTES_VILLAGE - VILLAGE_VOTES_WOLF)


@njit(cache=True)
def wolf_chances(rules, s, player, out):
    """Write each seat's chance to be a wolf, to a player that is none, into ``out`` (n,)."""
    n = rules.num_players
    must, never = known_sides(rules, s, player)
    never |= 1 << player
    col, row, both = np.zeros(n), np.zeros(n), np.zeros((n, n))
    if not rules.secret:
        for day in range(1, last_vote(rules, s) + 1):
            for i in range(n):
                j = s.votes[day, i]
                if j != NOBODY and j != ABSTAIN:
                    _note(col, row, both, i, j, 1.0)
    for i in range(n):
        for j in range(n):
            pair = s.pairs[i, j]
            said = pair[SUSPECT] + pair[SUSPECTED] + pair[ASK_VOTE]
            if said and i != j:
                _note(col, row, both, i, j, SAID * said)
    claiming, silent = claimants(rules, s), SEER_IS_SILENT * s.day
    seer = NOBODY
    for i in range(n):
        if known_role(rules, s, player, i) == SEER:
            seer = i
        if s.fate[i] == KILLED and not rules.killer:
            never |= 1 << i
        if has(claiming, i):
            row[i] += WOLF_CLAIMS - LIAR_CLAIMS
            results = told_of(rules, s, i, IS_WOLF)
            for j in range(n):
                if has(results, j):
                    both[i, j] += BETRAYS
    out[:] = 0.0
    living, pack, total, best = size(s.alive), (1 << rules.wolves) - 1, 0.0, -1e9
    while pack < 1 << n:
        alive = size(pack & s.alive)
        if must & ~pack == 0 and pack & never == 0 and alive and 2 * alive < living:
            weight = 0.0
            for i in range(n):
                if has(pack, i):
                    weight += col[i] + row[i]
                    for j in range(n):
                        if has(pack, j):
                            weight += both[i, j]
            weight += _seers(rules, s, pack, claiming, silent, seer)
            if weight > best:  # all so far is counted in units of the best
                scale = exp(max(-700.0, best - weight))
                total *= scale
                for i in range(n):
                    out[i] *= scale
                best = weight
            share = exp(weight - best)
            total += share
            for i in range(n):
                if has(pack, i):
                    out[i] += share
        low = pack & -pack  # the next set of as many seats (Gosper)
        high = pack + low
        pack = (((high ^ pack) >> 2) // low) | high
    if total > 0:
        for i in range(n):
            out[i] /= total


@njit(cache=True)
def _seers(rules, s, pack, claiming, silent, seer):
    """The logarithm of the sum over all who may be the seer beside a pack."""
    total = 1e-9
    for x in range(rules.num_players):
        if has(pack, x) or (seer != NOBODY and x != seer):
            continue
        if not has(claiming, x):
            total += exp(silent)
            continue
        wrong = size(told_of(rules, s, x, IS_WOLF) & ~pack)
        wrong += size(told_of(rules, s, x, NOT_WOLF) & pack)
        total += exp(WRONG_RESULT * wrong - LIAR_CLAIMS)
    return np.log(total)
