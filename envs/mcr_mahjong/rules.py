"""The rules of Chinese Standard Mahjong (MCR) as kernel functions.

Where tiles lie, and what numbers mean, is in ``table``; what a win is worth in ``winning``; what a
seat sees in ``seen``. Walls are made when a hand begins, so that there are no chance events.

After a discard, and when a tile is added to a kong, the seats that could claim it are asked one
after another, the next after the discarder first. Their answers stand in ``claims`` until all have
answered: a win ends the asking, since those before it passed up theirs; else a pung or kong goes
before a chow. Of pung and kong there is one at most, and only the next seat may claim a chow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, random_below, seed_rng, sizes
from stratagym.envs.mcr_mahjong.dealing import (
    clear_table,
    deal_hands,
    shuffle_walls,
    take_back,
    take_front,
)
from stratagym.envs.mcr_mahjong.fans import NUM_FANS
from stratagym.envs.mcr_mahjong.seen import determinize as determinize
from stratagym.envs.mcr_mahjong.seen import observe as observe
from stratagym.envs.mcr_mahjong.table import (
    ACTIONS,
    AN_GANG,
    BU_GANG,
    CHI,
    CLAIM,
    COPIES,
    DISCARD,
    DRAWING,
    FLOWER,
    GANG,
    HU,
    KIND,
    MOST,
    NONE,
    NOT_YET,
    OFFER,
    OVER,
    OWN,
    PASS,
    PENG,
    PLAY,
    RANKS,
    ROB,
    SEATS,
    TILE,
    WALL,
    chow_action,
    chow_of,
    is_last,
    put,
    take,
    tiles_left,
)
from stratagym.envs.mcr_mahjong.table import STATE as STATE
from stratagym.envs.mcr_mahjong.tiles import CHOW, HONORS, KINDS, KONG, PUNG
from stratagym.envs.mcr_mahjong.winning import evaluate_win, forget_win

WIND_DRAWN = -1
ROUNDS = 16
"""Hands of a whole match: each seat is east once under each prevailing wind."""
BASE = 8
"""Points that everybody pays a winner."""


@sizes(
    actions=ACTIONS,
    observation=(150, 4, 9),
    decisions=lambda rules: 500 * rules.hands,
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        num_players: 4.
        duplicate: 1 if every seat draws from a wall of its own.
        flowers: 1 with the eight flowers.
        prevailing: wind 0-3, or ``WIND_DRAWN``.
        hands: 1, 4 or 16. minimum: fans that a win needs.
        pairs: 1 if seats 0 and 2 are a side.
        forced: 1 if a win is taken without asking.
        wmo: 1 if mixed kongs count by the WMO's Green Book.
    """

    num_players: int
    duplicate: int
    flowers: int
    prevailing: int
    hands: int
    minimum: int
    pairs: int
    forced: int
    wmo: int


WINDS = {"drawn": WIND_DRAWN, "east": 0, "south": 1, "west": 2, "north": 3}


def make_rules(
    wall: str,
    flowers: bool,
    prevailing: str,
    hands: int,
    minimum: int,
    teams: str,
    hu: str,
    fans: str,
) -> Rules:
    """Rules from the options as people write them; see the package's docstring.

    Raises:
        ValueError: flowers without the wall that they are in.
    """
    if flowers and wall != "one":
        raise ValueError(f"mcr_mahjong: flowers=True needs wall=one, not wall={wall}")
    return Rules(
        num_players=SEATS,
        duplicate=int(wall == "duplicate"),
        flowers=int(flowers),
        prevailing=WINDS[prevailing],
        hands=hands,
        minimum=minimum,
        pairs=int(teams == "pairs"),
        forced=int(hu == "forced"),
        wmo=int(fans == "wmo"),
    )


# --- a hand begins -------------------------------------------------------------------------------


@njit(cache=True)
def _begin_hand(rules, s):
    """Shuffle and deal the next hand."""
    s.hand += 1
    clear_table(s)
    shuffle_walls(rules, s)
    if rules.hands == ROUNDS:
        s.prevailing = s.hand // 4
    deal_hands(rules, s)


@njit(cache=True)
def _begin(s):
    """Nothing has been won or lost."""
    s.winner = NOT_YET
    s.loser = NONE
    s.won_tile = NONE
    s.won_fan = 0
    s.fan = 0
    for k in range(NUM_FANS):
        s.fans[k] = 0
        s.counter[k] = 0
    for seat in range(SEATS):
        s.scores[seat] = 0


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.seed = seed
    drawn = random_below(s, 4)
    s.prevailing = drawn if rules.prevailing == WIND_DRAWN else rules.prevailing
    _begin(s)
    s.hand = -1
    s.phase = OVER
    _go_on(rules, s)


@njit(cache=True)
def deal_walls(rules, states, i, walls, prevailing):
    """Start ``states[i]`` with hand 0 dealt from given walls, all in one row, and a given wind."""
    s = states[i]
    reset(rules, s, np.uint64(0))
    clear_table(s)
    _begin(s)
    s.hand = 0
    s.prevailing = prevailing
    for place in range(MOST):
        s.wall[place] = walls[place] if place < walls.shape[0] else NONE
    deal_hands(rules, s)
    _go_on(rules, s)


# --- a hand goes on and ends ---------------------------------------------------------------------


@njit(cache=True)
def _draw(rules, s):
    """The player draws, flowers aside, in place of a kong's tile if ``about_kong``.

    Returns whether it has a tile.
    """
    seat = np.int64(s.player)
    if rules.duplicate:
        tile = take_front(s, WALL * seat + np.int64(s.drawn[seat]))
        s.drawn[seat] += 1
    elif s.about_kong:
        tile = take_back(rules, s)
    else:
        tile = take_front(s, np.int64(s.drawn[0]))
        s.drawn[0] += 1
    while tile == FLOWER:
        s.flowers[seat] += 1
        s.about_kong = 0
        if tiles_left(rules, s, seat) == 0:
            return False
        tile = take_back(rules, s)
    put(s, seat, tile)
    s.phase = OWN
    s.discarder = NONE
    s.tile = NONE
    s.drawn_tile = tile
    return True


@njit(cache=True)
def _end(s):
    """The hand is over."""
    s.phase = OVER
    forget_win(s)
    for seat in range(SEATS):
        s.claims[seat] = PASS


@njit(cache=True)
def _end_undecided(s):
    """The hand is over, and nobody has won."""
    _end(s)
    s.winner = NONE
    s.loser = NONE
    s.won_tile = NONE
    s.won_fan = 0
    for k in range(NUM_FANS):
        s.fans[k] = 0


@njit(cache=True)
def _win(s, seat):
    """The seat to move wins with the tile it has drawn or is offered."""
    giver = np.int64(s.discarder)
    tile = np.int64(s.drawn_tile) if giver == NONE else np.int64(s.tile)
    s.winner = seat
    s.loser = giver
    s.won_tile = tile
    s.won_fan = s.fan + s.flowers[seat]
    for k in range(NUM_FANS):
        s.fans[k] = s.counter[k]
    for other in range(SEATS):
        if other != seat:
            pays = BASE
            if giver == NONE or giver == other:
                pays += s.won_fan
            s.scores[other] -= pays
            s.scores[seat] += pays
    if s.phase == ROB:
        for k in range(s.num_melds[giver]):
            if s.melds[giver, k, KIND] == KONG and s.melds[giver, k, TILE] == tile:
                s.melds[giver, k, KIND] = PUNG
        s.shown[tile] -= 1
    elif s.phase == CLAIM:
        s.claimed[giver, s.discarded[giver] - 1] = 1
    _end(s)


@njit(cache=True)
def _may_claim(rules, s, seat):
    """Whether a seat has anything to say to the tile on offer, a win aside."""
    if s.phase == ROB or is_last(rules, s, np.int64(s.discarder)):
        return False
    if s.counts[seat, s.tile] >= 2:
        return True
    return seat == (s.discarder + 1) & 3 and _chows(s, seat) != 0


@njit(cache=True)
def _chows(s, seat):
    """Which chows a seat can claim: bit k is that with the tile on offer in place 2 - k."""
    tile = np.int64(s.tile)
    if tile >= HONORS:
        return 0
    rank, has = tile % RANKS, s.counts[seat]
    down = rank > 0 and has[tile - 1] > 0
    up = rank < RANKS - 1 and has[tile + 1] > 0
    found = 0
    if down and rank > 1 and has[tile - 2] > 0:
        found |= 1
    if down and up:
        found |= 2
    if up and rank < RANKS - 2 and has[tile + 2] > 0:
        found |= 4
    return found


@njit(cache=True)
def _meld(s, seat, kind, tile, offer):
    k = s.num_melds[seat]
    s.melds[seat, k, KIND] = kind
    s.melds[seat, k, TILE] = tile
    s.melds[seat, k, OFFER] = offer
    s.melded_at[seat, k] = s.discarded[seat]
    s.num_melds[seat] = k + 1


@njit(cache=True)
def _claim(s, seat, action):
    """A seat takes the discard for a chow, pung or kong."""
    tile, giver = np.int64(s.tile), s.discarder
    s.claimed[giver, s.discarded[giver] - 1] = 1
    s.player = seat
    s.phase = DISCARD
    s.discarder = NONE
    s.tile = NONE
    if action < PENG:
        middle, _ = chow_of(action)
        for other in range(middle - 1, middle + 2):
            if other != tile:
                take(s, seat, other)
                s.shown[other] += 1
        _meld(s, seat, CHOW, middle, tile - middle + 2)
        return
    own = 2 if action < GANG else 3
    for _ in range(own):
        take(s, seat, tile)
    s.shown[tile] += own
    _meld(s, seat, PUNG if action < GANG else KONG, tile, (seat - giver) & 3)
    if action >= GANG:
        s.about_kong = 1
        s.phase = DRAWING


@njit(cache=True)
def _settle(rules, s):
    """All have answered, and nobody wins: see who gets the tile on offer."""
    claimant = np.int64(NONE)
    for k in range(1, SEATS):
        other = (s.discarder + k) & 3
        claim = s.claims[other]
        if claim >= PENG or (claim >= CHI and claimant == NONE):
            claimant = other
    forget_win(s)
    if claimant != NONE:
        claim = np.int64(s.claims[claimant])
        for other in range(SEATS):
            s.claims[other] = PASS
        _claim(s, claimant, claim)
    elif s.phase == ROB:
        s.player = s.discarder
        s.about_kong = 1
        s.phase = DRAWING
    elif is_last(rules, s, np.int64(s.discarder)):
        _end_undecided(s)
    else:
        s.player = (s.discarder + 1) & 3
        s.phase = DRAWING


@njit(cache=True, inline="always")
def _go_on(rules, s):
    """All that happens until a seat has something to decide, or the game is over.

    While a tile is on offer, ``player`` is the seat that was asked last, at first the discarder.
    A seat that could not do anything is not asked.
    """
    while True:
        if s.phase == OVER:
            if s.hand + 1 >= rules.hands:
                return
            _begin_hand(rules, s)
        elif s.phase == DISCARD:
            return
        else:
            drawing = s.phase == DRAWING
            if drawing:
                if not _draw(rules, s):
                    _end_undecided(s)
                    continue
            else:
                s.player = (s.player + 1) & 3
                if s.player == s.discarder:
                    _settle(rules, s)
                    continue
            seat = np.int64(s.player)
            evaluate_win(rules, s, seat)
            wins = s.fan >= rules.minimum
            if wins and rules.forced:
                _win(s, seat)
            elif drawing or wins or _may_claim(rules, s, seat):
                return


@njit(cache=True)
def _offer(s, seat, tile, phase):
    """A discard, or a tile added to a kong, lies open for the others to claim."""
    s.shown[tile] += 1
    s.phase = phase
    s.discarder = seat
    s.tile = tile
    s.drawn_tile = NONE
    s.about_kong = 0


@njit(cache=True)
def _discard(s, seat, tile):
    take(s, seat, tile)
    k = s.discarded[seat]
    s.discards[seat, k] = tile
    s.discarded[seat] = k + 1


@njit(cache=True)
def _concealed_kong(s, seat, tile):
    for _ in range(COPIES):
        take(s, seat, tile)
    _meld(s, seat, KONG, tile, 0)
    s.about_kong = 1
    s.phase = DRAWING


@njit(cache=True)
def _added_kong(s, seat, tile):
    """Nothing is drawn before the others could have robbed the kong."""
    take(s, seat, tile)
    for k in range(s.num_melds[seat]):
        if s.melds[seat, k, KIND] == PUNG and s.melds[seat, k, TILE] == tile:
            s.melds[seat, k, KIND] = KONG
            s.added_at[seat, k] = s.discarded[seat]


# --- what a seat may do --------------------------------------------------------------------------


@njit(cache=True)
def current_player(rules, s):
    return np.int64(TERMINAL) if s.phase == OVER else np.int64(s.player)


@njit(cache=True)
def _answers(rules, s, out):
    """To the tile on offer: pass, win, chows, pung, kong."""
    seat, tile = np.int64(s.player), np.int64(s.tile)
    out[0] = PASS
    n = 1
    if s.fan >= rules.minimum:
        out[n] = HU
        n += 1
    if s.phase == ROB or is_last(rules, s, np.int64(s.discarder)):
        return n
    if seat == (s.discarder + 1) & 3:
        chows = _chows(s, seat)
        for k in range(3):
            if chows >> k & 1:
                out[n] = chow_action(tile, tile - 1 + k)
                n += 1
    if s.counts[seat, tile] >= 2:
        out[n] = PENG + tile
        n += 1
        if s.counts[seat, tile] == 3 and tiles_left(rules, s, seat) > 0:
            out[n] = GANG + tile
            n += 1
    return n


@njit(cache=True)
def may_kong(rules, s, seat):
    """Whether a seat may declare a kong in its own turn, as far as the walls go."""
    return s.phase == OWN and not is_last(rules, s, seat) and tiles_left(rules, s, seat) > 0


@njit(cache=True)
def legal_actions(rules, s, out):
    if s.phase == CLAIM or s.phase == ROB:
        return _answers(rules, s, out)
    seat, n = np.int64(s.player), 0
    if s.phase == OWN and s.fan >= rules.minimum:
        out[0] = HU
        n = 1
    four = False
    for tile in range(KINDS):
        if s.counts[seat, tile]:
            out[n] = PLAY + tile
            n += 1
            four |= s.counts[seat, tile] == COPIES
    if (four or s.num_melds[seat]) and may_kong(rules, s, seat):
        if four:
            for tile in range(KINDS):
                if s.counts[seat, tile] == COPIES:
                    out[n] = AN_GANG + tile
                    n += 1
        first = n
        for k in range(s.num_melds[seat]):
            tile = np.int64(s.melds[seat, k, TILE])
            if s.melds[seat, k, KIND] == PUNG and s.counts[seat, tile]:
                at = n
                while at > first and out[at - 1] > BU_GANG + tile:  # melds are in order of age
                    out[at] = out[at - 1]
                    at -= 1
                out[at] = BU_GANG + tile
                n += 1
    return n


@njit(cache=True)
def step(rules, s, action):
    seat = np.int64(s.player)
    if action == HU:
        _win(s, seat)
    elif s.phase == CLAIM or s.phase == ROB:
        s.claims[seat] = action
    elif action < CHI:
        _discard(s, seat, action - PLAY)
        _offer(s, seat, action - PLAY, CLAIM)
    elif action < BU_GANG:
        _concealed_kong(s, seat, action - AN_GANG)
    else:
        _added_kong(s, seat, action - BU_GANG)
        _offer(s, seat, action - BU_GANG, ROB)
    _go_on(rules, s)


@njit(cache=True)
def returns(rules, s, out):
    """Points won and lost so far."""
    for seat in range(SEATS):
        out[seat] = s.scores[seat]
