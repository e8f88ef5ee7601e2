"""Replies that are plans: the JSON reader, plans good and bad, and hostile ones."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace

import numpy as np
import pytest
import tiny_games
from injections import HOSTILE, INJECTIONS
from ours import our_games

from stratagym.envs import plans, spec
from stratagym.envs.reading import FIRST, READER
from stratagym.envs.replies import ReplyError, find_json, last_json
from stratagym.envs.text import TextGame, TextOptions, judge

tiny_games.register()


# --- the reader ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Well, {x} and [1] then\n```json\n{"a": [{"b": null}]}\n```\nDone.', {"a": [{"b": None}]}),
        ('{"a": 1} no, rather {"a": 2}', {"a": 2}),
        ('{"a": 2} is like [1] or {1, 2}', {"a": 2}),
        ('{"a": "{\\"a\\": 3}"}', {"a": '{"a": 3}'}),
        ('{"a": "line\nline"}', {"a": "line\nline"}),
        ('{"a": "\\u00e9\\ud83d\\ude00"}', {"a": "é😀"}),
        ('{"a": "\\ud83d"}', {"a": "?"}),
        ('{ }{"a":-1.5e3,"b":true,"c":[],"d":{}}', {"a": -1500.0, "b": True, "c": [], "d": {}}),
        ('{"a": {"a": 1}}', {"a": {"a": 1}}),
        ("[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]] {\"a\": 1}", {"a": 1}),
    ],
)  # fmt: skip
def test_the_last_object_is_found(text, value):
    assert last_json(text) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no_json"), ("no", "no_json"), ("{", "no_json"), ("{}}"[2:], "no_json"),
        ('{"a": 01}', "no_json"), ('{"a": 1,}', "no_json"), ('{"a" 1}', "no_json"),
        ('{"a": .5}', "no_json"), ('{"a": +1}', "no_json"), ('{"a": 1x}', "no_json"),
        ('{"a": truex}', "no_json"), ('{a: 1}', "no_json"), ('{"a": "\\x"}', "no_json"),
        ('{"a": 1, "a": 1}', "duplicate_key"), ('[{"a": 1, "a": 1}]', "duplicate_key"),
        ("[" * 17 + "]" * 17, "too_deep"), ("x" * 100_001, "too_long"),
    ],
)  # fmt: skip
def test_what_is_no_object_is_named(text, why):
    with pytest.raises(ReplyError, match=f"^{why}$"):
        last_json(text)


def test_kind_and_key():
    text = '{"acts": [1]} [2] {"vote": 3}'
    assert last_json(text, list) == [2]
    assert last_json(text, dict, "acts") == {"acts": [1]}
    assert last_json(text, (dict, list)) == {"vote": 3}
    assert [text[found.start : found.end] for found in find_json(text)] == [
        '{"acts": [1]}', "[2]", '{"vote": 3}',
    ]  # fmt: skip


def test_it_agrees_with_pythons_reader(rng):
    """On random values, in random text, and on the same with one character changed."""

    def value(depth: int):
        kind = rng.integers(7 if depth else 5)
        if kind == 5:
            return [value(depth - 1) for _ in range(rng.integers(4))]
        if kind == 6:
            return {f"k{k}": value(depth - 1) for k in range(rng.integers(4))}
        letters = "".join(rng.choice(list('ab "\\{}[],:\n\té\u202e'), rng.integers(8)))
        return [letters, int(rng.integers(-(10**9), 10**9)), rng.normal(), True, None][kind]

    read = 0
    for _ in range(2000):
        whole = {"a": value(5)}
        said = json.dumps(whole, ensure_ascii=bool(rng.integers(2)))
        assert last_json(f"Thinking (so).\n{said}\n```") == whole
        torn = list(said)
        torn[rng.integers(len(torn))] = str(rng.choice(list('"{}[],:x1\\ ')))
        text = "".join(torn)
        try:
            expected = json.loads(text, strict=False, object_pairs_hook=_once)
        except ValueError:
            continue
        if isinstance(expected, dict):
            read += 1
            assert last_json(text) == expected
    assert read > 100


def _once(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("duplicate")
    return dict(pairs)


# --- plans ---------------------------------------------------------------------------------------


def started(name: str, **options) -> TextGame:
    game = TextGame(name, **options)
    game.reset(1)
    return game


def test_all_of_a_plan_or_none():
    game = started("bids")
    outcome = game.submit('{"bids": [4, 4, 0]}')
    assert (outcome.kind, outcome.reason, outcome.actions) == ("illegal", "over_budget", ())
    assert outcome.rejected == (("4", "over_budget"),) and game.actions == []
    again = game.asking(game.observe(), 2)
    again.answer('{"bids": [4, 4, 0]}')
    assert again.messages[-1]["content"].startswith(
        "Your answer is not legal: over budget. Refused: `4` (over budget). Give a legal move.\n\n"
    )
    assert game.submit('{"bids": [1, 1]}').reason == "unfinished"
    assert game.submit('{"bids": [1, 1, 1, 1]}').reason == "turn_over"
    assert game.submit('{"bids": []}').reason == "unfinished"
    assert game.submit('{"bids": [1, "two", 1]}').rejected == (("two", "no_such_bid"),)
    assert game.actions == []
    assert game.submit('{"bids": [1, 1, 1]}').actions == (1, 1, 1)


def test_each_move_of_a_plan():
    game = started("roles")
    outcome = game.submit('{"acts": ["accuse 1", "shout", "accuse 0", "claim", "claim"]}')
    assert outcome.kind == "ok"
    assert outcome.rejected == (
        ("shout", "no_such_act"), ("accuse 0", "not_oneself_or_too_many"),
        ("claim", "not_oneself_or_too_many"),
    )  # fmt: skip
    assert game.actions == [1, 3, 4]
    assert game.submit('{"acts": ["shout"]}').reason == "no_such_act"
    # With words beside it the speech stands.
    assert game.submit('{"acts": ["shout"], "messages": "Hm."}').actions == (4,)
    assert game.submit("{}").reason == "unfinished" or game.actions[-1] == 4


def test_replacements_stand_where_a_bad_move_stood(monkeypatch):
    view = spec("bids").module("view")
    monkeypatch.setattr(view, "PLAN", "each")
    monkeypatch.setattr(view, "replacement_actions", lambda rules, s, move: [0], raising=False)
    outcome = started("bids").submit('{"bids": [4, 4, 2]}')
    assert (outcome.actions, outcome.rejected) == ((4, 0, 2), (("4", "over_budget"),))
    monkeypatch.setattr(view, "replacement_actions", lambda rules, s, move: [9])
    assert started("bids").submit('{"bids": [4, 4, 2]}').reason == "view_error"


def test_a_plan_of_one_player_needs_no_end(monkeypatch):
    rules = SimpleNamespace(num_players=1)
    assert plans.plan_kind(spec("bids")) == "all" and rules.num_players == 1
    monkeypatch.setattr(spec("bids").module("view"), "PLAN", "some")
    with pytest.raises(ValueError, match="choose one of: all, each, queue"):
        plans.plan_kind(spec("bids"))


# --- hostile replies -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_plans_are_named_failures(name):
    text, reason = HOSTILE[name]
    game = started("bids")
    before, asked = game.states.copy(), game.observe().messages
    begin = time.process_time()
    outcome = game.submit(text)
    assert time.process_time() - begin < 2
    assert (outcome.kind, outcome.reason) == ("unparseable", reason)
    assert outcome.actions == outcome.said == ()
    assert np.array_equal(before, game.states) and game.observe().messages == asked


@pytest.mark.parametrize("name", INJECTIONS)
def test_texts_around_a_plan_do_not_change_it(name):
    text = INJECTIONS[name]
    reply = f"{text}\n" + json.dumps({"note": text, "bids": [1, 2, 3]})
    # What is thought and not ended is no answer, but to the first reader.
    game = TextGame("bids", TextOptions(reader=FIRST if name == "think" else READER))
    game.reset(1)
    assert game.submit(reply).actions == (1, 2, 3)


def test_a_plan_of_too_many_moves():
    outcome = started("bids").submit(json.dumps({"bids": [0] * 5000}))
    assert (outcome.kind, outcome.reason) == ("unparseable", "too_many")


@pytest.mark.parametrize("part", ["read_plan", "string_to_action", "why_illegal"])
@pytest.mark.parametrize("error", [KeyError("x"), RecursionError("deep"), ValueError("not a word")])
def test_a_views_fault_is_an_outcome(monkeypatch, caplog, part, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(spec("bids").module("view"), part, fail)
    outcome = started("bids").submit('{"bids": [4, 4, 4]}')
    assert (outcome.kind, outcome.reason) == ("unparseable", "view_error")
    assert "the view fails on a reply" in caplog.text


@pytest.mark.parametrize("name", our_games())
def test_any_games_reader_is_quick_and_never_fails(name):
    """Blank, bracketed and huge replies come to an outcome in time linear in their length."""
    game = started(name)
    for text in (
        "\n" * 99_999 + "x", " " * 99_999 + "x", "Move:" * 20_000, "Move: " + "1" * 90_000,
        "{" * 90_000, '{"action":' * 9000, "1 " * 45_000, "[" * 90_000, "-" * 90_000,
        "a2" * 45_000, "|" * 90_000, "1" * 90_000, *INJECTIONS.values(),
    ):  # fmt: skip
        begin = time.process_time()
        outcome = judge(game.spec, game.rules, game.states, text)
        assert time.process_time() - begin < 3, text[:20]
        assert outcome.kind in ("unparseable", "illegal", "ok") and outcome.reason != "view_error"
