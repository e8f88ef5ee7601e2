"""Rule-based players of Werewolf; each plays any role, and uses only what its seat may know.

herd: suspects and votes for whoever is suspected most today, else by lot; wolves never a wolf.
seer: the seer tells its results as soon as one is a wolf or another claims to be the seer. A lone
claimant is believed, two are not, one who was killed at night told the truth. The doctor protects a
claimant, wolves kill it.
bluff: the same; the first living wolf claims to be the seer and calls a rival, else somebody by lot
a wolf, and the pack votes for that player.
deductive: the same, but the village goes by ``posterior``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.werewolf.common import (
    believed,
    claimants,
    heat,
    hottest,
    is_wolf,
    lot,
    told_of,
)
from stratagym.agents.games.werewolf.learning import evaluate as evaluate
from stratagym.agents.games.werewolf.posterior import wolf_chances
from stratagym.agents.ladders import Ladder
from stratagym.envs.werewolf.knowledge import known_sides, seen
from stratagym.envs.werewolf.rules import choices
from stratagym.envs.werewolf.state import (
    ASK_VOTE,
    AT_DOCTOR,
    AT_SEER,
    BID,
    IS_WOLF,
    NOBODY,
    NOT_WOLF,
    SEER,
    SHOT,
    SPEECH,
    SUSPECT,
    TRUST,
    VOTE,
    WOLF,
    WOLVES,
    first_of,
    has,
    next_of,
    offset_of,
    size,
)

RULES = {"herd": 0, "seer": 1, "bluff": 2, "deductive": 3}
"""Names of the players for the policy ``rule:NAME``, and ``which`` of ``rule``."""
HERD, BY_SEER, BLUFF, DEDUCTIVE = range(4)
JOINS = 0.1
"""How much less likely the one most suspected may be a wolf than the likeliest, to be voted for."""
CLAIM_SEER = 1
"""The seer's place among the claims."""


@njit(cache=True)
def heuristic(rules, s, legal, n):
    return rule(rules, s, legal, n, DEDUCTIVE)


@njit(cache=True)
def rule(rules, s, legal, n, which):
    if n == 1:
        return legal[0]
    player, phase, seats = np.int64(s.player), s.phase, rules.num_players
    if phase == BID:
        return seats + 1 + _bid(rules, s, player, which)
    if phase == SPEECH:
        wanted = _act(rules, s, player, which)
        for k in range(n):
            if legal[k] == wanted:
                return wanted
        return seats + 6
    found = choices(rules, s)
    if phase == WOLVES:
        chosen = _prey(rules, s, player, which, found)
    elif phase == AT_DOCTOR:
        chosen = _ward(rules, s, player, which, found)
    elif phase == AT_SEER:
        chosen = lot(rules, s, found, 3) if which == HERD else hottest(rules, s, found, 3)
    elif phase == VOTE or phase == SHOT:
        chosen = target(rules, s, player, which, found)
    else:
        chosen = lot(rules, s, found, 4)
    return offset_of(rules, player, chosen)


# --- whom to vote for ----------------------------------------------------------------------------


@njit(cache=True)
def target(rules, s, player, which, seats):
    """Whom of a set a player wants to be exiled."""
    if is_wolf(s, player):
        others = seats & ~s.wolves
        if not others:
            return hottest(rules, s, seats, 1)
        if which == BLUFF:
            called = _called_by_pack(rules, s) & others
            if called:
                return hottest(rules, s, called, 1)
            rivals = claimants(rules, s) & others
            if rivals:
                return first_of(rivals)
        return hottest(rules, s, others, 1)
    if which == HERD:
        return hottest(rules, s, seats, 1)
    wolves, cleared = known_sides(rules, s, player)
    if wolves & seats:
        return hottest(rules, s, wolves & seats, 1)
    if which == DEDUCTIVE:
        return _likeliest(rules, s, player, seats)
    rivals = claimants(rules, s) & seats
    truthful = believed(rules, s, player)
    if truthful != NOBODY:
        called = told_of(rules, s, truthful, IS_WOLF) & seats & ~cleared
        if called:
            return hottest(rules, s, called, 1)
        cleared |= told_of(rules, s, truthful, NOT_WOLF) | 1 << truthful
    if s.role[player] == SEER or truthful != NOBODY:
        rivals &= ~cleared
        if rivals:
            return first_of(rivals)
    left = seats & ~cleared
    return hottest(rules, s, left if left else seats, 1)


@njit(cache=True)
def _likeliest(rules, s, player, seats):
    """The likeliest wolf of a set, or the one most suspected if that is about as likely."""
    chances = np.zeros(rules.num_players)
    wolf_chances(rules, s, player, chances)
    best, seat = first_of(seats), first_of(seats)
    while seat != NOBODY:
        if chances[seat] > chances[best] + 1e-9:
            best = seat
        seat = next_of(seats, seat)
    close, seat = 0, first_of(seats)
    while seat != NOBODY:
        if chances[seat] >= chances[best] - JOINS:
            close |= 1 << seat
        seat = next_of(seats, seat)
    return hottest(rules, s, close, 1)


@njit(cache=True)
def _called_by_pack(rules, s):
    """Whom the pack's false seers have called wolves."""
    found, wolf = 0, first_of(s.wolves)
    while wolf != NOBODY:
        if s.claimed[wolf] == SEER:
            found |= told_of(rules, s, wolf, IS_WOLF)
        wolf = next_of(s.wolves, wolf)
    return found & ~s.wolves


# --- nights --------------------------------------------------------------------------------------


@njit(cache=True)
def _prey(rules, s, player, which, found):
    """Whom a wolf names: as its pack did before it, else a claimant, else by lot."""
    wolf = first_of(s.wolves)
    while wolf != NOBODY:
        if wolf != player and s.names[s.pack_round, wolf] != NOBODY:
            return s.names[s.pack_round, wolf]
        wolf = next_of(s.wolves, wolf)
    if which == HERD:
        return lot(rules, s, found, 2)
    rivals = claimants(rules, s) & found
    if rivals:
        return first_of(rivals)
    if which == DEDUCTIVE:
        best, most, seat = NOBODY, 0, first_of(found)
        while seat != NOBODY:
            danger = 0
            for other in range(rules.num_players):
                if has(s.wolves, other):
                    pair = s.pairs[seat, other]
                    danger += pair[SUSPECT] + pair[ASK_VOTE] + (s.votes[s.day - 1, seat] == other)
            if danger > most:
                best, most = seat, danger
            seat = next_of(found, seat)
        if best != NOBODY:
            return best
    return lot(rules, s, found, 2)


@njit(cache=True)
def _ward(rules, s, player, which, found):
    """Whom a doctor protects: a believed claimant, else itself, else by lot."""
    if which != HERD:
        truthful = believed(rules, s, player)
        if truthful != NOBODY and has(found, truthful):
            return truthful
        rivals = claimants(rules, s) & found
        if rivals:
            return lot(rules, s, rivals, 5)
    return lot(rules, s, found, 5)


# --- speeches ------------------------------------------------------------------------------------


@njit(cache=True)
def _bid(rules, s, player, which):
    if which != HERD and _claims(rules, s, player, which):
        return 3
    if has(s.mentioned, player):
        return 4
    return 1 + (heat(rules, s, player) > 0)


@njit(cache=True)
def _claims(rules, s, player, which):
    """Whether a player says that it is the seer."""
    rivals = claimants(rules, s) & ~(1 << player)
    if s.role[player] == SEER:
        if s.claimed[player] == SEER or rivals & s.alive:
            return True
        wolves, _ = known_sides(rules, s, player)
        return wolves != 0
    if which != BLUFF or not is_wolf(s, player) or first_of(s.alive & s.wolves) != player:
        return False
    if rivals & s.wolves & s.alive:
        return False
    return s.claimed[player] == SEER or s.day == 1 or rivals & s.alive != 0


@njit(cache=True)
def _act(rules, s, player, which):
    """The next act that a player wants to say, whether it was said already or not."""
    n, others = rules.num_players, s.alive & ~(1 << player)
    base = n + 14
    if which != HERD and _claims(rules, s, player, which):
        if s.claimed[player] != SEER:
            return n + 7 + CLAIM_SEER
        told = _result(rules, s, player)
        if told >= 0:
            return told
    wanted = offset_of(rules, player, target(rules, s, player, which, others))
    suspected = base + SUSPECT * n + wanted
    if s.said == 0 or (which != HERD and not _was_said(s, suspected)):
        return suspected
    if which == HERD:
        return n + 6
    asked = base + ASK_VOTE * n + wanted
    if not _was_said(s, asked):
        return asked
    truthful = believed(rules, s, player)
    if truthful != NOBODY and has(others, truthful) and not is_wolf(s, player):
        trusted = base + TRUST * n + offset_of(rules, player, truthful)
        if not _was_said(s, trusted):
            return trusted
    return n + 6


@njit(cache=True)
def _was_said(s, action):
    for k in range(s.said):
        if s.acts[k] == action:
            return True
    return False


@njit(cache=True)
def _result(rules, s, player):
    """A result that the seer, or who says so, has not told yet, wolves first; -1 without one."""
    n = rules.num_players
    base = n + 14
    if s.role[player] == SEER:
        for act in (IS_WOLF, NOT_WOLF):
            for seat in range(n):
                found = seen(rules, s, player, seat)
                fits = found != NOBODY and (found == WOLF) == (act == IS_WOLF)
                if fits and not s.pairs[player, seat, act]:
                    return base + act * n + offset_of(rules, player, seat)
        return -1
    others = s.alive & ~s.wolves
    if told_of(rules, s, player, IS_WOLF) & others or not others:
        return -1
    rivals = claimants(rules, s) & others
    called = first_of(rivals) if rivals else lot(rules, s, others, 6)
    return base + IS_WOLF * n + offset_of(rules, player, called)


# --- what searches ask ---------------------------------------------------------------------------


@njit(cache=True)
def candidates(rules, s, legal, n, ply):
    """All choices of nights and votes; of speeches and bids what the heuristic says."""
    if s.phase != SPEECH and s.phase != BID:
        return n
    chosen = rule(rules, s, legal, n, DEDUCTIVE)
    for k in range(n):
        if legal[k] == chosen:
            legal[0], legal[k] = legal[k], legal[0]
    return 1


@njit(cache=True)
def likelihood(rules, s, player):
    """How well drawn roles agree with who claimed to be the seer and what it told."""
    weight = 1.0
    for seat in range(rules.num_players):
        if s.claimed[seat] != SEER or seat == player:
            continue
        if has(s.wolves, seat):
            weight *= 0.5
        elif s.role[seat] == SEER:
            wrong = size(told_of(rules, s, seat, IS_WOLF) & ~s.wolves)
            wrong += size(told_of(rules, s, seat, NOT_WOLF) & s.wolves)
            weight *= 0.002**wrong
        else:
            weight *= 0.01
    return weight


TRAINING = {
    "steps": 500_000,
    "opponent": "self,random",
    "against": "random,rule:herd",
    "options": {"exile": "lot", "acts": 1},
    "rollout": 32,
    "batch": 512,
    "gamma": 1.0,
    "gae_lambda": 0.8,
    "shaping": 1.0,
    "greedy": False,
}
"""Where ties are broken by lot every vote counts; where a majority is needed, a learner's hardly
ever does among players that are not of one mind. With ``self`` the agent has all seats."""
LADDER = Ladder(
    "werewolf/ladder-v1",
    (
        ("random",),
        ("rule:herd?random=0.6",),
        ("rule:herd?random=0.3",),
        ("rule:herd",),
        ("rule:seer?random=0.38",),
        ("rule:seer",),
        ("rule:bluff",),
        ("rule:deductive?random=0.2",),
        ("rule:deductive",),
        ("pimc:10?weights=yes&sure=2",),
    ),
    measure="pairs",
)
