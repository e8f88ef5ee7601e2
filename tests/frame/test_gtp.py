"""Engines that speak GTP: a stand-in with every fault, and Debian's Rhino where it is."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from ours import assert_no_policy

from stratagym.agents.core import PolicyFault, decision_for, make_policy
from stratagym.agents.engines import find_engine
from stratagym.envs import core, spec
from stratagym.envs.reversi import gtp
from stratagym.testing import RandomGame, position, random_positions

GAME = spec("reversi")
RULES = GAME.make_rules()

STAND_IN = """
import sys, time
fault = {fault!r}
for line in sys.stdin:
    command = line.split()
    if command[0] == "quit":
        break
    answer = {{"name": "Stand-in", "version": "7"}}.get(command[0], "")
    if command[0] == "genmove":
        if fault == "dies":
            sys.exit(3)
        if fault == "silent":
            time.sleep(60)
        if fault == "refuses":
            print("? cannot move\\n", flush=True)
            continue
        answer = {{"illegal": "A1", "pass": "pass"}}.get(fault, "D3")
    print("=", answer, end="\\n\\n", flush=True)
"""


def stand_in(folder, fault=""):
    path = folder / f"stand-in-{fault}"
    path.write_text(f"#!{sys.executable}\n{STAND_IN.format(fault=fault)}")
    path.chmod(0o755)
    return f"gtp:{path}?level=1&timeout_s={0.5 if fault == 'silent' else 20}"


def start():
    return decision_for(GAME, RULES, position(RULES), 1)


def test_an_engine_is_asked_for_its_move_and_name(tmp_path):
    policy = make_policy(GAME, stand_in(tmp_path))
    assert policy.act(start()) == 19 == policy.act(start())
    assert policy.identity() == "Stand-in 7"
    policy.close()
    assert policy.act(start()) == 19  # another process
    policy.close()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("dies", "ended before it said an empty line with exit status 3"),
        ("silent", "did not say an empty line within 0.5 s"),
        ("refuses", "answers '? cannot move' to 'genmove'"),
        ("illegal", "plays 'a1', which is no legal move"),
        ("pass", "plays 'pass', which is no legal move"),
    ],
)
def test_an_engines_fault_is_a_fault_of_the_policy(tmp_path, fault, words):
    policy = make_policy(GAME, stand_in(tmp_path, fault))
    with pytest.raises(PolicyFault) as raised:
        policy.act(start())
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("game", "text", "words"),
    [
        ("ludo", "gtp:gtp-rhino", "no words of the protocol"),
        ("reversi", "gtp:no-such-engine", "apt-get install no-such-engine"),
        ("reversi", "gtp", "write gtp:ENGINE"),
        ("reversi", "gtp:gtp-rhino?strength=3", "write gtp:ENGINE"),
        ("reversi", "gtp:gtp-rhino?level=0", "a level of 1"),
    ],
)
def test_bad_words_are_one_line(game, text, words):
    assert_no_policy(game, text, words)


def test_rules_that_engines_do_not_know_are_a_fault(tmp_path):
    policy = make_policy(GAME, stand_in(tmp_path))
    for options in ({"size": 6}, {"passing": "voluntary"}):
        rules = GAME.make_rules(**options)
        with pytest.raises(PolicyFault, match="cannot play"):
            policy.act(decision_for(GAME, rules, position(rules), 1))


@pytest.fixture(scope="module")
def rhino():
    try:
        find_engine("gtp-rhino")
    except ValueError as error:
        pytest.skip(str(error))
    policy = make_policy(GAME, "gtp:gtp-rhino?level=1")
    yield policy
    policy.close()


def test_rhino_is_shown_the_position_as_it_is(rhino, rng):
    rhino._start()
    for s in random_positions(RULES, 20, rng):
        for command in gtp.setup(RULES, s):
            rhino._ask(command)
        rhino._send("showboard")
        shown = rhino._until("8")[-8:]
        rhino._until("")
        text = GAME.module("view").board_text(RULES, s).splitlines()[1:9]
        assert [row.strip() for row in shown] == [row[:-2] for row in text]


def test_rhinos_games_are_legal_and_won_against_random_play(rhino, rng):
    """Whole games, also those in which somebody has to pass."""
    legal, probs = core.new_scratch(RULES)
    won = 0
    for game in range(6):
        states = core.new_states(RULES)
        seat = core.start_at(RULES, states, 0, np.uint64(0), probs)
        while seat >= 0:
            decision = decision_for(GAME, RULES, states, 1)
            act = rhino.act(decision) if seat == game % 2 else int(rng.choice(decision.legal))
            seat, _ = core.play_at(RULES, states, 0, act, legal, probs)
        totals = np.zeros(2)
        core.returns_at(RULES, states, 0, totals)
        won += totals[game % 2] > 0
    assert won >= 4
    assert rhino.identity().startswith("GTP GRhino")


def test_rhino_plays_every_legal_position_of_a_random_game(rhino, rng):
    game = RandomGame(RULES, int(rng.integers(2**63)))
    for states, legal in zip(game.states, game.choices, strict=True):
        assert rhino.act(decision_for(GAME, RULES, states, 1)) in legal
