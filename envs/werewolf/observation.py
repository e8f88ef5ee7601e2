"""What a seat sees, as numbers: int8, seats counted clockwise from the observer.

First ``GLOBALS`` numbers (``AT``), then ``SEAT`` numbers of every seat (``OF_SEAT``), then ``PAIR``
numbers of every speaker about every seat (``OF_PAIR``), speakers one after the other.
"""

from __future__ import annotations

from numba import njit

from stratagym.envs.werewolf.knowledge import (
    is_told_tonight,
    known_role,
    known_sides,
    last_night,
    living_wolves,
    seen,
)
from stratagym.envs.werewolf.state import (
    ABSTAIN,
    AGREE,
    AT_KILLER,
    CLAIMS,
    DISAGREE,
    DOCTOR,
    EXILED,
    IS_WOLF,
    LIVING,
    NO_DEBATE,
    NOBODY,
    NOT_WOLF,
    PROTECTED,
    RUNNING,
    SUSPECT,
    SUSPECTED,
    TRUST,
    TRUSTED,
    after,
    has,
    offset_of,
    role_claimed,
)

from stratagym.envs.werewolf.state import ASK_ROLE, ASK_VOTE  # isort: skip

GLOBALS, SEAT, PAIR = 20, 27, 13
AT = {"role": 0, "phase": 8, "day": 16, "said": 17, "least": 18, "most": 19}
"""Own role and phase (of one's own at night, else of all) one-hot, the day, acts of the running
speech, the least and the most wolves that may live."""
OF_SEAT = {
    "alive": 0, "killed": 1, "exiled": 2, "role": 3, "not_wolf": 11, "wolf": 12, "claimed": 13,
    "claims": 20, "named": 21, "bid": 22, "protected": 23, "checked": 24, "spoke": 25, "votes": 26,
}  # fmt: skip
"""Whether it lives; the day on which it was killed or shot, and exiled; its role, if known,
one-hot; whether it is known for no wolf, for a wolf; the last role claimed, one-hot, and how many
claims; of a packmate 1 + the seat that it named tonight; 1 + its last bid of the day; whether the
observer protected it last night; 1 + the role that the observer saw; whether it spoke today; the
votes that it received in the last vote."""
OF_PAIR = {
    "suspect": 0, "trust": 1, "ask_vote": 2, "agree": 3, "disagree": 4, "ask_role": 5,
    "suspected": 6, "trusted": 7, "is_wolf": 8, "not_wolf": 9, "protected": 10, "vote": 11,
    "votes": 12,
}  # fmt: skip
"""How often it was said today (six acts), on earlier days (two), so far (three); whether the
speaker voted for the seat in the last vote, and how often before."""


@njit(cache=True)
def observe(rules, s, player, out):
    out[:] = 0
    n = rules.num_players
    out[s.role[player]] = 1
    if s.winner == RUNNING and (s.phase > AT_KILLER or s.player == player):
        out[8 + s.phase] = 1
    out[16] = s.day
    out[17] = s.said
    out[18], out[19] = living_wolves(rules, s)
    wolves, others = known_sides(rules, s, player)
    night = last_night(s)
    for offset in range(n):
        seat, at = after(rules, player, offset), GLOBALS + SEAT * offset
        if s.fate[seat] == LIVING:
            out[at] = 1
        else:
            out[at + (2 if s.fate[seat] == EXILED else 1)] = s.fate_day[seat]
        role = known_role(rules, s, player, seat)
        if role != NOBODY:
            out[at + 3 + role] = 1
        out[at + 11] = has(others, seat)
        out[at + 12] = has(wolves, seat)
        if s.claimed[seat] != NOBODY:
            for k in range(len(CLAIMS)):
                if role_claimed(k) == s.claimed[seat]:
                    out[at + 13 + k] = 1
        out[at + 20] = s.claims[seat]
        if is_told_tonight(s, player) and not rules.one:
            named = s.names[1, seat] if s.names[1, seat] != NOBODY else s.names[0, seat]
            if named != NOBODY:
                out[at + 21] = 1 + offset_of(rules, player, named)
        out[at + 22] = 1 + s.bids[seat]
        out[at + 23] = s.role[player] == DOCTOR and s.ward[night] == seat
        out[at + 24] = 1 + seen(rules, s, player, seat)
        out[at + 25] = has(s.spoke, seat)
        out[at + 26] = s.tally[seat]
    base = GLOBALS + SEAT * n
    if rules.debate != NO_DEBATE:
        for offset in range(n):
            speaker = after(rules, player, offset)
            for other in range(n):
                seat = after(rules, player, other)
                at = base + PAIR * (n * offset + other)
                pair = s.pairs[speaker, seat]
                out[at] = pair[SUSPECT]
                out[at + 1] = pair[TRUST]
                out[at + 2] = pair[ASK_VOTE]
                out[at + 3] = pair[AGREE]
                out[at + 4] = pair[DISAGREE]
                out[at + 5] = pair[ASK_ROLE]
                out[at + 6] = pair[SUSPECTED]
                out[at + 7] = pair[TRUSTED]
                out[at + 8] = pair[IS_WOLF]
                out[at + 9] = pair[NOT_WOLF]
                out[at + 10] = pair[PROTECTED]
    _observe_votes(rules, s, player, out, base)


@njit(cache=True)
def last_vote(rules, s):
    """The last day with a vote that is over; 0 without one."""
    for seat in range(rules.num_players):
        if s.votes[s.day, seat] != NOBODY:
            return s.day
    return s.day - 1


@njit(cache=True)
def _observe_votes(rules, s, player, out, base):
    n, last = rules.num_players, last_vote(rules, s)
    for offset in range(n):
        voter = after(rules, player, offset)
        if rules.secret and voter != player and s.winner == RUNNING:
            continue
        for day in range(1, last + 1):
            vote = s.votes[day, voter]
            if vote != NOBODY and vote != ABSTAIN:
                at = base + PAIR * (n * offset + offset_of(rules, player, vote))
                out[at + (11 if day == last else 12)] += 1
