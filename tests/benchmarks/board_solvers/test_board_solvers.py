"""``python -m benchmarks.board_solvers`` from the outside."""

from __future__ import annotations

import json
import re
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


def test_reversi_is_played_from_endings_and_judged_by_exact_scores(tmp_path):
    output = ("--output", tmp_path / "run", "--game", "reversi", "--games", 6, "--json")
    policies = ("--policies", "random,heuristic,random?tactic=18", "--workers", 1)
    result = run(*policies, *output)
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    rows = summary["boards"]["reversi"]["policies"]
    exact = rows["random?tactic=18"]
    assert exact["top_1"]["value"] == 1 and exact["score_loss"]["value"] == 0
    random = rows["random"]
    assert random["top_1"]["value"] < 1 and random["score_loss"]["value"] > 1
    assert 0 < random["top_1"]["chance"] < random["top_3"]["chance"] <= 1
    games = [json.loads(x) for x in (tmp_path / "run" / "games.jsonl").read_text().splitlines()]
    assert len(games) == 6 * (3 + 3) and {game["opening"] for game in games} == {48}
    openings = {(game["round"], *game["actions"][:48]) for game in games}
    assert len(openings) == 3, "either side of every pairing plays on from the same positions"
    judged = sum(
        seat == "random"
        for game in games
        if game["match"].startswith("reversi/random/random?tactic=20/")
        for seat in seats_in_turn(game)[48:]
    )
    assert random["moves"] == judged
    page = (tmp_path / "run" / "report.md").read_text()
    assert "48 random moves" in page and "discs lost" in page
    again = run(*policies, *output, "--resume")
    assert json.loads(again.stdout) == summary


def test_small_boards_are_played_whole_and_judged_by_exact_scores(tmp_path):
    output = ("--output", tmp_path / "run", "--json", "--workers", 1, "--games", 4)
    boards = "reversi_4x4,reversi_6x6,go_3x3"
    result = run("--game", boards, "--policies", "random,random?tactic=16", *output)
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert list(summary["boards"]) == boards.split(",")
    for board in boards.split(","):
        rows = summary["boards"][board]["policies"]
        exact = rows["random?tactic=16"]
        assert exact["top_1"]["value"] == 1 and exact["score_loss"]["value"] == 0
        assert 0 < rows["random"]["top_1"]["chance"] < rows["random"]["top_3"]["chance"] <= 1
    games = [json.loads(x) for x in (tmp_path / "run" / "games.jsonl").read_text().splitlines()]
    sizes = {game["match"].partition("/")[0]: game["rules"]["size"] for game in games}
    assert sizes == {"reversi_4x4": 4, "reversi_6x6": 6, "go_3x3": 3}
    both = [
        g for g in games if g["match"].startswith("reversi_4x4/random?tactic=16/random?tactic=")
    ]
    assert {tuple(game["returns"]) for game in both} == {(-1.0, 1.0)}, "White wins on 4 x 4"
    both = [g for g in games if g["match"].startswith("go_3x3/random?tactic=16/random?tactic=")]
    assert {tuple(game["returns"]) for game in both} == {(1.0, -1.0)}, "Black wins on 3 x 3"
    page = (tmp_path / "run" / "report.md").read_text()
    assert "Go on 3 x 3" in page and "points lost" in page and "discs lost" in page


def seats_in_turn(game):
    """Whose each action of a recorded game of reversi is."""
    return [game["seats"][ply % 2] for ply in range(game["plies"])]


def test_a_model_plays_on_from_an_opening(tmp_path):
    """It is asked for what comes after the opening, and what it is told is the position there."""
    asked = []

    def reply(body, nth):
        prompt = body["messages"][-1]["content"]
        moves = prompt.partition("Legal moves: ")[2].partition("\n")[0]
        if moves:  # else it is asked whether it is there
            asked.append(prompt)
        return answer(f"Move: {moves.split(', ')[0].rstrip('.')}")

    with OpenAIServer(reply) as server:
        result = run(
            "--policies", "llm:scripted", "--base-url", server.base_url, "--game", "reversi",
            "--api-key-env", "STRATAGYM_TEST_KEY", "--games", 2, "--output", tmp_path, "--json",
            "--list-legal",
        )  # fmt: skip
    assert result.returncode == 0, result.stderr
    row = json.loads(result.stdout)["boards"]["reversi"]["policies"]["llm:scripted"]
    assert row["answers"] == {"ok": len(asked)} and row["moves"] == len(asked) > 4
    decisions = [json.loads(x) for x in (tmp_path / "decisions.jsonl").read_text().splitlines()]
    assert min(decision["ply"] for decision in decisions) in (48, 49)
    told = [int(re.search(r"empty (\d+)", prompt)[1]) for prompt in asked]
    assert max(told) in range(11, 17)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "shogi"], ["shogi", "connect_four", "reversi"]),
        (["--games", "0"], ["--games"]),
        (["--boards", "chess", "--engine", "uci:nothing-of-the-kind"], ["nothing-of-the-kind"]),
        (["--policies", "gt:99"], ["gt:99"]),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, words, tmp_path):
    result = run(*arguments, "--output", tmp_path / "run")
    assert_refused(result, words)
