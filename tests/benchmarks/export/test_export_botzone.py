"""``export --format botzone``: the four files of BotzoneBench's data set, and their card."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from recorded_runs import model, record_game, reply, run_script

from stratagym.benchmarks.export import __main__ as export
from stratagym.benchmarks.harness.records import read_jsonl

COMMON = ["dataset_kind", "mode", "source_root", "match_key", "game", "level", "round",
          "is_rematch"]  # fmt: skip
EVENT = ["id", *COMMON, "llm_name", "event_index", "actor_seat", "event_type", "payload",
         "log_path"]  # fmt: skip
DECISION = ["id", *COMMON, "llm_name", "opponent_name", "seat", "decision_index", "timestamp",
            "system_prompt", "user_prompt", "reasoning", "output", "response", "raw_debug",
            "raw_response", "log_path", "game_log_path", "game_log_stem", "game_event_index",
            "game_event_id"]  # fmt: skip
SINGLE, BOTH = ["game_starter"], ["llm1_name", "llm2_name"]
CORNERS = [f"Move: {row},{column}" for row in (1, 3, 2) for column in (1, 3, 2)]


def squares(messages):
    refused = sum(message["role"] == "assistant" for message in messages)
    return reply(CORNERS[refused], "corners first")


def run(*arguments: object, code: int = 0) -> tuple[str, str]:
    return run_script(export, *arguments, code=code)


def records(folder: Path, part: str) -> list[dict]:
    path = folder / f"{part}_records.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def data(tmp_path, seed) -> tuple[Path, Path]:
    """A run with games of one model from both seats, and of two models, and what is exported."""
    source, folder = tmp_path / "source", tmp_path / "data"
    one, two = model(squares), model(squares, "other")
    for k in range(4):
        seats = [one, "random"] if k % 2 == 0 else ["random", one]
        name = f"tictactoe/{one.name}/2/random/{k // 2}/{k % 2}"
        record_game(source, "tictactoe", seats, seed + k // 2, name=name, tries=9)
    record_game(source, "tictactoe", [one, two], seed, name="pair/0/0", tries=9)
    record_game(source, "tictactoe", ["random", "random"], seed, name="nobody/0/0")
    out, _ = run(source, "--format", "botzone", "--output", folder, "--licence", "CC0-1.0")
    assert "decisions in 5 games of language models" in out
    return source, folder


def test_fields_are_those_of_their_data_set(data):
    _, folder = data
    for part, fields in (
        ("game_single", EVENT + SINGLE), ("game_tournament", EVENT + BOTH),
        ("llm_single", DECISION + SINGLE), ("llm_tournament", DECISION + BOTH),
    ):  # fmt: skip
        found = records(folder, part)
        assert found and all(list(record) == fields for record in found)
        assert {record["dataset_kind"] for record in found} == {part}
        assert {record["game"] for record in found} == {"TicTacToe"}
        ids = [record["id"] for record in found]
        assert len(set(ids)) == len(ids)


def test_events_are_the_games_and_decisions_point_at_them(data):
    source, folder = data
    games = {game["match"]: game for game in read_jsonl(source / "games.jsonl")}
    for mode in ("single", "tournament"):
        events = {record["id"]: record for record in records(folder, f"game_{mode}")}
        asked = Counter()
        for record in records(folder, f"llm_{mode}"):
            game = games[record["game_log_stem"]]
            event = events[record["game_event_id"]]
            ply = record["game_event_index"] - 2
            assert event["event_index"] == ply + 2 and event["actor_seat"] == record["seat"]
            assert event["payload"]["id"] == game["actions"][ply]
            assert event["payload"]["move"] == record["response"]
            assert game["seats"][record["seat"]] == record["llm_name"]
            assert record["output"] and "Empty squares" in record["user_prompt"]
            asked[record["match_key"], record["seat"]] += 1
            assert record["decision_index"] == asked[record["match_key"], record["seat"]]
        by_match = Counter(event["match_key"] for event in events.values())
        plies = sorted(g["plies"] + 2 for g in games.values() if (mode == "tournament")
                       == (g["match"] == "pair/0/0") and g["match"] != "nobody/0/0")  # fmt: skip
        assert sorted(by_match.values()) == plies
        kinds = Counter(event["event_type"] for event in events.values())
        begun = [
            event["payload"] for event in events.values() if event["payload"]["action"] == "INIT"
        ]
        # As text: JavaScript rounds whole numbers above 2**53.
        assert [one["seed"] for one in begun] == [str(int(one["seed"])) for one in begun]
        assert kinds["INIT"] == kinds["END"] == len(by_match)


def test_levels_rounds_and_who_begins(data):
    _, folder = data
    single = records(folder, "game_single")
    assert {record["level"] for record in single} == {"lv2"}
    assert {record["round"] for record in single} == {"0", "1", "2", "3"}
    assert {record["game_starter"] for record in single} == {"llm", "bl"}
    assert {record["opponent_name"] for record in records(folder, "llm_single")} == {"random"}
    pair = records(folder, "llm_tournament")
    names = {record["llm1_name"] for record in pair} | {record["llm2_name"] for record in pair}
    assert len(names) == 2 and {record["opponent_name"] for record in pair} == names
    assert {record["level"] for record in pair} == {None}


def test_the_card_counts_and_the_checksums_hold(data):
    _, folder = data
    sums = dict(
        reversed(line.split("  "))
        for line in (folder / "checksums.sha256").read_text().splitlines()
    )
    assert len(sums) == 4
    card = (folder / "README.md").read_text()
    for name, digest in sums.items():
        content = (folder / name).read_bytes()
        records_in = content.count(b"\n")
        assert hashlib.sha256(content).hexdigest() == digest
        assert f"| `{name}` | {records_in:,} | `{digest}` |" in card
    assert card.startswith("---\nlicense: CC0-1.0\n") and "- **Licence**: CC0-1.0." in card
    (row,) = re.findall(r"^\| TicTacToe \| lv2 \| `[^|]+` \| (\d+) \| (\d+) \|", card, re.MULTILINE)
    assert row == ("4", str(len(records(folder, "llm_single"))))


def test_filters_licence_and_refusals(data, tmp_path):
    source, folder = data
    _, err = run(source, "--format", "botzone", "--output", folder, code=2)
    assert "exists" in err and "--force" in err
    run(source, "--format", "botzone", "--output", folder, "--force", "--game", "chess")
    assert not records(folder, "game_single")
    card = (folder / "README.md").read_text()
    assert "none is named yet" in card and "license: other" in card
