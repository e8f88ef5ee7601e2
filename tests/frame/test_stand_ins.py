"""A forfeit at a table of many ends one seat's play: a stand-in plays on for nobody's result."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.stats import rankdata
from tiny_games import duo, heap, powers, roles
from tiny_games.players import scripted

from stratagym import envs
from stratagym.agents.core import Decision, Policy, PolicyFault, make_policy
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.games import Games
from stratagym.benchmarks.harness.match_play import (
    AnswerProtocol,
    SeatedMatch,
    play_match,
    play_matches,
)
from stratagym.benchmarks.harness.matches import Match, difference
from stratagym.benchmarks.harness.own_play import OwnPlay
from stratagym.benchmarks.harness.records import (
    JsonlWriter,
    game_record,
    read_decisions,
    read_games,
    side_lead,
)
from stratagym.benchmarks.harness.replays import Replay, find, replay
from stratagym.benchmarks.harness.standings import standing
from stratagym.benchmarks.ludo_arena import __main__ as ludo_arena
from stratagym.benchmarks.replaying.seats import seen_by
from stratagym.benchmarks.replaying.steps import steps
from stratagym.benchmarks.tournament import __main__ as tournament
from stratagym.envs import core
from stratagym.envs.ludo.metrics import game_counts
from stratagym.envs.text import TextOptions

for package in (duo, heap, powers, roles):
    envs.register(package.SPEC)
END = AnswerProtocol(TextOptions(), 1, "forfeit")
PLAYS_ON = replace(END, forfeit="stand-in:random")


class Failing(Policy):
    """An engine that dies at its ``nth`` decision."""

    name = "failing"

    def __init__(self, nth: int = 0):
        self.left = nth

    def act(self, view: Decision) -> int:
        self.left -= 1
        if self.left < 0:
            raise PolicyFault("failing: died")
        return int(view.legal[0])


def model(answers: int = 0, name: str = "m"):
    """A model that takes 2 so often, and then gives up."""
    given = iter(["Move: 2"] * answers)
    policy = scripted(lambda messages: next(given, "I give up."))
    policy.name = name
    return policy


def match(game: str, others: dict[int, Policy], seed: int = 5, **options) -> SeatedMatch:
    """A match of random players but for some seats."""
    facts = envs.spec(game)
    rules = facts.make_rules(**options)
    seats = [others.get(k, make_policy(facts, "random")) for k in range(rules.num_players)]
    return SeatedMatch.of("test", "m", facts, rules, facts.options_in_force(**options), seed, seats)


def play(one: SeatedMatch, protocol: AnswerProtocol = PLAYS_ON, **keys):
    return game_record(asyncio.run(play_match(one, protocol, **keys)))


def table_returns(record) -> list[float]:
    """What the rules alone say of the recorded game."""
    rules = envs.spec(record["game"]).make_rules(**record["rules"])
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(record["seed"]), probs)
    for action in record["actions"]:
        core.play_at(rules, states, 0, action, legal, probs)
    found = np.zeros(rules.num_players)
    core.returns_at(rules, states, 0, found)
    return found.tolist()


def test_seven_play_on_without_the_one_who_forfeits(seed):
    record = play(match("heap", {3: model(answers=1)}, seed, players=7))
    assert (record["ended_by"], record["plies"], record["forfeited_by"]) == ("terminal", 21, 3)
    assert record["stand_ins"] == [{"seat": 3, "ply": 10, "policy": "random", "moves": 2}]
    assert record["actions"][3] == 2
    table = table_returns(record)
    assert record["returns"] == [*table[:3], -1.0, *table[4:]]
    others = [x for k, x in enumerate(table) if k != 3]
    best = max(others)
    assert record["leads"] == [k for k, x in enumerate(table) if x == best and k != 3]
    games = Games.of([record])
    ranks = games.ranks[0].tolist()
    assert ranks.pop(3) == 7
    assert ranks == rankdata([-x for x in others]).tolist()
    told = standing(games, "m")
    assert (told["rank"]["value"], told["first"]["value"], told["return"]["value"]) == (7, 0, -1)
    assert side_lead(record, 3) < 0 and games.score_of("m").tolist() == [0]


def test_as_before_a_forfeit_ends_the_game_of_all():
    record = play(match("heap", {3: model(answers=1)}, players=7), END)
    assert (record["ended_by"], record["plies"], record["forfeited_by"]) == ("forfeit", 10, 3)
    assert record["returns"] == [1 / 6] * 3 + [-1.0] + [1 / 6] * 3
    assert record["leads"] == [0, 1, 2, 4, 5, 6] and "stand_ins" not in record
    assert "forfeit" not in END.record() and PLAYS_ON.record()["forfeit"] == "stand-in:random"


def test_a_low_result_is_better_than_a_forfeit():
    """Who took nothing is ahead of who forfeited, whatever the returns are."""
    record = {
        "match": "m", "benchmark": "t", "game": "heap", "seed": 0, "plies": 0, "actions": [],
        "ended_by": "terminal", "seats": ["a", "b", "c"], "returns": [-5.0, 2.0, -1.0],
        "forfeited_by": 2, "stand_ins": [{"seat": 2, "ply": 1, "policy": "random", "moves": 0}],
    }  # fmt: skip
    games = Games.of([record])
    assert games.ranks.tolist() == [[2, 1, 3]]
    assert games.firsts.tolist() == [[0, 1, 0]]
    two = {**record, "returns": [-5.0, -1.0, -1.0]}
    two["stand_ins"] = [{"seat": k, "ply": 1, "policy": "random", "moves": 0} for k in (1, 2)]
    assert Games.of([two]).ranks.tolist() == [[1, 2.5, 2.5]]
    assert Games.of([two]).firsts.tolist() == [[1, 0, 0]]
    team = {**record, "sides": [[0], [1, 2]], "returns": [0.0, 3.0, -1.0]}
    assert Games.of([team]).ranks.tolist() == [[2, 1, 2]]


def test_what_a_stand_in_does_is_nobodys_own(tmp_path):
    one = match("heap", {3: model(answers=1), 5: model(answers=3, name="n")}, players=7)
    games = JsonlWriter(tmp_path / "games.jsonl")
    asyncio.run(play_matches([one], PLAYS_ON, games, tmp_path / "decisions.jsonl", concurrency=1))
    games.close()
    (record,) = read_games(tmp_path)
    own = OwnPlay(read_decisions(tmp_path), [record])
    # Of three decisions one was its own: what a stand-in plays counts as not its own.
    assert (own.of("m").decisions, own.of("m").answers, own.of("m").replaced) == (3, 2, 2)
    assert own.void() == {"m"}
    assert (own.of("n").decisions, own.of("n").answers, own.of("n").replaced) == (3, 3, 0)
    item = Match("test", "m", "heap", {"players": 7}, 5, tuple(record["seats"]), PLAYS_ON)
    assert difference(record, item, one.rules) == ""
    changed = {**record, "stand_ins": [{"seat": 9, "ply": 1, "policy": "random", "moves": 0}]}
    assert "stand-in" in difference(changed, item, one.rules)

    # Gone on with, the recorded answers come to the same game; nobody is asked again.
    silent = match("heap", {3: model(), 5: model(name="n")}, players=7)
    answers = {(r["ply"], r["seat"], r["attempt"]): r for r in read_decisions(tmp_path)}
    asked: list = []
    again = asyncio.run(play_match(silent, PLAYS_ON, answered=dict(answers), messages=asked.append))
    assert json.loads(json.dumps(again)) == {k: v for k, v in record.items() if k != "schema"}


def test_the_stand_in_that_is_named_plays_on():
    record = play(match("heap", {0: model()}, players=3), replace(END, forfeit="stand-in:gt:1"))
    assert record["stand_ins"] == [{"seat": 0, "ply": 0, "policy": "gt:1", "moves": 3}]
    assert record["actions"][::3] == [3, 3, 3]  # as greed has it
    assert record["returns"][0] == -1.0


def test_an_engine_that_dies_leaves_the_others_their_game():
    record = play(match("heap", {1: Failing(1)}, players=4))
    assert record["stand_ins"] == [
        {"seat": 1, "ply": 5, "policy": "random", "moves": 2, "fault": "failing: died"}
    ]
    assert record["ended_by"] == "terminal" and "fault" not in record


def test_where_all_have_forfeited_the_game_ends():
    seats = {k: model(answers=k, name=f"m{k}") for k in range(3)}
    record = play(match("heap", seats, players=3))
    assert (record["ended_by"], record["forfeited_by"]) == ("forfeit", 2)
    assert [one["seat"] for one in record["stand_ins"]] == [0, 1]
    assert record["returns"] == [-1.0, -1.0, -1.0]
    assert Games.of([record]).ranks.tolist() == [[2, 2, 2]]
    assert Games.of([record]).firsts.tolist() == [[0, 0, 0]]


def test_a_stand_in_plays_where_all_decide_at_the_same_time(seed):
    """Roles are dealt there, so that each seat goes for itself; the votes are given at once."""
    record = play(match("roles", {1: model(), 2: model(name="n")}, seed, talks=1))
    assert record["ended_by"] == "terminal" and len(record["stand_ins"]) == 2
    votes = [action for action in record["actions"] if action >= 5]
    assert len(votes) == 3
    assert record["returns"][1:] == [-1.0, -1.0]


def test_between_two_sides_a_forfeit_ends_the_game():
    record = play(match("duo", {1: model()}))
    assert record["ended_by"] == "forfeit" and "stand_ins" not in record


def test_a_replay_says_who_played(seed):
    record = play(match("heap", {3: model(answers=1)}, seed, players=7))
    shown = replay(record, {})
    assert shown.problems == [] and ("Forfeited", "Player 3 from move 11 on, played by random") in (
        shown.facts
    )
    own = [position for position in shown.positions if position.seat == 3]
    assert [position.policy for position in own] == ["m", *["random for m"] * 2]
    assert own[1].instead == "random chose this move for m, which had forfeited."
    assert not own[0].instead


def recorded(folder, one: SeatedMatch, protocol: AnswerProtocol) -> tuple[dict, Replay]:
    """The record of a match as a run's folder has it, with what was said, and its replay."""
    games = JsonlWriter(folder / "games.jsonl")
    decisions = folder / "decisions.jsonl"
    asyncio.run(play_matches([one], protocol, games, decisions, concurrency=1))
    games.close()
    run = find(folder)
    return run.games[0], replay(run.games[0], run.answers, run.messages)


def words_of(shown: Replay, seat: int) -> dict[int, list[str]]:
    """What a replay says that a seat said, by position; not what its answers hold."""
    return {p.ply: p.words() for p in shown.positions if p.seat == seat and p.words()}


@pytest.mark.parametrize("stand_in", ["envoy", "random"])
def test_the_stand_in_of_a_model_speaks_on(stand_in, seed, tmp_path):
    """From where the model gave up: with its own words, or else with those of the game."""
    plays_on = replace(END, forfeit=f"stand-in:{stand_in}")
    record, shown = recorded(tmp_path, match("powers", {3: model()}, seed, years=1), plays_on)
    assert record["stand_ins"] == [{"seat": 3, "ply": 3, "policy": stand_in, "moves": 2}]
    assert record["ended_by"] == "terminal" and shown.problems == []
    own = words_of(shown, 3)
    assert own.keys() <= {3, 10}
    spoken = [text for texts in own.values() for text in texts]
    action = record["actions"][3]
    if stand_in == "envoy":
        assert len(own) == 2 and "Germany to all: \u201cGood day, 0.\u201d" in own[3]
        assert own[10][0].startswith("Germany to oneself: \u201cI have heard ")
    else:
        assert own.keys() == ({3} if action else set())
        assert all("Germany to all: \u201cI will attack " in text for text in spoken)
    (told,) = [step for step in steps(shown) if step.number == 4]
    assert set(own.get(3, [])) <= set(told.news)
    # Who hears it is shown it, and a note to oneself nobody else is.
    other = [w for p in seen_by(shown, 0).positions for w in (*p.chance, *p.words())]
    assert {t for t in spoken if "to all" in t} <= set(other)
    assert not {t for t in spoken if "oneself" in t} & set(other)


def test_an_engine_s_stand_in_is_heard(seed, tmp_path):
    """Nobody at the table has words until it dies, and the whole game is told."""
    plays_on = replace(END, forfeit="stand-in:envoy")
    one = match("powers", {3: Failing(1)}, seed, years=2)
    record, shown = recorded(tmp_path, one, plays_on)
    (stood,) = record["stand_ins"]
    assert (stood["seat"], stood["policy"], stood["fault"]) == (3, "envoy", "failing: died")
    assert shown.problems == [] and record["messages"] > 0
    own = words_of(shown, 3)
    assert stood["ply"] == 10 and "oneself" in own[10][0]
    talked = [bool(position.words()) for position in shown.positions[:7]]
    assert talked == [action != 0 for action in record["actions"][:7]]


def test_a_replay_takes_no_stand_in_that_was_edited():
    record = play(match("heap", {3: model(answers=1)}, players=7))
    (one,) = record["stand_ins"]
    for seat in (-1, 7, 2**40):
        with pytest.raises(InputError, match=f"a stand-in for seat {seat}, which is none of it"):
            replay({**record, "stand_ins": [{**one, "seat": seat}]}, {})
    for returns in ([], record["returns"][:3]):
        with pytest.raises(InputError, match=f"{len(returns)} returns recorded for 7 seats"):
            replay({**record, "returns": returns}, {})


def test_counts_of_moves_leave_a_stand_in_out(seed):
    record = play(match("ludo", {1: Failing(10)}, seed, players=3))
    (one,) = record["stand_ins"]
    assert one["seat"] == 1
    games = Games.of([record])
    count = partial(game_counts, envs.spec("ludo").make_rules(players=3))
    found = games.own_counts(count)[0]
    whole = count(games.seeds, games.actions, games.plies)[0]
    cut = count(games.seeds, games.actions, np.array([one["ply"]]))[0]
    assert (found[[0, 2]] == whole[[0, 2]]).all()
    assert (found[1] == cut[1]).all() and (found[1] != whole[1]).any()


@pytest.mark.parametrize(
    ("script", "given", "words"),
    [
        (ludo_arena, {"forfeit": "go on"}, "forfeit 'go on': choose end, stand-in or stand-in:P"),
        (ludo_arena, {"forfeit": "stand-in:"}, "forfeit 'stand-in:': choose end, stand-in or"),
        (ludo_arena, {"forfeit": "stand-in:nobody"}, "forfeit 'stand-in:nobody': .*nobody"),
        (ludo_arena, {"forfeit": "stand-in:llm:m"}, "a language model cannot stand in"),
        (tournament, {"forfeit": "stand-in"}, "connect_four has no more than two sides"),
    ],
)
def test_what_cannot_stand_in_is_refused(script, given, words, tmp_path):
    with pytest.raises(InputError, match=words):
        script.main(script.Args(**given, output=str(tmp_path)))


def test_a_stand_in_is_written_down_by_its_name(tmp_path, capsys):
    ludo_arena.APP(
        ["--players", "2", "--games", "2", "--policies", "random,gt:1", "--forfeit", "stand-in",
         "--output", str(tmp_path / "a"), "--json"],
        result_action="return_value",
    )  # fmt: skip
    assert json.loads(capsys.readouterr().out)["config"]["forfeit"] == "stand-in:random"
