"""Replies that try the readers of all games: long ones, and digits of other scripts."""

from __future__ import annotations

import time

import pytest
from ours import games_of_moves, our_games

from stratagym.envs import spec
from stratagym.envs.text import TextGame, TextOptions, judge

GAMES, OF_MOVES = our_games(), games_of_moves()
OPTIONS = (
    TextOptions(),
    TextOptions(lenient=True, reasoning="steps"),
    TextOptions(lenient=True, answer="evaluation"),
)
FILLS = (
    " ", "\n", "\t ", "\u00a0", "[", "{", "(", "[ ", "( ", '{"a":', '{"a": [', '"', "\\", "0", "7",
    "1,", "1,000", "1.", "-", "`", "*", "|", "> ", "Move:", "Move: ", "answer:\n", "<think>", "e",
    "O-", "play ", "\u0661",
)  # fmt: skip
"""What a reply repeats, at its beginning or behind a begun move."""
BEGUN = {
    "ataxx": ("", "Move: a", "Move: (a,", "Move: a1", "a1c", "Answer: a", '{"action": "'),
    "battle_card": ("", '{"invaders": [', '{"invaders": [{"name": "', '{"keep": '),
    "breakthrough": ("", "Move: a", "Move: a7", "a7", "Answer: a7", '{"action": "'),
    "chess": ("", "e4", "12", "1. ", "O-O", "Answer: e4"),
    "coin_game": ("", "Move: ", "Move: up", "up", "Answer: up", '{"action": "'),
    "connect_four": ("", "Move:", "Move: 1", "Answer: 1"),
    "dou_dizhu": ("", "Answer: ", 'Answer: {"cards": ["', '{"cards": [', "3 3", "Answer: 3 "),
    "elemental_duel": ("", '{"invaders": [', '{"invaders": [{"element": "', '{"keep": '),
    "gomoku": ("", "Move: d", "Move: d,", "d", "Answer: d", '{"action": "', '{"col":"d"'),
    "go": ("", "Move: D", "Move: (d,", "d", "Answer: d", '{"action": "'),
    "hanabi": ("", '{"action": ', '{"action": "', "play", "reveal player", "Answer: (play 0"),
    "ludo": ("", "1", "1 ", "Answer: 1"),
    "mcr_mahjong": ("", "Answer: play ", "Answer: play W", "play W5", "chi", "gang W", "Answer:"),
    "reversi": ("", "Move: d", "Move: (d,", "d", "Answer: d", '{"action": "'),
    "texas_holdem": ("", "raise", "bet to", "raise 1", "raise 1,", "Answer: raise"),
    "tower_defence": ("", '{"demons": [', '{"demons": [{"name": "', '{"keep": '),
    "tictactoe": ("", "Move: 1", "Move: 1,", "Move: 1,1", "Answer: 1,"),
}


def begun(at: TextGame) -> tuple[str, ...]:
    """Begun replies in a game, of one that is not listed those that its first legal move gives."""
    if at.spec.name in BEGUN:
        return BEGUN[at.spec.name]
    move = at.spec.module("view").action_to_string(at.rules, at.states[0], at.observe().legal[0])
    return "", "Move: ", f"Move: {move[:1]}", move[:1], move, f"Answer: {move}", '{"action": "'


def has_other_names(game: str) -> bool:
    """Whether a game can be told under made-up names."""
    return hasattr(spec(game).module("view"), "RENAMED")


SHORT, LONG = 20_000, 100_000
MOST = 2.4 * LONG / SHORT
"""Times as long; in proportion it is 5, with the square 25."""
WORTH_A_LOOK_S = 0.3
"""Where the long reply takes less, no time grows with its square: that would be seconds."""


def table(game: str) -> TextGame:
    found = TextGame(game)
    found.reset(seed=1)
    return found


def reading_s(at: TextGame, begun: str, fill: str, length: int, options: TextOptions) -> float:
    """Processor time in which a reply of this length is judged."""
    text = (begun + fill * length)[: length - 1] + "x"
    before = time.thread_time()
    outcome = judge(at.spec, at.rules, at.states, text, options)
    took = time.thread_time() - before
    assert outcome.reason != "view_error", (begun, fill)
    return took


@pytest.mark.parametrize("game", GAMES)
def test_long_replies_take_time_in_proportion_to_their_length(game):
    at = table(game)
    for options in OPTIONS if game in OF_MOVES else OPTIONS[:1]:
        for begin in begun(at):
            for fill in FILLS:
                case = at, begin, fill
                if reading_s(*case, LONG, options) < WORTH_A_LOOK_S:
                    continue
                long, short = (
                    min(reading_s(*case, length, options) for _ in range(3))
                    for length in (LONG, SHORT)
                )
                assert long < MOST * short, (begin, fill, options, short, long)


@pytest.mark.parametrize("game", [*filter(has_other_names, GAMES)])
def test_renamed_replies_too(game):
    at, options = table(game), TextOptions(renamed=True, lenient=True)
    for fill in (" ", "[", "7", "Move: ", "check "):
        if reading_s(at, "", fill, LONG, options) >= WORTH_A_LOOK_S:
            long, short = (
                min(reading_s(at, "", fill, length, options) for _ in range(3))
                for length in (LONG, SHORT)
            )
            assert long < MOST * short, (fill, short, long)


OTHER_DIGITS = {"arabic": 0x660, "devanagari": 0x966, "fullwidth": 0xFF10, "bold": 0x1D7CE}


@pytest.mark.parametrize("script", OTHER_DIGITS)
@pytest.mark.parametrize("game", OF_MOVES)
def test_only_ascii_digits_are_digits(game, script):
    """Every reply that names a legal move by a number names none with other digits in it."""
    at, zero = table(game), OTHER_DIGITS[script]
    view = spec(game).module("view")
    compared = 0
    for action in at.observe().legal[:40]:
        move = view.action_to_string(at.rules, at.states[0], action)
        forms = (f"{move} | why", f"Move: {move}", f'{{"action": "{move}"}}', move)
        for options in (*OPTIONS, TextOptions(lenient=True)):
            for form in (*forms, f"Answer: {move}", f'{{"action": {action}}}'):
                other = "".join(chr(zero + int(c)) if c in "0123456789" else c for c in form)
                good = judge(at.spec, at.rules, at.states, form, options).kind == "ok"
                if good and other != form:
                    outcome = judge(at.spec, at.rules, at.states, other, options)
                    assert outcome.kind != "ok" and outcome.action is None, (other, outcome)
                    compared += 1
    assert compared


def test_true_is_no_action_of_hanabi():
    at = table("hanabi")
    for said in ("true", "null", "1.0", "[1]", '{"a": 1}'):
        outcome = judge(at.spec, at.rules, at.states, f'{{"action": {said}}}')
        assert outcome.kind == "unparseable", said


@pytest.mark.parametrize(
    ("said", "amount"),
    [
        ("raise 300", 300), ("raise 1,000", 1000), ("bet to 12,000", 12000), ("raise 0300", 300),
        ("raise 3,00", None), ("raise 30,00", None), ("raise 1,0000", None),
        ("raise 0,300", None), ("raise 300,", None), ("raise ,300", None), ("raise 3.00", None),
        ("raise 1,000,", None), ("raise 1000,000", None), ("raise 3 00", None),
    ],
)  # fmt: skip
def test_thousands_have_commas_or_none(said, amount):
    at = table("texas_holdem")
    for options in (TextOptions(), TextOptions(lenient=True)):
        for reply in (f"{said} | value", said):
            outcome = judge(at.spec, at.rules, at.states, reply, options)
            if amount is None:
                assert outcome.kind == "unparseable", outcome
            elif reply != said or options.lenient:
                assert outcome.kind == "ok" and outcome.action == amount + 1, outcome
