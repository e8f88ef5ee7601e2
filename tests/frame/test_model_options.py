"""Options of language models on their way: from a policy string or a script's command line into the
request, the records and the name; and what a server's usage comes back as."""

from __future__ import annotations

import asyncio
import json
import math
import os
import pickle
import subprocess
import sys
from urllib.parse import quote

import pytest
from openai_server import OpenAIServer, Response, always, answer, legal_looking

from stratagym.agents import chat_options
from stratagym.agents import llm as llms
from stratagym.agents.chat import OpenAIChat, Reply, ScriptedChat
from stratagym.agents.core import PolicyString, make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.cli import InputError, words
from stratagym.benchmarks.harness.decisions import Question, ask_model
from stratagym.benchmarks.harness.options import MatchArgs
from stratagym.benchmarks.harness.policies import ModelArgs, make_policies, settings, usage
from stratagym.benchmarks.harness.records import read_jsonl
from stratagym.benchmarks.replaying import scenes
from stratagym.benchmarks.reporting.page import NOTHING
from stratagym.benchmarks.reporting.sections import model_table
from stratagym.envs import core, spec

pytest.importorskip("openai")

KEY = "k9-Zq81tiresomelySecret0042"
HOME = "http://127.0.0.1:1/v1"
GIVEN = {
    "top_p": 0.9,
    "top_k": 40,
    "seed": 7,
    "reasoning_effort": "high",
    "thinking_budget": 2048,
    "extra_body": {"min_p": 0.05, "stop": [",", "&"], "chat_template_kwargs": {"x": False}},
}


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    """No key or proxy of whoever runs the tests."""
    for variable in list(os.environ):
        if variable.startswith("OPENAI_") or variable.lower().endswith("_proxy"):
            monkeypatch.delenv(variable)


def exchange(script=legal_looking, **options) -> tuple[dict, Reply]:
    """The body of one request, and the reply to it."""

    async def ask(chat):
        try:
            return await chat.generate([{"role": "user", "content": "hello"}])
        finally:
            await chat.close()

    with OpenAIServer(script) as server:
        reply = asyncio.run(ask(OpenAIChat("model", base_url=server.base_url, **options)))
    (request,) = server.requests
    return request.body, reply


def sent(**options) -> dict:
    """The fields of a request that 0.1 would not have sent."""
    body, _ = exchange(**options)
    plain = {"model": "model", "temperature": 0.0, "max_tokens": 512}
    plain["messages"] = [{"role": "user", "content": "hello"}]
    assert plain.items() <= body.items()
    return {name: value for name, value in body.items() if name not in plain}


def llm(query: str, **args) -> LanguageModel:
    """The model of ``llm:m?<query>``, as a script makes it."""
    text = f"llm:m?{query}" if query else "llm:m"
    args.setdefault("base_url", HOME)
    (policy,) = make_policies(spec("ludo"), text, ModelArgs(**args))
    assert isinstance(policy, LanguageModel)
    return policy


# --- into the request --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "value", "fields"),
    [
        ("top_p", "0.9", {"top_p": 0.9}),
        ("top_p", 1, {"top_p": 1.0}),
        ("top_k", "40", {"top_k": 40}),
        ("top_k", -1, {"top_k": -1}),
        ("seed", "9007199254740993", {"seed": 2**53 + 1}),
        ("seed", 0, {"seed": 0}),
        ("reasoning_effort", "minimal", {"reasoning_effort": "minimal"}),
        ("reasoning_effort", "none", {"reasoning_effort": "none"}),
        (
            "thinking_budget",
            "2048",
            {
                "thinking_token_budget": 2048,
                "custom_params": {"thinking_budget": 2048},
                "thinking_budget_tokens": 2048,
            },
        ),
        ("extra_body", '{"b": 0.05, "a": [1, {"b": null}]}', {"b": 0.05, "a": [1, {"b": None}]}),
        ("extra_body", {"ü": "ß"}, {"ü": "ß"}),
        ("extra_body", "{}", {}),
    ],
)  # fmt: skip
def test_each_option_is_sent(option, value, fields):
    assert sent(**{option: value}) == fields


def test_what_is_not_given_is_neither_sent_nor_recorded():
    assert sent() == {}
    assert sent(top_p="none", top_k=None, seed="none", thinking_budget=None) == {}
    chat = OpenAIChat("model", base_url=HOME)
    assert list(chat.settings()) == [
        "model", "base_url", "temperature", "max_tokens", "timeout_s", "retries", "max_wait_s",
    ]  # fmt: skip


def test_what_is_given_is_recorded_as_it_is_sent_and_survives_a_copy():
    chat = OpenAIChat("model", base_url=HOME, **GIVEN)
    assert {k: v for k, v in chat.settings().items() if k in GIVEN} == GIVEN
    assert json.loads(json.dumps(chat.settings())) == chat.settings()
    assert pickle.loads(pickle.dumps(chat)).settings() == chat.settings()


@pytest.mark.parametrize(
    ("address", "fields", "none"),
    [
        (
            "https://api.anthropic.com/v1/",
            {"thinking": {"type": "enabled", "budget_tokens": 2048}},
            {"thinking": {"type": "disabled"}},
        ),
        (
            "https://openrouter.ai/api/v1",
            {"reasoning": {"max_tokens": 2048}},
            {"reasoning": {"effort": "none"}},
        ),
        (
            "https://generativelanguage.googleapis.com/v1beta/openai/",
            {"extra_body": {"google": {"thinking_config": {"thinking_budget": 2048}}}},
            {"extra_body": {"google": {"thinking_config": {"thinking_budget": 0}}}},
        ),
        (
            "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
            {"enable_thinking": True, "thinking_budget": 2048},
            {"enable_thinking": False},
        ),
        ("https://api.siliconflow.cn/v1", {"thinking_budget": 2048}, {"thinking_budget": 0}),
    ],
)
def test_a_thinking_budget_goes_under_the_name_that_the_endpoint_has(address, fields, none):
    assert chat_options.thinking_fields(2048, address) == fields
    assert chat_options.thinking_fields(0, address) == none


@pytest.mark.parametrize("address", ["https://api.openai.com/v1", "https://api.deepseek.com"])
def test_an_endpoint_without_thinking_budgets_is_named(address, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(ValueError, match="knows none; reasoning_effort"):
        OpenAIChat("model", base_url=address, thinking_budget=5)
    # Another's host that only ends alike is another's.
    assert chat_options.thinking_fields(5, "https://notopenai.com/v1")


def test_extra_fields_come_before_the_mapping_of_top_k_and_thinking_budget():
    over = {"top_k": 0, "custom_params": {"more": 1}, "thinking_token_budget": None}
    assert sent(top_k=40, thinking_budget=9, extra_body=over) == {
        "top_k": 0,
        "thinking_token_budget": None,
        "custom_params": {"thinking_budget": 9, "more": 1},
        "thinking_budget_tokens": 9,
    }


def test_a_policy_string_gives_all_of_them():
    body = quote(json.dumps(GIVEN["extra_body"]))
    policy = llm(
        "temperature=0.7&top_p=0.9&top_k=40&seed=7&reasoning_effort=high&thinking_budget=2048"
        f"&extra_body={body}"
    )
    assert {k: v for k, v in policy.settings().items() if k in GIVEN} == GIVEN


def test_the_command_lines_options_hold_where_a_policy_string_has_none():
    options = {k: v for k, v in GIVEN.items() if k not in ("seed", "extra_body")}
    args = {**options, "model_seed": 7, "extra_body": '{"min_p": 0.05}'}
    own = llm("", **args)
    assert own.name == "llm:m"
    assert {k: v for k, v in own.settings().items() if k in GIVEN} == {
        **options, "seed": 7, "extra_body": {"min_p": 0.05},
    }  # fmt: skip
    other = llm('top_p=0.5&seed=8&extra_body={"a":1}', **args).settings()
    assert (other["top_p"], other["seed"], other["extra_body"]) == (0.5, 8, {"a": 1})
    assert other["top_k"] == 40
    zero = llm("", model_seed=0, thinking_budget=0, top_p=0.0).settings()
    assert (zero["seed"], zero["thinking_budget"], zero["top_p"]) == (0, 0, 0.0)


def test_a_script_takes_them(tmp_path):
    command = [sys.executable, "-m", "stratagym.benchmarks.ludo_spots", "--categories", "capture"]
    body = '{"chat_template_kwargs":{"enable_thinking":false},"stop":["}",","]}'
    usage = {
        "prompt_tokens": 100, "completion_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 60},
        "completion_tokens_details": {"reasoning_tokens": 4},
    }  # fmt: skip
    with OpenAIServer(always(answer("1 | x", usage=usage))) as server:
        command += [
            "--policies", f'llm:m?top_k=5&extra_body={body},gt:1,llm:m', "--depth", "1",
            "--base-url", server.base_url, "--head-to-head", "0", "--output", "run", "--json",
            "--top-p", "0.9", "--top-k", "40", "--model-seed", "7", "--reasoning-effort", "none",
            "--thinking-budget", "9", "--extra-body", '{"min_p":0.1,"a":"b"}',
            "--price-in", "2", "--price-out", "8", "--price-cached", "0.5", "--no-preflight",
        ]  # fmt: skip
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    bodies = {json.dumps(r.body.get("min_p")): r.body for r in server.requests}
    assert len(server.requests) == 80 and bodies.keys() == {"0.1", "null"}
    common = {"top_p": 0.9, "seed": 7, "reasoning_effort": "none", "thinking_token_budget": 9}
    assert {**common, "top_k": 40, "a": "b"}.items() <= bodies["0.1"].items()
    assert {**common, "top_k": 5, **json.loads(body)}.items() <= bodies["null"].items()
    summary = json.loads(done.stdout)
    named = f"llm:m?top_k=5&extra_body={body}"
    assert [p["name"] for p in summary["config"]["policies"]] == [named, "gt:1", "llm:m"]
    assert summary["config"]["policies"][0]["extra_body"] == json.loads(body)
    for name in (named, "llm:m"):
        used = summary["usage"][name]
        assert (used["tokens_reasoning"], used["tokens_cached"]) == (40 * 4, 40 * 60)
        assert math.isclose(used["cost"], 40 * (40 * 2 + 60 * 0.5 + 10 * 8) / 1e6)
    assert "tokens_cached" not in summary["usage"]["gt:1"]
    records = list(read_jsonl(tmp_path / "run" / "decisions.jsonl"))
    assert {r.get("tokens_cached") for r in records} == {60, None}
    assert any(named in r["policy"] for r in records)
    report = (tmp_path / "run" / "report.md").read_text()
    assert "tokens cached" in report and "tokens reasoning" in report


# --- bad values --------------------------------------------------------------------------------

REFUSED = [
    ("top_p=1.5", "top_p='1.5': a number from 0 to 1, or none, is needed"),
    ("top_p=-0.1", "from 0 to 1"),
    ("top_p=nan", "from 0 to 1"),
    ("top_k=2.5", "a whole number from -1 to"),
    ("top_k=-2", "a whole number from -1 to"),
    ("top_k=" + "9" * 400, "a whole number from -1 to"),
    ("seed=-1", "a whole number from 0 to 9223372036854775807"),
    ("seed=9223372036854775808", "a whole number from 0 to 9223372036854775807"),
    ("reasoning_effort=hard", "choose from none, minimal, low, medium, high, xhigh, max"),
    ("thinking_budget=-5", "a whole number from 0"),
    ("thinking_budget=", "thinking_budget has no value"),
    ("extra_body={", "a JSON object such as"),
    ('extra_body={"a":"b&c"}', "with %26 for &"),
    ("extra_body=[1]", "a JSON object such as"),
    ("extra_body=7", "a JSON object such as"),
    ('extra_body={"a":NaN}', "a JSON object such as"),
    ('extra_body={"a":1e999}', "a JSON object such as"),
    ('extra_body={"a":"\\ud800"}', "a JSON object such as"),
    ('extra_body={"a":' + "[" * 100_000, "a JSON object such as"),
    ('extra_body={"a":' + "[" * 30 + "]" * 30 + "}", "20 levels at most"),
    ('extra_body={"a":"' + "x" * 10_000 + '"}', "10000 characters at most"),
    ('extra_body={"a":1,"a":2}', "a field is named twice"),
    ('extra_body={"messages":[]}', "messages may not be set here: the game makes them"),
    ('extra_body={"model":"x"}', "model may not be set here"),
    ('extra_body={"stream":true}', "stream may not be set here"),
    ('extra_body={"n":2}', "n may not be set here"),
    ('extra_body={"temperature":1}', "temperature may not be set here: it is an option"),
    ('extra_body={"max_completion_tokens":1}', "max_completion_tokens may not be set here"),
]


@pytest.mark.parametrize(("query", "said"), REFUSED, ids=range(len(REFUSED)))
def test_a_bad_value_is_one_clear_line(query, said):
    with pytest.raises(InputError) as caught:
        llm(query)
    line = str(caught.value)
    assert said in line and "policy llm:m" in line
    assert "\n" not in line and len(line) < 800


@pytest.mark.parametrize(
    "query",
    [
        f"api_key={KEY}",
        f"authorization=Bearer {KEY}",
        f'extra_body={{"api_key":"{KEY}"}}',
        f'extra_body={{"a":[{{"API-Key":"{KEY}"}}]}}',
        f'extra_body={{"extra_headers":{{"Authorization":"{KEY}"}}}}',
        f'extra_body={{"x-goog-api-key":"{KEY}"}}',
        f'extra_body={{"access_token":"{KEY}"}}',
        f'extra_body={{"client_secret":"{KEY}"}}',
        f'extra_body={{"a":"Bearer {KEY}"}}',
        f'extra_body={{"a":"sk-{KEY}"}}',
        f'extra_body={{"sk-{KEY}":1}}',
        f'extra_body={{"user":"x{KEY}"}}',
        f'extra_body={{"a":"{KEY}',
    ],
)
def test_keys_are_refused_and_not_quoted(query, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(InputError) as caught:
        llm(query)
    assert KEY not in str(caught.value) and "\n" not in str(caught.value)
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


@pytest.mark.parametrize(
    "name",
    ["max_new_tokens", "stop_token_ids", "prompt_cache_key", "thinking_token_budget", "tokenizer"],
)
def test_fields_that_only_sound_like_keys_are_taken(name):
    assert chat_options.read_extra_body({name: 1}) == {name: 1}


NUMBERS = [
    ("price_in", math.nan, "--price-in=nan: a number from 0 to 1000000000"),
    ("price_in", -1.0, "--price-in=-1.0: a number from 0"),
    ("price_out", math.inf, "--price-out=inf: a number from 0"),
    ("price_out", 1e300, "--price-out=1e+300: a number from 0"),
    ("price_cached", math.nan, "--price-cached=nan: a number from 0"),
    ("timeout", math.nan, "--timeout=nan: a number of at least 0.001"),
    ("timeout", math.inf, "--timeout=inf: a number of at least 0.001"),
    ("timeout", -1.0, "--timeout=-1.0: a number of at least 0.001"),
    ("concurrency", 0, "--concurrency 0: choose from 1 to 1000"),
    ("concurrency", 10**6, "--concurrency 1000000: choose from 1 to 1000"),
]


@pytest.mark.parametrize(("option", "value", "said"), NUMBERS, ids=lambda x: str(x)[:20])
def test_prices_times_and_concurrency_that_cannot_be_are_refused(option, value, said):
    # Whether a model plays or not.
    for policies in ("random", "llm:m"):
        with pytest.raises(InputError) as caught:
            make_policies(spec("ludo"), policies, ModelArgs(**{option: value, "base_url": HOME}))
        assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"time_limit": math.nan}, "time limit nan: more than 0 seconds are needed, or none"),
        ({"time_limit": math.inf}, "time limit inf"),
        ({"time_limit": -1.0}, "time limit -1"),
        ({"clock": "tokens:" + "9" * 400}, "choose one of: sync, wall, or tokens:RATE"),
        ({"clock": "tokens:0." + "0" * 300 + "1"}, "choose one of: sync, wall"),
        ({"clock": "tokens:nan"}, "choose one of: sync, wall"),
    ],
    ids=range(6),
)
def test_times_of_matches_that_cannot_be_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        MatchArgs(**options).answer_protocol(spec("ludo"))


def test_prices_of_python_are_checked_too():
    for prices in ((math.nan, 1.0), (1.0, -1.0)):
        with pytest.raises(ValueError, match="price_"):
            LanguageModel(ScriptedChat([]), prices=prices)
    with pytest.raises(ValueError, match="price_cached"):
        LanguageModel(ScriptedChat([]), prices=(1.0, 1.0), price_cached=math.inf)


# --- lists and names ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a, b,,c", ["a", "b", "c"]),
        ('x?e={"a":1,"b":[2,3]},y', ['x?e={"a":1,"b":[2,3]}', "y"]),
        ('x?e={"a":"},","b":"\\"{,"},y', ['x?e={"a":"},","b":"\\"{,"}', "y"]),
        ('x?e={"a":"\\\\"},y', ['x?e={"a":"\\\\"}', "y"]),
        ('say "a,b"', ['say "a', 'b"']),
        ("c:\\x\\,y", ["c:\\x\\", "y"]),
        ("a},b", ["a}", "b"]),
        ("http://[::1]:80/v1,b", ["http://[::1]:80/v1", "b"]),
    ],
)
def test_a_list_is_split_at_its_commas_and_not_within_json(text, parts):
    assert words(text) == parts


@pytest.mark.parametrize(
    "query",
    [
        "temperature=0.7&top_p=0.9",
        "top_k=40&seed=7&reasoning_effort=low&thinking_budget=0",
        'extra_body={"a":[1,"x, y"],"b":{"c":false}}',
        "extra_body=" + quote(json.dumps({"a": '&+%,}"', "ü": "/"})),
    ],
)
def test_a_name_makes_the_policy_again(query):
    policy = llm(query)
    again = llm(policy.name.partition("?")[2])
    assert (again.name, again.settings()) == (policy.name, policy.settings())
    assert words(f"{policy.name},gt") == [policy.name, "gt"]


def test_two_of_one_model_are_told_apart_by_any_option():
    queries = ["", "?top_p=0.5", "?seed=1", "?reasoning_effort=low", "?thinking_budget=9"]
    queries += ["?temperature=1", '?extra_body={"a":1,"b":2}', '?extra_body={"a":1,"b":3}']
    text = ",".join(f"llm:m{query}" for query in queries)
    made = make_policies(spec("ludo"), text, ModelArgs(base_url=HOME))
    assert [policy.name for policy in made] == [f"llm:m{query}" for query in queries]
    config = settings(made)
    assert config["policies"][6]["extra_body"] == {"a": 1, "b": 2}
    assert "extra_body" not in config["policies"][0]
    with pytest.raises(InputError, match="named twice"):
        make_policies(
            spec("ludo"), 'llm:m?extra_body={"a":1},llm:m?extra_body={"a": 1}',
            ModelArgs(base_url=HOME),
        )  # fmt: skip


def test_a_policy_string_of_0_1_keeps_its_name_and_settings():
    policy = llm("temperature=0.70&max_tokens=none&retries=2")
    assert policy.name == "llm:m?temperature=0.70&max_tokens=none"
    made = make_policy(spec("ludo"), PolicyString.parse(f"llm:m?base_url={HOME}"))
    assert made.name == "llm:m"


# --- usage -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "reasoning", "cached"),
    [
        ({}, None, None),
        (
            {
                "prompt_tokens_details": {"cached_tokens": 5, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 3},
            },
            3,
            5,
        ),
        ({"prompt_cache_hit_tokens": 8, "prompt_cache_miss_tokens": 3}, None, 8),
        ({"prompt_tokens_details": None, "reasoning_tokens": 2, "cached_tokens": 1}, 2, 1),
        ({"prompt_tokens_details": {"cached_tokens": 0}, "prompt_cache_hit_tokens": 9}, None, 0),
    ],
)
def test_reasoning_and_cached_tokens_are_read(more, reasoning, cached):
    usage = {"prompt_tokens": 11, "completion_tokens": 7, **more}
    _, reply = exchange(always(answer("1 | x", usage=usage)))
    assert (reply.tokens_in, reply.tokens_out) == (11, 7)
    assert (reply.tokens_reasoning, reply.tokens_cached) == (reasoning, cached)


NO_COUNTS = ["-1", "true", "false", "1.0", "3e2", '"7"', "null", "[]", '{"a": 1}', "1" + "0" * 330,
             "9" * 6000, "-" + "9" * 6000, "1e999", "NaN", "9007199254740993"]  # fmt: skip


@pytest.mark.parametrize("count", NO_COUNTS, ids=range(len(NO_COUNTS)))
def test_what_is_no_count_is_none(count):
    usage = (
        '{"prompt_tokens": %s, "completion_tokens": %s, "prompt_cache_hit_tokens": %s,'
        '"prompt_tokens_details": {"cached_tokens": %s},'
        '"completion_tokens_details": {"reasoning_tokens": %s}}'
    ).replace("%s", count)
    body = answer("1 | x", usage="USAGE").body.replace(b'"USAGE"', usage.encode())
    _, reply = exchange(always(Response("answer", body)))
    assert (reply.text, reply.retries) == ("1 | x", 0)
    counts = reply.tokens_in, reply.tokens_out, reply.tokens_reasoning, reply.tokens_cached
    assert counts == (None, None, None, None)


@pytest.mark.parametrize("whole", [None, True, 5, "many", [1], [[]], {}])
def test_a_usage_that_is_none_is_passed_over(whole):
    _, reply = exchange(always(answer("1 | x", usage=whole)))
    assert (reply.tokens_in, reply.tokens_cached) == (None, None)


def recorded(reply: Reply, **prices) -> dict:
    """The record of a decision that a model answered so."""
    game = spec("ludo")
    rules = game.make_rules(players=2)
    states = core.new_states(rules)
    _, probs = core.new_scratch(rules)
    core.start_at(rules, states, 0, 1, probs)
    model = LanguageModel(ScriptedChat([reply]), **prices)
    question = Question("b", "i", game, rules, states, 1, 0)
    return asyncio.run(ask_model(model, question))


def test_a_record_has_the_counts_only_where_the_server_gave_them():
    plain = recorded(Reply("0 | x", "stop", 100, 10, 0.1, 0))
    assert not {"tokens_reasoning", "tokens_cached"} & plain.keys()
    full = recorded(Reply("0 | x", "stop", 100, 10, 0.1, 0, "", 4, 0))
    assert (full["tokens_reasoning"], full["tokens_cached"]) == (4, 0)
    assert {k: v for k, v in full.items() if k in plain} == plain

    policies = [LanguageModel(ScriptedChat([]))]
    assert "tokens_cached" not in usage([plain], policies)["llm:scripted"]
    both = usage([plain, full, full], policies)["llm:scripted"]
    assert (both["tokens_in"], both["tokens_reasoning"], both["tokens_cached"]) == (300, 8, 0)


def test_cached_tokens_have_a_price_of_their_own_where_one_is_given():
    reply = Reply("0 | x", "stop", 100, 10, 0.1, 0, "", None, 60)
    assert recorded(reply)["cost"] is None
    assert math.isclose(recorded(reply, prices=(2, 8))["cost"], (200 + 80) / 1e6)
    priced = recorded(reply, prices=(2, 8), price_cached=0.5)
    assert math.isclose(priced["cost"], (40 * 2 + 60 * 0.5 + 80) / 1e6)
    # More cached than there were cannot make a reply cost less than nothing.
    more = recorded(
        Reply("0", "stop", 100, 0, 0.1, 0, "", None, 10**6), prices=(2, 8), price_cached=0
    )
    assert more["cost"] == 0
    assert llm("", price_in=2.0, price_cached=0.0).price_cached == 0.0
    assert llm("", price_in=2.0).price_cached is None
    assert llms.LanguageModel(ScriptedChat([]), prices=(1, 1)).cost(None, 5, 3) is None


def test_reports_and_replays_show_the_counts_where_there_are_any():
    plain = {"answers": 1, "kinds": {"ok": 1}, "reasons": {}, "tokens_in": 9, "tokens_out": 2,
             "cost": None, "median_latency_s": 0.25}  # fmt: skip
    table = model_table({"models": {"a": plain}})
    assert table.columns[-4:] == ["tokens in", "tokens out", "median latency", "cost"]
    assert table.rows[0][-2:] == ["0.25 s", NOTHING]
    table = model_table({"models": {"a": plain, "b": {**plain, "tokens_cached": 0}}})
    assert table.columns[-4:] == ["tokens out", "tokens cached", "median latency", "cost"]
    assert [row[-3] for row in table.rows] == [NOTHING, "0"]

    record = recorded(Reply("0 | x", "stop", 100, 10, 0.1, 0))
    told = scenes.usage(record)
    assert "100 tokens in, 10 out" in told and "cached" not in told
    full = recorded(Reply("0 | x", "stop", 100, 10, 0.1, 0, "", 4, 0))
    assert scenes.usage(full) == told + ", 4 reasoning, 0 cached"
