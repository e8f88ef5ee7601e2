"""Language models as policies: the real openai client against a scripted server on this machine."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path

import numpy as np
import openai_server
import pytest
from openai_server import OpenAIServer, Response, always, answer, error, once, rate_limit

from stratagym.agents import chat as chats
from stratagym.agents.chat import OpenAIChat, Reply, ScriptedChat, TransportError
from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.envs import core, spec
from stratagym.envs import text as words

KEY = "sk-proj-Zq81tiresomelySecret0042"
HELLO = [{"role": "user", "content": "hello"}]


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    """No key or proxy of whoever runs the tests, and short back-offs."""
    for variable in list(os.environ):
        if variable.startswith("OPENAI_") or variable.lower().endswith("_proxy"):
            monkeypatch.delenv(variable)
    monkeypatch.setattr(chats, "FIRST_BACK_OFF_S", 0.01)


def ask(chat, *prompts):
    """The replies to prompts asked at once, errors among them, in one event loop."""

    async def ask_all():
        try:
            return await asyncio.gather(
                *(chat.generate([{"role": "user", "content": prompt}]) for prompt in prompts),
                return_exceptions=True,
            )
        finally:
            await chat.close()

    return asyncio.run(ask_all())


def reply_to(script, **options):
    """The server after, and the reply or error to, one request."""
    with OpenAIServer(script) as server:
        (result,) = ask(OpenAIChat("model", base_url=server.base_url, **options), "hello")
    return server, result


def failure(script, **options):
    server, result = reply_to(script, **options)
    assert isinstance(result, TransportError), result
    return server, result


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
    assert chats._retry_after(headers) == seconds


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


# --- keys --------------------------------------------------------------------------------------


def test_the_key_comes_from_the_environment_and_goes_nowhere_else(monkeypatch):
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    shown = f"bad key {KEY}, {KEY[:12]}... or sk-***42; 'Bearer {KEY}' {json.dumps({'k': KEY})}"
    with OpenAIServer(always(error(401, shown))) as server:
        chat = OpenAIChat("model", base_url=server.base_url, api_key_env="MY_KEY")
        policy = LanguageModel(chat)

        async def fail():
            try:
                await chat.generate(HELLO)
            except TransportError as failed:
                return failed, traceback.format_exc(), repr(vars(chat))
            finally:
                await chat.close()

        failed, trace, attributes = asyncio.run(fail())
    assert server.authorizations == [f"Bearer {KEY}"]
    seen = [str(failed), repr(failed), failed.message, trace, attributes, repr(chat), repr(policy)]
    seen += [chat.name, policy.name, json.dumps(policy.settings()), repr(vars(failed))]
    for place in seen:
        assert "Zq81" not in place and "0042" not in place and "***" not in place, place
    assert "bad key [key]" in str(failed)
    assert failed.__context__ is None and failed.__cause__ is None


def test_a_key_in_a_body_that_is_no_completion_is_hidden(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    _, result = failure(always(Response("bad", f"<p>{KEY}</p>".encode())), retries=0)
    assert result.reason == "bad_response" and "Zq81" not in str(result)


def test_passwords_and_queries_of_an_address_are_hidden_but_used():
    with OpenAIServer(always(error(403, "not with pass+word1 nor with abcdefgh123"))) as server:
        url = f"http://user:pass%2Bword1@127.0.0.1:{server.port}/v1?api-token=abcdefgh123"
        chat = OpenAIChat("model", base_url=url)
        (result,) = ask(chat, "hello")
    assert server.requests[0].path == "/v1/chat/completions?api-token=abcdefgh123"
    assert (server.authorizations[0] or "").startswith("Basic ")
    assert chat.settings()["base_url"] == server.base_url
    for place in (str(result), repr(chat), json.dumps(chat.settings())):
        assert "word1" not in place and "abcdefgh" not in place


def test_an_own_endpoint_works_without_a_key():
    server, reply = reply_to(always(answer("1")), api_key_env="NOWHERE_SET")
    assert reply.text == "1"
    assert server.authorizations == [f"Bearer {chats.NO_KEY}"]
    _, result = failure(always(error(401, "who are you?")), api_key_env="NOWHERE_SET")
    assert "(no key is set in NOWHERE_SET)" in str(result)


def test_openais_endpoint_needs_a_key(monkeypatch):
    with pytest.raises(ValueError, match="set the environment variable MY_KEY"):
        OpenAIChat("model", api_key_env="MY_KEY")
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        make_policy(spec("ludo"), "llm:model")
    monkeypatch.setenv("MY_KEY", KEY)
    chat = OpenAIChat("model", api_key_env="MY_KEY")
    assert chat.settings()["base_url"] == "https://api.openai.com/v1"


def test_the_endpoint_may_stand_in_the_environment(monkeypatch):
    with OpenAIServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        chat = OpenAIChat("model")
        (reply,) = ask(chat, "hello")
    assert isinstance(reply, Reply)
    assert chat.settings()["base_url"] == server.base_url


def test_a_chat_sent_to_another_process_takes_no_key_along(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    async def send(chat):
        await chat.generate(HELLO)
        sent = pickle.dumps(LanguageModel(chat))
        await chat.close()
        return sent

    with OpenAIServer() as server:
        chat = OpenAIChat("model", base_url=server.base_url, temperature=0.3)
        sent = asyncio.run(send(chat))
        copy = pickle.loads(sent)
        (reply,) = ask(copy.chat, "hello")
    assert b"Zq81" not in sent
    assert copy.settings() == chat.settings()
    assert isinstance(reply, Reply)


def test_a_key_that_is_no_key_is_not_shown(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "two words\u00e9")
    with pytest.raises(ValueError, match="OPENAI_API_KEY") as failed:
        OpenAIChat("model")
    assert "words" not in str(failed.value)
    with pytest.raises(ValueError, match="never a key itself") as failed:
        OpenAIChat("model", base_url="http://127.0.0.1:1/v1", api_key_env=KEY)
    assert "Zq81" not in str(failed.value)


def test_settings_are_json_and_whole():
    chat = OpenAIChat("qwen2.5:7b", base_url="http://127.0.0.1:1/v1", temperature=None, retries=2)
    assert json.loads(json.dumps(LanguageModel(chat).settings())) == {
        "model": "qwen2.5:7b",
        "base_url": "http://127.0.0.1:1/v1",
        "temperature": None,
        "max_tokens": 512,
        "timeout_s": 60.0,
        "retries": 2,
        "max_wait_s": 300.0,
    }


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
        await asyncio.sleep(0.3)
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


# --- the policy --------------------------------------------------------------------------------


@pytest.fixture
def view():
    """A Ludo turn: a throw of 3, pieces 0 and 1 in base, 2 on the track, 3 finished."""
    game = spec("ludo")
    rules = game.make_rules()
    states = core.new_states(rules)
    states["steps"] = -1
    states["steps"][0, 0] = [-1, -1, 10, 58]
    states["player"], states["dice"], states["winner"] = 0, 3, -1
    view = decision_for(game, rules, states, seed=1)
    assert view.legal.tolist() == [2]
    return view


def test_a_policy_asks_and_plays_what_it_is_told(view):
    with OpenAIServer(always(answer("2 | the only one"))) as server:
        policy = make_policy(view.spec, f"llm:tiny?base_url={server.base_url}")
        assert policy.name == "llm:tiny"
        assert policy.act(view) == 2
        assert policy.act(view) == 2
    asked = words.messages(view.spec, view.rules, view.states)
    assert [request.body["messages"] for request in server.requests] == [asked, asked]


def test_a_policy_acts_inside_a_running_event_loop(view):
    async def act(policy):
        return policy.act(view)

    with OpenAIServer(always(answer("2 | the only one"))) as server:
        chat = OpenAIChat("tiny", base_url=server.base_url)
        assert asyncio.run(act(LanguageModel(chat))) == 2
    assert asyncio.run(act(LanguageModel(ScriptedChat(["2 | yes"])))) == 2


def test_a_policy_acts_in_several_threads(view):
    actions = []
    with OpenAIServer(always(answer("2 | yes", delay_s=0.1))) as server:
        policy = LanguageModel(OpenAIChat("tiny", base_url=server.base_url))
        threads = [
            threading.Thread(target=lambda: actions.append(policy.act(view))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert actions == [2] * 4


def test_bad_answers_are_quoted_back(view):
    chat = ScriptedChat(["<think>hm</think>I like piece two.", "0 | out", "2 | at last"])
    assert LanguageModel(chat).act(view) == 2
    first, second, third = chat.asked
    assert second[: len(first)] == first and third[: len(second)] == second
    assert second[-2] == {"role": "assistant", "content": "I like piece two."}
    assert "unparseable (no_move)" in second[-1]["content"]
    assert third[-2] == {"role": "assistant", "content": "0 | out"}
    assert "illegal (needs_six)" in third[-1]["content"]


def test_an_empty_answer_is_quoted_as_such(view):
    chat = ScriptedChat(["", "2 | here"])
    assert LanguageModel(chat).act(view) == 2
    assert chat.asked[1][-2] == {"role": "assistant", "content": "(no answer)"}


def test_a_policy_gives_up_with_the_outcome(view):
    chat = ScriptedChat(["", "3 | on", "0 | out", "2 | too late"])
    with pytest.raises(ValueError, match=r"in 3 answers; the last is illegal \(needs_six\): 0$"):
        LanguageModel(chat).act(view)
    with pytest.raises(ValueError, match=r"in 1 answers; the last is unparseable \(empty\)$"):
        LanguageModel(ScriptedChat([""]), tries=1).act(view)


def test_a_transport_failure_is_passed_on(view):
    with pytest.raises(TransportError, match="rate_limit"):
        LanguageModel(ScriptedChat([TransportError("rate_limit")])).act(view)


def test_text_options_shape_the_prompt_and_the_reading(view):
    options = words.TextOptions(persona="safe", list_legal=True, lenient=True)
    chat = ScriptedChat(["2"])
    assert LanguageModel(chat, options).act(view) == 2
    assert chat.asked == [words.messages(view.spec, view.rules, view.states, options)]
    with pytest.raises(ValueError, match="unknown persona"):
        LanguageModel(chat, replace(options, persona="dull")).act(view)


# --- policy strings ----------------------------------------------------------------------------


def test_a_policy_string_sets_every_option(monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    policy = make_policy(
        spec("ludo"),
        "llm:org/qwen2.5:7b?base_url=http://127.0.0.1:9/v1&temperature=0.7&max_tokens=none"
        "&api_key_env=MY_KEY&timeout_s=2.5&retries=0&max_wait_s=10",
    )
    assert policy.name == "llm:org/qwen2.5:7b"
    assert policy.settings() == {
        "model": "org/qwen2.5:7b",
        "base_url": "http://127.0.0.1:9/v1",
        "temperature": 0.7,
        "max_tokens": None,
        "timeout_s": 2.5,
        "retries": 0,
        "max_wait_s": 10.0,
    }
    assert policy.chat.api_key_env == "MY_KEY"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("llm", "llm:MODEL"),
        ("llm:?temperature=1", "llm:MODEL"),
        ("llm:m?colour=red", "unknown option 'colour'; the options are: base_url, api_key_env, t"),
        ("llm:m?temperature=hot", "temperature='hot': a number from 0 to 2, or none, is needed"),
        ("llm:m?temperature=nan", "from 0 to 2"),
        ("llm:m?temperature=2.5", "from 0 to 2"),
        ("llm:m?temperature=", "temperature has no value"),
        ("llm:m?max_tokens=0", "a whole number of at least 1, or none, is needed"),
        ("llm:m?max_tokens=2.5", "a whole number of at least 1"),
        ("llm:m?timeout_s=0", "timeout_s='0': a number of at least 0.001 is needed"),
        ("llm:m?timeout_s=none", "of at least 0.001"),
        ("llm:m?retries=-1", "retries='-1': a whole number of at least 0 is needed"),
        ("llm:m?max_wait_s=inf", "of at least 0"),
        ("llm:m?base_url=localhost:8000", "an http:// or https:// address"),
        ("llm:m?base_url=http://h:port/v1", "an http:// or https:// address"),
        ("llm:m?base_url=http://[::1/v1", "an http:// or https:// address"),
    ],
)
def test_bad_policy_strings_are_one_clear_line(text, says):
    with pytest.raises(ValueError) as failed:
        make_policy(spec("ludo"), text)
    assert says in str(failed.value)
    assert "\n" not in str(failed.value)


def test_a_key_in_a_policy_string_is_not_quoted():
    with pytest.raises(ValueError, match="unknown option 'api_key'") as failed:
        make_policy(spec("ludo"), f"llm:m?api_key={KEY}")
    assert "Zq81" not in str(failed.value)


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    url = "http://127.0.0.1:9/v1"
    with pytest.raises(ModuleNotFoundError, match=r'pip install "stratagym\[llm\]"'):
        make_policy(spec("ludo"), f"llm:m?base_url={url}")
    chat = OpenAIChat("m", base_url=url)
    with pytest.raises(ModuleNotFoundError, match=r"stratagym\[llm\]"):
        asyncio.run(chat.generate(HELLO))


def test_the_openai_package_is_imported_only_when_needed():
    code = "import sys, stratagym.agents.llm, stratagym.agents.chat; print('openai' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "False\n", run.stderr


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
