"""``export --format chat --expert``, checked by other means than those that wrote it."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from recorded_runs import record_game, run_script

from stratagym.benchmarks.export import __main__ as export
from stratagym.envs import spec
from stratagym.envs.text import TextGame


def run(*arguments: object, code: int = 0) -> tuple[str, str]:
    return run_script(export, "--format", "chat", *arguments, code=code)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def both(folder: Path, *arguments: object) -> tuple[list[dict], list[dict], str]:
    """The lines to train on, those held out, and what the command says."""
    output = folder / "train.jsonl"
    said, _ = run(*arguments, "--output", output, "--force")
    apart = folder / "train.held_out.jsonl"
    return lines(output), lines(apart) if apart.exists() else [], said


# --- tic-tac-toe, by a grid of our own -----------------------------------------------------------


def grid_of(line: dict) -> np.ndarray:
    """The grid in a prompt, (3, 3) of X, O and dots."""
    prompt = line.get("prompt") or line["messages"][:-1]
    rows = re.findall(r"(?m)^[123] ([XO.]) ([XO.]) ([XO.])$", prompt[-1]["content"])
    return np.array(rows)


def symmetric(grid: np.ndarray) -> str:
    """The same text for all eight images of a grid."""
    turned = [np.rot90(view, k) for view in (grid, grid.T) for k in range(4)]
    return min("".join(view.ravel()) for view in turned)


LINES = [*np.arange(9).reshape(3, 3), *np.arange(9).reshape(3, 3).T, [0, 4, 8], [2, 4, 6]]


@cache
def value(cells: str, mover: str) -> int:
    """1, 0 or -1: what the mover reaches when both play on perfectly, by plain search."""
    other = "O" if mover == "X" else "X"
    if any(all(cells[k] == other for k in line) for line in LINES):
        return -1
    if "." not in cells:
        return 0
    return max(after(cells, mover, k) for k in range(9) if cells[k] == ".")


def after(cells: str, mover: str, cell: int) -> int:
    other = "O" if mover == "X" else "X"
    return -value(cells[:cell] + mover + cells[cell + 1 :], other)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> tuple[list[dict], list[dict], str]:
    folder = tmp_path_factory.mktemp("whole")
    return both(folder, "--game", "tictactoe", "--expert", "perfect", "--positions", 9999)


def test_tictactoe_is_gone_through_as_a_whole(whole):
    """4,520 positions with a move to make, 627 but for symmetry (OEIS and every text book)."""
    train, held_out, said = whole
    every = train + held_out
    assert len({"".join(grid_of(line).ravel()) for line in every}) == len(every) == 4520
    assert len({symmetric(grid_of(line)) for line in every}) == 627
    assert "4520 of the 4520 positions with a move to make" in " ".join(said.split())
    assert len({line["position"] for line in every}) == 4520


def test_symmetric_positions_are_on_one_side(whole):
    train, held_out, _ = whole
    mine, theirs = ({symmetric(grid_of(line)) for line in part} for part in (train, held_out))
    assert not mine & theirs
    # Of 627 classes each is held out with probability .1: mean 63, standard deviation 7.5.
    assert 10 < len(theirs) < 140


def test_the_moves_are_those_of_perfect_play(whole):
    for line in whole[0] + whole[1]:
        cells = "".join(grid_of(line).ravel())
        mover = "XO"[line["seat"]]
        assert cells.count("X") - cells.count("O") == line["seat"] == line["ply"] % 2
        free = {f"{k // 3 + 1},{k % 3 + 1}": k for k in range(9) if cells[k] == "."}
        assert set(line["legal"]) == set(free)
        best = {move for move, k in free.items() if after(cells, mover, k) == value(cells, mover)}
        # Of won positions those of the quickest win, of lost ones those of the slowest loss.
        assert set(line["optimal"]) <= best
        if value(cells, mover) == 0:
            assert set(line["optimal"]) == best
        assert line["move"] in line["optimal"]
        assert line["messages"][-1] == {"role": "assistant", "content": f"Move: {line['move']}"}
        assert [message["role"] for message in line["messages"]] == ["system", "user", "assistant"]


def test_it_follows_from_the_seed(tmp_path):
    def made(*options: object) -> list[dict]:
        train, held_out, _ = both(tmp_path, "--game", "tictactoe", "--expert", "perfect", *options)
        assert not {line["position"] for line in train} & {line["position"] for line in held_out}
        return train

    many = made("--positions", 300)
    assert many == made("--positions", 300)
    few = made("--positions", 100)
    assert few == many[: len(few)] and 70 < len(few) <= 100
    other = made("--positions", 300, "--seed", 1)
    assert {line["position"] for line in other} != {line["position"] for line in many}
    (tmp_path / "train.held_out.jsonl").unlink()
    everything = made("--positions", 300, "--held-out", 0)
    assert len(everything) == 300
    assert not (tmp_path / "train.held_out.jsonl").exists()


def test_prompts_and_columns_as_asked_for(tmp_path):
    train, _, _ = both(
        tmp_path, "--game", "tictactoe", "--expert", "heuristic", "--positions", 20, "--columns",
        "completion", "--prompt", "reasoning=answer,list_legal=yes,system=merge",
    )  # fmt: skip
    for line in train:
        assert [message["role"] for message in line["prompt"]] == ["user"]
        assert "and nothing else" in line["prompt"][0]["content"]
        assert line["completion"] == [{"role": "assistant", "content": f"Move: {line['move']}"}]
        assert "messages" not in line
        assert all(move in line["prompt"][0]["content"] for move in line["legal"])


# --- other games ---------------------------------------------------------------------------------


def test_a_larger_game_is_played_for_its_positions(tmp_path):
    train, held_out, said = both(
        tmp_path, "--game", "connect_four", "--expert", "heuristic", "--positions", 150,
        "--held-out", 0.5,
    )  # fmt: skip
    assert len(train) + len(held_out) == 150
    assert "with a move to make" not in said

    def board(line: dict) -> tuple:
        text = line["messages"][-2]["content"]
        rows = re.findall(r"(?m)^[^\n]*((?:[XO.] ){6}[XO.])[^\n]*$", text)
        assert len(rows) == 6
        return tuple(row.replace(" ", "") for row in rows)

    sides = [{min(board(x), tuple(row[::-1] for row in board(x))) for x in part}
             for part in (train, held_out)]  # fmt: skip
    assert not sides[0] & sides[1]


def test_a_game_with_dice_and_reasons(tmp_path, seed):
    train, held_out, _ = both(
        tmp_path, "--game", "ludo", "--expert", "gt:1", "--positions", 30, "--seed", seed
    )
    assert len(train) + len(held_out) == 30
    for line in train:
        assert re.fullmatch(r"\d \| .+", line["messages"][-1]["content"])
        assert "optimal" not in line and line["move"] in line["legal"]


def test_a_run_gives_its_positions_once_and_its_experts_own_moves(tmp_path, seed):
    for k in range(3):
        record_game(tmp_path / "run", "tictactoe", ["perfect", "random"], seed + k, name=f"ttt/{k}")
    games = lines(tmp_path / "run" / "games.jsonl")
    played: dict[str, set[str]] = {}
    wanted = set()
    for record in games:
        game = TextGame("tictactoe")
        game.reset(seed=record["seed"])
        for action in record["actions"]:
            text = game.observe().messages[-1]["content"]
            wanted.add(text)
            if record["seats"][game.seat] == "perfect":
                move = spec("tictactoe").module("view").action_to_string(None, None, action)
                played.setdefault(text, set()).add(move)
            game.play(action)
    train, held_out, said = both(tmp_path, tmp_path / "run", "--expert", "perfect")
    found = {line["messages"][-2]["content"]: line for line in train + held_out}
    assert set(found) == wanted and len(train) + len(held_out) == len(wanted)
    for text, moves in played.items():
        assert found[text]["move"] in moves
    assert "with a move to make" not in said
    only, apart, _ = both(tmp_path, tmp_path / "run", "--expert", "perfect", "--policies", "mcts")
    assert only == apart == []


SERVED = "llm:m?base_url=http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--expert", "perfect"], ["--expert", "--game"]),
        (["--expert", "perfect", "--game", "shogi"], ["--expert", "shogi", "tictactoe"]),
        (["--expert", "nobody", "--game", "tictactoe"], ["--expert", "nobody", "perfect"]),
        (["--expert", "perfect", "--game", "ludo"], ["--expert", "no perfect player"]),
        (
            ["--expert", "llm:m?base_url=http://127.0.0.1:9/v1", "--game", "tictactoe"],
            ["--expert llm:m?base_url", "from a run"],
        ),
        (["--expert", "random", "--game", "battle_card"], ["battle_card", "plans"]),
        (["--expert", "random", "--game", "tictactoe", "--positions", "0"], ["--positions 0"]),
        (["--expert", "random", "--game", "tictactoe", "--held-out", "1"], ["--held-out 1"]),
        (["--expert", "random", "--game", "tictactoe", "--explore", "-1"], ["--explore -1"]),
        (["--expert", "random", "--game", "tictactoe", "--columns", "x"], ["--columns 'x'"]),
        (["--expert", "random", "--game", "tictactoe", "--prompt", "list_legal=1"], ["yes or no"]),
        (["--expert", "random", "--game", "tictactoe", "--prompt", "size=1"], ["--prompt", "size"]),
        (["--expert", "random", "--game", "connect_four", "--rules", "size=1"], ["--rules"]),
    ],
    ids=lambda value: " ".join(value[1:]) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line(arguments, words, tmp_path):
    _, error = run(*arguments, "--output", tmp_path / "train.jsonl", code=2)
    assert all(word in " ".join(error.split()) for word in words), error
    assert not list(tmp_path.iterdir())


def test_what_is_there_is_not_written_over(tmp_path):
    arguments = ("--game", "tictactoe", "--expert", "random", "--positions", 5, "--output")
    (tmp_path / "train.held_out.jsonl").write_text("kept")
    _, error = run(*arguments, tmp_path / "train.jsonl", code=2)
    assert "train.held_out.jsonl exists" in " ".join(error.split())
    assert (tmp_path / "train.held_out.jsonl").read_text() == "kept"


def test_an_expert_writes_conversations(tmp_path):
    arguments = ("--format", "table", "--game", "tictactoe", "--expert", "random")
    _, error = run_script(export, *arguments, "--output", tmp_path / "x.csv", code=2)
    assert "--expert goes with --format chat" in " ".join(error.split())
