"""The event loops that requests to models run in, and what is written in them."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace

import pytest
from asking import surroundings  # noqa: F401
from openai_server import OpenAIServer, answer

from stratagym.agents import loops
from stratagym.agents.chat import OpenAIChat, ScriptedChat
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import spots
from stratagym.benchmarks.harness.decisions import ask_all
from stratagym.benchmarks.harness.records import JsonlWriter, read_decisions
from stratagym.envs.text import TextOptions


def questions(number):
    chosen, _ = spots.load_spots()
    asked = spots.questions(chosen, {}, TextOptions(system="merge"), 0)
    return [replace(asked[k], item=f"item {k}") for k in range(number)]


async def kind_of_loop():
    return type(asyncio.get_running_loop()).__module__.partition(".")[0]


def kinds():
    loop = loops.new_event_loop()
    try:
        return loops.run(kind_of_loop()), loop.run_until_complete(kind_of_loop())
    finally:
        loop.close()


def test_requests_run_in_uvloop_where_it_is_installed():
    pytest.importorskip("uvloop", reason="needs uvloop: pip install 'stratagym[llm]'")
    assert kinds() == ("uvloop", "uvloop")


def test_requests_run_in_pythons_own_loop_without_uvloop(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert kinds() == ("asyncio", "asyncio")


@pytest.mark.parametrize("with_uvloop", [True, False])
def test_every_reply_is_recorded_once(with_uvloop, tmp_path, monkeypatch):
    if with_uvloop:
        pytest.importorskip("uvloop", reason="needs uvloop: pip install 'stratagym[llm]'")
    else:
        monkeypatch.setitem(sys.modules, "uvloop", None)
    asked = questions(30)
    with OpenAIServer(lambda body, nth: answer("1 | x", delay_s=0.01 * (nth % 3))) as server:
        model = LanguageModel(OpenAIChat("model", base_url=server.base_url))
        writer = JsonlWriter(tmp_path / "decisions.jsonl")
        loops.run(ask_all(model, asked, writer, concurrency=8))
        writer.close()
    names = sorted(record["item"] for record in read_decisions(tmp_path))
    assert names == sorted(question.item for question in asked)


class Writer:
    """Counts what is written; refuses it after a number of calls."""

    def __init__(self, most=10**9):
        self.calls, self.most = [], most

    def write_all(self, records):
        if len(self.calls) >= self.most:
            raise OSError("the disk is full")
        self.calls.append([record["item"] for record in records])


def test_replies_that_come_together_are_written_together():
    writer, told = Writer(), []
    model = LanguageModel(ScriptedChat(lambda messages: "1 | x"))
    written = lambda: told.append(sum(map(len, writer.calls)))  # noqa: E731
    loops.run(ask_all(model, questions(40), writer, concurrency=20, done=written))
    assert sum(map(len, writer.calls)) == 40
    assert len(writer.calls) < 40
    assert len(told) == 40 and told[-1] == 40


def test_an_error_loses_no_reply_that_came_before():
    answers = iter(["1 | x"] * 7)

    def script(messages):
        try:
            return next(answers)
        except StopIteration:
            return KeyError("out")

    writer = Writer()
    with pytest.raises(KeyError):
        loops.run(
            ask_all(LanguageModel(ScriptedChat(script)), questions(20), writer, concurrency=20)
        )
    assert sum(map(len, writer.calls)) == 7


def test_a_full_disk_ends_it():
    model = LanguageModel(ScriptedChat(lambda messages: "1 | x"))
    with pytest.raises(OSError, match="the disk is full"):
        loops.run(ask_all(model, questions(20), Writer(1), concurrency=4))
