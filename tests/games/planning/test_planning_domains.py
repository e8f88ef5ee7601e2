"""The domains that are built in: every problem has a plan, and the same problem is made again."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from numba import njit
from planning_generators import MEDIANS, digest, measures, recorded
from planning_samples import domain_of

from stratagym.envs import core, spec
from stratagym.envs.planning import task as engine
from stratagym.envs.planning.checking import check_plan, move_text
from stratagym.envs.planning.domains import NAMES, SIZES, STRICT, make_instance
from stratagym.envs.planning.domains.making import Draws
from stratagym.envs.planning.grounding import ground
from stratagym.envs.planning.pddl import problem_text, read_domain, read_problem

GAME = spec("planning")
LARGEST = {"Multi_Agent_coordination": 6}
"""The largest size tried, where it is not 9, of which grounding takes ten seconds."""


def checked(domain, size, instance, variant="published"):
    """The problem of an instance, grounded, after its plan has been tried by our own reader."""
    made = make_instance(domain, size, instance, variant)
    lifted = read_domain(made.domain_text, domain)
    text = problem_text(made.problem)
    problem = read_problem(text, lifted, made.problem.name, strict=True)
    assert problem == made.problem, "what is written reads back as something else"
    grounded = ground(lifted, problem)
    found = check_plan(grounded, list(map(move_text, made.plan)))
    assert found.verdict == "valid", (domain, size, instance, found)
    bits, values, *_ = engine.scratch_of(grounded.task)
    engine.start_state(grounded.task, bits, values)
    assert not engine.goal_holds(grounded.task, bits, values), "solved at the start"
    return grounded, text


@pytest.mark.parametrize("domain", NAMES)
def test_every_domain_makes_problems_with_plans(domain, seed):
    for size in (1, 3, "spin"):
        checked(domain, size, seed % 2**31)


@pytest.mark.slow
@pytest.mark.parametrize("domain", NAMES)
def test_other_sizes_make_problems_with_plans(domain, seed):
    """The largest, another that is drawn, and several small ones, which differ."""
    largest = LARGEST.get(domain, max(SIZES[:-1]))
    for size in (int(3 + seed % (largest - 3)), largest):
        checked(domain, size, seed % 2**31)
    texts = {checked(domain, 2, (seed + k) % 2**31)[1] for k in range(5)}
    # A drone has nothing but the size of its box.
    assert len(texts) > 1 or domain == "drone"


@pytest.mark.parametrize("domain", STRICT)
def test_strict_variants_have_plans_too(domain, seed):
    published, _ = checked(domain, 2, seed % 2**31)
    strict, _ = checked(domain, 2, seed % 2**31, "strict")
    assert strict.domain != published.domain


def test_a_trader_has_cash_to_spare():
    """Here a purchase takes the last tenth that is left, and tenths do not add up in float64."""
    checked("markettrader", 2, 846050775)


def test_a_strict_ball_takes_two_robots():
    """As published one robot lifts and drops a ball alone that needs two."""
    domain = "Multi_Agent_coordination"
    alone = ["(prepare robot1)", "(pick-collaborative robot1 robot1 {0} {1})"]
    for variant, verdict in (("published", "goal"), ("strict", "precondition")):
        made = make_instance(domain, 1, 0, variant)
        ball = next(atom[1] for atom in made.problem.atoms if atom[0] == "needs-collaboration")
        room = next(atom[2] for atom in made.problem.atoms if atom[:2] == ("at-robby", "robot1"))
        grounded = ground(read_domain(made.domain_text, domain), made.problem)
        found = check_plan(grounded, [line.format(ball, room) for line in alone])
        assert found.verdict == verdict


def test_the_same_problem_is_made_again_everywhere():
    """Problems and plans of all domains and sizes are those that were recorded."""
    changed = [domain for domain in NAMES if digest(domain) != recorded()[domain]]
    how = "PYTHONPATH=tests python tests/planning_generators.py digests"
    assert not changed, f"other problems than recorded; if that is wanted: {how}"


def test_no_problem_comes_twice():
    """In size 5. A drone has nothing but the size of its box, and a floor has few tiles."""
    for domain in set(NAMES) - {"drone", "floortile"}:
        made = (make_instance(domain, 5, instance, "published").problem for instance in range(60))
        assert len({problem_text(replace(one, name="x")) for one in made}) == 60, domain


@pytest.mark.parametrize(
    ("domain", "problems"),
    [("Multi_Agent_coordination", 1), ("depots", 1), ("markettrader", 1), ("satellite", 9)],
)
def test_size_5_is_the_published_median(domain, problems, seed):
    """Objects, atoms and actions within 20%, where they are products of parameters.

    These follow from the size, but for satellite, whose six instruments have 1 to 3 modes each: one
    problem in 100 has so many that its actions leave the bounds, and five of nine come once in 80
    million. The roads of a trader are 8 to 12 of 149 actions.
    """
    found = measures(domain, [(seed + k) % 2**31 for k in range(problems)])
    for here, there in zip(found, MEDIANS[domain], strict=True):
        assert abs(here / there - 1) <= 0.2, (domain, found)


def test_strict_is_for_three_domains():
    for domain in set(NAMES) - set(STRICT):
        with pytest.raises(ValueError, match=f"variant=strict is for .*, not for {domain}"):
            GAME.make_rules(domain=domain, variant="strict")


def test_measures_are_linear_with_halves_up():
    sizes = [Draws("x", size, 0).measure(2, 9, 20) for size in range(1, 10)]
    assert sizes == [2, 4, 6, 7, 9, 12, 15, 17, 20]
    drawn = {Draws("x", "spin", k).measure(2, 9, 20) for k in range(2000)}
    assert drawn == set(range(2, 21))


def test_towers_are_uniform(seed):
    """All 13 states of three blocks come equally often: chi-square below 60 misses 1e-7."""
    towers = import_module("stratagym.envs.planning.domains.blocksworld").towers
    counts: dict[object, int] = {}
    for k in range(3900):
        found = towers(Draws("x", 1, (seed + k) % 2**31), ["a", "b", "c"])
        key = frozenset(map(tuple, found))
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 13
    assert sum((n - 300) ** 2 / 300 for n in counts.values()) < 60


@njit
def walks(rules, states, task, scratch, legal, own, count, seed):
    """Random games from the record and from bare rows: (steps, those at which the two differ)."""
    s, (bits, values, fired, fresh) = states[0], scratch
    steps, differ, drawn = 0, 0, np.uint64(seed)
    for _ in range(count):
        core.reset(rules, s, drawn)
        engine.start_state(task, bits, values)
        while True:
            for k in range(bits.shape[0]):
                differ += s.bits[k] != bits[k]
            for k in range(task.values):
                known = not (np.isnan(s.values[k]) and np.isnan(values[k]))
                differ += known and s.values[k] != values[k]
            n, m = core.legal_actions(rules, s, legal), engine.applicable(task, bits, values, own)
            solved = engine.goal_holds(task, bits, values)
            player = core.current_player(rules, s)
            differ += n != m or (player == core.TERMINAL) != (solved or m == 0)
            if player < 0:
                break
            for k in range(m):
                differ += legal[k] != own[k]
                differ += not engine.is_applicable(task, own[k], bits, values)
            drawn = drawn * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            action = own[np.int64((drawn >> np.uint64(33)) % np.uint64(m))]
            core.step(rules, s, action)
            engine.apply(task, action, bits, values, fired, fresh)
            steps += 1
    return steps, differ


@pytest.mark.parametrize("domain", NAMES)
def test_random_play_of_the_environment_is_the_engines(domain, seed):
    """The record and the bare rows, step by step, on 1,000 walks."""
    rules = GAME.make_rules(domain=domain, size=1, instance=seed % 1000, max_steps=40)
    task = engine.Task(*(getattr(rules, name) for name in engine.Task._fields))
    legal, own = core.new_scratch(rules)[0], np.zeros(task.actions, np.int64)
    given = rules, core.new_states(rules), task, engine.scratch_of(task), legal, own
    steps, differ = walks(*given, 1000, seed)
    assert steps >= 1000 and differ == 0


def test_domains_are_read_as_they_are_written():
    for name in NAMES:
        assert domain_of(name).schemas
    assert {name for name in NAMES if domain_of(name).functions} >= {"counters", "drone", "sugar"}
