"""The Gomocup protocol: engines that are asked, by a stand-in with every fault, and our server."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from gomoku_positions import GAME, RENJU, RULES, cells, in_turn, mnk, play_all

from stratagym.agents.core import PolicyFault, decision_for, make_policy
from stratagym.agents.piskvork_server import Session
from stratagym.envs import core, spec
from stratagym.testing import position, random_positions

STAND_IN = """
import sys, time
fault, heard = {fault!r}, open({log!r}, "a")
board, size = None, (0, 0)
def say(text):
    print(text, end="\\r\\n", flush=True)
for line in sys.stdin:
    print(line.strip(), file=heard, flush=True)
    words = line.split()
    if words[0] == "END":
        break
    if words[0] == "ABOUT":
        say('name="Stand-in", version="7", author="nobody"')
    elif words[0] in ("START", "RECTSTART"):
        say("ERROR this size" if fault == "size" else "OK - ready")
    elif words[0] == "BOARD":
        board = []
    elif words[0] in ("DONE", "BEGIN"):
        if fault == "dies":
            sys.exit(3)
        if fault == "silent":
            time.sleep(60)
        say("MESSAGE thinking")
        say("DEBUG 1,1")
        taken = {{tuple(map(int, told.split(",")[:2])) for told in board or ()}}
        first = next((x, y) for y in range(20) for x in range(20) if (x, y) not in taken)
        say({{"illegal": "99,0", "word": "pass", "unknown": "UNKNOWN"}}.get(fault, "%d,%d" % first))
    elif words[0] != "INFO":
        board.append(line)
"""


def stand_in(folder, fault=""):
    path = folder / f"stand-in-{fault}"
    path.write_text(f"#!{sys.executable}\n{STAND_IN.format(fault=fault, log=str(folder / 'log'))}")
    path.chmod(0o755)
    limit = 0.5 if fault == "silent" else 20
    return make_policy(GAME, f"piskvork:{path}?turn_ms=300&timeout_s={limit}")


def heard(folder):
    told = (folder / "log").read_text().splitlines()
    (folder / "log").write_text("")
    return told


def test_an_engine_is_shown_the_position(tmp_path):
    engine = stand_in(tmp_path)
    assert engine.act(decision_for(GAME, RULES, position(RULES), 1)) == 0
    assert engine.identity() == "Stand-in 7"
    assert heard(tmp_path) == ["ABOUT", "START 15", "INFO timeout_turn 300", "INFO rule 0", "BEGIN"]
    states, _ = play_all(RENJU, cells("h8 a15 c1"))
    assert engine.act(decision_for(GAME, RENJU, states, 1)) == 1
    assert heard(tmp_path) == [
        "START 15", "INFO timeout_turn 300", "INFO rule 4",
        "BOARD", "7,7,2", "0,0,1", "2,14,2", "DONE",
    ]  # fmt: skip
    wide = mnk(9, 7, 5, line="exact")
    states, _ = play_all(wide, [0, 10])
    assert engine.act(decision_for(GAME, wide, states, 1)) == 1
    told = heard(tmp_path)
    assert (told[0], told[2:]) == (
        "RECTSTART 9,7",
        ["INFO rule 1", "BOARD", "0,0,1", "1,1,2", "DONE"],
    )
    engine.close()
    assert heard(tmp_path) == ["END"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("dies", "ended before it said its answer to 'DONE' with exit status 3"),
        ("silent", "within 0.5 s"),
        ("size", "answers 'ERROR this size' to 'START'"),
        ("unknown", "answers 'UNKNOWN' to 'DONE'"),
        ("illegal", "plays '99,0', which is no legal move"),
        ("word", "plays 'pass', which is no legal move"),
    ],
)
def test_an_engines_fault_is_a_fault_of_the_policy(tmp_path, fault, words):
    states, _ = play_all(RULES, cells("h8"))
    with pytest.raises(PolicyFault) as raised:
        stand_in(tmp_path, fault).act(decision_for(GAME, RULES, states, 1))
    assert words in str(raised.value)


def test_rules_that_the_protocol_does_not_know_are_a_fault(tmp_path):
    swap, small = GAME.make_rules(opening="swap2"), mnk(5, 5, 4)
    for rules, words in ((swap, "has no swap2"), (small, "has no lines of 4")):
        with pytest.raises(PolicyFault, match=words):
            stand_in(tmp_path).act(decision_for(GAME, rules, position(rules), 1))
    centre = GAME.make_rules(opening="centre")
    assert stand_in(tmp_path).act(decision_for(GAME, centre, position(centre), 1)) == 112


@pytest.mark.parametrize(
    ("game", "text", "words"),
    [
        ("reversi", "piskvork:rapfi", "play gomoku, not reversi"),
        ("gomoku", "piskvork:no-such-engine", "'no-such-engine' is not installed"),
        ("gomoku", "piskvork", "write piskvork:ENGINE"),
        ("gomoku", "piskvork:x?level=3", "write piskvork:ENGINE"),
        ("gomoku", "piskvork:x?turn_ms=0", "milliseconds of turn_ms"),
    ],
)
def test_bad_words_are_one_line(game, text, words):
    with pytest.raises(ValueError, match=words) as raised:
        make_policy(spec(game), text)
    assert "\n" not in str(raised.value)


# --- our server ----------------------------------------------------------------------------------


def ask(session, *lines):
    """The answers, none for lines that have none."""
    return ["".join(session.answers([line + "\r\n"])).strip() for line in lines]


@pytest.mark.parametrize(("line", "bits"), [("at_least", 0), ("exact", 1), ("renju", 4)])
@pytest.mark.parametrize("by_board", [False, True])
def test_a_manager_sees_legal_games(line, bits, by_board, rng):
    """The server against random moves, told one by one or as whole boards."""
    rules, session = GAME.make_rules(line=line), Session("heuristic", seed=3)
    legal, probs = core.new_scratch(rules)
    for game in range(4):
        assert ask(session, f"INFO rule {bits}", "START 15") == ["", "OK"]
        states = core.new_states(rules)
        seat = core.start_at(rules, states, 0, np.uint64(0), probs)
        moves = []
        while seat >= 0:
            choices = legal[: core.legal_actions_at(rules, states, 0, legal)].tolist()
            action = int(rng.choice(choices))
            if seat == game % 2:
                if by_board or not moves:
                    own = len(moves) % 2
                    whose = [
                        f"{move % 15},{move // 15},{1 if k % 2 == own else 2}"
                        for k, move in enumerate(moves)
                    ]
                    told = ["BOARD", *whose, "DONE"] if moves else ["BEGIN"]
                else:
                    told = [f"TURN {moves[-1] % 15},{moves[-1] // 15}"]
                *quiet, answer = ask(session, *told)
                assert not any(quiet)
                x, y = map(int, answer.split(","))
                action = 15 * y + x
                assert action in choices
            moves.append(action)
            seat, _ = core.play_at(rules, states, 0, action, legal, probs)
        assert states["winner"][0] == game % 2


def test_answers():
    session = Session("rule:one_look")
    assert ask(session, "ABOUT")[0].startswith('name="stratagym rule:one_look", version="')
    assert ask(
        session, "TURN 1,1", "BEGIN", "START", "START 99", "START 20", "RECTSTART 9,7", "FLY", "",
        "TURN 9,0", "TURN x", "info timeout_turn 100",
    ) == [
        "ERROR no game has been started", "ERROR no game has been started",
        "ERROR a size is needed",
        "ERROR gomoku: option columns=99: a whole number from 3 to 19 is needed",
        "ERROR gomoku: option columns=20: a whole number from 3 to 19 is needed",
        "OK", "UNKNOWN command", "", "ERROR this is off the board", "ERROR a cell is needed", "",
    ]  # fmt: skip
    assert ask(session, "PLAY 3,3", "PLAY 3,3", "TAKEBACK 1,1", "TAKEBACK 3,3") == [
        "3,3", "ERROR this cell is not allowed", "ERROR this is not the last stone", "OK",
    ]  # fmt: skip
    board = ["BOARD", "1,1,1", "2,1,1", "3,1,1", "4,1,1", "1,3,2", "2,3,2", "3,3,2", "4,3,2"]
    assert ask(session, *board, "0,0,3", "DONE")[-1] in ("0,1", "5,1")
    assert ask(session, *board, "5,3,2", "6,5,2", "DONE")[-1].startswith("ERROR no position")
    assert ask(session, "BOARD", "1,1,4", "DONE")[-1] == "ERROR 1 or 2 is needed behind a cell"
    assert ask(session, "RESTART", "INFO rule 8", "BEGIN") == [
        "OK", "", "ERROR the rules 8 are not known",
    ]  # fmt: skip
    assert ask(session, "INFO rule 3", "START 15", "BEGIN")[1] == "OK"
    # Black may not make two threes in renju.
    moves = in_turn("h7 h6 i8 j8", "a1 c1 e1 g1")
    ask(session, "INFO rule 4", "START 15", *(f"PLAY {move % 15},{move // 15}" for move in moves))
    assert ask(session, "PLAY 7,7") == ["ERROR this cell is not allowed"]


def test_engines_of_ours_play_each_other(tmp_path, rng):
    """The client asks the server, in a process of its own."""
    path = tmp_path / "ours"
    path.write_text(
        f"#!/bin/sh\nexec {sys.executable} -m stratagym.agents.piskvork_server "
        "--policy alphabeta:1\n"
    )
    path.chmod(0o755)
    engine = make_policy(GAME, f"piskvork:{path}")
    own = make_policy(GAME, "alphabeta:1")
    for s in random_positions(RULES, 10, rng, range(1, 12)):
        states = np.array([s])
        asked = engine.act(decision_for(GAME, RULES, states, 1))
        assert (
            asked == own.act(decision_for(GAME, RULES, states, 1))
            or asked in decision_for(GAME, RULES, states, 1).legal
        )
    assert engine.identity().startswith("stratagym alphabeta:1 ")
    engine.close()


def test_bad_options_are_one_line():
    command = [sys.executable, "-m", "stratagym.agents.piskvork_server", "--policy", "nobody"]
    bad = subprocess.run(command, capture_output=True, text=True, input="")
    assert bad.returncode == 2 and len(bad.stderr.strip().splitlines()) == 1
