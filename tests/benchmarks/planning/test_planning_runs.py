"""Whole runs of the planning benchmark, with a model that makes the errors that it was told to."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial

import pytest
import scripts
from openai_server import OpenAIServer, answer, playing

from stratagym.benchmarks.planning import example, probe, retrieval, spatial, strictly, tasks
from stratagym.envs.planning.checking import VERDICTS, check_plan, move_text
from stratagym.envs.planning.domains import blocksworld
from stratagym.envs.planning.pddl import problem_text

DOMAIN, INSTANCES = "satellite", 5


def run(*arguments):
    done = scripts.run("planning", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assert_refused(done, words):
    """That a run ended with exit code 2 and one line, but for what it was doing."""
    told = [line for line in done.stderr.splitlines() if not line.endswith(" ...")]
    assert done.returncode == 2 and len(told) == 1
    assert all(word in told[0] for word in words)


def model(server, folder, *more):
    return (
        "--policies", "llm:scripted", "--base-url", server.base_url, "--output", folder,
        "--api-key-env", "STRATAGYM_TEST_KEY", *more,
    )  # fmt: skip


def prompt_of(body):
    return "\n".join(message["content"] for message in body["messages"])


def planted(item, verdict, as_text=False):
    """(a reply that gets this verdict, the step at which it is at fault)."""
    moves = [move_text(item.grounded.actions[k]) for k in item.plan]
    on = next(k for k, move in enumerate(moves) if move.startswith("(switch_on "))
    name, instrument, satellite = moves[on].strip("()").split()
    # Nothing is switched on twice, since no power is left.
    spoilt = {
        "valid": moves,
        "goal": [],
        "precondition": [*moves[: on + 1], moves[on], *moves[on + 1 :]],
        "unknown_action": [*moves[:on], "(jump)", *moves[on:]],
        "arity": [*moves[:on], f"({name} {instrument})", *moves[on + 1 :]],
        "unknown_object": [*moves[:on], f"({name} {instrument} moon)", *moves[on + 1 :]],
        "type": [*moves[:on], f"({name} {satellite} {instrument})", *moves[on + 1 :]],
        "malformed": [*moves[:on], "((", *moves[on:]],
    }
    if verdict == "unreadable":
        return "It cannot be done.", 0
    plan = spoilt[verdict]
    step = {"valid": len(plan), "goal": len(plan), "precondition": on + 1}.get(verdict, on)
    said = "\n".join(plan) if as_text else plan
    return f"Let us see.\n$$\n{json.dumps({'plan': said})}\n$$", step


def is_text(items, name):
    return list(items).index(name) % 2 == 0


def test_a_model_with_planted_errors_gets_just_those(tmp_path):
    items = {item.name: item for item in tasks.generated([DOMAIN], [1, 2], range(INSTANCES))}
    assert len(items) == len(VERDICTS) + 1
    wanted = dict(zip(items, [*VERDICTS, "valid"], strict=True))

    def script(body, nth):
        name = re.search(rf"problem ({DOMAIN}-\d-\d+)", prompt_of(body))[1]
        return answer(planted(items[name], wanted[name], is_text(items, name))[0])

    with OpenAIServer(playing(script)) as server:
        more = "--task", "plan", "--domains", DOMAIN, "--sizes", "1,2", "--instances", INSTANCES
        summary = run(*model(server, tmp_path / "run", *more))
    own = summary["policies"]["llm:scripted"]
    counts = {name: 2 if name == "valid" else 1 for name in VERDICTS}
    assert own["verdicts"] == counts | {"no_plan": 0}
    assert own["classes"] == {"valid": 2, "BC": 5, "GS": 1, "other": 2}
    assert own["accuracy"]["value"] == pytest.approx(0.2)
    # Plans are texts in one half of the replies, and lists in the others, which are not read there.
    strict = summary["strictly"]["llm:scripted"]
    told = [name for name in wanted if wanted[name] != "unreadable" and is_text(items, name)]
    assert strict["asked"] == len(items) and strict["read"] == len(told)
    assert strict["valid"] == sum(wanted[name] == "valid" for name in told)
    phrases = {
        "valid": strictly.VALID, "precondition": strictly.FAILED, "unknown_action": strictly.BAD,
        "type": strictly.BAD, "malformed": strictly.BAD, "unknown_object": strictly.TYPE,
        "arity": strictly.OTHER,
    }  # fmt: skip
    counted = Counter(
        phrases.get(wanted[name], strictly.UNMET) if name in told else strictly.UNMET
        for name in items
    )
    assert strict["as_published_counts"] == {name: counted[name] for name in strictly.PHRASES}
    for record in scripts.lines(tmp_path / "run" / "decisions.jsonl"):
        facts = record.get("plan") or {"verdict": VERDICTS.index("unreadable"), "step": 0}
        verdict = VERDICTS[facts["verdict"]]
        assert verdict == wanted[record["item"]], record["item"]
        assert facts.get("step", 0) == planted(items[record["item"]], verdict)[1], verdict


def test_a_planner_without_a_plan_gives_no_wrong_one(tmp_path):
    more = ("--task", "plan", "--domains", "freecell", "--sizes", 3, "--instances", 1)
    own = run("--policies", "planner:1", "--states", 20, *more, "--output", tmp_path / "run")
    (counts,) = (one["verdicts"] for one in own["policies"].values())
    assert counts["no_plan"] == 1 == sum(counts.values())
    (one,) = own["policies"].values()
    assert one["accuracy"]["value"] == 0 and set(one["classes"].values()) == {0}


def test_constant_answers_score_their_share(tmp_path):
    """Of places exactly one of 25 of each length; of facts what the same values score."""
    place, seed = (1, 3), 4
    items = list(tasks.generated(["grid"], [1], range(seed, seed + 1)))
    facts = list(retrieval.questions(items, [1, 5], ["all"], 2, seed, retrieval.CHANGES))

    def script(body, nth):
        if "(row, column)" in prompt_of(body):
            return answer(f"It ends at {place}.")
        one = next(one for one in facts if one.prompt in prompt_of(body))
        return answer(json.dumps(dict(zip(one.asked, one.first, strict=True))))

    with OpenAIServer(playing(script)) as server:
        more = ("--domains", "grid", "--sizes", 1, "--instances", 1, "--seed", seed)
        asked = ("--told", "1,5", "--scenes-each", 25)
        spatial_run = run(*model(server, tmp_path / "a", "--task", "spatial", *more, *asked))
        facts_run = run(*model(server, tmp_path / "b", "--task", "retrieve", *more, *asked))
    rate = spatial_run["spatial"]["policies"]["llm:scripted"]["accuracy"]
    assert rate["value"] == 1 / 25 and rate["n"] == 25 * len(spatial.LENGTHS)
    found = facts_run["retrieval"]
    for field in ("exact", "per_property"):
        scored = found["policies"]["llm:scripted"][field]["value"]
        assert scored == pytest.approx(found["baselines"]["no_change"][field]["value"])


SMALL = ("--task", "plan", "--domains", "blocksworld", "--sizes", 1, "--instances", 2)


def problem_asked(body):
    """The name of the problem in a question."""
    return re.findall(r"problem (blocksworld-\d-\d+)", prompt_of(body))[-1]


def test_action_by_action(tmp_path):
    """One model walks to the goal with a slip on the way; another gives up its tries at once."""
    items = {item.name: item for item in tasks.generated(["blocksworld"], [1], [0, 1])}
    moves = {
        name: [move_text(item.grounded.actions[k]) for k in item.plan]
        for name, item in items.items()
    }
    first, second = items

    def script(body, nth):
        name, text = problem_asked(body), prompt_of(body)
        at = int(re.search(r"Steps taken so far: (\d+)", text)[1])
        if name == second:
            return answer('{"plan": ["(jump b1)"]}')
        slipped = body["messages"][-1]["content"].find("Steps taken so far") < 0
        if at == 1 and not slipped:
            return answer(json.dumps({"plan": moves[name][:2]}))  # two at once
        return answer(json.dumps({"plan": [moves[name][at]]}))

    with OpenAIServer(playing(script)) as server:
        more = (*SMALL, "--steps", "--tries", 3)
        summary = run(*model(server, tmp_path / "run", *more))
        again = run(*model(server, tmp_path / "run", *more, "--resume"))
    assert again == summary
    length = len(moves[first])
    own = summary["policies"]["llm:scripted"]
    assert own["verdicts"]["valid"] == 1 == own["verdicts"]["unknown_action"]
    assert own["accuracy"]["n"] == 2 and own["n_step"]["value"] == length / 2
    assert summary["steps"]["llm:scripted"] == {"answers": length + 1 + 3, "refused": 1 + 3}
    taken = scripts.lines(tmp_path / "run" / "decisions.jsonl")
    assert {one["task"] for one in taken} == {"step"} and len(taken) == length + 4
    assert [one["ply"] for one in taken if one["problem"] == first and one["kind"] == "ok"] == [
        *range(length)
    ]


def test_an_example_comes_before_the_problem(tmp_path):
    grounded = example.solved()
    assert check_plan(grounded, example.PLAN).verdict == "valid"
    seen = []

    def script(body, nth):
        seen.append(prompt_of(body))
        return answer("no plan")

    for position in ("pddl", "words"):
        with OpenAIServer(playing(script)) as server:
            more = (*SMALL, "--one-shot", "--position", position)
            own = run(*model(server, tmp_path / position, *more))
        assert own["policies"]["llm:scripted"]["verdicts"]["unreadable"] == 2
    assert len(seen) == 4
    for text in seen:
        at = text.index("The example ends here")
        assert text.index("(stack b1 b2)") < at < text.index("Steps taken so far")
    assert sum("(:goal (and (on b1 b2) (on-table b3)))" in text for text in seen) == 2


def test_facts_where_a_plan_broke_down(tmp_path):
    """One model knows the state after its actions, and a constant answer is right in half."""
    items = {item.name: item for item in tasks.generated(["blocksworld"], [1], [0, 1])}
    broken = {}
    for name, item in items.items():
        moves = [move_text(item.grounded.actions[k]) for k in item.plan]
        broken[name] = [moves[0], moves[0]]  # nothing can be picked up twice

    def script(knows, body, nth):
        text = prompt_of(body)
        name = problem_asked(body)
        if "Which of these facts are true" not in text:
            return answer(json.dumps({"plan": broken[name]}))
        reply = json.dumps({"plan": broken[name]})
        record = {"task": "plan", "policy": "x", "item": name, "kind": "ok", "reply": reply,
                  "plan": {"verdict": VERDICTS.index("precondition")}}  # fmt: skip
        (one,), without = probe.probes([record], items, "x", 0)
        assert without == 0 and sum(holds for _, holds in one.facts) * 2 == len(one.facts)
        words = {fact: "yes" if holds or not knows else "no" for fact, holds in one.facts}
        return answer(json.dumps(words))

    for knows, share in ((True, 1), (False, 0.5)):
        with OpenAIServer(playing(partial(script, knows))) as server:
            summary = run(*model(server, tmp_path / str(knows), *SMALL, "--probe"))
        assert summary["policies"]["llm:scripted"]["verdicts"]["precondition"] == 2
        own = summary["probe"]["llm:scripted"]
        assert (own["plans"], own["without"]) == (2, 0)
        assert own["right"]["value"] == share and own["right"]["chance"] == 0.5


def test_a_killed_run_goes_on_to_the_same_summary(tmp_path):
    items = {item.name: item for item in tasks.generated(["blocksworld"], [1], [0, 1])}
    delay_s = 0.0

    def script(body, nth):
        text = prompt_of(body)
        if "(row, column)" in text:
            return answer("It ends at (1, 3).", delay_s=delay_s)
        plan = [move_text(items[problem_asked(body)].grounded.actions[k]) for k in
                items[problem_asked(body)].plan]  # fmt: skip
        return answer(json.dumps({"plan": plan}), delay_s=delay_s)

    more = ("--task", "all", *SMALL[2:], "--scenes-each", 2, "--seed", 0, "--concurrency", 1)
    with OpenAIServer(playing(script)) as server:
        whole = run(*model(server, tmp_path / "whole", *more))
        line = scripts.command("planning", *model(server, tmp_path / "cut", *more))
        delay_s = 0.5  # it is not through before it is killed
        done = scripts.kill_at(line, tmp_path / "cut" / "decisions.jsonl", 3)
        delay_s = 0.0
        resumed = run(*model(server, tmp_path / "cut", *more, "--resume"))
    total = len(scripts.lines(tmp_path / "whole" / "decisions.jsonl"))
    assert 3 <= done < total == len(scripts.lines(tmp_path / "cut" / "decisions.jsonl"))
    assert resumed["policies"]["llm:scripted"]["accuracy"]["value"] == 1
    for summary in (whole, resumed):
        del summary["config"]["begun"]
    assert resumed == whole


def test_a_run_whose_problem_was_changed_is_not_gone_on_with(tmp_path):
    (item,) = tasks.generated(["blocksworld"], [1], [0])
    (tmp_path / "domain.pddl").write_text(blocksworld.PDDL)
    text = problem_text(item.grounded.problem)
    (tmp_path / "p1.pddl").write_text(text)
    more = ("--tasks", tmp_path, "--task", "plan", "--policies", "planner:0")
    run(*more, "--output", tmp_path / "run")
    before = (tmp_path / "run" / "decisions.jsonl").read_bytes()
    (tmp_path / "p1.pddl").write_text(text.replace("(:goal", "; changed\n(:goal"))
    done = scripts.run("planning", *more, "--output", tmp_path / "run", "--resume")
    assert_refused(done, ["p1.pddl", "SHA-256"])
    assert (tmp_path / "run" / "decisions.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (json.dumps({"plan": ["(a)"] * 10_000}), "too_many"),
        ("x" * 1_000_000 + '{"plan": []}', "too_long"),
    ],
)
def test_plans_without_end_are_refused_in_time(tmp_path, reply, reason):
    with OpenAIServer(playing(lambda body, nth: answer(reply))) as server:
        own = run(*model(server, tmp_path / "run", *SMALL))
    assert own["policies"]["llm:scripted"]["verdicts"]["unreadable"] == 2
    taken = scripts.lines(tmp_path / "run" / "decisions.jsonl")
    assert {one["reason"] for one in taken} == {reason}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--steps", "--task", "spatial"), ["--steps", "--task plan"]),
        (("--one-shot", "--steps"), ["--one-shot", "--steps"]),
        (("--groups", "both"), ["--groups", "as_paper"]),
        (("--n-step", "mine"), ["--n-step", "reference"]),
        (("--tries", 0), ["--tries", "1 to 100"]),
        (("--tasks", "/nowhere"), ["/nowhere", "domain.pddl"]),
    ],
)
def test_options_that_make_no_sense_are_refused(options, words, tmp_path):
    done = scripts.run("planning", "--output", tmp_path / "run", *options)
    assert_refused(done, words)
    assert not (tmp_path / "run").exists()
