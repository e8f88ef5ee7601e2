"""What models are asked beside their orders: facts, shorter prompts, and what others said."""

from __future__ import annotations

import json
import re
from functools import partial

import pytest
import scripts
from diplomacy_boards import start
from injections import INJECTIONS
from openai_server import OpenAIServer, answer
from scripts import assert_refused, lines

from stratagym.agents.games.diplomacy import phrases
from stratagym.envs import spec
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import metrics, stated

run = partial(scripts.run, "diplomacy")
GAME = spec("diplomacy")
FRANCE = g.POWERS.index("FRANCE")


def summary_of(*arguments):
    result = run(*arguments, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def asked_in(body):
    return body["messages"][-1]["content"]


# --- facts ---------------------------------------------------------------------------------------


def test_facts_of_1901_told_by_hand():
    true = stated.true_facts(start(GAME.make_rules())[0], FRANCE)
    names = {name: {g.PROVINCES[p].short for p in true[name]} for name in ("influence", "unit")}
    assert names == {"influence": {"BRE", "MAR", "PAR"}, "unit": {"BRE", "MAR", "PAR"}}
    assert (g.SHORT["PAR"], g.SHORT["BUR"]) in true["pairs"]
    assert not true["attackable"] and not true["strength"]
    germany = stated.true_facts(start(GAME.make_rules())[0], g.POWERS.index("GERMANY"))
    assert len(germany["pairs"]) > len(germany["adjacent"])  # Ruhr is beside Munich and Kiel


def test_strength_is_compared_in_three_ways():
    """Of Burgundy, which Germany can enter too, and Spain, which France alone can."""
    s = start(GAME.make_rules())[0]
    s["influence"][g.SHORT["BUR"]] = g.POWERS.index("GERMANY")
    s["influence"][g.SHORT["SPA"]] = g.POWERS.index("ITALY")
    true = stated.true_facts(s, FRANCE)
    places = {g.SHORT["BUR"]: 2, g.SHORT["SPA"]: 1}
    assert true["attackable"] == set(places)
    assert true["strength"] == {(p, 1) for p in places}  # nobody stands there
    assert true["needed"] == set(places.items())  # Munich can come to Burgundy
    reply = json.dumps({"attack_analysis": [{"BUR": 2}, {"SPA": "1"}, {"nowhere": 1}]})
    found = stated.compared(s, FRANCE, reply)
    assert found["strength"] == stated.Hits(1, 2, 2) and found["needed"] == stated.Hits(2, 2, 2)
    assert found["strength_as_coded"] == stated.Hits(1, 2, 1)


def test_neighbours_of_two_coasts_are_left_out_as_coded():
    reply = json.dumps({"adjacent": {"MAR": ["SPA", "GAS"], "PAR": ["SPA"]}})
    s = start(GAME.make_rules())[0]
    found = stated.compared(s, FRANCE, f"So: {reply}")
    assert (found["adjacent"].hits, found["adjacent"].stated) == (2, 2)
    assert (found["adjacent_as_coded"].hits, found["adjacent_as_coded"].stated) == (1, 1)
    assert found["adjacent_as_coded"].true == found["adjacent"].true - 1
    assert (found["pairs"].hits, found["pairs"].stated) == (2, 3)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"orders": {"FRANCE": ["A PAR H"]}}, None),
        ({"support_given": [{"supporter": "MAR", "supported": "A PAR", "target": "BUR"}],
          "orders": {"FRANCE": ["A MAR S A PAR - BUR", "A PAR - BUR"]}}, (1, 1)),
        ({"support_given": [{"supporter": "MAR", "supported": "PAR", "target": "PAR"}, {}],
          "orders": ["A MAR S A PAR - BUR"]}, (0, 2)),
        ({"support_given": [{"supporter": "MAR", "supported": "PAR", "target": "PAR"}],
          "orders": ["A MAR S A PAR"]}, (1, 1)),
        ({"support_given": "none", "orders": None}, None),
    ],
)  # fmt: skip
def test_supports_that_a_reply_says_it_gives(reply, expected):
    found = stated.given_supports(json.dumps(reply), FRANCE)
    assert expected is None if found is None else (found.hits, found.stated) == expected


@pytest.mark.parametrize(
    "said",
    [
        "x",
        '{"adjacent": 5}',
        '{"attack_analysis": [{"PAR": 1e300}]}',
        '{"attack_analysis": {"PAR": true}, "adjacent": [[["PAR"]]]}',
    ],
)
def test_what_states_no_fact_is_no_exception(said):
    found = stated.compared(start(GAME.make_rules())[0], FRANCE, said)
    assert found is None or all(not one.hits for one in found.values())
    stated.given_supports(said, FRANCE)


def test_models_are_asked_for_facts_about_the_same_positions(tmp_path):
    """One model reads the state for its units, the other says nothing that is a fact."""

    def reader(body, nth):
        prompt = asked_in(body)
        if "Work these facts out" not in prompt:
            return answer('{"orders": []}' if "Form of the answer" in prompt else "yes")
        if body["model"] == "b":
            return answer('{"my_unit": "all of them"}')
        power = re.search(r"You are (\w+)\.", prompt)[1]
        units = re.search(rf"Units:\n(?:.*\n)*?{power}: (.*)\n", prompt)[1].split(", ")
        return answer("I see.\n" + json.dumps({"my_unit": units, "my_location": ["PAR"]}))

    with OpenAIServer(reader) as server:
        arguments = ["basic", "--policies", "llm:a,llm:b", "--games", 2, "--years", 2, "--ask",
                     "facts", "--questions", 5, "--base-url", server.base_url, "--workers", 1,
                     "--api-key-env", "STRATAGYM_TEST_KEY", "--output", tmp_path]  # fmt: skip
        summary = summary_of(*arguments)
        asked = len(server.requests)
        again = summary_of(*arguments, "--resume")
        assert len(server.requests) == asked and again["asked"] == summary["asked"]
    rows = {row["policy"]: row for row in summary["asked"]}
    assert rows["llm:a"]["replies"]["total"] == rows["llm:b"]["replies"]["total"] == 5
    assert rows["llm:a"]["unit"]["value"] == 1 and rows["llm:b"]["unit"]["value"] == 0
    questions = [one for one in lines(tmp_path / "decisions.jsonl") if one.get("task") == "facts"]
    items = {name: sorted(q["item"] for q in questions if q["policy"] == name) for name in rows}
    assert items["llm:a"] == items["llm:b"] and len(items["llm:a"]) == 5
    games = {game["match"] for game in lines(tmp_path / "games.jsonl")}
    assert all(one["about"] in games for one in questions)
    assert {one["kind"] for one in questions if one["policy"] == "llm:b"} == {"unparseable"}
    assert "Facts that were asked for" in (tmp_path / "report.md").read_text()


# --- shorter prompts, every seat -----------------------------------------------------------------


def test_models_play_again_under_shorter_prompts(tmp_path):
    """Without steps and facts this model plays otherwise; the difference is paired by seed."""

    def play(body, nth):
        prompt = asked_in(body)
        if "Form of the answer" not in prompt:
            return answer("yes")
        steps, facts = "Think through" in prompt, "my_location" in prompt
        assert steps <= facts or "S1901M" not in prompt
        goes = "A MAR - SPA" if steps else "A PAR - BUR" if facts else "A PAR H"
        return answer(json.dumps({"orders": [goes]}))

    with OpenAIServer(play) as server:
        summary = summary_of("basic", "--policies", "dumbbot,llm", "--games", 2, "--years", 1,
                             "--ablate", "--model", "m", "--base-url", server.base_url,
                             "--workers", 1, "--api-key-env", "STRATAGYM_TEST_KEY",
                             "--output", tmp_path)  # fmt: skip
    rows = {row["form"]: row for row in summary["ablation"]}
    assert list(rows) == ["full", "facts", "orders"]
    assert [row["centres"]["value"] for row in rows.values()] == [4, 3, 3]
    assert rows["full"]["centres_difference"] is None
    assert rows["orders"]["centres_difference"]["value"] == -1
    assert rows["facts"]["centres_difference"]["n"] == 2
    assert [row["policy"] for row in summary["results"]] == ["dumbbot", "llm:m"]
    games = [game["match"] for game in lines(tmp_path / "games.jsonl")]
    assert sorted(games) == sorted(
        f"silent/{name}/{k}"
        for name in ("dumbbot", "llm:m", "facts/llm:m", "orders/llm:m")
        for k in range(2)
    )
    assert "What prompts ask for" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize(("setting", "agents", "turns"), [("basic", 2, 7), ("agents", 3, 3)])
def test_a_policy_has_the_powers_of_every_agent_in_turn(setting, agents, turns, tmp_path):
    summary = summary_of(setting, "--agents", agents, "--policies", "greedy", "--others", "hold",
                         "--games", 4, "--years", 1, "--rotate", "--output", tmp_path)  # fmt: skip
    games = lines(tmp_path / "games.jsonl")
    seeds = -(-4 // turns)
    assert len(games) == summary["results"][0]["games"] == turns * seeds
    own = [tuple(s for s, name in enumerate(game["seats"]) if name == "greedy") for game in games]
    assert all(own.count(powers) == seeds for powers in own)
    assert sorted(power for powers in {*own} for power in powers) == list(range(7))
    gains = []
    for game, powers in zip(games, own, strict=True):
        end = metrics.play_again(GAME.make_rules(**game["rules"]), game["actions"]).end[0]
        start = sum(4 if power == 5 else 3 for power in powers)
        gains.append(sum(metrics.centres_of(end)[power] for power in powers) - start)
    assert summary["results"][0]["gain"]["value"] == pytest.approx(sum(gains) / len(gains))


# --- judges --------------------------------------------------------------------------------------


def label(number, speaker, hearer, text, orders, wrong):
    """What a judge that knows the words says; one that is wrong takes peace for conflict."""
    act, what = phrases.read(text)
    peace = what.kind == "peace"
    found = {
        "message": number, "alignment": 1, "proposal": "Yes" if act == "propose" else "no",
        "tone": "promote_peace" if peace else "neutral", "perspective": False,
        "conditional": "no", "ends": "no", "promises": [],
    }  # fmt: skip
    if act == "propose":
        found["nature"] = "mutual benefit" if peace else "one-sided"
        found["accepted"] = "yes" if what in orders["agreed", hearer, speaker] else "no"
    else:
        promises = [{"who": speaker, "kind": what.kind, "order": what.order}]
        found["promises"] = promises + [{"who": hearer, "kind": what.kind}] * peace
    if wrong and peace:
        found["tone"] = "provoke_conflict"
    return found


def judging(body, nth):
    """Judges each exchange by the words alone, model "wrong" with a wrong tone."""
    prompt = asked_in(body)
    if "Orders that followed" not in prompt:
        return answer("yes")
    said = re.findall(r"^(\d+)\. Round \d+, (\w+) to (\w+):\n\| (.*)$", prompt, re.MULTILINE)
    agreed = {}
    for _, speaker, hearer, text in said:
        act, what = phrases.read(text)
        agreed.setdefault(("agreed", speaker, hearer), set())
        agreed.setdefault(("agreed", hearer, speaker), set())
        if act == "accept":
            agreed["agreed", speaker, hearer].add(what)
    labels = [
        label(int(number), speaker, hearer, text, agreed, body["model"] == "wrong")
        for number, speaker, hearer, text in said
    ]
    return answer("Judged.\n" + json.dumps({"labels": labels}))


def test_judges_agree_with_planted_truth(tmp_path, seed):
    """Both judges are right but in what the wrong one takes peace for; orders that happen to do
    what was proposed and not answered are accepted in truth, and not by these judges' rule."""
    with OpenAIServer(judging) as server:
        arguments = ["negotiate", "--policies", "negotiator,negotiator:0", "--games", 7,
                     "--years", 1, "--rounds", 2, "--seed", seed % 2**31, "--judge",
                     "llm:right,llm:wrong", "--judged", 1000, "--base-url", server.base_url,
                     "--api-key-env", "STRATAGYM_TEST_KEY", "--output", tmp_path]  # fmt: skip
        summary = summary_of(*arguments)
        asked = len(server.requests)
        hand = tmp_path / "hand.jsonl"
        known = [one for one in lines(tmp_path / "labels.jsonl") if one["judge"] == "llm:right"]
        hand.write_text("".join(json.dumps(one) + "\n" for one in known[:100]))
        again = summary_of(*arguments, "--resume", "--labels", hand)
        assert len(server.requests) == asked
    rows = {(row["one"], row["other"], row["label"]): row for row in summary["judges"]}
    for name in ("proposal", "nature", "promise"):
        row = rows["llm:right", "known words", name]
        assert row["n"] > 0 and row["agreement"] == row["kappa"]["value"] == 1, name
    assert rows["llm:right", "known words", "tone"]["kappa"]["value"] == 1
    wrong = rows["llm:right", "llm:wrong", "tone"]
    labels = [one for one in lines(tmp_path / "labels.jsonl") if one["judge"] == "llm:right"]
    peaceful = sum(one["tone"] == "promote_peace" for one in labels)
    assert wrong["n"] == len(labels) and 0 < peaceful < len(labels)
    assert wrong["agreement"] == pytest.approx(1 - peaceful / len(labels))
    chance = (1 - peaceful / len(labels)) ** 2  # the two share the neutral ones alone
    expected = (wrong["agreement"] - chance) / (1 - chance)
    assert wrong["kappa"]["value"] == pytest.approx(expected)
    by_hand = {(row["one"], row["other"], row["label"]): row for row in again["judges"]}
    assert by_hand["llm:right", "by hand", "tone"]["n"] == 100
    assert by_hand["llm:right", "by hand", "tone"]["agreement"] == 1
    judged = {(row["policy"], row["judge"]): row for row in summary["judged"]}
    promises = {row["policy"]: row for row in summary["promises"]}
    for policy in promises:
        right, wrong = judged[policy, "llm:right"], judged[policy, "llm:wrong"]
        assert right["cases"] == promises[policy]["messages"]
        for name in ("successes", "total"):
            assert right["kept"][name] == promises[policy]["kept"][name]
            assert right["accepted"][name] == promises[policy]["accepted"][name]
        assert right["alignment"]["value"] == 1 and right["perspective"]["value"] == 0
        assert right["peace_to_conflict"]["value"] is None is not right["peace_to_conflict"]
        assert wrong["peace_to_conflict"]["value"] == 0
        mutual = right["mutual_to_one_sided"]
        assert mutual["value"] == pytest.approx(mutual["number"] / mutual["other"])
    page = (tmp_path / "report.md").read_text()
    assert "What was said, by judges" in page and "kappa" in page


def test_what_players_say_is_never_more_than_a_quotation(tmp_path):
    """A model that says what tries to be more: the judge's questions, page and screen stand."""
    texts = [text for name, text in INJECTIONS.items() if name != "surrogate"]

    def injecting(body, nth):
        prompt = asked_in(body)
        if "Orders that followed" in prompt:
            strategies = prompt.partition("nobody else\n")[2].partition("\n\n## Messages\n")[0]
            assert re.fullmatch(r"(none|\w+:(\n\| .*)+(\n|$))+", strategies), strategies
            part = prompt.partition("## Messages\n")[2].partition("\n## Orders that followed")[0]
            heads = re.findall(r"^(\d+)\. Round \d, \w+ to \w+:$", part, re.MULTILINE)
            others = [line for line in part.split("\n") if line and not line.startswith("| ")]
            assert len(others) == len(heads) and heads[0] == "1"
            assert prompt.count("## Orders that followed") == 1
            return answer(json.dumps({"labels": [{"message": 1, "tone": "neutral"}]}))
        if '"messages"' in prompt:
            said = texts[len(prompt) % len(texts)]
            return answer(json.dumps({"messages": {"all": said}, "negotiation_strategy": said}))
        return answer('{"orders": []}' if "Form of the answer" in prompt else "yes")

    with OpenAIServer(injecting) as server:
        result = run("agents", "--agents", 5, "--policies", "llm:m", "--others", "hold", "--games",
                     2, "--years", 3, "--rounds", 3, "--judge", "llm:j", "--base-url",
                     server.base_url, "--api-key-env", "STRATAGYM_TEST_KEY",
                     "--output", tmp_path)  # fmt: skip
    assert result.returncode == 0, result.stderr
    said = {one["text"][:20] for one in lines(tmp_path / "messages.jsonl")}
    assert len(said) > 3 and (tmp_path / "labels.jsonl").exists()
    assert (
        "\x1b" not in result.stdout
        and "<script>alert" not in (tmp_path / "report.html").read_text()
    )


def test_what_a_judge_says_wrongly_is_left_out(tmp_path):
    """No object, labels that there are not, promises of nobody: no label, and no exception."""
    said = [
        "no idea", '{"labels": 5}', '{"labels": [{"message": 99, "tone": "neutral"}]}',
        '{"labels": [{"message": 1, "tone": "friendly", "proposal": "maybe"}]}',
        '{"labels": [5, {"message": 1, "tone": "neutral", "promises": [{"who": "NOBODY"}, 7, '
        '{"who": "FRANCE", "kind": "move", "order": "fly"}, {"who": [], "kind": {}}]}]}',
    ]  # fmt: skip

    def rubbish(body, nth):
        prompt = asked_in(body)
        return answer(said[len(prompt) % len(said)] if "Orders that followed" in prompt else "yes")

    with OpenAIServer(rubbish) as server:
        summary = summary_of("negotiate", "--policies", "negotiator", "--games", 1, "--years", 1,
                             "--rounds", 2, "--judge", "llm:r", "--base-url", server.base_url,
                             "--api-key-env", "STRATAGYM_TEST_KEY",
                             "--output", tmp_path)  # fmt: skip
    (row,) = summary["judged"] or [{"kept": {"total": 0}}]
    assert row["kept"]["total"] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["basic", "--ask", "everything"], ["--ask 'everything'", "facts"]),
        (["basic", "--ask", "facts"], ["--ask", "language models"]),
        (["basic", "--ablate"], ["--ablate", "language models"]),
        (["negotiate", "--rotate"], ["--rotate", "basic and agents"]),
        (["basic", "--questions", "0"], ["--questions 0"]),
        (["negotiate", "--policies", "negotiator", "--judge", "dumbbot"],
         ["--judge", "no language model"]),
        (["basic", "--judge", "llm:m"], ["--judge", "--rounds"]),
        (["negotiate", "--judged", "0"], ["--judged 0"]),
        (["negotiate", "--labels", "nowhere.jsonl"], ["--labels nowhere.jsonl", "no such file"]),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(arguments, words, tmp_path):
    assert_refused(run(*arguments, "--output", tmp_path / "run"), words)
    assert not (tmp_path / "run").exists()
