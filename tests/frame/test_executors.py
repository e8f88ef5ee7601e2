"""The same matches in one process, in several and on a cluster; what goes wrong on the way."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scripts
import tiny_games
from openai_server import OpenAIServer, always, first_empty, hang
from scripts import TESTS, wait_for_records, wait_until

from stratagym.agents.chat import OpenAIChat, ScriptedChat, TransportError
from stratagym.agents.core import Decision, Policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import match_play, workers, workers_ray
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.options import ExecutorArgs
from stratagym.benchmarks.harness.records import read_jsonl
from stratagym.benchmarks.harness.workers import play_all
from stratagym.envs import core, spec
from stratagym.envs.texas_holdem.rules import CALL, FOLD
from stratagym.envs.text import TextOptions

HOW = match_play.AnswerProtocol(TextOptions(), 3, "forfeit", 300.0)
PAIRINGS = [
    ("tictactoe", "random", "heuristic"),
    ("tictactoe", "mcts:20", "random"),
    ("tictactoe", "perfect", "mcts:10"),
    ("connect_four", "random", "random"),
    ("connect_four", "alphabeta:3", "mcts:20"),
]


def items(seed: int, games: int = 4, pairings: list = PAIRINGS, protocol=HOW) -> list[Match]:
    return [
        Match("test", f"{game}/{a}/{b}/{k}", game, {}, item_seed(seed, str(k)), (a, b), protocol)
        for game, a, b in pairings
        for k in range(games)
    ]


TALKERS = ("envoy", "random", "envoy?random=0.5", "random", "envoy", "random", "random")


def tiny_items(seed: int) -> list[Match]:
    """Matches by rules that are data, with spoken words, and with roles that are dealt."""
    tiny_games.register()
    games = [
        ("geography", {"graph": "cube"}, ("mcts:9", "random")),
        ("powers", {}, TALKERS),
        ("village", {}, ("mcts:2", "random", "random", "mcts:2", "random")),
    ]
    return [
        Match("test", f"{game}/{k}", game, options, item_seed(seed, game, str(k)), seats, HOW)
        for game, options, seats in games
        for k in range(2)
    ]


def messages(folder: Path) -> dict[str, list[dict]]:
    """What was said, by match."""
    found: dict[str, list[dict]] = {}
    for record in read_jsonl(folder / "messages.jsonl"):
        found.setdefault(record["match"], []).append(record)
    return found


def lines(folder: Path) -> Counter[str]:
    return Counter((folder / "games.jsonl").read_text().splitlines())


def replayed(game: dict) -> tuple[list[float], int]:
    """Returns and seat to move after a recorded game's actions."""
    rules = spec(game["game"]).make_rules(**game["rules"])
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    seat = core.start_at(rules, states, 0, np.uint64(game["seed"]), probs)
    for action in game["actions"]:
        assert action in legal[: core.legal_actions_at(rules, states, 0, legal)]
        seat, _ = core.play_at(rules, states, 0, action, legal, probs)
    out = np.zeros(rules.num_players)
    core.returns_at(rules, states, 0, out)
    return out.tolist(), seat


def make(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_records_do_not_depend_on_workers_or_order(tmp_path, seed):
    wanted = items(seed)
    one, two, back = (make(tmp_path / name) for name in ("one", "two", "back"))
    games = play_all(wanted, one, workers=1)
    assert list(games) == [item.name for item in wanted]
    assert play_all(wanted, two, workers=2) == games
    assert play_all(wanted[::-1], back, workers=1) == games
    assert lines(one) == lines(two) == lines(back)
    assert len(lines(one)) == len(wanted)
    for item in wanted:
        game = games[item.name]
        assert replayed(game) == (game["returns"], core.TERMINAL)
        assert game["seats"] == list(item.seats)
        assert (game["seed"], game["ended_by"]) == (item.seed, "terminal")


def test_rules_of_data_and_spoken_words_are_the_same_in_processes(tmp_path, seed):
    wanted, one, two = tiny_items(seed), make(tmp_path / "one"), make(tmp_path / "two")
    assert play_all(wanted, one, workers=1) == play_all(wanted[::-1], two, workers=2)
    assert messages(one) == messages(two) and set(messages(one)) == {"powers/0", "powers/1"}


def test_what_is_recorded_is_not_played_again(tmp_path, seed):
    wanted = items(seed, 3)
    whole, cut = make(tmp_path / "whole"), make(tmp_path / "cut")
    games = play_all(wanted, whole, workers=1)
    kept = (whole / "games.jsonl").read_text().splitlines(keepends=True)[:7]
    (cut / "games.jsonl").write_text("".join(kept) + '{"schema":1,"benchm')
    told: list[dict] = []
    assert play_all(wanted, cut, workers=1, done=told.append) == games
    assert sorted(game["match"] for game in told) == sorted(games)
    assert lines(cut) == lines(whole)
    before = (cut / "games.jsonl").read_bytes()
    assert play_all(wanted, cut, workers=2) == games
    assert (cut / "games.jsonl").read_bytes() == before


def test_a_worker_that_is_killed_loses_nothing(tmp_path, seed):
    wanted = items(seed, 6, [("connect_four", "mcts:50", "alphabeta:4")])
    killed = []

    def kill_one(record: dict) -> None:
        if not killed:
            (victim, *_) = multiprocessing.active_children()
            os.kill(victim.pid, signal.SIGKILL)
            killed.append(victim.pid)

    disturbed = play_all(wanted, make(tmp_path / "a"), workers=2, done=kill_one)
    assert killed
    assert disturbed == play_all(wanted, make(tmp_path / "b"), workers=1)
    assert lines(tmp_path / "a") == lines(tmp_path / "b")


def die(work: list[Match]) -> list[dict]:
    os._exit(1)


def test_workers_that_always_die_are_one_clear_line(tmp_path, seed, monkeypatch):
    monkeypatch.setattr(workers, "play", die)
    with pytest.raises(InputError, match="worker processes ended 3 times in a row"):
        play_all(items(seed, 2, PAIRINGS[1:2]), tmp_path, workers=2)


RUN = """
import sys
from pathlib import Path
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.workers import play_all
from stratagym.benchmarks.harness.match_play import AnswerProtocol
from stratagym.wrappers.text import TextOptions

if __name__ == "__main__":
    protocol = AnswerProtocol(TextOptions(), 3, "forfeit")
    seats = ("mcts:100", "alphabeta:4")
    game = "connect_four"
    items = [Match("test", str(k), game, {}, k, seats, protocol) for k in range(3000)]
    play_all(items, Path(sys.argv[1]), workers=2)
"""


def test_an_interrupt_is_one_line_and_ends_the_workers(tmp_path):
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "stratagym.benchmarks.tournament", "--policies"]
    # Far more games than are played before the signal, however late that comes.
    command += ["mcts:2000,mcts:3000", "--games", "400", "--output", str(folder), "--workers", "2"]
    # A shell starts what it runs in the background with interrupts ignored.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=heed)
    games = folder / "games.jsonl"
    wait_for_records(run, games, 3)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "interrupted; what was recorded is kept" in said
    assert "Traceback" not in said
    assert 3 <= games.read_bytes().count(b"\n") < 400


SENT = {
    "tournament": "--game tictactoe --policies random,heuristic,mcts:5 --games 4",
    "anchored_levels": "--game tictactoe --policies random --games 8",
    "advgame": "--game battle_card --policies random --opponents random --rounds 2",
}


@pytest.mark.parametrize("script", SENT)
def test_a_command_sends_its_matches_to_processes(script, tmp_path):
    """As a user calls it: worker processes import no ``__main__``, so nothing comes from there."""
    alone, sent = tmp_path / "alone", tmp_path / "sent"
    words = SENT[script].split()
    assert scripts.run(script, *words, "--output", alone, "--workers", 1).returncode == 0
    line = scripts.command(script, *words, "--output", sent, "--workers", 2)
    done = subprocess.run(line, cwd=scripts.ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert lines(sent) == lines(alone)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_workers_end_with_the_run_and_it_resumes(tmp_path):
    mark = uuid.uuid4().hex
    script, cut = tmp_path / "run.py", make(tmp_path / "cut")
    script.write_text(RUN)

    def alive() -> list[str]:
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                marked = f"STRATAGYM_TEST_MARK={mark}".encode() in path.read_bytes()
                state = (path.parent / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if marked and state != "Z":
                found.append(path.parent.name)
        return found

    run = subprocess.Popen(
        [sys.executable, str(script), str(cut)],
        env={**os.environ, "STRATAGYM_TEST_MARK": mark},
    )
    games = cut / "games.jsonl"
    wait_for_records(run, games, 3)
    assert len(alive()) >= 3  # the run and its workers
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    wait_until(lambda: not alive(), 60)  # workers do not outlive their run
    kept = [json.loads(line) for line in games.read_text().rpartition("\n")[0].splitlines()]
    seats = ("mcts:100", "alphabeta:4")
    wanted = [
        Match("test", game["match"], "connect_four", {}, game["seed"], seats, HOW)
        for game in kept[:6]
    ]
    again = play_all(wanted, make(tmp_path / "again"), workers=1)
    assert [again[item.name] for item in wanted] == kept[:6]


def test_two_nodes_of_a_ray_cluster_give_the_same_records(tmp_path, seed, monkeypatch):
    ray = pytest.importorskip("ray", reason='needs Ray: pip install "stratagym[ray]"')
    from ray.cluster_utils import Cluster

    wanted = [*items(seed, 5), *tiny_items(seed)]
    games = play_all(wanted, make(tmp_path / "one"), workers=1)
    monkeypatch.setenv("PYTHONPATH", str(TESTS))  # where a node finds the tiny games
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        spread = play_all(
            wanted, make(tmp_path / "ray"), executor="ray", ray_address=cluster.address
        )
        assert not ray.is_initialized()
    finally:
        cluster.shutdown()
    assert spread == games
    assert lines(tmp_path / "ray") == lines(tmp_path / "one")
    assert messages(tmp_path / "ray") == messages(tmp_path / "one") != {}
    with pytest.raises(InputError, match=r"--ray-address 127\.0\.0\.1:1: "):
        play_all(items(seed, 6), tmp_path / "ray", executor="ray", ray_address="127.0.0.1:1")


def test_without_ray_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModuleNotFoundError, match=r"stratagym\[ray\]"):
        workers_ray.import_ray()


def test_executor_options_are_checked():
    assert ExecutorArgs().executor_options()["executor"] == "process"
    for bad, word in (
        ({"executor": "cloud"}, "process, ray"),
        ({"workers": 0}, "--workers 0"),
        ({"ray_address": "auto"}, "--executor ray"),
    ):
        with pytest.raises(InputError, match=word):
            ExecutorArgs(**bad).executor_options()


# --- language models -------------------------------------------------------------------------


def model(script, **options) -> dict[str, Policy]:
    return {"llm:m": LanguageModel(ScriptedChat(script, **options), name="llm:m")}


def asked(
    seed: int, protocol: match_play.AnswerProtocol, games: int = 2, game: str = "tictactoe"
) -> list[Match]:
    return items(seed, games, [(game, "llm:m", "random")], protocol)


def test_an_overtime_is_a_kind_of_its_own(tmp_path, seed):
    protocol = match_play.AnswerProtocol(TextOptions(), 3, "forfeit", 0.01)
    games = play_all(asked(seed, protocol), tmp_path, policies=model(first_empty, delay_s=5.0))
    for game in games.values():
        assert (game["ended_by"], game["forfeited_by"]) == ("forfeit", 0)
        assert game["returns"] == [-1.0, 1.0]
    records = list(read_jsonl(tmp_path / "decisions.jsonl"))
    # A late answer is not asked for again.
    assert [(r["kind"], r["attempt"], r["action"]) for r in records] == [("overtime", 1, None)] * 2


@pytest.mark.parametrize(
    ("limit_s", "timeout_s", "kind", "ending"),
    [(0.2, 0.2, "overtime", "forfeit"), (60.0, 0.2, "transport", "transport")],
)
def test_a_server_that_hangs(tmp_path, seed, limit_s, timeout_s, kind, ending):
    """Whichever of time limit and time-out is shorter says whose fault it is."""
    pytest.importorskip("openai", reason='needs openai: pip install "stratagym[llm]"')
    protocol = match_play.AnswerProtocol(TextOptions(), 3, "forfeit", limit_s)
    with OpenAIServer(always(hang())) as server:
        chat = OpenAIChat("m", base_url=server.base_url, timeout_s=timeout_s, retries=0)
        policies = {"llm:m": LanguageModel(chat, name="llm:m")}
        games = play_all(asked(seed, protocol, 1), tmp_path, policies=policies, replays=0)
    assert [game["ended_by"] for game in games.values()] == [ending]
    assert [r["kind"] for r in read_jsonl(tmp_path / "decisions.jsonl")] == [kind]


def test_the_time_limit_is_for_all_answers_of_a_move(tmp_path, seed):
    protocol = match_play.AnswerProtocol(TextOptions(), 3, "random", 0.3)
    chat = ScriptedChat(lambda messages: "I pass.", delay_s=0.2)
    (item,) = asked(seed, protocol, 1)
    game = play_all([item], tmp_path, policies={"llm:m": LanguageModel(chat, name="llm:m")})
    records = list(read_jsonl(tmp_path / "decisions.jsonl"))
    kinds = [(r["kind"], r["attempt"]) for r in records]
    assert set(kinds) == {("unparseable", 1), ("overtime", 2)}
    actions = game[item.name]["actions"]
    assert [actions[r["ply"]] for r in records if r["kind"] == "overtime"] == [
        r["action"] for r in records if r["action"] is not None
    ]


def test_an_invalid_answer_may_come_to_the_games_own_move(tmp_path, seed):
    protocol = match_play.AnswerProtocol(TextOptions(), 2, "fold", None)
    protocol.check(spec("texas_holdem"))
    wanted = [
        Match("test", str(k), "texas_holdem", {"hands": 3}, seed + k, seats, protocol)
        for k, seats in enumerate([("llm:m", "random"), ("random", "llm:m")])
    ]
    games = play_all(wanted, tmp_path, policies=model(lambda messages: "hm"))
    for game in games.values():
        assert game["ended_by"] == "terminal"
        assert replayed(game)[0] == game["returns"]
    records = list(read_jsonl(tmp_path / "decisions.jsonl"))
    assert {r["attempt"] for r in records if r["action"] is None} == {1}
    for record in records:
        if record["attempt"] == 2:
            assert record["action"] == (FOLD if FOLD in record["legal"] else CALL)
            assert games[record["item"]]["actions"][record["ply"]] == record["action"]


def test_a_consequence_the_game_has_not_is_one_clear_line():
    protocol = match_play.AnswerProtocol(TextOptions(), 2, "fold")
    with pytest.raises(ValueError, match=r"chess is one of: forfeit, random$"):
        protocol.check(spec("chess"))


def test_transport_failures_are_replayed_and_counted(tmp_path, seed):
    faults = iter([2, 3])
    fault, calls = next(faults), 0

    def script(messages):
        nonlocal fault, calls
        calls += 1
        if calls == fault:
            fault = next(faults, 0)
            return TransportError("server_error")
        return first_empty(messages)

    wanted = asked(seed, HOW, 1)
    games = play_all(wanted, make(tmp_path / "a"), policies=model(script))
    undisturbed = play_all(wanted, make(tmp_path / "b"), policies=model(first_empty))
    assert games == undisturbed
    endings = [game["ended_by"] for game in read_jsonl(tmp_path / "a" / "games.jsonl")]
    assert endings == ["transport", "transport", "terminal"]
    good = [
        (r["ply"], r["attempt"])
        for r in read_jsonl(tmp_path / "a" / "decisions.jsonl")
        if r["kind"] == "ok"
    ]
    assert len(good) == len(set(good))
    # Left for the next call, and gone on with there.
    always = model(lambda messages: TransportError("timeout"))
    left = play_all(wanted, make(tmp_path / "c"), policies=always, replays=1)
    assert [game["ended_by"] for game in left.values()] == ["transport"]
    assert len(list(read_jsonl(tmp_path / "c" / "games.jsonl"))) == 2
    assert play_all(wanted, tmp_path / "c", policies=model(first_empty)) == undisturbed


def test_an_answer_to_another_prompt_is_not_taken(tmp_path, seed):
    (item,) = asked(seed, HOW, 1)
    whole, cut = make(tmp_path / "whole"), make(tmp_path / "cut")
    games = play_all([item], whole, policies=model(first_empty))
    first, *rest = read_jsonl(whole / "decisions.jsonl")
    stale = [first, *({**record, "prompt_sha256": "0", "reply": "hm"} for record in rest)]
    (cut / "decisions.jsonl").write_text("".join(json.dumps(x) + "\n" for x in stale))
    chat = ScriptedChat(first_empty)
    assert play_all([item], cut, policies={"llm:m": LanguageModel(chat, name="llm:m")}) == games
    assert len(chat.asked) == len(rest)


class Waiting(Policy):
    """Does not move before it is told that it may."""

    name = "waiting"

    def __init__(self) -> None:
        self.may = threading.Event()

    def act(self, view: Decision) -> int:
        assert self.may.wait(60), "the event loop stood still"
        return int(view.legal[0])


def test_a_slow_opponent_holds_nobody_else_up(tmp_path, seed):
    waiting = Waiting()

    def script(messages):
        waiting.may.set()
        return first_empty(messages)

    wanted = items(
        seed, 1, [("tictactoe", "waiting", "llm:m"), ("tictactoe", "llm:m", "random")], HOW
    )
    policies = {**model(script), "waiting": waiting}
    games = play_all(wanted, tmp_path, policies=policies, concurrency=2)
    assert all(game["ended_by"] == "terminal" for game in games.values())


@pytest.mark.parametrize("pairing", [PAIRINGS[0], PAIRINGS[1]], ids=["compiled", "processes"])
def test_models_and_processors_play_at_the_same_time(tmp_path, seed, pairing):
    """Each waits for the other: a model's first answer, and the end of a game of no model."""
    began, ended = threading.Event(), threading.Event()

    def script(messages):
        began.set()
        assert ended.wait(60), "the games of built-in policies wait for those of models"
        return first_empty(messages)

    def done(record: dict) -> None:
        if "llm:m" not in record["seats"]:
            assert began.wait(60), "the games of models wait for those of built-in policies"
            ended.set()

    wanted = [*asked(seed, HOW, 3), *items(seed, 5, [pairing])]
    games = play_all(wanted, make(tmp_path / "a"), workers=1, policies=model(script), done=done)
    assert list(games) == [item.name for item in wanted]
    apart = make(tmp_path / "b")
    for part in (wanted[:3], wanted[3:]):
        play_all(part, apart, workers=1, policies=model(first_empty))
    assert lines(tmp_path / "a") == lines(apart)


def test_what_breaks_one_side_ends_the_other(tmp_path, seed):
    def forever(messages):
        return first_empty(messages)

    def broken(messages):
        raise RuntimeError("a mistake in a script")

    wanted = [*asked(seed, HOW, 1), *items(seed, 300, PAIRINGS[1:2])]
    with pytest.raises(RuntimeError, match="a mistake in a script"):
        play_all(wanted, make(tmp_path / "a"), workers=1, policies=model(broken))
    assert (tmp_path / "a" / "games.jsonl").read_bytes().count(b"\n") < 300

    def interrupt(record: dict) -> None:
        if "llm:m" not in record["seats"]:
            raise KeyboardInterrupt

    endless = model(forever, delay_s=3600.0)
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        play_all(wanted, make(tmp_path / "b"), workers=1, policies=endless, done=interrupt)
    wait_until(lambda: threading.active_count() <= before, 60)  # each ends after its action
    assert len(list(read_jsonl(tmp_path / "b" / "decisions.jsonl"))) == 0


def test_a_forfeit_where_all_win_or_lose_together_pays_nobody(tmp_path, seed):
    protocol = match_play.AnswerProtocol(TextOptions(), 1, "forfeit")
    seats = ("llm:m", "random", "llm:m")
    item = Match("test", "m", "hanabi", {"players": 3}, seed, seats, protocol)
    game = play_all([item], tmp_path, policies=model(lambda messages: "no"))["m"]
    assert (game["returns"], game["outcome"], game["ended_by"]) == ([0.0] * 3, [], "forfeit")
