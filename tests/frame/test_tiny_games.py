"""Games of every kind through every command: plans, talk, real time, many seats, dealt roles, data.

A run of each game by ``table``, with a language model that a server on this machine speaks for, is
replayed, exported and gone on with; ``killing.py`` kills such runs.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import tiny_games
from openai_server import OpenAIServer
from scripts import assert_refused, lines, run
from tiny_games.players import serve

from stratagym import envs
from stratagym.benchmarks.harness import replays
from stratagym.envs.plans import takes_talk

tiny_games.register()
TABLE = "python -m benchmarks.table"
ONES = ("bids", "catch", "geography", "powers", "roles", "village")
FORFEITS = ("powers", "roles", "village")
"""Games of more than two parties: a forfeit ends one seat's play there."""


def words(game: str, server: str) -> tuple[object, ...]:
    """Arguments of a run in which a model, random play and a third policy meet."""
    other = "envoy" if game == "powers" else "mcts:2"
    forfeit = ("--forfeit", f"stand-in:{other}") if game in FORFEITS else ()
    return (
        "--game", game, "--policies", f"random,{other},llm:m", "--games", 2, "--seating",
        "mixed,teams", "--tries", 2, "--workers", 1, "--base-url", server, *forfeit,
    )  # fmt: skip


@pytest.fixture(scope="module", params=ONES)
def played(request, tmp_path_factory) -> tuple[str, Path]:
    """A game, and the folder of its run; gone on with, it is as it was, and asks nobody."""
    folder = tmp_path_factory.mktemp(request.param)
    with OpenAIServer(serve) as server:
        arguments = (*words(request.param, server.base_url), "--output", folder / "run")
        done = run("table", *arguments)
        assert done.returncode == 0, done.stderr
        asked = len(server.requests)
        kept = {path: path.read_bytes() for path in (folder / "run").glob("*.jsonl")}
        assert run("table", *arguments, "--resume").returncode == 0
        assert asked == len(server.requests) > 0
    assert kept == {path: path.read_bytes() for path in (folder / "run").glob("*.jsonl")}
    return request.param, folder / "run"


def test_a_table_is_played_and_reported(played):
    name, folder = played
    game, recorded = envs.spec(name), lines(folder / "games.jsonl")
    seats = game.make_rules().num_players
    assert {len(record["seats"]) for record in recorded} == {seats}
    assert {record["game"] for record in recorded} == {name}
    summary = json.loads((folder / "summary.json").read_text())
    assert [t["seating"] for t in summary["tables"]] == ["mixed", *["teams"] * 3]
    assert sum(table["games"] for table in summary["tables"]) == len(recorded)
    mixed = summary["tables"][0]["standings"]
    assert set(mixed) == {policy for record in recorded for policy in record["seats"]}
    assert sum(row["seats"] for row in mixed.values()) == seats * summary["tables"][0]["games"]
    stood = [one for record in recorded for one in record.get("stand_ins", ())]
    assert not stood or name in FORFEITS
    assert (folder / "messages.jsonl").exists() == takes_talk(game)
    assert game.title in (folder / "report.html").read_text()
    report = (folder / "report.md").read_text()
    assert ("| `random` | Austria |" in report) == (name == "powers")
    assert ("| `random` | 0 |" in report) == (name != "powers")


def test_all_its_games_are_replayed(played, tmp_path):
    name, folder = played
    found = replays.find(folder)
    for record in found.games:
        assert replays.replay(record, found.answers, found.messages).problems == []
    listed = run("replay", folder, "--list")
    assert listed.returncode == 0
    match = next(r["match"] for r in found.games if "llm:m" in r["seats"])
    for more in (("--all",), ("--all", "--seat", "1"), ("--html", tmp_path / "page.html")):
        shown = run("replay", folder, "--match", match, *more)
        assert shown.returncode == 0, shown.stderr
        assert match in shown.stdout or more[0] == "--html"
    assert envs.spec(name).title in (tmp_path / "page.html").read_text()


def test_it_is_exported(played, tmp_path):
    name, folder = played
    answers = [d for d in lines(folder / "decisions.jsonl") if d["kind"] == "ok"]
    for rows, records in (("games", "games.jsonl"), ("decisions", "decisions.jsonl")):
        for suffix in ("csv", "parquet"):
            output = tmp_path / f"{rows}.{suffix}"
            words = ("--format", "table", "--rows", rows, "--output", output)
            assert run("export", folder, *words).returncode == 0
        with (tmp_path / f"{rows}.csv").open(newline="") as file:
            told = list(csv.DictReader(file))
        assert [row["game"] for row in told] == [name] * len(lines(folder / records))
    output = tmp_path / "chat.jsonl"
    assert run("export", folder, "--format", "chat", "--output", output).returncode == 0
    assert len(lines(output)) == len(answers) > 0
    assert run("export", folder, "--format", "botzone", "--output", tmp_path / "b").returncode == 0
    sgf = run("export", folder, "--format", "sgf", "--output", tmp_path / "x.sgf")
    assert_refused(sgf, [f"sgf: {name} is not written in this format"])


@pytest.mark.parametrize("name", ONES)
def test_a_tournament_plays_it_or_says_who_does(name, tmp_path):
    done = run("tournament", "--game", name, "--policies", "random,mcts:2", "--games", 2,
               "--workers", 1, "--output", tmp_path / "run")  # fmt: skip
    if name in ("powers", "roles"):
        assert_refused(done, [f"--game {name}", TABLE])
        return
    assert done.returncode == 0, done.stderr
    assert len(lines(tmp_path / "run" / "games.jsonl")) == 2
