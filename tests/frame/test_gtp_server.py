"""Our players over GTP, asked by a stand-in referee that follows the game itself."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest

from stratagym.agents import gtp_server, piskvork_server
from stratagym.agents.chat import TransportError
from stratagym.agents.core import PolicyFault
from stratagym.agents.gtp_server import Session
from stratagym.envs import core, spec
from stratagym.envs.reversi import gtp
from stratagym.testing import position

GAME = spec("reversi")


def ask(session, *lines):
    return ["".join(session.answers([line])).removesuffix("\n\n") for line in lines]


def referee(say, rules, rng):
    """A game of the engine, White, against random moves; (record at the end, passes)."""
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    seat = core.start_at(rules, states, 0, np.uint64(0), probs)
    passes = 0
    assert say(f"boardsize {rules.size}") == "=" == say("clear_board")
    while seat >= 0:
        n = core.legal_actions_at(rules, states, 0, legal)
        names = {gtp.vertex(rules, int(action)): int(action) for action in legal[:n]}
        if seat == 1:
            told = say("genmove white")
            assert told.startswith("= ")
            action = names[told[2:]]
        else:
            name = str(rng.choice(list(names)))
            action = names[name]
            # Passes need not be told.
            if name != "pass" or rng.random() < 0.5:
                assert say(f"play black {name.upper()}") == "="
        passes += "pass" in names
        seat, _ = core.play_at(rules, states, 0, action, legal, probs)
    return states[0], passes


@pytest.mark.parametrize("size", [8, 6])
def test_a_referee_sees_legal_games_and_the_right_score(size, rng):
    session, rules = Session("reversi", "random", seed=3), GAME.make_rules(size=size)
    passes = 0
    for _ in range(30):
        s, more = referee(lambda line: ask(session, line)[0], rules, rng)
        passes += more
        # Somebody's last passes may not have been told, but nothing is left to play.
        assert ask(session, "final_score") == [f"= {gtp.score(rules, s)}"]
        assert ask(session, "genmove black") == ["= pass"]
    assert passes


def test_answers():
    session = Session("reversi", "rule:table")
    assert ask(
        session, "protocol_version", "7 name", "known_command genmove", "known_command fly",
        "", "# nothing", "boardsize 7", "komi 7.5", "play black d3", "play black d3",
        "play white c3 now", "play green c3", "fly", "final_score", "play white a1", "9 fly",
    ) == [
        "= 2", "=7 stratagym rule:table", "= true", "= false", "", "", "? unacceptable size", "=",
        "=", "? not this colour's turn", "? syntax error", "? syntax error", "? unknown command",
        "? cannot score", "? illegal move", "?9 unknown command",
    ]  # fmt: skip
    board = ask(session, "showboard")[0]
    assert "Last move: X d3" in board and "O to move" in board
    assert ask(session, "undo", "undo", "play b D3") == ["=", "? cannot undo", "="]
    (listed,) = ask(session, "list_commands")
    assert listed[2:].split("\n") == session.commands and "genmove" in session.commands


def test_another_size_begins_a_game_that_nothing_undoes():
    session = Session("reversi", "rule:table")
    assert ask(session, "play black d3", "boardsize 6", "undo") == ["=", "=", "? cannot undo"]
    assert ask(session, "play black c2", "boardsize 7", "undo") == [
        "=", "? unacceptable size", "=",
    ]  # fmt: skip
    assert (session.states["own"][0], session.rules.size) == (position(session.rules)["own"][0], 6)


def test_another_size_leaves_the_other_options():
    session = Session("reversi", "rule:table")
    session.rules = GAME.make_rules(passing="voluntary")
    assert ask(session, "boardsize 6") == ["="]
    assert session.rules == GAME.make_rules(size=6, passing="voluntary")


def discs(session):
    return {int(session.states[side][0]) for side in ("own", "opp")}


def test_a_pass_that_nobody_told_is_not_undone_alone():
    passes = 0
    for seed in range(10):
        session = Session("reversi", "random", seed)
        ask(session, "boardsize 4")
        boards = []
        while session.seat >= 0:
            seat, boards = session.seat, [*boards, discs(session)]
            if [gtp.vertex(session.rules, action) for action in session._choices()] == ["pass"]:
                seat, passes = 1 - seat, passes + 1
            assert ask(session, f"genmove {gtp.COLOURS[seat]}") != ["= pass"]
        for board in reversed(boards):
            assert ask(session, "undo") == ["="] and discs(session) == board
        assert ask(session, "undo") == ["? cannot undo"]
    assert passes


def test_a_fault_of_a_player_is_no_syntax_error(monkeypatch):
    session = Session("reversi", "random")

    def act(decision):
        raise TypeError("a fault within")

    monkeypatch.setattr(session.policy, "act", act)
    with pytest.raises(TypeError, match="a fault within"):
        ask(session, "genmove black")


@pytest.mark.parametrize(
    "fault",
    [PolicyFault("engine: it has\nended"), TransportError("timeout"), ValueError("no move")],
)
def test_a_player_without_a_move_is_answered(fault, monkeypatch):
    session = Session("reversi", "random")

    def act(decision):
        raise fault

    ask(session, "boardsize 4")
    while [gtp.vertex(session.rules, action) for action in session._choices()] != ["pass"]:
        assert session.seat >= 0
        ask(session, f"genmove {gtp.COLOURS[session.seat]}")
    before, seat = discs(session), session.seat
    monkeypatch.setattr(session.policy, "act", act)
    (told,) = ask(session, f"genmove {gtp.COLOURS[1 - seat]}")
    assert told == "? " + " ".join(str(fault).split())
    # Nor has the other colour passed.
    assert (discs(session), session.seat) == (before, seat)


@pytest.mark.parametrize("server", [gtp_server, piskvork_server])
def test_what_is_no_text_is_no_command(server, monkeypatch, capsys):
    """Bytes of no encoding, a line without an end: answers go on."""
    said = b"\xff\xfe\x00\n" + b"9" * 9999 + b" \xc3\nname\nABOUT"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(said), "utf-8"))
    assert server.main(["--policy", "random"]) == 0
    assert "stratagym random" in capsys.readouterr().out


@pytest.mark.parametrize("server", [gtp_server, piskvork_server])
@pytest.mark.parametrize("bad", [("--seed", "-1"), ("--seed", str(2**64)), ("--policy", "sb3:no")])
def test_bad_options_are_one_line(server, bad, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("name\n"))
    assert server.main([*bad]) == 2
    heard = capsys.readouterr()
    assert heard.err.count("\n") == 1 and not heard.out


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
def test_a_referee_that_leaves_is_no_fault():
    command = [sys.executable, "-m", "stratagym.agents.gtp_server"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as server:
        server.stdin.write(b"name\n")
        server.stdin.flush()
        server.stdout.readline()
        server.stdout.close()
        server.stdin.write(b"name\n" * 9)
        server.stdin.close()
        said = [line for line in server.stderr if not line.startswith(b"stratagym: compiling")]
        assert (said, server.wait()) == ([], 0)


def test_it_plays_as_a_program(rng):
    command = [sys.executable, "-m", "stratagym.agents.gtp_server", "--policy", "alphabeta:2"]
    talk = "boardsize 8\nplay black f5\ngenmove white\nquit\nname\n"
    done = subprocess.run(command, input=talk, capture_output=True, text=True, check=True)
    size, play, move, end = done.stdout.split("\n\n")[:4]
    assert [size, play, end] == ["=", "=", "="] and move[2:] in ("d6", "f4", "f6")
    assert "alphabeta" not in done.stdout
    bad = subprocess.run([*command[:-1], "nobody"], capture_output=True, text=True, input="")
    assert bad.returncode == 2 and len(bad.stderr.strip().splitlines()) == 1
    with pytest.raises(ValueError, match="no words of the protocol"):
        Session("ludo", "random")
