"""Fight the Landlord in words: table, plays, prompt and reply.

The prompt has the fields of BotzoneBench's (appendix C.4) in its order, and the bottom cards
besides; the sentences are this project's.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from stratagym.envs.dou_dizhu.answers import ANSWER as ANSWER
from stratagym.envs.dou_dizhu.answers import PASS, ranks_named
from stratagym.envs.dou_dizhu.cards import NAMES, RANKS, holds, packed, ranks_of, size
from stratagym.envs.dou_dizhu.patterns import (
    BODY,
    KICKER_SIZE,
    KICKERS,
    KIND,
    KINDS,
    ONLY_CARDS,
    PATTERN,
    PLAY_CARDS,
    SHUTTLE,
)
from stratagym.envs.dou_dizhu.plays import (
    DISTINCT,
    KICKER_AT,
    LOOSE,
    PAGAT,
    forbidden_kickers,
    pattern_of_part,
    play_of,
)
from stratagym.envs.dou_dizhu.rules import (
    BOTZONE,
    KEPT,
    SEATS,
    WIN,
    bids_at,
    bottom_left,
    last_play,
    stake,
    unseen,
)
from stratagym.envs.views import POSITION_FIRST, SYSTEM_WITH_TASK, TASK_LAST, USER_WITHOUT_TASK
from stratagym.envs.words import section

PROMPT_VERSION, MERGED_VERSION = "dou_dizhu-4", "dou_dizhu-2"
SYSTEM_PARTS, USER_PARTS = SYSTEM_WITH_TASK, USER_WITHOUT_TASK
POSITION_FORMS = ("list", "table")
HINTS = (
    "Count the plays you still need; play what brings you closer to none left, low cards first.",
    "Keep bombs and the rocket for when an enemy is about to win, or to get the lead and go out.",
    "As a peasant, let your partner's good play stand, and lead what it can follow.",
    "When an enemy has one card left, do not lead a single, or lead your highest.",
)
RENAMED = {
    "fight the landlord": "guard the orchard",
    "Fight the Landlord": "Guard the Orchard",
    "Dou Dizhu": "Guo Yuan",
    "landlord": "keeper",
    "peasant": "picker",
    "peasants": "pickers",
    "card": "leaf",
    "cards": "leaves",
    "BlackJoker": "Dusk",  # the first that is so renamed is what replies are read as
    "blackjoker": "dusk",
    "RedJoker": "Dawn",
    "redjoker": "dawn",
    "joker": "light",
    "jokers": "lights",
    "rank": "shade",
    "ranks": "shades",
    "hand": "basket",
    "hands": "baskets",
    "single": "lone leaf",
    "singles": "lone leaves",
    "pair": "twins",
    "pairs": "twin sets",
    "triple": "trefoil",
    "triples": "trefoils",
    "straight": "stair",
    "straights": "stairs",
    "airplane": "garland",
    "airplanes": "garlands",
    "bomb": "gust",
    "bombs": "gusts",
    "rocket": "gale",
    "space shuttle": "hedge",
    "space shuttles": "hedges",
    "bid": "pledge",
    "bids": "pledges",
    "bidding": "pledging",
    "spring": "thaw",
}
"""The game's words and what they are called under ``TextOptions.renamed``."""

TEXT_OPTIONS = {"plays": "whole"}
"""Options of ``TextGame`` unless it is told otherwise: a reply names a play with all its cards."""
MATCH_OPTIONS = TEXT_OPTIONS
"""Options of contests unless they are told otherwise."""
SIDE_NAMES = ("landlord", "peasants")
"""What the sides are called in reports."""
CONSEQUENCES = {"pass": (PASS,)}
"""What a benchmark may let an invalid answer come to, where it is legal."""

ROLES = ("landlord", "peasant after the landlord", "peasant before the landlord")
"""By how many seats after the landlord one sits."""


# --- cards and table -----------------------------------------------------------------------------


def cards_text(cards: Any) -> str:
    """Cards by their ranks, ascending, such as ``3 3 10 RedJoker``; a dash for none."""
    return " ".join(NAMES[rank] for rank in ranks_of(cards)) or "-"


def role_of(s: Any, seat: int) -> str:
    """A seat's role, or nothing in the bidding."""
    return ROLES[(seat - int(s["landlord"])) % SEATS] if s["landlord"] >= 0 else ""


def allies(s: Any, seat: int, other: int) -> bool:
    """Whether two seats win together."""
    return (seat == s["landlord"]) == (other == s["landlord"])


def plays_told(s: Any) -> list[tuple[int, int, int]]:
    """(number, seat, cards) of the plays that are kept, the oldest first; a pass has no cards."""
    plays, first = int(s["plays"]), int(s["landlord"])
    return [
        (k + 1, (first + k) % SEATS, int(last_play(s, plays - 1 - k)))
        for k in range(max(0, plays - KEPT), plays)
    ]


def board_text(rules: Any, s: Any) -> str:
    """The table for a terminal, as a spectator sees it: with all hands."""
    return _table(rules, s, range(SEATS))


def seat_text(rules: Any, s: Any, player: int) -> str:
    """The table for a terminal, as a player sees it."""
    return _table(rules, s, (player,))


def _table(rules: Any, s: Any, shown: Any) -> str:
    lines = []
    for seat in range(SEATS):
        hand, role = int(s["hands"][seat]), role_of(s, seat)
        turn = ">" if seat == s["player"] and not s["over"] else " "
        number = int(size(np.uint64(hand)))
        cards = cards_text(hand) if seat in shown else "?"
        lines.append(
            f"{turn} Player {seat}{f', {role}' if role else ''}: {cards} ({_cards(number)})"
        )
    if s["landlord"] < 0:
        lines.append(f"Bidding: the highest bid is {int(s['bid'])}.")
        if len(shown) == SEATS:
            lines.append(f"Bottom cards: {cards_text(s['bottom'])}")
    else:
        lines.append(f"Bottom cards: {cards_text(s['bottom'])}   Stake: {int(stake(rules, s))}")
        recent = (f"{seat}: {_deed(cards)}" for _, seat, cards in plays_told(s)[-6:])
        lines.append(f"Last plays: {', '.join(recent) or '-'}")
        lines.append(_to_beat(s))
    if s["building"] and s["player"] in shown:
        lines.append(f"Being named: {_begun(s)}")
    if s["over"]:
        lines.append(result_text(s))
    return "\n".join(lines)


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"


def _deed(cards: int) -> str:
    return cards_text(cards) if cards else PASS


def _to_beat(s: Any) -> str:
    if not s["top"]:
        return "To beat: nothing (free play)"
    return f"To beat: {cards_text(s['top_cards'])} (player {int(s['owner'])})"


def _begun(s: Any) -> str:
    return f"{_pattern_text(int(s['building']))}, so far {cards_text(s['kickers'])}"


def result_text(s: Any) -> str:
    """Who has won a game that is over."""
    if s["landlord"] < 0:
        return "Everybody passed; nobody wins."
    side = "landlord" if s["winner"] == s["landlord"] else "peasants"
    win = "wins" if side == "landlord" else "win"
    return f"Player {int(s['winner'])} has no cards left: the {side} {win}."


def chance_text(rules: Any, before: Any, after: Any, outcome: int | None) -> str:
    """What was dealt, for a spectator; ``before`` is None at first."""
    if before is None:
        hands = (
            f"Player {seat} was dealt {cards_text(after['hands'][seat])}." for seat in range(SEATS)
        )
        return " ".join(hands)
    if before["landlord"] < 0 <= after["landlord"]:
        return f"Player {int(after['landlord'])} takes {cards_text(after['bottom'])} and leads."
    return ""


# --- moves ---------------------------------------------------------------------------------------


def _pattern_text(pattern: int) -> str:
    """A pattern in parts, such as ``3 3 3 4 4 4 with 2 singles``."""
    body = cards_text(BODY[pattern]) if pattern else PASS
    number = int(KICKERS[pattern])
    if not number:
        return body
    what = ("single", "pair")[int(KICKER_SIZE[pattern]) - 1]
    return f"{body} with {f'{number} {what}s' if number > 1 else f'a {what}'}"


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """A play's ranks such as ``3 3 3 4``, ``pass``, ``bid 2``; in parts ``... with 2 pairs``.

    A rank that goes with a pattern is ``+ 5``.
    """
    bid = action - int(bids_at(rules))
    if bid >= 0:
        return f"bid {bid}" if bid else PASS
    if rules.whole:
        return cards_text(PLAY_CARDS[action] & ONLY_CARDS) if action else PASS
    if KICKER_AT <= action < KICKER_AT + RANKS:
        return f"+ {NAMES[action - KICKER_AT]}"
    return _pattern_text(pattern_of_part(action))


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action a move's text names, legal or not. Raises ``ValueError`` if it names none.

    ``not_in_hand``, or ``no_such_play`` for cards that are no combination.
    """
    text = " ".join(text.split())
    if s["landlord"] < 0:
        words = [PASS, "bid 1", "bid 2", "bid 3"]
        if text.lower() not in words:
            raise ValueError("no_such_play")
        return int(bids_at(rules)) + words.index(text.lower())
    if not rules.whole:
        for action in range(int(bids_at(rules))):
            if action_to_string(rules, s, action) == text:
                return action
        raise ValueError("no_such_play")
    if text.lower() == PASS:
        return 0
    ranks = ranks_named(text)
    if not ranks:
        raise ValueError("no_such_play")
    if max(map(ranks.count, ranks)) > 4:
        raise ValueError("not_in_hand")
    cards = packed(ranks)
    if not holds(np.uint64(s["hands"][s["player"]]), np.uint64(cards)):
        raise ValueError("not_in_hand")
    play = play_of(cards)
    if not 0 < play < bids_at(rules):
        raise ValueError("no_such_play")
    return play


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move; nothing for a step of a play in parts but the last, which tells it all."""
    player = int(s["player"])
    if s["landlord"] < 0:
        bid = action - int(bids_at(rules))
        return f"Player {player} bids {bid}." if bid else f"Player {player} passes."
    cards = _completed(rules, s, action)
    if cards is None:
        return ""
    if not cards:
        return f"Player {player} passes."
    left = int(size(np.uint64(s["hands"][player]))) - int(size(np.uint64(cards)))
    return f"Player {player} plays {cards_text(cards)} and has {_cards(left)} left."


def _completed(rules: Any, s: Any, action: int) -> int | None:
    """The cards that an action plays; None for a step of a play in parts but the last."""
    if rules.whole:
        return int(PLAY_CARDS[action] & ONLY_CARDS)
    building, kickers = int(s["building"]), int(s["kickers"])
    if building:
        kickers += int(KICKER_SIZE[building]) << 4 * (action - KICKER_AT)
    else:
        building = int(pattern_of_part(action))
    wanted = int(KICKERS[building]) * int(KICKER_SIZE[building])
    if int(size(np.uint64(kickers))) < wanted:
        return None
    return int(BODY[building]) + kickers


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """Why the seat to move may not play this, as one word.

    ``too_low`` (a bid), ``no_such_play`` (what goes with the body is not allowed), ``not_in_hand``,
    ``cannot_pass``, ``does_not_beat`` (the same kind, and not higher), ``wrong_type``.
    """
    bids = int(bids_at(rules))
    if s["landlord"] < 0 or action >= bids:
        return "too_low" if s["landlord"] < 0 and action > bids else "no_such_play"
    if not rules.whole:
        if s["building"] or KICKER_AT <= action < KICKER_AT + RANKS:
            return "no_such_play"
        pattern, cards = int(pattern_of_part(action)), BODY[pattern_of_part(action)]
    else:
        pattern, cards = int(PATTERN[action]), PLAY_CARDS[action] & ONLY_CARDS
        if PLAY_CARDS[action] & forbidden_kickers(rules.kickers):
            return "no_such_play"
    if pattern == 0:
        return "cannot_pass"
    if not holds(np.uint64(s["hands"][s["player"]]), np.uint64(cards)):
        return "not_in_hand"
    top = int(s["top"])
    same_number = int(size(np.uint64(cards))) == int(size(np.uint64(s["top_cards"])))
    if top and KIND[pattern] == KIND[top] and (same_number or not rules.whole):
        return "does_not_beat"
    return "wrong_type" if top else "no_such_play"


def dealt_sides(rules: Any, s: Any) -> tuple[tuple[int, ...], ...] | None:
    """The landlord and the peasants, in the order of ``SIDE_NAMES``; None until one is found."""
    landlord = int(s["landlord"])
    if landlord < 0:
        return None
    return (landlord,), tuple(seat for seat in range(SEATS) if seat != landlord)


def forfeit_returns(rules: Any, s: Any, seat: int) -> list[float]:
    """Each seat's return when ``seat`` is at fault: its side has lost at the stake so far.

    Under Botzone's score -1 for the side at fault and 2.5 for the others; 0 in the bidding.
    """
    landlord = int(s["landlord"])
    if landlord < 0:
        return [0.0] * SEATS
    if rules.score == BOTZONE:
        return [-1.0 if allies(s, k, seat) else 2.5 for k in range(SEATS)]
    worth = 0.5 if rules.score == WIN else float(stake(rules, s))
    shares = [2 * worth if k == landlord else worth for k in range(SEATS)]
    return [-share if allies(s, k, seat) else share for k, share in enumerate(shares)]


# --- the prompt ----------------------------------------------------------------------------------


def role_text(rules: Any, player: int) -> str:
    """Who the seat is."""
    told = f"You are Player {player} in a game of Fight the Landlord (Dou Dizhu) for three players."
    if rules.bidding:
        return f"{told} Who is the landlord is found by bids."
    if player == 0:
        return f"{told} You are the landlord; both other players are peasants, your enemies."
    partner = 3 - player
    where = "next player (right)" if player == 1 else "previous player (left)"
    enemy = "previous player (left)" if player == 1 else "next player (right)"
    return (
        f"{told} You are a peasant. Player {partner}, the {where}, is the other peasant, your "
        f"ally: you win together. Player 0, the {enemy}, is the landlord, your enemy."
    )


def notation_text(rules: Any) -> str:
    """How cards and plays are written."""
    lines = [
        f"- Ranks, the lowest first: {', '.join(NAMES)}. Suits do not matter and are not written.",
        '- A play is a JSON object with all its cards, each by its rank: {"cards": ["3", "3"]}. '
        'A pass is {"cards": []}.',
    ]
    if rules.bidding:
        lines.append('- A bid is {"cards": ["bid 1"]}, likewise 2 and 3; {"cards": []} passes.')
    if not rules.whole:
        lines.append(
            '- Here a play is named in parts, such as {"cards": ["3 3 3 with a single"]} and then '
            '{"cards": ["+ 5"]}.'
        )
    return section("How to write cards and plays", *lines)


def _kinds(rules: Any) -> list[str]:
    singles = {
        DISTINCT: "The singles are of different ranks; both jokers may be among them.",
        PAGAT: "The singles are of different ranks, and never both jokers.",
        LOOSE: "Pairs may be among the singles, more than one too, and both jokers; never three of "
        "a rank.",
    }[rules.kickers]
    kinds = [
        "Single: one card.",
        "Pair: two cards of a rank.",
        "Triple: three cards of a rank.",
        "Triple with a single: and one card of another rank.",
        "Triple with a pair: and a pair of another rank.",
        "Straight: five or more ranks in sequence, one card of each.",
        "Pair straight: three or more pairs in sequence.",
        "Airplane: two or more triples in sequence.",
        "Airplane with singles: and as many single cards of other ranks as triples.",
        "Airplane with pairs: and as many pairs of other, different ranks as triples.",
        "Four with two singles: four of a rank and two single cards. This is no bomb.",
        "Four with two pairs: four of a rank and two pairs of different ranks. This is no bomb.",
        "Bomb: four of a rank. It beats everything but a higher bomb and the rocket.",
        "Rocket: both jokers. It beats everything.",
    ]
    if rules.shuttle:
        kinds += [
            "Space shuttle: two or more fours in sequence. It is no bomb, and bombs beat it.",
            "Space shuttle with singles: two to four fours in sequence and as many single cards "
            "of different other ranks.",
            "Space shuttle with pairs: two or three fours in sequence and as many pairs of "
            "different other ranks.",
        ]
    assert len(kinds) == len(KINDS[: len(KINDS) if rules.shuttle else SHUTTLE]) - 1
    numbered = [f"{k}. {kind}" for k, kind in enumerate(kinds, 1)]
    return [*numbered, f"Sequences are of the ranks 3 to A only. {singles}"]


def rules_text(rules: Any) -> str:
    """The whole rules: there are many games of this name."""
    start = (
        "Each player is dealt 17 cards. Players 0, 1, 2 bid once each, pass or more than the "
        "highest bid so far, at most 3, which ends the bidding. The highest bidder is the "
        "landlord, takes the three bottom cards, which all see, and leads. If all pass, nobody "
        "wins."
        if rules.bidding
        else "Player 0 is the landlord and has 20 cards, of which three, the bottom cards, are "
        "known to all; the peasants, players 1 and 2, have 17 each. The landlord leads."
    )
    if rules.score == BOTZONE:
        score = (
            "Each player of the winning side scores 2. Besides, plays bring hundredths of a point: "
            "single 1, pair 2, triples 4, straights 6, airplanes and four with two 8, bomb and "
            "space shuttle 10, rocket 16; the peasants share theirs."
        )
    elif rules.score == WIN:
        score = "The winning side scores 1, two peasants a half each; the losers lose as much."
    else:
        spring = " and for a spring (no peasant, or the landlord after its lead, ever played)"
        score = (
            f"The stake is {'the bid' if rules.bidding else '1'}, doubled for each bomb and "
            f"rocket played{spring if rules.spring else ''}. The landlord wins or loses "
            "twice the stake, each peasant once."
        )
    return "\n\n".join(
        [
            section(
                "Rules",
                f"- There are 54 cards: four of each rank from 3 to 2, and two jokers. {start}",
                "- In turn, 0, 1, 2, each player passes or beats the last play with a higher one "
                "of the same kind and as many cards; the main cards are compared, never what goes "
                "with them. A bomb or the rocket beats every other kind.",
                "- After two passes in a row the player of the last play leads anything, and may "
                "not pass.",
                "- The first player without cards wins for its side: the landlord, or both "
                "peasants.",
                f"- {score}",
            ),
            section("Kinds of plays", *_kinds(rules)),
            notation_text(rules),
        ]
    )


def rules_brief(rules: Any) -> str:
    """The game's name and what is unusual."""
    told = "The usual rules of Fight the Landlord: seats 1 and 2 against the landlord in seat 0."
    if rules.bidding:
        told = "The usual rules of Fight the Landlord, with bids of 1 to 3 for the landlord."
    shuttle = " Fours in sequence may be played as a space shuttle." if rules.shuttle else ""
    return section("Rules", told + shuttle)


def _names(s: Any, player: int) -> list[str]:
    """What the seats are called in a prompt for one of them."""
    names = ["You", "Next player (right)", "Previous player (left)"]
    return [names[(seat - player) % SEATS] for seat in range(SEATS)]


def _bids(s: Any, names: list[str]) -> list[str]:
    """The bidding so far; who bid less than the highest is as one who passed."""
    by = f", by the {names[s['bidder']].lower()}" if s["bid"] else ""
    return [
        f"The highest bid: {int(s['bid']) or 'none'}{by}",
        f"Players who have bid or passed: {int(s['spoken'])} of {SEATS}",
    ]


def _so_far(rules: Any, s: Any, names: list[str]) -> list[str]:
    """What each seat has played, and what the game is worth so far."""
    lines = []
    for seat, name in enumerate(names):
        plays = int(s["moves"][seat])
        times = f"{plays} {'play' if plays == 1 else 'plays'}"
        points = f", {int(s['points'][seat])} hundredths" if rules.score == BOTZONE else ""
        lines.append(f"{name}: {cards_text(s['played'][seat])} ({times}{points})")
    if rules.score in (BOTZONE, WIN):
        return lines
    bid = f"the bid of {int(s['bid'])}" if rules.bidding else "1"
    return [
        *lines,
        f"The stake: {int(stake(rules, s))}, {bid} doubled for each bomb and rocket so far "
        f"({int(s['bombs'])})",
    ]


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """What the seat sees as a list of facts, or the table as it is drawn for a player."""
    mine = [f"You are naming: {_begun(s)}"] if s["building"] and player == s["player"] else []
    hidden, names = unseen(s, player), _names(s, player)
    counts = ", ".join(
        f"{NAMES[rank]}: {int(hidden) >> 4 * rank & 15}" for rank in reversed(range(RANKS))
    )
    if form == "table":
        lines = [seat_text(rules, s, player), f"Not seen by you: {cards_text(hidden)}"]
        lines += _so_far(rules, s, names) if s["landlord"] >= 0 else _bids(s, names)
        return section("The table now", *lines)
    hand = f"Your hand: {json.dumps([NAMES[rank] for rank in ranks_of(s['hands'][player])])}"
    if s["landlord"] < 0:
        return section("The bidding now", hand, *_bids(s, names))
    relation = "ally" if s["top"] and allies(s, player, int(s["owner"])) else "enemy"
    beat = (
        f"Last play to beat: {json.dumps([NAMES[rank] for rank in ranks_of(s['top_cards'])])} "
        f"({names[s['owner']].lower()}, {relation})"
        if s["top"]
        else "Last play to beat: none. This is a free play: lead anything; you may not pass."
    )
    told = [
        f"{number}. {names[seat]}: {_deed(cards)}" for number, seat, cards in plays_told(s)
    ] or ["None yet."]
    seats = [(player + 1) % SEATS, (player + 2) % SEATS]
    held = [
        f"{names[seat]}, {'your ally' if allies(s, player, seat) else 'your enemy'}, "
        f"{role_of(s, seat)}: {_cards(int(size(np.uint64(s['hands'][seat]))))}"
        for seat in seats
    ]
    bottom = cards_text(s["bottom"])
    left = cards_text(bottom_left(s))
    may_pass = ["You may pass, also where you could play."] if s["top"] and not mine else []
    return "\n\n".join(
        [
            section(
                "The game now", f"You are the {role_of(s, player)}.", hand, beat, *mine, *may_pass
            ),
            section("Recent plays, the oldest first", *told),
            section("Cards held by the others", *held),
            section("Cards you have not seen (rank: how many)", counts),
            section("Bottom cards", f"{bottom}; surely still with the landlord: {left}"),
            section("Played so far", *_so_far(rules, s, names)),
        ]
    )


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """The legal plays by their cards, each a list: what is quoted from it is no answer."""
    named = (ANSWER.written(action_to_string(rules, s, action)) for action in legal)
    plays = (json.dumps(json.loads(text)["cards"]) for text in named)
    return section(
        "Legal plays, by their cards", *("[] (a pass)" if play == "[]" else play for play in plays)
    )


def _legal_3(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    plays = (ANSWER.written(action_to_string(rules, s, action)) for action in legal)
    return section("Legal plays", *plays)


EARLIER_PROMPTS = {
    "dou_dizhu-3": {**TASK_LAST, "legal_text": _legal_3},
    "dou_dizhu-2": {**TASK_LAST, **POSITION_FIRST, "legal_text": _legal_3},
}


def task_text(rules: Any) -> str:
    """What to choose for."""
    return "Choose the legal play that gives your side the best chance to win."
