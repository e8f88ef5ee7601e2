"""``OpenAIChat``, by each of its clients, against a scripted server on this machine."""

from __future__ import annotations

import asyncio
import gc
import json
import pickle
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from email.utils import formatdate
from pathlib import Path

import numpy as np
import openai_server
import pytest
from asking import HELLO, ask, client, failure, reply_to, surroundings  # noqa: F401
from openai_server import OpenAIServer, Response, always, answer, error, once, rate_limit

from stratagym.agents import chat as chats
from stratagym.agents.chat import OpenAIChat, Reply, ScriptedChat, TransportError
from stratagym.agents.chat_replies import retry_after

pytestmark = pytest.mark.usefixtures("client")

# --- replies -----------------------------------------------------------------------------------


def test_a_reply_holds_text_reason_tokens_latency_and_reasoning():
    script = always(answer("2 | home", reasoning_content="six away", delay_s=0.1))
    server, reply = reply_to(script)
    assert reply == Reply("2 | home", "stop", 11, 7, reply.latency_s, 0, "six away")
    assert 0.1 <= reply.latency_s < 5
    assert not reply.truncated
    (request,) = server.requests
    assert request.body == {
        "model": "model",
        "messages": HELLO,
        "temperature": 0.0,
        "max_tokens": 512,
    }


def test_parameters_are_sent_as_given_and_none_is_not_sent():
    server, _ = reply_to(always(answer("1")), temperature=0.7, max_tokens=9)
    assert server.requests[0].body["temperature"] == 0.7
    assert server.requests[0].body["max_tokens"] == 9
    server, _ = reply_to(always(answer("1")), temperature=None, max_tokens=None)
    assert set(server.requests[0].body) == {"model", "messages"}


def test_reasoning_is_found_under_its_other_name():
    _, reply = reply_to(always(answer("1", reasoning="six away")))
    assert reply.reasoning == "six away"
    _, reply = reply_to(always(answer("1", reasoning={"effort": "low"})))
    assert reply.reasoning == ""


def test_empty_content_is_an_empty_text_and_not_asked_again():
    server, reply = reply_to(always(openai_server.empty()))
    assert (reply.text, reply.retries, len(server.requests)) == ("", 0, 1)


def test_content_in_parts_is_joined():
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "2 | "}]
    _, reply = reply_to(always(answer([*parts, {"type": "text", "text": "home"}])))
    assert reply.text == "2 | home"


def test_a_truncated_answer_is_returned_as_it_is():
    server, reply = reply_to(always(openai_server.truncated()))
    assert reply.text == "Let me think about each of"
    assert reply.truncated and reply.finish_reason == "length"
    assert len(server.requests) == 1


def test_usage_may_be_missing():
    body = {"choices": [{"message": {"role": "assistant", "content": "1"}}]}
    _, reply = reply_to(always(Response("bare", json.dumps(body).encode())))
    assert reply == Reply("1", None, None, None, reply.latency_s, 0)


def test_half_a_surrogate_pair_in_a_reply_can_be_written_to_a_file(tmp_path):
    _, reply = reply_to(always(answer("2 | \ud83d", reasoning="\udc00")))
    (tmp_path / "reply").write_text(reply.text + reply.reasoning, encoding="utf-8")
    assert reply.text.startswith("2 | ")


# --- transport failures ------------------------------------------------------------------------


def test_a_rate_limit_waits_as_long_as_the_server_asks():
    server, reply = reply_to(once(rate_limit(1)))
    first, second = server.requests
    assert second.time - first.time >= 1.0
    assert reply.retries == 1
    assert reply.latency_s < 1.0


def test_an_http_date_is_honoured_by_the_servers_own_clock():
    now = time.time() - 5000
    headers = {"Date": formatdate(now, usegmt=True)}
    headers["Retry-After"] = formatdate(now + 1, usegmt=True)
    server, reply = reply_to(once(error(429, headers=headers)))
    first, second = server.requests
    assert 1.0 <= second.time - first.time < 5
    assert reply.retries == 1


def test_a_server_error_can_ask_for_a_wait_too():
    server, _ = reply_to(once(error(503, headers={"Retry-After": "0.4"})))
    first, second = server.requests
    assert second.time - first.time >= 0.4


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "3600"}, 3600.0),
        ({"retry-after": "-7"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e999"}, float("inf")),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "9", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, 0.0),
        (
            {
                "retry-after": "Fri, 31 Dec 1999 23:59:59 GMT",
                "date": "Fri, 31 Dec 1999 23:58:29 GMT",
            },
            90.0,
        ),
        ({"retry-after": "Fri, 99 Dec 1999 23:59:59 GMT"}, None),
    ],
)
def test_retry_after_is_read(headers, seconds):
    assert retry_after(headers) == seconds


def test_a_wait_beyond_a_minute_is_sat_out(monkeypatch):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    _, reply = reply_to(once(rate_limit(240)))
    assert reply.retries == 1
    assert [240 <= wait < 241 for wait in waits if wait] == [True]


def test_a_wait_beyond_the_limit_ends_the_request():
    began = time.perf_counter()
    server, result = failure(always(rate_limit(3600)))
    assert (result.reason, result.retries, len(server.requests)) == ("rate_limit", 0, 1)
    assert time.perf_counter() - began < 5
    server, result = failure(always(rate_limit(3)), max_wait_s=2)
    assert (result.reason, len(server.requests)) == ("rate_limit", 1)


def test_a_rate_limit_that_does_not_end():
    server, result = failure(always(rate_limit(None)), retries=3)
    assert (result.reason, result.retries, len(server.requests)) == ("rate_limit", 3, 4)
    assert "slow down" in str(result) and "\n" not in str(result)


def test_a_server_error_is_retried_once_and_for_all():
    server, reply = reply_to(once(error(500)))
    assert (reply.retries, len(server.requests)) == (1, 2)
    server, result = failure(always(error(500)), retries=2)
    assert (result.reason, result.retries, len(server.requests)) == ("server_error", 2, 3)


@pytest.mark.parametrize(
    ("status", "reason"), [(408, "timeout"), (409, "server_error"), (502, "server_error")]
)
def test_other_statuses_that_pass(status, reason):
    server, result = failure(always(error(status)), retries=1)
    assert (result.reason, len(server.requests)) == (reason, 2)


def test_back_offs_grow_and_vary(monkeypatch):
    monkeypatch.setattr(chats, "FIRST_BACK_OFF_S", 0.1)
    server, _ = failure(always(error(500)), retries=3)
    times = [request.time for request in server.requests]
    gaps = np.diff(times)
    assert (gaps >= [0.05, 0.1, 0.2]).all() and (gaps < [0.6, 0.7, 0.9]).all()


@pytest.mark.parametrize("send", ["none", "half"])
def test_a_dropped_connection(send):
    server, reply = reply_to(once(openai_server.drop(send)))
    assert (reply.retries, len(server.requests)) == (1, 2)
    server, result = failure(always(openai_server.drop(send)), retries=1)
    assert (result.reason, result.retries, len(server.requests)) == ("connection", 1, 2)


def test_nobody_there():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        (result,) = ask(OpenAIChat("model", base_url=url, retries=1), "hello")
    assert (result.reason, result.retries) == ("connection", 1)


@pytest.mark.parametrize("fault", [openai_server.hang(), openai_server.drip()])
def test_an_answer_that_never_comes_ends_as_a_timeout(fault):
    began = time.perf_counter()
    server, result = failure(always(fault), timeout_s=0.4, retries=1)
    assert (result.reason, result.retries, len(server.requests)) == ("timeout", 1, 2)
    assert 0.8 <= time.perf_counter() - began < 5


def test_an_answer_after_a_timeout():
    server, reply = reply_to(once(openai_server.hang()), timeout_s=1)
    assert (reply.retries, len(server.requests)) == (1, 2)
    assert reply.latency_s < 1


NO_COMPLETION = [
    b"",
    b"<html>busy</html>",
    b"[]",
    b"null",
    b'{"choices": []}',
    b'{"choices": [{}]}',
    b'{"error": {"code": 502, "message": "upstream"}}',
    b'{"choices": [{"message": "hello"}]}',
    b"[" * 100_000,
    b"\xff\xfe",
    openai_server.invalid_json().body,
]


@pytest.mark.parametrize("body", NO_COMPLETION, ids=range(len(NO_COMPLETION)))
@pytest.mark.parametrize("content_type", ["application/json", "text/html; charset=latin-1"])
def test_a_body_that_is_no_completion(body, content_type):
    bad = Response("bad", body, headers={"Content-Type": content_type})
    server, result = failure(always(bad), retries=1)
    assert (result.reason, result.retries, len(server.requests)) == ("bad_response", 1, 2)
    assert len(str(result)) < 400 and "\n" not in str(result)


def test_a_cut_body_and_then_a_whole_one():
    server, reply = reply_to(once(openai_server.invalid_json()))
    assert (reply.retries, len(server.requests)) == (1, 2)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_repeated(status):
    server, result = failure(always(error(status, "no such thing")))
    assert (result.reason, result.retries, len(server.requests)) == ("rejected", 0, 1)
    assert str(result).startswith(f"rejected: HTTP {status}: no such thing")


def test_an_incomplete_address_is_hinted_at():
    with OpenAIServer() as server:
        url = server.base_url.removesuffix("/v1")
        (result,) = ask(OpenAIChat("model", base_url=url), "hello")
    assert result.reason == "rejected" and "usually ends in /v1" in str(result)


def test_transport_errors_can_be_sent_between_processes():
    original = TransportError("timeout", "late", 3)
    copy = pickle.loads(pickle.dumps(original))
    assert (copy.reason, copy.message, copy.retries) == ("timeout", "late", 3)
    assert str(copy) == str(original) == "timeout: late (retries: 3)"


# --- parameters that a model does not take -----------------------------------------------------


def reasoning_model(body, nth):
    """As OpenAI's reasoning models answer."""
    if "max_tokens" in body:
        return error(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            code="unsupported_parameter",
            param="max_tokens",
        )
    if body.get("temperature", 1) != 1:
        return error(
            400,
            "Unsupported value: 'temperature' does not support 0 with this model. "
            "Only the default (1) value is supported.",
            code="unsupported_value",
            param="temperature",
        )
    return answer("1 | so be it")


def test_parameters_are_switched_once_and_remembered():
    with OpenAIServer(reasoning_model) as server:
        chat = OpenAIChat("model", base_url=server.base_url, retries=0)
        before = chat.settings()
        with pytest.warns(UserWarning, match="takes no temperature"):
            (reply,) = ask(chat, "hello")
        assert (reply.text, reply.retries) == ("1 | so be it", 0)
        assert len(server.requests) == 3
        (reply,) = ask(chat, "hello again")
        assert len(server.requests) == 4
        assert server.requests[-1].body["max_completion_tokens"] == 512
        assert "temperature" not in server.requests[-1].body
    assert chat.refused == {"max_tokens", "temperature"}
    assert chat.settings() == before


@pytest.mark.filterwarnings("ignore:.*takes no temperature")
def test_parameters_are_switched_by_many_requests_at_once():
    with OpenAIServer(reasoning_model) as server:
        chat = OpenAIChat("model", base_url=server.base_url, retries=0)
        replies = ask(chat, *map(str, range(8)))
    assert [reply.text for reply in replies] == ["1 | so be it"] * 8


@pytest.mark.parametrize(
    "message",
    ["max_tokens is too large: 512. At most 100 are possible", "temperature must be at most 1"],
)
def test_a_refused_value_is_not_a_refused_parameter(message):
    server, result = failure(always(error(400, message, param=message.split()[0])))
    assert (result.reason, len(server.requests)) == ("rejected", 1)


def test_a_parameter_refused_in_words_only():
    def script(body, nth):
        if "temperature" in body:
            return error(400, "`temperature` is deprecated for this model.")
        return answer("1")

    with pytest.warns(UserWarning, match="takes no temperature"):
        server, reply = reply_to(script)
    assert (reply.text, len(server.requests)) == ("1", 2)


# --- many at once ------------------------------------------------------------------------------


def test_requests_overlap():
    with OpenAIServer(always(answer("1", delay_s=1.0))) as server:
        began = time.perf_counter()
        replies = ask(OpenAIChat("model", base_url=server.base_url), *map(str, range(40)))
        taken = time.perf_counter() - began
    assert all(isinstance(reply, Reply) for reply in replies)
    assert server.most_at_once == 40
    assert taken < 5


def test_one_failure_leaves_the_others_alone():
    def script(body, nth):
        return error(403) if body["messages"][0]["content"] == "3" else answer("1")

    with OpenAIServer(script) as server:
        results = ask(OpenAIChat("model", base_url=server.base_url), *map(str, range(6)))
    assert [isinstance(result, TransportError) for result in results] == [n == 3 for n in range(6)]


def test_a_cancelled_request_ends_at_once():
    async def cancel(url):
        chat = OpenAIChat("model", base_url=url)
        task = asyncio.ensure_future(chat.generate(HELLO))
        while not server.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await chat.close()

    with OpenAIServer(always(openai_server.hang())) as server:
        began = time.perf_counter()
        asyncio.run(cancel(server.base_url))
    assert time.perf_counter() - began < 5
    assert len(server.requests) == 1


def test_connections_are_kept_between_requests_and_closed():
    async def ask_twice(chat):
        for _ in range(2):
            await chat.generate(HELLO)
        assert server.open_now == 1
        await chat.close()
        for _ in range(100):
            if server.open_now:
                await asyncio.sleep(0.02)
        assert server.open_now == 0
        await chat.generate(HELLO)
        await chat.close()

    with OpenAIServer() as server:
        asyncio.run(ask_twice(OpenAIChat("model", base_url=server.base_url)))
        assert server.connections == 2


@pytest.mark.filterwarnings("error", "ignore::ResourceWarning")
def test_one_chat_serves_one_event_loop_after_another():
    with OpenAIServer() as server:
        chat = OpenAIChat("model", base_url=server.base_url)
        for _ in range(3):  # not closed: the loop is gone, and its connections with it
            assert isinstance(asyncio.run(chat.generate(HELLO)), Reply)
        assert len(chat._clients) == 1
        del chat
        gc.collect()


# --- scripted models ---------------------------------------------------------------------------


def test_a_script_answers_in_order_and_fails_where_it_says():
    whole = Reply("1", "length", 1, 2, 0.5, 0)
    chat = ScriptedChat(["0 | first", TransportError("timeout"), whole])
    first, second, third = (ask(chat, prompt)[0] for prompt in "abc")
    assert (first.text, first.finish_reason, first.retries) == ("0 | first", "stop", 0)
    assert isinstance(second, TransportError) and third == whole
    assert isinstance(ask(chat, "d")[0], IndexError)
    assert [messages[0]["content"] for messages in chat.asked] == list("abcd")


def test_a_scripted_function_and_its_delay():
    chat = ScriptedChat(lambda messages: messages[0]["content"].upper(), delay_s=0.5)
    began = time.perf_counter()
    replies = ask(chat, *"abcdef")
    assert [reply.text for reply in replies] == list("ABCDEF")
    assert all(reply.latency_s >= 0.49 for reply in replies)
    assert time.perf_counter() - began < 2.5  # one after the other would take 3


# --- the server itself -------------------------------------------------------------------------


def test_the_server_runs_as_a_program_and_logs_requests(tmp_path):
    log = tmp_path / "log.jsonl"
    command = [sys.executable, Path(openai_server.__file__), "--port", "0", "--log", log]
    process = subprocess.Popen(
        [*command, "--script", "error_once"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        chat = OpenAIChat("m", base_url=f"http://127.0.0.1:{port}/v1")
        (reply,) = ask(chat, "hello")
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/nothing")
    finally:
        process.kill()
        process.communicate()
    assert reply.retries == 1
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["nth"], line["kind"]) for line in lines] == [(1, "500"), (2, "answer")]
    assert {line["sha256"] for line in lines} == {openai_server.prompt_sha256(HELLO)}


def test_the_mixed_script_gives_the_same_replies_again():
    def run():
        with OpenAIServer(openai_server.mixed) as server:
            chat = OpenAIChat("m", base_url=server.base_url)
            return [reply.text for reply in ask(chat, *map(str, range(240)))], server

    (first, server), (second, _) = run(), run()
    assert first == second
    kinds = {request.kind for request in server.requests}
    assert kinds >= {"429", "500", "drop_half", "prose", "illegal", "empty", "truncated"}
