"""RLlib's new API stack: PPO with masked actions, two seats that share one network."""

from __future__ import annotations

import numpy as np
import pytest

reason = "RLlib is not installed: pip install 'stratagym[rllib]' (and torch)"
torch = pytest.importorskip("torch", reason=reason)
ray = pytest.importorskip("ray", reason=reason)
pytest.importorskip("ray.rllib", reason=reason)

from ray.rllib.algorithms.ppo import PPOConfig  # noqa: E402
from ray.rllib.core.rl_module.rl_module import RLModuleSpec  # noqa: E402
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import (  # noqa: E402
    ActionMaskingTorchRLModule,
)

from stratagym.envs import core  # noqa: E402
from stratagym.wrappers.rllib import RLlibEnv  # noqa: E402


@pytest.mark.parametrize("game", ["connect_four", "ludo", "hanabi"])
def test_whole_games(game, rng):
    env = RLlibEnv({"game": game, "illegal": "raise"})
    for _ in range(3):
        observed, _ = env.reset(seed=int(rng.integers(2**31)))
        total = dict.fromkeys(env.possible_agents, 0.0)
        while True:
            (agent,) = observed
            assert env.observation_spaces[agent].contains(observed[agent])
            action = int(rng.choice(np.flatnonzero(observed[agent]["action_mask"])))
            observed, rewards, terminated, truncated, _ = env.step({agent: action})
            for seat, reward in rewards.items():
                total[seat] += reward
            if terminated["__all__"] or truncated["__all__"]:
                break
        returns = np.zeros(len(total))
        core.returns_at(env.env.rules, env.env.states, 0, returns)
        assert list(total.values()) == pytest.approx(returns.tolist())
        assert observed.keys() == terminated.keys() - {"__all__"}


def test_wrong_game_is_one_clear_line():
    with pytest.raises(ValueError, match=r"unknown game 'goose'; the games are: .*ludo"):
        RLlibEnv({"game": "goose"})


def test_ppo_trains_with_masks():
    """An action outside its mask would raise ``ValueError`` in the environment."""
    config = (
        PPOConfig()
        .environment(RLlibEnv, env_config={"game": "connect_four", "illegal": "raise"})
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **_: "shared")
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule,
                model_config={"fcnet_hiddens": [32], "head_fcnet_hiddens": []},
            )
        )
        .training(train_batch_size_per_learner=256, minibatch_size=64, num_epochs=1)
    )
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    algorithm = config.build_algo()
    try:
        module = algorithm.get_module("shared")
        before = [value.detach().clone() for value in module.parameters()]
        results = [algorithm.train() for _ in range(2)]
        after = list(algorithm.get_module("shared").parameters())
        assert not all(map(torch.equal, before, after))
        learned = results[-1]["learners"]["shared"]
        assert np.isfinite(float(learned["total_loss"]))
        assert results[-1]["env_runners"]["num_episodes_lifetime"] > 0
        # Winners and losers come out even: both seats' returns reach their episodes.
        assert results[-1]["env_runners"]["episode_return_mean"] == pytest.approx(0)
    finally:
        algorithm.stop()
        ray.shutdown()
