"""Runs with plans, talk and decisions at the same time, replayed and exported."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import pytest
import tiny_games
from injections import INJECTIONS
from recorded_runs import rewrite, run_script
from scripts import lines
from tiny_games import players

from stratagym.benchmarks.export import __main__ as export
from stratagym.benchmarks.harness import cli, replays
from stratagym.benchmarks.play import __main__ as play
from stratagym.benchmarks.replay import __main__ as replay
from stratagym.envs.text import answer

tiny_games.register()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    players.play(folder, players.scripted())
    return folder


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hidden roles in which every speech is an injection, and acts and votes are as well."""
    texts = list(INJECTIONS.values())
    told = [0]

    def say(messages):
        told[0] += 1
        text = texts[told[0] % len(texts)]
        if "All vote." in " ".join(message["content"] for message in messages):
            return text
        return json.dumps({"messages": {"all": text, text: "x"}, "acts": [text, "claim"]})

    folder = tmp_path_factory.mktemp("hostile")
    players.play(folder, players.scripted(say), games=("roles",))
    return folder


def test_games_played_again_agree(played):
    found = replays.find(played)
    for game in found.games:
        told = replays.replay(game, found.answers)
        assert told.problems == []
        answered = [p for p in told.positions if p.answers]
        assert answered and all(a["seat"] == p.seat for p in answered for a in p.answers)
        count = sum(len(p.answers) for p in told.positions)
        assert count == sum(r["item"] == game["match"] for r in found.decisions)


def test_a_changed_plan_is_noticed(played, tmp_path):
    for name in ("games.jsonl", "decisions.jsonl"):
        (tmp_path / name).write_text((played / name).read_text())

    def change(record):
        if record["game"] == "bids" and record["kind"] == "ok":
            record["actions"][2] += 1

    rewrite(tmp_path / "decisions.jsonl", change)
    found = replays.find(tmp_path)
    problems = replays.replay(found.games[0], found.answers).problems
    assert problems and all("the answer led to" in problem for problem in problems)


@pytest.mark.parametrize("number", range(1, 7))
def test_the_terminal_shows_them(played, number):
    said, wrong = run_script(replay, played, "--match", number)
    assert wrong == "" and "the outcome is the recorded one" in said
    if lines(played / "games.jsonl")[number - 1]["game"] == "roles":
        assert "[said to " in said and "I know" in said


def test_hostile_words_do_not_reach_terminal_or_page(hostile, tmp_path):
    game = lines(hostile / "games.jsonl")[0]
    said, _ = run_script(replay, hostile, "--match", game["match"])
    assert all(c in "\n\t" or c.isprintable() for c in said)
    target = tmp_path / "game.html"
    run_script(replay, hostile, "--match", game["match"], "--html", target, "--boards", "text")
    html = target.read_text(encoding="utf-8")
    assert len(re.findall(r"<script", html)) == len(re.findall(r"</script", html)) == 2
    assert "onerror=alert(1)>" not in html.replace("\\u003e", ">").split('id="data"')[0]
    data = json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL).group(1))
    answers = [a for p in data["games"][0]["positions"] for a in p["answers"]]
    assert any(a["said"] for a in answers) and any(a["rejected"] for a in answers)


def test_export_takes_them(played, hostile, tmp_path):
    for folder in (played, hostile):
        target = tmp_path / f"{folder.name}.jsonl"
        run_script(export, folder, "--output", target, "--format", "chat")
        replies = [line["messages"][-1]["content"] for line in lines(target)]
        good = [r for r in lines(folder / "decisions.jsonl") if r["kind"] == "ok"]
        assert replies == [answer(r["reply"]) for r in good]
        table = tmp_path / f"{folder.name}.csv"
        run_script(export, folder, "--output", table, "--format", "table")
        assert "rejected" in table.read_text(encoding="utf-8")


def test_a_person_is_not_told_what_is_committed_in_the_turn(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n1\n1\nq\n"))
    with contextlib.suppress(SystemExit):
        cli.run(play.APP, ["bids", "--seat", "1", "--seed", "3"])
    *asked, told, _ = capsys.readouterr().out.split("Your move")
    assert len(asked) == 3 and "Player 0 bid" not in "".join(asked)
    assert told.count("Player 0 bid") == told.count("Player 1 bid 1") == 3
