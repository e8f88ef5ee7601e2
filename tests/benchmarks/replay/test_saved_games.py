"""Saved games of Diplomacy on the command line: written from a run, and shown from a file."""

from __future__ import annotations

import copy
import json

import pytest
import scripts
from scripts import assert_refused, lines


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A run with talk, and its games as a file of saved games."""
    folder = tmp_path_factory.mktemp("saved")
    played = scripts.run(
        "table", "--game", "diplomacy", "--rules", "rounds=2,years=1", "--policies",
        "negotiator,random", "--games", 2, "--output", folder / "run",
    )  # fmt: skip
    assert played.returncode == 0, played.stderr
    path = folder / "games.jsonl"
    done = scripts.run("export", folder / "run", "--format", "saved", "--output", path)
    assert done.returncode == 0, done.stderr
    return folder, [json.loads(line) for line in path.read_text().splitlines()]


def test_what_is_written_is_shown_again(saved, tmp_path):
    folder, games = saved
    records = {game["match"]: game for game in lines(folder / "run" / "games.jsonl")}
    assert [game["id"] for game in games] == list(records)
    said = lines(folder / "run" / "messages.jsonl")
    told = [one for game in games for phase in game["phases"] for one in phase["messages"]]
    assert len(told) == len(said) > 0
    listed = scripts.run("replay", folder / "games.jsonl", "--list")
    assert listed.returncode == 0 and all(name in listed.stdout for name in records)
    one = tmp_path / "one.json"
    one.write_text(json.dumps(games[0]))
    shown = scripts.run("replay", one, "--all")
    assert shown.returncode == 0, shown.stderr
    assert "does not agree" not in shown.stderr
    first = next(m for m in said if m["match"] == games[0]["id"])
    assert " ".join(first["text"].split()) in " ".join(shown.stdout.split())


@pytest.mark.parametrize(
    ("way", "value", "words"),
    [
        (("map",), "moon", ["map 'moon'", "standard"]),
        (("phases", 1, "name"), "X1901M", ["phase number 1", "X1901M"]),
        (("phases", 1, "state", "units", "FRANCE"), ["A MOON"], ["F1901M", "number 1", "FRANCE"]),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line(way, value, words, saved, tmp_path):
    broken = copy.deepcopy(saved[1][0])
    place = broken
    for key in way[:-1]:
        place = place[key]
    place[way[-1]] = value
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(broken))
    if value == ["A MOON"]:
        names = [phase["name"] for phase in broken["phases"]]
        words = [names[1], *words[1:]]  # Spring retreats, where there are any
    assert_refused(scripts.run("replay", path, "--list"), words)


def test_other_games_are_not_written_so(tmp_path):
    run = tmp_path / "run"
    played = scripts.run("table", "--game", "tictactoe", "--policies", "random,perfect",
                         "--games", 2, "--output", run)  # fmt: skip
    assert played.returncode == 0, played.stderr
    done = scripts.run("export", run, "--format", "saved", "--output", tmp_path / "x.jsonl")
    assert_refused(done, ["tictactoe", "not written in this format"])
