"""``python -m benchmarks.hanabi_teams`` from the outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from openai_server import OpenAIServer, answer

from stratagym.benchmarks import hanabi_teams
from stratagym.envs import make

ROOT = Path(__file__).resolve().parents[1]


def run(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.hanabi_teams", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "STRATAGYM_TEST_KEY": "no-key"},
        timeout=300,
    )


def games_of(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]


def returned(game: dict, score: str) -> float:
    """What a recorded game returns in the AEC environment under another way to score it."""
    env = make("hanabi", players=game["rules"]["players"], score=score)
    env.reset(seed=game["seed"])
    total = 0.0
    for action in game["actions"]:
        env.step(action)
        total += env.rewards["player_0"]
    assert all(env.terminations.values())
    return total


def test_scores_of_teams_are_those_of_the_environment(tmp_path, seed):
    folder = tmp_path / "run"
    output = ("--output", folder, "--policies", "random,rule:iggi", "--players", "2,3",
              "--teammates", "rule:focus", "--games", 12, "--seed", seed % 2**31)  # fmt: skip
    result = run(*output, "--json")
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    games = games_of(folder)
    for row in summary["teams"]:
        mine = [g for g in games if g["match"].startswith(f"{row['players']}p/{row['policy']}/")]
        assert len(mine) == row["strict"]["n"] == 12
        for score in ("strict", "keep", "spin"):
            mean = np.mean([returned(g, score) for g in mine])
            assert row[score]["value"] == pytest.approx(mean)
        assert row["lives_lost"]["value"] >= np.mean([returned(g, "strict") == 0 for g in mine])
        moves = row["process"]
        shares = [moves[kind]["value"] for kind in ("hints", "plays", "discards")]
        assert sum(shares) == pytest.approx(1)
        assert moves["hints"]["n"] == sum(g["plies"] for g in mine)
    # A deal is the same for all teams of a size, and every seat has its turn among the others.
    seeds = {(g["rules"]["players"], g["match"].rsplit("/", 1)[1], g["seed"]) for g in games}
    assert len(seeds) == 2 * 12
    for row in summary["mixed"]:
        team = f"2p/{row['policy']}+{row['teammate']}/"
        mine = [g for g in games if g["match"].startswith(team)]
        assert [g["seats"].index(row["policy"]) for g in mine] == [0, 1] * 6
        own = {
            name: {g["seed"]: returned(g, "strict") for g in games
                   if g["match"].startswith(f"2p/{name}/")}
            for name in (row["policy"], row["teammate"])
        }  # fmt: skip
        surplus = [
            returned(g, "strict") - sum(o[g["seed"]] for o in own.values()) / 2 for g in mine
        ]
        assert row["over_own_teams"]["value"] == pytest.approx(np.mean(surplus))
    assert len(summary["mixed"]) == 2
    assert json.loads(run(*output, "--resume", "--json").stdout) == summary
    assert len(games_of(folder)) == len(games)


def test_spin_deals_four_players_five_cards(tmp_path):
    result = run("--policies", "rule:iggi", "--players", 4, "--score", "spin", "--games", 3,
                 "--teammates", "", "--output", tmp_path, "--json")  # fmt: skip
    assert result.returncode == 0, result.stderr
    for game in games_of(tmp_path):
        assert game["rules"]["score"] == "spin"
        assert returned(game, "spin") == game["returns"][0]
        assert max(game["actions"]) >= 2 * 5


def test_a_model_that_names_no_move_ends_the_game(tmp_path):
    with OpenAIServer(lambda body, nth: answer("I see nothing.")) as server:
        result = run(
            "--policies", "llm:scripted", "--base-url", server.base_url, "--players", 2,
            "--teammates", "rule:iggi", "--tries", 2, "--games", 4, "--output", tmp_path,
            "--api-key-env", "STRATAGYM_TEST_KEY", "--json",
        )  # fmt: skip
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    team = next(row for row in summary["teams"] if row["policy"] == "llm:scripted")
    assert team["endings"] == {"forfeit": 4}
    assert team["strict"]["value"] == 0
    assert summary["mixed"][0]["score"]["value"] == 0
    # Four games of its own team and four of the mixed one, two answers each.
    assert summary["models"]["llm:scripted"]["kinds"] == {"unparseable": 16}
    assert "I see nothing" in (tmp_path / "decisions.jsonl").read_text()


def test_a_model_plays_by_its_words(tmp_path):
    """Its oldest card is played every third time and discarded else; what is illegal is random."""

    def reply(body, nth):
        prompt = body["messages"][-1]["content"]
        return answer("Move: play 0" if nth % 3 == 0 or "8 of 8" in prompt else "Move: discard 0")

    with OpenAIServer(reply) as server:
        result = run(
            "--policies", "llm:scripted", "--base-url", server.base_url, "--players", 3,
            "--teammates", "", "--games", 2, "--output", tmp_path, "--invalid", "random",
            "--tries", 1, "--api-key-env", "STRATAGYM_TEST_KEY", "--concurrency", 1, "--json",
        )  # fmt: skip
    assert result.returncode == 0, result.stderr
    (row,) = json.loads(result.stdout)["teams"]
    assert row["endings"] == {"terminal": 2}
    assert row["process"]["plays"]["value"] > 0
    games = games_of(tmp_path)
    assert row["keep"]["value"] == pytest.approx(np.mean([returned(g, "keep") for g in games]))


def test_a_forfeit_counts_nothing_in_the_strict_score():
    env = make("hanabi", players=2)
    env.reset(seed=3)
    game = {"rules": {"players": 2, "score": "strict", "variant": "full"}, "seed": 3, "plies": 1,
            "actions": [int(np.flatnonzero(env.last()[0]["action_mask"])[-1])], "returns": [0, 0],
            "ended_by": "forfeit"}  # fmt: skip
    ((scores, lives),) = hanabi_teams.scores_of([game]).values()
    assert scores.tolist() == [0, 0, 0]
    assert lives == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--players", "6"], ["--players", "2, 3, 4, 5"]),
        (["--games", "0"], ["--games"]),
        (["--score", "lenient"], ["score", "strict"]),
        (["--teammates", "rule:nobody"], ["nobody"]),
        (["--invalid", "fold"], ["fold"]),
        (["--mixed-players", "1"], ["--mixed-players"]),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, words, tmp_path):
    result = run(*arguments, "--output", tmp_path / "run")
    assert result.returncode == 2
    (line,) = [x for x in result.stderr.splitlines() if "compiling" not in x]
    assert all(word in line for word in words)
    assert not (tmp_path / "run").exists()
