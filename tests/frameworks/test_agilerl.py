"""AgileRL: off-policy training on the vector environment, its agents in the AEC environment."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import stratagym.envs as envs

reason = "AgileRL is not installed: pip install 'stratagym[agilerl]'"
torch = pytest.importorskip("torch", reason=reason)
pytest.importorskip("agilerl", reason=reason)

from agilerl.algorithms.dqn import DQN  # noqa: E402
from agilerl.components.replay_buffer import ReplayBuffer  # noqa: E402
from agilerl.training.train_off_policy import train_off_policy  # noqa: E402
from gymnasium.wrappers.vector import FlattenObservation  # noqa: E402


@pytest.fixture(scope="module")
def trained() -> DQN:
    """A population of one after some steps of self-made experience against random play.

    AgileRL takes the masks from ``info["action_mask"]``. ``illegal="raise"``: a single action
    outside its mask would end the training.
    """
    games = FlattenObservation(
        gymnasium.make_vec("stratagym/ConnectFour-v0", num_envs=4, illegal="raise")
    )
    agent = DQN(
        games.single_observation_space,
        games.single_action_space,
        net_config={"latent_dim": 16, "encoder_config": {"hidden_size": [32]}},
        batch_size=32,
        learn_step=4,
    )
    before = [value.detach().clone() for value in agent.actor.parameters()]
    population, _ = train_off_policy(
        games, "connect_four", "DQN", [agent], ReplayBuffer(max_size=2000), max_steps=400,
        evo_steps=200, eval_steps=40, eval_loop=1, learning_delay=64, verbose=False,
    )  # fmt: skip
    assert not all(map(torch.equal, before, population[0].actor.parameters()))
    return population[0]


def test_trained_agent_plays_whole_games_in_the_aec_form(trained, seed):
    trained.set_training_mode(False)
    env = envs.make("connect_four", illegal="raise")
    for episode in range(3):
        env.reset(seed=seed + episode)
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            mask = observation["action_mask"]
            tensor = observation["observation"].reshape(1, -1)
            action = int(trained.get_action(tensor, action_mask=mask[None])[0])
            assert mask[action] == 1
            env.step(action)
        assert not env.agents


def test_random_choices_of_its_agents_are_legal_too(trained, rng):
    """Exploration draws from the mask."""
    mask = np.zeros((64, 7), np.int8)
    columns = rng.integers(7, size=64)
    mask[np.arange(64), columns] = 1
    tensor = np.zeros((64, 84), np.float32)
    assert (trained.get_action(tensor, epsilon=1.0, action_mask=mask) == columns).all()
