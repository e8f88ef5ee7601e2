"""What players did in recorded games of Werewolf: votes, statements against the truth, survival.

The village's players are those who win with it: neither wolves nor outsiders. A vote for the killer
counts as one for a wolf.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.counting import game_counts as game_counts
from stratagym.envs.counting import replay as replay
from stratagym.envs.werewolf.observation import last_vote
from stratagym.envs.werewolf.rules import choices
from stratagym.envs.werewolf.state import (
    BID,
    DOCTOR,
    EXILED,
    IS_WOLF,
    JESTER,
    KILLED,
    KILLER,
    LIVING,
    NOBODY,
    NOT_WOLF,
    PROTECTED,
    SEER,
    SPEECH,
    VOTE,
    WOLF,
    after,
    has,
    role_claimed,
    seat_of,
    size,
)

COUNTS_DTYPE = np.float64
COUNTS = (
    "votes", "wolf_votes", "wolf_votes_by_chance", "heard", "followed", "speeches", "acts",
    "seer_claims", "false_seer_claims", "claims", "false_claims", "changed_claims",
    "results", "wrong_results", "protections", "false_protections", "bids", "bid_sum",
)  # fmt: skip
"""votes: for somebody; wolf_votes: for a living wolf, wolf_votes_by_chance: the wolves' share of
those who could be voted for, added up. heard: votes while somebody else who claims to be the seer
calls a living other player a wolf; followed: those of them that go to such a player. seer_claims:
claims to be the seer, false_seer_claims: by who is not; claims, false_claims: of any role;
changed_claims: of another role than the last time. results: a check's results as told;
wrong_results: those that are not true of the player, whoever tells them. protections,
false_protections: I protected, and did not. bids, bid_sum: how many, and how high together.
"""
RESULTS = (
    "exiles", "wolf_exiles", "seer_alive", "doctor_alive", "seer_alive_after_vote",
    "doctor_alive_after_vote", "days", "winner", "first_victim",
)  # fmt: skip
"""seer_alive: 1 if it lives at the end, and ``_after_vote`` behind the last vote, as DSGBench
counts; -1 without such a player. winner: as in the record. first_victim: the role of who was killed
first, or -1."""
(
    _VOTES, _WOLF_VOTES, _CHANCE, _HEARD, _FOLLOWED, _SPEECHES, _ACTS, _SEER_CLAIMS,
    _FALSE_SEER_CLAIMS, _CLAIMS, _FALSE_CLAIMS, _CHANGED, _RESULTS_TOLD, _WRONG, _PROTECTIONS,
    _FALSE_PROTECTIONS, _BIDS, _BID_SUM,
) = range(len(COUNTS))  # fmt: skip


@njit(cache=True)
def _hunted(rules, s):
    """The living wolves, and the killer."""
    found = s.alive & s.wolves
    killer = seat_of(rules, s, KILLER)
    return found | (s.alive & 1 << killer) if killer != NOBODY else found


@njit(cache=True)
def is_village(s, seat):
    """Whether a seat wins with the village."""
    return not has(s.wolves, seat) and s.role[seat] < JESTER


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    """Count a vote, a bid or an act before it is played."""
    own, n = counts[seat], rules.num_players
    if s.phase == VOTE and action < n:
        target, hunted, able = after(rules, seat, action), _hunted(rules, s), choices(rules, s)
        own[_VOTES] += 1
        own[_WOLF_VOTES] += has(hunted, target)
        own[_CHANCE] += size(able & hunted) / size(able)
        called = 0
        for speaker in range(n):
            if speaker != seat and s.claimed[speaker] == SEER:
                for other in range(n):
                    if other != speaker and s.pairs[speaker, other, IS_WOLF]:
                        called |= 1 << other
        if called & able:
            own[_HEARD] += 1
            own[_FOLLOWED] += has(called, target)
    elif s.phase == BID:
        own[_BIDS] += 1
        own[_BID_SUM] += action - n - 1
    elif s.phase == SPEECH:
        _count_act(rules, s, seat, action, own)


@njit(cache=True)
def _count_act(rules, s, seat, action, own):
    n = rules.num_players
    if action == n + 6:
        own[_SPEECHES] += 1
        return
    own[_ACTS] += 1
    if action < n + 14:
        claimed, role = role_claimed(action - n - 7), s.role[seat]
        is_false = claimed != role and not (claimed == WOLF and has(s.wolves, seat))
        own[_CLAIMS] += 1
        own[_FALSE_CLAIMS] += is_false
        own[_SEER_CLAIMS] += claimed == SEER
        own[_FALSE_SEER_CLAIMS] += claimed == SEER and is_false
        own[_CHANGED] += s.claimed[seat] != NOBODY and s.claimed[seat] != claimed
        return
    act, about = (action - n - 14) // n, after(rules, seat, (action - n - 14) % n)
    if act == IS_WOLF or act == NOT_WOLF:
        own[_RESULTS_TOLD] += 1
        own[_WRONG] += has(s.wolves, about) != (act == IS_WOLF)
    elif act == PROTECTED:
        did = False
        for night in range(1, s.day + 1):
            did = did or (s.role[seat] == DOCTOR and s.ward[night] == about)
        own[_PROTECTIONS] += 1
        own[_FALSE_PROTECTIONS] += not did


@njit(cache=True)
def count_end(rules, s, results):
    """Count what the end of a game tells."""
    results[:] = 0
    first, victim = 99, -1
    voted = last_vote(rules, s)
    for seat in range(rules.num_players):
        if s.fate[seat] == EXILED:
            results[0] += 1
            results[1] += has(s.wolves, seat) or s.role[seat] == KILLER
        if s.fate[seat] == KILLED and s.fate_day[seat] < first:
            first, victim = s.fate_day[seat], s.role[seat]
    for k in range(2):
        special = seat_of(rules, s, SEER if k == 0 else DOCTOR)
        results[2 + k] = results[4 + k] = -1
        if special != NOBODY:
            lives = s.fate[special] == LIVING
            results[2 + k] = lives
            results[4 + k] = lives or s.fate_day[special] > voted
    results[6] = s.day
    results[7] = s.winner
    results[8] = victim
