"""The tiny games played to the end by scripted models: plans, talk, decisions at the same time."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny_games
from openai_server import OpenAIServer
from scripts import TESTS, kill_at, lines
from tiny_games import players

from stratagym.agents.chat import Reply, ScriptedChat
from stratagym.agents.core import Policy, make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.match_play import (
    AnswerProtocol,
    SeatedMatch,
    play_match,
)
from stratagym.envs import core, spec
from stratagym.envs.text import TextGame, TextOptions
from stratagym.envs.turns import OpenTurn
from stratagym.testing import contract
from stratagym.testing.contract import contract_checks

tiny_games.register()
UNTIMED = ("latency_s",)


def untimed(path: Path) -> list[dict]:
    """A run's decisions without what differs from run to run, in the order of the file."""
    return [
        {name: value for name, value in record.items() if name not in UNTIMED}
        for record in lines(path / "decisions.jsonl")
    ]


def by_match(path: Path) -> dict[str, dict]:
    return {record["match"]: record for record in lines(path / "games.jsonl")}


def same(one: Path, other: Path) -> None:
    assert untimed(one) == untimed(other)
    assert lines(one / "games.jsonl") == lines(other / "games.jsonl")
    assert lines(one / "messages.jsonl") == lines(other / "messages.jsonl")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing has disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    players.play(folder, players.scripted())
    return folder


def test_a_scripted_model_plays_them_to_the_end(whole):
    records = by_match(whole)
    assert len(records) == 6
    assert {record["ended_by"] for record in records.values()} == {"terminal"}
    decisions = untimed(whole)
    assert {record["kind"] for record in decisions} == {"ok", "unparseable", "illegal"}
    for name, game in records.items():
        text = TextGame(game["game"])
        text.reset(game["seed"])
        for action in game["actions"]:
            text.play(action)
        assert text.over and text.returns() == game["returns"], name


def test_records_hold_plans_and_messages(whole):
    decisions, messages = untimed(whole), lines(whole / "messages.jsonl")
    for record in decisions:
        assert ("said" in record) == (record["game"] == "roles")
        if record["game"] == "catch":  # each move waits for its decision
            assert record["actions"] is None or record["kind"] != "ok"
        elif record["kind"] == "ok":
            assert record["actions"][0] == record["action"]
    bids = [r for r in decisions if r["game"] == "bids" and r["kind"] == "ok"]
    assert bids and all(len(record["actions"]) == 3 for record in bids)
    said = [
        (record["item"], record["seat"], message["to"], message["text"])
        for record in decisions
        if record["game"] == "roles" and record["kind"] == "ok"
        for message in record["said"]
    ]
    assert said
    assert said == [(m["match"], m["seat"], m["to"], m["text"]) for m in messages]


@pytest.mark.parametrize("records", [1, 5, 17, 40])
def test_a_killed_run_goes_on(whole, tmp_path, records):
    folder = tmp_path / "cut"
    line = [sys.executable, "-m", "tiny_games.players", str(folder), "scripted", "0.02"]
    kill_at(line, folder / "decisions.jsonl", records, TESTS, {"PYTHONPATH": str(TESTS)})
    assert len(by_match(folder)) < 6
    players.play(folder, players.scripted())
    same(folder, whole)


def test_a_server_plays_them_and_a_killed_run_goes_on(whole, tmp_path):
    folder = tmp_path / "served"
    with OpenAIServer(players.serve) as server:
        line = [sys.executable, "-m", "tiny_games.players", str(folder), server.base_url]
        path, own = folder / "decisions.jsonl", {"PYTHONPATH": str(TESTS)}
        kill_at(line, path, 7, TESTS, own)
        asked = len(server.requests)
        subprocess.run(line, cwd=TESTS, env={**os.environ, **own}, check=True)
        # What was recorded is not asked again; at most the turn under way is.
        assert len(server.requests) <= len(lines(path)) + 3 and asked >= 7
    assert by_match(folder) == by_match(whole)
    assert lines(folder / "messages.jsonl") == lines(whole / "messages.jsonl")


# --- at the same time ----------------------------------------------------------------------------


def bids(model: Policy, count: int = 3, **options) -> SeatedMatch:
    game = spec("bids")
    rules = game.make_rules(players=count, **options)
    given = {"players": count, **options}
    return SeatedMatch.of("tiny", "one", game, rules, given, 5, [model] * count)


class Noted(ScriptedChat):
    """Notes when requests come and when they are answered."""

    def __init__(self, delays):
        super().__init__(players.reply)
        self.delays, self.began, self.ended = delays, [], []

    async def generate(self, messages, limit_s=None):
        seat = int(messages[0]["content"].split("Player ")[1][0])
        self.began.append(time.perf_counter())
        await asyncio.sleep(self.delays[seat])
        reply = await super().generate(messages, limit_s)
        self.ended.append(time.perf_counter())
        return reply


class Kept:
    """A writer in memory."""

    def __init__(self):
        self.records: list[dict] = []

    def write(self, record):
        self.records.append({k: v for k, v in record.items() if k != "latency_s"})


def test_the_seats_of_a_turn_are_asked_at_the_same_time():
    chat = Noted([0.3, 0.2, 0.25])
    match = bids(LanguageModel(chat), rounds=1)
    asyncio.run(play_match(match, replace(players.PROTOCOL, tries=1)))
    assert len(chat.began) == 3
    assert max(chat.began) < min(chat.ended)


def test_records_do_not_depend_on_which_reply_comes_first():
    found = []
    for delays in ([0, 0.02, 0.04], [0.04, 0.02, 0], [0.02, 0, 0.04]):
        kept = Kept()
        match = bids(LanguageModel(Noted(delays)), rounds=5)
        game = asyncio.run(play_match(match, players.PROTOCOL, kept))
        found.append((game, kept.records))
    assert found[0] == found[1] == found[2]
    order = [(record["ply"], record["seat"], record["attempt"]) for record in found[0][1]]
    assert order == sorted(order) and any(attempt == 2 for *_, attempt in order)


def test_no_prompt_shows_what_others_commit_in_the_turn(seed):
    plans = [[0, 0, 0], [4, 1, 1], [1, 4, 0]]
    for history in (0, 50):
        seen = []
        for first in plans:
            game = TextGame("bids", TextOptions(history=history), players=3)
            game.reset(seed)
            asked = {turn.seat: turn.messages for turn in game.turns()}
            assert list(asked) == [0, 1, 2]
            assert game.submit(json.dumps({"bids": first})).kind == "ok"
            assert game.deciding() == [1, 2]
            assert game.observe().messages == asked[1]
            seen.append([game.question(seat).messages for seat in (1, 2)])
        assert seen[0] == seen[1] == seen[2]


def test_a_seat_sees_its_own_half_done_commit(seed):
    game = TextGame("bids", players=2)
    game.reset(seed)
    game.play(3)
    assert "Your bids so far: [3]" in game.observe().messages[-1]["content"]
    game.play(3)
    assert game.observe().legal == [0]
    game.play(0)
    game.play(1)
    content = game.observe().messages[-1]["content"]
    assert "Your bids so far: [1]" in content and "[3, 3, 0]" not in content


def test_seats_that_decide_alone_hear_what_was_just_said(seed):
    game = TextGame("roles")
    game.reset(seed)
    assert game.deciding() == [0]
    game.submit('{"messages": "Good day.", "acts": []}')
    assert game.deciding() == [1]
    assert "| Good day." in game.observe().messages[-1]["content"]
    for _ in range(5):
        game.submit('{"acts": ["claim"]}')
    assert game.deciding() == [0, 1, 2]


@pytest.mark.parametrize("name", ["bids", "roles", "catch", "powers"])
def test_positions_hide_commits_and_change_nothing_else(name, seed):
    """What a seat sees and may do in its position is what it sees and may do in the real one."""
    game, own = spec(name), np.random.default_rng(seed)
    rules = game.make_rules()
    text = TextGame(name)
    text.reset(seed)
    shape, dtype = rules.observation_shape, rules.observation_dtype
    while not text.over:
        turn = OpenTurn(rules, text.states)
        for seat in turn.seats:
            played: list[int] = []
            while turn.is_deciding(seat, text.states):
                real, shown = np.empty(shape, dtype), np.empty(shape, dtype)
                position = turn.position(seat, played)
                core.observe_at(rules, text.states, 0, seat, real)
                core.observe_at(rules, position, 0, seat, shown)
                assert np.array_equal(real, shown)
                legal = core.new_scratch(rules)[0]
                n = core.legal_actions_at(rules, text.states, 0, legal)
                other = np.zeros_like(legal)
                assert core.legal_actions_at(rules, position, 0, other) == n
                assert np.array_equal(legal[:n], other[:n])
                played.append(int(own.choice(legal[:n])))
                text.play(played[-1])


@pytest.mark.parametrize("name", ["bids", "roles", "catch", "powers"])
def test_they_keep_the_contract(name, seed, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    skipped = dict(contract(name, seed=seed))
    assert set(skipped) <= {
        "golden_playthrough", "pettingzoo_render", "pictures_for_a_seat_show_nothing_hidden", "ptx",
    }  # fmt: skip


def test_the_contract_finds_a_prompt_that_shows_commits(seed, monkeypatch):
    view = spec("bids").module("view")
    shown = view.position_text
    monkeypatch.setattr(
        view, "position_text", lambda rules, s, *more: f"{s['bids'][0]} {shown(rules, s, *more)}"
    )
    checks = dict(contract_checks("bids", seed=seed))
    with pytest.raises(AssertionError):
        checks["commits_of_the_running_turn_do_not_show"]()


def test_a_policy_plays_beside_models(seed):
    class Spy(Policy):
        name = "spy"

        def __init__(self):
            self.seen: list[list[int]] = []

        def act(self, decision):
            self.seen.append(decision.states["bids"][0, 0].tolist())
            return 0

    spy = Spy()
    match = bids(LanguageModel(ScriptedChat(lambda _: '{"bids": [4, 2, 0]}')))
    match.seats[2] = spy
    record = asyncio.run(play_match(match, players.PROTOCOL))
    assert record["ended_by"] == "terminal" and record["plies"] == 27
    # It decides after the others, and is shown bids drawn for it instead of theirs.
    assert len(spy.seen) == 9 and any(seen != [4, 2, 0] for seen in spy.seen)


def test_a_transport_failure_leaves_the_turn_unplayed_and_its_answers_kept():
    from stratagym.agents.chat import TransportError

    broken = [True]

    def say(messages):
        if broken[0] and "You are Player 1" in messages[0]["content"]:
            raise TransportError("timeout")
        return '{"bids": [1, 0, 0]}'

    chat = ScriptedChat(say)
    match, answered, kept = bids(LanguageModel(chat), rounds=1), {}, Kept()
    record = asyncio.run(play_match(match, players.PROTOCOL, kept, answered))
    assert (record["ended_by"], record["plies"]) == ("transport", 0)
    assert [r["kind"] for r in kept.records] == ["ok", "transport", "ok"]
    broken[0] = False
    asked = len(chat.asked)
    record = asyncio.run(play_match(match, players.PROTOCOL, kept, answered))
    assert record["ended_by"] == "terminal"
    assert len(chat.asked) - asked == 1


@pytest.mark.parametrize(("invalid", "ended"), [("forfeit", "forfeit"), ("random", "terminal")])
def test_after_the_last_bad_answer(invalid, ended):
    def say(messages):
        bad = "You are Player 1" in messages[0]["content"]
        return "no" if bad else '{"bids": [1, 0, 0]}'

    match, kept = bids(LanguageModel(ScriptedChat(say)), rounds=2), Kept()
    record = asyncio.run(play_match(match, replace(players.PROTOCOL, invalid=invalid), kept))
    assert record["ended_by"] == ended
    bad = [r for r in kept.records if r["seat"] == 1]
    assert [r["attempt"] for r in bad[:2]] == [1, 2] and bad[0]["action"] is None
    if invalid == "forfeit":
        assert (record["forfeited_by"], record["actions"]) == (1, [1, 0, 0])
    else:
        assert record["plies"] == 18
        assert bad[1]["actions"] == record["actions"][3:6]


def test_default_moves_after_the_last_bad_answer():
    game = spec("roles")
    protocol = AnswerProtocol(TextOptions(), 1, "default")
    protocol.check(game)
    with pytest.raises(ValueError, match="one of: forfeit, random"):
        protocol.check(spec("bids"))
    model = LanguageModel(ScriptedChat(lambda _: "no"))
    match = SeatedMatch.of("tiny", "one", game, game.make_rules(), {}, 1, [model] * 3)
    record = asyncio.run(play_match(match, protocol))
    assert record["actions"][:6] == [4] * 6 and record["ended_by"] == "terminal"


# --- real time -----------------------------------------------------------------------------------


def catch(chat, protocol: AnswerProtocol, kept: Kept | None = None, **options: int) -> dict:
    game = spec("catch")
    rules = game.make_rules(ticks=12, **options)
    protocol.check(game, rules)
    seats = [LanguageModel(chat), make_policy(game, "random")]
    match = SeatedMatch.of("tiny", "one", game, rules, {}, 3, seats)
    return asyncio.run(play_match(match, protocol, kept))


def tokens(count: int | None, latency_s: float = 0.0):
    return lambda _: Reply('{"moves": ["left", "left"]}', "stop", 5, count, latency_s, 0)


def own(record: dict) -> list[int]:
    return record["actions"][::2]


def test_the_clock_lets_decisions_pass():
    """A decision lasts half a second: 75 tokens at 50 a second are three of them."""
    said = AnswerProtocol(TextOptions(), 1, "random")
    record = catch(ScriptedChat(tokens(75)), said)
    assert own(record) == [1, 1] + [0] * 10 and record["clock"] == "sync"
    assert [entry[2:] for entry in record["rejected"]] == [["left", "edge"]] * 10
    record = catch(ScriptedChat(tokens(75)), replace(said, clock="tokens:50"))
    assert own(record)[:5] == [0, 0, 0, 1, 1] and record["clock"] == "tokens:50"
    chat = ScriptedChat(tokens(75, 1.2))
    record = catch(chat, replace(said, clock="wall"))
    assert own(record)[:4] == [0, 0, 1, 1] and len(chat.asked) == 3
    # The others have not waited.
    assert len(set(record["actions"][1:5:2])) >= 1 and record["plies"] == 24


def test_an_option_may_say_how_long_a_decision_lasts():
    said = AnswerProtocol(TextOptions(), 1, "random", clock="tokens:50")
    for milliseconds, passing in ((1000, 1), (250, 6), (400, 3)):
        record = catch(ScriptedChat(tokens(75)), said, tick_ms=milliseconds)
        assert own(record)[: passing + 2] == [0] * passing + [1, 1]
    record = catch(ScriptedChat(tokens(75)), replace(said, clock="sync"), tick_ms=0)
    assert own(record)[:2] == [1, 1] and "clock" not in record
    with pytest.raises(ValueError, match="not played in real time under these options"):
        said.check(spec("catch"), spec("catch").make_rules(tick_ms=0))


def test_thinking_twice_takes_the_time_of_both():
    def say(messages):
        good = len(messages) > 2
        return Reply('{"moves": ["left"]}' if good else "no", "stop", 5, 50, 0.0, 0)

    protocol = AnswerProtocol(TextOptions(), 2, "random", clock="tokens:50")
    record = catch(ScriptedChat(say), protocol)
    assert own(record)[:5] == [0, 0, 0, 0, 1]


def test_a_bad_answer_takes_its_time_too():
    protocol = AnswerProtocol(TextOptions(), 1, "random", clock="tokens:50")
    chat = ScriptedChat(lambda _: Reply("no", "stop", 5, 50, 0.0, 0))
    kept = Kept()
    record = catch(chat, protocol, kept)
    assert own(record)[:2] == [0, 0] and len(kept.records) == 4
    assert own(record)[2] in (kept.records[0]["action"], 0)


def test_a_server_that_counts_no_tokens_is_named():
    protocol = AnswerProtocol(TextOptions(), 1, "random", clock="tokens:50")
    with pytest.raises(InputError, match="does not count the tokens"):
        catch(ScriptedChat(tokens(None)), protocol)


@pytest.mark.parametrize(
    ("game", "clock", "said"),
    [
        ("catch", "fast", "choose one of: sync, wall, or tokens:RATE"),
        ("catch", "tokens:", "choose one of"),
        ("catch", "tokens:0", "choose one of"),
        ("catch", "tokens:nan", "choose one of"),
        ("bids", "wall", "not played in real time"),
        ("tictactoe", "tokens:50", "not played in real time"),
    ],
)
def test_a_bad_clock_is_one_clear_line(game, clock, said):
    with pytest.raises(ValueError, match=said) as error:
        AnswerProtocol(TextOptions(), 1, "random", clock=clock).check(spec(game))
    assert "\n" not in str(error.value)
