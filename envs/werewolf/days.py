"""How a day of Werewolf goes on: who is asked next, who dies, and whether somebody has won."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.werewolf.state import (
    ABSTAIN,
    ACTS,
    AT_DOCTOR,
    AT_KILLER,
    AT_SEER,
    BID,
    BIDDING,
    BY_JESTER,
    BY_KILLER,
    BY_NOBODY,
    BY_VILLAGE,
    BY_WOLVES,
    DAWN,
    DEBATE,
    DOCTOR,
    DUSK,
    EXILED,
    HUNTER,
    IS_WOLF,
    JESTER,
    KILLED,
    KILLER,
    LOT,
    MAJORITY,
    NO_DEBATE,
    NOBODY,
    NOT_WOLF,
    PROTECTED,
    REVOTE,
    ROUND,
    RUNNING,
    SEER,
    SHOT,
    SPEECH,
    SUSPECT,
    SUSPECTED,
    TRUST,
    TRUSTED,
    UNDECIDED,
    VOTE,
    VOTED,
    WOLVES,
    any_of,
    first_of,
    has,
    is_peace,
    seat_of,
    size,
    unchecked,
)

MOST_COUNTED = 120
"""Where counts of acts stop."""


@njit(cache=True)
def ask(s, phase, seat):
    s.phase = phase
    s.player = seat


@njit(cache=True)
def _is_there(s, seat):
    return seat != NOBODY and has(s.alive, seat)


@njit(cache=True)
def run(rules, s, step):
    """Go on from a step of the day until somebody is to move or the game is over."""
    while s.winner == RUNNING:
        if step == WOLVES:
            pack = s.alive & s.wolves
            if pack and not is_peace(rules, np.int64(s.day)):
                if rules.one:
                    s.wolf = any_of(s, pack)
                    ask(s, WOLVES, np.int64(s.wolf))
                else:
                    ask(s, WOLVES, first_of(pack))
                return
            step = AT_DOCTOR
        if step == AT_DOCTOR:
            seat = seat_of(rules, s, DOCTOR)
            if _is_there(s, seat) and not is_peace(rules, np.int64(s.day)):
                ask(s, AT_DOCTOR, seat)
                return
            step = AT_SEER
        if step == AT_SEER:
            seat = seat_of(rules, s, SEER)
            if _is_there(s, seat) and unchecked(rules, s, seat):
                ask(s, AT_SEER, seat)
                return
            step = AT_KILLER
        if step == AT_KILLER:
            seat = seat_of(rules, s, KILLER)
            if _is_there(s, seat) and not is_peace(rules, np.int64(s.day)):
                ask(s, AT_KILLER, seat)
                return
            step = DAWN
        if step == DAWN:
            seat = _dawn(rules, s)
            if seat != NOBODY:
                ask(s, SHOT, seat)
                return
            step = DEBATE
        if step == DEBATE:
            _check(rules, s)
            if s.winner != RUNNING:
                return
            _wake_up(rules, s)
            if rules.debate == ROUND:
                open_speech(s, np.int64(s.first))
                return
            if rules.debate == BIDDING:
                ask(s, BID, first_of(s.alive))
                return
            step = VOTE
        if step == VOTE:
            ask(s, VOTE, first_of(s.alive))
            return
        if step == VOTED:
            seat = _exile(rules, s)
            if s.tied:
                step = VOTE
                continue
            if s.winner != RUNNING:
                return
            if seat != NOBODY:
                ask(s, SHOT, seat)
                return
            step = DUSK
        if step == DUSK:
            _check(rules, s)
            if s.winner == RUNNING and s.day == rules.max_days:
                s.winner = UNDECIDED
            s.day += s.winner == RUNNING
            step = WOLVES


@njit(cache=True)
def forget_night(rules, s):
    """Clear what the pack did before it chose, which is of its night only."""
    s.pack_round = 0
    s.wolf = NOBODY
    for seat in range(rules.num_players):
        s.names[0, seat] = NOBODY
        s.names[1, seat] = NOBODY


@njit(cache=True)
def _wake_up(rules, s):
    """Begin a day: what was said yesterday is of earlier days now."""
    s.tied = 0
    if rules.debate == NO_DEBATE:
        return
    n = rules.num_players
    s.spoke = 0
    s.spoken = 0
    s.mentioned = 0
    s.last_said = 0
    s.last_speaker = NOBODY
    s.speaker = NOBODY
    s.first = any_of(s, s.alive) if rules.debate == ROUND else NOBODY
    for seat in range(n):
        s.bids[seat] = NOBODY
        for other in range(n):
            pair = s.pairs[seat, other]
            pair[SUSPECTED] = min(MOST_COUNTED, pair[SUSPECTED] + pair[SUSPECT])
            pair[TRUSTED] = min(MOST_COUNTED, pair[TRUSTED] + pair[TRUST])
            for act in range(ACTS):
                if act != IS_WOLF and act != NOT_WOLF and act != PROTECTED:
                    pair[act] = 0


@njit(cache=True)
def open_speech(s, seat):
    ask(s, SPEECH, seat)
    s.speaker = seat
    s.said = 0
    s.claimed_now = 0
    s.mentioning = 0


# --- deaths and ends -----------------------------------------------------------------------------


@njit(cache=True)
def die(rules, s, seat, fate):
    s.alive &= ~(1 << seat)
    s.fate[seat] = fate
    s.fate_day[seat] = s.day
    if rules.reveal:
        s.revealed |= 1 << seat


@njit(cache=True)
def _may_shoot(rules, s, seat):
    """Whether a dead player is a hunter with somebody to shoot, which all are told then."""
    if s.role[seat] != HUNTER or s.alive == 0:
        return False
    s.revealed |= 1 << seat
    return True


@njit(cache=True)
def _dawn(rules, s):
    """Kill who was attacked and not protected; the hunter's seat if it may shoot."""
    day, hunter = s.day, NOBODY
    forget_night(rules, s)
    for victim in (np.int64(s.target[day]), np.int64(s.choice[day])):
        if victim != NOBODY and victim != s.ward[day] and has(s.alive, victim):
            die(rules, s, victim, KILLED)
            if rules.hunter_night and s.role[victim] == HUNTER:
                hunter = victim
    return hunter if hunter != NOBODY and _may_shoot(rules, s, hunter) else NOBODY


@njit(cache=True)
def _exile(rules, s):
    """Resolve a vote; the hunter's seat if it may shoot. A tie may call for another vote."""
    day, n, is_second = s.day, rules.num_players, s.tied != 0
    s.ties[day] = s.tied
    s.tied = 0
    for seat in range(n):
        s.tally[seat] = 0
    for seat in range(n):
        vote = NOBODY
        if has(s.alive, seat):
            vote = s.committed[seat]
            if vote != ABSTAIN:
                s.tally[vote] += 1
        s.votes[day, seat] = vote
        s.committed[seat] = NOBODY
    most, leaders = 0, 0
    for seat in range(n):
        if s.tally[seat] > most:
            most, leaders = s.tally[seat], 1 << seat
        elif s.tally[seat] == most and most > 0:
            leaders |= 1 << seat
        if rules.secret:
            s.tally[seat] = 0
    if most == 0:
        return NOBODY
    if rules.exile == MAJORITY:
        if 2 * most <= size(s.alive):
            return NOBODY
    elif size(leaders) > 1:
        if rules.exile == LOT:
            leaders = 1 << any_of(s, leaders)
        else:
            if rules.exile == REVOTE and not is_second:
                s.tied = leaders
            return NOBODY
    out = first_of(leaders)
    die(rules, s, out, EXILED)
    if s.role[out] == JESTER:
        s.winner = BY_JESTER
        return NOBODY
    return out if _may_shoot(rules, s, out) else NOBODY


@njit(cache=True)
def _check(rules, s):
    """Whether somebody has won."""
    living, pack = size(s.alive), size(s.alive & s.wolves)
    if rules.killer and _is_there(s, seat_of(rules, s, KILLER)):
        if living <= 2:
            s.winner = BY_KILLER
    elif living == 0:
        s.winner = BY_NOBODY
    elif pack == 0:
        s.winner = BY_VILLAGE
    elif 2 * pack >= living:
        s.winner = BY_WOLVES
