"""Planning as a game: ends, rewards, observations, replies and their verdicts, one compilation."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from scripts import TESTS

from stratagym.envs import core, make, spec
from stratagym.envs.planning.checking import VERDICTS, check_plan, plan_lines
from stratagym.envs.planning.domains import make_instance
from stratagym.envs.planning.problems import grounded_of
from stratagym.envs.text import TextOptions, judge, messages

GAME = spec("planning")


@pytest.fixture(scope="module")
def blocks():
    """(rules, the position at the start, a plan as text)."""
    rules = GAME.make_rules(size=1)
    plan = make_instance("blocksworld", 1, 0, "published").plan
    return rules, started(rules), [f"({' '.join(action)})" for action in plan]


def started(rules):
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(0), core.new_scratch(rules)[1])
    return states


def reply(plan):
    return json.dumps({"plan": plan})


def verdict(outcome):
    return VERDICTS[outcome.facts["verdict"]]


# --- ends and rewards ----------------------------------------------------------------------------


def test_a_plan_played_step_by_step_reaches_the_goal(blocks):
    rules, states, _ = blocks
    grounded, scratch = grounded_of(rules), core.new_scratch(rules)
    states = states.copy()
    for k, action in enumerate(make_instance("blocksworld", 1, 0, "published").plan):
        assert core.current_player_at(rules, states, 0) == 0 and states["steps"][0] == k
        core.play_at(rules, states, 0, grounded.action_of[action], *scratch)
    assert core.current_player_at(rules, states, 0) == core.TERMINAL
    out = np.zeros(1)
    core.returns_at(rules, states, 0, out)
    assert out == [1] and "goal reached" in GAME.module("view").board_text(rules, states[0])


def test_steps_are_limited_and_may_cost():
    env = make("planning", size=1, max_steps=3, reward="cost")
    env.reset(seed=1)
    rewards = []
    while env.agents:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            assert truncated and not terminated
            break
        env.step(int(observation["action_mask"].argmax()))
        rewards.append(env.rewards["player_0"])
    assert rewards == [-1, -1, -1]


def test_a_metric_is_what_costs():
    rules = GAME.make_rules(domain="elevator", size=1, reward="cost")
    made = make_instance("elevator", 1, 0, "published")
    grounded, states = grounded_of(rules), started(rules)
    scratch, out = core.new_scratch(rules), np.zeros(1)
    for action in made.plan:
        core.play_at(rules, states, 0, grounded.action_of[action], *scratch)
    core.returns_at(rules, states, 0, out)
    moves = [action for action in made.plan if action[0].startswith("move")]
    costs = made.problem.values
    total = sum(
        costs[("travel-slow", *sorted((low, high), key=lambda one: int(one[1:])))]
        for _, _, low, high in moves
    )
    assert out[0] == -total < 0


def test_observations_tell_atoms_wants_numbers_and_parts():
    rules = GAME.make_rules(domain="drone", size=1)
    states, out = started(rules), np.full(rules.observation_shape, 77, np.float32)
    core.observe_at(rules, states, 0, 0, out)
    atoms, goals = rules.atoms, rules.goals
    assert len(out) == 2 * atoms + rules.values + goals and goals == atoms + 3
    assert not out[:atoms].any() and out[atoms : 2 * atoms].all()
    grounded = grounded_of(rules)
    battery = grounded.value_of[("battery-level",)]
    assert out[2 * atoms + battery] == 1, "divided by what it starts with"
    assert out[2 * atoms + rules.values :].tolist() == [0] * atoms + [1] * 3


# --- replies -------------------------------------------------------------------------------------


def test_a_valid_plan_is_played_in_any_of_its_forms(blocks):
    rules, states, plan = blocks
    bare = [line.strip("()") for line in plan]
    calls = [f"{name}({', '.join(args)})" for name, *args in map(str.split, bare)]
    timed = [f"{k}: {line.upper()} [1.0] ; a comment" for k, line in enumerate(plan)]
    forms = [
        plan, bare, calls, "\n".join(plan), " ".join(plan), "\n".join(timed), "\n".join(bare),
    ]  # fmt: skip
    for form in forms:
        text = f"Let me see {{}}. $$\n```json\n{reply(form)}\n```\n$$"
        outcome = judge(GAME, rules, states, text)
        assert outcome.kind == "ok" and verdict(outcome) == "valid", (form, outcome)
        assert len(outcome.actions) == len(plan) == outcome.facts["length"]
    raw = '{"plan": "' + "\n".join(plan) + '"}'
    assert verdict(judge(GAME, rules, states, raw)) == "valid", "raw newlines in a string"
    twice = reply(["(putdown b1)"]) + " or rather " + reply(plan)
    assert verdict(judge(GAME, rules, states, twice)) == "valid", "the last plan counts"


def test_each_verdict(blocks):
    rules, states, plan = blocks
    first, *rest = plan
    cases = {
        "goal": plan[:2],
        "precondition": [first, first, *rest],
        "unknown_object": [*plan, "(pickup nobody)"],
        "arity": [*plan, "(pickup b1 b2)"],
        "unknown_action": ["(teleport b1)", *plan],
        "malformed": [first, "((", *rest],
    }
    for word, moves in cases.items():
        outcome = judge(GAME, rules, states, reply(moves))
        assert verdict(outcome) == word, (word, outcome)
        assert outcome.kind == ("ok" if word == "goal" else "illegal")
        if word != "goal":
            assert not outcome.actions and outcome.reason == word
            assert [reason for _, reason in outcome.rejected] == [word]
    typed = GAME.make_rules(domain="satellite", size=1)
    moves = ["(turn_to star0 star1 star0)"]
    assert verdict(judge(GAME, typed, started(typed), reply(moves))) == "type"
    for text, reason in (
        ("no plan", "no_json"),
        ('{"plan": 5}', "no_plan"),
        (reply(["(putdown b1)"] * 2001), "too_many"),
        (reply(["(putdown b1)"] * 2001) + "x" * 100_000, "too_long"),
        ('{"plan": [], "plan": []}', "duplicate_key"),
    ):
        outcome = judge(GAME, rules, states, text)
        assert (outcome.kind, outcome.reason) == ("unparseable", reason)


def test_steps_at_fault_and_progress(blocks):
    rules, _, plan = blocks
    grounded = grounded_of(rules)
    found = check_plan(grounded, plan)
    assert (found.verdict, found.step, found.met) == ("valid", len(plan), found.parts)
    assert found.metric == len(plan)
    found = check_plan(grounded, [*plan[:3], plan[2], "(fly b1)"])
    assert (found.verdict, found.step) == ("unknown_action", 4)
    found = check_plan(grounded, [*plan[:3], plan[2]])
    assert (found.verdict, found.step, found.move) == ("precondition", 3, plan[2])
    assert found.failed and all(one.startswith("(") for one in found.failed)
    found = check_plan(grounded, plan[:-1])
    assert found.verdict == "goal" and found.met == found.parts - 1 and len(found.failed) == 1


def test_what_stands_behind_the_goal_is_not_played(blocks):
    rules, states, plan = blocks
    more = [*plan, "(pickup b1)", "(pickup b1)"]
    outcome = judge(GAME, rules, states, reply(more))
    assert outcome.kind == "ok" and len(outcome.actions) == len(plan)
    assert verdict(outcome) in ("precondition", "goal"), "the whole plan is what is judged"


def test_lines_that_are_no_actions_stay_as_they_are():
    assert plan_lines("(a b)\n; nothing\n\n2.5: (c)\nd(e, f)") == ["(a b)", "(c)", "(d e f)"]
    assert plan_lines("(a (b))") == ["(a (b))"] and plan_lines("()") == ["()"]
    assert plan_lines("a: b c!") and plan_lines("(A B) (C)") == ["(a b)", "(c)"]


def test_prompts_hold_the_state_now(blocks):
    rules, states, _ = blocks
    states, scratch = states.copy(), core.new_scratch(rules)
    n = core.legal_actions_at(rules, states, 0, scratch[0])
    assert n
    core.play_at(rules, states, 0, int(scratch[0][0]), *scratch)
    for form in ("pddl", "words"):
        told = messages(GAME, rules, states, TextOptions(position=form))
        text = "\n".join(message["content"] for message in told)
        assert "holding" in text and "Steps taken so far: 1" in text and '{"plan"' in text
    assert "(:init" in "\n".join(m["content"] for m in messages(GAME, rules, states))


def test_words_are_made_in_a_process_that_has_the_rules_alone(blocks):
    rules, _, _ = blocks
    code = (
        "import pickle, sys; rules = pickle.loads(bytes.fromhex(sys.argv[1])); "
        "from stratagym.envs import spec; view = spec('planning').module('view'); "
        "print(view.action_to_string(rules, None, rules.actions - 1))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, pickle.dumps(rules).hex()],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    expected = GAME.module("view").action_to_string(rules, None, rules.actions - 1)
    assert done.stdout.strip() == expected


NOTE_COMPILED = """
import os
from numba.core import event

class Note(event.Listener):
    def on_start(self, event):
        compiled = event.data["dispatcher"]
        what, for_whom = compiled.py_func, getattr(compiled._cache, "is_for_kernels", "numba's own")
        line = f"{for_whom} {what.__module__}.{what.__qualname__} {event.data['args']}"
        with open(os.environ["COMPILED"], "a") as file:
            file.write(line.replace("\\n", " ") + "\\n")
    def on_end(self, event):
        pass

event.register("numba:compile", Note())
"""
"""What Python runs at the start of every process, workers too: each notes what numba compiles."""
USE = """
import pickle, sys
from pathlib import Path
import gymnasium
import stratagym
from stratagym import envs
from stratagym.agents.core import decision_for, make_policy
from stratagym.envs.text import TextGame

def use():
    for options in PROBLEMS:
        env = envs.make("planning", **options)
        env.reset(seed=1)
        env.step(int(env.last()[0]["action_mask"].argmax()))
        batch = envs.make_batch("planning", 3, **options)
        batch.step(batch.action_masks.argmax(1))
        state = pickle.loads(pickle.dumps(envs.make_state("planning", **options)))
        state.apply_action(state.legal_actions()[0]), state.returns(), state.observation_tensor()
        policy = make_policy(state.spec, "mcts:20")
        policy.act(decision_for(state.spec, state.rules, state.states, 1))
        gymnasium.make("stratagym/Planning-v1", **options).reset(seed=1)
        game = TextGame("planning", **options)
        game.reset(seed=1), game.observe()

def play():
    from stratagym.benchmarks.harness.matches import Match
    from stratagym.benchmarks.harness.workers import play_all
    from tiny_games.players import PROTOCOL

    matches = [
        Match("test", f"{k} {policy}", "planning", options, k, (policy,), PROTOCOL)
        for k, options in enumerate(PROBLEMS)
        for policy in ("random", "planner:1")
    ]
    assert len(play_all(matches, Path(sys.argv[1]), workers=2)) == len(matches)

PROBLEMS = (
    {"domain": "blocksworld", "size": 1}, {"domain": "briefcaseworld", "size": 2},
    {"domain": "drone", "size": 2},
)
if __name__ == "__main__":
    use()
    play()
"""
LESS = (
    USE.partition("def use")[0]
    + """
for options in (
    {"domain": "blocksworld", "size": 1}, {"domain": "assembly", "size": 2},
    {"domain": "drone", "size": 2},
):
    state = envs.make_state("planning", **options)
    state.apply_action(state.legal_actions()[0]), state.returns(), state.observation_tensor()
    env = envs.make("planning", **options)
    env.reset(seed=1)
    env.step(int(env.last()[0]["action_mask"].argmax()))
"""
)


@pytest.fixture
def compiled(tmp_path):
    """``compiled(code, name, **environment)``: what numba compiled in all processes of a run."""
    (tmp_path / "sitecustomize.py").write_text(NOTE_COMPILED)

    def run(code, name, **environment):
        script, log, played = (tmp_path / f"{name}{end}" for end in (".py", ".txt", ""))
        script.write_text(code)
        log.touch()
        played.mkdir()
        done = subprocess.run(
            [sys.executable, str(script), str(played)],
            capture_output=True, text=True, timeout=600, check=False, cwd=tmp_path,
            env={
                **os.environ, "COMPILED": str(log), **environment,
                "PYTHONPATH": os.pathsep.join([str(tmp_path), str(TESTS)]),
            },
        )  # fmt: skip
        assert done.returncode == 0 and "for this process only" not in done.stderr, done.stderr
        return log.read_text().splitlines()

    return run


def test_another_problem_compiles_nothing_nor_does_a_second_process(compiled):
    """Three domains of different sizes, however they are played, with two workers."""
    compiled(USE, "first")
    assert compiled(USE, "second") == []


@pytest.mark.slow
def test_without_a_cache_each_function_is_compiled_once(compiled, tmp_path):
    """For other kernels, and for Python; numba's own once for each of these sets of options."""
    first = Counter(compiled(LESS, "cold", NUMBA_CACHE_DIR=str(tmp_path / "cache")))
    assert first
    for line, times in first.items():
        assert times <= (2 if line.startswith("numba's own") else 1), line
