"""Questions that are no moves: their own prompt and judge, records, retries, resume and replay."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from recorded_runs import record_game, run_script
from scripts import lines

from stratagym.agents.chat import Reply, ScriptedChat, TransportError
from stratagym.agents.core import make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import replays
from stratagym.benchmarks.harness.decisions import (
    Question,
    ask_all,
    ask_kernel,
    read_answered,
)
from stratagym.benchmarks.harness.errors import InputError
from stratagym.benchmarks.harness.own_play import own_of
from stratagym.benchmarks.harness.records import JsonlWriter, read_decisions, write_json
from stratagym.benchmarks.replay import __main__ as replay
from stratagym.benchmarks.replaying import page
from stratagym.envs import spec
from stratagym.envs.replies import last_json
from stratagym.envs.text import ILLEGAL, OK, Inquiry, Outcome, judge_answer
from stratagym.testing import position

GAME = spec("tictactoe")
VERSION = "count-1"


def count(text: str) -> Outcome:
    """Judges ``{"stones": <number>}``; there are two."""
    stones = last_json(text, dict, "stones")["stones"]
    if type(stones) is not int:
        return Outcome(ILLEGAL, None, str(stones), "no_number")
    return Outcome(OK, None, str(stones), facts={"right": int(stones == 2), "off": stones - 2})


def question(number: int, judge=count, **fields) -> Question:
    asked = [{"role": "user", "content": f"Question {number}: how many stones?"}]
    inquiry = Inquiry(asked, judge, VERSION)
    return Question(
        "test", f"stones/{number}", GAME, None, None, 0, fields.pop("seat", None),
        inquiry=inquiry, **fields,
    )  # fmt: skip


def model(say, **options) -> LanguageModel:
    return LanguageModel(ScriptedChat(say), name="llm:m", **options)


def ask(folder: Path, asked: LanguageModel, questions: list[Question], **options) -> list[dict]:
    """All records of a run after these questions."""
    writer = JsonlWriter(folder / "decisions.jsonl")
    try:
        asyncio.run(ask_all(asked, questions, writer, concurrency=2, **options))
    finally:
        writer.close()
    return [dict(record) for record in read_decisions(folder)]


def by_number(messages) -> str:
    """Answers by the number in the question: right, wrong, no number, no object."""
    number = int(re.findall(r"Question (\d+)", messages[0]["content"])[0])
    return ['I see.\n{"stones": 2}', '{"stones": 5}', '{"stones": "two"}', "Two."][number % 4]


def test_records_have_what_moves_have_and_no_action(tmp_path):
    say = model(
        lambda messages: Reply(by_number(messages), "stop", 1000, 10, 0.5, 0), prices=(2.0, 8.0)
    )
    asked = [question(k, seat=k % 2 if k else None, extra={"category": "facts"}) for k in range(4)]
    records = {record["item"]: record for record in ask(tmp_path, say, asked)}
    assert [(r["kind"], r["reason"], r["facts"]) for _, r in sorted(records.items())] == [
        ("ok", "", {"right": 1, "off": 0}), ("ok", "", {"right": 0, "off": 3}),
        ("illegal", "no_number", {}), ("unparseable", "no_json", {}),
    ]  # fmt: skip
    for k, record in enumerate(records[f"stones/{k}"] for k in range(4)):
        assert record["legal"] is record["action"] is record["chosen"] is None
        assert (record["seat"], record["category"]) == (k % 2 if k else None, "facts")
        assert (record["prompt_version"], record["attempt"]) == (VERSION, 1)
        assert record["prompt"] == asked[k].inquiry.messages
        assert record["cost"] == pytest.approx((1000 * 2 + 10 * 8) / 1e6)
        assert record["latency_s"] == 0.5 and record["reply"] == by_number(record["prompt"])
    assert [records[f"stones/{k}"]["move_text"] for k in range(4)] == ["2", "5", "two", None]
    own = own_of(records.values())
    assert (own.answers, own.readable, own.replaced) == (4, 3, 0)


def test_a_question_may_be_about_a_position(tmp_path):
    asked = replace(question(0), rules=GAME.make_rules(), states=position(GAME), seat=0)
    (record,) = ask(tmp_path, model(by_number), [asked])
    assert (record["seat"], record["legal"], record["kind"]) == (0, None, "ok")


def failing(text: str) -> Outcome:
    raise RuntimeError("a fault of the judge")


@pytest.mark.parametrize(
    ("judge", "reply", "kind", "reason"),
    [
        (failing, "x", "unparseable", "judge_error"),
        (lambda text: Outcome("splendid", None, None), "x", "unparseable", "judge_error"),
        (lambda text: Outcome(OK, None, None, facts={"a": 0.5}), "x", "unparseable", "judge_error"),
        (lambda text: Outcome(OK, None, None, facts={"a": 1 << 70}), "x", "unparseable",
         "judge_error"),
        (lambda text: None, "x", "unparseable", "judge_error"),
        (count, "", "unparseable", "empty"),
        (count, "<think>Hm.</think>", "unparseable", "empty"),
        (count, "x" * 100_001, "unparseable", "too_long"),
        (count, '{"stones": 1, "stones": 2}', "unparseable", "duplicate_key"),
        (count, '<think>{"stones": 5}</think>{"stones": 2}', "ok", ""),
    ],
)  # fmt: skip
def test_whatever_a_judge_makes_of_a_reply_is_an_outcome(judge, reply, kind, reason):
    outcome = judge_answer(judge, reply)
    assert (outcome.kind, outcome.reason, outcome.action) == (kind, reason, None)


def test_an_outcome_of_a_judge_is_no_move():
    outcome = judge_answer(
        lambda text: Outcome(OK, 3, "x", actions=(3,), said=(((0,), "x"),), facts={"a": True}), "x"
    )
    assert (outcome.action, outcome.actions, outcome.said, outcome.move) == (None, (), (), "x")
    assert outcome.facts == {"a": 1} and type(outcome.facts["a"]) is int


def test_a_bad_answer_is_quoted_back(tmp_path):
    def say(messages):
        return "No idea." if len(messages) == 1 else '{"stones": 2}'

    first, second = ask(tmp_path, model(say), [question(0)], tries=3)
    assert [(r["attempt"], r["kind"]) for r in (first, second)] == [(1, "unparseable"), (2, "ok")]
    told = second["prompt"][-1]["content"]
    assert "it has no JSON object. Give an answer, exactly in the form" in told
    assert "over budget" not in told


def test_facts_called_over_are_no_budget(tmp_path):
    def judge(text):
        return Outcome(ILLEGAL, None, None, "too_much", facts={"over": 3})

    records = ask(tmp_path, model(lambda messages: "x"), [question(0, judge)], tries=2)
    assert [record["attempt"] for record in records] == [1, 2]


@pytest.mark.parametrize("kept", range(8))
def test_a_run_goes_on_by_item(tmp_path, kept):
    """After any number of lines, what is recorded is not asked again, nor an answer too many."""
    asked = [question(k) for k in range(5)]
    whole = tmp_path / "whole"
    whole.mkdir()
    ask(whole, model(by_number), asked, tries=2)
    records = (whole / "decisions.jsonl").read_text().splitlines(keepends=True)
    assert len(records) == 7  # two of the five are answered badly twice
    folder = tmp_path / "cut"
    folder.mkdir()
    (folder / "decisions.jsonl").write_text("".join(records[:kept]) + '{"torn')
    again = model(by_number)
    after = ask(folder, again, asked, tries=2, answered=read_answered(folder))
    assert len(again.chat.asked) == 7 - kept

    def known(record):
        return {name: value for name, value in record.items() if name != "latency_s"}

    def order(record):
        return record["item"], record["attempt"]

    assert [known(record) for record in sorted(after, key=order)] == [
        known(record) for record in sorted((json.loads(line) for line in records), key=order)
    ]


def test_a_finished_run_needs_no_server(tmp_path):
    asked = [question(0)]
    ask(tmp_path, model(by_number), asked)
    dead = model(lambda messages: 1 / 0)
    dead.unchecked = True
    assert len(ask(tmp_path, dead, asked, answered=read_answered(tmp_path))) == 1


def test_a_judge_that_judges_otherwise_is_noticed(tmp_path):
    ask(tmp_path, model(by_number), [question(0)])
    for judge in (
        lambda text: Outcome(ILLEGAL, None, "2", "no"),
        lambda text: Outcome(OK, None, "2", facts={"right": 0, "off": 0}),
    ):
        with pytest.raises(InputError, match="stones/0, ply 0, attempt 1 is recorded as ok"):
            ask(tmp_path, model(by_number), [question(0, judge)], answered=read_answered(tmp_path))


def test_another_prompt_is_asked_afresh(tmp_path):
    ask(tmp_path, model(by_number), [question(0)])
    other = replace(question(4), item="stones/0")
    records = ask(tmp_path, model(by_number), [other], answered=read_answered(tmp_path))
    assert [record["prompt"][0]["content"][:11] for record in records] == [
        "Question 0:", "Question 4:",
    ]  # fmt: skip


@pytest.mark.parametrize("again", [False, True])
def test_where_no_answer_came_it_is_asked_again_if_wanted(tmp_path, again):
    def fail(messages):
        raise TransportError("timeout")

    (record,) = ask(tmp_path, model(fail), [question(0)])
    assert (record["kind"], record["action"], record["facts"]) == ("transport", None, {})
    records = ask(
        tmp_path, model(by_number), [question(0)], answered=read_answered(tmp_path),
        retry_transport=again,
    )  # fmt: skip
    assert [r["kind"] for r in records] == ["transport", "ok"][: 1 + again]


def test_moves_go_on_by_item_too(tmp_path):
    """Questions for a move are asked as before, with retries where they are wanted."""

    def say(messages):
        return "Hm." if len(messages) == 2 else "Move: 1,1"

    asked = [Question("test", "one", GAME, GAME.make_rules(), position(GAME), 0, 0)]
    records = ask(tmp_path, model(say), asked, tries=2)
    assert [(r["kind"], r["legal"]) for r in records] == [
        ("unparseable", list(range(9))), ("ok", list(range(9))),
    ]  # fmt: skip
    assert "Give a legal move" in records[1]["prompt"][-1]["content"]
    assert "facts" not in records[0]
    cut = tmp_path / "cut"
    cut.mkdir()
    line = (tmp_path / "decisions.jsonl").read_text().splitlines(keepends=True)[0]
    (cut / "decisions.jsonl").write_text(line)
    again = model(say)
    assert len(ask(cut, again, asked, tries=2, answered=read_answered(cut))) == 2
    assert len(again.chat.asked) == 1


def test_built_in_policies_answer_no_such_question():
    policy = make_policy(GAME, "random")
    with pytest.raises(ValueError, match="stones/0: random answers no question but for a move"):
        ask_kernel(policy, [question(0)])
    with pytest.raises(ValueError, match="stones/0: a move is asked for in no position"):
        replace(question(0), inquiry=None).asking()


# --- replays -------------------------------------------------------------------------------------


def test_a_run_of_questions_is_replayed(tmp_path):
    ask(tmp_path, model(by_number), [question(k) for k in range(4)])
    write_json(tmp_path / "config.json", {"schema": 1, "benchmark": "test"})
    said, _ = run_script(replay, tmp_path, "--all")
    assert "stones/1, llm:m" in said
    assert "Judged: right 0, off 3" in said and "Answer 1: illegal (no_number)" in said
    assert "Nothing was played" not in said and "how many stones?" in said
    out = tmp_path / "page.html"
    run_script(replay, tmp_path, "--html", out)
    assert "question stones/0, judged: right 1, off 0" in out.read_text()
    said, _ = run_script(replay, tmp_path, "--match", "stones/2", "--all")
    assert "stones/2" in said and "stones/1" not in said


def test_questions_about_a_match_stand_beside_its_positions(tmp_path):
    say = model(lambda messages: "Move: 1,1")
    record = record_game(tmp_path, "tictactoe", [say, "random"], 3, tries=1)
    about = {"about": record["match"], "ply": 1}
    asked = [question(0, seat=1, extra=about), question(3, extra=about)]
    ask(tmp_path, model(by_number), asked)
    found = replays.find(tmp_path)
    told = found.replay(found.games[0])
    assert told.problems == []
    assert [r["item"] for r in told.positions[1].asked] == ["stones/0", "stones/3"]
    assert not any(p.asked for p in told.positions if p.ply != 1)
    assert not any("facts" in answer for p in told.positions for answer in p.answers)
    said, _ = run_script(replay, tmp_path, "--all")
    assert said.count("Asked beside: stones/") == 2
    assert "the outcome is the recorded one" in said
    html = page.page(told, [None] * len(told.positions), pictures=False, remarks=None)
    assert "question stones/3" in html
    # Neither the seat's clock nor its own decisions count them.
    own = replays.find(tmp_path).decisions
    assert all("facts" not in record for record in own)
    assert len(lines(tmp_path / "decisions.jsonl")) == len(own) + 2
