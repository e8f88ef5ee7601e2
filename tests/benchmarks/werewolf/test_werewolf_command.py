"""``python -m benchmarks.werewolf`` with built-in players and models that fail in every way."""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from functools import partial

import numpy as np
import pytest
import scripts
from openai_server import OpenAIServer, answer
from scripts import assert_refused, kill_at, lines, timeless

from stratagym.benchmarks.werewolf.identify import MILLION, judge
from stratagym.envs import core, spec
from stratagym.envs.werewolf import state as st

run = partial(scripts.run, "werewolf")
GAME = spec("werewolf")
LEVEL = ["--api-key-env", "STRATAGYM_TEST_KEY", "--workers", 1]


def summary_of(*arguments):
    result = run(*arguments, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def end_of(game):
    """The last position of a recorded game."""
    rules = GAME.make_rules(**game["rules"])
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(game["seed"]), probs)
    for action in game["actions"]:
        core.play_at(rules, states, 0, action, legal, probs)
    return states[0]


def test_both_sides_of_a_deal(tmp_path, seed):
    summary = summary_of("--policies", "rule:herd,rule:seer", "--games", 12, "--seed",
                         seed % 2**31, "--output", tmp_path)  # fmt: skip
    games = lines(tmp_path / "games.jsonl")
    assert summary["games"] == len(games) == 24
    for name, row in zip(("rule:herd", "rule:seer"), summary["results"], strict=True):
        own = [game for game in games if name in game["seats"]]
        by_side = {"village": [], "wolves": []}
        for game in own:
            side = "village" if game["seats"][game["sides"][0][0]] == name else "wolves"
            seats = game["sides"][0 if side == "village" else 1]
            assert [k for k, one in enumerate(game["seats"]) if one == name] == seats
            by_side[side].append((game["seed"], game["returns"][seats[0]] > 0))
        seeds = [sorted(seed for seed, _ in each) for each in by_side.values()]
        assert seeds[0] == seeds[1] and len(set(seeds[0])) == 6
        for side, each in by_side.items():
            assert row[side]["value"] == pytest.approx(np.mean([won for _, won in each]))
        both = Counter(seed for each in by_side.values() for seed, won in each if won)
        (pairs,) = (one for one in summary["pairs"] if one["policy"] == name)
        assert pairs["both"] == sum(many == 2 for many in both.values())
        assert pairs["pairs"] == 6
    row = summary["village"][1]
    assert row["policy"] == "rule:seer" and 0 < row["irp_by_chance"] < 0.5
    ends = [end_of(game) for game in games
            if game["seats"][game["sides"][0][0]] == "rule:seer"]  # fmt: skip
    exiles = sum(int((s["fate"][:8] == st.EXILED).sum()) for s in ends)
    assert row["vss"]["total"] == exiles
    alive = sum(int(s["fate"][list(s["role"][:8]).index(role)] == st.LIVING)
                for s in ends for role in (st.SEER, st.DOCTOR))  # fmt: skip
    assert (row["ksr"]["successes"], row["ksr"]["total"]) == (alive, 12)
    coded = summary["as_published"][1]
    assert coded["village_games"] == 6 and coded["irp"] == pytest.approx(row["irp"]["value"])
    page = (tmp_path / "report.md").read_text()
    assert "Statements against the truth" in page and "As DSGBench" in page


def test_one_among_others_and_alone(tmp_path):
    summary = summary_of("--policies", "rule:deductive,rule:bluff", "--setting", "one,self",
                         "--scene", "dsgbench", "--rules", "players=5", "--games", 10,
                         "--output", tmp_path)  # fmt: skip
    rules = summary["config"]["rules"]
    assert (rules["kill"], rules["votes"], rules["players"]) == ("one", "secret", 5)
    games = Counter(game["pairing"] for game in lines(tmp_path / "games.jsonl"))
    assert games["one/rule:deductive/rule:bluff"] == 10
    assert games["self/rule:deductive"] == games["self/rule:bluff"] == 10
    lifts = {(row["policy"], row["side"]): row["lift"] for row in summary["lift"]}
    # Against itself, in the same seats under the same seeds, a player gains nothing.
    assert lifts["rule:bluff", "village"]["value"] == lifts["rule:bluff", "wolves"]["value"] == 0
    assert ("rule:deductive", "village") in lifts


# --- models --------------------------------------------------------------------------------------


def model(body, nth):
    """Answers by the prompt alone, one in six first answers badly, in every way there is."""
    prompt = body["messages"][-1]["content"]
    if "Question in place of the vote" in prompt:
        shape = re.findall(r'"roles": (\{[^}]*\})', prompt)[-1]
        names = re.findall(r'"(\w+)": <number>', shape)
        return answer(json.dumps({"roles": {name: k / 10 for k, name in enumerate(names)}}))
    if "Form of the answer" not in prompt:
        return answer("yes")
    drawn = zlib.crc32(prompt.encode())
    names = re.findall(r"^- (\w+)(?: \(You\))?: (\w+)", prompt, re.M)
    bad = ["I will think.", '{"reply": 1}', '{"vote": "Nemo", "remove": "Nemo", "protect": "Nemo"}',
           '{"vote": 3, "bid": 9, "acts": 7}', '{"vote": "a", "vote": "b"}', ""]  # fmt: skip
    dead = [name for name, fate in names if fate != "lives"]
    bad += [json.dumps(dict.fromkeys(("vote", "remove", "protect", "investigate"), dead[0]))
            ] if dead else []  # fmt: skip
    is_again = any(message["role"] == "assistant" for message in body["messages"])
    if drawn % 6 == 0 and not is_again:
        return answer(bad[drawn // 6 % len(bad)])
    if "## Your speech" in prompt:
        about = names[drawn % len(names)][0]
        acts = [["suspect", about], ["claim", ("seer", "king")[drawn % 2]], ["trust", "Nemo"],
                ["vote", about], ["wolf", about], ["agree", about]]  # fmt: skip
        reply = {"reasoning": "r", "say": f"I trust {about}. {drawn}"}
        return answer(json.dumps(reply if drawn % 5 == 0 else reply | {"acts": acts}))
    if "## Your bid" in prompt:
        return answer(json.dumps({"bid": str(drawn % 5)}))
    key = re.findall(r'"(remove|protect|investigate|kill|shoot|vote)": <name', prompt)[-1]
    options = re.findall(r"Options: ([^.]*)\.", prompt)[-1].split(", ")
    reply = {"reasoning": "r", key: options[drawn % len(options)]}
    if key == "remove" and '"say"' in prompt:
        reply["say"] = f"pack {drawn}"
    if key == "vote":
        reply["say"] = {"me": f"note {drawn}"}
    return answer(json.dumps(reply))


def test_models_alone_through_all_phases_killed_and_resumed(tmp_path):
    """Eight seats of a model that fails in every way: a killed run ends in equal records."""
    arguments = ["--policies", "llm", "--model", "m", "--setting", "self", "--games", 2,
                 "--rules", "debate=bid,turns=4,killer=1,hunter=1,exile=plurality,max_days=4",
                 "--against", "rule:herd", "--tries", 2, "--concurrency", 2, *LEVEL]  # fmt: skip
    with OpenAIServer(model) as server:
        arguments += ["--base-url", server.base_url]
        whole = summary_of(*arguments, "--output", tmp_path / "whole")
        there = kill_at(
            scripts.command("werewolf", *arguments, "--output", tmp_path / "killed"),
            tmp_path / "killed" / "decisions.jsonl", 30,
        )  # fmt: skip
        again = summary_of(*arguments, "--output", tmp_path / "killed", "--resume")
    decisions = lines(tmp_path / "whole" / "decisions.jsonl")
    assert 30 <= there < len(decisions)
    for name, keys in (
        ("games", ("match", "actions", "returns", "roles")),
        ("messages", ("match", "number", "seat", "to", "text")),
    ):
        found = [
            sorted(
                str([one[key] for key in keys]) for one in lines(tmp_path / of / f"{name}.jsonl")
            )
            for of in ("whole", "killed")
        ]
        assert found[0] == found[1] and found[0], name
    for part in ("results", "village", "wolves", "statements", "speech"):
        assert whole[part] == again[part]
    assert timeless(whole["models"]).keys() == timeless(again["models"]).keys()
    reasons = {one["reason"] for one in decisions} | {
        reason for one in decisions for _, reason in one["rejected"]
    }
    assert {"unknown_name"} <= reasons and len(reasons) > 4
    games = {game["match"]: game for game in lines(tmp_path / "whole" / "games.jsonl")}
    for message in lines(tmp_path / "whole" / "messages.jsonl"):
        roles = games[message["match"]]["roles"]
        if message["text"].startswith("pack"):
            assert {roles[seat] for seat in (message["seat"], *message["to"])} == {"wolf"}
        if message["text"].startswith("note"):
            assert message["to"] == [message["seat"]]
    (row,) = whole["speech"]
    assert row["replies"] > 0 and row["rejected"] > 0 and 0 < row["mismatch"] <= 1


def test_a_model_among_players_without_words_and_whom_it_takes_for_wolves(tmp_path):
    arguments = ["--policies", "llm", "--model", "m", "--against", "rule:bluff", "--games", 2,
                 "--identify", *LEVEL]  # fmt: skip
    with OpenAIServer(model) as server:
        arguments += ["--base-url", server.base_url]
        summary = summary_of(*arguments, "--output", tmp_path)
        asked = len(lines(tmp_path / "decisions.jsonl"))
        again = summary_of(*arguments, "--output", tmp_path, "--resume")
    assert len(lines(tmp_path / "decisions.jsonl")) == asked
    assert summary["identify"] == again["identify"]
    games = {game["match"]: game for game in lines(tmp_path / "games.jsonl")}
    said = lines(tmp_path / "messages.jsonl")
    spoke = {games[one["match"]]["seats"][one["seat"]] for one in said}
    assert spoke == {"llm:m", "rule:bluff"}
    asked = [one for one in lines(tmp_path / "decisions.jsonl") if one.get("task") == "identify"]
    assert asked and all(one["about"] in games for one in asked)
    (row,) = summary["identify"]
    assert row["questions"] == len(asked)
    for one in asked:
        game = games[one["about"]]
        assert game["roles"][one["seat"]] != "wolf" and game["seats"][one["seat"]] == "llm:m"
        assert one["kind"] == "ok" and one["action"] is None
    squares = sum(one["facts"]["squares"] for one in asked) / MILLION
    assert row["brier"]["value"] == pytest.approx(
        squares / sum(one["facts"]["asked"] for one in asked)
    )
    assert "Identification" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize(
    ("reply", "facts"),
    [
        ({"Ada": 1, "Bruno": 0, "Clara": 0}, (3, 3, 0, 2, 4)),
        ({"Ada (You)": 0.5, "bruno": 0.5}, (3, 2, 750_000, 2, 2)),
        ({"Ada": 0, "Bruno": 1, "Clara": 2, "Nemo": 1}, (3, 2, 2_250_000, 2, 0)),
    ],
)
def test_probabilities_are_scored(reply, facts):
    wolves = {"Ada": True, "Bruno": False, "Clara": False}
    outcome = judge(wolves, "I think\n" + json.dumps({"roles": reply}))
    names = ("asked", "given", "squares", "pairs", "halves")
    assert outcome.kind == "ok" and tuple(outcome.facts[name] for name in names) == facts


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "no_json"), ('{"roles": []}', "bad_type"),
     ('{"roles": {"Ada": "yes"}}', "no_probability"),
     ('{"roles": {"Ada": true}}', "no_probability"), ('{"vote": "Ada"}', "no_json")],
)  # fmt: skip
def test_other_answers_are_none(text, reason):
    assert judge({"Ada": True}, text).reason == reason


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--setting", "alone"], ["--setting", "sides, one, self"]),
        (["--scene", "paper"], ["--scene", "default, dsgbench"]),
        (["--rules", "players=18,names=paper"], ["17 names"]),
        (["--rules", "players=5,hunter=1,jester=1,killer=1", "--setting", "one"], ["too few"]),
        (["--rules", "jester=1"], ["--setting sides", "--setting one"]),
        (["--against", "rule:herd,rule:seer"], ["--against", "one policy"]),
        (["--policies", "rule:nobody"], ["rule:nobody"]),
        (["--games", "0"], ["--games 0"]),
    ],
)
def test_bad_input_is_one_line(arguments, words, tmp_path):
    assert_refused(run(*arguments, "--output", tmp_path / "run"), words)
    assert not (tmp_path / "run").exists()
