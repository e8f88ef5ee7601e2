"""The rules of Hanabi as kernel functions, with the numbering of the Hanabi Learning Environment.

A card is ``5 * colour + rank``, both from 0. A hand is kept in order of age, oldest first: the
cards after one that leaves move down, and the new card comes last. What the hints so far say about
a card is ``knowledge``, public to all:

    bit   0 1 2 3 4          5 6 7 8 9        10             11
          may be colour k    may be rank k    colour told    rank told

Action ids, for hands of h cards, n players and c colours (``+o`` is the o-th player to the left):

    0 .. h-1                     discard card k
    h .. 2h-1                    play card k
    2h + c (o-1) + k             tell player +o its cards of colour k
    2h + c (n-1) + 5 (o-1) + k   tell player +o its cards of rank k
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, random_below, seed_rng, sizes

RANKS = 5
COPIES = (3, 2, 2, 2, 1)
"""How many of each rank a colour has."""
COLOUR_CARDS = sum(COPIES)
MAX_PLAYERS, MAX_HAND, MAX_COLOURS = 5, 5, 5
MAX_DECK = MAX_COLOURS * COLOUR_CARDS
NONE = -1
"""No card, or no move yet."""

MAY_BE_COLOUR, MAY_BE_RANK = 31, 31 << 5
COLOUR_TOLD, RANK_TOLD = 1 << 10, 1 << 11
DISCARD, PLAY, REVEAL_COLOUR, REVEAL_RANK = range(4)
SCORED, TOKEN_GAINED = 1, 2
STRICT, KEEP, SPIN = range(3)

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("knowledge", "u2", (MAX_PLAYERS, MAX_HAND)),
        ("hands", "i1", (MAX_PLAYERS, MAX_HAND)),
        ("hand_sizes", "i1", MAX_PLAYERS),
        ("deck", "i1", MAX_DECK),  # the next card to draw is deck[deck_size - 1]
        ("deck_size", "i1"),
        ("discards", "i1", MAX_COLOURS * RANKS),  # by card, how many
        ("fireworks", "i1", MAX_COLOURS),  # by colour, how high
        ("information_tokens", "i1"),
        ("life_tokens", "i1"),
        ("turns_left", "i1"),  # counted down once the deck is empty
        ("score", "i1"),  # height of all fireworks
        ("score_before", "i1"),  # the last move
        ("player", "i1"),
        ("last_player", "i1"),
        # The last move of each seat: action, card (discard, play), outcome bits (play) and the
        # cards it touched, by bit (reveal).
        ("moves", "i1", MAX_PLAYERS),
        ("move_cards", "i1", MAX_PLAYERS),
        ("move_outcomes", "i1", MAX_PLAYERS),
        ("move_touched", "i1", MAX_PLAYERS),
    ],
    align=True,
)


def _num_actions(rules: Rules) -> int:
    return 2 * rules.hand_size + (rules.num_players - 1) * (rules.colours + RANKS)


def _observation_shape(rules: Rules) -> tuple[int, ...]:
    n, h, c = rules.num_players, rules.hand_size, rules.colours
    cards = c * RANKS
    hands = (n - 1) * h * cards + n
    deck = c * COLOUR_CARDS - n * h
    board = deck + cards + rules.max_information_tokens + rules.max_life_tokens
    last_move = n + 4 + n + c + RANKS + h + h + cards + 2
    known = n * h * (cards + c + RANKS)
    return (hands + board + c * COLOUR_CARDS + last_move + known,)


def _most_turns(rules: Rules) -> int:
    """All tokens spent, then each card of the deck drawn for a discard that pays for a hint.

    The last such discard's hint falls in the last round, of one turn a player.
    """
    deck = rules.colours * COLOUR_CARDS - rules.num_players * rules.hand_size
    return 2 * deck + rules.max_information_tokens - 1 + rules.num_players


@sizes(actions=_num_actions, observation=_observation_shape, decisions=_most_turns)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        num_players: 2 .. 5.
        colours: 1 .. 5, each in ranks 1-5.
        hand_size: cards a hand begins with.
        max_information_tokens, max_life_tokens: at the start, and never more.
        scoring: ``STRICT``, ``KEEP`` or ``SPIN``.
    """

    num_players: int
    colours: int
    hand_size: int
    max_information_tokens: int
    max_life_tokens: int
    scoring: int


# By variant: colours, hand size (0: by the number of players), information and life tokens.
VARIANTS = {"full": (5, 0, 8, 3), "small": (2, 2, 3, 1), "very_small": (1, 2, 3, 1)}
SCORINGS = {"strict": STRICT, "keep": KEEP, "spin": SPIN}


def make_rules(players: int, score: str, variant: str) -> Rules:
    """Rules from the options as people write them; see the package's docstring.

    Raises:
        ValueError: more hands than the variant's deck can fill.
    """
    colours, hand, information, lives = VARIANTS[variant]
    if not hand:
        hand = 5 if players < 4 or (players == 4 and score == "spin") else 4
    if players * hand >= colours * COLOUR_CARDS:
        raise ValueError(f"hanabi: variant={variant} has too few cards for players={players}")
    return Rules(players, colours, hand, information, lives, SCORINGS[score])


@njit(cache=True)
def copies(rank):
    """How many cards of a rank (from 0) each colour has."""
    return 3 if rank == 0 else 1 if rank == RANKS - 1 else 2


@njit(cache=True)
def may_be(knowledge, card):
    """Whether hints leave it open that a card with this knowledge is ``card``."""
    return (knowledge >> card // RANKS) & (knowledge >> (5 + card % RANKS)) & 1 == 1


@njit(cache=True)
def seat_after(rules, player, offset):
    """The seat ``offset`` (0 .. n-1) places to the left of ``player``."""
    seat = player + offset
    return seat - rules.num_players if seat >= rules.num_players else seat


@njit(cache=True)
def decode(rules, action):
    """(kind, target's offset or 0, card's index or colour or rank) of an action id."""
    h, c = rules.hand_size, rules.colours
    if action < h:
        return DISCARD, 0, action
    if action < 2 * h:
        return PLAY, 0, action - h
    action -= 2 * h
    if action < (rules.num_players - 1) * c:
        return REVEAL_COLOUR, 1 + action // c, action % c
    action -= (rules.num_players - 1) * c
    return REVEAL_RANK, 1 + action // RANKS, action % RANKS


@njit(cache=True)
def reveal_colour(rules, offset, colour):
    """The id of telling player +offset a colour."""
    return 2 * rules.hand_size + rules.colours * (offset - 1) + colour


@njit(cache=True)
def reveal_rank(rules, offset, rank):
    """The id of telling player +offset a rank (from 0)."""
    before = 2 * rules.hand_size + rules.colours * (rules.num_players - 1)
    return before + RANKS * (offset - 1) + rank


@njit(cache=True)
def _nothing_known(rules):
    return MAY_BE_RANK | ((1 << rules.colours) - 1)


@njit(cache=True)
def _shuffle(s, n):
    """Put the first ``n`` cards of the deck in random order."""
    for k in range(n - 1, 0, -1):
        j = random_below(s, k + 1)
        s.deck[k], s.deck[j] = s.deck[j], s.deck[k]


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    n = 0
    for card in range(MAX_COLOURS * RANKS):
        s.discards[card] = 0
        if card < rules.colours * RANKS:
            for _ in range(copies(card % RANKS)):
                s.deck[n] = card
                n += 1
    _shuffle(s, n)
    for k in range(n, MAX_DECK):
        s.deck[k] = NONE
    for seat in range(MAX_PLAYERS):
        s.hand_sizes[seat] = 0
        s.fireworks[seat] = 0
        s.moves[seat] = NONE
        s.move_cards[seat] = NONE
        s.move_outcomes[seat] = 0
        s.move_touched[seat] = 0
        playing = seat < rules.num_players
        if playing:
            s.hand_sizes[seat] = rules.hand_size
        for k in range(MAX_HAND):
            s.hands[seat, k] = NONE
            s.knowledge[seat, k] = 0
            if playing and k < rules.hand_size:
                n -= 1
                s.hands[seat, k] = s.deck[n]
                s.knowledge[seat, k] = _nothing_known(rules)
                s.deck[n] = NONE
    s.deck_size = n
    s.information_tokens = rules.max_information_tokens
    s.life_tokens = rules.max_life_tokens
    s.turns_left = rules.num_players
    s.score = 0
    s.score_before = 0
    s.player = 0
    s.last_player = NONE


@njit(cache=True)
def current_player(rules, s):
    if s.life_tokens == 0 or s.turns_left == 0 or s.score == rules.colours * RANKS:
        return TERMINAL
    return np.int64(s.player)


@njit(cache=True)
def legal_actions(rules, s, out):
    """Discarding needs a token missing; a hint needs a token and a card that it is about."""
    n = 0
    h = rules.hand_size
    held = s.hand_sizes[s.player]
    if s.information_tokens < rules.max_information_tokens:
        for k in range(held):
            out[n] = k
            n += 1
    for k in range(held):
        out[n] = h + k
        n += 1
    if s.information_tokens == 0:
        return n
    seen = 0  # ten bits a player: its colours and ranks
    for offset in range(1, rules.num_players):
        seat = seat_after(rules, s.player, offset)
        has = 0
        for k in range(s.hand_sizes[seat]):
            card = s.hands[seat, k]
            has |= 1 << card // RANKS | 32 << card % RANKS
        seen |= has << 10 * (offset - 1)
    action = 2 * h
    for offset in range(rules.num_players - 1):
        for colour in range(rules.colours):
            out[n] = action
            n += (seen >> (10 * offset + colour)) & 1
            action += 1
    last = n
    for offset in range(rules.num_players - 1):
        for rank in range(RANKS):
            if (seen >> (10 * offset + 5 + rank)) & 1:
                out[last] = action
                last += 1
            action += 1
    return last


@njit(cache=True)
def _replace(rules, s, player, index):
    """Take a card out of a hand and draw the next of the deck, if there is one."""
    last = s.hand_sizes[player] - 1
    for k in range(index, last):
        s.hands[player, k] = s.hands[player, k + 1]
        s.knowledge[player, k] = s.knowledge[player, k + 1]
    if s.deck_size > 0:
        s.deck_size -= 1
        s.hands[player, last] = s.deck[s.deck_size]
        s.knowledge[player, last] = _nothing_known(rules)
        s.deck[s.deck_size] = NONE
    else:
        s.hands[player, last] = NONE
        s.knowledge[player, last] = 0
        s.hand_sizes[player] = last


@njit(cache=True)
def _tell(s, seat, kind, value):
    """Apply a hint to a hand's knowledge; returns the cards it touches, by bit."""
    touched = 0
    bit = 1 << value if kind == REVEAL_COLOUR else 32 << value
    others = (MAY_BE_COLOUR if kind == REVEAL_COLOUR else MAY_BE_RANK) & ~bit
    told = COLOUR_TOLD if kind == REVEAL_COLOUR else RANK_TOLD
    for k in range(s.hand_sizes[seat]):
        card = s.hands[seat, k]
        if (card // RANKS if kind == REVEAL_COLOUR else card % RANKS) == value:
            touched |= 1 << k
            s.knowledge[seat, k] = (s.knowledge[seat, k] & ~others) | told
        else:
            s.knowledge[seat, k] = s.knowledge[seat, k] & ~bit
    return touched


@njit(cache=True)
def step(rules, s, action):
    kind, offset, value = decode(rules, action)
    player = s.player
    s.score_before = s.score
    if s.deck_size == 0:
        s.turns_left -= 1
    card, outcome, touched = NONE, 0, 0
    if kind == DISCARD:
        card = s.hands[player, value]
        s.discards[card] += 1
        if s.information_tokens < rules.max_information_tokens:
            s.information_tokens += 1
            outcome = TOKEN_GAINED
        _replace(rules, s, player, value)
    elif kind == PLAY:
        card = s.hands[player, value]
        if card % RANKS == s.fireworks[card // RANKS]:
            s.fireworks[card // RANKS] += 1
            s.score += 1
            outcome = SCORED
            if card % RANKS == RANKS - 1 and s.information_tokens < rules.max_information_tokens:
                s.information_tokens += 1
                outcome |= TOKEN_GAINED
        else:
            s.life_tokens -= 1
            s.discards[card] += 1
        _replace(rules, s, player, value)
    else:
        s.information_tokens -= 1
        touched = _tell(s, seat_after(rules, player, offset), kind, value)
    s.moves[player] = action
    s.move_cards[player] = card
    s.move_outcomes[player] = outcome
    s.move_touched[player] = touched
    s.last_player = player
    s.player = seat_after(rules, player, 1)


@njit(cache=True)
def returns(rules, s, out):
    """The score so far, the same for all; ``STRICT`` loses it with the last life."""
    score = s.score
    if rules.scoring == SPIN:
        score = s.score_before
    elif rules.scoring == STRICT and s.life_tokens == 0:
        score = 0
    for seat in range(rules.num_players):
        out[seat] = score


@njit(cache=True)
def observe(rules, s, player, out):
    """The Hanabi Learning Environment's canonical encoding; see the package's docstring."""
    out[:] = 0
    players, h, colours = rules.num_players, rules.hand_size, rules.colours
    cards = colours * RANKS
    at = 0
    for offset in range(1, players):
        seat = seat_after(rules, player, offset)
        for k in range(s.hand_sizes[seat]):
            out[at + k * cards + s.hands[seat, k]] = 1
        at += h * cards
    for offset in range(players):
        if s.hand_sizes[seat_after(rules, player, offset)] < h:
            out[at + offset] = 1
    at += players

    for k in range(s.deck_size):
        out[at + k] = 1
    at += colours * COLOUR_CARDS - players * h
    for colour in range(colours):
        if s.fireworks[colour] > 0:
            out[at + s.fireworks[colour] - 1] = 1
        at += RANKS
    for k in range(s.information_tokens):
        out[at + k] = 1
    at += rules.max_information_tokens
    for k in range(s.life_tokens):
        out[at + k] = 1
    at += rules.max_life_tokens

    for card in range(cards):
        for k in range(s.discards[card]):
            out[at + k] = 1
        at += copies(card % RANKS)

    if s.last_player != NONE:
        _observe_last_move(rules, s, player, out, at)
    at += 2 * players + 4 + colours + RANKS + 2 * h + cards + 2

    for offset in range(players):
        seat = seat_after(rules, player, offset)
        for k in range(s.hand_sizes[seat]):
            _observe_knowledge(rules, s.knowledge[seat, k], out, at)
            at += cards + colours + RANKS
        at += (h - s.hand_sizes[seat]) * (cards + colours + RANKS)


@njit(cache=True)
def _observe_last_move(rules, s, player, out, at):
    """Who, what (HLE's order: play, discard, colour, rank), to whom, and what came of it."""
    players, h, colours = rules.num_players, rules.hand_size, rules.colours
    actor = s.last_player
    relative = actor - player if actor >= player else actor - player + players
    kind, offset, value = decode(rules, s.moves[actor])
    out[at + relative] = 1
    at += players
    out[at + (1 - kind if kind < REVEAL_COLOUR else kind)] = 1
    at += 4
    if kind >= REVEAL_COLOUR:
        out[at + seat_after(rules, relative, offset)] = 1
    at += players
    if kind == REVEAL_COLOUR:
        out[at + value] = 1
    at += colours
    if kind == REVEAL_RANK:
        out[at + value] = 1
    at += RANKS
    for k in range(h):
        out[at + k] = (s.move_touched[actor] >> k) & 1
    at += h
    if kind < REVEAL_COLOUR:
        out[at + value] = 1
        out[at + h + s.move_cards[actor]] = 1
    at += h + colours * RANKS
    if kind == PLAY:
        out[at] = s.move_outcomes[actor] & SCORED
        out[at + 1] = s.move_outcomes[actor] >> 1


@njit(cache=True)
def _observe_knowledge(rules, known, out, at):
    """What hints leave open about a card, then the colour and the rank if they were told."""
    colours = rules.colours
    for colour in range(colours):
        if (known >> colour) & 1:
            for rank in range(RANKS):
                out[at + rank] = (known >> (5 + rank)) & 1
            if known & COLOUR_TOLD:
                out[at + (colours - colour) * RANKS + colour] = 1
        at += RANKS
    at += colours
    if known & RANK_TOLD:
        for rank in range(RANKS):
            out[at + rank] = (known >> (5 + rank)) & 1


@njit(cache=True)
def _sort_unseen(rules, s, player):
    """Put the player's own cards and the deck into the deck's cells, by their numbers.

    Returns how many they are. Which cards the player does not see follows from what it sees; where
    they were does not, so that nothing drawn from here may depend on it.
    """
    counts = 0  # two bits a card
    for k in range(s.deck_size):
        counts += 1 << 2 * s.deck[k]
    for k in range(s.hand_sizes[player]):
        counts += 1 << 2 * s.hands[player, k]
    n = 0
    for card in range(rules.colours * RANKS):
        for _ in range(counts >> 2 * card & 3):
            s.deck[n] = card
            n += 1
    return n


@njit(cache=True)
def determinize(rules, s, player):
    """Redraw the player's own hand and the deck, from what it sees and ``rng`` alone.

    Uniform over all arrangements of the cards it does not see that agree with the hints: each
    card of the hand is drawn, independently, from the unseen cards that it may be, and the hand
    is accepted if no card was drawn twice; the others are shuffled. The worst case of acceptance
    is a chain of sets each with one more card than the last, 1/120.
    """
    held = s.hand_sizes[player]
    size = s.deck_size
    # The cells of the deck above its top are free: own cards stand there beside the deck.
    unseen = _sort_unseen(rules, s, player)
    distinct = False
    while not distinct:
        distinct = True
        drawn = 0
        for k in range(held):
            known = s.knowledge[player, k]
            fitting = 0
            for j in range(unseen):
                fitting += may_be(known, s.deck[j])
            left = random_below(s, fitting)
            j = 0
            while left > 0 or not may_be(known, s.deck[j]):
                left -= may_be(known, s.deck[j])
                j += 1
            s.hands[player, k] = j
            if (drawn >> j) & 1:
                distinct = False
                break
            drawn |= 1 << j
    for k in range(held):
        j = s.hands[player, k]
        s.hands[player, k] = s.deck[j]
        s.deck[j] = NONE
    kept = 0
    for j in range(unseen):
        if s.deck[j] != NONE:
            s.deck[kept] = s.deck[j]
            kept += 1
    for j in range(size, unseen):
        s.deck[j] = NONE
    _shuffle(s, size)
