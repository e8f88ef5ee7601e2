"""Mahjong in words and pictures, and what is counted of it."""

from __future__ import annotations

from random import Random

import numpy as np
import plain_mahjong
import pytest
from mahjong_table import GAME, Table, melds_array, tiles, walls_from

from stratagym.envs import core
from stratagym.envs.mcr_mahjong import metrics, view
from stratagym.envs.mcr_mahjong.divisions import is_win
from stratagym.envs.mcr_mahjong.fan_tables import NAMES
from stratagym.envs.mcr_mahjong.fan_words import WORDS
from stratagym.envs.mcr_mahjong.fans import (
    ABOUT_KONG,
    LAST_OF_KIND,
    SELF_DRAWN,
    WALL_LAST,
    count_fans,
)
from stratagym.envs.mcr_mahjong.table import (
    AN_GANG,
    CHI,
    CLAIM,
    GANG,
    HU,
    OVER,
    PASS,
    PENG,
    PLAY,
    ROB,
    SEATS,
)
from stratagym.envs.mcr_mahjong.tiles import KINDS, NUMBERS
from stratagym.envs.text import TextGame, TextOptions
from stratagym.testing import RandomGame, check_replies

# --- words ---------------------------------------------------------------------------------------


def test_replies():
    table = Table(walls_from(
        "W3 W4 T1 T2 T3 T3 T3 T3 B1 B4 F1 F1 J2", "W1 W2 W6 W6 T2 T5 T8 B2 B5 B8 F1 J1 J3",
        "W3 W3 W3 T5 T8 B2 B5 B8 F1 F2 J1 J2 J3", "W9 W9 T4 T6 T9 B3 B6 B9 F2 F3 F4 J1 J2",
        draws=("J3", "", "", ""),
    ))  # fmt: skip
    check_replies(GAME, {
        "Evaluation: x\nReason: y\nAnswer: Play W3": PLAY + 2,
        "Answer: Play W4\nAnswer: play w 3": PLAY + 2,
        "**Answer: AnGang T3.**": AN_GANG + NUMBERS["T3"],
        "Answer: BuGang T3": "illegal: not_offered",
        "Answer: BuGang W9": "illegal: not_in_hand",
        "Answer: AnGang W3": "illegal: not_in_hand",
        "Answer: Play W9": "illegal: not_in_hand",
        "Answer: Play W0": "illegal: no_such_action",
        "Answer: Play": "illegal: no_such_action",
        "Answer: Hu": "illegal: not_a_win",
        "Answer: Pass": "illegal: not_offered",
        "Answer: Peng": "illegal: not_offered",
        "Answer: Chi W2": "illegal: not_offered",
        "Play W3": "unparseable: no_move",
        "Play W3 | because": "unparseable: no_move",
    }, table.states, rules=table.rules)  # fmt: skip
    lenient = {"Play W3": PLAY + 2, "Play W3 | because": PLAY + 2, "I play": "unparseable: no_move"}
    check_replies(GAME, lenient, table.states, rules=table.rules, options=TextOptions(lenient=True))
    table.play("Play W3")
    check_replies(GAME, {
        "Answer: Chi W2": CHI + 2,
        "Answer: Chi W3": "illegal: not_in_hand",
        "Answer: Chi W5": "illegal: not_offered",
        "Answer: Chi F2": "illegal: no_such_action",
        "Answer: Chi": "illegal: no_such_action",
        "Answer: Peng": "illegal: not_in_hand",
        "Answer: Peng W6": "illegal: not_offered",
        "Answer: Play W1": "illegal: not_offered",
        "Answer: PASS": PASS,
    }, table.states, rules=table.rules)  # fmt: skip
    table.play("Pass")
    check_replies(GAME, {
        "Answer: Gang": GANG + 2, "Answer: peng w3": PENG + 2,
        "Answer: Chi W2": "illegal: not_offered", "Answer: AnGang W3": "illegal: not_offered",
    }, table.states, rules=table.rules)  # fmt: skip


def test_a_win_that_is_worth_too_little_is_refused_with_its_fans():
    """Chicken-like hands of some fans below 8."""
    table = Table(walls_from(
        "W2 W3 W4 T5 T6 T7 B6 B7 B8 W6 W7 F1 F1", "T1 T4 T8 B2 B5 B9 W1 W5 W9 F2 F3 F4 J2",
        "T1 T4 T8 B2 B5 B9 W1 W5 W9 F2 F3 F4 J2", "T1 T4 T8 B1 B4 B9 W1 W3 W9 F2 F3 F4 J3",
        draws=("W8", "", "", ""),
    ))  # fmt: skip
    fan = int(table.s["fan"])
    assert 0 < fan < 8 and "Hu" not in table.words()
    assert view.why_illegal(table.rules, table.s, HU) == f"not_enough_fan_{fan}"


def test_examples_of_fans_have_them():
    """Every example of the prompt and the page is a win with the fan it stands for."""
    fans = np.zeros(len(NAMES), np.int8)
    special = {44: SELF_DRAWN | WALL_LAST, 45: WALL_LAST, 46: SELF_DRAWN | ABOUT_KONG,
               47: ABOUT_KONG, 56: SELF_DRAWN, 58: LAST_OF_KIND, 80: SELF_DRAWN}  # fmt: skip
    assert len(WORDS) == 81
    for fan, (_, example) in enumerate(WORDS[:80], 1):
        melds, standing, text = [], [], example.replace("+", "")
        while text.strip():
            text = text.strip()
            if text[0] in "[(":
                end = text.index("])"[text[0] == "("])
                inner, text, concealed = tiles(text[1:end]), text[end + 1 :], text[0] == "("
                kind = "CHI" if inner[0] != inner[1] else "PENG" if len(inner) == 3 else "GANG"
                melds.append((kind, inner[1], 0 if concealed else 1))
            else:
                word, _, text = text.partition(" ")
                standing.append(NUMBERS[word])
        assert "+" in example and len(standing) == 14 - 3 * len(melds), example
        counts = np.bincount(standing, minlength=KINDS).astype(np.int8)
        assert is_win(counts, len(melds)), example
        count_fans(
            counts, melds_array(melds), len(melds), standing[-1], special.get(fan, 0),
            1 if fan == 61 else 2, 0 if fan in (60, 61) else 1, fans,
        )  # fmt: skip
        assert fans[fan], (NAMES[fan], example, [NAMES[k] for k in np.flatnonzero(fans)])
        if fan == 43:
            assert fans.sum() == 1
    assert NAMES[81] in GAME.module("view").rules_text(GAME.make_rules())


def test_the_prompt_says_what_a_seat_may_know(seed):
    game = TextGame("mcr_mahjong", TextOptions(list_legal=True), hands=4)
    game.reset(seed=seed)
    rng, longest = Random(seed), 0
    while not game.over:
        turn = game.observe()
        system, user = (part["content"] for part in turn.messages)
        longest = max(longest, len(user))
        s = game.states[0]
        assert system.count(" Example: ") == 81 and "(concealed kong)" not in system
        assert f"Your hand: {view.counts_text(s['counts'][turn.seat].tolist())}" in user
        assert user.count(" player: ") >= 6
        game.play(rng.choice(turn.legal))
    assert longest < 4000


def test_fouls_cost_what_botzone_takes():
    rules = GAME.make_rules()
    states = core.new_states(rules)
    _, probs = core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(1), probs)
    assert view.forfeit_returns(rules, states[0], 2) == [10, 10, -30, 10]


def test_sides():
    assert GAME.sides_of(GAME.make_rules()) == ((0, 2), (1, 3))
    assert GAME.sides_of(GAME.make_rules(teams="none")) == ((0,), (1,), (2,), (3,))


def test_a_picture_is_drawn_in_every_phase(seed):
    """Robbing aside, which is rare; with one wall and own walls. The mover is lit."""
    render, rng, drawn = GAME.module("render"), Random(seed), set()
    while len({one for one in drawn if one[1] != ROB}) < 8:
        wall = rng.choice(("one", "duplicate"))
        walls, _ = plain_mahjong.near_wins(rng, wall == "one")
        table = Table(walls, wall=wall, minimum=1)
        while True:
            phase = int(table.s["phase"])
            if (wall, phase) not in drawn:
                drawn.add((wall, phase))
                found = render.picture(table.rules, table.s, 560)
                assert found.shape == (450, 560, 3) and found.dtype == np.uint8
                gold = (found == render.GOLD).all(2).sum()
                nobody = phase == OVER and table.s["winner"] < 0
                assert nobody or gold > 100, (phase, gold)
            if table.seat < 0:
                break
            options = [a for a in table.choices() if a != HU or phase == ROB]
            eager = [a for a in options if a >= PENG]
            table.play(rng.choice(eager or options))


# --- metrics -------------------------------------------------------------------------------------


def test_counts_of_games(seed):
    """Counted by the kernel, and again from the games' states."""
    rules = GAME.make_rules(minimum=1)
    seeds = np.arange(seed % 2**40, seed % 2**40 + 10).astype(np.uint64)
    games = [RandomGame(rules, int(one)) for one in seeds]
    plies = np.array([len(game.actions) for game in games])
    actions = np.zeros((len(games), plies.max()), np.int64)
    for k, game in enumerate(games):
        actions[k, : plies[k]] = game.actions
    counts = metrics.game_counts(rules, seeds, actions, plies)
    assert counts.shape == (10, 4, len(metrics.COUNTS))
    named = dict(zip(metrics.COUNTS, np.moveaxis(counts, 2, 0), strict=True))
    for k, game in enumerate(games):
        end = game.end[0]
        for seat in range(SEATS):
            mine = [i for i, player in enumerate(game.players) if player == seat]
            asked = [i for i in mine if game.states[i][0]["phase"] in (CLAIM, ROB)]
            passed = [i for i in asked if game.actions[i] == PASS]
            assert named["decisions"][k, seat] == len(mine)
            assert (named["questions"][k, seat], named["passes"][k, seat]) == (
                len(asked), len(passed),
            )  # fmt: skip
            assert named["wins"][k, seat] == (end["winner"] == seat)
            assert named["hands"][k, seat] == 1
            assert named["drawn"][k, seat] == (end["winner"] == -1)
            won = end["fans"].tolist()[1:] if end["winner"] == seat else [0] * 82
            assert counts[k, seat, len(metrics.BEHAVIOUR) :].tolist() == won
    rates = metrics.rates(counts.sum((0, 1)))
    assert rates["drawn"] == np.mean([game.end[0]["winner"] == -1 for game in games])


def test_counts_of_wins_and_their_fans():
    """A drawn win and one on a discard; and in a run of four hands, each hand's."""
    rows = np.zeros((3, 4, len(metrics.COUNTS)), np.int64)
    first = len(metrics.BEHAVIOUR)
    for game, fans in enumerate(({28: 1, 63: 1}, {28: 1}, {})):
        rows[game, 1, metrics.COUNTS.index("wins")] = bool(fans)
        for fan, n in fans.items():
            rows[game, 1, first + fan - 1] = n
    fans = metrics.fans_of_wins(rows)
    assert fans.shape == (2, 83) and fans[:, 28].tolist() == [1, 1] and fans[0, 63] == 1
    found = metrics.diversity(fans)
    assert (found["wins"], found["fans"], found["rarefied"]) == (2, 2, None)
    assert found["8 and more"] == {"fans": 1, "frequency": 2 / 3, "wins_with": 1.0}
    assert found["4 to 6"] == {"fans": 0, "frequency": 0.0, "wins_with": 0.0}
    many = np.zeros((40, 83), np.int64)
    many[:20, 1] = many[:, 48] = 1
    many[0, 2] = 1
    # One win of 40 is among 20 of them half of the time.
    assert metrics.diversity(many)["rarefied"] == pytest.approx(2.5, abs=1e-6)
