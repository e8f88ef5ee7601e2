"""SuperSuit's wrappers over the AEC environment: what they change, and that masks survive."""

from __future__ import annotations

import numpy as np
import pytest

import stratagym.envs as envs
from stratagym.wrappers.tensor import TensorObservation

reason = "SuperSuit is not installed: pip install 'stratagym[supersuit]'"
supersuit = pytest.importorskip("supersuit", reason=reason)

WRAPPERS = {
    "dtype": lambda env: supersuit.dtype_v0(env, np.float32),
    "flatten": supersuit.flatten_v0,
    "frame_stack": lambda env: supersuit.frame_stack_v1(env, 4),
    "normalize_obs": lambda env: supersuit.normalize_obs_v0(supersuit.dtype_v0(env, np.float32)),
}
EXPECTED = {
    "dtype": lambda tensors: tensors[-1].astype(np.float32),
    "flatten": lambda tensors: tensors[-1].ravel(),
    # The oldest first along the last axis, zeros before the start.
    "frame_stack": lambda tensors: np.concatenate(
        [np.zeros_like(tensors[0])] * (4 - len(tensors[-4:])) + tensors[-4:], axis=-1
    ),
    "normalize_obs": lambda tensors: tensors[-1].astype(np.float32),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_observation_wrappers_change_the_tensor_and_keep_the_mask(name, rng):
    plain = envs.make("connect_four", illegal="raise")
    env = WRAPPERS[name](TensorObservation(envs.make("connect_four", illegal="raise")))
    seed = int(rng.integers(2**31))
    plain.reset(seed=seed)
    env.reset(seed=seed)
    seen: dict[str, list[np.ndarray]] = {agent: [] for agent in plain.possible_agents}
    for agent in plain.agent_iter():
        dictionary, reward, termination, truncation, info = plain.last()
        observation, *others, wrapped_info = env.last()
        assert env.agent_selection == agent
        assert others == [reward, termination, truncation]
        assert (wrapped_info["action_mask"] == info["action_mask"]).all()
        if termination or truncation:
            plain.step(None)
            env.step(None)
            continue
        seen[agent].append(dictionary["observation"])
        expected = EXPECTED[name](seen[agent])
        assert observation.dtype == env.observation_space(agent).dtype == expected.dtype
        assert env.observation_space(agent).shape == expected.shape
        assert np.array_equal(observation, expected)
        action = int(rng.choice(np.flatnonzero(wrapped_info["action_mask"])))
        plain.step(action)
        env.step(action)
    assert not env.agents


def test_wrappers_of_rewards_and_actions_take_the_environment_as_it_is(rng):
    env = supersuit.clip_reward_v0(
        supersuit.pad_action_space_v0(envs.make("connect_four", illegal="raise"))
    )
    env.reset(seed=int(rng.integers(2**31)))
    last = {}
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        last[agent] = reward
        assert -1 <= reward <= 1
        mask = observation["action_mask"]
        over = termination or truncation
        env.step(None if over else int(rng.choice(np.flatnonzero(mask))))
    assert len(last) == 2
