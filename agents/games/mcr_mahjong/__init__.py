"""What the agents know of mahjong: rule-based players, and the heuristic that plays for fans.

All use only what their seat may know: its own hand, melds, discards.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.mcr_mahjong import plans
from stratagym.agents.ladders import Ladder
from stratagym.envs.mcr_mahjong.divisions import is_win
from stratagym.envs.mcr_mahjong.fans import SELF_DRAWN, WMO, count_points
from stratagym.envs.mcr_mahjong.shanten import shanten
from stratagym.envs.mcr_mahjong.table import (
    AN_GANG,
    BU_GANG,
    CHI,
    COPIES,
    GANG,
    HU,
    KIND,
    PENG,
    PLAY,
    RANKS,
    chow_of,
    seat_wind,
)
from stratagym.envs.mcr_mahjong.tiles import CHOW, HONORS, KINDS, KONG, PUNG

RULES = {"shanten": 0, "claim": 1, "pattern": 4}
"""Names of the players for the policy ``rule:NAME``, and ``which`` of ``rule``.

shanten: claims nothing but wins and plays the tile that leaves it nearest to ready.
claim: the same, and claims whatever brings it nearer.
pattern: plays and claims for the nearest of some plans that reach 8 fans or nearly; a hand that is
ready, for a tile that may still come and wins, is more than any plan.
"""
EARLIER_RULES = {1: {"pattern": 2}}
"""Of versions before: that pattern did not look at what a ready hand waits for."""
SHANTEN, CLAIMING, PATTERN, FANS, WAITING = range(5)

READY, ELSE = 0.2, 0.7
"""The worth of a ready hand: of a point and a tile that wins it, of its plans. These numbers, and
those of ``plans``, won most of some tens of thousands of games against their like."""
SELF_DRAWN_ONLY = 0.3
"""How often a winning tile that is enough only if drawn counts."""
CLAIM_GAIN = 1.15
"""What a claim must gain, as a factor."""
MOST_TRIED = 6
"""Actions that are played out."""
CAUTION = 0.3
"""What a point that a discard may lose counts."""
STAYS_READY = 1000.0
"""What puts a ready hand above all plans."""


@njit(cache=True)
def heuristic(rules, s, legal, n):
    return _choose(rules, s, legal, n, FANS)


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """The action of a player of ``RULES``."""
    return _choose(rules, s, legal, n, which)


# --- what a hand is worth ------------------------------------------------------------------------


@njit(cache=True)
def unseen(s, seat, tile):
    """How many of a kind a seat does not see, its own concealed kongs taken for seen."""
    number = COPIES - s.shown[tile] - s.counts[seat, tile]
    for k in range(s.num_melds[seat]):
        meld = s.melds[seat, k]
        if meld[KIND] == KONG and meld[1] == tile and meld[2] == 0:
            number = 0
    return max(number, 0)


@njit(cache=True)
def unseen_words(s, seat):
    """``unseen`` of all kinds: four words as in ``divisions``."""
    w0, w1, w2, w3 = 0, 0, 0, 0
    for tile in range(KINDS):
        number = np.int64(unseen(s, seat, tile)) << 3 * (tile % 9)
        w0 |= number if tile < 9 else 0
        w1 |= number if 9 <= tile < 18 else 0
        w2 |= number if 18 <= tile < HONORS else 0
        w3 |= number if tile >= HONORS else 0
    return w0, w1, w2, w3


@njit(cache=True)
def _points(rules, s, seat, tile, own):
    """The points of a win with one more tile, of a hand that has it already."""
    return count_points(
        s.counts[seat],
        s.melds[seat],
        np.int64(s.num_melds[seat]),
        tile,
        (SELF_DRAWN if own else 0) | (WMO if rules.wmo else 0),
        seat_wind(s, seat),
        np.int64(s.prevailing),
    )


@njit(cache=True)
def ready_value(rules, s, seat, left):
    """What the tiles that win a ready hand bring: points, times how many may come."""
    total = 0.0
    counts = s.counts[seat]
    for tile in range(KINDS):
        group = tile // RANKS
        number = left[group] >> 3 * (tile - RANKS * group) & 7
        if number == 0:
            continue
        counts[tile] += 1
        if is_win(counts, np.int64(s.num_melds[seat])):
            points, share = _points(rules, s, seat, tile, False), 1.0
            if points < rules.minimum:
                points, share = _points(rules, s, seat, tile, True), SELF_DRAWN_ONLY
            if points >= rules.minimum:
                total += share * number * (24.0 + points)
        counts[tile] -= 1
    return total


@njit(cache=True)
def worth(rules, s, seat, left, which):
    """What a hand is worth to a player that is to draw; the greater the better.

    Args:
        left: words of the tiles that may come.
    """
    melds = np.int64(s.num_melds[seat])
    if which <= CLAIMING:
        return -100.0 * shanten(s.counts[seat], melds)
    if which == PATTERN or which == WAITING:
        nearest = plans.value(s.counts[seat], s.melds[seat], melds, left, 1)
        if which == WAITING and shanten(s.counts[seat], melds) == 0:
            ready = ready_value(rules, s, seat, left)
            if ready > 0.0:
                return STAYS_READY + ready + nearest
        return nearest
    total = plans.value(s.counts[seat], s.melds[seat], melds, left, 0)
    if shanten(s.counts[seat], melds) == 0:
        return READY * ready_value(rules, s, seat, left) + ELSE * total
    return total


@njit(cache=True)
def _kept(s, seat, tile):
    """How much a tile is worth keeping by itself: its neighbours, its like, its place."""
    counts = s.counts[seat]
    score = 6.0 * (counts[tile] - 1)
    if tile < HONORS:
        rank = tile % RANKS
        score += 1.0 + min(rank, RANKS - 1 - rank, 2)
        for step in range(-2, 3):
            if step != 0 and 0 <= rank + step < RANKS and counts[tile + step]:
                score += 5.0 - abs(step)
    return score


@njit(cache=True)
def risk(rules, s, seat, tile):
    """The points that a discard may lose, by a guess at who is ready and for what."""
    number = unseen(s, seat, tile)
    if tile >= HONORS:
        hit = 0.02 * min(number, 2)
    else:
        rank = tile % RANKS
        hit = 0.04 + 0.01 * min(rank, RANKS - 1 - rank, 2)
    total = 0.0
    for other in range(4):
        if other == seat or (rules.pairs and (other - seat) & 1 == 0):
            continue
        turns = np.int64(s.discarded[other])
        ready = min(1.0, 0.02 * turns + 0.15 * s.num_melds[other])
        for k in range(turns):
            if s.discards[other, k] == tile:
                ready *= 0.3
                break
        for who in range(4):
            last = s.discarded[who] - 1
            if who != seat and last >= 0 and s.discards[who, last] == tile:
                ready *= 0.3
        total += 18.0 * ready * hit
    return total


# --- what is played ------------------------------------------------------------------------------


@njit(cache=True)
def _apply(s, seat, action, sign):
    """Do to a hand and its melds what an action does (``sign`` -1), or undo it (1)."""
    if action < PLAY:
        return
    counts, k = s.counts[seat], np.int64(s.num_melds[seat])
    if action < CHI:
        counts[action - PLAY] += sign
        return
    if action >= BU_GANG:
        counts[action - BU_GANG] += sign
        return
    k -= sign == 1
    meld = s.melds[seat, k]
    kind, tile, offer, own = CHOW, np.int64(s.tile), 1, 0
    if action < PENG:
        tile, claimed = chow_of(action)
        for other in range(tile - 1, tile + 2):
            if other != claimed:
                counts[other] += sign
    elif action < GANG:
        kind, own = PUNG, 2
    elif action < AN_GANG:
        kind, own = KONG, 3
    else:
        kind, tile, offer, own = KONG, action - AN_GANG, 0, COPIES
    counts[tile] += sign * own
    if sign == 1:
        kind, tile, offer = 0, 0, 0
    meld[0], meld[1], meld[2] = kind, tile, offer
    s.num_melds[seat] = k + (0 if sign == 1 else 1)


@njit(cache=True)
def _may_choose(legal, k, which):
    """Whether a player looks at the k-th legal action at all."""
    if which == SHANTEN:
        return legal[k] < CHI
    return True


@njit(cache=True)
def _value(rules, s, seat, left, action, which):
    """What the hand is worth after an action, discards after a claim tried out."""
    _apply(s, seat, action, -1)
    discards = CHI <= action < GANG
    found, first = 0.0, True
    for tile in range(KINDS if discards else 1):
        if discards:
            if s.counts[seat, tile] == 0:
                continue
            s.counts[seat, tile] -= 1
        each = worth(rules, s, seat, left, which)
        if first or each > found:
            found, first = each, False
        if discards:
            s.counts[seat, tile] += 1
    _apply(s, seat, action, 1)
    if which == FANS:
        if discards:
            found /= CLAIM_GAIN
        elif PLAY <= action < CHI:
            found -= CAUTION * risk(rules, s, seat, action - PLAY)
    return found


@njit(cache=True)
def candidates(rules, s, legal, n, ply):
    """The actions that leave the hand worth most, ``MOST_TRIED`` of them; of a win nothing else."""
    for k in range(n):
        if legal[k] == HU:
            legal[0], legal[k] = legal[k], legal[0]
            return 1
    seat = np.int64(s.player)
    left = unseen_words(s, seat)
    for place in range(min(n, MOST_TRIED) if n > MOST_TRIED else 0):
        best, most = place, 0.0
        for k in range(place, n):
            value = _value(rules, s, seat, left, np.int64(legal[k]), FANS)
            if k == place or value > most:
                best, most = k, value
        legal[place], legal[best] = legal[best], legal[place]
    return min(n, MOST_TRIED)


@njit(cache=True)
def _choose(rules, s, legal, n, which):
    """The action that leaves the hand worth most, a win at once; the record is left as it was."""
    if legal[0] == HU or (n > 1 and legal[1] == HU):
        return np.int64(HU)
    if n == 1:
        return np.int64(legal[0])
    seat = np.int64(s.player)
    left = unseen_words(s, seat)
    best, most, kept = np.int64(-1), 0.0, 0.0
    for k in range(n):
        action = np.int64(legal[k])
        if not _may_choose(legal, k, which):
            continue
        found = _value(rules, s, seat, left, action, which)
        # Of equal discards the one that is worth least by itself goes; no equal claim is made.
        keep = _kept(s, seat, action - PLAY) if PLAY <= action < CHI else 0.0
        better = found > most or (found == most and (keep < kept or action >= AN_GANG))
        if best < 0 or better:
            best, most, kept = action, found, keep
    return best


LADDER = Ladder(
    "mcr_mahjong/ladder-v1",
    (
        ("random",),
        ("rule:shanten?random=0.2",),
        ("rule:shanten",),
        ("rule:pattern",),
        ("heuristic",),
    ),
    players={"rule:pattern": "rule:pattern?version=1"},
    # Of two players at random hardly any ever wins, and one that always does not by much.
    measure="points",
)
