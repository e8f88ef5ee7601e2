"""Games of sides with several seats, and games that only this process has registered."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np
import pytest
from openai_server import OpenAIServer, answer, playing
from scripts import lines
from tiny_games import duo, roles

from stratagym import envs
from stratagym.agents.core import make_policy
from stratagym.agents.ladders import Ladder
from stratagym.benchmarks.duel import __main__ as duel
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.climb import Climb, Plan
from stratagym.benchmarks.harness.climb_summary import seats_of
from stratagym.benchmarks.harness.games import by_pairing
from stratagym.benchmarks.harness.match_play import AnswerProtocol, SeatedMatch
from stratagym.benchmarks.harness.own_play import OwnPlay
from stratagym.benchmarks.harness.pairings import points, seated
from stratagym.benchmarks.harness.records import side_lead, side_policies
from stratagym.benchmarks.harness.workers import play_all
from stratagym.benchmarks.tournament import __main__ as tournament
from stratagym.envs import core
from stratagym.envs.text import TextGame, TextOptions
from stratagym.wrappers.dialogue import forfeit_returns

SIDES = [[0], [1, 2]]

for package in (duo, roles):
    envs.register(package.SPEC)


def play(app, *arguments: object, capsys) -> dict:
    """The summary that a script prints in this process."""
    app([*map(str, arguments), "--json"], result_action="return_value")
    return json.loads(capsys.readouterr().out)


def side_results(game: dict) -> dict[str, float]:
    """By policy, from the record alone: the second side is seats 1 and 2."""
    alone, one, other = game["returns"]
    return {game["seats"][0]: alone, game["seats"][1]: one + other}


def test_a_tournament_is_between_sides(tmp_path, capsys, monkeypatch):
    # Who answers nothing has no result; its games are here to be counted.
    monkeypatch.setattr(OwnPlay, "void", lambda *_: set())
    with OpenAIServer(lambda body, nth: answer("I resign.")) as server:
        summary = play(
            tournament.APP, "--game", "duo", "--policies", "random,gt:1,llm:m", "--games", 8,
            "--base-url", server.base_url, "--output", tmp_path / "a", capsys=capsys,
        )  # fmt: skip
    games = lines(tmp_path / "a" / "games.jsonl")
    assert len(games) == 3 * 8
    seatings = defaultdict(set)
    for game in games:
        first, *second = game["seats"]
        assert game["sides"] == SIDES and second == [second[0]] * 2 != [first] * 2
        assert game["seats"][game["seat"]] == game["pairing"].split("/")[0]
        seatings[game["pairing"], game["seed"]].add(first)
    # Each seed once with either policy alone.
    assert len(seatings) == 3 * 4 and all(len(found) == 2 for found in seatings.values())

    forfeits = [game for game in games if game["ended_by"] == "forfeit"]
    assert len(forfeits) == 16
    for game in forfeits:
        seat = game["forfeited_by"]
        assert game["seats"][seat] == "llm:m"
        assert game["returns"] == ([-1, 0.5, 0.5] if seat == 0 else [1, -0.5, -0.5])
    assert summary["policies"]["llm:m"]["forfeits"]["value"] == 1

    rest = [game for game in games if game not in forfeits]
    # The sum is not what one of the seats came to, and not what the first one holds.
    assert any(np.sign(game["returns"][1]) != np.sign(sum(game["returns"][1:])) for game in rest)
    scored = dict.fromkeys(summary["policies"], 0.0)
    for row in summary["pairings"]:
        mine = [game for game in games if {row["a"], row["b"]} == set(game["seats"])]
        results = [side_results(game)[row["a"]] for game in mine]
        assert row["score"]["n"] == 8
        assert row["wins"]["value"] == np.mean([x > 0 for x in results])
        assert row["draws"]["value"] == np.mean([x == 0 for x in results])
        assert row["losses"]["value"] == np.mean([x < 0 for x in results])
        for name, sign in ((row["a"], 1), (row["b"], -1)):
            scored[name] += sum(0.5 + 0.5 * np.sign(sign * x) for x in results)
    for name, row in summary["policies"].items():
        assert (row["games"], row["points"]) == (16, scored[name])


def test_a_swiss_tournament_counts_for_the_side(tmp_path, capsys):
    summary = play(tournament.APP, "--game", "duo", "--policies", "random,gt:1,mcts:2",
                   "--games", 4, "--format", "swiss", "--workers", 1, "--output", tmp_path / "a",
                   capsys=capsys)  # fmt: skip
    assert sum(row["games"] for row in summary["policies"].values()) == 2 * 2 * 4


def test_a_duel_is_between_sides(tmp_path, capsys):
    summary = play(duel.APP, "--game", "duo", "--policies", "gt:1,random", "--games", 10,
                   "--output", tmp_path / "a", capsys=capsys)  # fmt: skip
    games = lines(tmp_path / "a" / "games.jsonl")
    assert [game["seat"] for game in games] == [0, 1] * 5
    assert all(len(set(game["seats"][1:])) == 1 for game in games)
    (row,) = summary["pairs"]
    margins = [side_results(game)["gt:1"] for game in games]
    assert row["margin"]["value"] == pytest.approx(np.mean(margins))
    assert row["ahead"]["value"] == np.mean(np.array(margins) > 0)


def test_a_ladder_is_climbed_by_sides(tmp_path):
    ladder = Ladder("duo/ladder-v1", (("random",), ("gt:1",)))
    protocol = AnswerProtocol(TextOptions(), 1, "forfeit")
    plan = Plan("test", ladder, 12, 0, protocol, early_stop=False, top=1)
    climb = Climb(plan, "gt:1")
    matches = climb.next_matches()
    assert [match.seats for match in matches] == 6 * [
        ("gt:1", "random", "random"), ("random", "gt:1", "gt:1"),
    ]  # fmt: skip
    assert [match.seed for match in matches[::2]] == [match.seed for match in matches[1::2]]
    records = play_all(matches, tmp_path, workers=1)
    climb.update(records)
    found = [(result.record["match"], result.points) for result in climb.levels[0].results]
    assert found == [
        (name, 0.5 + 0.5 * np.sign(side_results(game)["gt:1"])) for name, game in records.items()
    ]
    assert [seats_of(climb, game) for game in records.values()] == 6 * [[0], [1, 2]]


@pytest.mark.parametrize(
    ("script", "game", "rules", "words"),
    [
        (tournament, "ludo", "players=3", "ludo with 3 players: a tournament seats two; for more"),
        (tournament, "roles", "", "roles: its roles are dealt, .* a tournament needs two sides"),
        (tournament, "hanabi", "", "hanabi: its players win or lose together"),
        (
            duel,
            "ludo",
            "players=3",
            "ludo with 3 players: a duel seats two .* for more use .*table$",
        ),
        (duel, "hanabi", "", "a duel is a contest, in which one wins what .*table$"),
    ],
)
def test_without_two_sides_there_is_no_contest(script, game, rules, words, tmp_path):
    with pytest.raises(InputError, match=words):
        script.main(script.Args(game=game, rules=rules, output=str(tmp_path)))


def test_seats_are_filled_side_by_side():
    assert seated(((0, 2), (1, 3)), "ab") == ("a", "b", "a", "b")
    assert seated(((1,), (0,)), "ab") == ("b", "a")
    game = {"seats": ["a", "b", "a"], "returns": [1.0, 1.5, 0.0]}
    assert points(game | {"sides": [[0, 2], [1]]}) == 0
    assert points({"seats": ["a", "b"], "returns": [1.0, 1.0]}) == 0.5
    game |= {"match": "p/0/0", "benchmark": "test", "game": "duo", "sides": [[1], [0, 2]]}
    assert side_policies(game) == ["b", "a"]
    games = by_pairing([game | {"ended_by": "terminal", "seed": 0, "plies": 1}])["p"]
    assert games.results.tolist() == [[1.5, 1.0]]
    assert (games.returns_of("a").tolist(), games.returns_of("b").tolist()) == ([1.0], [1.5])


def test_a_forfeit_loses_the_game_for_the_side():
    rules = duo.SPEC.make_rules()
    returns = [forfeit_returns(duo.SPEC, rules, seat) for seat in range(3)]
    assert returns == [[-1, 0.5, 0.5], [1, -0.5, -0.5], [1, -0.5, -0.5]]
    ludo = envs.spec("ludo")
    assert forfeit_returns(ludo, ludo.make_rules(players=3), 1) == [0.5, -1, 0.5]
    assert forfeit_returns(roles.SPEC, roles.SPEC.make_rules(), 2) == [0.5, 0.5, -1]
    hanabi = envs.spec("hanabi")
    assert forfeit_returns(hanabi, hanabi.make_rules(), 0) == [0, 0]


def test_a_game_of_this_process_is_played_by_workers(tmp_path, capsys):
    played = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        play(tournament.APP, "--game", "duo", "--policies", "mcts:5,random", "--games", 4,
             "--workers", workers, "--output", folder, capsys=capsys)  # fmt: skip
        played.append(sorted(lines(folder / "games.jsonl"), key=lambda game: game["match"]))
    assert played[0] == played[1] and len(played[0]) == 4


def test_who_wins_where_returns_do_not_sum_to_zero(tmp_path, capsys):
    """Under Botzone's score everybody's return is positive: sides are compared."""
    summary = play(tournament.APP, "--game", "dou_dizhu", "--policies", "rule:greedy,random",
                   "--rules", "judge=botzone", "--games", 12, "--workers", 1,
                   "--output", tmp_path / "a", capsys=capsys)  # fmt: skip
    games = lines(tmp_path / "a" / "games.jsonl")
    assert [game["sides"] for game in games] == 12 * [[[0], [1, 2]]]
    assert all(game["rules"]["plays"] == "whole" for game in games)
    landlord = [game["returns"][0] > 2 for game in games]
    assert [game["outcome"] for game in games] == [[0] if won else [1, 2] for won in landlord]
    greedy = [won == (game["seats"][0] == "rule:greedy")
              for won, game in zip(landlord, games, strict=True)]  # fmt: skip
    (row,) = summary["pairings"]
    assert row["wins"]["value"] == np.mean(greedy)
    assert row["draws"]["value"] == 0
    as_landlord = [won for won, game in zip(greedy, games, strict=True) if game["seat"] == 0]
    assert list(row["roles"]) == ["landlord", "peasants"]
    assert row["roles"]["landlord"]["value"] == np.mean(as_landlord)
    assert row["roles"]["peasants"]["n"] == 6
    assert "as landlord" in (tmp_path / "a" / "report.md").read_text()
    assert core.side_leads(((0,), (1, 2)), [2.1, 0.1, 0.1]).tolist() == pytest.approx([1.9, -1.9])
    assert core.side_leads(((0,), (1,), (2,)), [1, -3, 2]).tolist() == [-1, -5, 1]


def test_a_game_says_what_its_forfeits_come_to():
    game = envs.spec("dou_dizhu")
    rules = game.make_rules(judge="botzone", plays="whole")
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(1), core.new_scratch(rules)[1])
    match = SeatedMatch.of("test", "m", game, rules, {}, 1, [make_policy(game, "random")] * 3)
    record = match.forfeited([], 2, states)
    assert (record["returns"], record["outcome"]) == ([2.5, -1, -1], [0])
    record = match.forfeited([], 0, states)
    assert (record["returns"], record["outcome"]) == ([-1, 2.5, 2.5], [1, 2])
    assert side_lead(record, 1) == 6 and points(record) == 0


def test_who_has_no_choice_need_not_be_asked(tmp_path, capsys):
    """As in the plain run, but for the answers that nothing hangs on."""

    def least(body, nth):
        listed = body["messages"][-1]["content"].partition("by their cards\n")[2].splitlines()
        cards = listed[0].removesuffix(" (a pass)")
        return answer(f'Evaluation: none\nReason: none\nAnswer: {{"cards": {cards}}}')

    found = []
    for more in ([], ["--no-ask-forced"]):
        with OpenAIServer(playing(least)) as server:
            folder = tmp_path / str(len(more))
            play(tournament.APP, "--game", "dou_dizhu", "--policies", "random,llm:m", "--games", 2,
                 "--list-legal", "--base-url", server.base_url, "--output", folder, *more,
                 capsys=capsys)  # fmt: skip
        config = json.loads((folder / "config.json").read_text())
        assert config.get("ask_forced") == (False if more else None)
        games = {game["match"]: game["actions"] for game in lines(folder / "games.jsonl")}
        found.append((games, lines(folder / "decisions.jsonl")))
    (games, all_asked), (others, asked) = found
    assert games == others and len(games) == 2
    assert 0 < len(asked) < len(all_asked)
    assert len(asked) == sum(len(record["legal"]) > 1 for record in all_asked)


def test_steps_of_a_play_are_no_history():
    played = TextGame("dou_dizhu", TextOptions(history=50), plays="parts")
    played.reset(4)
    for _ in range(30):
        played.play(int(played.observe().legal[-1]))
    asked = played.observe().messages[-1]["content"]
    told = asked.partition("## History\n")[2].partition("\n\n")[0].splitlines()
    assert all(line.startswith("Player ") for line in told)
    assert len(told) == played.states["plays"][0] < 30
