"""Hold'em in words: table, moves, prompt and reply."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from stratagym.envs.texas_holdem.evaluator import CATEGORIES, category, evaluate
from stratagym.envs.texas_holdem.rules import (
    ALL_IN,
    BIG_BLIND,
    CALL,
    FOLD,
    FRACTIONS,
    LOG,
    MADE_CALL,
    MADE_CHECK,
    MADE_FOLD,
    MADE_RAISE,
    NO_CARD,
    SMALL_BLIND,
    amount_of,
    board_cards,
    highest,
    legal_actions,
    lowest_raise,
    may_raise,
    raise_to,
    small_blind,
    step,
    to_call,
)
from stratagym.envs.views import POSITION_FIRST, SYSTEM_WITH_TASK, TASK_LAST, USER_WITHOUT_TASK
from stratagym.envs.words import move_and_reason, section


def _one_form(move: str) -> str:
    """``bet`` and ``raise to`` mean raise, and thousands may have commas."""
    move = move.lower()
    if move.startswith("all"):
        return "all-in"
    digits = re.sub("[^0-9]", "", move)
    return f"raise {digits}" if digits else move


PROMPT_VERSION, MERGED_VERSION = "texas_holdem-4", "texas_holdem-1"
SYSTEM_PARTS, USER_PARTS = SYSTEM_WITH_TASK, USER_WITHOUT_TASK
ANSWER = move_and_reason(
    "<move>",
    r"(?ai:fold|check|call|all[- ]?in|(?:raise|bet)(?:\s+to)?\s+(?:[1-9]\d{0,2}(?:,\d{3})+|\d+))",
    tidy=_one_form,
)
POSITION_FORMS = ("list", "table")
HINTS = (
    "Compare what a call costs with the pot that it can win.",
    "Acting last on a street is worth chips: play more hands with the button.",
    "Bet good hands for value and some weak ones as a bluff, so that bets tell little.",
    "Fold what rarely wins at a showdown and cannot make a better hand fold.",
)

RENAMED = {
    "texas hold'em": "lantern market",
    "heads-up": "duel",
    "no-limit": "unbounded",
    "no limit": "no bound",
    "fold": "yield",
    "folds": "yields",
    "check": "wait",
    "checks": "waits",
    "call": "meet",
    "calls": "meets",
    "raise": "lift",
    "raises": "lifts",
    "all-in": "full-out",
    "bet": "offer",
    "bets": "offers",
    "betting": "offers",
    "blind": "due",
    "blinds": "dues",
    "button": "lantern",
    "pot": "basket",
    "flop": "second bell",
    "preflop": "first bell",
    "turn": "third bell",
    "river": "fourth bell",
    "street": "bell",
    "streets": "bells",
    "board": "stall",
    "card": "tile",
    "cards": "tiles",
    "suit": "family",
    "suits": "families",
    "chips": "beads",
    "stack": "purse",
    "stacks": "purses",
    "showdown": "reveal",
    "flush": "family group",
    "straight": "stair",
    "straight flush": "family stair",
    "full house": "three and two",
    "pair": "twins",
    "two pairs": "double twins",
}
"""The game's words and what they are called under ``TextOptions.renamed``."""

TEXT_OPTIONS = {"raises": "chips"}
"""Options of ``TextGame`` unless it is told otherwise: who writes may name any amount."""

CONSEQUENCES = {"fold": ("fold", "check")}
"""What a benchmark may let an invalid answer come to: the first of these moves that is legal."""

STREETS = ("Preflop", "Flop", "Turn", "River")
_RANKS, _SUITS = "23456789TJQKA", "cdhs"


# --- cards and table -----------------------------------------------------------------------------


def card_text(card: int) -> str:
    """Rank and suit, such as ``As`` or ``Td``."""
    return _RANKS[card >> 2] + _SUITS[card & 3]


def cards_text(cards: Any) -> str:
    """Several cards; a dash for none. ``NO_CARD`` is left out."""
    return " ".join(card_text(int(card)) for card in cards if card != NO_CARD) or "-"


def board_text(rules: Any, s: Any) -> str:
    """The table for a terminal, as a spectator sees it: with both players' cards."""
    return _table(rules, s, (0, 1))


def seat_text(rules: Any, s: Any, player: int) -> str:
    """The table for a terminal, as a player sees it: without the other's cards."""
    return _table(rules, s, (player,))


def _table(rules: Any, s: Any, shown: tuple[int, ...]) -> str:
    lines = [
        f"Hand {min(int(s['hand']) + 1, rules.hands)} of {rules.hands}, "
        f"{STREETS[int(s['street'])].lower()}",
        f"Board: {cards_text(public_board(s))}   Pot: {int(s['paid'].sum())}",
    ]
    for player in range(2):
        turn = ">" if player == s["player"] and not s["over"] else " "
        button = " (button)" if player == s["button"] else ""
        own = cards_text(s["hole"][player]) if player in shown else "?? ??"
        lines.append(
            f"{turn} Player {player}: {own}  "
            f"bet {int(s['bet'][player])}  stack {int(s['stack'][player])}  "
            f"won so far {int(s['total'][player]):+d}{button}"
        )
    return "\n".join([*lines, *_course(rules, s, ("Player 0", "Player 1")), *_over(s)])


def chance_text(rules: Any, before: Any, after: Any, outcome: int | None) -> str:
    """What was dealt between two states, for a spectator; ``before`` is None at first."""
    if after["over"]:
        return ""
    if before is None or after["hand"] != before["hand"]:
        hands = (
            f"Player {player} was dealt {cards_text(after['hole'][player])}." for player in range(2)
        )
        return f"Hand {int(after['hand']) + 1}. " + " ".join(hands)
    if after["street"] == before["street"]:
        return ""
    new = public_board(after)[board_cards(before) :]
    return f"{STREETS[int(after['street'])]}: {cards_text(new)}."


def public_board(s: Any) -> list[int]:
    """The cards of the board that are open."""
    return s["board"][: board_cards(s)].tolist()


def _over(s: Any) -> list[str]:
    return ["The match is over."] if s["over"] else []


def _course(rules: Any, s: Any, names: tuple[str, str]) -> list[str]:
    """What has been done in this hand, one line a street."""
    small = small_blind(rules, s)
    told: list[list[str]] = [[f"{names[small]} small blind, {names[1 - small]} big blind"]]
    length = int(s["log_length"])
    for k in range(min(length, LOG)):
        street = int(s["log_street"][k])
        while len(told) <= street:
            told.append([])
        if k == LOG - 1 and length > LOG:
            told[street].append(f"... {length - LOG} more ...")
        name = names[int(s["log_player"][k])]
        told[street].append(_deed(name, int(s["log_kind"][k]), int(s["log_amount"][k])))
    shown = public_board(s)
    while len(told) <= s["street"]:
        told.append([])
    lines = []
    for street, deeds in enumerate(told):
        new = shown[: 3 * street] if street < 2 else shown[street + 1 : street + 2]
        cards = f" [{cards_text(new)}]" if street else ""
        lines.append(f"{STREETS[street]}{cards}: {', '.join(deeds) or '-'}")
    return lines


def _does(name: str, verb: str) -> str:
    return f"{name} {verb}" if name == "You" else f"{name} {verb}s"


def _deed(name: str, kind: int, amount: int) -> str:
    verb = {MADE_FOLD: "fold", MADE_CHECK: "check", MADE_CALL: "call", MADE_RAISE: "raise"}[kind]
    to = f" to {amount}" if kind in (MADE_CALL, MADE_RAISE) else ""
    return _does(name, verb) + to


def hand_name(cards: list[int], rules: Any) -> str:
    """What five to seven cards make, such as ``two pairs``."""
    held = sum(1 << 16 * (card & 3) + (card >> 2) for card in cards)
    return CATEGORIES[category(evaluate(np.uint64(held), 1 - rules.botzone))]


# --- moves ---------------------------------------------------------------------------------------


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """``fold``, ``check``, ``call``, ``raise 450`` (to that bet on this street) or ``all-in``."""
    if action == FOLD:
        return "fold"
    if action == CALL:
        return "call" if to_call(s) > 0 else "check"
    amount = int(amount_of(rules, s, action))
    return "all-in" if amount == highest(s) else f"raise {amount}"


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action a move's text names, legal or not. Raises ``ValueError`` if it names none.

    All-in with a stack that does not go beyond the call is a call.
    """
    if text == "fold":
        return FOLD
    if text in ("check", "call"):
        if (text == "call") != (to_call(s) > 0):
            raise ValueError("cannot_check" if text == "check" else "nothing_to_call")
        return CALL
    most = int(highest(s))
    if text == "all-in":
        if not may_raise(s) and not rules.botzone:
            return CALL
        return most + 1 if rules.chips else ALL_IN
    match = re.fullmatch("raise ([0-9]{1,9})", text)
    if not match:
        raise ValueError("no_such_move")
    amount = int(match.group(1))
    if amount > most:
        raise ValueError("above_stack")
    if rules.chips and amount > 0:
        return amount + 1
    if amount == most:
        return ALL_IN
    for action in _legal(rules, s):
        if action > CALL and amount_of(rules, s, action) == amount:
            return action
    raise ValueError("below_minimum" if amount < lowest_raise(rules, s) else "not_offered")


def _legal(rules: Any, s: Any) -> list[int]:
    out = np.zeros(rules.num_actions, np.int64)
    return out[: legal_actions(rules, s, out)].tolist()


def move_text(rules: Any, s: Any, action: int) -> str:
    """A legal move and what it brought about, as far as both players see it."""
    player = int(s["player"])
    after = s.copy()
    step(rules, after, action)
    amount = int(amount_of(rules, s, action))
    if action == FOLD:
        kind = MADE_FOLD
    elif amount > s["bet"][1 - player]:
        kind = MADE_RAISE
    else:
        kind = MADE_CALL if to_call(s) > 0 else MADE_CHECK
    told = f"Hand {int(s['hand']) + 1}: {_deed(f'Player {player}', kind, amount)}"
    if kind != MADE_FOLD and amount == highest(s) and to_call(s) < s["stack"][player]:
        told += " (all-in)"
    if after["hand"] == s["hand"]:
        if after["street"] > s["street"]:
            told += f"; {STREETS[int(after['street'])].lower()}: {cards_text(public_board(after))}"
        return told + "."
    if after["hand"] > s["hand"] + 1:
        told += "; the hand is over, and the next is all-in on its blinds"
    return f"{told}; {_last_hand(rules, after, ('Player 0', 'Player 1'))}"


def _last_hand(rules: Any, s: Any, names: tuple[str, str]) -> str:
    """How the hand before this one ended."""
    won, board = s["last_won"].tolist(), s["last_board"].tolist()
    told = ""
    if s["last_hole"][0, 0] != NO_CARD:
        shown = [s["last_hole"][player].tolist() for player in range(2)]
        made = [hand_name(cards + board, rules) for cards in shown]
        hands = (f"{_does(names[p], 'show')} {cards_text(shown[p])} ({made[p]})" for p in range(2))
        told = f"board {cards_text(board)}, {', '.join(hands)}; "
    if won[0] == 0:
        return told + "the pot is split."
    return told + f"{_does(names[won[1] > won[0]], 'win')} {abs(won[0])}."


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """Why the seat to move may not play this, as one word.

    ``nothing_to_call`` (a fold for free), ``all_in_or_fold`` (Botzone's judge, facing all-in),
    ``cannot_raise`` (someone is all-in), ``above_stack``, ``below_minimum`` or ``not_offered``
    (the same as another raise of the list).
    """
    if action == FOLD:
        return "nothing_to_call"
    if rules.botzone and s["stack"][1 - int(s["player"])] == 0:
        return "all_in_or_fold"
    if not may_raise(s):
        return "cannot_raise"
    amount = amount_of(rules, s, action)
    if amount >= highest(s):
        return "above_stack"
    return "below_minimum" if amount < lowest_raise(rules, s) else "not_offered"


# --- the prompt ----------------------------------------------------------------------------------


def _choices(rules: Any, s: Any, legal: list[int]) -> list[str]:
    """The moves open to the seat to move, a range of amounts as one line."""
    lines = [f"- {action_to_string(rules, s, a)}" for a in legal if a <= CALL]
    raises = [a for a in legal if a > CALL]
    if rules.chips and len(raises) > 2:
        least, most = raises[0] - 1, raises[-2] - 1
        lines.append(f"- raise N, with N any whole number from {least} to {most}")
        raises = raises[-1:]
    return lines + [f"- {action_to_string(rules, s, a)}" for a in raises]


def _amounts(rules: Any, s: Any) -> str:
    """Which amounts a raise may name."""
    most = int(highest(s))
    if not may_raise(s):
        return "You cannot raise."
    least = int(lowest_raise(rules, s))
    if rules.chips:
        if least >= most:
            return f"The only raise left is all-in, to {most}."
        return f"You may raise to any whole amount from {least} to {most} ({most} is all-in)."
    offered = [int(raise_to(s, fraction)) for fraction in range(len(FRACTIONS))]
    listed = dict.fromkeys(amount for amount in offered if least <= amount < most)
    return f"You may raise to one of: {', '.join(map(str, [*listed, most]))} ({most} is all-in)."


def rules_in_full(rules: Any) -> str:
    """A section of a prompt for who does not know the game by its name."""
    return section(
        "The game of Texas hold'em",
        "- There are 52 cards: ranks 2 to 9, T, J, Q, K, A, the lowest first, in four suits.",
        "- In every hand the players put in their blinds and get two cards each, which only they "
        "see. Bets are made on four streets: preflop; flop, when three cards are laid on the board "
        "for both; turn and river, with one more card each.",
        "- fold: give up the hand and what is in the pot. check: bet nothing, if there is nothing "
        "to call. call: bet as much as the other player. raise: bet more. all-in: bet all. A "
        "street is over when both have acted and bet the same, or one is all-in.",
        "- A showdown ends the last street. Hands from the highest: straight flush (a straight of "
        "one suit), four of a kind, full house (three of one rank, two of another), flush (five of "
        "one suit), straight (five ranks in sequence), three of a kind, two pairs, pair, high "
        "card. Among the same the higher ranks win."
        + ("" if rules.botzone else " A-2-3-4-5 is a straight too, the lowest."),
    )


def role_text(rules: Any, player: int) -> str:
    """Who the seat is."""
    return (
        f"You are Player {player} in a match of heads-up no-limit Texas hold'em. Choose your next "
        "move."
    )


def notation_text(rules: Any) -> str:
    """How cards and moves are written, and when one may fold, check and call."""
    both = "fold, call" if rules.botzone else "fold and call"
    return _notation(f"{both} (only if there is something to call), check (only if there is not)")


def _notation(moves: str) -> str:
    return section(
        "How to write cards and moves",
        "- A card is its rank (2-9, T, J, Q, K, A) and its suit (c, d, h, s).",
        f"- Moves: {moves}, raise N, all-in. N is what your whole bet on this street becomes, in "
        "chips, not what you add.",
    )


def _notation_3(rules: Any) -> str:
    return _notation("fold, check, call")


def rules_text(rules: Any) -> str:
    """What differs between tables, the rest of the game as known; cards and moves."""
    return f"{_rules(rules)}\n\n{notation_text(rules)}"


def _rules_3(rules: Any) -> str:
    return f"{_rules(rules)}\n\n{_notation_3(rules)}"


def _rules(rules: Any) -> str:
    standard = [
        f"The button posts the small blind ({SMALL_BLIND}), acts first before the flop and last "
        f"on every later street; the other player posts the big blind ({BIG_BLIND}).",
        "A raise must make your bet on this street at least the bet you face plus the last "
        f"raise ({BIG_BLIND} when a street begins). All-in is allowed for less.",
    ]
    botzone = [
        f"The player WITHOUT the button posts the small blind ({SMALL_BLIND}) and acts first on "
        f"every street; the button posts the big blind ({BIG_BLIND}).",
        "A raise must make your bet on this street at least twice the largest amount anyone has "
        "added at one time on this street. All-in is always allowed.",
        "Facing an all-in you can only go all-in or fold.",
        "A-2-3-4-5 is not a straight.",
    ]
    stacks = (
        "Stacks go on from hand to hand; a player without chips has lost."
        if rules.carry
        else f"Both stacks are set back to {rules.stack} before every hand; wins and losses add up."
    )
    told = [
        "Two players, no limit. Each has two cards of its own and shares the board.",
        *(botzone if rules.botzone else standard),
        stacks,
        "The best five of seven cards win a showdown; equal hands split the pot.",
    ]
    return section("Rules", *(f"- {line}" for line in told))


_WORDS_3 = {"rules_text": _rules_3, "notation_text": _notation_3}
EARLIER_PROMPTS = {
    "texas_holdem-3": {**TASK_LAST, **_WORDS_3},
    "texas_holdem-2": {**TASK_LAST, **POSITION_FIRST, **_WORDS_3},
    "texas_holdem-1": {**TASK_LAST, **POSITION_FIRST, **_WORDS_3},
}


def rules_brief(rules: Any) -> str:
    """The blinds and the stacks."""
    stacks = "go on from hand to hand" if rules.carry else f"are {rules.stack} in every hand"
    return section(
        "Rules",
        f"The usual rules for two players without limit. Blinds {SMALL_BLIND} and {BIG_BLIND}; "
        f"stacks {stacks}.",
    )


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """The match and the hand as a list, or the table as it is drawn for a player."""
    other = 1 - player
    names = ("You", "Opponent") if player == 0 else ("Opponent", "You")
    own, board = s["hole"][player].tolist(), public_board(s)
    last = [f"Last hand: {_last_hand(rules, s, names)}"] if s["hand"] else []
    if form == "table":
        to_call = f"To call: {_owed(s, player)}"
        return section(
            "The table now", seat_text(rules, s, player), *last, to_call, _amounts(rules, s)
        )
    made = f" ({hand_name(own + board, rules)} with the board)" if board else ""
    match = section(
        "The match",
        f"Hand {int(s['hand']) + 1} of {rules.hands}.",
        f"Won so far: you {int(s['total'][player]):+d}, opponent {int(s['total'][other]):+d}.",
        *last,
    )
    hand = section(
        "The hand now",
        f"Your cards: {cards_text(own)}{made}",
        f"Board: {cards_text(board)}",
        f"Street: {STREETS[int(s['street'])].lower()}",
        f"The button is {'with you' if s['button'] == player else 'with the opponent'}.",
        f"Pot, all bets included: {int(s['paid'].sum())}",
        f"Bets on this street: you {int(s['bet'][player])}, opponent {int(s['bet'][other])}",
        f"Chips behind: you {int(s['stack'][player])}, opponent {int(s['stack'][other])}",
        f"To call: {_owed(s, player)}",
        _amounts(rules, s),
    )
    return f"{match}\n\n{hand}\n\n{section('Betting in this hand', *_course(rules, s, names))}"


def _owed(s: Any, player: int) -> int:
    return max(0, min(int(to_call(s)), int(s["stack"][player])))


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """The legal moves, a range of raises as one line."""
    return section("Legal moves", *_choices(rules, s, legal))


def task_text(rules: Any) -> str:
    """What to choose for."""
    return "Choose the legal move that wins you the most chips over the match."
