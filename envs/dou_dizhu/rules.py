"""Fight the Landlord as kernel functions.

Hands and plays are sets of cards as ``cards`` packs them; what can be played is numbered in
``patterns`` and found in ``plays``. In parts, a play is named step by step, and its cards stay in
the hand until the last of them: nobody else learns of it before.
"""

from __future__ import annotations

from math import floor
from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY
from stratagym.envs.core import TERMINAL, is_listed, random_below, seed_rng, sizes
from stratagym.envs.dou_dizhu.cards import (
    BLACK_JOKER,
    DECK,
    RANKS,
    count,
    holds,
    of_rank,
    put_cards,
    size,
    without,
)
from stratagym.envs.dou_dizhu.patterns import (
    BODY,
    BOMB,
    FIRST,
    KICKER_SIZE,
    KICKERS,
    KIND,
    ONLY_CARDS,
    PATTERN,
    PATTERNS,
    PLAY_CARDS,
    POINTS,
    ROCKET,
    USUAL_PATTERNS,
    USUAL_PLAYS,
)
from stratagym.envs.dou_dizhu.plays import (
    KICKER_AT,
    beats,
    find_kickers,
    find_plays,
    forbidden_kickers,
    pattern_of_part,
)

SEATS = 3
STAKES, WIN, BOTZONE = range(3)
"""Values of ``Rules.score``."""
NOBODY = -1
KEPT = 15
"""Plays that are kept, passes included."""

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("hands", "u8", (SEATS,)),
        ("played", "u8", (SEATS,)),  # by each seat, all together
        ("bottom", "u8"),  # the landlord's three further cards, also where they are played
        ("top_cards", "u8"),  # the play to beat, 0 when leading
        ("kickers", "u8"),  # of the play that is being named
        ("history", "u8", (KEPT,)),  # play k of the game at k % KEPT, a pass as 0
        ("plays", "i2"),  # of all seats, passes included
        ("top", "i2"),  # pattern of the play to beat
        ("building", "i2"),  # pattern of the play that is being named, else 0
        ("points", "i2", (SEATS,)),  # Botzone's, for plays
        ("moves", "i1", (SEATS,)),  # plays of each seat, passes not counted
        ("owner", "i1"),  # of the play to beat
        ("passes", "i1"),  # in a row
        ("bombs", "i1"),  # and rockets played
        ("player", "i1"),  # to move
        ("landlord", "i1"),  # NOBODY while there is none
        ("bid", "i1"),  # the highest; 1 without bidding
        ("bidder", "i1"),  # who made it
        ("spoken", "i1"),  # seats that have bid or passed
        ("over", "i1"),
        ("winner", "i1"),  # who has no cards left
    ],
    align=True,
)

_PLAYED_AT = 5 * 54
_LAST_AT = _PLAYED_AT + 3 * 54
_HISTORY_AT = _LAST_AT + 3 * 54
_LEFT_AT = _HISTORY_AT + KEPT * 54
_ROLE_AT = _LEFT_AT + 3 * 20
SIZE = _ROLE_AT + 3 + 3 + 1 + 15 + 3
LONGEST = 154
"""Most decisions of a game: 52 plays of one card each but the last, with two passes between."""


def _bids_at(rules: Rules) -> int:
    """The action of passing in the bidding; the bids follow."""
    if rules.whole:
        return len(PLAY_CARDS) if rules.shuttle else USUAL_PLAYS
    return (PATTERNS if rules.shuttle else USUAL_PATTERNS) + RANKS


@sizes(
    actions=lambda rules: _bids_at(rules) + 4 * rules.bidding,
    observation=(SIZE,),
    decisions=lambda rules: LONGEST + 3 * rules.bidding,
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        num_players: 3.
        kickers: 0 distinct, 1 pagat, 2 loose.
        shuttle: whether fours in sequence are a kind of play.
        bidding: whether the landlord is found by bids.
        score: 0 stakes, 1 win, 2 Botzone's.
        spring: whether a side that never played doubles the stake.
        whole: 1 if every play is an action, 0 if it is named in parts.
    """

    num_players: int
    kickers: int
    shuttle: int
    bidding: int
    score: int
    spring: int
    whole: int


def make_rules(
    kickers: str, shuttle: bool, bidding: str, score: str, spring: bool, judge: str, plays: str
) -> Rules:
    """Rules from the options as people write them; see the package's docstring."""
    if judge == "botzone":
        kickers, shuttle, bidding, score = "distinct", True, "none", "botzone"
    return Rules(
        SEATS,
        ("distinct", "pagat", "loose").index(kickers),
        int(shuttle),
        int(bidding == "points"),
        ("stakes", "win", "botzone").index(score),
        int(spring),
        int(plays == "whole"),
    )


@njit(cache=True)
def bids_at(rules):
    """The action of passing in the bidding; bids 1 to 3 follow it."""
    if rules.whole:
        return FIRST[PATTERNS] if rules.shuttle else FIRST[USUAL_PATTERNS]
    return (PATTERNS if rules.shuttle else USUAL_PATTERNS) + RANKS


@njit(cache=True)
def seat_after(seat, steps):
    """The seat that plays so many steps after another."""
    return (seat + steps) % SEATS


@njit(cache=True)
def rank_of_card(card):
    """The rank of card 0 .. 53."""
    return card >> 2 if card < 53 else BLACK_JOKER + 1


# --- the deal ------------------------------------------------------------------------------------


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    for seat in range(SEATS):
        s.hands[seat] = EMPTY
        s.played[seat] = EMPTY
        s.points[seat] = 0
        s.moves[seat] = 0
    for k in range(KEPT):
        s.history[k] = EMPTY
    s.bottom = EMPTY
    s.top_cards = EMPTY
    s.kickers = EMPTY
    s.plays = 0
    s.top = 0
    s.building = 0
    s.owner = 0
    s.passes = 0
    s.bombs = 0
    s.player = 0
    s.spoken = 0
    s.over = 0
    s.winner = NOBODY
    # Every card gets one of the places that are left, which is a shuffle without a deck.
    first, second, third, rest = 17, 17, 17, 54
    for card in range(54):
        place = random_below(s, rest)
        rest -= 1
        cards = of_rank(rank_of_card(card), 1)
        if place < first:
            s.hands[0] += cards
            first -= 1
        elif place < first + second:
            s.hands[1] += cards
            second -= 1
        elif place < first + second + third:
            s.hands[2] += cards
            third -= 1
        else:
            s.bottom += cards
    if rules.bidding:
        s.landlord = NOBODY
        s.bidder = NOBODY
        s.bid = 0
    else:
        s.bid = 1
        s.bidder = 0
        _make_landlord(s, 0)


@njit(cache=True)
def _make_landlord(s, seat):
    s.landlord = seat
    s.hands[seat] += s.bottom
    s.player = seat


@njit(cache=True)
def bottom_left(s):
    """The landlord's further cards that are surely still in its hand."""
    return EMPTY if s.landlord < 0 else without(s.bottom, s.played[s.landlord])


@njit(cache=True)
def unseen(s, player):
    """The cards of the two other seats together; in the bidding, with the bottom."""
    return DECK - s.hands[player] - s.played[0] - s.played[1] - s.played[2]


@njit(cache=True)
def determinize(rules, s, player):
    """New cards for the others, the landlord keeping what is known of its further cards."""
    following, previous = seat_after(player, 1), seat_after(player, 2)
    pool = unseen(s, player)
    if s.landlord < 0:
        s.hands[following] = EMPTY
        s.hands[previous] = EMPTY
        s.bottom = EMPTY
        first, second, rest = 17, 17, 37
    else:
        first, second = size(s.hands[following]), size(s.hands[previous])
        s.hands[following] = EMPTY
        s.hands[previous] = EMPTY
        if s.landlord != player:
            known = bottom_left(s)
            pool -= known
            s.hands[s.landlord] = known
            if s.landlord == following:
                first -= size(known)
            else:
                second -= size(known)
        rest = first + second
    for rank in range(RANKS):
        for _ in range(count(pool, rank)):
            place = random_below(s, rest)
            rest -= 1
            if place < first:
                s.hands[following] += of_rank(rank, 1)
                first -= 1
            elif place < first + second:
                s.hands[previous] += of_rank(rank, 1)
                second -= 1
            else:
                s.bottom += of_rank(rank, 1)
    random_below(s, 2)
    if player != s.player:
        s.building = 0
        s.kickers = EMPTY


# --- the course of the game ----------------------------------------------------------------------


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.over else s.player


@njit(cache=True)
def legal_actions(rules, s, out):
    """Bids, the next kicker, or plays; see the package's docstring."""
    if s.landlord < 0:
        first = bids_at(rules)
        out[0] = first
        n = 1
        for bid in range(s.bid + 1, 4):
            out[n] = first + bid
            n += 1
        return n
    hand = s.hands[s.player]
    if s.building:
        return find_kickers(hand, s.building, s.kickers, rules.kickers, out)
    return find_plays(hand, s.top, rules.whole, rules.kickers, rules.shuttle, out)


@njit(cache=True)
def is_legal_action(rules, s, action, legal):
    """As ``legal_actions`` has it; a whole play is looked at without listing the others."""
    if not rules.whole or s.landlord < 0:
        return is_listed(rules, s, action, legal)
    if action < 0 or action >= bids_at(rules):
        return False
    cards = PLAY_CARDS[action]
    if cards & forbidden_kickers(rules.kickers) != EMPTY:
        return False
    return beats(PATTERN[action], s.top) and holds(s.hands[s.player], cards & ONLY_CARDS)


@njit(cache=True)
def step(rules, s, action):
    if s.landlord < 0:
        _bid(s, action - bids_at(rules))
    elif rules.whole:
        _play(s, np.int64(PATTERN[action]), PLAY_CARDS[action] & ONLY_CARDS)
    else:
        if s.building:
            s.kickers += of_rank(action - KICKER_AT, np.int64(KICKER_SIZE[s.building]))
        else:
            s.building = pattern_of_part(action)
            s.kickers = EMPTY
        pattern = np.int64(s.building)
        if size(s.kickers) == KICKERS[pattern] * KICKER_SIZE[pattern]:
            cards = BODY[pattern] + s.kickers
            s.building = 0
            s.kickers = EMPTY
            _play(s, pattern, cards)


@njit(cache=True)
def _bid(s, bid):
    seat = s.player
    s.spoken += 1
    if bid > 0:
        s.bid = bid
        s.bidder = seat
    if s.bid == 3 or (s.spoken == SEATS and s.bid > 0):
        _make_landlord(s, s.bidder)
    elif s.spoken == SEATS:
        s.over = 1
    else:
        s.player = seat_after(seat, 1)


@njit(cache=True)
def _play(s, pattern, cards):
    seat = s.player
    s.history[s.plays % KEPT] = cards
    s.plays += 1
    s.player = seat + 1 if seat < 2 else 0
    if pattern == 0:
        s.passes += 1
        if s.passes == 2:
            s.passes = 0
            s.top = 0
            s.top_cards = EMPTY
        return
    kind = KIND[pattern]
    s.hands[seat] -= cards
    s.played[seat] += cards
    s.top = pattern
    s.top_cards = cards
    s.owner = seat
    s.passes = 0
    s.moves[seat] += 1
    s.points[seat] += POINTS[kind]
    s.bombs += kind == BOMB or kind == ROCKET
    if s.hands[seat] == EMPTY:
        s.over = 1
        s.winner = seat


@njit(cache=True)
def last_play(s, back):
    """The cards of the play before the last ``back`` ones, 0 for a pass or where there is none."""
    at = s.plays - 1 - back
    return s.history[at % KEPT] if at >= 0 else EMPTY


@njit(cache=True)
def is_spring(s):
    """Whether a finished game was won before the other side played; the landlord's lead is none."""
    if s.winner == s.landlord:
        return s.moves[seat_after(s.landlord, 1)] + s.moves[seat_after(s.landlord, 2)] == 0
    return s.moves[s.landlord] == 1


@njit(cache=True)
def stake(rules, s):
    """The bid, doubled for every bomb and rocket played and, at the end, for a spring."""
    spring = 1 if s.over and rules.spring and is_spring(s) else 0
    return np.int64(s.bid) << (s.bombs + spring)


@njit(cache=True)
def landlord_won(s):
    """Whether the landlord has won a finished game with a landlord."""
    return s.winner == s.landlord


@njit(cache=True)
def returns(rules, s, out):
    for seat in range(SEATS):
        out[seat] = 0.0
    landlord = s.landlord
    if not s.over or landlord < 0:
        return
    down, up = seat_after(landlord, 1), seat_after(landlord, 2)
    won = landlord_won(s)
    if rules.score == BOTZONE:
        mean = (s.points[down] + s.points[up]) / 200.0
        out[landlord] = s.points[landlord] / 100.0 + (2.0 if won else 0.0)
        out[down] = mean + (0.0 if won else 2.0)
        out[up] = out[down]
        return
    worth = 0.5 if rules.score == WIN else 1.0 * stake(rules, s)
    out[landlord] = 2.0 * worth if won else -2.0 * worth
    out[down] = -worth if won else worth
    out[up] = out[down]


@njit(cache=True)
def round_return(rules, value):
    """To halves of a hundredth."""
    return floor(value * 200.0 + 0.5) / 200.0


# --- what is seen --------------------------------------------------------------------------------


@njit(cache=True)
def observe(rules, s, player, out):
    """Sets of cards, then roles and numbers; see the package's docstring."""
    for k in range(SIZE):
        out[k] = 0
    landlord = s.landlord
    put_cards(out, 0, s.hands[player])
    put_cards(out, 54, unseen(s, player))
    put_cards(out, 108, bottom_left(s))
    put_cards(out, 162, s.top_cards)
    if s.building and player == s.player:
        put_cards(out, 216, BODY[s.building] + s.kickers)
    if landlord >= 0:
        # Seats play in turn, the landlord first.
        latest = seat_after(landlord, (s.plays + 2) % SEATS)
        for k in range(SEATS):
            seat = seat_after(player, k)
            put_cards(out, _PLAYED_AT + 54 * k, s.played[seat])
            put_cards(out, _LAST_AT + 54 * k, last_play(s, (latest - seat) % SEATS))
    for k in range(min(s.plays, KEPT)):
        put_cards(out, _HISTORY_AT + 54 * (KEPT - 1 - k), last_play(s, k))
    for k in range(SEATS):
        left = size(s.hands[seat_after(player, k)])
        if left:
            out[_LEFT_AT + 20 * k + left - 1] = 1
    at = _ROLE_AT
    if landlord >= 0:
        out[at + (player - landlord) % SEATS] = 1
    if s.bid > 0:
        out[at + 2 + s.bid] = 1
    if s.top and landlord >= 0 and s.owner != player:
        out[at + 6] = player != landlord and s.owner != landlord
    out[at + 7 + s.bombs] = 1
    if rules.bidding and s.bidder >= 0:
        out[at + 22 + (s.bidder - player) % SEATS] = 1


@njit(cache=True)
def action_cards(rules, action, out):
    """Write the cards that an action names as 54 numbers (``cards.put_cards``) into ``out``.

    In parts that is the body of a pattern, or one card of a kicker's rank; of a bid, nothing.
    """
    for k in range(54):
        out[k] = 0
    if action >= bids_at(rules):
        return
    if rules.whole:
        put_cards(out, 0, PLAY_CARDS[action] & ONLY_CARDS)
    elif KICKER_AT <= action < KICKER_AT + RANKS:
        put_cards(out, 0, of_rank(action - KICKER_AT, 1))
    else:
        put_cards(out, 0, BODY[pattern_of_part(action)])
