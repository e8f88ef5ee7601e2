"""Runs whose model cannot be asked, or never answers: what they say, what they keep, how they go
on."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import io
import json
import pickle
import socket

import golden_runs
import pytest
from asking import KEY, surroundings  # noqa: F401
from openai_server import (
    OpenAIServer,
    always,
    answer,
    drop,
    error,
    hang,
    invalid_json,
    rate_limit,
)
from scripts import told

from stratagym.agents import chat as chats
from stratagym.agents.chat import OpenAIChat, ScriptedChat, TransportError, Unavailable
from stratagym.agents.llm import FEW, LanguageModel
from stratagym.benchmarks.harness import cli

SCRIPTS = {
    "tournament": "--game tictactoe --policies random,llm:m --games 4",
    "swiss": "--game tictactoe --policies random,llm:m,mcts:2 --games 4 --format swiss",
    "table": "--game tictactoe --policies random,llm:m --seating mixed --games 4",
    "ludo_arena": "--policies random,llm:m --players 2 --games 2 --rules max_rolls=20",
    "board_solvers": "--policies llm:m,random --boards tictactoe --games 2",
    "hanabi_teams": "--policies llm:m --teammates none --players 2 --games 1",
    "anchored_levels": "--policies llm:m --game tictactoe --games 8",
    "ludo_spots": "--policies llm:m --categories capture --head-to-head 0 --depth 1",
}


def call(name: str, url: str, folder, *more: str) -> int:
    """The exit code of a script."""
    module = importlib.import_module(
        f"stratagym.benchmarks.{'tournament' if name == 'swiss' else name}.__main__"
    )
    arguments = [*SCRIPTS[name].split(), "--base-url", url, "--output", str(folder), *more]
    if name not in ("ludo_spots",):
        arguments += ["--workers", "1"]
    try:
        cli.run(module.APP, arguments)
    except SystemExit as left:
        return int(left.code or 0)
    return 0


def stopped(capsys) -> str:
    """The line that a script ended with, of all that it said."""
    *_, line = capsys.readouterr().err.strip().splitlines()
    assert "what was recorded is kept, and --resume goes on with it" in line
    return line


@pytest.fixture
def nobody():
    """An address where nothing listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{unused.getsockname()[1]}/v1"


# --- runs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_run_without_any_answer_ends_with_what_there_is(name, tmp_path, capsys):
    with OpenAIServer(always(error(500))) as server:
        code = call(name, server.base_url, tmp_path, "--retries", "0")
    if name == "swiss":  # its next round hangs on the results
        assert code == 3 and "round 1: transport failures broke off" in stopped(capsys)
        return
    assert code == 3 and "requests came to an answer: server_error: HTTP 500" in stopped(capsys)
    assert (tmp_path / "report.md").exists()
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert "NaN" not in json.dumps(summary)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_wrong_key_ends_a_run_before_it_begins(name, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    words = f"Incorrect API key provided: {KEY[:11]}***0042. See the dashboard."
    with OpenAIServer(always(error(401, words))) as server:
        code = call(name, server.base_url, tmp_path)
        assert code == 3
        assert len(server.requests) == 1
        (request,) = server.requests
        assert request.body["max_tokens"] == 16 and request.body["temperature"] == 0
        line = stopped(capsys)
    assert f"llm:m cannot be asked at {server.base_url}: HTTP 401: Incorrect API key" in line
    assert "See the dashboard." in line and KEY[:11] not in line
    kept = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert "config.json" in kept and not kept.get("decisions.jsonl")
    assert not any(KEY[:11] in text for text in kept.values())


@pytest.mark.parametrize("name", ["tournament", "ludo_spots"])
@pytest.mark.parametrize("preflight", [True, False])
def test_a_run_that_was_stopped_goes_on(name, preflight, tmp_path, capsys):
    more = [] if preflight else ["--no-preflight"]
    with OpenAIServer(always(error(404, "The model `m` does not exist"))) as server:
        assert call(name, server.base_url, tmp_path, *more) == 3
        asked = len(server.requests)
    assert asked == 1 if preflight else FEW <= asked <= FEW + 2 * 8
    assert "HTTP 404: The model `m` does not exist" in stopped(capsys)
    with OpenAIServer(golden_runs.scripted) as server:
        assert call(name, server.base_url, tmp_path, "--resume") == 0
    summary = json.loads((tmp_path / "summary.json").read_text())
    if name == "tournament":
        assert [row["broken_off"] for row in summary["pairings"]] == [0]
    else:
        kinds = summary["policies"]["llm:m"]["none"]["capture"]["kinds"]
        assert not kinds["transport"] and sum(kinds.values()) == 40


@pytest.mark.parametrize("more", [[], ["--no-preflight", "--retries", "0"]])
def test_nobody_there_ends_a_run(more, tmp_path, capsys, nobody):
    assert call("tournament", nobody, tmp_path, *more) == 3
    assert "Connect" in stopped(capsys).partition("/v1: ")[2]


def test_a_finished_run_asks_nobody(tmp_path, capsys, nobody):
    with OpenAIServer(golden_runs.scripted) as server:
        assert call("tournament", server.base_url, tmp_path) == 0
    before = capsys.readouterr().out
    assert call("tournament", nobody, tmp_path, "--resume") == 0
    assert capsys.readouterr().out == before


def test_preflights_are_in_no_record(tmp_path, capsys):
    for more in ([], ["--no-preflight"]):
        with OpenAIServer(golden_runs.scripted) as server:
            folder = tmp_path / str(len(more))
            assert call("tournament", server.base_url, folder, *more) == 0
            asked = [r.sha256 for r in server.requests]
        lines = (folder / "decisions.jsonl").read_text().splitlines()
        recorded = [json.loads(line)["prompt_sha256"] for line in lines]
        assert len(asked) - len(recorded) == 1 - len(more)
        assert sorted(asked[1 - len(more) :]) == sorted(recorded)


# --- the preflight -----------------------------------------------------------------------------


def check(script, **options):
    """The server after a check, and what the check raised."""

    async def checked(chat):
        try:
            await chat.check()
        except TransportError as failed:
            return failed
        finally:
            await chat.close()

    with OpenAIServer(script) as server:
        chat = OpenAIChat("m", base_url=server.base_url, **options)
        return server, asyncio.run(checked(chat))


@pytest.mark.parametrize(
    "response",
    [
        answer("yes"), error(400, "max_tokens is too small"), error(429, "slow down"), error(503),
        rate_limit(3600), drop(), drop("half"), invalid_json(), hang(),
        error(422, "no"), answer(None, finish_reason="length"),
    ],
    ids=lambda response: response.kind,
)  # fmt: skip
def test_what_may_pass_does_not_fail_a_check(response, monkeypatch):
    monkeypatch.setattr(chats, "PREFLIGHT_S", 0.3)
    server, failed = check(always(response))
    assert failed is None and len(server.requests) == 1


@pytest.mark.parametrize("status", chats.LASTING)
def test_what_lasts_fails_a_check(status):
    server, failed = check(always(error(status, "no such thing")))
    assert failed.lasting and failed.message.startswith(f"HTTP {status}: no such thing")
    assert len(server.requests) == 1


def test_a_server_that_is_about_to_start_has_a_moment(nobody, monkeypatch):
    monkeypatch.setattr(chats, "PREFLIGHT_PAUSES_S", (0.01, 0.01))
    begun = []

    async def checked():
        chat = OpenAIChat("m", base_url=nobody)
        post = chat._here().post
        monkeypatch.setattr(chat._here(), "post", lambda *a: begun.append(a) or post(*a))
        with pytest.raises(TransportError) as failed:
            await chat.check()
        await chat.close()
        return failed.value

    failed = asyncio.run(checked())
    assert (failed.reason, failed.lasting, len(begun)) == ("connection", True, 3)


def test_a_check_asks_for_no_more_tokens_than_a_question_and_no_longer():
    server, _ = check(always(answer("y")), max_tokens=5, top_k=7)
    assert (server.requests[0].body["max_tokens"], server.requests[0].body["top_k"]) == (5, 7)
    server, _ = check(always(answer("y")), max_tokens=None)
    assert server.requests[0].body["max_tokens"] == chats.PREFLIGHT_TOKENS


def test_a_chat_without_a_check_is_not_asked():
    chat = ScriptedChat([])
    model = LanguageModel(chat)
    model.unchecked = True
    asyncio.run(model.check())
    assert chat.asked == [] and not model.unchecked


# --- failures in a row -------------------------------------------------------------------------

LASTS = TransportError("rejected", "HTTP 401: who are you? (request 17)", lasting=True)
OTHER = TransportError("rejected", "HTTP 403: not you", lasting=True)
PASSES = TransportError("server_error", "HTTP 500: oh")


def after(*said) -> list[str]:
    """What becomes of questions that are answered so: replies, failures, the end."""

    async def ask():
        model = LanguageModel(ScriptedChat(list(said)))
        found = []
        for _ in said:
            (result,) = await asyncio.gather(model.ask([]), return_exceptions=True)
            found.append(type(result).__name__)
        return found

    return asyncio.run(ask())


FAILED, END = "TransportError", "Unavailable"


def test_a_few_equal_failures_that_last_are_the_end():
    assert after(*[LASTS] * FEW) == [FAILED] * (FEW - 1) + [END]
    numbered = [
        TransportError("rejected", f"HTTP 401: request {k}", lasting=True) for k in range(FEW)
    ]
    assert after(*numbered)[-1] == END


@pytest.mark.parametrize("between", ["1 | a reply", PASSES, OTHER])
def test_anything_else_between_them_begins_anew(between):
    said = [LASTS] * (FEW - 1) + [between] + [LASTS] * (FEW - 1)
    assert END not in after(*said)
    assert after(*said, LASTS)[-1] == END


def test_failures_that_may_pass_are_no_end():
    assert after(*[PASSES] * 50) == [FAILED] * 50


def test_the_error_says_who_where_and_what():
    model = LanguageModel(ScriptedChat([LASTS] * FEW, name="gpt"))

    async def ask():
        for _ in range(FEW):
            with contextlib.suppress(TransportError):
                await model.ask([])

    with pytest.raises(Unavailable, match=r"^llm:gpt cannot be asked: HTTP 401: who are you\?"):
        asyncio.run(ask())


def test_a_transport_error_keeps_what_it_knows_between_processes():
    copy = pickle.loads(pickle.dumps(LASTS))
    assert (copy.reason, copy.message, copy.lasting) == (LASTS.reason, LASTS.message, True)


def test_a_question_in_play_that_fails_is_one_line(capsys, nobody, monkeypatch):
    from stratagym.benchmarks.play import __main__ as play

    monkeypatch.setattr(chats, "FIRST_BACK_OFF_S", 0.01)
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    with pytest.raises(SystemExit) as left:
        cli.run(
            play.APP,
            ["tictactoe", "--opponent", "llm:m", "--seat", "1", "--base-url", nobody],
        )
    assert left.value.code == 3
    (line,) = told(capsys.readouterr().err)
    assert "no answer came: connection" in line
