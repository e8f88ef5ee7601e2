"""The planning benchmark's numbers: scores, classes, questions and their baselines."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.text import Text

from stratagym.agents.core import make_policy
from stratagym.benchmarks.planning import (
    labels,
    metrics,
    plans,
    published,
    regression,
    report,
    retrieval,
    spatial,
    strictly,
    summaries,
    tasks,
)
from stratagym.benchmarks.planning.complexity import complexity, estimated_states
from stratagym.benchmarks.reporting import plots
from stratagym.envs.planning.checking import VERDICTS, check_plan
from stratagym.envs.planning.domains import blocksworld
from stratagym.envs.planning.pddl import problem_text
from stratagym.envs.plans import ILLEGAL, OK, UNPARSEABLE


def answer(item, verdict, length=4, reference=4, domain="blocksworld", numeric=False, met=1):
    return {
        "policy": "x", "item": item, "domain": domain, "verdict": verdict, "step": 0, "met": met,
        "parts": 2, "length": length, "reference": reference, "numeric": numeric,
    }  # fmt: skip


def test_the_published_classes_come_to_all_problems():
    assert published.table_holds()
    for model, (valid, share, *_) in published.PLANNING.items():
        assert round(100 * valid / published.TASKS, 2) == pytest.approx(share, abs=0.011), model


def test_each_verdict_is_in_one_class():
    answers = [answer(str(k), verdict) for k, verdict in enumerate(VERDICTS)]
    counts = metrics.verdicts(answers)
    assert list(counts) == [*VERDICTS, metrics.NO_PLAN]
    assert {counts[verdict] for verdict in VERDICTS} == {1} and counts[metrics.NO_PLAN] == 0
    assert metrics.classes(counts) == {"valid": 1, "BC": 5, "GS": 1, "other": 2}
    assert sum(metrics.classes(counts, 71).values()) == len(VERDICTS) + 71


def test_n_step_of_a_perfect_policy_is_its_largest_value():
    answers = [answer("a", "valid", 6, 4), answer("b", "valid", 9, 9), answer("c", "valid", 1, 2)]
    looked, most = metrics.n_step(answers)
    assert looked.value == pytest.approx(most) == 5
    assert metrics.n_step(answers, "plan")[0].value == pytest.approx(16 / 3)
    # Where no reference is known, the shortest plan of the run is the length.
    unknown = [answer("d", "valid", 8, 0) | {"shortest": 7}, answer("e", "goal", 3, 0)]
    looked, most = metrics.n_step([*answers, *unknown])
    assert looked.value == pytest.approx(most) == pytest.approx(22 / 5)
    nothing = [one | {"verdict": "goal"} for one in answers]
    assert metrics.n_step(nothing)[0].value == 0 and metrics.n_step(nothing)[1] == 5


def test_n_step_of_a_perfect_and_a_random_planner(seed):
    """A random walk counts the best length of what it solved, never its own."""
    items = list(tasks.generated(["counters", "satellite"], [1], [seed % 1000]))
    view, walker = tasks.GAME.module("view"), make_policy(tasks.GAME, "planner:0")
    records = []
    for item in items:
        moves = [f"({' '.join(move)})" for move in plan_of(item)]
        text = json.dumps({"plan": moves})
        facts = view.plan_facts(item.rules, item.states()[0], text, ())
        one = {"task": "plan", "policy": "perfect", "item": item.name, "kind": OK, "plan": facts}
        records += [one, plans.planned(walker, item, seed, 5_000)]
    by_name = {item.name: item for item in items}
    references = plans.references_of(items, records)
    found = plans.answers_of(records, by_name, references)
    looked, most = metrics.n_step(found["perfect"])
    assert looked.value == pytest.approx(most) == np.mean(list(references.values())) > 0
    walked = records[1::2]
    solved = [
        check_plan(by_name[one["item"]].grounded, walk_of(by_name[one["item"]], one)).verdict
        == "valid"
        for one in walked
    ]
    counted = [references[one["item"]] for one, hit in zip(walked, solved, strict=True) if hit]
    assert metrics.n_step(found["planner:0"])[0].value == pytest.approx(sum(counted) / len(items))


def walk_of(item, record):
    return [f"({' '.join(item.grounded.actions[k])})" for k in record["actions"]]


def plan_of(item):
    return [item.grounded.actions[k] for k in item.plan]


def test_ratios_are_over_valid_plans():
    answers = [answer("a", "valid", 8, 4), answer("b", "valid", 3, 6), answer("c", "goal", 1, 6)]
    found = metrics.ratios(answers)
    assert found["mean"] == pytest.approx(1) and found["better"] == ["b"]
    assert found["at_best"]["value"] == 0.5 and found["ipc"] == pytest.approx((0.5 + 1) / 3)


def test_groups_hold_every_domain_once_and_as_the_paper_has_them():
    from stratagym.envs.planning.domains import NAMES

    assert sorted(one for own in tasks.GROUPS.values() for one in own) == sorted(NAMES)
    assert {tasks.groups_of(name, as_paper=False) for name in NAMES} == {
        (group,) for group in tasks.GROUPS
    }
    assert tasks.groups_of("depots", as_paper=True) == ("spatial", "resource")


def test_numeric_gap_within_lengths():
    answers = [answer(f"d{k}", "valid", reference=k) for k in range(1, 31)]
    answers += [answer(f"n{k}", "goal", reference=k, numeric=True) for k in range(1, 31)]
    found = metrics.numeric_gap(answers)
    assert found["difference"]["value"] == -1 == found["within_lengths"]["value"]
    assert found["within_lengths"]["high"] < 0


def test_mcnemar_is_exact():
    assert metrics.mcnemar(0, 0) == 1 and metrics.mcnemar(5, 5) == 1
    assert metrics.mcnemar(0, 5) == pytest.approx(2 / 32)
    pairs = metrics.paired(
        [answer("a", "valid"), answer("b", "goal")], [answer("a", "goal"), answer("b", "goal")]
    )
    assert pairs == {"both": 0, "first": 1, "second": 0, "neither": 1}


def test_published_problems_have_two_denominators():
    """Of five, one cannot be read, one has no plan; of the others one is solved."""
    answers = [
        answer("a", "valid", reference=6),
        answer("b", "goal"),
        answer("c", "precondition"),
        answer("d", "valid") | {"barred": tasks.UNREAD},
        answer("e", "precondition") | {"barred": tasks.UNSOLVABLE},
    ]
    answers = [{"barred": "", **one, "size": tasks.PUBLISHED} for one in answers]
    found = metrics.summary_of(answers)
    assert (found["problems"], found["accuracy"]["value"]) == (3, pytest.approx(1 / 3))
    assert found["n_step"]["value"] == pytest.approx(6 / 3)
    whole = found["as_published"]
    assert (whole["problems"], whole["unread"]) == (5, 1)
    assert whole["accuracy"]["value"] == pytest.approx(1 / 5)
    assert whole["n_step"]["value"] == pytest.approx(6 / 5)
    assert whole["classes"] == {"valid": 1, "BC": 2, "GS": 1, "other": 1}
    assert sum(own["n"] for own in found["by_domain"].values()) == 5
    assert "as_published" not in metrics.summary_of([answer("a", "valid")])


def test_costs_are_beside_the_least_known():
    answers = [
        answer("a", "valid") | {"cost": 8.0, "best_cost": 4.0},
        answer("b", "valid") | {"cost": 2.0, "best_cost": 4.0},
        answer("c", "valid") | {"cost": 0.0, "best_cost": 0.0},
        answer("d", "goal") | {"cost": 9.0, "best_cost": 3.0},
    ]
    found = metrics.ratios(answers)
    assert found["costed"] == 2 and found["cost"] == pytest.approx(1)


def test_published_problems_that_cannot_count(tmp_path):
    """A dot in a problem's name, and values that its domain does not declare."""
    (item,) = tasks.generated(["blocksworld"], [1], [0])
    (tmp_path / "domain.pddl").write_text(blocksworld.PDDL)
    text = problem_text(replace(item.grounded.problem, name="p1"))
    (tmp_path / "p1.pddl").write_text(text)
    (tmp_path / "p2.pddl").write_text(text.replace("p1", "p2.0", 1))
    (tmp_path / "p3.pddl").write_text(text.replace("(:init", "(:init (lonely b1)", 1))
    with pytest.warns(UserWarning, match="lonely"):
        found = list(tasks.published(tmp_path, []))
    assert [one.barred for one in found] == ["", tasks.UNREAD, tasks.UNREAD]
    assert found[0].odd == "" and "dot" in found[1].odd and "lonely" in found[2].odd


def test_a_question_of_a_plan_without_a_reply_is_late_or_failed():
    def record(item, kind):
        return {"task": "plan", "policy": "llm:m", "item": item, "kind": kind}

    taken = [record("a", "overtime"), record("b", "transport"), record("b", OK)]
    taken += [record("c", "transport"), record("d", UNPARSEABLE)]
    assert plans.without_reply(taken, "llm:m") == {"late": 1, "failed": 1}


# --- spatial tracking ----------------------------------------------------------------------------


def test_a_constant_answer_scores_its_share(seed):
    scenes = spatial.own_scenes(seed, 1, side=3, lengths=(5, 10))
    assert len(scenes) == 18 and len({scene.name for scene in scenes}) == 18
    for scene in scenes:
        assert spatial.moved(scene.start, scene.moves) == scene.end
    for cell in ((0, 0), (2, 1)):
        right = {
            scene.name: spatial.judge(scene, f"I say {cell}").facts["right"] for scene in scenes
        }
        assert spatial.scored(scenes, right)["accuracy"]["value"] == pytest.approx(1 / 9)
    assert spatial.baselines(scenes)["constant"].value == pytest.approx(1 / 9)
    some = spatial.some_scenes(seed, 4, side=3, lengths=(5,))
    assert len({scene.end for scene in some}) == 4


def test_a_question_to_which_no_reply_came_is_in_no_rate(seed):
    scenes = spatial.own_scenes(seed, 1, side=3, lengths=(5,))
    replied, broken, late, never = scenes[:4]

    def record(scene, kind, right):
        facts = None if right is None else {"right": right}
        return {"task": "spatial", "policy": "llm:m", "item": scene.name, "kind": kind,
                "facts": facts, "plan": None}  # fmt: skip

    taken = [
        record(replied, OK, 1),
        record(broken, "transport", None),
        record(late, "overtime", None),
        record(never, UNPARSEABLE, None),
        record(never, "transport", None),
    ]
    found = summaries.summary({}, [], taken, [], scenes, "reference", {})
    accuracy = found["spatial"]["policies"]["llm:m"]["accuracy"]
    assert (accuracy["value"], accuracy["n"]) == (0.5, 2)
    nobody = summaries.summary({}, [], taken[1:3], [], scenes, "reference", {})
    assert nobody["spatial"]["policies"]["llm:m"]["accuracy"]["n"] == 0


def test_places_are_read_from_the_end_of_a_reply():
    scene = spatial.Scene("x", 5, 5, (0, 0), "UR", (1, 1))
    for text, kind, right in (
        ("from (0, 0) up to (1,0) and then (1, 1).", OK, 1),
        ("**(1,1)** no, (1, 2)", OK, 0),
        ("(7, 1)", ILLEGAL, 0),
        ("somewhere", UNPARSEABLE, None),
    ):
        found = spatial.judge(scene, text)
        assert (found.kind, found.facts.get("right")) == (kind, right)
    assert "up, right" in spatial.inquiry(scene).messages[0]["content"]


def test_the_published_scenes_end_where_their_moves_lead(shared_data):
    path = shared_data / "planning" / "spatial_scenes.json"
    if not path.exists():
        pytest.skip("the published scenes are not there")
    scenes = json.loads(path.read_text())
    assert len(scenes) == 90
    ends = [tuple(one["end"]) for one in scenes]
    for one in scenes:
        assert spatial.moved(tuple(one["start"]), one["moves"]) == tuple(one["end"])
    assert ends.count((0, 1)) == 38


def test_scenes_of_plans_stay_on_their_boards(seed):
    for scene in spatial.plan_scenes(5, seed % 2**30):
        at = scene.start
        for move in scene.moves:
            at = spatial.moved(at, move)
            assert 0 <= at[0] < scene.rows and 0 <= at[1] < scene.columns
        assert at == scene.end and scene.moves


# --- factual retrieval ---------------------------------------------------------------------------


@pytest.mark.parametrize("domain", retrieval.DOMAINS)
def test_facts_after_a_step(domain, seed):
    """A reply with the right values is exact, the values at the start score as the baseline."""
    items = list(tasks.generated([domain], [1], [seed % 1000, seed % 1000 + 1]))
    asked = list(retrieval.questions(items, (1, 5, 60), (1, "all"), 2, seed))
    assert len(asked) == 12 and {one.source for one in asked} >= {"plan"}
    right, first = {}, {}
    for one in asked:
        assert all(value in values for value, values in zip(one.right, one.values, strict=True))
        assert 1 <= one.step <= one.length and "Step 1:" in one.prompt
        judge = one.inquiry().judge
        for values, into in ((one.right, right), (one.first, first)):
            reply = "So: " + json.dumps(dict(zip(one.asked, values, strict=True)))
            outcome = judge(reply)
            assert outcome.kind == OK
            into[one.name] = outcome.facts
        assert judge("no idea").kind == UNPARSEABLE
        assert judge('{"other": 1}').reason == "no_property"
    assert retrieval.scored(asked, right)["exact"]["value"] == 1
    scored = retrieval.scored(asked, first)
    baselines = retrieval.baselines(asked)["no_change"]
    for field in ("exact", "per_property"):
        assert scored[field]["value"] == pytest.approx(baselines[field]["value"])


def test_constant_facts_score_their_share(seed):
    """One answer to all questions about one problem is right where it happens to be so."""
    items = list(tasks.generated(["floortile"], [1], [seed % 1000]))
    asked = list(retrieval.questions(items, (5, 10), ("all",), 10, seed))
    constant = asked[0].right
    reply = json.dumps(dict(zip(asked[0].asked, constant, strict=True)))
    scored = retrieval.scored(asked, {one.name: one.inquiry().judge(reply).facts for one in asked})
    hits = [sum(a == b for a, b in zip(constant, one.right, strict=True)) for one in asked]
    assert scored["exact"]["value"] == sum(n == len(constant) for n in hits) / len(asked) > 0
    shares = [n / len(constant) for n in hits]
    assert scored["per_property"]["value"] == pytest.approx(np.mean(shares))


def test_values_of_properties_are_always_in_their_lists(seed):
    rng = np.random.default_rng(seed)
    for domain in retrieval.DOMAINS:
        (item,) = tasks.generated([domain], [2], [int(rng.integers(1000))])
        one = retrieval.question(item, 50, "all", 0, seed)
        assert len(one.asked) == len(retrieval.properties_of(item.grounded)) > 3


# --- complexity ----------------------------------------------------------------------------------


def test_pairs_of_small_problems_are_counted():
    """Four counters from 0 to 8, each of which goes up from 8 values and down from 8."""
    (item,) = tasks.generated(["counters"], [1], [0])
    found = complexity(item)
    assert found.is_exact and found.state_actions == pytest.approx(np.log10(4 * 16 * 9**3))
    assert estimated_states(item.grounded) == pytest.approx(4 * np.log10(9), abs=0.5)
    (blocks,) = tasks.generated(["blocksworld"], [1], [0])
    figures = complexity(blocks, most=10_000)
    assert figures.is_exact and not figures.from_walks
    assert figures.applicable_initial >= 1 and figures.applicable >= 1


def test_numbers_without_bounds_have_no_count_of_states():
    for item in tasks.generated(["sugar"], [1], [0]):
        assert complexity(item, most=100).state_actions is None


def test_correlations_of_six_domains_computed_by_hand():
    """Of 5 problems a domain 5, 4, 4, 2, 3 and none are solved.

    Both axes have sums of squares and products that are whole numbers, or halves of them: 17.5 and
    10 for theirs, 16 for the solved, -15 and -7 for the products.
    """
    solved, pairs = (5, 4, 4, 2, 3, 0), (2, 1, 3, 3, 5, 4)
    hard, answers = {}, []
    for k in range(6):
        name = f"domain{k}"
        hard[name] = {"applicable": 10**k, "state_actions": pairs[k]}
        for n in range(5):
            verdict = "valid" if n < solved[k] else "goal"
            answers.append(answer(name, verdict, domain=name))
    found = summaries.correlations(answers, hard)
    actions, states = found["applicable"], found["state_actions"]
    r = -15 / 280**0.5
    assert actions["n"] == states["n"] == 6 and actions["pearson"] == pytest.approx(r)
    assert states["pearson"] == pytest.approx(-7 / 160**0.5)
    # Ranks of the solved are 6, 4.5, 4.5, 2, 3, 1.
    assert actions["spearman"] == pytest.approx(-16 / (17.5 * 17) ** 0.5)
    # Student's t with 4 degrees of freedom has a closed form.
    assert actions["p"] == pytest.approx(1 - abs(r) * (1 + (1 - r * r) / 2), abs=1e-6)
    # Without the fifth domain, and without the last.
    assert actions["low"] == pytest.approx(-15 / (14.8 * 16) ** 0.5)
    assert actions["high"] == pytest.approx(-6 / 52**0.5)
    low, high = found["state_actions_interval"]
    assert low < states["pearson"] < high
    stronger = found["stronger"]
    assert stronger["value"] == pytest.approx(7 / 160**0.5 - 15 / 280**0.5)
    assert stronger["low"] < stronger["value"] < stronger["high"]
    words = report.complexity_words(found)
    assert "|r| for states less |r| for actions: -.34 [" in words
    assert "For actions Spearman's coefficient is -.93, p = 0.0077" in words
    assert "r without any one domain is from -.97 to -.83" in words


def test_the_regression_is_the_most_probable_one(seed):
    """Its penalised likelihood has its top where another optimizer finds it."""
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(80, 2))
    domain = rng.integers(4, size=80)
    chance = 1 / (1 + np.exp(-(1.5 * x[:, 0] - x[:, 1] + domain - 1.5)))
    solved = (rng.random(80) < chance).astype(float)
    found = regression.fit(x, solved, domain, 0.5)

    def loss(at):
        told = at[0] + x @ at[1:3] + at[3:][domain]
        prior = (at[:3] ** 2).sum() / regression.SLOPE_SD**2 + (at[3:] ** 2).sum() / 0.5**2
        return np.logaddexp(0, told).sum() - solved @ told + prior / 2

    best = optimize.minimize(loss, np.zeros(7), method="BFGS", options={"gtol": 1e-8})
    assert found.slopes == pytest.approx(best.x[1:3], abs=1e-4)
    assert (found.errors > 0).all()


def test_a_regression_tells_length_from_what_goes_with_it():
    """Short problems are solved and long ones not, whatever the domain; nothing else tells."""
    answers, hard = [], {}
    for k in range(60):
        name, length = f"p{k}", 2 + k // 2
        is_solved = k < 30 if k % 6 else k >= 30
        answers.append(
            answer(name, "valid" if is_solved else "goal", reference=length, domain=f"d{k % 3}")
        )
        hard[name] = {"applicable": 10.0 + k % 2, "state_actions": 5.0}
    found = regression.regression(answers, hard)
    assert found["n"] == 60 and found["domains"] == 3 and set(found["slopes"]) == {
        "length", "applicable",
    }  # fmt: skip
    assert found["slopes"]["length"]["high"] < 0
    assert regression.regression(answers[:20], hard) is None
    for one in hard.values():
        one["state_actions"] = None
    assert regression.regression(answers, hard) is None


def test_names_of_points_cover_none_of_each_other(tmp_path):
    """21 names, most of them at one height, as domains that are all solved are."""
    x = np.linspace(0, 1.4, 21) ** 2
    y = np.where(np.arange(21) % 4 > 0, 1.0, 0.5)
    with plots.drawing(tmp_path, "names", 5.5, 5.0) as figure:
        axes = figure.subplots()
        axes.plot(x, y, "o")
        axes.set_ylim(-0.05, 1.05)
        axes.margins(x=0.15)
        notes = labels.place(axes, [f"domain_number_{k}" for k in range(21)], x, y)
        figure.draw_without_rendering()
        # Of an annotation the extent without its line.
        boxes = [Text.get_window_extent(note) for note in notes]
    assert len(boxes) == 21
    for k, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[:k])


def test_facts_are_set_beside_broken_conditions(tmp_path):
    """Three policies on a line, of which the domains are no points."""
    items = list(tasks.generated(["grid"], [1], [0]))
    asked = list(retrieval.questions(items, [1, 5], ["all"], 5, 0))
    replies, answers = {}, {}
    for k, policy in enumerate(("a", "b", "c")):
        hits = 2 + 3 * k
        replies[policy] = {one.name: {"exact": int(n < hits)} for n, one in enumerate(asked)}
        verdicts = ["precondition"] * (8 - 3 * k) + ["type"] + ["valid"] * (1 + 3 * k)
        answers[policy] = [
            answer(str(n), verdict, domain="grid") | {"barred": ""}
            for n, verdict in enumerate(verdicts)
        ]
        answers[policy].append(answer("x", "precondition") | {"barred": ""})
        answers[policy].append(answer("y", "precondition") | {"barred": tasks.UNREAD})
    found = summaries.retrieval_against_errors(asked, replies, answers)
    first = found["policies"][0]
    assert first["retrieval"]["value"] == pytest.approx(0.2)
    assert first["own"]["precondition"]["value"] == pytest.approx(0.8)
    assert first["own"]["BC"]["value"] == pytest.approx(0.9)
    assert first["precondition"]["value"] == pytest.approx(9 / 11)
    assert list(first["domains"]) == ["grid"]
    assert found["correlations"]["own precondition"]["r"] == pytest.approx(-1)
    assert found["correlations"]["own BC"]["n"] == 3
    report.draw_errors(tmp_path, found, "errors")
    assert (tmp_path / "errors.png").stat().st_size > 10_000
    assert "r = -1.000" in report.error_words(found)
    assert found["published"]["r"] == pytest.approx(-0.996, abs=5e-4)
    assert (
        summaries.retrieval_against_errors(asked, {"a": replies["a"]}, answers)["correlations"][
            "all BC"
        ]
        is None
    )


def test_copies_of_published_problems_are_left_out(tmp_path):
    first, second = tasks.generated(["blocksworld"], [1], [0, 1])
    (tmp_path / "domain.pddl").write_text(blocksworld.PDDL)
    for k, item in enumerate((first, second, first), 1):
        text = problem_text(replace(item.grounded.problem, name=f"p{k}"))
        (tmp_path / f"p{k}.pddl").write_text(text)
    whole = list(tasks.published(tmp_path, []))
    assert len(whole) == 3 and all(isinstance(one, tasks.Item) for one in whole)
    kept = list(tasks.published(tmp_path, [], distinct=True))
    assert [one for one in kept if not isinstance(one, tasks.Item)] == [
        (f"{tmp_path.name}/p3", f"a copy of {tmp_path.name}/p1")
    ]


@pytest.mark.parametrize(
    ("reply", "plan"),
    [
        ('So:\n$$\n{"plan": "(a)\\n(b)"}\n$$\nDone.', "(a)\n(b)"),
        ('First\n$$\n{"plan": "(a)"}\n$$\nor\n$$\n{"plan": "(b)"}\n$$', None),
        ('$$\n{"plan": "(a)\n(b)"}\n$$', None),
        ('$$\n{"plan": "(a)"}\n{"plan": "(b)"}\n$$', None),
        ('$$\n{"plan": ["(a)", "(b)"]}\n$$', None),
        ('$$\n["(a)"]\n$$', None),
        ('$$\n{"moves": "(a)"}\n$$', None),
        # Without both signs the whole reply is read.
        ('{"plan": "(a)"}', "(a)"),
        ('{"plan": "(a)"}\n$$', None),
        ('So: {"plan": "(a)"}', None),
        ('$$ {"plan": "(a)"} $$', None),
        ("$$\n$$", None),
        ("\n$$ no $$\n", None),
        ("$$\n" + "[" * 100_000 + "\n$$", None),
        ("", None),
    ],
)
def test_replies_as_the_papers_reader_takes_them(reply, plan):
    assert strictly.extracted(reply) == plan


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("(a b)\n(c)", [("a", "b"), ("c",)]),
        ("; a plan\n(A B) ; why\n", [("a", "b")]),
        ("0: (a b) [1]\n1.5: (c)", [("a", "b"), ("c",)]),
        ("```\n(a), (c)\n```", [("a",), ("c",)]),
        # A word or a sign ends a plan.
        ("(a)\nthen\n(c)", [("a",)]),
        ("- (a)\n- (c)", []),
        ("a b\nc", []),
        ("a(b)", []),
        ("(a)\n_", [("a",)]),
        ("", []),
        # Broken brackets, and numbers without a colon.
        ("1. (a)\n2. (c)", None),
        ("(a)\n()", None),
        ("(a)\n(c", None),
        ("((a))", None),
        ("(a 5)", None),
        ("(a) [long]", None),
        ("(a) [", None),
        ("(a)\n-5", None),
    ],
)
def test_plans_as_val_reads_them(text, actions):
    """As VAL itself did when it was tried."""
    assert strictly.val_reads(text) == actions


def test_phrases_of_val():
    """In a domain with types and in one without, as VAL itself had them when it was tried."""
    (typed,) = tasks.generated(["satellite"], [1], [0])
    (bare,) = tasks.generated(["blocksworld"], [1], [0])
    assert typed.grounded.domain.above and not bare.grounded.domain.above
    for item, unknown, nobody, short, long in (
        (typed, strictly.BAD, strictly.TYPE, strictly.OTHER, strictly.OTHER),
        (bare, strictly.OTHER, strictly.FAILED, strictly.OTHER, strictly.VALID),
    ):
        plan = [item.grounded.actions[k] for k in item.plan]
        name, *objects = plan[0]

        def phrase(*first, item=item, plan=plan, behind=""):
            moves = [first or plan[0], *plan[1:]]
            text = "\n".join(f"({' '.join(move)})" for move in moves)
            return strictly.phrase(item.grounded, text + behind)

        assert phrase() == strictly.VALID
        assert strictly.phrase(item.grounded, "") == strictly.UNMET
        assert phrase(behind="\n(") == strictly.BAD
        assert phrase("jump") == unknown
        assert phrase(name, *objects[:-1], "moon") == nobody
        assert phrase(name, *objects[:-1]) == short
        assert phrase(name, *objects, objects[-1]) == long
        odd = replace(item.grounded, problem=replace(item.grounded.problem, name="p1.0"))
        assert strictly.phrase(odd, "") == strictly.OTHER
    on = next(one for one in plan_of(typed) if one[0] == "switch_on")
    text = "\n".join(f"({' '.join(move)})" for move in (on, on))
    assert strictly.phrase(typed.grounded, text) == strictly.FAILED
    text = f"(switch_on {on[2]} {on[1]})"
    assert strictly.phrase(typed.grounded, text) == strictly.BAD


def test_replies_are_counted_as_the_papers_code_counts_them():
    (item,) = tasks.generated(["blocksworld"], [1], [0])
    whole = "\n".join(f"({' '.join(move)})" for move in plan_of(item))
    said = {
        "valid": json.dumps({"plan": whole}),
        "words": json.dumps({"plan": whole.replace("(", "").replace(")", "")}),
        "list": json.dumps({"plan": whole.splitlines()}),
        "nothing": "It cannot be done.",
    }
    records = [{"policy": "llm:m", "item": name, "reply": reply} for name, reply in said.items()]
    records += [records[0] | {"item": "gone"}, records[0] | {"item": "late", "reply": None}]
    items = dict.fromkeys([*said, "late"], item)
    (own,) = strictly.scored(records, items).values()
    assert (own["asked"], own["read"], own["valid"]) == (4, 2, 1)
    assert own["accuracy"]["value"] == 0.25
    counts = own["as_published_counts"]
    assert counts == dict.fromkeys(strictly.PHRASES, 0) | {strictly.VALID: 1, strictly.UNMET: 3}
