"""``python -m benchmarks.anchored_levels``: the climb's rules, and the command from outside."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scripts
from openai_server import (
    OpenAIServer,
    Response,
    answer,
    drop,
    error,
    prompt_sha256,
    prose,
    rate_limit,
)
from scripts import KEY, assert_refused, kill_at, lines

from stratagym.agents.ladders import ladder_of
from stratagym.benchmarks.harness import match_play
from stratagym.benchmarks.harness.climb import Climb, Plan, climb_all, new_climb
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.envs.text import TextOptions

HOW = match_play.AnswerProtocol(TextOptions(), 3, match_play.FORFEIT)


# --- the climb ---------------------------------------------------------------------------------


def plan(game="connect_four", games=32, early_stop=True, seed=0):
    ladder = ladder_of(game)
    return Plan("anchored_levels", ladder, games, seed, HOW, early_stop, ladder.top)


def scripted(points):
    """Plays items without playing: ``points(level, opponent, game)`` is what the climber gets."""
    asked = []

    def play(items):
        records = {}
        for item in items:
            asked.append(item)
            parts = item.name.split("/")
            got = points(int(parts[2]), parts[3], int(parts[4]))
            seat = int(parts[5])
            ended = TRANSPORT if got is None else "terminal"
            mine = None if got is None else 2 * got - 1
            returns = None if mine is None else [mine if k == seat else -mine for k in range(2)]
            records[item.name] = {
                "match": item.name, "returns": returns, "ended_by": ended, "seed": item.seed,
                "seats": item.seats, "game": item.game, "forfeited_by": None,
                "actions": [len(asked)],
            }  # fmt: skip
        return records

    return play, asked


def climb(points, **options):
    one = new_climb(plan(**options), "x")
    play, asked = scripted(points)
    climb_all([one], play)
    return one, asked


def test_the_level_is_the_first_that_is_not_passed():
    def points(level, opponent, game):
        return 1.0 if level < 3 else float(game % 4 == 0)

    one, _ = climb(points, early_stop=False)
    outcome = one.outcome()
    assert outcome.level == 3 and not outcome.topped
    assert outcome.progress.value == pytest.approx(0.5)
    assert outcome.progress.low < 0.5 < outcome.progress.high
    assert outcome.value == pytest.approx(3.5)
    assert outcome.text() == "Lv3, 50%"
    assert [level.level for level in outcome.levels] == [0, 1, 2, 3]
    assert [level.passed for level in outcome.levels] == [True] * 3 + [False]


def test_half_of_the_decided_games_passes_and_draws_do_not_count():
    one, _ = climb(lambda level, opponent, game: (0.5, 1.0, 0.0, 0.5)[game % 4], early_stop=False)
    assert one.outcome().topped
    one, _ = climb(lambda level, opponent, game: 0.5, early_stop=False)
    outcome = one.outcome()
    assert outcome.level == 0 and outcome.progress.value is None


def test_every_opponent_of_a_level_is_met_on_the_same_seeds_from_every_seat():
    _, asked = climb(lambda level, opponent, game: 1.0, early_stop=False)
    ladder = ladder_of("connect_four")
    by_pair: dict[tuple[str, str], list] = {}
    for item in asked:
        by_pair.setdefault(tuple(item.name.split("/")[2:4]), []).append(item)
    assert [key[1] for key in by_pair] == [name for names in ladder.levels for name in names]
    (seeds,) = {tuple(item.seed for item in items) for items in by_pair.values()}
    assert len(seeds) == 32 and len(set(seeds)) == 16
    for items in by_pair.values():
        assert [item.seats.index("x") for item in items] == [0, 1] * 16


def test_a_settled_level_ends_early_and_an_open_one_does_not():
    one, asked = climb(lambda level, opponent, game: 1.0 if level == 0 else float(game % 2))
    first = one.levels[0]
    assert first.settled_early and len(first.results) == 8
    assert not one.levels[1].settled_early
    level_1 = [item for item in asked if item.name.split("/")[2] == "1"]
    assert len(level_1) == 32 * len(ladder_of("connect_four").levels[1])


def test_the_early_stop_rarely_changes_the_verdict(rng):
    wrong = 0
    for _ in range(200):
        p = rng.uniform(0.2, 0.8)
        one, _ = climb(lambda level, opponent, game, p=p: float(rng.random() < p))
        wrong += one.levels[0].settled_early and one.levels[0].passed != (p >= 0.5)
    assert wrong <= 8  # 0.6% of cases or fewer, where p is near one half


def test_perfect_play_is_topped_by_drawing_every_game():
    top = ladder_of("tictactoe").top

    def drawing(share):
        def points(level, opponent, game):
            return 1.0 if level < top else 0.5 if game < share * 16 else 0.0

        return climb(points, game="tictactoe", early_stop=False)[0].outcome()

    assert drawing(1).topped and drawing(1).text() == f"Lv{top}, topped"
    half = drawing(0.5)
    assert (half.level, half.topped) == (top, False)
    assert half.progress.value == pytest.approx(0.5)


def test_transport_failures_break_a_climb_off_and_are_no_losses():
    one, _ = climb(lambda level, opponent, game: None if (level, game) == (1, 0) else 1.0)
    outcome = one.outcome()
    assert outcome.aborted and not outcome.topped
    assert outcome.level == 1 and "broken off" in outcome.text()
    assert outcome.levels[1].tally()["losses"] == 0


def test_whatever_the_seeds_the_same_policy_is_rated_alike(rng):
    """Chances to win as a player of rating 500 has them, by Davidson's model."""
    ladder = ladder_of("connect_four")
    ratings, ties = ladder.calibration["ratings"], ladder.calibration["ties"]
    strengths = {name: 10 ** (r / 400) for name, r in ratings.items()}
    own = 10 ** (500 / 400)

    def points(level, opponent, game):
        other = strengths[opponent]
        weights = np.array([own, ties * np.sqrt(own * other), other])
        return float(rng.choice([1.0, 0.5, 0.0], p=weights / weights.sum()))

    rates = [climb(points, seed=seed)[0].outcome().rating for seed in range(80)]
    assert sum(r.low <= 500 <= r.high for r in rates) >= 64  # 76 are expected
    assert np.mean([r.value for r in rates]) == pytest.approx(500, abs=25)
    assert max(r.high - r.low for r in rates) < 400


def test_all_ratings_of_three_climbs_do_not_depend_on_who_climbs_beside():
    play, _ = scripted(lambda level, opponent, game: float(level < 2))
    alone = Climb(plan(), "a")
    climb_all([alone], play)
    beside = [Climb(plan(), name) for name in ("b", "a", "c")]
    climb_all(beside, play)
    assert beside[1].outcome().rating == alone.outcome().rating


# --- the command -------------------------------------------------------------------------------

command = partial(scripts.command, "anchored_levels")
run = partial(scripts.run, "anchored_levels")


def test_several_games_and_policies(tmp_path):
    arguments = (
        "--game", "tictactoe,hanabi", "--policy", "random,heuristic,perfect", "--games", 16,
        "--workers", 1, "--output", tmp_path / "run",
    )  # fmt: skip
    result = run(*arguments, "--json")
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    board, fireworks = summary["games"]["tictactoe"], summary["games"]["hanabi"]
    assert "perfect" not in fireworks
    assert summary["mean_level_progress"]["perfect"]["games"] == 1
    assert board["random"]["level"] <= 1
    top = ladder_of("tictactoe").top
    assert board["perfect"]["result"] == f"Lv{top}, topped"
    assert board["perfect"]["rating"]["value"] > board["random"]["rating"]["value"]
    assert fireworks["heuristic"]["topped"] and fireworks["random"]["topped"] is False
    assert fireworks["heuristic"]["scores"]["mean"]["value"] > 15
    assert {"decisions"} <= set(board["random"]["behaviour"])
    games = lines(tmp_path / "run" / "games.jsonl")
    for level in board["random"]["levels"]:
        for opponent, tally in level["opponents"].items():
            name = f"tictactoe/random/{level['level']}/{opponent}/"
            mine = [g["returns"][int(g["match"][-1])] for g in games if g["match"].startswith(name)]
            assert len(mine) == 16 or level["settled_early"]
            assert [sum(x > 0 for x in mine), sum(x < 0 for x in mine)] == [
                tally["wins"], tally["losses"],
            ]  # fmt: skip
    for name in ("report.md", "report.html", "levels.png", "summary.json"):
        assert (tmp_path / "run" / name).stat().st_size > 0
    page = (tmp_path / "run" / "report.md").read_text()
    assert "| policy | Tic-Tac-Toe | Hanabi | mean |" in page
    again = run(*arguments, "--json", "--resume")
    assert json.loads(again.stdout) == summary
    assert lines(tmp_path / "run" / "games.jsonl") == games


def test_calibrate_prints_the_table_and_says_what_is_missing(tmp_path):
    frozen = ladder_of("tictactoe").path.read_bytes()
    result = run("calibrate", "--game", "tictactoe", "--games", 8, "--workers", 1, "--freeze")
    assert result.returncode == 1
    assert result.stdout.count("| Lv1 |") == len(ladder_of("tictactoe").levels[1])
    assert "400 or more" in result.stderr
    assert ladder_of("tictactoe").path.read_bytes() == frozen
    checked = run("calibrate", "--game", "tictactoe", "--check", 2, "--workers", 1)
    assert (checked.returncode, checked.stdout.strip()) == (
        0, "tictactoe/ladder-v1: the games are the same",
    )  # fmt: skip


def test_holdem_players_are_told_apart_by_what_they_do(tmp_path):
    result = run(
        "--game", "texas_holdem", "--policy", "random", "--games", 8, "--workers", 1, "--output",
        tmp_path / "run", "--json",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    row = json.loads(result.stdout)["games"]["texas_holdem"]["random"]
    shares = [row["behaviour"][name] for name in ("fold", "check", "call", "raise", "all_in")]
    assert sum(share["value"] for share in shares) == pytest.approx(1)
    assert all(share["low"] < share["value"] < share["high"] for share in shares)


def faulty(body: dict, nth: int) -> Response:
    """Moves by the prompt's hash: 60% good play's first idea, some illegal, some junk, and for
    some prompts a failure first."""
    prompt = body["messages"][-1]["content"]
    place = int(prompt_sha256(body["messages"])[:8], 16) % 100
    if nth == 1 and place < 24:
        return [rate_limit(0.01), error(500), drop(), drop("half")][place % 4]
    if place < 34:
        return prose()
    if place < 42:
        return answer("Move: 4,4", kind="illegal")
    asked = next(m["content"] for m in body["messages"] if "Empty squares" in m["content"])
    squares = re.findall(r"\d,\d", asked.partition("Empty squares")[2])
    wanted = ["2,2", "1,1", "1,3", "3,1", "3,3"]
    best = next((s for s in wanted if s in squares[:-1]), squares[place % max(1, len(squares) - 1)])
    assert prompt
    return answer(f"Move: {best}")


def model(server: OpenAIServer, output: Path, *more: object, retries: int = 4) -> tuple:
    return (
        "--game", "tictactoe", "--policy", "llm:scripted", "--base-url", server.base_url,
        "--api-key-env", "STRATAGYM_TEST_KEY", "--output", output, "--list-legal", "--json",
        "--retries", retries, "--concurrency", 3, "--price-in", 1, "--price-out", 2, "--invalid",
        "random", "--tries", 2, *more,
    )  # fmt: skip


def test_a_model_climbs_through_faults_and_a_kill_to_the_same_rating(tmp_path):
    with OpenAIServer(faulty) as server:
        whole = run(*model(server, tmp_path / "whole"))
        assert whole.returncode == 0, whole.stderr
    with OpenAIServer(faulty) as server:
        cut = tmp_path / "cut"
        decisions = cut / "decisions.jsonl"
        done = kill_at(command(*model(server, cut)), decisions, 50)
        with decisions.open("ab") as file:
            file.write(b'{"schema":1,"benchmark":"anch')  # as a torn write leaves it
        resumed = run(*model(server, cut, "--resume"))
        assert resumed.returncode == 0, resumed.stderr
    one, two = (json.loads(result.stdout)["games"]["tictactoe"] for result in (whole, resumed))
    assert one["llm:scripted"]["rating"] == two["llm:scripted"]["rating"]
    assert one["llm:scripted"]["result"] == two["llm:scripted"]["result"]
    for a, b in zip(one["llm:scripted"]["levels"], two["llm:scripted"]["levels"], strict=True):
        for key in ("opponents", "games", "win_rate", "forfeited", "settled_early"):
            assert a[key] == b[key]
        assert a["usage"]["kinds"] == b["usage"]["kinds"]
        assert a["usage"]["tokens_in"] == b["usage"]["tokens_in"] > 0
        assert a["usage"]["cost"] == pytest.approx(b["usage"]["cost"])
        assert {"ok", "illegal", "unparseable"} >= set(a["usage"]["kinds"])
    assert one["llm:scripted"]["levels"][0]["passed"]
    assert sum(level["retries"] for level in one["llm:scripted"]["levels"]) > 0
    records = lines(decisions)
    keys = [(r["item"], r["ply"], r["attempt"]) for r in records]
    assert len(keys) == len(set(keys)) > done
    assert not any(KEY.encode() in path.read_bytes() for path in cut.iterdir())


def test_a_dead_server_breaks_the_climb_off_and_it_goes_on_later(tmp_path):
    with OpenAIServer(lambda body, nth: error(503)) as server:
        result = run(*model(server, tmp_path / "run", "--games", 8, retries=0))
        assert result.returncode == 3, result.stderr
        row = json.loads(result.stdout)["games"]["tictactoe"]["llm:scripted"]
        assert row["broken_off"] and row["rating"]["value"] is None
        assert row["levels"][0]["opponents"]["random"] == {"wins": 0, "draws": 0, "losses": 0}
        assert row["levels"][0]["broken_off"] > 0
    with OpenAIServer(faulty) as server:
        result = run(*model(server, tmp_path / "run", "--games", 8, "--resume"))
        assert result.returncode == 0, result.stderr
        row = json.loads(result.stdout)["games"]["tictactoe"]["llm:scripted"]
        assert not row["broken_off"] and row["rating"]["value"] is not None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "goo"], ["--game", "goo", "connect_four"]),
        (["--policy", "minimaxx"], ["minimaxx", "mcts"]),
        (["--policy", ""], ["--policies"]),
        (["--policy", "random,random"], ["random", "twice"]),
        (["--games", "7"], ["--games 7", "at least 8"]),
        (["--game", "connect_four,connect_four"], ["twice"]),
        (["--invalid", "fold"], ["fold", "forfeit, random"]),
        (["--tries", "0"], ["tries 0"]),
        (["--time-limit", "0"], ["time limit 0"]),
        (["--policy", "heuristic?random=2"], ["random=2", "probability"]),
        (["--executor", "fax"], ["--executor", "ray"]),
        (["calibrate", "--game", "goo"], ["goo"]),
        (["calibrate", "--games", "2"], ["--games 2"]),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, words, tmp_path):
    more = [] if arguments[0] == "calibrate" else ["--output", tmp_path / "run"]
    result = run(*arguments, *more)
    assert_refused(result, words)
    assert not (tmp_path / "run").exists()


def test_a_run_on_another_version_of_a_ladder_is_not_gone_on_with(tmp_path):
    arguments = ("--game", "tictactoe", "--policy", "random", "--games", 8, "--workers", 1,
                 "--output", tmp_path)  # fmt: skip
    assert run(*arguments).returncode == 0
    config = json.loads((tmp_path / "config.json").read_text())
    config["ladders"]["tictactoe"]["ladder"] = "tictactoe/ladder-v0"
    (tmp_path / "config.json").write_text(json.dumps(config))
    before = (tmp_path / "games.jsonl").read_bytes()
    result = run(*arguments, "--resume")
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert "tictactoe/ladder-v0" in line and ladder_of("tictactoe").name in line
    assert (tmp_path / "games.jsonl").read_bytes() == before
