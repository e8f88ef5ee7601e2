"""``python -m benchmarks.diplomacy`` with built-in players and a model."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from functools import partial

import pytest
import scripts
from openai_server import OpenAIServer, answer
from scripts import assert_refused, kill_at, lines, timeless

from stratagym.agents.core import make_policy
from stratagym.agents.games.diplomacy import phrases
from stratagym.envs import spec
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import metrics

run = partial(scripts.run, "diplomacy")
GAME = spec("diplomacy")


def summary_of(*arguments):
    result = run(*arguments, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def centres_of(game, powers):
    rules = GAME.make_rules(**game["rules"])
    end = metrics.play_again(rules, game["actions"], game["seed"]).end[0]
    return sum(metrics.centres_of(end)[power] for power in powers)


def test_one_power_among_passive_ones(tmp_path, seed):
    summary = summary_of("basic", "--policies", "random,dumbbot", "--games", 3, "--years", 3,
                         "--seed", seed % 2**31, "--output", tmp_path)  # fmt: skip
    games = lines(tmp_path / "games.jsonl")
    assert summary["games"] == len(games) == 6 and not summary["press"]
    assert [row["policy"] for row in summary["results"]] == ["random", "dumbbot"]
    for row in summary["results"]:
        own = [game for game in games if row["policy"] in game["seats"]]
        assert all(
            game["seats"] == ["passive"] * 2 + [row["policy"]] + ["passive"] * 4 for game in own
        )
        centres = [centres_of(game, [2]) for game in own]
        assert row["centres"]["value"] == pytest.approx(sum(centres) / 3)
        assert row["gain"]["value"] == pytest.approx(sum(centres) / 3 - 3)
        assert row["score"]["value"] == pytest.approx(sum(game["returns"][2] for game in own) / 3)
        coded = row["as_coded"]
        assert coded["support_self"]["total"] >= coded["support_others"]["total"]
    page = (tmp_path / "report.md").read_text()
    assert "FRANCE is the policy's" in page and "truncated" not in page.split("## Definitions")[0]


def test_agents_have_their_powers_and_talk_is_paired(tmp_path):
    summary = summary_of("agents", "--agents", 3, "--policies", "dumbbot", "--others", "greedy",
                         "--games", 2, "--years", 1, "--rounds", 1,
                         "--output", tmp_path)  # fmt: skip
    games = {game["match"]: game for game in lines(tmp_path / "games.jsonl")}
    assert sorted(games) == [f"{v}/dumbbot/{k}" for v in ("press", "silent") for k in range(2)]
    assert summary["config"]["rules"]["win"] == 20
    for name, game in games.items():
        assert [s for s, policy in enumerate(game["seats"]) if policy == "dumbbot"] == [5, 6]
        assert game["rules"]["teams"] == "GI-RT-AEF"
        assert game["rules"]["rounds"] == (1 if name.startswith("press") else 0)
    (difference,) = (row["difference"] for row in summary["press"])
    scores = {name: sum(game["returns"][5:]) for name, game in games.items()}
    expected = [scores[f"press/dumbbot/{k}"] - scores[f"silent/dumbbot/{k}"] for k in range(2)]
    assert difference["value"] == pytest.approx(sum(expected) / 2) and difference["n"] == 2


def test_promises_of_known_players(tmp_path, seed):
    """Who keeps its word has kept all; who breaks it has given no support; told from the words."""
    summary = summary_of("negotiate", "--policies", "negotiator,negotiator:0", "--games", 7,
                         "--years", 1, "--rounds", 2, "--seed", seed % 2**31,
                         "--output", tmp_path)  # fmt: skip
    true, false = summary["promises"]
    assert true["kept"]["successes"] == true["kept"]["total"] > 0
    assert false["kept_support_move"]["successes"] == 0
    games = {game["match"]: game for game in lines(tmp_path / "games.jsonl")}
    said = lines(tmp_path / "messages.jsonl")
    for row in (true, false):
        own = [m for m in said if games[m["match"]]["seats"][m["seat"]] == row["policy"]]
        assert row["messages"] == row["read"] == len(own)
        proposals = {(m["match"], m["seat"], *m["to"], m["text"]) for m in own
                     if not m["text"].startswith("Agreed: ")}  # fmt: skip
        assert row["accepted"]["total"] == len(proposals)
        accepted = 0
        for match, seat, to, text in proposals:
            _, what = phrases.read(text)
            accepted += any(
                m["match"] == match and m["seat"] == to and m["to"] == [seat]
                and m["text"] == what.accepted() for m in said
            )  # fmt: skip
        assert row["accepted"]["successes"] == accepted


STATED = {
    "my_location": ["PAR", "F BRE", "MAR", "LON", "nowhere"],
    "my_unit": ["PAR"],
    "adjacent": [{"PAR": ["BUR", "PIC", "GAS", "BRE"]}, {"BRE": ["MAO"]}, "ECH"],
    "attackable": "BUR",
}
"""What a model states of FRANCE in 1901."""


def test_facts_are_compared_with_the_position(tmp_path):
    """Of the first Spring, told by hand; one power alone is asked for orders twice a year."""

    def play(body, nth):
        prompt = body["messages"][-1]["content"]
        if "Form of the answer" not in prompt:
            return answer("yes")
        facts = STATED if "S1901M" in prompt else {}
        return answer(json.dumps({**facts, "orders": {"FRANCE": []}}))

    with OpenAIServer(play) as server:
        summary = summary_of("basic", "--policies", "llm,dumbbot", "--model", "m", "--games", 1,
                             "--years", 1, "--base-url", server.base_url, "--workers", 1,
                             "--api-key-env", "STRATAGYM_TEST_KEY",
                             "--output", tmp_path)  # fmt: skip
    (row,) = summary["facts"]
    assert row["policy"] == "llm:m" and row["replies"]["total"] == 2
    # Of three provinces under its influence three in four names, and none in Fall.
    assert row["influence_precision"]["value"] == pytest.approx(3 / 4)
    assert row["influence_recall"]["value"] == pytest.approx(3 / 6)
    assert row["influence"]["value"] == pytest.approx(2 * 3 / (4 + 6))
    assert (row["unit"]["successes"], row["unit"]["total"]) == (2, 1 + 6)
    beside = {"BUR", "PIC", "GAS", "BRE", "PAR", "MAO", "ENG", "PIE", "SPA", "LYO"}
    assert row["adjacent_precision"]["value"] == 1
    assert row["adjacent_recall"]["value"] == pytest.approx(6 / (2 * len(beside)))
    assert row["attackable"]["total"] == 0  # nobody else has influence beside France in 1901
    assert "Facts that replies state" in (tmp_path / "report.md").read_text()


def speaker(body, nth):
    """A model that holds, builds nothing, and says the same to all in every round of talk."""
    prompt = body["messages"][-1]["content"]
    if "Form of the answer" not in prompt:
        return answer("yes")  # the question with which a run begins
    if '"messages"' in prompt:
        return answer(json.dumps({"messages": [{"to": "all", "text": "Peace, everybody."}]}))
    power = re.findall(r'"orders": \{"(\w+)"', prompt)[-1]
    assert power in g.POWERS
    return answer(json.dumps({"orders": {power: []}}))


@pytest.mark.parametrize(
    ("arguments", "kills"),
    [
        (["negotiate", "--policies", "llm,negotiator", "--games", 7, "--years", 1,
          "--rounds", 1], (12,)),
        # A whole game of a power among six that negotiate.
        (["agents", "--agents", 5, "--policies", "llm,negotiator", "--others", "negotiator",
          "--games", 1, "--rounds", 3], (20, 90)),
    ],
)  # fmt: skip
def test_a_model_negotiates_and_a_killed_run_goes_on(arguments, kills, tmp_path):
    arguments = [
        *arguments, "--model", "m", "--api-key-env", "STRATAGYM_TEST_KEY", "--concurrency", 2,
        "--workers", 1,
    ]  # fmt: skip
    with OpenAIServer(speaker) as server:
        arguments += ["--base-url", server.base_url]
        whole = summary_of(*arguments, "--output", tmp_path / "whole")
        there = []
        for k, at in enumerate(kills):
            resume = ["--resume"] if k else []
            command = scripts.command(
                "diplomacy", *arguments, "--output", tmp_path / "killed", *resume
            )
            there.append(kill_at(command, tmp_path / "killed" / "decisions.jsonl", at))
        again = summary_of(*arguments, "--output", tmp_path / "killed", "--resume")
    assert there == sorted(there) and there[0] >= kills[0]
    assert there[-1] < len(lines(tmp_path / "whole" / "decisions.jsonl"))
    for name, keys in (
        ("games", ("match", "actions", "returns")),
        ("messages", ("match", "number", "seat", "to", "text")),
    ):
        found = [
            sorted(
                str([one[key] for key in keys]) for one in lines(tmp_path / of / f"{name}.jsonl")
            )
            for of in ("whole", "killed")
        ]
        assert found[0] == found[1] and found[0], name
    assert timeless(whole["models"]).keys() == timeless(again["models"]).keys()
    for part in ("results", "press", "promises"):
        assert whole[part] == again[part]
    model, other = whole["promises"]
    assert model["policy"] == "llm:m" and model["messages"] > 0 == model["read"]
    assert other["read"] == other["messages"] > 0
    assert {one["kind"] for one in lines(tmp_path / "whole" / "decisions.jsonl")} == {"ok"}


def test_seven_models_are_asked_at_the_same_time(tmp_path):
    """A turn of seven waits for the slowest answer, not for one after the other."""

    def slow(body, nth):
        said = speaker(body, nth)
        number = int(hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest()[:4], 16)
        return replace(said, delay_s=0.1 + 0.2 * number / 0xFFFF)

    with OpenAIServer(slow) as server:
        summary_of("negotiate", "--policies", "llm", "--games", 1, "--years", 1, "--rounds", 1,
                   "--model", "m", "--base-url", server.base_url, "--concurrency", 1,
                   "--api-key-env", "STRATAGYM_TEST_KEY", "--output", tmp_path)  # fmt: skip
        assert server.most_at_once == 7


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["welfare"], ["setting 'welfare'", "basic, agents, negotiate"]),
        (["agents", "--agents", "6"], ["--agents 6", "from 2 to 5"]),
        (["basic", "--win", "35"], ["win"]),
        (["basic", "--years", "0"], ["years"]),
        (["negotiate", "--rounds", "11"], ["rounds"]),
        (["negotiate", "--others", "dumbbot"], ["--others", "among themselves"]),
        (["basic", "--others", "hold,greedy"], ["--others", "one policy"]),
        (["basic", "--policies", "negotiator:2"], ["--policies", "a probability from 0 to 1"]),
        (["basic", "--policies", "nobody"], ["--policies", "nobody"]),
        (["basic", "--games", "0"], ["--games 0"]),
    ],
)
def test_bad_input_is_one_line(arguments, words, tmp_path):
    assert_refused(run(*arguments, "--output", tmp_path / "run"), words)
    assert not (tmp_path / "run").exists()


def test_every_tested_power_is_an_agents_own():
    from stratagym.benchmarks.diplomacy.settings import TEAMS, TESTED, WINS

    for agents, teams in TEAMS.items():
        assert len(teams.split("-")) == agents and TESTED[agents] in teams.split("-")
        GAME.make_rules(teams=teams, win=WINS[agents])
    assert make_policy(GAME, "passive").name == "passive"
