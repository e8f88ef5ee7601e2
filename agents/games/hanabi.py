"""Rule-based Hanabi teammates; each uses only what its seat may know.

simple: the example agent of the Hanabi Learning Environment (``agents/simple_agent.py``).
iggi, piers: the agents of those names of Walton-Rivers et al. 2017, "Evaluating and modelling
Hanabi-playing agents"; their rules in order are in ``_iggi`` and ``_piers``.
focus: a convention of this project's own. A hint singles out one card to be played at once: of
the cards it touches that may be playable by what all know, the newest for a rank, the oldest for
a colour. A hint that touches no such card only informs.

Sets of cards are 25 bits, one a card; the numbers of unseen cards are two bits each in one
integer, so that nothing is allocated.
"""

from __future__ import annotations

from numba import njit

from stratagym.agents.ladders import Ladder
from stratagym.envs.core import mix64
from stratagym.envs.hanabi.rules import (
    COLOUR_TOLD,
    NONE,
    RANK_TOLD,
    RANKS,
    REVEAL_COLOUR,
    copies,
    decode,
    reveal_colour,
    reveal_rank,
    seat_after,
)

RULES = {"simple": 0, "iggi": 1, "piers": 2, "focus": 3}
"""Names of the players for the policy ``rule:NAME``, and ``which`` of ``rule``."""
SIMPLE, IGGI, PIERS, FOCUS = range(4)


@njit(cache=True)
def heuristic(rules, s, legal, n):
    return _focus(rules, s, legal, n)


@njit(cache=True)
def rule(rules, s, legal, n, which):
    if which == SIMPLE:
        return _simple(rules, s, legal, n)
    if which == IGGI:
        return _iggi(rules, s, legal, n)
    if which == PIERS:
        return _piers(rules, s, legal, n)
    return _focus(rules, s, legal, n)


# --- what a seat can know ------------------------------------------------------------------------


@njit(cache=True)
def unseen_cards(rules, s, seat):
    """How many of each card the seat does not see; for seat ``NONE``, how many nobody's hand,
    whatever is in it, takes away: those neither played nor discarded."""
    counts = 0
    for card in range(rules.colours * RANKS):
        left = copies(card % RANKS) - s.discards[card]
        left -= card % RANKS < s.fireworks[card // RANKS]
        counts |= left << 2 * card
    if seat != NONE:
        for offset in range(1, rules.num_players):
            other = seat_after(rules, seat, offset)
            for k in range(s.hand_sizes[other]):
                counts -= 1 << 2 * s.hands[other, k]
    return counts


@njit(cache=True)
def cards_of(counts):
    """The set of cards of which there is at least one."""
    cards = 0
    for card in range(25):
        cards |= ((counts >> 2 * card) & 3 != 0) << card
    return cards


@njit(cache=True)
def allowed(known):
    """The set of cards that a card with this knowledge may be."""
    ranks = known >> 5 & 31
    cards = 0
    for colour in range(5):
        if known >> colour & 1:
            cards |= ranks << RANKS * colour
    return cards


@njit(cache=True)
def total(counts, cards):
    """How many cards there are in a set."""
    n = 0
    for card in range(25):
        if cards >> card & 1:
            n += counts >> 2 * card & 3
    return n


@njit(cache=True)
def playable_cards(rules, s):
    """The set of cards that fit now."""
    cards = 0
    for colour in range(rules.colours):
        if s.fireworks[colour] < RANKS:
            cards |= 1 << RANKS * colour + s.fireworks[colour]
    return cards


@njit(cache=True)
def useless_cards(rules, s):
    """The set of cards that can never be played any more."""
    cards = 0
    for colour in range(rules.colours):
        dead = False
        for rank in range(RANKS):
            if rank < s.fireworks[colour] or dead:
                cards |= 1 << RANKS * colour + rank
            elif s.discards[RANKS * colour + rank] == copies(rank):
                dead = True
                cards |= 1 << RANKS * colour + rank
    return cards


@njit(cache=True)
def critical_cards(rules, s):
    """The set of cards still needed of which there is one left."""
    cards = 0
    for card in range(rules.colours * RANKS):
        cards |= (s.discards[card] == copies(card % RANKS) - 1) << card
    return cards & ~useless_cards(rules, s)


# --- rules shared by the players -----------------------------------------------------------------


@njit(cache=True)
def _surely_in(rules, s, player, counts, among):
    """The oldest own card that is certainly in a set, or ``NONE``."""
    unseen = cards_of(counts)
    for k in range(s.hand_sizes[player]):
        cards = allowed(s.knowledge[player, k]) & unseen
        if cards and not cards & ~among:
            return k
    return NONE


@njit(cache=True)
def _likeliest(rules, s, player, counts, cards):
    """(index, probability) of the own card most likely to be in a set; ties to the oldest."""
    best, best_share = NONE, -1.0
    for k in range(s.hand_sizes[player]):
        may = allowed(s.knowledge[player, k])
        share = total(counts, may & cards) / max(1, total(counts, may))
        if share > best_share:
            best, best_share = k, share
    return best, best_share


@njit(cache=True)
def _tell_playable(rules, s, player, playable):
    """A hint about the first playable card not fully told: its rank, then its colour."""
    for offset in range(1, rules.num_players):
        seat = seat_after(rules, player, offset)
        for k in range(s.hand_sizes[seat]):
            card = s.hands[seat, k]
            if playable >> card & 1:
                if not s.knowledge[seat, k] & RANK_TOLD:
                    return reveal_rank(rules, offset, card % RANKS)
                if not s.knowledge[seat, k] & COLOUR_TOLD:
                    return reveal_colour(rules, offset, card // RANKS)
    return NONE


@njit(cache=True)
def _tell_dispensable(rules, s, player, useless):
    """A hint by which a player learns that a card is of no use any more."""
    lowest = RANKS
    for colour in range(rules.colours):
        lowest = min(lowest, s.fireworks[colour])
    for offset in range(1, rules.num_players):
        seat = seat_after(rules, player, offset)
        for k in range(s.hand_sizes[seat]):
            card, known = s.hands[seat, k], s.knowledge[seat, k]
            colour, rank = card // RANKS, card % RANKS
            if not known & COLOUR_TOLD and s.fireworks[colour] == RANKS:
                return reveal_colour(rules, offset, colour)
            if not known & RANK_TOLD and rank < lowest:
                return reveal_rank(rules, offset, rank)
            if useless >> card & 1:
                if known & COLOUR_TOLD and not known & RANK_TOLD:
                    return reveal_rank(rules, offset, rank)
                if known & RANK_TOLD and not known & COLOUR_TOLD:
                    return reveal_colour(rules, offset, colour)
    return NONE


@njit(cache=True)
def _any_hint(rules, s, legal, n):
    """A hint that looks random but is the same whenever the public part of the state is."""
    first = 0
    while first < n and legal[first] < 2 * rules.hand_size:
        first += 1
    if first == n:
        return legal[0]
    seen = s.deck_size + 64 * s.information_tokens + 1024 * s.score + 65536 * s.player
    return legal[first + int(mix64(seen) % (n - first))]


@njit(cache=True)
def _discard_or_hint(rules, s, legal, n, index):
    """Discard an own card if that is allowed."""
    return (
        index
        if s.information_tokens < rules.max_information_tokens
        else (_any_hint(rules, s, legal, n))
    )


# --- the players ---------------------------------------------------------------------------------


@njit(cache=True)
def _simple(rules, s, legal, n):
    """Play the oldest card about which anything was told; else tell the colour of a playable card
    whose colour was not told; else discard the oldest, or play it while that is forbidden."""
    player = s.player
    for k in range(s.hand_sizes[player]):
        if s.knowledge[player, k] & (COLOUR_TOLD | RANK_TOLD):
            return rules.hand_size + k
    if s.information_tokens > 0:
        playable = playable_cards(rules, s)
        for offset in range(1, rules.num_players):
            seat = seat_after(rules, player, offset)
            for k in range(s.hand_sizes[seat]):
                card = s.hands[seat, k]
                if playable >> card & 1 and not s.knowledge[seat, k] & COLOUR_TOLD:
                    return reveal_colour(rules, offset, card // RANKS)
    if s.information_tokens < rules.max_information_tokens:
        return 0
    return rules.hand_size


@njit(cache=True)
def _iggi(rules, s, legal, n):
    """Play a certain card; tell of a playable card; discard a useless card; discard the oldest."""
    player = s.player
    counts = unseen_cards(rules, s, player)
    playable = playable_cards(rules, s)
    index = _surely_in(rules, s, player, counts, playable)
    if index != NONE:
        return rules.hand_size + index
    if s.information_tokens > 0:
        action = _tell_playable(rules, s, player, playable)
        if action != NONE:
            return action
    index = _surely_in(rules, s, player, counts, useless_cards(rules, s))
    return _discard_or_hint(rules, s, legal, n, max(index, 0))


@njit(cache=True)
def _piers(rules, s, legal, n):
    """IGGI, and: gamble with lives to spare, on anything once the deck is empty and on 60% before;
    with fewer than 4 tokens, tell of dispensable cards before discarding."""
    player = s.player
    counts = unseen_cards(rules, s, player)
    playable, useless = playable_cards(rules, s), useless_cards(rules, s)
    likeliest, share = _likeliest(rules, s, player, counts, playable)
    if s.life_tokens > 1 and s.deck_size == 0 and share > 0.0:
        return rules.hand_size + likeliest
    index = _surely_in(rules, s, player, counts, playable)
    if index != NONE:
        return rules.hand_size + index
    if s.life_tokens > 1 and share >= 0.6:
        return rules.hand_size + likeliest
    if s.information_tokens > 0:
        action = _tell_playable(rules, s, player, playable)
        if action != NONE:
            return action
        if s.information_tokens < 4:
            action = _tell_dispensable(rules, s, player, useless)
            if action != NONE:
                return action
    index = _surely_in(rules, s, player, counts, useless)
    return _discard_or_hint(rules, s, legal, n, max(index, 0))


@njit(cache=True)
def _singled_out(rules, s, seat, kind, touched, public, playable):
    """The card of a hand that a hint singles out, or ``NONE``; knowledge is as after the hint."""
    size = s.hand_sizes[seat]
    for j in range(size):
        k = j if kind == REVEAL_COLOUR else size - 1 - j
        if touched >> k & 1 and allowed(s.knowledge[seat, k]) & public & playable:
            return k
    return NONE


@njit(cache=True)
def _pending(rules, s, seat, public, playable):
    """The card that the last hint to a seat since its own last move singles out, or ``NONE``."""
    mover = s.last_player
    while mover != NONE and mover != seat and s.moves[mover] != NONE:
        kind, offset, _ = decode(rules, s.moves[mover])
        if kind >= REVEAL_COLOUR and seat_after(rules, mover, offset) == seat:
            return _singled_out(rules, s, seat, kind, s.move_touched[mover], public, playable)
        mover = mover - 1 if mover > 0 else rules.num_players - 1
    return NONE


@njit(cache=True)
def _oldest_untold(s, seat):
    """The card a player discards who knows nothing better, or ``NONE`` if all were told of."""
    for k in range(s.hand_sizes[seat]):
        if not s.knowledge[seat, k] & (COLOUR_TOLD | RANK_TOLD):
            return k
    return NONE


@njit(cache=True)
def _after(known, card, kind, value):
    """Knowledge of ``card`` after its hand was told a colour or rank."""
    bit = 1 << value if kind == REVEAL_COLOUR else 32 << value
    if (card // RANKS if kind == REVEAL_COLOUR else card % RANKS) != value:
        return known & ~bit
    if kind == REVEAL_COLOUR:
        return known & ~31 | bit | COLOUR_TOLD
    return known & ~992 | bit | RANK_TOLD


@njit(cache=True)
def _hint_worth(rules, s, action, public, playable, useless, critical):
    """What a hint is worth to the convention: (plays it leads to, save of a critical card, news).

    ``plays`` is -1 for a hint that would be misread as an order to play a card that does not fit.
    """
    kind, offset, value = decode(rules, action)
    seat = seat_after(rules, s.player, offset)
    size = s.hand_sizes[seat]
    chop = _oldest_untold(s, seat)
    single, plays, news = NONE, 0, 0
    saves = 0
    for j in range(size):
        k = j if kind == REVEAL_COLOUR else size - 1 - j
        card = s.hands[seat, k]
        known = s.knowledge[seat, k]
        now = _after(known, card, kind, value)
        before, cards = allowed(known) & public, allowed(now) & public
        touched = (card // RANKS if kind == REVEAL_COLOUR else card % RANKS) == value
        if touched and single == NONE and cards & playable:
            single = k
            if not playable >> card & 1:
                return -1, 0, 0
            plays += 1
        elif not cards & ~playable and before & ~playable:
            plays += 1
        if touched and k == chop and critical >> card & 1:
            saves = 1
        if not useless >> card & 1:
            news += _size(before) - _size(cards)
        elif not cards & ~useless and before & ~useless:
            news += 3
    return plays, saves, news


@njit(cache=True)
def _size(cards):
    n = 0
    while cards:
        cards &= cards - 1
        n += 1
    return n


@njit(cache=True)
def _focus(rules, s, legal, n):
    """The convention of the module's docstring, and in order: play what was singled out or is
    certain; single out a card for whoever has nothing to play; warn of a critical card that would
    be discarded; discard a useless card, or the oldest that nothing was told about."""
    player, h = s.player, rules.hand_size
    counts = unseen_cards(rules, s, player)
    unseen, public = cards_of(counts), cards_of(unseen_cards(rules, s, NONE))
    playable, useless = playable_cards(rules, s), useless_cards(rules, s)
    critical = critical_cards(rules, s)
    index = _pending(rules, s, player, public, playable)
    if index != NONE and allowed(s.knowledge[player, index]) & unseen & playable:
        return h + index
    index = _surely_in(rules, s, player, counts, playable)
    if index != NONE:
        return h + index
    likeliest, share = _likeliest(rules, s, player, counts, playable)
    if s.deck_size == 0 and s.life_tokens > 1 and share > 0.0:
        return h + likeliest
    hint, best = NONE, 0
    harmless, least = NONE, -1
    if s.information_tokens > 0:
        for j in range(n):
            if legal[j] < 2 * h:
                continue
            _, offset, _ = decode(rules, legal[j])
            seat = seat_after(rules, player, offset)
            plays, saves, news = _hint_worth(
                rules, s, legal[j], public, playable, useless, critical
            )
            if plays < 0:
                continue
            worth = news
            busy = _busy(rules, s, seat, public, playable)
            if plays > 0 and not busy:
                worth += 1000 * plays + 100 * (rules.num_players - offset)
            elif saves and offset == 1 and not busy:
                worth += 500
            else:
                worth = 0
            if worth > best:
                hint, best = legal[j], worth
            if news > least:
                harmless, least = legal[j], news
    if hint != NONE:
        return hint
    if s.information_tokens == rules.max_information_tokens:
        return harmless if harmless != NONE else _any_hint(rules, s, legal, n)
    index = _surely_in(rules, s, player, counts, useless)
    if index == NONE:
        index = _oldest_untold(s, player)
    if index == NONE:
        index, _ = _likeliest(rules, s, player, counts, useless)
    return index


@njit(cache=True)
def _busy(rules, s, seat, public, playable):
    """Whether a player already has a card to play, by what all know."""
    if _pending(rules, s, seat, public, playable) != NONE:
        return True
    for k in range(s.hand_sizes[seat]):
        cards = allowed(s.knowledge[seat, k]) & public
        if cards and not cards & ~playable:
            return True
    return False


LADDER = Ladder(
    "hanabi/ladder-v1",
    (
        ("random",),
        ("rule:simple",),
        ("rule:iggi?random=0.3",),
        ("rule:iggi?random=0.1",),
        ("rule:iggi", "rule:piers"),
        ("rule:focus",),
    ),
    # The points on the fireworks count where all lives are lost too: otherwise whoever plays at
    # random, or nearly so, has nothing at all.
    options={"players": 2, "score": "keep"},
    measure="score",
)
