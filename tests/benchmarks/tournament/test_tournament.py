"""``python -m benchmarks.tournament`` from the outside, and the pairings of Swiss rounds."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import scripts
from openai_server import OpenAIServer, answer, tictactoe
from scripts import KEY, kill_at, lines, timeless, told

from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.games import Games
from stratagym.benchmarks.harness.pairings import pair
from stratagym.benchmarks.tournament.__main__ import APP
from stratagym.benchmarks.tournament.summary import pairing_row
from stratagym.envs import core, spec

command = partial(scripts.command, "tournament")
run = partial(scripts.run, "tournament")


def test_a_round_robin(tmp_path, seed):
    names = ["random", "heuristic", "mcts:10"]
    common = ("--game", "tictactoe", "--policies", ",".join(names), "--seed", seed % 2**31)
    result = run(*common, "--games", 7, "--output", tmp_path / "a", "--json")
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    games = lines(tmp_path / "a" / "games.jsonl")
    assert len(games) == 3 * 8
    assert Counter(tuple(game["seats"]) for game in games) == {
        pair: 4 for a, b in combinations(names, 2) for pair in ((a, b), (b, a))
    }
    seeds = {
        frozenset(pair): sorted(g["seed"] for g in games if set(g["seats"]) == set(pair))
        for pair in combinations(names, 2)
    }
    (shared,) = {tuple(found) for found in seeds.values()}
    assert [shared.count(one) for one in set(shared)] == [2] * 4
    for row in summary["pairings"]:
        mine = [g for g in games if set(g["seats"]) == {row["a"], row["b"]}]
        returns = [g["returns"][g["seats"].index(row["a"])] for g in mine]
        for key, found in (
            ("wins", [x > 0 for x in returns]),
            ("draws", [x == 0 for x in returns]),
            ("losses", [x < 0 for x in returns]),
            ("score", [(x + 1) / 2 for x in returns]),
        ):
            assert row[key]["value"] == pytest.approx(np.mean(found))
            assert row[key]["low"] <= row[key]["value"] <= row[key]["high"]
    for name, row in summary["policies"].items():
        assert row["games"] == 16
        own = [g["returns"][g["seats"].index(name)] for g in games if name in g["seats"]]
        assert row["points"] == pytest.approx(sum((x + 1) / 2 for x in own))
        assert row["low"] <= row["high"]
    page = (tmp_path / "a" / "report.html").read_text()
    assert "data:image/png" in page and "mcts:10" in page
    assert "cross_table.png" in (tmp_path / "a" / "report.md").read_text()
    # Another number of workers goes on with the run, and has nothing left to play.
    again = run(*common, "--games", 8, "--output", tmp_path / "a", "--json", "--resume",
                "--workers", 1)  # fmt: skip
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == summary
    assert lines(tmp_path / "a" / "games.jsonl") == games


def test_swiss_pairings_exist_and_nobody_meets_twice(rng):
    for players in range(2, 12):
        names = [f"p{k}" for k in range(players)]
        standings = dict.fromkeys(names, 0.0)
        met: set[frozenset[str]] = set()
        rested: set[str] = set()
        for _ in range(-(-players // 2)):
            pairings, bye = pair(standings, met, rested)
            seated = [name for pairing in pairings for name in pairing] + [bye] * (players % 2)
            assert sorted(seated) == sorted(names)
            assert (bye is None) == (players % 2 == 0)
            assert bye not in rested
            rested |= {bye} - {None}
            for pairing in pairings:
                assert frozenset(pairing) not in met
                met.add(frozenset(pairing))
                standings[pairing[int(rng.integers(2))]] += 1.0
    # Neighbours in the standings meet.
    pairings, _ = pair({"a": 0.0, "b": 2.0, "c": 1.5, "d": 0.5}, set(), set())
    assert pairings == [("b", "c"), ("d", "a")]
    pairings, _ = pair({"a": 0.0, "b": 2.0, "c": 1.5, "d": 0.5}, {frozenset("bc")}, set())
    assert pairings == [("b", "d"), ("c", "a")]


def test_a_swiss_tournament(tmp_path):
    names = ["random", "heuristic", "mcts:5", "mcts:20", "mcts:80"]
    result = run("--game", "tictactoe", "--policies", ",".join(names), "--games", 4, "--format",
                 "swiss", "--output", tmp_path / "a", "--json")  # fmt: skip
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert summary["config"]["rounds"] == 3
    assert len(lines(tmp_path / "a" / "games.jsonl")) == 3 * 2 * 4
    rested = [row["bye_in_round"] for row in summary["policies"].values()]
    assert sorted(x for x in rested if x) == [1, 2, 3]
    assert sum(row["games"] for row in summary["policies"].values()) == 2 * 24


def test_games_that_all_end_alike_do_not_make_the_result_certain():
    games = [
        {"game": "tictactoe", "rules": {}, "seats": ["a", "b"][:: 1 - 2 * (k % 2)],
         "returns": [[1.0, -1.0], [-1.0, 1.0]][k % 2], "seed": k // 2, "actions": [k],
         "ended_by": "terminal", "plies": 1, "forfeited_by": None}
        for k in range(60)
    ]  # fmt: skip
    row = pairing_row("a", "b", Games.of(games))
    assert row["score"]["value"] == row["wins"]["value"] == 1
    assert 0.8 < row["score"]["low"] < 0.95  # Wilson's for 30 of 30 is .886
    assert row["losses"]["high"] == pytest.approx(1 - row["wins"]["low"])
    assert {name: rate["n"] for name, rate in row["movers"].items()} == {"first": 30, "second": 30}


def test_scores_are_split_by_who_moved_first(tmp_path):
    """In Ludo the throws say who decides first, so that the seat does not tell it."""
    result = run("--game", "ludo", "--policies", "random,gt:1", "--games", 24, "--workers", 1,
                 "--output", tmp_path / "a", "--json")  # fmt: skip
    (row,) = json.loads(result.stdout)["pairings"]
    rules, scores = spec("ludo").make_rules(players=2), {"first": [], "second": []}
    states, (_, probs) = core.new_states(rules), core.new_scratch(rules)
    for game in lines(tmp_path / "a" / "games.jsonl"):
        begins = core.start_at(rules, states, 0, np.uint64(game["seed"]), probs)
        own = game["seats"].index(row["a"])
        scores["first" if own == begins else "second"].append(game["returns"][own] > 0)
    for name, own in scores.items():
        assert row["movers"][name]["n"] == len(own) == 12
        assert row["movers"][name]["value"] == pytest.approx(np.mean(own))
    assert "moving first" in (tmp_path / "a" / "report.md").read_text()


def served(server: OpenAIServer, output: Path, *more: object) -> tuple:
    return (
        "--game", "tictactoe", "--policies", "random,llm:scripted,mcts:5", "--games", 8,
        "--base-url", server.base_url, "--api-key-env", "STRATAGYM_TEST_KEY", "--retries", 4,
        "--concurrency", 2, "--tries", 2, "--output", output, "--json", *more,
    )  # fmt: skip


def test_a_model_meets_faults_and_a_kill_and_ends_with_the_same_ratings(tmp_path):
    with OpenAIServer(tictactoe) as server:
        whole = run(*served(server, tmp_path / "whole"))
        assert whole.returncode == 0, whole.stderr
    cut = tmp_path / "cut"
    with OpenAIServer(tictactoe) as server:
        decisions = cut / "decisions.jsonl"
        done = kill_at(command(*served(server, cut)), decisions, 8)
        resumed = run(*served(server, cut, "--resume"))
        assert resumed.returncode == 0, resumed.stderr
    one, two = (json.loads(result.stdout) for result in (whole, resumed))
    for key in ("policies", "pairings"):
        assert one[key] == two[key]
    assert timeless(one["models"]) == timeless(two["models"])
    kinds = one["models"]["llm:scripted"]["kinds"]
    assert set(kinds) == {"ok", "unparseable", "illegal"}
    records = lines(decisions)
    keys = [(r["item"], r["ply"], r["attempt"]) for r in records]
    assert len(keys) == len(set(keys)) > done
    games = {game["match"]: game for game in lines(cut / "games.jsonl")}
    rules = spec("tictactoe").make_rules()
    for record in records:
        game = games[record["item"]]
        if record["action"] is not None:
            assert game["actions"][record["ply"]] == record["action"]
        assert game["seats"][record["seat"]] == record["policy"] == "llm:scripted"
    for game in games.values():
        states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
        core.start_at(rules, states, 0, np.uint64(game["seed"]), probs)
        for action in game["actions"]:
            core.play_at(rules, states, 0, action, legal, probs)
        returns = np.zeros(2)
        core.returns_at(rules, states, 0, returns)
        if game["ended_by"] == "forfeit":
            assert game["returns"][game["forfeited_by"]] == -1
            assert game["seats"][game["forfeited_by"]] == "llm:scripted"
        else:
            assert returns.tolist() == game["returns"]
    assert {game["ended_by"] for game in games.values()} == {"forfeit", "terminal"}
    assert not any(KEY.encode() in path.read_bytes() for path in cut.iterdir())


def test_forfeits_count_against_the_model_alone(tmp_path):
    with OpenAIServer(lambda body, nth: answer("I pass.")) as server:
        result = run("--game", "tictactoe", "--policies", "random,llm:scripted", "--games", 2,
                     "--tries", 2, "--base-url", server.base_url, "--api-key-env",
                     "STRATAGYM_TEST_KEY", "--output", tmp_path, "--json",
                     "--price-in", 1, "--price-out", 2)  # fmt: skip
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    for game in lines(tmp_path / "games.jsonl"):
        assert game["seats"][game["forfeited_by"]] == "llm:scripted"
        assert game["returns"][game["forfeited_by"]] == -1
    # No answer could be read, so it has no result, and nobody has points from it.
    assert not summary["own"]["llm:scripted"]["result"]
    row = summary["policies"]["llm:scripted"]
    assert (row["games"], row["transport_breaks"]) == (0, 0)
    assert summary["policies"]["random"]["points"] == 0
    usage = summary["models"]["llm:scripted"]
    assert usage["kinds"] == {"unparseable": 4}
    assert usage["cost"] == pytest.approx(4 * (11 * 1 + 7 * 2) / 1e6)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "shogi"], ["shogi", "connect_four"]),
        (["--game", "hanabi"], ["hanabi_teams"]),
        (["--game", "ludo", "--rules", "players=3"], ["3 players", "benchmarks.table"]),
        (["--games", "0"], ["--games 0"]),
        (["--policies", "random"], ["at least two"]),
        (["--policies", "random,nobody"], ["nobody", "mcts"]),
        (["--format", "knockout"], ["knockout", "round_robin", "swiss"]),
        (["--rounds", "2"], ["--rounds", "swiss"]),
        (["--format", "swiss", "--rounds", "4"], ["--rounds 4", "1 to 3"]),
        (["--rules", "rows=tall"], ["rows"]),
        (["--invalid", "pass"], ["pass", "forfeit, random"]),
        (["--tries", "0"], ["tries 0"]),
        (["--time-limit", "0"], ["time limit 0"]),
        (["--executor", "cloud"], ["cloud", "process, ray"]),
        (["--workers", "0"], ["--workers 0"]),
        (["--persona", "angry"], ["angry"]),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, words, tmp_path, capsys):
    with pytest.raises(SystemExit) as left:
        cli.run(APP, [*arguments, "--output", str(tmp_path / "run")])
    assert left.value.code == 2
    (line,) = told(capsys.readouterr().err)
    assert all(word in line for word in words)
    assert not (tmp_path / "run").exists()
