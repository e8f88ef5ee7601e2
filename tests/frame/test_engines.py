"""Engines that fail: each fault loses its game, is recorded, and ends no run."""

from __future__ import annotations

import signal
import sys

import numpy as np
import pytest
from recorded_runs import model, record_game, run_script
from scripts import told

from stratagym.agents import engines
from stratagym.agents.core import PolicyFault, decision_for, make_policy
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.batched import play_batched
from stratagym.benchmarks.harness.match_play import AnswerProtocol, SeatedMatch
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.records import read_games
from stratagym.benchmarks.harness.workers import play_all
from stratagym.benchmarks.replay import __main__ as replay
from stratagym.envs import core, spec
from stratagym.envs.text import TextOptions

ENGINE = """#!{python}
import os, signal, sys, time
fault, moves = sys.argv[0].rpartition("-")[2], 0
if fault == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
for line in sys.stdin:
    line = line.strip()
    if line == "uci":
        if fault == "mute":
            time.sleep(60)
        print("id name " + "A" * 1000)
        print("uciok", flush=True)
        if fault == "deaf":
            time.sleep(60)
    elif line == "isready":
        print("readyok", flush=True)
    elif line.startswith("go nodes"):
        moves += 1
        if fault == "dies":
            os._exit(7)
        elif fault == "silent":
            time.sleep(60)
        elif fault == "long":
            print("info string " + "x" * 10**6, flush=True)
        elif fault == "endless":
            while True:
                print("info string", "x" * 10_000)
        elif fault == "bytes":
            os.write(1, bytes(range(128, 256)) + b"\\nbestmove \\xff\\xfe\\n")
        elif fault == "scores":
            print("info multipv 1 score cp lots pv e2e4")
            print("bestmove e2e4", flush=True)
        else:
            said = dict(illegal="e2e5", none="(none)", null="0000", empty="").get(fault, "a1a1")
            print("bestmove", said, flush=True)
"""
FAULTS = {
    "dies": "ended before it said 'bestmove' with exit status 7",
    "silent": "did not say 'bestmove' within 0.3 s",
    "mute": "did not say 'uciok' within 0.3 s",
    "long": "wrote a line of more than 65536 bytes",
    "endless": "wrote 16777216 bytes without saying 'bestmove'",
    "bytes": "which is no legal move",
    "illegal": "plays 'e2e5', which is no legal move",
    "none": "plays '\\(none\\)', which is no legal move",
    "null": "plays '0000', which is no legal move",
    "empty": "plays '', which is no legal move",
}


@pytest.fixture
def engine(tmp_path):
    """A function from a fault to the policy string of an engine that has it."""

    def make(fault: str) -> str:
        path = tmp_path / f"engine-{fault}"
        path.write_text(ENGINE.replace("{python}", sys.executable))
        path.chmod(0o755)
        return f"uci:{path}?nodes=10&timeout_s={0.3 if fault in ('silent', 'mute') else 20}"

    return make


def start():
    facts = spec("chess")
    rules = facts.make_rules()
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(1), core.new_scratch(rules)[1])
    return decision_for(facts, rules, states, 1)


def patient(greet):
    """A greeting that is waited for longer than answers are."""

    def greeted(policy):
        limit, policy.timeout_s = policy.timeout_s, 20
        greet(policy)
        policy.timeout_s = limit

    return greeted


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_line_and_the_engine_can_be_asked_again(engine, fault, monkeypatch):
    policy = make_policy(spec("chess"), engine(fault))
    assert policy.name == engine(fault)
    if fault == "silent":  # its process may take longer to start
        monkeypatch.setattr(engines.UCIEngine, "_greet", patient(engines.UCIEngine._greet))
    for _ in range(2):
        with pytest.raises(PolicyFault, match=FAULTS[fault]) as caught:
            policy.act(start())
        assert "\n" not in str(caught.value) and policy.name in str(caught.value)
        assert policy._process is None
    policy.close()


def test_a_judge_without_scores(engine):
    policy = make_policy(spec("chess"), engine("scores"))
    with pytest.raises(PolicyFault, match="gives a move no score"):
        policy.scores(start())


def test_what_is_no_program_or_takes_long_to_leave(tmp_path, engine):
    text = tmp_path / "text"
    text.write_text("not a program")
    text.chmod(0o755)
    with pytest.raises(PolicyFault, match="cannot be started"):
        make_policy(spec("chess"), f"uci:{text}").act(start())
    policy = make_policy(spec("chess"), engine("deaf"))
    policy._start()
    process = policy._process
    del policy  # whatever it does, it is ended
    assert process.poll() == -signal.SIGKILL


@pytest.mark.parametrize(
    "bad", ["timeout_s=0", "timeout_s=nan", "timeout_s=x", "nodes=0", "hash=1"]
)
def test_bad_options_are_one_line(engine, bad):
    path = engine("dies").partition("?")[0]
    with pytest.raises(ValueError, match="policy uci: "):
        make_policy(spec("chess"), f"{path}?{bad}")


def test_the_hash_table_is_as_large_as_the_search(engine, monkeypatch):
    sent = []
    monkeypatch.setattr(engines.UCIEngine, "_start", lambda self: None)
    monkeypatch.setattr(engines.UCIEngine, "_send", lambda self, line: sent.append(line))
    monkeypatch.setattr(engines.UCIEngine, "_until", lambda self, word: ["bestmove e2e4"])
    for nodes, megabytes in ((1, 1), (2000, 1), (16_384, 1), (16_385, 2), (10**6, 16), (10**9, 16)):
        sent.clear()
        make_policy(spec("chess"), f"{engine('dies').partition('?')[0]}?nodes={nodes}").act(start())
        assert f"setoption name Hash value {megabytes}" in sent
        assert "ucinewgame" in sent


PROTOCOL = AnswerProtocol(TextOptions(), 1, "forfeit")


def test_a_run_records_faults_and_goes_on(engine, tmp_path):
    """In workers' processes and beside a model, and without playing such a game again."""
    folder = tmp_path / "run"
    folder.mkdir()
    seats = [("random", engine(fault)) for fault in ("dies", "illegal")] + [("random", "random")]
    items = [Match("t", str(k), "chess", {}, k, pair, PROTOCOL) for k, pair in enumerate(seats)]
    games = play_all(items, folder, workers=2)
    for k in range(2):
        game = games[str(k)]
        assert (game["ended_by"], game["forfeited_by"], game["returns"]) == ("forfeit", 1, [1, -1])
        assert len(game["actions"]) == 1
        assert game["fault"].startswith(seats[k][1])
    assert games["2"]["ended_by"] in ("terminal", "truncated") and "fault" not in games["2"]
    before = (folder / "games.jsonl").read_bytes()
    assert play_all(items, folder, workers=1) == games
    assert (folder / "games.jsonl").read_bytes() == before
    assert len(list(read_games(folder))) == 3


def test_beside_a_model_and_in_the_replay(engine, tmp_path):
    folder = tmp_path / "run"
    first = model(lambda messages: "Move: e4")
    game = record_game(folder, "chess", [first, make_policy(spec("chess"), engine("none"))], 1)
    assert (game["ended_by"], game["forfeited_by"]) == ("forfeit", 1)
    shown, _ = run_script(replay, folder, "--all")
    assert "which is no legal move" in shown


def test_batches_go_on_without_the_game(engine):
    facts = spec("chess")
    rules = facts.make_rules()
    in_force = facts.options_in_force()
    bad, other = make_policy(facts, engine("null")), make_policy(facts, "random")
    matches = [
        SeatedMatch.of("t", str(k), facts, rules, in_force, k, seats)
        for k, seats in enumerate([[other, bad], [other, other], [bad, other]])
    ]
    done: list[int] = []
    records = play_batched(matches, lambda: done.append(1))
    assert [r["ended_by"] == "forfeit" for r in records] == [True, False, True]
    assert [len(r["actions"]) for r in records][0::2] == [1, 0]
    assert len(done) == 3


def test_a_judge_that_fails_is_one_line(engine, capsys):
    def main() -> None:
        make_policy(spec("chess"), engine("dies")).scores(start())

    with pytest.raises(SystemExit) as ended:
        cli.run(cli.app("test", main), [])
    assert ended.value.code == 2
    (line,) = told(capsys.readouterr().err)
    assert "exit status 7" in line
