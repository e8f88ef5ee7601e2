"""``python -m benchmarks.ludo_arena`` from the outside, with built-in policies and a model."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scripts
from openai_server import OpenAIServer, answer, mixed, once, rate_limit
from scripts import KEY, assert_refused, kill_at, lines, timeless

from stratagym.envs import core, spec

command = partial(scripts.command, "ludo_arena")
run = partial(scripts.run, "ludo_arena")


def replayed(game: dict) -> tuple[list[float], int]:
    """Returns and seat to move after a recorded game's actions."""
    rules = spec("ludo").make_rules(**game["rules"])
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    seat = core.start_at(rules, states, 0, np.uint64(game["seed"]), probs)
    for action in game["actions"]:
        n = core.legal_actions_at(rules, states, 0, legal)
        assert action in legal[:n]
        seat, _ = core.play_at(rules, states, 0, action, legal, probs)
    out = np.zeros(rules.num_players)
    core.returns_at(rules, states, 0, out)
    return out.tolist(), seat


def test_built_in_policies(tmp_path):
    result = run("--games", 24, "--output", tmp_path / "a", "--json", "--rules", "home=exact")
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert len(summary["pairings"]) == 3 + 6 + 6
    games = lines(tmp_path / "a" / "games.jsonl")
    assert len(games) == 15 * 24
    for game in games[::19]:
        assert game["rules"]["home"] == "exact"
        returns, seat = replayed(game)
        assert returns == game["returns"]
        assert seat == core.TERMINAL or game["ended_by"] == "truncated"
        assert game["outcome"] == [k for k, x in enumerate(returns) if x > 0]
    for row in summary["pairings"]:
        mine = [
            game for game in games
            if game["match"].startswith(f"{row['players']}p/{row['one']}/{row['rest']}/")
        ]  # fmt: skip
        seats = [game["seats"].index(row["one"]) for game in mine]
        assert [seats.count(k) for k in range(row["players"])] == [len(mine) // row["players"]] * (
            row["players"]
        )
        won = [game["returns"][seat] > 0 for game, seat in zip(mine, seats, strict=True)]
        assert row["win_rate"]["value"] == pytest.approx(np.mean(won))
        assert row["win_rate"]["low"] <= row["win_rate"]["value"] <= row["win_rate"]["high"]
    seeds = {p: {g["seed"] for g in games if len(g["seats"]) == p} for p in (2, 3, 4)}
    assert [len(seeds[p]) for p in (2, 3, 4)] == [12, 8, 6]
    # The same seeds give the same games, also when they are cut into other pieces.
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "config.json").write_bytes((tmp_path / "a" / "config.json").read_bytes())
    kept = (tmp_path / "a" / "games.jsonl").read_text().splitlines(keepends=True)[:155]
    (tmp_path / "b" / "games.jsonl").write_text("".join(kept) + '{"schema":1,"benchm')
    again = run(
        "--games", 24, "--output", tmp_path / "b", "--json", "--rules", "home=exact", "--resume"
    )
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == summary
    assert sorted(map(str, lines(tmp_path / "b" / "games.jsonl"))) == sorted(map(str, games))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--players", "5"], ["5", "2, 3, 4"]),
        (["--games", "0"], ["--games 0"]),
        (["--policies", "gt"], ["at least two"]),
        (["--rules", "stacking=often"], ["stacking", "never, safe"]),
        (["--rules", "colour=red"], ["colour", "stacking"]),
        (["--rules", "stacking"], ["name=value"]),
        (["--invalid", "laugh"], ["laugh", "forfeit"]),
        (["--persona", "angry"], ["angry", "unforgiving"]),
        (["--tries", "0"], ["tries 0"]),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, words, tmp_path):
    result = run(*arguments, "--output", tmp_path / "run")
    assert_refused(result, words)
    assert not (tmp_path / "run").exists()


def model(server: OpenAIServer, output: Path, *more: object) -> tuple:
    return (
        "--policies", "random,llm:scripted", "--base-url", server.base_url, "--output", output,
        "--api-key-env", "STRATAGYM_TEST_KEY", "--players", 2, "--json", *more,
    )  # fmt: skip


def test_a_model_plays_whole_games_and_survives_a_kill(tmp_path):
    options = ("--games", 4, "--retries", 4, "--concurrency", 2)
    with OpenAIServer(mixed) as server:
        whole = run(*model(server, tmp_path / "whole", *options))
        assert whole.returncode == 0, whole.stderr
    with OpenAIServer(mixed) as server:
        cut = tmp_path / "cut"
        decisions = cut / "decisions.jsonl"
        done = kill_at(command(*model(server, cut, *options)), decisions, 60)
        resumed = run(*model(server, cut, *options, "--resume"))
        assert resumed.returncode == 0, resumed.stderr
    one, two = (json.loads(result.stdout) for result in (whole, resumed))
    assert one["pairings"] == two["pairings"]
    assert timeless(one["models"]) == timeless(two["models"])
    records = lines(decisions)
    keys = [(r["item"], r["ply"], r["attempt"]) for r in records]
    assert len(keys) == len(set(keys)) > done
    by_match = {game["match"]: game for game in lines(cut / "games.jsonl")}
    assert len(by_match) == 4
    for record in records:
        game = by_match[record["item"]]
        if record["action"] is not None:
            assert game["actions"][record["ply"]] == record["action"]
        assert game["seats"][record["seat"]] == record["policy"] == "llm:scripted"
    assert all(replayed(game)[0] == game["returns"] for game in by_match.values())
    assert not any(KEY.encode() in path.read_bytes() for path in cut.iterdir())


def test_forfeit_and_transport_are_not_strategy(tmp_path):
    with OpenAIServer(lambda body, nth: answer("I pass.")) as server:
        result = run(*model(server, tmp_path / "a", "--games", 2, "--invalid", "forfeit",
                            "--tries", 2))  # fmt: skip
    (row,) = json.loads(result.stdout)["pairings"]
    # No answer was readable: no result.
    assert (row["one"], row["win_rate"]["value"]) == ("llm:scripted", None)
    games = lines(tmp_path / "a" / "games.jsonl")
    assert [game["ended_by"] for game in games] == ["forfeit", "forfeit"]
    records = lines(tmp_path / "a" / "decisions.jsonl")
    assert sorted(record["attempt"] for record in records) == [1, 1, 2, 2]
    assert "I pass." in records[-1]["prompt"][-2]["content"]
    with OpenAIServer(once(rate_limit(1))) as server:
        result = run(*model(server, tmp_path / "b", "--games", 2, "--retries", 0))
        (row,) = json.loads(result.stdout)["pairings"]
        assert row["transport_aborted"] == 2
        assert row["win_rate"]["n"] == 0
    with OpenAIServer(mixed) as server:
        result = run(*model(server, tmp_path / "b", "--games", 2, "--retries", 3, "--resume"))
        (row,) = json.loads(result.stdout)["pairings"]
        assert row["win_rate"]["n"] == 2
