"""The reader of PDDL: what it reads, and that it refuses the rest in one line."""

from __future__ import annotations

import numpy as np
import pytest

from stratagym.envs import spec
from stratagym.envs.planning import lifted as lifted_formulas
from stratagym.envs.planning import task as engine
from stratagym.envs.planning.grounding import ground
from stratagym.envs.planning.pddl import PddlError, problem_text, read_domain, read_problem

GAME = spec("planning")
DOMAIN = """
; a lamp
(define (DOMAIN lamp)
  (:types room - place lamp big-lamp - thing thing)
  (:constants hall - room)
  (:predicates (in ?x - (either lamp big-lamp) ?r - place) (on ?x) (broken ?x - thing))
  (:functions (power ?x - thing) (total-cost) (limit))
  (:action switch :parameters (?x - lamp ?r - room)
    :precondition (and (in ?x ?r) (not (broken ?x)) (>= (limit) (+ (power ?x) 1)))
    :effect (and (when (on ?x) (not (on ?x))) (when (not (on ?x)) (on ?x))
                 (decrease (limit) (power ?x)) (increase (total-cost) 2)))
  (:action smash :parameters (?x - thing)
    :precondition (or (on ?x) (exists (?y - lamp) (and (not (= ?x ?y)) (broken ?y))))
    :effect (and (broken ?x) (forall (?r - room) (not (in ?x ?r))))))
"""
PROBLEM = """
(define (problem two) (:domain lamp)
  (:objects a b - lamp attic - room)
  (:init (IN a hall) (in b attic) (not (on a)) (= (power a) 1) (= (power b) 2.5) (= (limit) 6))
  (:goal (and (on a) (forall (?x - lamp) (imply (in ?x attic) (not (on ?x))))))
  (:metric minimize (total-cost)))
and words after it
"""


def read(domain=DOMAIN, problem=PROBLEM):
    lifted = read_domain(domain, "lamp.pddl")
    return ground(lifted, read_problem(problem, lifted, "two.pddl"))


def test_a_domain_with_most_of_what_is_read():
    grounded = read()
    domain = grounded.domain
    assert domain.name == "lamp" and domain.types_of(["room"]) == {"room", "place", "object"}
    names = set(grounded.actions)
    assert {("switch", "a", "hall"), ("switch", "b", "attic"), ("smash", "a")} <= names
    assert ("switch", "a", "attic") not in names
    bits, values, fired, fresh = engine.scratch_of(grounded.task)
    engine.start_state(grounded.task, bits, values)
    numbers = {place[0] + "".join(place[1:]): k for k, place in enumerate(grounded.values)}
    assert values[numbers["total-cost"]] == 0 and values[numbers["limit"]] == 6
    switch = grounded.action_of["switch", "a", "hall"]
    assert engine.is_applicable(grounded.task, switch, bits, values)
    on = grounded.atom_of["on", "a"]
    for k in range(4):
        engine.apply(grounded.task, switch, bits, values, fired, fresh)
        assert engine.is_true(bits, on) == (k % 2 == 0), "both effects read the state before"
        assert engine.goal_holds(grounded.task, bits, values) == (k % 2 == 0)
    assert values[numbers["limit"]] == 2 and values[numbers["total-cost"]] == 8
    assert engine.is_applicable(grounded.task, switch, bits, values)
    engine.apply(grounded.task, switch, bits, values, fired, fresh)
    assert not engine.is_applicable(grounded.task, switch, bits, values), "1 is no more than 1 + 1"
    assert engine.metric_of(grounded.task, values) == 10


def test_problems_read_back_as_they_are_written():
    lifted = read_domain(DOMAIN)
    problem = read_problem(PROBLEM, lifted)
    assert read_problem(problem_text(problem), lifted) == problem


def test_numbers_that_were_never_given_satisfy_nothing():
    grounded = read(problem=PROBLEM.replace("(= (limit) 6)", ""))
    bits, values, *_ = engine.scratch_of(grounded.task)
    engine.start_state(grounded.task, bits, values)
    assert np.isnan(values).any()
    assert not any(
        engine.is_applicable(grounded.task, k, bits, values)
        for k, action in enumerate(grounded.actions)
        if action[0] == "switch"
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(:action switch", "(:durative-action switch", "line 8: :durative-action is not read"),
        ("(:types", "(:requirements :preferences) (:types", "requirement :preferences is not met"),
        ("- (either lamp big-lamp)", "- lantern", "the type lantern is not declared"),
        ("(on ?x) (broken", "(on ?x) (on ?x) (broken", "on is declared twice"),
        ("(not (broken ?x))", "(not (smashed ?x))", "the predicate smashed is not declared"),
        ("(not (broken ?x))", "(not (broken ?x ?r))", "broken has 1 arguments, not 2"),
        ("(not (broken ?x))", "(not (broken ?z))", r"\?z is no object and no bound variable"),
        ("(+ (power ?x) 1)", "(power)", "power has 1 arguments, not 0"),
        ("(increase (total-cost) 2)", "(scale-up (total-cost) 2)", "is not read"),
        ("(decrease (limit) (power ?x))", "(assign (total-cost) 3)", "assigns .total-cost. and"),
        ("(decrease (limit) (power ?x))", "(decrease (limit) (* (limit) (limit)))", "no sum"),
        ("(:action smash", "(:action switch", "the action switch is declared twice"),
        ("(:action smash :parameters (?x - thing)", "(:action smash :parameters (?x ?x)", "of one"),
        ("(DOMAIN lamp)", "(problem lamp)", r"\(domain NAME\) is needed"),
        ("(define", "x (define", "line 3: x stands before"),
        ("(broken ?x) (forall", "(broken ?x (forall", "arguments|never closed|is no"),
    ],
)  # fmt: skip
def test_a_wrong_domain_is_refused_in_one_line(old, new, words):
    assert old in DOMAIN
    with pytest.raises(PddlError, match=words) as raised:
        read(domain=DOMAIN.replace(old, new))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(IN a hall)", "(in a cellar)", "two.pddl, line 4: cellar is no object"),
        ("(IN a hall)", "(at 5 (in a hall))", "timed initial literals"),
        ("a b - lamp", "a b - torch", "the type torch is not declared"),
        ("(= (limit) 6)", "(= (limit) 1e999)", "too large"),
        ("(= (limit) 6)", "(= (limit) many)", "many is no number"),
        ("(:metric minimize", "(:metric best", "metric minimize"),
        ("(:goal", "(:goals", ":goals is not read"),
        ("(:init", "(:goal (on a)) (:init", "second time"),
    ],
)
def test_a_wrong_problem_is_refused_in_one_line(old, new, words):
    assert old in PROBLEM
    with pytest.raises(PddlError, match=words) as raised:
        read(problem=PROBLEM.replace(old, new))
    assert "\n" not in str(raised.value)


def test_names_that_a_domain_lacks_are_passed_over_and_told():
    lifted = read_domain(DOMAIN)
    text = PROBLEM.replace("(:init", "(:init (= (fuel) 3) (sunny)")
    assert read_problem(text, lifted).ignored == ("fuel", "sunny")
    with pytest.raises(PddlError, match="fuel is not declared"):
        read_problem(text, lifted, strict=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(" * 65, "over 64 lists within each other"),
        ("(define " + "a " * 200_001, "over 200,000 words"),
        ("x" * 2_000_001, "over 2,000,000 characters"),
        ("(define", "never closed"),
        ("", "no .define .... in it"),
        (")", "stands before"),
        ("\u0000\ud800", "stands before"),
    ],
)
def test_hostile_files_are_refused(text, words):
    for reader in (read_domain, lambda one: read_problem(one, read_domain(DOMAIN))):
        with pytest.raises(PddlError, match=words):
            reader(text)


def test_types_above_themselves_are_no_circle():
    text = DOMAIN.replace("thing thing)", "thing thing - lamp)")
    assert "object" in read_domain(text).types_of(["lamp"])


def test_grounding_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(lifted_formulas, "MOST_STEPS", 20_000)
    wide = " ".join(f"?x{k}" for k in range(12))
    domain = f"(define (domain w) (:predicates (p)) (:action a :parameters ({wide}) :effect (p)))"
    objects = " ".join(f"o{k}" for k in range(200))
    problem = f"(define (problem w) (:objects {objects}) (:init) (:goal (p)))"
    lifted = read_domain(domain)
    with pytest.raises(PddlError, match="w: over 20,000 bindings, as of a"):
        ground(lifted, read_problem(problem, lifted))


def test_files_are_played_and_known_by_what_is_in_them(tmp_path):
    domain, problem = tmp_path / "lamp.pddl", tmp_path / "two.pddl"
    domain.write_text(DOMAIN)
    problem.write_text(PROBLEM)
    rules = GAME.make_rules(task=problem, domain_file=domain)
    assert rules.max_steps == 500 and rules.actions >= 4
    assert GAME.make_rules(task=problem, domain_file=domain) == rules
    named = GAME.options_in_force(task=problem, domain_file=domain)
    problem.write_text(PROBLEM.replace("(= (limit) 6)", "(= (limit) 7)"))
    with pytest.raises(ValueError, match="another file is there now"):
        GAME.make_rules(**named)
    assert GAME.make_rules(task=problem, domain_file=domain) != rules
    with pytest.raises(ValueError, match="give both"):
        GAME.make_rules(task=problem)
    problem.write_text(PROBLEM.replace("(:goal (and (on a)", "(:goal (and (in a hall)"))
    with pytest.raises(ValueError, match="the goal of two holds at the start"):
        GAME.make_rules(task=problem, domain_file=domain)
    problem.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="no text in UTF-8"):
        GAME.make_rules(task=problem, domain_file=domain)
