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
        ({"opponent": Scripted()}, ["compiled", "SingleAgentEnv"]),
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
