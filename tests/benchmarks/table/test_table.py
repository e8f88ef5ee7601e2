"""``python -m benchmarks.table``: who sits where, and what everybody came to there."""

from __future__ import annotations

import io
import json
from collections import Counter, defaultdict

import numpy as np
import pytest
from openai_server import OpenAIServer, answer
from scripts import lines
from tiny_games import duo, heap, roles, village

from stratagym import envs
from stratagym.benchmarks.duel import __main__ as duel
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.match_play import AnswerProtocol
from stratagym.benchmarks.harness.pairings import Contest
from stratagym.benchmarks.harness.seatings import MIXED, Table, matches_of, parties_of
from stratagym.benchmarks.play import __main__ as play_script
from stratagym.benchmarks.table.__main__ import APP, Args, main
from stratagym.envs.text import TextOptions

for package in (duo, heap, roles, village):
    envs.register(package.SPEC)
PROTOCOL = AnswerProtocol(TextOptions(), 1, "forfeit")


def play(folder, capsys, *arguments: object) -> tuple[dict, list[dict]]:
    """The summary that the script prints in this process, and the run's games."""
    words = [*map(str, arguments), "--output", str(folder), "--json", "--workers", "1"]
    APP(words, result_action="return_value")
    return json.loads(capsys.readouterr().out), lines(folder / "games.jsonl")


def lineups(policies: str, players: int, games: int) -> list[tuple[int, tuple[str, ...]]]:
    """(seed, seats) of a mixed table's games."""
    game = envs.spec("heap")
    options = {"players": players}
    parties = parties_of(game, game.make_rules(**options))
    contest = Contest("test", game.name, options, games, 0, PROTOCOL)
    return [(m.seed, m.seats) for m in matches_of(contest, parties, Table(MIXED, tuple(policies)))]


@pytest.mark.parametrize(("policies", "players"), [("abcd", 4), ("ab", 5), ("abcdefg", 3)])
def test_a_mixed_table_is_fair(policies, players):
    """All play as often, and each from every seat as often, by whole turns of the policies."""
    games = players * len(policies) * 3
    found = lineups(policies, players, games)
    assert len(found) == games
    by_seed = defaultdict(list)
    for seed, seats in found:
        by_seed[seed].append(seats)
    for own in by_seed.values():
        assert len(own) == players
        for names in zip(*own, strict=True):  # a seat has had all that sit at the table
            assert Counter(names) == Counter(own[0])
        if len(policies) >= players:
            assert all(len(set(seats)) == players for seats in own)
    sat = Counter(name for _, seats in found for name in seats)
    assert set(sat.values()) == {games * players // len(policies)} and set(sat) == set(policies)
    if len(policies) == players:  # who follows whom changes from seed to seed
        assert len({own[0].index("a") - own[0].index("b") for own in by_seed.values()}) > 1


def test_all_seatings_of_a_game_of_seven(tmp_path, capsys):
    words = ("--game", "heap", "--rules", "players=7", "--policies", "random,gt:1", "--games", 14)
    summary, games = play(tmp_path / "a", capsys, *words, "--seating", "teams,one,mixed")
    tables = {(t["seating"], *t["policies"]): t for t in summary["tables"]}
    assert [*tables] == [
        ("mixed", "random", "gt:1"), ("one", "random", "gt:1"), ("one", "gt:1", "random"),
        ("teams", "random"), ("teams", "gt:1"),
    ]  # fmt: skip
    assert summary["games"] == len(games) == 5 * 14 and all(
        t["games"] == 14 for t in tables.values()
    )

    for game in games:  # who is greedy has 9, and everybody else what is recorded
        assert all(
            x == 9 for x, s in zip(game["returns"], game["seats"], strict=True) if s == "gt:1"
        )
    alone = [game for game in games if game["pairing"] == "one/gt:1/random"]
    assert [game["seats"].index("gt:1") for game in alone] == [0, 1, 2, 3, 4, 5, 6] * 2
    assert [game["seat"] for game in alone] == [0, 1, 2, 3, 4, 5, 6] * 2
    own = tables["one", "gt:1", "random"]["standings"]
    firsts = [(max(g["returns"]) == 9) / g["returns"].count(9) for g in alone]
    assert own["gt:1"]["first"]["value"] == pytest.approx(np.mean(firsts))
    assert own["gt:1"]["return"]["value"] == 9
    assert own["gt:1"]["seats"] == 14 and own["random"]["seats"] == 6 * 14
    assert set(own["gt:1"]["by_seat"]) == {*"0123456"}
    teams = tables["teams", "random"]["standings"]["random"]
    assert teams["rank"]["value"] == pytest.approx(4) and teams["seats"] == 7 * 14
    assert (tmp_path / "a" / "report.html").exists()
    said = (tmp_path / "a" / "report.md").read_text()
    assert "All policies at one table" in said and "Results by seat" in said

    APP([*map(str, words), "--seating", "teams,one,mixed", "--output", str(tmp_path / "a"),
         "--resume", "--json"], result_action="return_value")  # fmt: skip
    again = json.loads(capsys.readouterr().out)
    assert again["tables"] == summary["tables"]


def test_dealt_roles_are_told_apart(tmp_path, capsys):
    summary, games = play(tmp_path / "a", capsys, "--game", "village", "--policies",
                          "random,mcts:2", "--games", 10, "--seating", "one,mixed")  # fmt: skip
    mixed, *_ = summary["tables"]
    told = mixed["standings"]["random"]
    sat = Counter(
        role
        for game in games
        if game["pairing"] == "mixed"
        for name, role in zip(game["seats"], game["roles"], strict=True)
        if name == "random"
    )
    assert {name: row["seats"] for name, row in told["by_role"].items()} == sat
    assert set(told["by_side"]) == {"village", "wolves"}
    # Every deal was played from every seat, so that all had every role as often as its share.
    one = [game for game in games if game["pairing"] == "one/random/mcts:2"]
    own = Counter(game["roles"][game["seats"].index("random")] for game in one)
    assert own == {"wolf": 4, "villager": 4, "seer": 2}
    assert "Results by role" in (tmp_path / "a" / "report.md").read_text()


def test_sides_go_to_one_policy_together(tmp_path, capsys):
    _, games = play(tmp_path / "a", capsys, "--game", "duo", "--policies", "random,gt:1",
                    "--games", 4, "--seating", "one")  # fmt: skip
    assert [game["seats"] for game in games] == [
        ["random", "gt:1", "gt:1"], ["gt:1", "random", "random"],
    ] * 2  # fmt: skip


def test_a_model_forfeits_and_the_table_goes_on(tmp_path, capsys):
    """It answers its first question of every game, and then no more."""

    def say(body, nth):
        said = body["messages"][-1]["content"]
        return answer("Move: 2" if "9 turns left" in said or "8 turns left" in said else "No.")

    with OpenAIServer(say) as server:
        summary, games = play(
            tmp_path / "a", capsys, "--game", "heap", "--policies", "random,llm:m", "--games", 3,
            "--seating", "one", "--forfeit", "stand-in", "--tries", 1,
            "--base-url", server.base_url,
        )  # fmt: skip
    ended = Counter(game["ended_by"] for game in games)
    forfeits = [game for game in games if "stand_ins" in game]
    assert summary["config"]["forfeit"] == "stand-in:random" and forfeits
    assert ended["terminal"] > 0
    for game in forfeits:
        for one in game["stand_ins"]:
            assert game["seats"][one["seat"]] == "llm:m" and game["returns"][one["seat"]] == -1
            assert one["seat"] not in game["leads"]
    assert summary["own"]["llm:m"]["not_own"] == sum(
        one["moves"] for game in forfeits for one in game["stand_ins"]
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seating": "round"}, "--seating 'round': choose from: mixed, one, teams"),
        ({"seating": ""}, "--seating '': choose from"),
        (
            {"policies": "random"},
            "--policies: name at least two different ones, or --seating teams",
        ),
        ({"game": "chequers"}, "chequers"),
        ({"games": 0}, "--games"),
        ({"rules": "players=9"}, "players"),
    ],
)
def test_bad_input_is_one_line(given, words, tmp_path):
    with pytest.raises(InputError, match=words) as found:
        main(Args(**given, output=str(tmp_path / "a")))
    assert "\n" not in str(found.value) and not (tmp_path / "a").exists()


def test_a_game_without_a_heuristic_refuses_it(tmp_path, capsys):
    """Its first legal action is nobody's rule."""
    with pytest.raises(InputError, match="heap has no heuristic; random plays every game"):
        main(Args(game="heap", policies="random,heuristic", output=str(tmp_path / "a")))
    assert [p.name for p in duel.compiled_policies(heap.SPEC, duel.usual_policies(heap.SPEC))] == [
        "gt:2", "random",
    ]  # fmt: skip


def test_a_person_meets_random_play_where_there_is_no_heuristic(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    play_script.main("heap", args=play_script.Args(seat=-1, seed=1))
    assert "A heap has no heuristic; random plays the other seats." in capsys.readouterr().out
    play_script.main("tictactoe", args=play_script.Args(seat=-1, seed=1))
    assert "no heuristic" not in capsys.readouterr().out
