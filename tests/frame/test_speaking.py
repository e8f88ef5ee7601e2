"""Players without language are heard: policies that speak, and games that speak for the others."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import tiny_games
from recorded_runs import rewrite, run_script
from scripts import lines
from tiny_games.powers.agents import Envoy
from tiny_games.powers.view import NAMES

from stratagym.agents.chat import ScriptedChat
from stratagym.agents.core import Policy, make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import replays
from stratagym.benchmarks.harness.batched import play_batched
from stratagym.benchmarks.harness.match_play import (
    AnswerProtocol,
    PolicyPool,
    play_match,
)
from stratagym.benchmarks.harness.matches import Match, SeatedMatch
from stratagym.benchmarks.harness.workers import play_all
from stratagym.benchmarks.replay import __main__ as replay
from stratagym.benchmarks.replaying.seats import seen_by
from stratagym.envs import spec
from stratagym.envs.text import TextOptions
from stratagym.testing.contract import contract_checks
from stratagym.wrappers.dialogue import Dialogue

tiny_games.register()
HOW = AnswerProtocol(TextOptions(), 1, "random")
LOUD = ("envoy", "random", "envoy?random=0.5", "random", "envoy", "random", "random")
QUIET = ("random",) * 7


def item(name: str, seats: tuple[str, ...] = LOUD, seed: int = 3) -> Match:
    return Match("tiny", name, "powers", {}, seed, seats, HOW)


def seated(policies: list, seed: int = 3) -> SeatedMatch:
    game = spec("powers")
    return SeatedMatch.of("tiny", "one", game, game.make_rules(), {}, seed, policies)


def said_in(folder: Path) -> dict[str, list[dict]]:
    """A run's messages by match, each match's in the order of the file."""
    found: dict[str, list[dict]] = {}
    for record in lines(folder / "messages.jsonl"):
        found.setdefault(record["match"], []).append(record)
    return found


def by_match(folder: Path) -> dict[str, dict]:
    return {record["match"]: record for record in lines(folder / "games.jsonl")}


def silent_model(said: Callable[[str], None] = lambda content: None) -> LanguageModel:
    def say(messages):
        said(messages[-1]["content"])
        return "{}"

    return LanguageModel(ScriptedChat(say), name="llm:m")


ITEMS = [item(f"{k}", seed=k) for k in range(3)] + [item("quiet", QUIET)]


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> Path:
    """The matches played by this process."""
    folder = tmp_path_factory.mktemp("alone")
    play_all(ITEMS, folder, workers=1)
    return folder


def test_policies_are_heard_and_recorded(alone):
    said, record = said_in(alone), by_match(alone)
    assert set(said) == {"0", "1", "2"} and "messages" not in record["quiet"]
    for match, messages in said.items():
        assert [message["number"] for message in messages] == list(range(len(messages)))
        assert record[match]["messages"] == len(messages)
        speakers = {message["seat"] for message in messages}
        assert {0, 2, 4} <= speakers, "envoys speak in the first year, weakened or not"
        for message in messages:
            if message["seat"] not in (0, 2, 4):  # the game speaks for players without words
                action = record[match]["actions"][message["ply"]]
                assert message["text"] == f"I will attack {NAMES[action - 1]}."
    notes = [m for messages in said.values() for m in messages if m["to"] == [m["seat"]]]
    assert notes and all("I have heard" in note["text"] for note in notes)


def test_workers_say_the_same(alone, tmp_path):
    play_all(ITEMS, tmp_path, workers=2)
    assert said_in(tmp_path) == said_in(alone)
    assert by_match(tmp_path) == by_match(alone)


def test_threads_say_the_same(alone):
    pool, said = PolicyPool(2), []
    try:
        policies = [make_policy(spec("powers"), name) for name in LOUD]
        match = seated(policies, seed=1)
        record = asyncio.run(play_match(match, HOW, act=pool.act, messages=said.append))
    finally:
        pool.close()
    assert record["actions"] == by_match(alone)["1"]["actions"]
    assert [m["text"] for m in said] == [m["text"] for m in said_in(alone)["1"]]


def test_beside_a_model_they_say_the_same_with_and_without_workers(tmp_path):
    model, seats = {"llm:m": silent_model()}, ("llm:m", *LOUD[1:])
    found = []
    for workers in (1, 2):
        folder = tmp_path / f"{workers}"
        folder.mkdir()
        play_all([item("a", seats)], folder, workers=workers, policies=model)
        found.append((said_in(folder), by_match(folder)))
    assert found[0] == found[1]
    assert found[0][0] and all(m["seat"] for m in found[0][0]["a"])


def test_a_resumed_run_says_the_same_once(alone, tmp_path):
    """A kill between a game's messages and its record, and one before either."""
    for name, kept in (("messages.jsonl", 1), ("games.jsonl", 2)):
        text = (alone / name).read_text().splitlines(keepends=True)
        done = {json.loads(line)["match"] for line in text[:kept]}
        assert len(done) == kept
        if name == "messages.jsonl":
            kept = len(text) - 5
        (tmp_path / name).write_text("".join(text[:kept]))
    play_all(ITEMS, tmp_path, workers=1)
    assert said_in(tmp_path) == said_in(alone)
    assert by_match(tmp_path) == by_match(alone)


def test_nothing_is_written_where_nobody_has_words(alone, tmp_path):
    """In the compiled loop as elsewhere."""
    opened = replace(item("opened", QUIET), opening=2)
    play_all([item("compiled", QUIET), opened], tmp_path)
    assert not (tmp_path / "messages.jsonl").exists()
    assert all("messages" not in record for record in by_match(tmp_path).values())


def test_a_model_reads_what_the_game_says_for_players_without_words():
    prompts: list[str] = []
    policies = [silent_model(prompts.append)] + [make_policy(spec("powers"), "random")] * 6
    record = asyncio.run(play_match(seated(policies), HOW))
    told = [(k, action) for k, action in enumerate(record["actions"][1:7], 1) if action]
    assert told
    for seat, action in told:
        assert f"{NAMES[seat]} to all:\n| I will attack {NAMES[action - 1]}." in prompts[1]
    # It is asked at the same time as the others speak.
    assert "I will attack" not in prompts[0]


def test_nobody_hears_what_is_said_at_the_same_time():
    heard: dict[int, list] = {}

    class Listener(Envoy):
        def say(self, decision, heard_now):
            assert heard_now == decision.heard
            heard.setdefault(int(decision.states["turn"][0]), []).append(
                [m.ply for m in heard_now if m.seat != decision.seat]
            )
            return super().say(decision, heard_now)

    said: list[dict] = []
    asyncio.run(play_match(seated([Listener()] * 7), HOW, messages=said.append))
    assert heard[0] == [[]] * 7
    first = {m["ply"] for m in said if m["ply"] < 7}
    assert first and all(set(plies) <= set(range(7)) for plies in heard[1])
    assert any(heard[1])


def test_saying_leaves_the_decision_as_it_was():
    class Careless(Envoy):
        def say(self, decision, heard):
            said = super().say(decision, heard)
            decision.states["alive"][:] = 0
            return said

        def act(self, decision):
            assert decision.states["alive"].any()
            return super().act(decision)

    record = asyncio.run(play_match(seated([Careless()] * 7), HOW))
    assert record["ended_by"] == "terminal"


@pytest.mark.parametrize("to", [(), (0, 1), (7,), (-1,)])
def test_who_speaks_to_somebody_that_may_not_hear_loses_by_a_fault(to):
    class Rude(Envoy):
        def say(self, decision, heard):
            return [(to, "Hello.")]

    policies = [make_policy(spec("powers"), "random")] * 7
    policies[0] = Rude()
    record = asyncio.run(play_match(seated(policies), HOW))
    assert (record["ended_by"], record["forfeited_by"]) == ("forfeit", 0)
    assert record["fault"].startswith(f"envoy: seat 0 says something to {list(to)}, and may speak")


def test_games_side_by_side_refuse_who_speaks():
    policies = [make_policy(spec("powers"), name) for name in LOUD]
    with pytest.raises(ValueError, match="envoy speaks, and nobody hears it"):
        play_batched([seated(policies)])


def test_a_conversation_hears_its_opponents():
    for opponent, words in (("envoy", "| Let us attack "), ("random", "| I will attack ")):
        dialogue = Dialogue("powers", opponent, seed=4, seat=3)
        contents = []
        while not dialogue.over:
            contents.append(dialogue.messages[-1]["content"])
            assert dialogue.answer("{}").kind == "ok"
        assert words not in contents[0] and any(words in content for content in contents[1:])
        assert any(m["seat"] != 3 for m in dialogue.record()["messages"])


LEAKS = {
    "spoken_text": lambda rules, s, action: f"All chose {s['chosen'].tolist()}.",
    "phase_text": lambda rules, s: f"Phase {s['chosen'].tolist()}",
    "present": lambda rules, s: [k for k in range(7) if s["chosen"][k] == 0],
    "seat_name": lambda rules, s, player: f"Power {player % 6}",
}


@pytest.mark.parametrize("name", LEAKS)
def test_the_contract_finds_talk_that_tells_too_much(name, seed, monkeypatch):
    check = dict(contract_checks("powers", seed=seed))["what_talk_tells_shows_nothing_hidden"]
    check()
    monkeypatch.setattr(spec("powers").module("view"), name, LEAKS[name])
    with pytest.raises(AssertionError):
        check()


# --- replays -------------------------------------------------------------------------------------


def test_replay_makes_the_words_of_players_without_from_their_actions(alone):
    """They are those that are recorded where somebody listens."""

    found, said = replays.find(alone), []
    quiet = next(game for game in found.games if game["match"] == "quiet")
    told = replays.replay(quiet, found.answers, found.messages)
    assert told.problems == [] and "quiet" not in found.messages

    class Again(Policy):
        name = "again"
        actions = iter(quiet["actions"])

        def act(self, decision):
            return next(self.actions)

    class Mute(Again):
        def say(self, decision, heard):
            return ()

    match = seated([Mute(), *(Again() for _ in range(6))], quiet["seed"])
    record = asyncio.run(play_match(match, HOW, messages=said.append))
    assert record["actions"] == quiet["actions"]
    fields = ("ply", "seat", "to", "text")
    made = [[m[name] for name in fields] for p in told.positions for m in p.said if p.seat]
    assert made and made == [[m[name] for name in fields] for m in said]


@pytest.mark.parametrize("match", ["0", "quiet"])
def test_a_replay_tells_what_was_said(alone, match):
    said, _ = run_script(replay, alone, "--match", match)
    assert "the outcome is the recorded one" in said
    assert "to all: \u201cI will attack " in said
    assert ("Let us attack " in said) == (match == "0")
    assert ("to oneself: \u201cI have heard" in said) == (match == "0")


def test_a_seat_is_shown_what_it_heard(alone):
    found = replays.find(alone)
    game = next(game for game in found.games if game["match"] == "0")
    whole = replays.replay(game, found.answers, found.messages)
    for seat in range(7):
        seen = seen_by(whole, seat)
        texts = [w for p in seen.positions for w in (*p.chance, *p.words()) if "\u201c" in w]
        heard = [m for m in found.messages["0"] if seat in (m["seat"], *m["to"])]
        assert sorted(text.partition("\u201c")[2][:-1] for text in texts) == sorted(
            m["text"] for m in heard
        )


def test_messages_that_are_not_those_of_the_game_are_noticed(alone, tmp_path):
    for name in ("games.jsonl", "messages.jsonl"):
        (tmp_path / name).write_text((alone / name).read_text())
    text = (tmp_path / "messages.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "messages.jsonl").write_text("".join(text[:-1]))
    found = replays.find(tmp_path)
    problems = [
        problem
        for game in found.games
        for problem in replays.replay(game, found.answers, found.messages).problems
    ]
    assert len(problems) == 1 and "messages were said" in problems[0]

    def change(record):
        record["seat"] = 6 - record["seat"]

    rewrite(tmp_path / "messages.jsonl", change)
    found = replays.find(tmp_path)
    game = next(game for game in found.games if game["match"] == "0")
    told = replays.replay(game, found.answers, found.messages)
    assert any("is recorded to have spoken before move" in problem for problem in told.problems)


def test_a_replay_tells_of_any_seat_that_stands_in_a_record(alone, tmp_path):
    for name in ("games.jsonl", "messages.jsonl"):
        (tmp_path / name).write_text((alone / name).read_text())
    rewrite(tmp_path / "messages.jsonl", lambda record: record.update(to=[99, -1]))
    said, _ = run_script(replay, tmp_path, "--match", "0", "--all")
    assert "to seat 99, seat -1: " in said
