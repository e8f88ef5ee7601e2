"""Tianshou 2: its PettingZooEnv over the AEC environment, DQN learning against random play."""

from __future__ import annotations

import numpy as np
import pytest

import stratagym.envs as envs

reason = "Tianshou is not installed: pip install 'stratagym[tianshou]'"
torch = pytest.importorskip("torch", reason=reason)
pytest.importorskip("tianshou", reason=reason)

from tianshou.algorithm import DQN  # noqa: E402
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy  # noqa: E402
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm  # noqa: E402
from tianshou.algorithm.optim import AdamOptimizerFactory  # noqa: E402
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm  # noqa: E402
from tianshou.data import Collector, VectorReplayBuffer  # noqa: E402
from tianshou.env import DummyVectorEnv, PettingZooEnv  # noqa: E402
from tianshou.trainer import OffPolicyTrainerParams  # noqa: E402
from tianshou.utils.net.common import Net  # noqa: E402


def make(game: str = "connect_four") -> PettingZooEnv:
    """``illegal="raise"``: a single action outside its mask would end the test."""
    return PettingZooEnv(envs.make(game, illegal="raise"))


@pytest.mark.parametrize("game", ["connect_four", "ludo"])
def test_whole_games_by_the_masks(game, rng):
    env = make(game)
    observed, _ = env.reset(seed=int(rng.integers(2**31)))
    total = np.zeros(len(env.agents))
    done = False
    while not done:
        assert observed["agent_id"] == env.env.agent_selection
        action = int(rng.choice(np.flatnonzero(observed["mask"])))
        observed, rewards, terminated, truncated, _ = env.step(action)
        total += rewards
        done = terminated or truncated
    returns = np.zeros(len(total))
    envs.core.returns_at(env.env.rules, env.env.states, 0, returns)
    assert total.tolist() == pytest.approx(returns.tolist())


def test_dqn_trains_against_random_play(seed):
    torch.manual_seed(seed % 2**31)
    env = make()
    box = env.observation_space["observation"]
    network = Net(state_shape=box.shape, action_shape=env.action_space.n, hidden_sizes=[32])
    learner = DQN(
        policy=DiscreteQLearningPolicy(
            model=network, action_space=env.action_space, eps_training=0.2
        ),
        optim=AdamOptimizerFactory(lr=1e-3),
        target_update_freq=20,
    )
    both = MultiAgentOffPolicyAlgorithm(
        algorithms=[MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space), learner], env=env
    )
    before = [value.detach().clone() for value in network.parameters()]
    training, test = (DummyVectorEnv([make] * n) for n in (4, 2))
    collector = Collector(both, training, VectorReplayBuffer(2000, 4), exploration_noise=True)
    result = both.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            test_collector=Collector(both, test),
            max_epochs=2,
            epoch_num_steps=128,
            collection_step_num_env_steps=32,
            test_step_num_episodes=4,
            batch_size=32,
            update_step_num_gradient_steps_per_sample=0.1,
            multi_agent_return_reduction=lambda returns: returns[:, 1],
            show_progress=False,
        )
    )
    assert result.train_step >= 256
    assert result.train_episode > 0
    assert not all(map(torch.equal, before, network.parameters()))
    # Nobody's move was outside its mask, or the environment would have raised.
    stored = collector.buffer.sample(0)[0]
    legal = np.asarray(stored.obs.mask)[np.arange(len(stored)), stored.act]
    assert len(stored) >= 256
    assert legal.all()
