"""Language models as policies, and what becomes of keys and addresses."""

from __future__ import annotations

import asyncio
import json
import pickle
import subprocess
import sys
import threading
import traceback
from dataclasses import replace

import pytest
from asking import HELLO, KEY, ask, failure, reply_to, surroundings  # noqa: F401
from openai_server import OpenAIServer, Response, always, answer, error

from stratagym.agents import chat as chats
from stratagym.agents.chat import OpenAIChat, Reply, ScriptedChat, TransportError
from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.envs import core, spec
from stratagym.envs import text as words

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


def test_a_key_in_an_answer_is_hidden(monkeypatch):
    """A server that sends the request's headers back, as one for debugging may."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    told = answer(f"Move: 1 {KEY}", finish_reason=f"x {KEY}", reasoning_content=f"{KEY} then {KEY}")
    with OpenAIServer(always(told)) as server:
        (reply,) = ask(OpenAIChat("model", base_url=server.base_url), "hello")
    assert (reply.text, reply.finish_reason) == ("Move: 1 [key]", "x [key]")
    assert reply.reasoning == "[key] then [key]"
    monkeypatch.setenv("OPENAI_API_KEY", "Move")
    with OpenAIServer(always(answer("Move: 1"))) as server:
        (reply,) = ask(OpenAIChat("model", base_url=server.base_url), "hello")
    assert reply.text == "Move: 1"


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
    assert "Your answer has no line `<int> | <one line reason>`" in second[-1]["content"]
    assert third[-2] == {"role": "assistant", "content": "0 | out"}
    assert "Your move `0` is not legal now: needs six." in third[-1]["content"]


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


def test_clients_are_imported_only_when_needed():
    code = (
        "import sys, stratagym.agents.llm, stratagym.agents.chat\n"
        "print({'openai', 'aiohttp', 'certifi'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "set()\n", run.stderr
