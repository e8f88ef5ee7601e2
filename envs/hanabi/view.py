"""Hanabi in words: table, moves, prompt and reply.

The prompt has the fields of SPIN-Bench's (arXiv:2503.12349, appendix C.1) in its order and asks
for its answer format; the sentences are this project's.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from stratagym.envs.hanabi.rules import (
    COLOUR_TOLD,
    DISCARD,
    NONE,
    PLAY,
    RANK_TOLD,
    RANKS,
    REVEAL_COLOUR,
    SCORED,
    copies,
    decode,
    returns,
    reveal_colour,
    reveal_rank,
)
from stratagym.envs.views import POSITION_FIRST, SYSTEM_WITH_TASK, TASK_LAST, USER_WITHOUT_TASK
from stratagym.envs.words import json_field, section

_MOVE = re.compile(
    r"(?:\(\s*)?(?:(?P<own>discard|play)\s+(?P<index>[0-9]{1,2})"
    r"|reveal\s+player\s+\+(?P<offset>[0-9]{1,2})\s+"
    r"(?:colou?r\s+(?P<colour>[a-z])|rank\s+(?P<rank>[0-9]{1,2})))"
    r"(?:\s*\))?",
    re.ASCII | re.IGNORECASE,
)

PROMPT_VERSION, MERGED_VERSION = "hanabi-4", "hanabi-1"
EARLIER_PROMPTS = {"hanabi-3": TASK_LAST, "hanabi-2": {**TASK_LAST, **POSITION_FIRST}}
SYSTEM_PARTS, USER_PARTS = SYSTEM_WITH_TASK, USER_WITHOUT_TASK
ANSWER = json_field(
    "action",
    "<the action's number>",
    rf"[0-9]+|(?ai:{_MOVE.pattern})",
    lead="Choose the legal action that best helps the team's score.",
    what="the action's number",
)
POSITION_FORMS = ("list", "table")
MERGED_PARTS = (
    "game", "role", "rules", "catalogue", "hints", "position", "persona", "history", "heard",
    "task", "legal", "actions", "answer",
)  # fmt: skip
HINTS = (
    "Prefer a hint that lets a card be played now; next best, one that saves a card that is the "
    "last of its kind.",
    "A card that was just pointed out to you is likely meant to be played or to be kept.",
    "Discard the oldest card that no hint was about.",
    "Do not spend the last life on a guess.",
)

RENAMED = {
    "hanabi": "copse",
    "firework": "stem",
    "fireworks": "stems",
    "colour": "tree",
    "colours": "trees",
    "color": "tree",
    "red": "rowan",
    "yellow": "yew",
    "green": "gorse",
    "white": "willow",
    "blue": "birch",
    "card": "petal",
    "cards": "petals",
    "hint": "word",
    "hints": "words",
    "life": "frost",
    "lives": "frosts",
    "information token": "acorn",
    "information tokens": "acorns",
    "tokens": "acorns",
    "deck": "bud",
    "discard": "compost",
    "discards": "compost",
    "discarded": "composted",
    "hand": "basket",
    "hands": "baskets",
}
"""The game's words and what they are called under ``TextOptions.renamed``."""

COLOURS = "RYGWB"
COLOUR_NAMES = ("red", "yellow", "green", "white", "blue")


def card_name(card: int) -> str:
    """Such as R1."""
    return f"{COLOURS[card // RANKS]}{card % RANKS + 1}"


def hand(s: Any, seat: int) -> list[int]:
    """A seat's cards, oldest first."""
    return s["hands"][seat][: s["hand_sizes"][seat]].tolist()


def told(known: int) -> str:
    """What hints said outright, such as ``R3``, ``RX``, ``X3`` or ``XX``."""
    colour = COLOURS[(known & 31).bit_length() - 1] if known & COLOUR_TOLD else "X"
    rank = str((known >> RANKS & 31).bit_length()) if known & RANK_TOLD else "X"
    return colour + rank


def possible(known: int) -> str:
    """The colours and ranks that hints leave open, such as ``RGB12345``."""
    colours = "".join(COLOURS[k] for k in range(RANKS) if known >> k & 1)
    return colours + "".join(str(k + 1) for k in range(RANKS) if known >> (RANKS + k) & 1)


def fireworks_text(rules: Any, s: Any) -> str:
    return " ".join(f"{COLOURS[k]}{int(s['fireworks'][k])}" for k in range(rules.colours))


def discards_text(rules: Any, s: Any) -> str:
    names = [
        card_name(card)
        for card in range(rules.colours * RANKS)
        for _ in range(int(s["discards"][card]))
    ]
    return " ".join(names) or "none"


def final_score(rules: Any, s: Any) -> int:
    """The points that a game comes to which is over, by the scoring in force."""
    out = np.zeros(rules.num_players)
    returns(rules, s, out)
    return int(out[0])


def board_text(rules: Any, s: Any) -> str:
    """The table as a spectator sees it: each card with what its holder was told and may think."""
    return _table(rules, s)


def seat_text(rules: Any, s: Any, player: int) -> str:
    """The table as a player sees it: the same without the player's own cards."""
    return _table(rules, s, player)


def _table(rules: Any, s: Any, blind: int | None = None) -> str:
    """The table, as it is for the seat that does not see its own cards."""
    over = s["life_tokens"] == 0 or s["turns_left"] == 0 or s["score"] == rules.colours * RANKS
    built, counted = int(s["score"]), final_score(rules, s) if over else int(s["score"])
    of = "" if counted == built else f" ({built} built)"
    lines = [
        f"Fireworks: {fireworks_text(rules, s)}   Score: {counted}{of}",
        f"Information tokens: {int(s['information_tokens'])}   "
        f"Lives: {int(s['life_tokens'])}   Deck: {int(s['deck_size'])}",
        f"Discards: {discards_text(rules, s)}",
    ]
    for seat in range(rules.num_players):
        turn = ">" if seat == s["player"] and not over else " "
        known = s["knowledge"][seat].tolist()
        cards = [
            f"{'??' if seat == blind else card_name(card)} {told(known[k])}|{possible(known[k])}"
            for k, card in enumerate(hand(s, seat))
        ]
        lines.append(f"{turn} Player {seat}: " + "  ".join(cards))
    if s["last_player"] != NONE:
        lines.append("Last move: " + _past(rules, s, int(s["last_player"])))
    if over:
        lines.append("The game is over.")
    return "\n".join(lines)


def chance_text(rules: Any, before: Any, after: Any, outcome: int | None) -> str:
    """What was dealt or drawn between two states, for a spectator; ``before`` is None at first."""
    if before is None:
        hands = (
            f"Player {seat} was dealt {' '.join(map(card_name, hand(after, seat)))}."
            for seat in range(rules.num_players)
        )
        return " ".join(hands)
    if after["deck_size"] == before["deck_size"]:
        return ""
    seat = int(before["player"])
    return f"Player {seat} drew a {card_name(hand(after, seat)[-1])}."


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """The Hanabi Learning Environment's words, such as ``(Reveal player +1 color R)``."""
    kind, offset, value = decode(rules, action)
    if kind == DISCARD:
        return f"(Discard {value})"
    if kind == PLAY:
        return f"(Play {value})"
    if kind == REVEAL_COLOUR:
        return f"(Reveal player +{offset} color {COLOURS[value]})"
    return f"(Reveal player +{offset} rank {value + 1})"


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action that an id or a move's words name, legal or not. Raises ``ValueError`` if none."""
    text = text.strip()
    if re.fullmatch("[0-9]{1,9}", text) and int(text) < rules.num_actions:
        return int(text)
    match = _MOVE.fullmatch(text)
    if match is None:
        raise ValueError("no_such_action")
    if match["own"]:
        index = int(match["index"])
        if index >= rules.hand_size:
            raise ValueError("no_such_card")
        return index + rules.hand_size * (match["own"].lower() == "play")
    offset = int(match["offset"])
    if not 1 <= offset < rules.num_players:
        raise ValueError("no_such_player")
    if match["rank"]:
        if not 1 <= int(match["rank"]) <= RANKS:
            raise ValueError("no_such_rank")
        return int(reveal_rank(rules, offset, int(match["rank"]) - 1))
    colour = COLOURS.find(match["colour"].upper())
    if not 0 <= colour < rules.colours:
        raise ValueError("no_such_colour")
    return int(reveal_colour(rules, offset, colour))


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """Why the seat to move may not play this, as one word.

    ``tokens_full`` (no discard then), ``no_such_card`` (a hand short of a card), ``no_tokens`` or
    ``no_card_touched`` (a hint must be about a card).
    """
    kind, _, value = decode(rules, action)
    if kind in (DISCARD, PLAY):
        return "no_such_card" if value >= s["hand_sizes"][s["player"]] else "tokens_full"
    return "no_tokens" if s["information_tokens"] == 0 else "no_card_touched"


def _indices(bits: int) -> str:
    found = [str(k) for k in range(RANKS) if bits >> k & 1]
    return ("card " if len(found) == 1 else "cards ") + ", ".join(found)


def _told_words(rules: Any, seat: int, action: int, touched: int) -> str:
    kind, offset, value = decode(rules, action)
    other = (seat + offset) % rules.num_players
    what = COLOUR_NAMES[value] if kind == REVEAL_COLOUR else f"rank {value + 1}"
    return f"Player {seat} told Player {other}: {what} is {_indices(touched)}."


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move of the seat to move told in one sentence, with what all see of it."""
    kind, offset, value = decode(rules, action)
    seat = int(s["player"])
    if kind in (DISCARD, PLAY):
        card = int(s["hands"][seat, value])
        fits = kind == PLAY and card % RANKS == s["fireworks"][card // RANKS]
        return _own_words(seat, kind, value, card, fits)
    touched = 0
    for k, card in enumerate(hand(s, (seat + offset) % rules.num_players)):
        about = card // RANKS if kind == REVEAL_COLOUR else card % RANKS
        touched |= (about == value) << k
    return _told_words(rules, seat, action, touched)


def _own_words(seat: int, kind: int, index: int, card: int, fits: bool) -> str:
    if kind == DISCARD:
        return f"Player {seat} discarded card {index}, a {card_name(card)}."
    outcome = "it fitted" if fits else "it did not fit and cost a life"
    return f"Player {seat} played card {index}, a {card_name(card)}: {outcome}."


def _past(rules: Any, s: Any, seat: int) -> str:
    """The last move of a seat, in the past."""
    action = int(s["moves"][seat])
    kind, _, value = decode(rules, action)
    if kind in (DISCARD, PLAY):
        scored = bool(s["move_outcomes"][seat] & SCORED)
        return _own_words(seat, kind, value, int(s["move_cards"][seat]), scored)
    return _told_words(rules, seat, action, int(s["move_touched"][seat]))


def last_moves(rules: Any, s: Any) -> list[str]:
    """The last move of every seat that has moved, oldest first."""
    order = [
        (int(s["last_player"]) + k) % rules.num_players for k in range(1, rules.num_players + 1)
    ]
    return [_past(rules, s, seat) for seat in order if s["moves"][seat] != NONE]


def rules_text(rules: Any) -> str:
    """All rules."""
    letters = ", ".join(f"{COLOURS[k]} {COLOUR_NAMES[k]}" for k in range(rules.colours))
    counts = ", ".join(f"{copies(rank)} of rank {rank + 1}" for rank in range(RANKS))
    end = {
        0: "Losing the last life makes the score 0.",
        1: "Points stay even if the last life is lost.",
        2: "Losing the last life ends the game.",
    }[rules.scoring]
    return section(
        "Rules",
        f"- Colours: {letters}. In each colour there are {counts}.",
        "- The team builds one firework in each colour, in the order 1, 2, 3, 4, 5. Every card "
        f"that fits is a point; {rules.colours * RANKS} points are the most there can be.",
        "- You see all hands but your own. Cards are numbered from 0, the oldest; when a card "
        "leaves a hand those after it move down one, and the new card gets the highest number.",
        "- Play: a card that does not fit costs a life and is lost. A 5 that fits returns an "
        "information token.",
        "- Discard: the card is lost and an information token comes back. Not allowed while all "
        f"{rules.max_information_tokens} tokens are there.",
        "- Reveal: costs an information token. Name a colour or a rank that another player's hand "
        "contains; all cards of it are pointed out.",
        f"- The game ends with the last life, with {rules.colours * RANKS} points, or one turn for "
        f"each player after the last card is drawn. {end}",
    )


def rules_brief(rules: Any) -> str:
    """What the team does."""
    return section(
        "Rules",
        "Together you build a firework in each colour, in the order 1, 2, 3, 4, 5. You see all "
        "hands but your own; hints cost information tokens, a discard returns one, and a card "
        "played that does not fit costs a life.",
    )


def notation_text(rules: Any) -> str:
    """How cards are written and numbered."""
    letters = ", ".join(f"{COLOURS[k]} {COLOUR_NAMES[k]}" for k in range(rules.colours))
    return section(
        "How cards are written",
        f"A card is its colour and its rank: {letters}. The cards of a hand are numbered from 0, "
        "the oldest.",
    )


def role_text(rules: Any, player: int) -> str:
    """Who the seat is."""
    return (
        f"You are Player {player} in a game of Hanabi with {rules.num_players} players who win or "
        "lose together. Player +1 is the one who moves after you, and so on."
    )


def actions_text(rules: Any) -> str:
    """All actions by number."""
    h = rules.hand_size
    own = ((0, "Discard"), (h, "Play"))
    lines = [f"- {k} to {k + h - 1}: ({word} 0) to ({word} {h - 1})" for k, word in own]
    for offset in range(1, rules.num_players):
        first = int(reveal_colour(rules, offset, 0))
        lines.append(
            f"- {first} to {first + rules.colours - 1}: (Reveal player +{offset} color C) for C = "
            + ", ".join(COLOURS[: rules.colours])
        )
    for offset in range(1, rules.num_players):
        first = int(reveal_rank(rules, offset, 0))
        lines.append(
            f"- {first} to {first + RANKS - 1}: (Reveal player +{offset} rank R) for R = 1 to 5"
        )
    return section("Actions by number", *lines)


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """The legal actions by number."""
    lines = (f"- {action}: {action_to_string(rules, s, action)}" for action in legal)
    return section("Legal actions by number", *lines)


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """What the seat sees, a line for each card, or in a table with a line for each hand."""
    own = s["knowledge"][player].tolist()
    count = int(s["hand_sizes"][player])
    others = []
    for offset in range(1, rules.num_players):
        seat = (player + offset) % rules.num_players
        known = s["knowledge"][seat].tolist()
        if form == "table":
            cards = (
                f"{card_name(card)} {told(known[k])}|{possible(known[k])}"
                for k, card in enumerate(hand(s, seat))
            )
            others.append(f"Player +{offset} (Player {seat}): {'  '.join(cards)}")
            continue
        others.append(f"Player +{offset} (Player {seat}):")
        others += [
            f"- Card {k}: {card_name(card)}; its holder knows {told(known[k])}, "
            f"may be {possible(known[k])}"
            for k, card in enumerate(hand(s, seat))
        ]
    if form == "table":
        cards = (f"?? {told(own[k])}|{possible(own[k])}" for k in range(count))
        hands = [
            section(
                "The hands now",
                "Card 0 first; for each card what it is, what hints told of it (X is what they did "
                "not), and after the bar the colours and ranks they leave open.",
                f"You: {'  '.join(cards)}",
                *others,
            )
        ]
    else:
        mine = (
            f"- Card {k}: known {told(own[k])}, may be {possible(own[k])}" for k in range(count)
        )
        hands = [
            section(
                "Your hand",
                "X stands for a colour or rank you were not told; 'may be' lists the colours and "
                "ranks that the hints so far leave open.",
                *mine,
            ),
            section("What you see of the others", *others),
        ]
    deck = int(s["deck_size"])
    left = f"Cards left in the deck: {deck}."
    if deck == 0:
        turns = int(s["turns_left"])
        left += f" The last round is on: {turns} {'turn' if turns == 1 else 'turns'} left, "
        left += "yours included."
    now = section(
        "Position now",
        f"Lives: {int(s['life_tokens'])}. Information tokens: {int(s['information_tokens'])}.",
        f"Fireworks (height of each): {fireworks_text(rules, s)}.",
    )
    rest = section("Deck and discards", left, f"Discarded: {discards_text(rules, s)}.")
    last = section(
        "Each player's last move, oldest first", *(last_moves(rules, s) or ["None yet."])
    )
    return "\n\n".join([now, *hands, rest, last])


def task_text(rules: Any) -> str:
    """What to ask oneself."""
    return section(
        "Think about",
        "- Which of your cards certainly fit a firework now?",
        "- Which cards of the others fit now or must not be lost, and what hint would show it?",
        "- Which of your cards is the least needed, if you have to discard?",
    )
