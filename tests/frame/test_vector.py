"""VectorEnv: many games for one learner, in one array."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from gymnasium_forms import Scripted, sample_each

from stratagym import envs
from stratagym.agents.core import Policy, make_policy
from stratagym.envs import core
from stratagym.wrappers.single_agent import SingleAgentEnv
from stratagym.wrappers.vector import VectorEnv


@pytest.mark.parametrize("mode", list(AutoresetMode)[:2])
@pytest.mark.parametrize(
    ("opponent", "seat", "as_dict"),
    [
        ("random", 0, False),
        (["gt:1", "random", "heuristic"], "rotate", True),
        ("heuristic", "random", False),
        ("self", 0, True),
        ([Scripted(), "random", {"random": 1, Scripted(): 2, "gt:1": 0.5}], "rotate", False),
    ],
)
def test_vector_env_is_gymnasiums_vector_of_single_envs(seed, mode, opponent, seat, as_dict):
    """Everything that SyncVectorEnv gives, over several episodes, illegal actions among them."""
    n, options = 5, {"seat": seat, "dict_observation": as_dict, "max_rolls": 90}
    many = VectorEnv("ludo", n, opponent, autoreset_mode=mode, **options)
    sync = SyncVectorEnv(
        [lambda: SingleAgentEnv("ludo", opponent, **options) for _ in range(n)],
        autoreset_mode=mode,
    )
    assert many.single_observation_space == sync.single_observation_space
    assert many.observation_space == sync.observation_space
    assert many.action_space == sync.action_space
    assert many.metadata["autoreset_mode"] is mode
    rng = np.random.default_rng(seed)
    seeds = [seed % 2**40 + 7 * k for k in range(n)]
    one: tuple[Any, ...] = many.reset(seed=seeds)
    other: tuple[Any, ...] = sync.reset(seed=seeds)
    ends = 0
    for _ in range(150):
        assert one[0] in many.observation_space
        over = np.zeros(n, bool)
        if len(one) == 5:
            for k in (1, 2, 3):
                assert one[k].dtype == other[k].dtype
                assert (one[k] == other[k]).all()
            over = one[2] | one[3]
            ends += over.sum()
        waiting = over & (mode is AutoresetMode.NEXT_STEP)
        masks = one[-1]["action_mask"]
        assert masks[waiting].all()
        assert (masks[~waiting] == other[-1]["action_mask"][~waiting]).all()
        assert (many.action_masks() == (masks == 1)).all()
        assert many.action_masks().dtype == np.bool_
        views = [told[0]["observation"] if as_dict else told[0] for told in (one, other)]
        assert (views[0] == views[1]).all()
        if as_dict:
            assert (one[0]["action_mask"] == masks).all()
        assert (one[-1]["seat"] == other[-1]["seat"]).all()
        assert one[-1]["_action_mask"].all()
        assert one[-1]["_seat"].all()
        if opponent == "self" and len(one) == 5:
            told = other[-1].get("_rewards", np.zeros(n, bool))
            assert (one[-1]["rewards"][told] == other[-1]["rewards"][told]).all()
        for key in (
            "final_obs", "_final_obs", "final_info", "_final_info", "illegal", "_illegal",
        ):  # fmt: skip
            assert (key in one[-1]) == (key in other[-1])
            assert data_equivalence(one[-1].get(key), other[-1].get(key), exact=True)
        actions = sample_each(rng, masks)
        actions[rng.random(n) < 0.01] = 4
        one, other = many.step(actions), sync.step(actions)
    assert ends > n


class Asked(Policy):
    """A compiled policy that is asked from outside, all its games at once or one by one."""

    def __init__(self, name: str, together: bool):
        self.name, self.asked = name, 0
        self._kernel = make_policy(envs.spec("ludo"), name)
        if together:
            self.act_each = self._act_each

    def act(self, view):
        self.asked += 1
        return self._kernel.act(view)

    def _act_each(self, rules, states, seeds):
        self.asked += len(states)
        return self._kernel.act_each(rules, states, seeds)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("together", [False, True])
def test_opponents_that_are_asked_play_as_compiled_ones(seed, mode, together):
    """Few throws: some episodes end before the learner decides, and are passed over."""
    asked = Asked("heuristic", together)
    inside, outside = (
        VectorEnv("ludo", 6, opponent, "rotate", autoreset_mode=mode, max_rolls=14)
        for opponent in ("heuristic", [asked, "heuristic", asked])
    )
    rng, ends = np.random.default_rng(seed), 0
    one: Any = inside.reset(seed=seed)
    other: Any = outside.reset(seed=seed)
    for _ in range(60):
        assert data_equivalence(one, other, exact=True)
        assert inside.states.tobytes() == outside.states.tobytes()
        actions = sample_each(rng, inside.action_masks())
        actions[rng.random(6) < 0.02] = 4
        one, other = inside.step(actions), outside.step(actions)
        over = one[2] | one[3]
        ends += over.sum()
        if mode is AutoresetMode.DISABLED and over.any():
            assert data_equivalence(one, other, exact=True)
            again = {"reset_mask": over}
            one, other = inside.reset(options=again), outside.reset(options=again)
    assert ends > 6 and asked.asked > 100


def test_a_mixture_draws_one_policy_for_an_episode(seed):
    """In tic-tac-toe's three or four answers; shares as weighted, within six deviations."""
    first, second = Scripted(), Scripted()
    env = VectorEnv("tictactoe", 400, {first: 3, second: 1}, 0, autoreset_mode="Disabled")
    env.reset(seed=seed)
    asked = [[len(policy.seats) for policy in (first, second)]]
    over = np.zeros(400, bool)
    while not over.any():
        _, _, terminated, truncated, _ = env.step(env.action_masks().argmax(1))
        asked.append([len(policy.seats) for policy in (first, second)])
        over = terminated | truncated
    turns = np.diff(asked, axis=0)[:-1]
    assert (turns == turns[0]).all()  # whoever began an episode plays it on
    assert abs(turns[0, 1] - 100) < 6 * (400 * 3 / 16) ** 0.5 and turns[0].sum() == 400


@pytest.mark.parametrize("game", ["ludo", "hanabi"])
def test_views_and_state_of_a_vector_env(seed, game):
    env, rng = VectorEnv(game, 5), np.random.default_rng(seed)
    observations, infos = env.reset(seed=seed)
    for _ in range(20):
        views = env.views()
        assert (views[np.arange(5), infos["seat"]] == observations).all()
        assert (env.state() == views.reshape(5, env.rules.num_players, -1)).all()
        observations, *_, infos = env.step(sample_each(rng, env.action_masks()))


def test_seeds_of_a_vector_env(seed):
    """A whole number gives derived seeds, which as a list give the same games."""
    many = VectorEnv("ludo", 4)
    first = many.reset(seed=seed)[0].copy()
    assert many.seeds.tolist() == [
        int(core.derive_seed(np.uint64(seed), np.uint64(i))) for i in range(4)
    ]
    assert (VectorEnv("ludo", 4).reset(seed=many.seeds)[0] == first).all()
    assert (VectorEnv("ludo", 2).reset(seed=seed)[0] == first[:2]).all()
    second = many.reset()[0]
    many.reset(seed=seed)
    assert (many.reset()[0] == second).all()
    assert VectorEnv("ludo", 4).reset()[0].tobytes() != VectorEnv("ludo", 4).reset()[0].tobytes()


def test_what_a_vector_env_returned_stays_as_it_was(seed):
    many = VectorEnv("ludo", 3, autoreset_mode="SameStep", dict_observation=True, max_rolls=40)
    told: list[tuple[Any, ...]] = [many.reset(seed=seed)]
    kept = [copy.deepcopy(told[0])]
    for _ in range(40):
        told.append(many.step(many.action_masks().argmax(1)))
        kept.append(copy.deepcopy(told[-1]))
    assert data_equivalence(told, kept, exact=True)
    assert any("final_obs" in one[-1] for one in told)


def test_disabled_autoreset_and_reset_masks(seed):
    many = VectorEnv("ludo", 3, autoreset_mode=AutoresetMode.DISABLED, max_rolls=40)
    with pytest.raises(ResetNeeded):
        many.step(np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="first reset has to start every game"):
        many.reset(seed=seed, options={"reset_mask": np.array([True, False, True])})
    many.reset(seed=seed, options={"reset_mask": np.ones(3, bool)})
    over = np.zeros(3, bool)
    while not over.any():
        observations, _, terminations, truncations, _ = many.step(many.action_masks().argmax(1))
        over = terminations | truncations
    with pytest.raises(ResetNeeded, match=f"game {over.argmax()} is over"):
        many.step(np.zeros(3, np.int64))
    states = many.states.copy()
    again, infos = many.reset(options={"reset_mask": over})
    assert (many.states[~over] == states[~over]).all()
    assert (again[~over] == observations[~over]).all()
    assert (infos["_action_mask"] == over).all()
    assert many.action_masks().any(axis=1).all()
    many.step(many.action_masks().argmax(1))
    for wrong in (np.ones(2, bool), np.ones(3, int)):
        with pytest.raises(ValueError, match="reset_mask"):
            many.reset(options={"reset_mask": wrong})


@pytest.mark.parametrize("bad", range(4))
def test_illegal_actions_of_a_vector_env(bad, seed):
    many = VectorEnv("ludo", 4, illegal="raise")
    many.reset(seed=seed)
    while many.action_masks()[bad].all():
        many.step(many.action_masks().argmax(1))
    states, masks = many.states.copy(), many.action_masks()
    actions = masks.argmax(1)
    actions[bad] = masks[bad].argmin()
    with pytest.raises(ValueError, match=f"game {bad} may not play {actions[bad]}; legal: "):
        many.step(actions)
    assert (many.states == states).all()
    assert (many.action_masks() == masks).all()
    many.step(masks.argmax(1))
    for wrong in (np.zeros(3, np.int64), np.zeros(4), np.zeros((4, 1), np.int64)):
        with pytest.raises(ValueError, match="integers are needed"):
            many.step(wrong)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_gymnasiums_statistics_agree_with_the_returns(seed, mode):
    many: Any = RecordEpisodeStatistics(
        gymnasium.make_vec("stratagym/Ludo-v0", num_envs=64, opponent="random", autoreset_mode=mode)
    )
    many.reset(seed=seed)
    episodes = []
    for _ in range(250):
        _, _, _, _, infos = many.step(many.unwrapped.action_masks().argmax(1))
        if "episode" in infos:
            episodes += infos["episode"]["r"][infos["_episode"]].tolist()
    assert len(episodes) >= 64
    assert {round(value, 6) for value in episodes} == {1.0, round(-1 / 3, 6)}


def test_the_heuristic_beats_random_players_through_every_form(seed):
    """A sanity check of who sits where: four to one is far outside chance (a quarter each)."""
    many = VectorEnv("ludo", 200, ["random", "heuristic", "random"], "rotate")
    rng = np.random.default_rng(seed)
    many.reset(seed=seed)
    wins = games_played = 0
    for _ in range(500):
        _, rewards, terminations, _, _ = many.step(sample_each(rng, many.action_masks()))
        wins += (rewards[terminations] > 0).sum()
        games_played += terminations.sum()
    assert games_played > 300
    assert wins / games_played < 0.25


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"num_envs": 0}, ["num_envs=0", "at least 1"]),
        ({"autoreset_mode": "later"}, ["'later'", "NextStep", "SameStep", "Disabled"]),
        ({"opponent": {"random": -1}}, ["opponent: weights [-1]", "from 0 on"]),
        ({"opponent": {"random": 0, "heuristic": 0}}, ["opponent: weights [0, 0]", "above 0"]),
        ({"opponent": {}}, ["opponent: weights []"]),
        ({"render_mode": "human"}, ["'human'", "ansi, rgb_array"]),
    ],
    ids=",".join,
)
def test_wrong_arguments_of_a_vector_env(options, parts):
    with pytest.raises(ValueError) as error:
        VectorEnv("ludo", **options)
    assert all(part in str(error.value) for part in parts)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("wrong", [[1, 2], np.zeros((2, 2), np.int64)])
def test_wrong_seeds_of_a_vector_env(wrong):
    with pytest.raises(ValueError, match="seed: one whole number or 3 of them"):
        VectorEnv("ludo", 3).reset(seed=wrong)
