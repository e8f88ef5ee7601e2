"""What every registered game promises, tested alike for all of them."""

from __future__ import annotations

import copy
import importlib.util
import json
import pickle
import runpy
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test, state_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from stratagym.envs import core, games, make, make_batch, spec

GOLDEN = Path(__file__).parent / "golden"

pytestmark = pytest.mark.parametrize("game", games())


def quick_window(game: str, **options: Any) -> Any:
    """An environment whose window waits no human's time between two frames."""
    env = make(game, **options)
    env.metadata["render_fps"] = 10_000
    return env


class Recorded:
    """A random game from the kernel: every state in which a seat was to move, and the end."""

    def __init__(self, game: str, seed: int):
        self.spec = spec(game)
        self.rules = self.spec.make_rules()
        self.legal, self.probs = core.new_scratch(self.rules)
        self.states, self.players, self.choices, self.actions = [], [], [], []
        rng = np.random.default_rng(seed)
        state = core.new_states(self.rules)
        player = core.start_at(self.rules, state, 0, np.uint64(seed), self.probs)
        n = core.legal_actions_at(self.rules, state, 0, self.legal)
        while player >= 0:
            self.states.append(state.copy())
            self.players.append(int(player))
            self.choices.append(self.legal[:n].copy())
            self.actions.append(int(rng.choice(self.legal[:n])))
            player, n = core.play_at(self.rules, state, 0, self.actions[-1], self.legal, self.probs)
        self.end, self.ending = state, int(player)

    def returns(self, state: np.ndarray) -> np.ndarray:
        out = np.full(self.rules.num_players, np.nan)
        core.returns_at(self.rules, state, 0, out)
        return out

    def observation(self, state: np.ndarray, seat: int) -> np.ndarray:
        # Filled with what observe has to overwrite.
        out = np.full(self.rules.observation_shape, 77, self.rules.observation_dtype)
        core.observe_at(self.rules, state, 0, seat, out)
        return out


# --- PettingZoo's own tests ----------------------------------------------------------------------


# What api_test says of PettingZoo's own board games too, unless it exempts them by name: it wants
# no Dict, no empty board, and takes no notice of whether the agent it looks at is to move.
EXPECTED_WARNINGS = (
    "Observation is not a NumPy array",
    "Observation numpy array is all zeros",
    "Observation space for each agent probably should be gymnasium.spaces.box",
    "Action mask numpy array is all zeros",
)


def test_pettingzoo_api(game):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for options in ({}, {"max_cycles": 7}, {"illegal": "raise"}):
            api_test(make(game, **options), num_cycles=300)
    unexpected = {str(one.message) for one in caught} - {
        str(one.message) for one in caught if str(one.message).startswith(EXPECTED_WARNINGS)
    }
    assert not unexpected


def test_pickled_and_copied_environments_pass_too(game, seed):
    env = make(game)
    env.reset(seed=seed)
    for twin in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert np.array_equal(twin.states, env.states)
        assert twin.spec is env.spec
        twin.step(int(twin.last()[4]["action_mask"].argmax()))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told in test_pettingzoo_api
            api_test(twin, num_cycles=20)


def test_pettingzoo_seed(game):
    seed_test(partial(make, game), num_cycles=200)


def test_pettingzoo_render(game):
    for extra in ("pygame", f"stratagym.envs.{game}.render", f"stratagym.envs.{game}.view"):
        if importlib.util.find_spec(extra) is None:
            pytest.skip(f"{extra} is not there")
    render_test(partial(quick_window, game))


def test_pettingzoo_state(game):
    state_test(make(game), turn_based_aec_to_parallel(make(game)))


def test_max_cycles_truncates(game, rng):
    """``max_cycles`` counts decisions of all seats together, and truncates for all at once.

    PettingZoo's max_cycles_test cannot hold for seats that move in turn: with max_cycles=4 it
    wants 4 parallel steps (one decision each here) and also 4 turns of every agent, and it plays
    without the mask. PettingZoo runs it on its simultaneous games only (``if "classic/" not in
    name`` in its test/all_parameter_combs_test.py); its turn-based games take no such argument.
    """
    for max_cycles in (1, 4, 7):
        env = make(game, max_cycles=max_cycles)
        env.reset(seed=int(rng.integers(2**63)))
        decisions = 0
        while not (any(env.terminations.values()) or any(env.truncations.values())):
            env.step(env.action_space(env.agent_selection).sample(env.last()[4]["action_mask"]))
            decisions += 1
        assert decisions <= max_cycles
        if decisions == max_cycles and not any(env.terminations.values()):
            assert all(env.truncations.values())
        while env.agents:
            assert env.last()[3] or env.last()[2]
            env.step(None)


def test_registered_with_pettingzoo_and_gymnasium(game):
    title = "".join(part.capitalize() for part in game.split("_"))
    name = f"{title}-v{spec(game).version}"
    assert gymnasium.make(f"stratagym/{name}").get_wrapper_attr("game").name == game
    assert gymnasium.spec(f"stratagym/{name}").to_json()
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this PettingZoo has no registry")
    env = pettingzoo.make("aec", f"stratagym/{game}-v{spec(game).version}")
    assert env.unwrapped.spec.name == game


# --- the kernel ----------------------------------------------------------------------------------


def test_random_games_end_in_time(game, seed):
    facts = spec(game)
    rules = facts.make_rules()
    assert rules.max_game_length == facts.max_game_length
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    for k in range(200):
        one = core.derive_seed(np.uint64(seed), np.uint64(k))
        decisions, finished = core.random_games(rules, states, legal, probs, np.uint64(one), 1)
        assert (finished, decisions <= facts.max_game_length) == (1, True)
        assert core.current_player_at(rules, states, 0) in (core.TERMINAL, core.TRUNCATED)


def test_legal_actions(game, seed):
    """Not empty exactly while a seat is to move, ascending, and what the mask says."""
    for k in range(5):
        played = Recorded(game, seed + k)
        rules = played.rules
        mask, legal = np.zeros(rules.num_actions, np.int8), np.zeros(rules.num_actions, np.int64)
        for state, player, choice in zip(
            played.states, played.players, played.choices, strict=True
        ):
            assert core.current_player_at(rules, state, 0) == player
            assert 0 <= player < rules.num_players
            assert len(choice) > 0
            assert (np.diff(choice) > 0).all()
            assert 0 <= choice[0] <= choice[-1] < rules.num_actions
            assert core.legal_mask(rules, state[0], legal, mask) == len(choice)
            assert np.flatnonzero(mask).tolist() == choice.tolist()
        assert played.ending in (core.TERMINAL, core.TRUNCATED)
        assert core.legal_mask(rules, played.end[0], legal, mask) == 0
        assert not mask.any()


def test_returns_obey_the_utility_class(game, seed):
    utility = spec(game).utility
    for k in range(20):
        played = Recorded(game, seed + k)
        for state in (played.states[0], played.states[-1], played.end):
            returns = played.returns(state)
            assert np.isfinite(returns).all()
            if utility == "zero_sum":
                assert returns.sum() == pytest.approx(0)
            elif utility == "constant_sum" and state is played.end:
                assert returns.sum() == pytest.approx(Recorded(game, 0).returns(played.end).sum())
            elif utility == "identical":
                assert len(set(returns)) == 1
        assert utility in ("zero_sum", "constant_sum", "identical", "general")


def test_every_seat_is_on_one_side(game):
    facts = spec(game)
    rules = facts.make_rules()
    sides = facts.sides_of(rules)
    if sides is not None:
        seats = [seat for side in sides for seat in side]
        assert sorted(seats) == list(range(rules.num_players))
        assert all(sides)


def test_observations_are_in_their_space(game, seed):
    env = make(game)
    played = Recorded(game, seed)
    for state in [*played.states, played.end]:
        for seat, agent in enumerate(env.possible_agents):
            space = env.observation_space(agent)["observation"]
            assert space.contains(played.observation(state, seat))


def test_a_copy_plays_on_like_the_original(game, seed):
    played = Recorded(game, seed)
    for at in range(0, len(played.states), 1 + len(played.states) // 5):
        copy = played.states[at].copy()
        for action in played.actions[at:]:
            core.play_at(played.rules, copy, 0, action, played.legal, played.probs)
        assert np.array_equal(copy, played.end)


def test_hidden_things_do_not_show(game, seed):
    """What a seat cannot know, redrawn, changes neither its tensor nor its prompt."""
    played = Recorded(game, seed)
    has_view = importlib.util.find_spec(f"stratagym.envs.{game}.view") is not None
    prompt = played.spec.module("view").prompt if has_view else None
    for at, state in enumerate(played.states):
        for seat in range(played.rules.num_players):
            other = state.copy()
            core.determinize_at(played.rules, other, 0, seat, np.uint64(seed + at + 1))
            assert other["rng"] != state["rng"]
            assert (
                played.observation(other, seat).tobytes()
                == played.observation(state, seat).tobytes()
            )
            if prompt and seat == played.players[at]:
                assert prompt(played.rules, other[0], seat) == prompt(played.rules, state[0], seat)
        assert core.current_player_at(played.rules, other, 0) == played.players[at]


def test_actions_and_strings_are_a_bijection(game, seed):
    if importlib.util.find_spec(f"stratagym.envs.{game}.view") is None:
        pytest.skip("no view yet")
    view = spec(game).module("view")
    for k in range(3):
        played = Recorded(game, seed + k)
        for state, choice in zip(played.states, played.choices, strict=True):
            words = [view.action_to_string(played.rules, state[0], a) for a in choice.tolist()]
            assert len(set(words)) == len(words)
            back = [view.string_to_action(played.rules, state[0], word) for word in words]
            assert back == choice.tolist()


def test_chance_outcomes_are_a_distribution(game, seed):
    """At every chance event of some games; all of ``play_chance`` is repeated here by hand."""
    facts = spec(game)
    rules = facts.make_rules()
    legal, probs = core.new_scratch(rules)
    module = facts.module("rules")
    rng = np.random.default_rng(seed)
    events = 0
    for k in range(3):
        state = core.new_states(rules)
        s = state[0]
        module.reset(rules, s, np.uint64(seed + k))
        while (player := module.current_player(rules, s)) >= 0 or player == core.CHANCE:
            if player == core.CHANCE:
                events += 1
                probs[:] = np.nan
                n = module.chance_outcomes(rules, s, probs)
                assert 0 < n <= core.MAX_OUTCOMES
                assert (probs[:n] > 0).all()
                assert probs[:n].sum() == pytest.approx(1)
                module.apply_chance(rules, s, int(rng.choice(n, p=probs[:n] / probs[:n].sum())))
            else:
                n = module.legal_actions(rules, s, legal)
                module.step(rules, s, int(rng.choice(legal[:n])))
    assert (events > 0) == (facts.chance == "explicit")


# --- the environments ----------------------------------------------------------------------------


def test_batch_equals_env(game, seed, rng):
    """Game by game and step by step, over ends and new starts."""
    n = 4
    batch = make_batch(game, n, seed=seed)
    envs = [make(game, illegal="raise") for _ in range(n)]
    episodes = [0] * n
    for i, env in enumerate(envs):
        env.reset(seed=int(core.derive_seed(batch.seeds[i], 0)))
    for _ in range(2 * spec(game).max_game_length):
        for i, env in enumerate(envs):
            observed = env.observe(env.agent_selection)
            assert env.possible_agents[batch.players[i]] == env.agent_selection
            assert (batch.observations[i] == observed["observation"]).all()
            assert (batch.action_masks[i] == observed["action_mask"]).all()
            assert batch.states[i] == env.states[0]
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_masks])
        batch.step(actions)
        for i, env in enumerate(envs):
            env.step(actions[i])
            assert list(env.rewards.values()) == batch.rewards[i].tolist()
            assert set(env.terminations.values()) == {bool(batch.terminations[i])}
            assert set(env.truncations.values()) == {bool(batch.truncations[i])}
            if batch.terminations[i] or batch.truncations[i]:
                episodes[i] += 1
                env.reset(seed=int(core.derive_seed(batch.seeds[i], episodes[i])))
        assert batch.episodes.tolist() == episodes
        if min(episodes) > 1:
            break
    assert min(episodes) > 0


def test_golden_playthrough(game):
    """Recorded by tests/golden/record.py; record anew only when the rules change on purpose."""
    now = runpy.run_path(str(GOLDEN / "record.py"))["playthrough"](game)
    assert now.splitlines() == (GOLDEN / f"{game}.txt").read_text(encoding="utf-8").splitlines()


# --- processes -----------------------------------------------------------------------------------

FIRST_STEP = """
import sys, time
from stratagym.envs import make
env = make(sys.argv[1])
env.reset(seed=0)
env.step(int(env.last()[4]["action_mask"].argmax()))
print(time.process_time())
"""

IMPORTS = """
import json, sys
from stratagym.envs import make
env = make(sys.argv[1])
env.reset(seed=0)
print(json.dumps(sorted({"matplotlib", "openai", "pygame", "PIL", "torch"} & set(sys.modules))))
"""


def python(code: str, *arguments: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    return done.stdout


def test_fresh_process_starts_playing_within_two_seconds(game):
    """Processor time from the interpreter's start, so that a busy machine does not fail it."""
    python(FIRST_STEP, game)  # the cache may be cold
    assert min(float(python(FIRST_STEP, game)) for _ in range(3)) < 2


def test_environments_import_nothing_heavy(game):
    assert json.loads(python(IMPORTS, game)) == []
