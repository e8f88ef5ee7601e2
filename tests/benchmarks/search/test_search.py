"""``python -m benchmarks.search`` and ``python -m benchmarks.duel`` from the outside."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from scripts import told

from stratagym.agents.core import decision_for
from stratagym.benchmarks.duel import __main__ as duel
from stratagym.benchmarks.harness.cli import run
from stratagym.benchmarks.search import __main__ as search
from stratagym.benchmarks.search import searches
from stratagym.benchmarks.search.openspiel import MCTSBot
from stratagym.benchmarks.search.report import rival_table
from stratagym.benchmarks.search.strength import rival_pairings, strength
from stratagym.envs import core, spec

TINY = ["--seconds", "0.001", "--repeats", "2", "--simulations", "20", "--max-plies", "30"]


def output(capsys, application, *arguments):
    """What a command prints as JSON."""
    with pytest.raises(SystemExit) as stopped:
        run(application, [*map(str, arguments), "--json"])
    captured = capsys.readouterr()
    assert not stopped.value.code, captured.err
    return json.loads(captured.out)


def refusal(capsys, application, *arguments):
    with pytest.raises(SystemExit) as stopped:
        run(application, [*map(str, arguments)])
    captured = capsys.readouterr()
    assert stopped.value.code == 2
    lines = told(captured.err)
    assert len(lines) == 1 and not captured.out
    return lines[0]


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


# --- search --------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch):
    """Searches and positions of no length worth timing."""
    monkeypatch.setattr(searches, "TIMED", {"connect_four": 20, "chess": 5})
    monkeypatch.setattr(searches, "PLIES", range(0, 4, 2))
    monkeypatch.setattr(searches, "DEPTHS", {"connect_four": (2,), "chess": (1,)})
    monkeypatch.setattr(searches, "LUDO", ("heuristic", "gt:1"))


def test_both_are_timed_and_play_every_opening_from_both_sides(capsys, small, tmp_path, seed):
    pytest.importorskip("pyspiel", reason="pip install 'stratagym[peers]'")
    folder = tmp_path / "run"
    page = tmp_path / "page.md"
    page.write_text("above <!-- search: begin -->of before<!-- search: end --> below")
    arguments = [*TINY, "--games", 4, "--seed", seed % 1000, "--output", folder, "--page", page]
    summary = output(capsys, search.APP, *arguments)
    text = page.read_text()
    assert text.startswith("above <!-- search: begin -->\n\n") and text.endswith("--> below")
    assert "of before" not in text and text.count("\n| Chess | ") == 4 + 1
    for board in ("connect_four", "chess"):
        row = summary["speed"][board]
        assert 0 < row["ours"]["min"] <= row["ours"]["median"] <= row["ours"]["max"]
        slowest, fastest = row["openspiel"]["min"], row["openspiel"]["max"]
        assert row["ours"]["min"] / fastest <= row["ratio"]["median"] * (1 + 1e-9)
        assert row["ratio"]["median"] <= row["ours"]["max"] / slowest * (1 + 1e-9)
    timed = {(row["game"], row["policy"]) for row in summary["decisions"]}
    assert timed == {
        ("ludo", "heuristic"), ("ludo", "gt:1"), ("connect_four", "alphabeta:2"),
        ("chess", "alphabeta:1"),
    }  # fmt: skip
    games = {game["match"]: game for game in lines(folder / "games.jsonl")}
    assert len(games) == 4 * 6
    assert len(summary["strength"]) == 6
    for row in summary["strength"]:
        name = f"{row['game']}/{row['ours']}/{row['openspiel']}"
        played = [games[f"{name}/{k}/{side}"] for k in range(2) for side in range(2)]
        for first, second in (played[:2], played[2:]):
            assert first["seats"] == second["seats"][::-1]
            assert first["seed"] == second["seed"]
            assert first["actions"][:4] == second["actions"][:4]
        own = [game["returns"][game["seats"].index(row["ours"])] for game in played]
        assert row["points"]["value"] == np.mean(own) / 2 + 0.5
        assert row["wins"]["value"] == np.mean([x > 0 for x in own])
        assert row["cut"] == sum(
            game["plies"] == 30 and game["ended_by"] == "cut" for game in played
        )
        assert row["points"]["low"] <= row["points"]["value"] <= row["points"]["high"]
    for game in games.values():
        replay(game)
    report = (folder / "report.md").read_text()
    assert "mcts:20" in report and "Simulations" in report


def test_rivals_meet_from_the_same_openings(capsys, tmp_path):
    summary = output(
        capsys, search.APP, "--boards", "tictactoe", "--rivals", "alphabeta:9,random,mcts:20",
        "--games", 4, "--opening", 2, "--no-peers", "--no-searchers", "--no-simulation-speed",
        "--output", tmp_path / "run",
    )  # fmt: skip
    assert [row["rival"] for row in summary["strength"]] == ["random", "mcts:20"]
    games = lines(tmp_path / "run" / "games.jsonl")
    assert len(games) == 8
    for game in games:
        replay(game)
        assert len(game["ms"]) == 2
    assert games[0]["actions"][:2] == games[1]["actions"][:2] == games[4]["actions"][:2]
    assert summary["strength"][0]["losses"]["value"] == 0
    assert "alphabeta:9" in (tmp_path / "run" / "report.md").read_text()
    # As in games of version 0.1, some or all of which have no times.
    pairings = rival_pairings("tictactoe", ["alphabeta:9", "random", "mcts:20"])
    untimed = [{name: value for name, value in game.items() if name != "ms"} for game in games]
    for known, timed in ((untimed, [False, False]), (untimed[:3] + games[3:], [True, True])):
        rows = strength(known, pairings)
        assert [row["ms"] is not None for row in rows] == timed
        assert rival_table({"strength": rows}).rows


def replay(game):
    """The record's moves are legal and end as it says."""
    rules = spec(game["game"]).make_rules(**game["rules"])
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    player = core.start_at(rules, states, 0, np.uint64(game["seed"]), probs)
    for action in game["actions"]:
        assert action in legal[: core.legal_actions_at(rules, states, 0, legal)]
        player, _ = core.play_at(rules, states, 0, action, legal, probs)
    assert (player < 0) == (game["ended_by"] == "terminal")
    returns = np.zeros(2)
    core.returns_at(rules, states, 0, returns)
    assert returns.tolist() == game["returns"]


def _untimed(line: str) -> str:
    record = json.loads(line)
    del record["ms"]
    return json.dumps(record)


def test_a_run_goes_on_where_it_was_stopped(capsys, small, tmp_path):
    pytest.importorskip("pyspiel", reason="pip install 'stratagym[peers]'")
    folder = tmp_path / "run"
    arguments = [*TINY, "--boards", "connect_four", "--no-searchers", "--output", folder]
    whole = output(capsys, search.APP, *arguments, "--games", 4)
    path = folder / "games.jsonl"
    kept = path.read_text().splitlines(keepends=True)
    path.write_text("".join(kept[:3]) + kept[3][:50])
    again = output(capsys, search.APP, *arguments, "--games", 4, "--resume")
    for row in again["strength"] + whole["strength"]:
        del row["ms"]
    assert again["strength"] == whole["strength"]
    assert sorted(map(_untimed, path.read_text().splitlines())) == sorted(map(_untimed, kept))
    said = refusal(capsys, search.APP, *arguments, "--games", 6, "--resume")
    assert "games" in said


def test_without_the_peer(capsys, small, tmp_path, monkeypatch):
    """Its absence is one line that names the extra; our own figures need nothing."""
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    said = refusal(capsys, search.APP, *TINY, "--output", tmp_path / "one")
    assert "OpenSpiel is not installed" in said and "stratagym[peers]" in said
    summary = output(
        capsys,
        search.APP,
        *TINY,
        "--no-peers",
        "--boards",
        "tictactoe",
        "--output",
        tmp_path / "two",
    )
    row = summary["speed"]["tictactoe"]
    assert row["ours"]["min"] > 0 and row["openspiel"] is None and row["ratio"] is None
    assert summary["strength"] == []


@pytest.mark.parametrize("game", ["connect_four", "chess"])
def test_the_peer_has_the_same_moves(game, rng):
    """In random games: the legal moves are one to one, and it follows them."""
    pytest.importorskip("pyspiel", reason="pip install 'stratagym[peers]'")
    facts = spec(game)
    rules = facts.make_rules()
    bot = MCTSBot(facts, 2, 1.4, False)
    for _ in range(6):
        states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
        bot.begin(1)
        player = core.start_at(rules, states, 0, np.uint64(1), probs)
        while player >= 0 and not bot.over():
            moves = legal[: core.legal_actions_at(rules, states, 0, legal)].tolist()
            theirs = [bot.action_of(states, move) for move in moves]
            assert sorted(theirs) == sorted(bot.state.legal_actions())
            if rng.random() < 0.1:
                assert bot.act(decision_for(facts, rules, states, 1)) in moves
            action = int(rng.choice(moves))
            bot.follow(states, action)
            player, _ = core.play_at(rules, states, 0, action, legal, probs)
        returns = np.zeros(2)
        core.returns_at(rules, states, 0, returns)
        if player < 0:
            theirs = bot.state.returns()
            # In OpenSpiel's chess White, who moves first, is player 1.
            assert bot.over()
            assert (theirs[::-1] if game == "chess" else theirs) == returns.tolist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "shogi"], ["shogi", "connect_four"]),
        (["--game", ","], ["--game"]),
        (["--games", "3"], ["--games 3", "even"]),
        (["--simulations", "1"], ["--simulations 1"]),
        (["--opening", "9", "--max-plies", "9"], ["--max-plies"]),
        (["--exploration", "-1"], ["--exploration -1"]),
        (["--seconds", "0"], ["--seconds"]),
        (["--spots", "nowhere.json"], ["nowhere.json"]),
    ],
    ids=lambda value: "".join(value),
)
def test_bad_input_of_search(capsys, arguments, words, tmp_path):
    said = refusal(capsys, search.APP, *arguments, "--output", tmp_path / "run")
    assert all(word in said for word in words)
    assert not (tmp_path / "run").exists()


# --- duel ----------------------------------------------------------------------------------------


def test_margins_of_holdem(capsys, tmp_path, seed):
    folder = tmp_path / "run"
    arguments = ["--games", 60, "--rules", "hands=10", "--seed", seed % 1000, "--output", folder]
    policies = ["--policies", "heuristic,random"]
    summary = output(capsys, duel.APP, *arguments, *policies)
    (pair,) = summary["pairs"]
    assert summary["unit"] == "big blinds per 100 hands"
    games = lines(folder / "games.jsonl")
    own = [game["returns"][game["seats"].index("heuristic")] for game in games]
    assert pair["margin"]["value"] == pytest.approx(100 * np.mean(own) / 10)
    assert pair["ahead"]["value"] == np.mean([x > 0 for x in own])
    assert pair["margin"]["low"] > 0, "the threshold player must beat random play"
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert first["seed"] == second["seed"] and first["seats"] == second["seats"][::-1]
        replay(first)
    path = folder / "games.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:33]))
    assert output(capsys, duel.APP, *arguments, *policies, "--resume") == summary
    assert "heuristic" in (folder / "report.md").read_text()


def test_a_duel_is_fair(capsys, tmp_path, seed):
    """Which of two policies comes first only changes the sign."""
    found = [
        output(
            capsys, duel.APP, "--game", "ludo", "--rules", "players=2", "--games", 20, "--policies",
            policies, "--seed", seed % 1000, "--output", tmp_path / policies,
        )
        for policies in ("heuristic,random", "random,heuristic")
    ]  # fmt: skip
    one, other = (summary["pairs"][0]["margin"]["value"] for summary in found)
    assert found[0]["unit"] == "return a game"
    assert one == -other


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "poker"], ["poker", "texas_holdem"]),
        (["--game", "ludo", "--rules", "players=3"], ["ludo", "two players"]),
        (["--game", "hanabi", "--rules", "players=2"], ["hanabi", "contest"]),
        (["--policies", "random"], ["at least two"]),
        (["--policies", "random,mcts:5"], ["mcts:5", "compiled"]),
        (["--policies", "random,rule:nobody"], ["rule:nobody"]),
        (["--rules", "hands=none"], ["hands", "whole number"]),
        (["--games", "1"], ["--games 1"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_bad_input_of_duel(capsys, arguments, words, tmp_path):
    said = refusal(capsys, duel.APP, *arguments, "--output", tmp_path / "run")
    assert all(word in said for word in words)
    assert not (tmp_path / "run").exists()
