"""Votes and bids that a player of Werewolf does not see, drawn anew."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.core import random_below
from stratagym.envs.werewolf.state import (
    ABSTAIN,
    BID,
    EXILED,
    LOT,
    MAJORITY,
    NOBODY,
    REVOTE,
    any_of,
    first_of,
    has,
    next_of,
    size,
)

TRIES = 10_000
"""Draws after which the last is taken, whether it agrees or not."""


@njit(cache=True)
def draw_pack(s, candidates, wolves):
    """So many seats of a set, each choice as likely as any."""
    drawn, left = 0, size(candidates)
    seat = first_of(candidates) if candidates else NOBODY
    while wolves > 0 and seat != NOBODY:
        if random_below(s, left) < wolves:
            drawn |= 1 << seat
            wolves -= 1
        left -= 1
        seat = next_of(candidates, seat)
    return drawn


@njit(cache=True)
def draw_commits(rules, s, player):
    """Draw the others' bids or votes of the running turn."""
    for seat in range(np.int64(s.player)):
        if s.committed[seat] == NOBODY or seat == player:
            continue
        if s.phase == BID:
            s.committed[seat] = random_below(s, 5)
        else:
            s.committed[seat] = _any_vote(rules, s, seat, np.int64(s.tied if s.tied else s.alive))


@njit(cache=True)
def _any_vote(rules, s, seat, candidates):
    """A vote of a seat for one of a set, or for nobody where that is allowed."""
    candidates &= ~(1 << seat)
    if rules.abstain and random_below(s, size(candidates) + 1) == 0:
        return ABSTAIN
    return any_of(s, candidates)


@njit(cache=True)
def draw_votes(rules, s, player, day):
    """Draw the others' votes of a day, of which all know the outcome alone."""
    living, out = 0, NOBODY
    for seat in range(rules.num_players):
        if s.votes[day, seat] != NOBODY:
            living |= 1 << seat
        if s.fate[seat] == EXILED and s.fate_day[seat] == day:
            out = seat
    if living == 0:
        return
    is_tied = s.tied != 0 and day == s.day  # the second vote is still to come
    candidates = np.int64(s.ties[day]) if s.ties[day] else living
    if rules.exile == MAJORITY and out != NOBODY:
        _draw_majority(rules, s, player, day, living, out)
        return
    for _ in range(TRIES):
        for seat in range(rules.num_players):
            if has(living, seat) and seat != player:
                s.votes[day, seat] = _any_vote(rules, s, seat, candidates)
        if _comes_to(rules, s, day, living, out, s.tied if is_tied else 0):
            return


@njit(cache=True)
def _comes_to(rules, s, day, living, out, tied):
    """Whether the votes of a day come to an exile, or to nobody's and a tie of these."""
    most, leaders = 0, 0
    for seat in range(rules.num_players):
        votes = 0
        for voter in range(rules.num_players):
            votes += has(living, voter) and s.votes[day, voter] == seat
        if votes > most:
            most, leaders = votes, 0
        if votes == most and most > 0:
            leaders |= 1 << seat
    if tied:
        return leaders == tied
    if rules.exile == MAJORITY:
        return 2 * most <= size(living)
    if out != NOBODY:
        return has(leaders, out) and (rules.exile == LOT or leaders == 1 << out)
    if rules.exile == REVOTE and s.ties[day] == 0:
        return most == 0
    return size(leaders) != 1 and (rules.exile != LOT or most == 0)


@njit(cache=True)
def _draw_majority(rules, s, player, day, living, out):
    """Votes uniform over those that give one player more than half of them.

    How many of the others voted so is drawn by how many ways there are, then who they were.
    """
    voters = living & ~(1 << player)
    own = has(living, player) and s.votes[day, player] == out
    free = voters & ~(1 << out)
    most = size(free)
    elsewhere = size(living) - 2 + rules.abstain  # what else a voter may choose
    least = size(living) // 2 + 1 - own
    # The chance of each number, up to a factor, from most down: C(most, k) elsewhere^(most - k).
    total, weight = 0.0, 1.0
    for k in range(most, max(0, least) - 1, -1):
        total += weight
        weight *= elsewhere * k / (most - k + 1)
    drawn = total * (random_below(s, 1 << 30) / (1 << 30))
    count, weight = most, 1.0
    while count > max(0, least) and drawn >= weight:
        drawn -= weight
        weight *= elsewhere * count / (most - count + 1)
        count -= 1
    chosen = draw_pack(s, free, count)
    for seat in range(rules.num_players):
        if has(voters, seat):
            if has(chosen, seat):
                s.votes[day, seat] = out
            else:
                s.votes[day, seat] = _any_vote(rules, s, seat, living & ~(1 << out))
