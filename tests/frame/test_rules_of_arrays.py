"""Games whose rules hold arrays, tried on generalized geography; and options that name a file."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
import scripts
from scripts import COUNT_COMPILED, TESTS, assert_refused, lines
from tiny_games import geography
from tiny_games.geography.graphs import GRAPHS
from tiny_games.geography.rules import Rules

from stratagym import envs
from stratagym.agents.core import decision_for, make_policy
from stratagym.benchmarks.harness.decisions import Question, ask_kernel
from stratagym.envs import core
from stratagym.envs.data_files import data_file, read_data_file
from stratagym.testing import RandomGame

GAME = geography.SPEC
envs.register(GAME)
PETERSEN, CUBE = (GAME.make_rules(graph=name) for name in ("petersen", "cube"))


@pytest.fixture
def graph(tmp_path, rng) -> Path:
    """A file with a random graph of 8 nodes, as many as the cube has."""
    path = tmp_path / "graph.json"
    nodes = [sorted(rng.choice(8, 3, replace=False).tolist()) for _ in range(8)]
    path.write_text(json.dumps([[k for k in to if k != n] for n, to in enumerate(nodes)]))
    return path


def arrays(rules: Rules) -> list[np.ndarray]:
    return [rules.first, rules.to]


# --- rules are values ----------------------------------------------------------------------------


def test_rules_of_arrays_are_values():
    again = GAME.make_rules(graph="cube")
    assert again is not CUBE and again.to is not CUBE.to
    assert again == CUBE and hash(again) == hash(CUBE)
    assert again != PETERSEN and CUBE not in {PETERSEN} and CUBE in {again}
    assert tuple(CUBE) != CUBE and CUBE._replace(num_players=3) != CUBE
    flipped = CUBE._replace(to=CUBE.to[::-1])
    assert flipped != CUBE and flipped._replace(to=CUBE.to) == CUBE
    assert GAME.options_of(again) == {"graph": "cube"} and GAME.options_of(PETERSEN) == {}
    assert set(GAME.options_of(flipped)) == {"nodes", "num_players"}


def _as_list(value: int | np.ndarray) -> int | list[int]:
    return value.tolist() if isinstance(value, np.ndarray) else value


def read_only(rules: Rules) -> Rules:
    """Through a pickle whose buffers lie apart and may not be written to, as in Ray's store."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(rules, protocol=5, buffer_callback=buffers.append)
    assert len(buffers) == 2
    return pickle.loads(data, buffers=[bytes(buffer) for buffer in buffers])


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(lambda rules: pickle.loads(pickle.dumps(rules)), id="pickled"),
        pytest.param(read_only, id="read-only"),
        pytest.param(lambda rules: rules._replace(to=rules.to.astype(np.int64)), id="dtype"),
        pytest.param(lambda rules: rules._replace(to=rules.to.astype(">i2")), id="byte order"),
        pytest.param(lambda rules: rules._replace(to=np.repeat(rules.to, 2)[::2]), id="strided"),
        pytest.param(lambda rules: Rules(*map(_as_list, rules)), id="lists"),
    ],
)
def test_arrays_are_of_one_kind_to_numba(given):
    rules = given(CUBE)
    assert rules == CUBE and numba.typeof(rules) == numba.typeof(CUBE)
    for array in arrays(rules):
        assert array.flags.carray and array.flags.owndata and array.dtype == np.int16


def test_a_field_that_is_an_array_is_declared(monkeypatch):
    with pytest.raises(TypeError, match="Rules has no field 'way'"):
        core.sizes(actions=1, observation=(1,), decisions=1, arrays={"way": np.int8})(
            NamedTuple("Rules", [("ways", np.ndarray)])
        )

    class Undeclared(NamedTuple):
        ways: np.ndarray

    monkeypatch.setattr(GAME.module("rules"), "make_rules", lambda graph: Undeclared(np.zeros(3)))
    with pytest.raises(TypeError, match=r"'ways' .* sizes\(arrays=\{'ways': np.float64\}\)"):
        GAME.make_rules()


def test_a_class_may_say_itself_what_its_rules_are_told_apart_by():
    @core.sizes(actions=1, observation=(1,), decisions=1, arrays={"ways": np.int8})
    class Numbered(NamedTuple):
        ways: np.ndarray
        number: int

        @property
        def key(self) -> int:
            return self.number

    assert Numbered([1], 5) == Numbered([2], 5) != Numbered([1], 6)
    assert core.rules_key(Numbered([1], 5)) == (Numbered, 5)


# --- everybody plays by them ---------------------------------------------------------------------


def test_graphs_of_one_size_are_not_mixed_up(graph, seed):
    """Policies and states keep things by the rules: they take none of another graph's."""
    rng, policies = np.random.default_rng(seed), ["random", "gt:3", "mcts:20", "alphabeta:50"]
    players = [make_policy(GAME, name) for name in policies]
    other = GAME.make_rules(graph=graph)
    assert other != CUBE and other.num_actions == CUBE.num_actions
    for k in range(20):
        for rules in (CUBE, other, PETERSEN):
            successors = [
                rules.to[rules.first[n] : rules.first[n + 1]].tolist() for n in range(rules.nodes)
            ]
            played = RandomGame(rules, seed ^ k)
            assert set(played.actions[:1]) <= set(successors[0])
            assert all(b in successors[a] for a, b in pairwise(played.actions))
            at = int(rng.integers(len(played.states)))
            for player in players:
                decision = decision_for(GAME, rules, played.states[at], seed)
                assert player.act(decision) in played.choices[at]
            state = decision.state()
            assert state.legal_actions() == played.choices[at].tolist()
            assert state.rules == rules


def test_questions_of_one_policy_are_parted_by_their_rules(graph, seed):
    other, questions = GAME.make_rules(graph=graph), []
    for k, rules in enumerate([CUBE, other, GAME.make_rules(graph="cube"), other]):
        states = RandomGame(rules, seed).states[0]
        questions.append(Question("test", str(k), GAME, rules, states, seed, 0))
    records = ask_kernel(make_policy(GAME, "random"), questions)
    for question, record in zip(questions, records, strict=True):
        assert record["legal"] == RandomGame(question.rules, seed).choices[0].tolist()
        assert record["action"] in record["legal"]


USE = (
    COUNT_COMPILED
    + """
import json, pickle, sys
import numpy as np
from tiny_games import geography
from stratagym import envs
from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.kernel_policies import play_many
from stratagym.wrappers.vector import VectorEnv
envs.register(geography.SPEC)
counts = []
for graph in sys.argv[1:]:
    for again in (False, True):
        state = envs.make_state("geography", graph=graph)
        if again:
            state = pickle.loads(pickle.dumps(state))
        env = pickle.loads(pickle.dumps(envs.make("geography", graph=graph)))
        env.reset(seed=1)
        batch = pickle.loads(pickle.dumps(envs.make_batch("geography", 3, graph=graph)))
        learner = VectorEnv("geography", 2, graph=graph)
        learner.reset(seed=1)
        for name in ("random", "gt:3", "mcts:20", "alphabeta:50"):
            policy = make_policy(state.spec, name)
            action = policy.act(decision_for(state.spec, state.rules, state.states, 1))
        env.step(action), env.observe("player_1")
        batch.step(np.full(3, action)), batch.observe()
        state.apply_action(action), state.returns(), state.observation_tensor()
        state.clone().resample_from_infostate(0, 1).legal_actions()
        policies = [make_policy(state.spec, name) for name in ("random", "gt:2")]
        play_many(state.rules, policies, np.arange(4).astype("u8"), np.array([[0, 1]] * 4))
        counts.append(count.number)
print(json.dumps(counts))
"""
)


def test_another_graph_compiles_nothing(graph):
    """Of another size; nor does anything in a second process."""
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", USE, "petersen", "cube", str(graph)],
            capture_output=True, text=True, timeout=600, check=False,
            env={**os.environ, "PYTHONPATH": str(TESTS)},
        )  # fmt: skip
        assert done.returncode == 0 and "for this process only" not in done.stderr, done.stderr
        made, unpickled, *others = json.loads(done.stdout)
        assert others == [unpickled] * 4
    assert made == unpickled == 0


# --- options that name a file --------------------------------------------------------------------


def test_a_file_is_known_by_what_is_in_it(graph):
    named = data_file(graph)
    name, _, digest = named.partition("@sha256:")
    assert name == str(graph) and len(digest) == 64 and data_file(named) == named
    assert read_data_file(named) == graph.read_bytes()
    assert GAME.options_in_force(graph=graph) == {"graph": named}
    assert GAME.make_rules(graph=named) == GAME.make_rules(graph=graph)
    graph.write_text(json.dumps(GRAPHS["cube"]))
    with pytest.raises(ValueError, match=r"geography: option graph=.* another file is there now"):
        GAME.make_rules(graph=named)
    assert GAME.make_rules(graph=graph) == CUBE
    for bad, why in ((graph.parent, "cannot be read"), ("no\0name", "cannot be read")):
        with pytest.raises(ValueError, match=why):
            GAME.make_rules(graph=bad)


def test_a_run_is_not_gone_on_with_by_another_file(graph, tmp_path):
    output = tmp_path / "run"
    arguments = (
        "--game", "geography", "--policies", "random,gt:2", "--games", 4, "--workers", 1,
        "--rules", f"graph={graph}", "--output", output,
    )  # fmt: skip
    assert scripts.run("tournament", *arguments).returncode == 0
    before = lines(output / "games.jsonl")
    assert [game["rules"] for game in before] == [{"graph": data_file(graph)}] * 4
    assert scripts.run("tournament", *arguments, "--resume").returncode == 0
    assert scripts.run("replay", output, "--match", before[0]["match"]).returncode == 0
    graph.write_text(json.dumps(GRAPHS["cube"]))
    assert_refused(
        scripts.run("tournament", *arguments, "--resume"),
        ["--resume: rules.graph:", str(graph), "is not the one that the run was begun with"],
    )
    assert_refused(
        scripts.run("replay", output, "--match", before[0]["match"]), ["another file is there now"]
    )
    assert lines(output / "games.jsonl") == before
