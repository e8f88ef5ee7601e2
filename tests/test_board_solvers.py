"""``python -m benchmarks.board_solvers`` from the outside."""

from __future__ import annotations

import json
from functools import partial

import pytest
import scripts
from openai_server import OpenAIServer, answer
from scripts import assert_refused

run = partial(scripts.run, "board_solvers")


def test_tictactoe_against_the_perfect_player(tmp_path):
    output = ("--output", tmp_path / "run", "--boards", "tictactoe", "--json")
    result = run("--policies", "random,perfect", *output)
    assert result.returncode == 0, result.stderr
    board = json.loads(result.stdout)["boards"]["tictactoe"]
    random, perfect = board["policies"]["random"], board["policies"]["perfect"]
    assert random["wins"]["value"] == 0
    assert random["wins"]["n"] == 10
    assert perfect["top_1"]["value"] == 1
    assert random["top_1"]["value"] < 1
    assert 0 < random["top_1"]["chance"] < random["top_3"]["chance"] <= 1
    assert board["ratings"]["perfect"]["elo"] > board["ratings"]["random"]["elo"]
    games = [json.loads(x) for x in (tmp_path / "run" / "games.jsonl").read_text().splitlines()]
    games.sort(key=lambda game: int(game["match"].rpartition("/")[2]))
    seats = [
        g["seats"].index("random") for g in games if g["match"].startswith("tictactoe/random/")
    ]
    assert seats == [0] * 5 + [1] * 5
    again = run("--policies", "random,perfect", *output, "--resume")
    assert json.loads(again.stdout)["boards"] == json.loads(result.stdout)["boards"]


def test_a_model_that_names_no_legal_move_loses_by_it(tmp_path):
    with OpenAIServer(lambda body, nth: answer("I resign to fate.")) as server:
        result = run(
            "--policies", "llm:scripted", "--base-url", server.base_url, "--boards", "tictactoe",
            "--api-key-env", "STRATAGYM_TEST_KEY", "--games", 2, "--output", tmp_path, "--json",
        )  # fmt: skip
    assert result.returncode == 0, result.stderr
    row = json.loads(result.stdout)["boards"]["tictactoe"]["policies"]["llm:scripted"]
    assert row["games_lost_by_illegal_moves"]["value"] == 1
    assert row["answers"] == {"unparseable": 22}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "shogi"], ["shogi", "connect_four"]),
        (["--games", "0"], ["--games"]),
        (["--boards", "chess", "--engine", "uci:nothing-of-the-kind"], ["nothing-of-the-kind"]),
        (["--policies", "gt:99"], ["gt:99"]),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, words, tmp_path):
    result = run(*arguments, "--output", tmp_path / "run")
    assert_refused(result, words)
