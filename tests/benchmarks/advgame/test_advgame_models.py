"""``python -m benchmarks.advgame`` with language models: what they are asked, and what follows."""

from __future__ import annotations

import hashlib
import json
import re
from functools import partial

import pytest
import scripts
from advgame_runs import GUN, KEEP, MODEL, asked, assert_replayed, decisions, demons, prompt_of, run
from openai_server import OpenAIServer, answer
from scripts import lines

from stratagym.benchmarks.advgame import __main__ as advgame
from stratagym.benchmarks.harness import sealed_games as games


def own_rounds(folder):
    """The rounds of the model as the attacker."""
    found = lines(folder / "rounds.jsonl")
    return [r for r in found if r["role"] == 0 and r["policy"] == "llm:m"]


# --- the redraw control ---------------------------------------------------------------------------


def test_a_model_is_asked_for_first_plans_anew(tmp_path):
    """The control sees the prompt of the first round alone; the summary has the difference."""

    def script(body, nth):
        _, attacks, number = asked(body)
        if not attacks:
            return answer(GUN)
        # As it revises it wins from its first update on; drawn anew, every second plan wins.
        if number > 1:
            return answer(demons("DemonKing", "GreatDemon"))
        return answer(demons("NormalDemon" if nth % 2 else "SpeedyDemon"))

    with OpenAIServer(script) as server:
        summary = run(server, tmp_path, "--policies", "llm:m,control:redraw=llm:m",
                      "--opponents", "plan:guns", "--rounds", 5, "--price-in", 1,
                      "--concurrency", 1, "--memory", 2, "--history", 3)  # fmt: skip
    redraw = "control:redraw=llm:m"
    own = decisions(tmp_path, policy=redraw)
    for role in range(2):
        prompts = {prompt_of(d) for d in own if d["seat"] == role}
        for prompt in prompts:
            assert "Round 1 of 5" in prompt and "last plan" not in prompt and "keep" not in prompt
        first = decisions(tmp_path, policy="llm:m", seat=role, ply=0)
        assert {prompt_of(d) for d in first} == prompts
        # Matches differ in who plans first from the second round on, and the rules say who does.
        (told,) = {one.replace("the defender first", "the attacker first") for one in prompts}
        assert len(prompts) == 2 and "in turn, the attacker first" in told
    assert {d["ply"] > 0 for d in own} == {True, False}
    rows = {row["policy"]: row for row in summary["policies"]}
    assert rows[redraw]["pooled"]["ORR"]["value"] > 0
    difference = rows["llm:m"]["minus_redraw"]["CSR"]["value"]
    csr = [rows[name]["pooled"]["CSR"]["value"] for name in ("llm:m", redraw)]
    assert difference == pytest.approx(csr[0] - csr[1]) and difference > 0
    for name in ("llm:m", redraw):
        used = summary["models"][name]
        n = len(decisions(tmp_path, policy=name))
        assert used["answers"] == n > 0 and used["tokens_in"] == 11 * n
        assert used["cost"] == pytest.approx(11 * n / 1e6)
    config = json.loads((tmp_path / "config.json").read_text())
    models = {policy["name"]: policy.get("model") for policy in config["policies"]}
    assert models[redraw] == "m"
    assert_replayed(tmp_path)


def test_a_redrawn_model_keeps_its_options():
    from stratagym.benchmarks.harness.options import ModelArgs
    from stratagym.benchmarks.harness.policies import make_policies
    from stratagym.envs import spec

    args = ModelArgs(model="m", base_url="http://127.0.0.1:1/v1", price_in=2.0)
    names = "control:redraw=llm?temperature=0.7,control:redraw=plan:level?k=1"
    model, level = make_policies(spec("battle_card"), names, args)
    assert model.name == "control:redraw=llm:m?temperature=0.7"
    assert model.settings()["temperature"] == 0.7 and model.prices == (2.0, 0.0)
    assert level.name == "control:redraw=plan:level?k=1"


def test_redraws_are_sampled_where_they_would_all_be_one():
    from stratagym.agents.core import PolicyString, make_policy
    from stratagym.benchmarks.harness.options import ModelArgs
    from stratagym.benchmarks.harness.policies import make_policies
    from stratagym.envs import spec

    game, url = spec("battle_card"), "http://127.0.0.1:1/v1"

    def at(temperature, named):
        args = ModelArgs(model="m", base_url=url, temperature=temperature)
        return [policy.settings()["temperature"] for policy in make_policies(game, named, args)]

    assert at(0.0, "llm,control:redraw=llm") == [0, 1]
    assert at(0.3, "llm,control:redraw=llm") == [0.3, 0.3]
    assert at(0.0, "control:redraw=llm?temperature=0") == [0]
    one = make_policy(game, PolicyString.parse(f"control:redraw=llm:m?base_url={url}"))
    assert one.settings()["temperature"] == 1


# --- who plays for chance ------------------------------------------------------------------------


def test_chance_is_known_where_only_models_were_named(tmp_path):
    """Built-in players beside them, recorded and gone on with like all others."""
    options = ("--policies", "llm:m,control:redraw=llm:m", "--opponents", "plan:guns,llm:m",
               "--rounds", 3, "--concurrency", 1)  # fmt: skip
    with OpenAIServer(by_hash) as server:
        summary = run(server, tmp_path, *options)
        n = len(server.requests)
        temperatures = {json.dumps(r.body.get("temperature")) for r in server.requests}
        assert temperatures == {"0.0", "1.0"}
        games = lines(tmp_path / "games.jsonl")
        beside = [g for g in games if set(g["seats"]) & {"random", "control:keep"}]
        assert {tuple(sorted(g["seats"])) for g in beside} == {
            ("plan:guns", "random"), ("control:keep", "plan:guns")}  # fmt: skip
        assert len(beside) == 2 * 4 and len(games) == 2 * 2 * 4 + 8
        # Half of them lost, and all that a report is made from.
        kept = [g for g in games if g not in beside[::2]]
        text = "".join(json.dumps(g, separators=(",", ":")) + "\n" for g in kept)
        (tmp_path / "games.jsonl").write_text(text)
        again = run(server, tmp_path, *options, "--resume", True)
        assert len(server.requests) == n
    assert again == summary
    rows = {row["policy"]: row for row in summary["policies"]}
    assert list(rows) == ["llm:m", "control:redraw=llm:m", "random", "control:keep"]
    for kind in ("pooled", "mean"):
        own, chance = rows["llm:m"][kind], rows["random"][kind]
        for metric in ("WR", "WR_10", "init-win", "ORR", "revision after success"):
            assert own[metric]["chance"] == chance[metric]["value"], metric
    redrawn = rows["control:redraw=llm:m"]["by_game"]["tower_defence"]["CSR"]["value"]
    assert rows["llm:m"]["by_game"]["tower_defence"]["CSR"]["chance"] == redrawn
    page = (tmp_path / "report.md").read_text()
    assert "`control:redraw=llm:m` was sampled at temperature 1" in page
    assert "random` (chance)" in page and "There is no chance level" not in page
    assert "| policies added for the chance level | random, control:keep |" in page
    assert_replayed(tmp_path)


def test_nobody_plays_for_chance_where_models_would_have_to_be_asked_for_it(tmp_path):
    with OpenAIServer(by_hash) as server:
        summary = run(server, tmp_path, "--opponents", "llm:n", "--rounds", 2)
    assert [row["policy"] for row in summary["policies"]] == ["llm:m"]
    assert "There is no chance level" in (tmp_path / "report.md").read_text()


def test_a_run_of_an_earlier_version_goes_on_as_it_began(tmp_path, monkeypatch):
    """Without players for chance, and with redraws at the temperature of the model."""
    options = ("--policies", "llm:m,control:redraw=llm:m", "--opponents", "plan:guns",
               "--rounds", 2, "--concurrency", 1)  # fmt: skip
    with OpenAIServer(by_hash) as server:
        with monkeypatch.context() as patch:
            patch.setattr("stratagym.benchmarks.harness.policies.REDRAW_TEMPERATURE", 0.0)
            run(server, tmp_path, *options)
        config = json.loads((tmp_path / "config.json").read_text())
        assert config.pop("chance") == ["random", "control:keep"] and config.pop("begun")
        (tmp_path / "config.json").write_text(json.dumps(config))
        games = lines(tmp_path / "games.jsonl")
        left = [g for g in games if not set(g["seats"]) & {"random", "control:keep"}]
        (tmp_path / "games.jsonl").write_text("".join(json.dumps(g) + "\n" for g in left))
        n = len(server.requests)
        again = run(server, tmp_path, *options, "--resume", True)
        assert len(server.requests) == n
    assert [row["policy"] for row in again["policies"]] == options[1].split(",")
    assert len(lines(tmp_path / "games.jsonl")) == len(left) == 8


# --- first plans that stand in all matches --------------------------------------------------------


def by_hash(body, nth):
    """A first plan that differs each time it is asked for; later ones by the prompt."""
    _, attacks, number = asked(body)
    if number == 1:
        nth += "the defender first" in str(body["messages"])  # who plans next is in the rules
        if attacks:
            return answer(demons(*["NormalDemon"] * (1 + nth % 5)))
        return answer(GUN.replace('"y": 0', f'"y": {nth % 5}'))
    text = hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest()
    kind = int(text[:4], 16) % 3
    if kind == 0:
        return answer(KEEP)
    if attacks:
        return answer(demons(("DemonKing", "SpeedyDemon")[kind - 1]))
    return answer(GUN.replace("Handgun", ("Rifle", "Ice")[kind - 1]))


def first_plans(folder):
    """By setting's policy, opponent, role and budget: the different plans of the first round."""
    found = {}
    for one in lines(folder / "rounds.jsonl"):
        if one["round"] == 1:
            key = one["policy"], one["role"], one["factor"]
            found.setdefault(key, set()).add(json.dumps(one["plan"]))
            key = one["opponent"], 1 - one["role"], "opponent"
            found.setdefault(key, set()).add(json.dumps(one["other"]))
    return found


@pytest.fixture
def no_yardsticks(monkeypatch):
    """Runs with several budgets have no other policies beside: those take their time."""
    monkeypatch.setattr(advgame.setup, "YARDSTICKS", ())


def test_first_plans_are_asked_once_and_stand(tmp_path, no_yardsticks):
    options = ("--opponents", "llm:n,random", "--rounds", 3, "--budget", "0.5,1",
               "--shared-start", True)  # fmt: skip
    with OpenAIServer(by_hash) as server:
        summary = run(server, tmp_path / "shared", *options)
        asked_once = [r for r in server.requests if asked(r.body)[2] == 1]
    assert len(asked_once) == 6  # m in two roles and two budgets, n in two roles
    plans = first_plans(tmp_path / "shared")
    assert all(len(own) == 1 for own in plans.values()), plans
    assert {key[0] for key in plans} == {"llm:m", "random", "llm:n", "control:keep"}
    assert len(lines(tmp_path / "shared" / "rounds.jsonl")) == summary["games"] * 3
    starts = [g for g in lines(tmp_path / "shared" / "games.jsonl") if "given" not in g]
    assert {g["ended_by"] for g in starts} == {"stopped"}
    assert_replayed(tmp_path / "shared")
    assert len(starts) == 2 * 2 + 2 + 2 + 2
    # By default each match asks.
    with OpenAIServer(by_hash) as server:
        run(server, tmp_path / "fresh", "--rounds", 2, "--concurrency", 1)
    fresh = first_plans(tmp_path / "fresh")
    assert len(fresh["llm:m", 0, 1.0]) == 2


def test_a_bad_first_plan_counts_in_all_matches_and_is_told(tmp_path):
    def script(body, nth):
        _, attacks, number = asked(body)
        if not attacks:
            return answer(GUN if number == 1 else KEEP)
        return answer(demons("NormalDemon", "Pea\nShooter") if number == 1 else KEEP)

    with OpenAIServer(script) as server:
        summary = run(server, tmp_path, "--rounds", 3, "--shared-start", True)
    rates = summary["policies"][0]["pooled"]
    assert (rates["RVR"]["value"], rates["RVR"]["n"]) == (0.5, 4)
    told = [prompt_of(d) for d in decisions(tmp_path, seat=0) if d["ply"] > 0]
    assert told
    for prompt in told:
        assert 'Your plan broke a rule (entry 2: unknown unit "Pea\\nShooter").' in prompt


# --- plans over budget ----------------------------------------------------------------------------


def test_plans_over_budget_are_asked_for_again(tmp_path):
    """Three times at most: the first is over by 600, the second by 75, the third fits, or not."""

    def script(body, nth):
        text, attacks, number = asked(body)
        if not attacks:
            return answer(GUN if number == 1 else KEEP)
        again = text.count("it is over budget by")
        if number > 1:
            return answer(demons("DemonKing", "DemonKing"))
        return answer(demons("DemonKing", ("DemonKing", "MachineDemon", "GreatDemon")[again]))

    with OpenAIServer(script) as server:
        summary = run(server, tmp_path, "--rounds", 3, "--tries-on-violation", 3)
    first = decisions(tmp_path, seat=0, ply=0, item="tower_defence/llm:m against heuristic/"
                      "attacker, first/0")  # fmt: skip
    assert [d["plan"] for d in first] == [
        {"ignored": 0, "cost": 1600, "budget": 1000, "over": 600},
        {"ignored": 0, "cost": 1050, "budget": 1000, "over": 50},
        {"ignored": 0, "cost": 975, "budget": 1000, "over": 0},
    ]
    assert [(d["attempt"], d["kind"], d["action"] is None) for d in first] == [
        (1, "ok", True), (2, "ok", True), (3, "ok", False),
    ]  # fmt: skip
    last = first[2]["prompt"]
    assert [m["role"] for m in last[-4:]] == ["assistant", "user"] * 2
    assert last[-4]["content"] == demons("DemonKing", "DemonKing")
    assert "costs 1050, your budget is 1000: it is over budget by 50." in last[-1]["content"]
    rates = summary["policies"][0]["pooled"]
    assert rates["RVR over budget"]["value"] == 0.5  # first answers, of both roles
    own = summary["answers"]["llm:m"]
    rounds = own_rounds(tmp_path)
    assert {r["over"] for r in rounds if r["round"] == 1} == {False}
    later = [r for r in rounds if r["asked"] and r["round"] > 1]
    assert len(later) == 2 and all(r["over"] for r in later)  # the last answer stands
    assert own["questions"] == 8 and own["asked again"] == 8
    assert own["over budget, first"]["value"] == 4 / 8
    assert own["over budget, last"]["value"] == 2 / 8
    assert json.loads((tmp_path / "config.json").read_text())["tries_on_violation"] == 3
    assert "| most answers for a plan over budget | 3 |" in (tmp_path / "report.md").read_text()
    assert_replayed(tmp_path)
    assert "over budget, first" in (tmp_path / "report.md").read_text()


def test_far_beyond_the_budget_and_unreadable_after_it(tmp_path):
    """Beyond four times the budget a plan is void; the last answer stands, whatever it is."""

    def script(body, nth):
        text, attacks, number = asked(body)
        if not attacks:
            return answer(GUN if number == 1 else KEEP)
        if number == 1:
            return answer(demons(*["DemonKing"] * 6))
        gives_up = "it is over budget by" in text
        return answer("I give up." if gives_up else demons("DemonKing", "DemonKing"))

    with OpenAIServer(script) as server:
        run(server, tmp_path, "--rounds", 2, "--tries-on-violation", 2, "--tries", 2)
    first = decisions(tmp_path, seat=0, ply=0)
    assert {(d["kind"], d["reason"], d["plan"]["over"]) for d in first} == {
        ("illegal", "over_budget", 3800)
    }
    assert sorted(d["attempt"] for d in first) == [1, 1, 2, 2]
    later = [d for d in decisions(tmp_path, seat=0) if d["ply"] > 0]
    assert [d["kind"] for d in later] == ["ok", "unparseable", "unparseable"]
    prompt = prompt_of(later[0])
    assert "broke a rule (over budget by 3800, more than 4 times the budget)" in prompt
    assert "Your plan cost" not in prompt
    rounds = own_rounds(tmp_path)
    assert [r["void"] for r in rounds if r["asked"]] == [True, True, True]


def test_a_budget_that_was_not_read_is_stale(tmp_path, no_yardsticks):
    """Who spends the whole budget at half of it: all violations are stale; twice it: none."""
    attack = {"attacker": demons("DemonKing", "GreatDemon")}
    too_much = demons("DemonKing", "DemonKing")

    def script(body, nth):
        _, attacks, number = asked(body)
        if not attacks:
            return answer(GUN if number == 1 else KEEP)
        return answer(attack["attacker"] if "first" in body["model"] or number == 1 else too_much)

    with OpenAIServer(script) as server:
        summary = run(server, tmp_path, "--policies", "llm:first,llm:mixed", "--rounds", 3,
                      "--budget", "0.5,1")  # fmt: skip
    found = summary["budgets"]
    half, whole = (found["llm:first"][factor] for factor in ("0.5", "1"))
    # The defender keeps its plan: it has handed in two plans, the attacker two and two more.
    assert half["OBR"]["value"] == 4 / 6 and whole["OBR"]["value"] == 0
    assert (half["stale"]["value"], half["stale"]["n"]) == (1, 4)
    assert whole["stale"]["n"] == 0
    mixed = found["llm:mixed"]["0.5"]["stale"]
    assert (mixed["value"], mixed["n"]) == (2 / 4, 4)
    assert "stale" in (tmp_path / "report.md").read_text()


# --- where a plan broke a rule --------------------------------------------------------------------


def test_the_next_prompt_says_where_a_plan_broke_a_rule(tmp_path):
    """To the side whose plan it was; a kept void plan is told again, a mended one no more."""
    broken = demons("NormalDemon", "FlyingDemon", "Pea Shooter")

    def script(body, nth):
        _, attacks, number = asked(body)
        if not attacks:
            return answer(GUN if number == 1 else KEEP)
        return answer({1: broken, 2: KEEP, 4: "?", 6: demons("DemonKing")}.get(number, KEEP))

    with OpenAIServer(script) as server:
        run(server, tmp_path, "--opponents", "llm:n", "--rounds", 8, "--tries", 1)
    match = "tower_defence/llm:m against llm:n/attacker, first/0"
    where = 'Your plan broke a rule (entry 3: unknown unit "Pea Shooter").'
    own = [prompt_of(d) for d in decisions(tmp_path, item=match, seat=0)][1:]
    assert where in own[0] and where in own[1]
    assert "Your plan broke a rule (the answer could not be read: no object)." in own[2]
    assert "broke a rule" not in own[3]
    other = [prompt_of(d) for d in decisions(tmp_path, item=match, seat=1)]
    assert not any("Pea Shooter" in prompt for prompt in other)
    assert "The other side's plan broke a rule." in other[1]


def test_what_means_nothing_is_counted(tmp_path):
    priced = demons("NormalDemon", budget=9, note="cheap").replace('"y"', '"price": -100, "y"')

    def script(body, nth):
        _, attacks, number = asked(body)
        if attacks:
            return answer(priced if number == 1 else KEEP)
        return answer(GUN if number == 1 else json.dumps({"keep": True, "why": "it won"}))

    with OpenAIServer(script) as server:
        summary = run(server, tmp_path, "--rounds", 3)
    assert {d["plan"]["ignored"] for d in decisions(tmp_path, seat=0, ply=0)} == {3}
    own = summary["answers"]["llm:m"]
    assert (own["ignored"], own["with ignored"]) == (2 * 3 + 2 * 1, 4)
    assert "8 in 4 answers" in (tmp_path / "report.md").read_text()


# --- two models, and the released program's feedback ----------------------------------------------


def duelist(body, nth):
    """Two models with plans of their own, by name and prompt; some are none, some cost too much."""
    _, attacks, number = asked(body)
    spiced = body["model"] + json.dumps(body["messages"])
    kind = int(hashlib.sha256(spiced.encode()).hexdigest()[:6], 16)
    is_first_try = all(message["role"] != "assistant" for message in body["messages"])
    if kind % 11 == 0 or (number == 2 and body["model"] == "b" and is_first_try):
        return answer("no plan today")
    if number == 3 and attacks and is_first_try:
        return answer(demons("DemonKing", "DemonKing"))  # over budget
    if number > 1 and kind % 4 == 0:
        return answer(KEEP)
    if attacks:
        units = ("NormalDemon", "DemonKing", "Zombie") if body["model"] == "a" else ("FlyingDemon",)
        return answer(demons(*[units[kind % len(units)]] * (1 + kind % 3)))
    guns = [{"name": "MachineGunSoldier", "x": 0, "y": y} for y in range(kind % 5, 5)]
    wall = [{"name": "ShieldSoldier", "x": 9, "y": 2}, {"name": "AntiAirSoldier", "x": 1, "y": 2}]
    return answer(json.dumps({"humans": guns + wall * (body["model"] == "b")}))


def outcome(folder):
    """What a run's records say, without how long things took."""
    kept = {}
    for name in ("games", "decisions", "rounds"):
        for record in lines(folder / f"{name}.jsonl"):
            record.pop("latency_s", None)
            key = (name, record.get("match"), record.get("item"), record.get("ply"),
                   record.get("seat"), record.get("attempt"))  # fmt: skip
            kept[(*key, json.dumps(record, sort_keys=True) if name == "rounds" else "")] = record
    return kept


def test_two_models_meet_and_survive_a_kill(tmp_path):
    """A meets B and itself; killed in the middle and gone on with, it comes to the same."""
    with OpenAIServer(duelist) as server:
        options = ["--policies", "llm:a", "--opponents", "llm:a,llm:b", "--game", "tower_defence",
                   "--rounds", 4, "--concurrency", 3, "--shared-start", "--tries-on-violation", 2,
                   "--base-url", server.base_url, *MODEL]  # fmt: skip
        left_alone = scripts.run("advgame", *options, "--output", tmp_path / "whole")
        assert left_alone.returncode == 0, left_alone.stderr
        needed = len(server.requests)
        assert server.most_at_once > 1
        killed = tmp_path / "killed"
        line = scripts.command("advgame", *options, "--output", killed)
        done = scripts.kill_at(line, killed / "decisions.jsonl", 8)
        resumed = scripts.run("advgame", *options, "--output", killed, "--resume")
        assert resumed.returncode == 0, resumed.stderr
        # What was recorded is not asked again; three replies may have been lost.
        assert done < needed and len(server.requests) <= 2 * needed + 3
    assert outcome(killed) == outcome(tmp_path / "whole")
    assert_replayed(killed)
    records = [g for g in lines(killed / "games.jsonl") if "given" in g]
    assert len(records) == 8 and all(g["ended_by"] == "terminal" for g in records)
    assert {tuple(g["seats"]) for g in records} == {
        ("llm:a", "llm:a"), ("llm:a", "llm:b"), ("llm:b", "llm:a"),
    }  # fmt: skip
    summary = json.loads(resumed.stdout)
    assert summary["games"] == 8 and [row["policy"] for row in summary["policies"]] == ["llm:a"]
    assert set(summary["models"]) == {"llm:a", "llm:b"}
    found = lines(killed / "decisions.jsonl")
    seats = {(d["policy"], d["seat"]) for d in found}
    assert seats == {(f"llm:{m}", seat) for m in "ab" for seat in range(2)}
    assert {d["kind"] for d in found} == {"ok", "illegal", "unparseable"}
    assert any(d["plan"]["over"] for d in found if "over" in d.get("plan", {}))


def test_feedback_as_published(tmp_path):
    """Plans and result, after a win too; neither what happened nor an offer to keep the plan."""

    def script(body, nth):
        _, attacks, number = asked(body)
        if not attacks:
            return answer(GUN)
        return answer(demons("DemonKing" if number % 4 else "NormalDemon"))

    with OpenAIServer(script) as server:
        run(server, tmp_path, "--opponents", "llm:n", "--rounds", 5,
            "--feedback", "as_published")  # fmt: skip
    later = [d for d in decisions(tmp_path) if d["ply"] > 0]
    assert len(later) == 4 * 4
    won = 0
    for record in later:
        prompt = prompt_of(record)
        assert "What happened" not in prompt and '"keep"' not in prompt
        assert "The other side's plan" in prompt and "Your last plan" in prompt
        won += "You won round" in prompt
    assert won
    assert later[0]["prompt"][0]["role"] == "system"


# --- the command line -----------------------------------------------------------------------------

run_script = partial(scripts.run, "advgame")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--tries-on-violation", "0"), ["--tries-on-violation 0", "1 to 20"]),
        (("--tries-on-violation", "x"), ["--tries-on-violation", "x"]),
        (("--shared-start", "--invalid", "forfeit"), ["--shared-start", "--invalid void"]),
        (("--policies", "control:redraw=llm"), ['"llm" needs --model NAME']),
        (("--policies", "control:redraw=llm:m?colour=1"), ["unknown option 'colour'"]),
        (("--policies", "control:redraw=llm:m?random=0.5"), ["random is no option"]),
        (("--policies", "control:draw=llm:m"), ["control:redraw=POLICY"]),
        (("--opponents", "plan:level?k=99"), ["--opponents", "k"]),
        (("--opponents", "nobody"), ["--opponents", "unknown policy 'nobody'"]),
        (("--policies", "random,random"), ["random is named twice"]),
        (("--rounds", "21"), ["--rounds 21"]),
        (("--rounds", "many"), ["--rounds", "many"]),
        (("--budget", "0.5,0.5"), ["--budget", "different"]),
        (("--budget", ""), ["--budget"]),
        (("--rules", "setting"), ["--rules", "name=value"]),
        (("--rules", "setting=easy"), ["--rules", "easy"]),
        (("--invalid", "shrug"), ["shrug", "void"]),
        (("--tries", "0"), ["tries 0"]),
        (("--clock", "wall"), ["clock"]),
        (("--colour", "red"), ["--colour"]),
        (("--resume", "--output", "/nowhere/at/all"), ["--resume"]),
    ],
)  # fmt: skip
def test_wrong_options_are_one_line(options, words):
    result = run_script("--base-url", "http://127.0.0.1:1/v1", *options)
    scripts.assert_refused(result, words)


def test_help_names_every_option():
    result = run_script("--help")
    assert result.returncode == 0
    for option in ("--shared-start", "--tries-on-violation", "--feedback", "--budget"):
        assert option in result.stdout
    assert set(games.GAMES) <= set(re.findall(r"\w+", result.stdout))
