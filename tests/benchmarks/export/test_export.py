"""``python -m benchmarks.export``: what is written reads back as what was recorded."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from recorded_runs import model, record_game, reply, run_script
from scripts import ROOT

from stratagym.benchmarks.export import __main__ as export
from stratagym.benchmarks.export import tables
from stratagym.benchmarks.export.tables import DECISION_COLUMNS, GAME_COLUMNS
from stratagym.benchmarks.harness.records import read_jsonl
from stratagym.envs import sgf, spec

CORNERS = [f"Move: {row},{column}" for row in (1, 3, 2) for column in (1, 3, 2)]


def squares(messages):
    """The next square that it has not been told is taken, with reasoning of both kinds."""
    refused = sum(message["role"] == "assistant" for message in messages)
    said = f"<think>where? “{len(messages)}”</think>\n" if refused else ""
    return reply(said + CORNERS[refused], "corners first")


def run(*arguments: object, code: int = 0) -> tuple[str, str]:
    return run_script(export, *arguments, code=code)


@pytest.fixture
def runs(tmp_path, seed) -> list[Path]:
    """Two runs with won and lost games of a model that often tries a taken square."""
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        for k in range(4):
            record_game(folder, "tictactoe", [model(squares), "random"], seed + k, name=f"ttt/{k}",
                        tries=9)  # fmt: skip
    return folders


def recorded(folders: list[Path], file: str) -> list[dict]:
    return [{"run": f.name, **record} for f in folders for record in read_jsonl(f / file)]


def expected(record: dict, columns: dict[str, str]) -> dict:
    """A record as a table has to give it back."""
    left = {name: record.get(name) for name in columns if name != "extra"}
    rest = {k: v for k, v in record.items() if k not in columns and k != "schema"}
    return {**left, "extra": rest or None}


def conversations(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_chat_lines_are_prompts_with_their_replies(runs, tmp_path):
    output = tmp_path / "chat.jsonl"
    command = [sys.executable, "-m", "benchmarks.export", *map(str, runs), "--format", "chat"]
    subprocess.run([*command, "--output", str(output)], cwd=ROOT, check=True, capture_output=True)
    answers = [d for d in recorded(runs, "decisions.jsonl") if d["kind"] == "ok"]
    lines = conversations(output)
    assert len(lines) == len(answers) > 8
    for line, answer in zip(lines, answers, strict=True):
        assert list(line) == ["messages"]
        assert [set(message) for message in line["messages"]] == [{"role", "content"}] * len(
            line["messages"]
        )
        assert line["messages"][:-1] == answer["prompt"]
        reply_, text = answer["reply"], line["messages"][-1]["content"]
        assert reply_.rpartition("</think>")[2].strip() == text
        assert text in CORNERS
        roles = [message["role"] for message in line["messages"]]
        assert roles[-1] == "assistant"
        assert all(a != b for a, b in pairwise(roles))  # they take turns


def test_filters_leave_what_they_say(runs, tmp_path):
    def exported(*options: str) -> list[dict]:
        output = tmp_path / "chat.jsonl"
        run(*runs, "--format", "chat", "--output", output, "--force", *options)
        return conversations(output)

    answers = recorded(runs, "decisions.jsonl")
    won = {
        (game["run"], game["match"])
        for game in recorded(runs, "games.jsonl")
        if game["returns"][0] > 0
    }
    winners = [a for a in answers if a["kind"] == "ok" and (a["run"], a["item"]) in won]
    assert len(exported("--winners")) == len(winners)
    assert len(exported("--kinds", "ok,illegal,unparseable")) == len(answers)
    assert exported("--policy", "gt") == []
    once = exported("--dedupe")
    assert len(once) == len({json.dumps(x) for x in exported()}) < len(exported())
    with_fields = exported("--fields", "policy,ply,seed", "--reasoning")
    assert {line["policy"] for line in with_fields} == {"llm:scripted"}
    assert all(line["seed"] == str(int(line["seed"])) for line in with_fields)
    assert all(
        line["messages"][-1]["content"].startswith("<think>\ncorners first\n</think>\n\n")
        for line in with_fields
    )


@pytest.mark.parametrize("rows", ["decisions", "games"])
def test_csv_reads_back_equal(rows, runs, tmp_path):
    output = tmp_path / "table.csv"
    run(*runs, "--format", "table", "--rows", rows, "--output", output)
    columns = DECISION_COLUMNS if rows == "decisions" else GAME_COLUMNS
    read = {"text": str, "json": json.loads, "int": int, "seed": int, "float": float}
    with output.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    records = recorded(runs, f"{rows}.jsonl")
    assert len(table) == len(records) > 0
    assert list(table[0]) == list(columns)
    for row, record in zip(table, records, strict=True):
        back = {name: read[columns[name]](x) if x else None for name, x in row.items()}
        # An empty cell is null or an empty text.
        assert back == {k: None if v == "" else v for k, v in expected(record, columns).items()}


@pytest.mark.parametrize("rows", ["decisions", "games"])
def test_parquet_reads_back_equal(rows, runs, tmp_path, monkeypatch):
    parquet = pytest.importorskip(
        "pyarrow.parquet", reason="pyarrow is missing: pip install 'stratagym[parquet]'"
    )
    monkeypatch.setattr(tables, "BATCH", 3)  # several batches
    output = tmp_path / "table.parquet"
    export.main(*map(str, runs), args=export.Args(format="table", rows=rows, output=str(output)))
    columns = DECISION_COLUMNS if rows == "decisions" else GAME_COLUMNS
    table = parquet.read_table(output)
    assert table.column_names == list(columns)
    records = recorded(runs, f"{rows}.jsonl")
    for row, record in zip(table.to_pylist(), records, strict=True):
        for name, kind in columns.items():
            if kind == "json" and row[name] is not None:
                row[name] = json.loads(row[name])
        assert row == expected(record, columns)


def test_parquet_without_pyarrow_names_the_extra(runs, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    output = tmp_path / "table.parquet"
    _, error = run(*runs, "--format", "table", "--output", output, code=2)
    assert "pip install 'stratagym[parquet]'" in error
    assert not output.exists()


def test_fields_that_are_not_columns_are_kept(tmp_path, runs):
    path = runs[0] / "games.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(json.dumps({**x, "level": 3}) + "\n" for x in lines), encoding="utf-8")
    output = tmp_path / "table.csv"
    run(runs[0], "--format", "table", "--rows", "games", "--output", output)
    with output.open(encoding="utf-8", newline="") as file:
        assert [json.loads(row["extra"]) for row in csv.DictReader(file)] == [{"level": 3}] * 4


def test_bad_input_is_one_line(runs, tmp_path):
    there = tmp_path / "there.jsonl"
    there.write_text("precious")
    chat = ("--format", "chat", "--output", tmp_path / "new.jsonl")
    for arguments, said in (
        (chat, "name at least one run"),
        ((tmp_path / "nowhere", *chat), "there is no such run"),
        ((runs[0], "--format", "tabel", "--output", "x.csv"), "choose from: chat, table"),
        ((runs[0], "--format", "table", "--output", "x.xls"), ".csv or .parquet"),
        ((runs[0], *chat, "--kinds", "good"), "choose from: ok, unparseable"),
        ((runs[0], *chat, "--fields", "mood"), "--fields: unknown 'mood'"),
        ((runs[0], "--format", "chat", "--output", there), "exists; name another, or add --force"),
        ((runs[0], "--format", "chat", "--output", tmp_path / "no/x.jsonl"), "cannot be written"),
    ):
        _, error = run(*arguments, code=2)
        assert said in error
        assert len(error.strip().splitlines()) == 1
    assert there.read_text() == "precious"


@pytest.mark.parametrize("rows", ["decisions", "games"])
def test_columns_are_documented_in_their_order(rows):
    page = (ROOT / "docs/benchmarks/export.md").read_text(encoding="utf-8")
    (cells,) = re.findall(rf"^\| `{rows}` \| (.*) \|$", page, re.MULTILINE)
    columns = DECISION_COLUMNS if rows == "decisions" else GAME_COLUMNS
    assert re.findall(r"`(\w+)`", cells) == list(columns)


def test_games_are_written_as_sgf(tmp_path, seed):
    folder = tmp_path / "run"
    for k in range(3):
        record_game(folder, "gomoku", ["heuristic", "random"], seed + k, name=f"gomoku/{k}")
    never = model(lambda _: reply("no"))
    record_game(folder, "gomoku", ["random", never], seed, name="lost", invalid="forfeit")
    path = tmp_path / "games.sgf"
    said, _ = run(folder, "--format", "sgf", "--output", path)
    assert said == f"{path}: 4 games of 1 run\n"
    records = recorded([folder], "games.jsonl")
    for record, game in zip(records, sgf.read(path.read_text(encoding="utf-8")), strict=True):
        rules, actions = sgf.to_game(spec("gomoku"), game)
        assert actions == record["actions"] and rules.columns == 15
        assert [game.black, game.white] == [str(name) for name in record["seats"]]
        assert game.more == {"EV": ["run"], "GN": [record["match"]]}
        forfeit = record["match"] == "lost"
        assert game.result == ("B+F" if forfeit else "B+" if record["returns"][0] > 0 else "W+")
    record_game(folder, "tictactoe", ["random", "random"], seed, name="other")
    _, said = run(folder, "--format", "sgf", "--output", path, "--force", code=2)
    assert (
        said
        == "python -m benchmarks.export: game other: sgf: tictactoe is not written in this format\n"
    )
    run(folder, "--format", "sgf", "--game", "gomoku", "--output", path, "--force")


def test_stones_that_are_set_up_are_written_as_sgf(tmp_path, seed):
    record_game(tmp_path, "go", ["random", "random"], seed, size=9, handicap=2)
    path = tmp_path / "games.sgf"
    run(tmp_path, "--format", "sgf", "--output", path)
    (game,) = sgf.read(path.read_text(encoding="utf-8"))
    (record,) = recorded([tmp_path], "games.jsonl")
    assert sgf.to_game(spec("go"), game)[1] == record["actions"]
    assert len(game.stones[0]) == 2 and game.more["HA"] == ["2"] and game.more["GN"] == ["go/0"]
