"""The rules of Werewolf as kernel functions; ``state`` has the record and the action ids."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.bits import lowest
from stratagym.envs.core import TERMINAL, TRUNCATED, random_below, seed_rng, sizes
from stratagym.envs.werewolf.days import MOST_COUNTED, ask, die, forget_night, open_speech, run
from stratagym.envs.werewolf.options import numbers
from stratagym.envs.werewolf.state import (
    ABSTAIN,
    ACTS,
    ALPHA,
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
    CLAIMS,
    DAWN,
    DEBATE,
    DOCTOR,
    DUSK,
    HUNTER,
    IS_WOLF,
    JESTER,
    KILLED,
    KILLER,
    LIVING,
    NAMES,
    NO_DEBATE,
    NOBODY,
    NOT_WOLF,
    PROTECTED,
    ROUND,
    RUNNING,
    SEER,
    SHOT,
    SHOT_AT_DAWN,
    SHOT_AT_DUSK,
    SPEECH,
    UNDECIDED,
    VILLAGER,
    VOTE,
    VOTED,
    WOLF,
    WOLVES,
    after,
    any_of,
    first_of,
    has,
    next_of,
    role_claimed,
    size,
    unchecked,
    wards,
)
from stratagym.envs.werewolf.state import STATE as STATE

from stratagym.envs.werewolf.observation import observe as observe  # isort: skip
from stratagym.envs.werewolf.redrawing import determinize as determinize  # isort: skip

PAPER_NAMES = 17
"""Names in the paper's list."""


def _talk(rules: Rules) -> int:
    """The most decisions of a day's debate."""
    n, speech = rules.num_players, rules.acts + 1
    if rules.debate == BIDDING:
        return rules.turns * (n + speech)
    return rules.speeches * n * speech if rules.debate == ROUND else 0


@sizes(
    actions=lambda rules: 10 * rules.num_players + 14,
    observation=lambda rules: (20 + 27 * rules.num_players + 13 * rules.num_players**2,),
    decisions=lambda rules: rules.max_days * (3 * rules.num_players + 4 + _talk(rules)),
    high=127,
)
class Rules(NamedTuple):
    """Options in force, as numbers; ``options`` has the words.

    Attributes:
        num_players: 5 .. 20. wolves: in the pack, an alpha among them.
        seers, doctors, hunter, alpha, jester, killer: 1 if there is one.
        hunter_night: 1 if it shoots when it is killed, too.
        one: 1 if a wolf drawn by lot kills alone. peace: 1 if nobody is killed in the first night.
        doctor, seer, debate, exile: of the numbers in ``state``.
        speeches: of each player in a ``ROUND``. turns: speeches of a day of ``BIDDING``.
        acts: the most in a speech. secret: 1 if nobody is told who voted for whom.
        abstain: 1 if a player may vote for nobody. reveal: 1 if roles of the dead are shown.
        max_days: after which the game is a draw. paper: 1 for the paper's names.
        read: 1 if what speeches do is read from their words.
    """

    num_players: int
    wolves: int
    seers: int
    doctors: int
    hunter: int
    hunter_night: int
    alpha: int
    jester: int
    killer: int
    one: int
    peace: int
    doctor: int
    seer: int
    debate: int
    speeches: int
    turns: int
    acts: int
    secret: int
    abstain: int
    exile: int
    reveal: int
    max_days: int
    paper: int
    read: int


def make_rules(**options: object) -> Rules:
    """Rules from the options as people write them; see the package's docstring.

    Raises:
        ValueError: too few villagers for the roles, or too few names for the players.
    """
    return Rules(**numbers(**options))


# --- the start -----------------------------------------------------------------------------------


@njit(cache=True)
def _call(rules, s):
    """Draw the players' names."""
    used, of = 0, PAPER_NAMES if rules.paper else NAMES
    for seat in range(rules.num_players):
        name = random_below(s, of)
        while has(used, name):
            name = random_below(s, of)
        used |= 1 << name
        s.called[seat] = name


@njit(cache=True)
def _deal(rules, s):
    """Shuffle the roles over the seats."""
    n, dealt = rules.num_players, 0
    for role in range(WOLF, KILLER + 1):
        count = 0
        if role == WOLF:
            count = rules.wolves - rules.alpha
        elif role == SEER:
            count = rules.seers
        elif role == DOCTOR:
            count = rules.doctors
        elif role == HUNTER:
            count = rules.hunter
        elif role == ALPHA:
            count = rules.alpha
        elif role == JESTER:
            count = rules.jester
        else:
            count = rules.killer
        for _ in range(count):
            s.role[dealt] = role
            dealt += 1
    for seat in range(dealt, n):
        s.role[seat] = VILLAGER
    for k in range(n - 1, 0, -1):
        j = random_below(s, k + 1)
        s.role[k], s.role[j] = s.role[j], s.role[k]
    s.wolves = 0
    for seat in range(n):
        if s.role[seat] == WOLF or s.role[seat] == ALPHA:
            s.wolves |= 1 << seat


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    n = rules.num_players
    _call(rules, s)
    _deal(rules, s)
    s.alive = (1 << n) - 1
    s.revealed = 0
    s.tied = 0
    s.spoke = 0
    s.mentioned = 0
    s.mentioning = 0
    s.winner = RUNNING
    s.spoken = 0
    s.first = NOBODY
    s.speaker = NOBODY
    s.said = 0
    s.claimed_now = 0
    s.last_said = 0
    s.last_speaker = NOBODY
    s.acts[:] = 0
    s.last_acts[:] = 0
    s.target[:] = NOBODY
    s.ward[:] = NOBODY
    s.check[:] = NOBODY
    s.choice[:] = NOBODY
    s.ties[:] = 0
    s.votes[:] = NOBODY
    for seat in range(n):
        s.fate[seat] = LIVING
        s.fate_day[seat] = 0
        s.claimed[seat] = NOBODY
        s.claims[seat] = 0
        s.bids[seat] = NOBODY
        s.committed[seat] = NOBODY
        s.tally[seat] = 0
        if rules.debate != NO_DEBATE:
            s.pairs[seat, :n] = 0
    forget_night(rules, s)
    s.day = 1
    run(rules, s, WOLVES)


# --- who is to move, and when --------------------------------------------------------------------


@njit(cache=True)
def current_player(rules, s):
    if s.winner == RUNNING:
        return np.int64(s.player)
    return TRUNCATED if s.winner == UNDECIDED else TERMINAL


@njit(cache=True)
def turn(rules, s):
    """Numbered within 256 of each day: of a pack each wolf's naming is a turn, else the night."""
    phase = s.phase
    if phase == WOLVES and not rules.one:
        within = s.pack_round * 20 + s.player
    elif phase <= AT_KILLER:
        within = 40
    elif phase == BID or phase == SPEECH:
        within = 42 + 2 * s.spoken + (phase == SPEECH)
    elif phase == VOTE:
        within = 200 + (s.tied != 0)
    else:
        within = 41 if s.fate[s.player] == KILLED else 202
    return s.day * 256 + within


@njit(cache=True)
def returns(rules, s, out):
    """+1 for those that have won and -1 for all others, dead or not; 0 without a winner."""
    for seat in range(rules.num_players):
        won = False
        if s.winner == BY_WOLVES:
            won = has(s.wolves, seat)
        elif s.winner == BY_JESTER:
            won = s.role[seat] == JESTER
        elif s.winner == BY_KILLER:
            won = s.role[seat] == KILLER
        elif s.winner == BY_VILLAGE:
            won = not has(s.wolves, seat) and s.role[seat] < JESTER
        decided = s.winner != RUNNING and s.winner < BY_NOBODY
        out[seat] = 0.0 if not decided else 1.0 if won else -1.0


# --- decisions -----------------------------------------------------------------------------------


@njit(cache=True)
def choices(rules, s):
    """The set of players whom the seat to move may choose; not asked in a debate."""
    seat, phase = np.int64(s.player), s.phase
    own = 1 << seat
    if phase == WOLVES:
        return s.alive & ~s.wolves
    if phase == AT_DOCTOR:
        return wards(rules, seat, np.int64(s.alive), np.int64(s.ward[s.day - 1]))
    if phase == AT_SEER:
        return unchecked(rules, s, seat)
    if phase == VOTE:
        return (s.tied if s.tied else s.alive) & ~own
    return s.alive & ~own


@njit(cache=True)
def _was_said(s, action):
    for k in range(s.said):
        if s.acts[k] == action:
            return True
    return False


@njit(cache=True)
def legal_actions(rules, s, out):
    n, seat, phase = rules.num_players, np.int64(s.player), s.phase
    k = 0
    if phase == BID:
        for bid in range(5):
            out[bid] = n + 1 + bid
        return 5
    if phase != SPEECH:
        found = choices(rules, s)
        found = ((found >> seat) | (found << (n - seat))) & ((1 << n) - 1)
        while found:
            out[k] = lowest(np.uint64(found))
            found &= found - 1
            k += 1
        if phase == SHOT or (phase == VOTE and rules.abstain):
            out[k] = n
            k += 1
        return k
    out[0] = n + 6
    if s.said == rules.acts:
        return 1
    k = 1
    if not s.claimed_now:
        for claim in range(len(CLAIMS)):
            out[k] = n + 7 + claim
            k += 1
    living = ((s.alive >> seat) | (s.alive << (n - seat))) & ((1 << n) - 1)
    for act in range(ACTS):
        first = n + 14 + act * n
        of_dead = act == IS_WOLF or act == NOT_WOLF or act == PROTECTED
        for t in range(0 if act == PROTECTED else 1, n):
            if (of_dead or has(living, t)) and not (s.said and _was_said(s, first + t)):
                out[k] = first + t
                k += 1
    return k


@njit(cache=True)
def step(rules, s, action):
    n, seat, phase, day = rules.num_players, np.int64(s.player), s.phase, s.day
    if phase == SPEECH:
        _say(rules, s, action)
        return
    if phase == VOTE or phase == BID:
        commit = action - n - 1
        if phase == VOTE:
            commit = ABSTAIN if action == n else after(rules, seat, action)
        s.committed[seat] = commit
        asked = s.alive
        if phase == BID and s.last_speaker != NOBODY:
            asked &= ~(1 << s.last_speaker)
        following = next_of(asked, seat)
        if following != NOBODY:
            s.player = following
        elif phase == VOTE:
            run(rules, s, VOTED)
        else:
            open_speech(s, _highest(rules, s, asked))
        return
    chosen = NOBODY if action == n else after(rules, seat, action)
    if phase == WOLVES:
        if rules.one:
            s.target[day] = chosen
        elif not _name(rules, s, chosen):
            return
    elif phase == AT_DOCTOR:
        s.ward[day] = chosen
    elif phase == AT_SEER:
        s.check[day] = chosen
    elif phase == AT_KILLER:
        s.choice[day] = chosen
    else:
        at_dawn = s.fate[seat] == KILLED
        if chosen != NOBODY:
            die(rules, s, chosen, SHOT_AT_DAWN if at_dawn else SHOT_AT_DUSK)
        run(rules, s, DEBATE if at_dawn else DUSK)
        return
    run(rules, s, DAWN if phase == AT_KILLER else phase + 1)


@njit(cache=True)
def _name(rules, s, chosen):
    """Note what a wolf of a pack names; whether the pack has chosen."""
    turn, pack = s.pack_round, s.alive & s.wolves
    s.names[turn, s.player] = chosen
    following = next_of(pack, np.int64(s.player))
    if following != NOBODY:
        s.player = following
        return False
    agreed, wolf = True, first_of(pack)
    while wolf != NOBODY:
        agreed = agreed and s.names[turn, wolf] == chosen
        wolf = next_of(pack, wolf)
    if not agreed:
        if turn == 0:
            s.pack_round = 1
            s.player = first_of(pack)
            return False
        chosen = s.names[1, any_of(s, pack)]
    s.target[s.day] = chosen
    return True


@njit(cache=True)
def _highest(rules, s, asked):
    """Publish the bids; who speaks."""
    most, leaders = -1, 0
    for seat in range(rules.num_players):
        s.bids[seat] = NOBODY
        if has(asked, seat):
            bid = s.committed[seat]
            s.bids[seat] = bid
            if bid > most:
                most, leaders = bid, 0
            if bid == most:
                leaders |= 1 << seat
        s.committed[seat] = NOBODY
    if leaders & s.mentioned:
        leaders &= s.mentioned
    return any_of(s, leaders)


@njit(cache=True)
def _say(rules, s, action):
    n, seat = rules.num_players, np.int64(s.player)
    if action == n + 6:
        s.last_said = s.said
        for k in range(s.said):
            s.last_acts[k] = s.acts[k]
        s.last_speaker = seat
        s.mentioned = s.mentioning
        s.said = 0
        s.claimed_now = 0
        s.spoke |= 1 << seat
        s.spoken += 1
        if rules.debate == BIDDING:
            if s.spoken == rules.turns:
                run(rules, s, VOTE)
            else:
                ask(s, BID, first_of(s.alive & ~(1 << seat)))
        elif s.spoken == rules.speeches * size(s.alive):
            run(rules, s, VOTE)
        else:
            following = next_of(s.alive, seat)
            open_speech(s, following if following != NOBODY else first_of(s.alive))
        return
    s.acts[s.said] = action
    s.said += 1
    if action < n + 14:
        s.claimed_now = 1
        s.claimed[seat] = role_claimed(action - n - 7)
        s.claims[seat] = min(MOST_COUNTED, s.claims[seat] + 1)
        return
    act, about = (action - n - 14) // n, after(rules, seat, (action - n - 14) % n)
    s.mentioning |= 1 << about
    s.pairs[seat, about, act] = min(MOST_COUNTED, s.pairs[seat, about, act] + 1)
