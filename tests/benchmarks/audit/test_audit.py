"""``python -m benchmarks.audit``: runs with planted faults, and one without any."""

from __future__ import annotations

import json
import random
import re
from functools import partial
from pathlib import Path

import pytest
import scripts
from recorded_runs import model, record_game, rewrite
from scripts import assert_refused

from stratagym.benchmarks.audit.faults import FAULTS, OF_GAMES
from stratagym.benchmarks.harness import replays
from stratagym.envs import reading, spec, words
from stratagym.envs.views import part

run = partial(scripts.run, "audit")
GAMES = ("tictactoe", "connect_four", "chess", "gomoku")
WITH_BAR = ("chess",)
ENOUGH = 500
"""Answers of the clean run."""


def thinker(seed, plant=None):
    """A model that thinks aloud and answers with a legal move, in every way that is allowed.

    Args:
        plant: is given the moves that are listed, one of them, and how often it was asked; returns
            another reply or None.
    """
    rng, asked = random.Random(seed), [0]

    def say(messages):
        listed = messages[1]["content"].split("\n")[-1].rpartition(":")[2]
        moves = re.findall(r"[a-h][1-8][a-h][1-8][qrbn]?|\d,\d|[a-o]\d+|\d+", listed)
        one, other = rng.choice(moves), rng.choice(moves)
        asked[0] += 1
        if plant is not None and (said := plant(moves, one, asked[0])) is not None:
            return said
        form = re.search(r"\| <one line reason>", messages[0]["content"])
        line, first = (f"{move} | so" if form else f"Move: {move}" for move in (one, other))
        return rng.choice(
            [
                line,
                f"I could also play {other}.\n\n**{line}**",
                f"<think>{first}\nNo, that loses.</think>\n{line}",
                f"{first}\nThat is worse than I thought.\n{line}",
                f"I am to move. My opponent may be White or Black.\n```\n{line}\n```",
            ]
        )

    return model(say)


def found(folder: Path, *options) -> dict[str, dict]:
    """What an audit finds: the rows of faults by fault; of several the last."""
    done = run(folder, "--json", *options)
    assert done.returncode == 0, done.stderr
    return {row["fault"]: row for row in json.loads(done.stdout)["faults"]}


@pytest.fixture(scope="module")
def clean(tmp_path_factory) -> Path:
    """A run of 500 answers in which nothing is wrong."""
    folder, k = tmp_path_factory.mktemp("clean") / "run", 0
    while scripts.recorded(folder / "decisions.jsonl") < ENOUGH:
        game = GAMES[k % len(GAMES)]
        record_game(folder, game, [thinker(k), "random"][:: 1 if k % 8 < 4 else -1], k,
                    name=f"{game}/{k}")  # fmt: skip
        k += 1
    return folder


def test_nothing_is_found_where_nothing_is_wrong(clean, tmp_path):
    done = run(clean, "--output", tmp_path / "out")
    assert done.returncode == 0 and "No fault was found." in done.stdout, done.stdout
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["faults"] == [] and summary["replies"] >= ENOUGH
    assert summary["passed_over"] == {}
    looked = {row["fault"] for row in summary["clean"]}
    # Nobody was asked again, and what is scripted has no tokens.
    assert looked == set(FAULTS) - {"asked_again", "long"}
    page = (tmp_path / "out" / "report.html").read_text()
    assert all(name.split("_")[0] in page for name in FAULTS)
    assert {row["game"] for row in summary["answers"]} == set(GAMES)
    assert all(row["legal_moves"] > 1 and not row["reasons"] for row in summary["answers"])


@pytest.mark.parametrize("game", ["connect_four", "chess"])
def test_a_reader_that_takes_the_first_answer_is_found(game, tmp_path, monkeypatch):
    """As often as another was played, and nowhere else."""
    form = "{} | so" if game in WITH_BAR else "Move: {}"

    def plant(moves, one, nth):
        other = next((move for move in moves if move != one), one)
        return "\nNo.\n".join(map(form.format, (one, other) if nth % 3 == 0 else (one,)))

    def first_line(text, *more):
        return reading.last_line("\n".join(reversed(text.split("\n"))), *more)

    with monkeypatch.context() as patch:
        patch.setattr(words, "last_line", first_line)
        record_game(tmp_path, game, [thinker(1, plant), "random"], 3)
    lines = scripts.lines(tmp_path / "decisions.jsonl")
    said = [line["reply"].split("\nNo.\n") for line in lines]
    planted = [line["ply"] for line, both in zip(lines, said, strict=True) if both[0] != both[-1]]
    rows = found(tmp_path, "--examples", 1000)
    assert set(rows) == {"earlier_answer"} and planted
    row = rows["earlier_answer"]
    assert [one["ply"] for one in row["examples"]] == planted and row["found"] == len(planted)
    assert row["of"] == len(lines)
    assert row["rate"]["low"] < row["found"] / row["of"] < row["rate"]["high"]


def test_the_page_leads_to_the_positions(tmp_path):
    """Each example's match is a link to the place of its question on the page of replays."""
    for k in range(3):
        record_game(tmp_path / "run", "tictactoe", ["random", thinker(k + 20)], 17 + k,
                    name=f"tictactoe/{k}")  # fmt: skip
    number = [0]

    def change(line):
        number[0] += 1
        if number[0] in (2, 3, 5):
            line["reply"] = "The middle, perhaps 2,2?"

    rewrite(tmp_path / "run" / "decisions.jsonl", change)
    out = tmp_path / "out"
    assert run(tmp_path / "run", "--output", out).returncode == 0
    summary = json.loads((out / "summary.json").read_text())
    page, (row,) = (out / "report.html").read_text(), summary["faults"]
    recorded = replays.find(tmp_path / "run")
    linked = re.findall(r'href="replays\.html#g(\d+)\.(\d+)"[^>]*><code>(.+?)</code>', page)
    assert len(linked) == len(row["examples"]) == 3
    for (game, place, _), one in zip(linked, row["examples"], strict=True):
        match = recorded.games[int(game) - 1]
        assert match["match"] == one["match"]
        before, after = recorded.replay(match).positions[int(place) - 1 : int(place) + 1]
        assert (before.ply, after.ply) == (one["ply"], one["ply"] + 1)
        assert before.answers[0]["reply"].startswith("The middle")  # it is shown with its move
    shown = (out / "replays.html").read_text()
    assert all(match in shown for match in {one["match"] for one in row["examples"]})
    told = (out / "report.md").read_text()
    assert f"(replays.html#g{linked[0][0]}.{linked[0][1]})" in told


def test_what_was_guessed_or_overlooked_is_found(tmp_path):
    record_game(tmp_path, "connect_four", [thinker(2), "random"], 5)
    number = [0]

    def change(line):
        number[0] += 1
        if number[0] == 1:
            line["reply"] = "The middle, perhaps 3?"
        if number[0] == 2:
            line.update(kind="unparseable", reason="no_move", chosen=None, move_text=None)

    rewrite(tmp_path / "decisions.jsonl", change)
    rows = found(tmp_path)
    assert {name: row["found"] for name, row in rows.items()} == {"guessed": 1, "unread": 1}


@pytest.mark.parametrize(
    ("text", "fault", "damage"),
    [
        ("role_text", "other_seat", lambda own: lambda rules, player: own(rules, 0)),
        ("rules_text", "rule_untold",
         lambda own: lambda rules: own(rules).replace("stalemate; ", "")),
        ("position_text", "other_position",
         lambda own: lambda rules, s, *more: own(rules, s, *more).replace("8  r n", "1  r n")),
    ],
)  # fmt: skip
def test_a_view_that_says_what_is_not_so_is_found(text, fault, damage, tmp_path, monkeypatch):
    """One that calls seat 1 White, one that leaves a draw out, one that numbers rows wrongly."""
    view = spec("chess").module("view")
    with monkeypatch.context() as patch:
        patch.setattr(view, text, damage(getattr(view, text)))
        record_game(tmp_path, "chess", ["random", thinker(3)], 7)
    lines = scripts.lines(tmp_path / "decisions.jsonl")
    wrong = len(lines)
    if fault == "other_position":
        wrong = sum("1  r n" in line["prompt"][-1]["content"] for line in lines)
    rows = found(tmp_path)
    assert {name: row["found"] for name, row in rows.items()} == {fault: wrong} and wrong


def test_an_example_that_is_played_is_found(tmp_path, monkeypatch):
    view = spec("connect_four").module("view")
    rules = f"{part(view, 'rules_text')(None)}\n\nMove: 3\n\nSo it is."
    with monkeypatch.context() as patch:
        patch.setattr(view, "rules_text", lambda _: rules, raising=False)
        record_game(tmp_path, "connect_four", [thinker(4), "random"], 9)
    lines = scripts.lines(tmp_path / "decisions.jsonl")
    played = sum(line["chosen"] == 3 for line in lines)
    rows = found(tmp_path)
    assert played and {name: row["found"] for name, row in rows.items()} == {
        "example_played": played
    }


def test_words_that_contradict_the_seat_are_found(tmp_path):
    said = "I am White, so I attack.\n{} | so"
    record_game(
        tmp_path, "chess",
        ["random", thinker(5, lambda moves, one, nth: said.format(one) if nth % 4 == 1 else None)],
        11,
    )  # fmt: skip
    lines = scripts.lines(tmp_path / "decisions.jsonl")
    rows = found(tmp_path)
    wrong = sum("I am White" in line["reply"] for line in lines)
    assert {name: row["found"] for name, row in rows.items()} == {"seat_mistaken": wrong} and wrong


def test_a_bad_answer_that_was_told_the_wrong_reason_is_found(tmp_path):
    def bad(moves, one, nth):
        return "I would rather not." if nth % 3 == 1 else None

    record_game(tmp_path, "tictactoe", [thinker(6, bad), "random"], 13)
    assert found(tmp_path) == {}
    again = [0]

    def change(line):
        if line["attempt"] == 2:
            again[0] += 1
            line["prompt"][-1]["content"] = "Half of your moves are wrong."

    rewrite(tmp_path / "decisions.jsonl", change)
    rows = found(tmp_path)
    assert {name: row["found"] for name, row in rows.items()} == {"asked_again": again[0]}
    assert again[0]


def test_time_and_tokens_far_outside_and_games_that_repeat_are_found(tmp_path):
    for k in range(4):
        record_game(tmp_path, "connect_four", [thinker(8), "heuristic"],
                    20 + k, name=f"connect_four/{k}")  # fmt: skip
    number = [0]

    def change(line):
        number[0] += 1
        line.update(latency_s=1.0, tokens_out=50)
        if number[0] == 3:
            line["latency_s"] = 100.0
        if number[0] in (4, 5):
            line["tokens_out"] = 20_000

    rewrite(tmp_path / "decisions.jsonl", change)
    rows = found(tmp_path)
    assert rows["slow"]["found"] == 1 and rows["long"]["found"] == 2
    games = scripts.lines(tmp_path / "games.jsonl")
    different = len({tuple(game["actions"]) for game in games})
    repeats = len(games) - different if 2 * different <= len(games) else 0
    assert rows.get("repeated_game", {"found": 0})["found"] == repeats
    assert set(rows) <= {"slow", "long", *OF_GAMES}


def test_a_game_that_is_not_the_recorded_one_is_found(tmp_path):
    record_game(tmp_path, "tictactoe", [thinker(9), "random"], 15)
    rewrite(tmp_path / "games.jsonl", lambda line: line.update(returns=[0.5, -0.5]))
    assert {name: row["found"] for name, row in found(tmp_path).items()} == {"other_game": 1}


def test_what_is_no_run_is_refused(tmp_path):
    assert_refused(run(tmp_path / "none"), ["there is no such run"])
    assert_refused(run(tmp_path), ["holds neither"])
    (tmp_path / "decisions.jsonl").write_text('{"schema": 1}\n')
    assert_refused(run(tmp_path), ["decisions.jsonl, line 1"])
    other = tmp_path / "other"
    record_game(other, "tictactoe", ["random", "random"], 1)
    assert_refused(run(other), ["none of its 0 replies"])


def test_an_audit_does_not_replace_a_run(clean, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    assert_refused(run(clean, "--output", tmp_path), ["--output", "holds a run"])
    assert_refused(run(clean, "--examples", -1), ["--examples -1"])
    assert_refused(run(clean, "--game", "goo"), ["none of its", "fits"])
