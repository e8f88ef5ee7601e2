"""TorchRL: its PettingZooWrapper over the AEC environment, its PPO over the Gymnasium one."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import stratagym.envs as envs

reason = "TorchRL is not installed: pip install 'stratagym[torchrl]'"
torch = pytest.importorskip("torch", reason=reason)
pytest.importorskip("torchrl", reason=reason)

from tensordict.nn import TensorDictModule, TensorDictSequential  # noqa: E402
from torchrl.collectors import Collector  # noqa: E402
from torchrl.envs import GymWrapper, PettingZooWrapper, TransformedEnv  # noqa: E402
from torchrl.envs.transforms import ActionMask, Compose, DTypeCastTransform  # noqa: E402
from torchrl.envs.utils import check_env_specs  # noqa: E402
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator  # noqa: E402
from torchrl.objectives import ClipPPOLoss  # noqa: E402
from torchrl.objectives.value import GAE  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested")


@pytest.mark.parametrize("game", ["connect_four", "ludo"])
def test_whole_games_by_the_masks_of_the_aec_form(game, seed):
    """``illegal="raise"``: a single action outside its mask would end the test."""
    aec = envs.make(game, illegal="raise")
    env = PettingZooWrapper(aec, use_mask=True, group_map={"seats": aec.possible_agents})
    env.set_seed(seed % 2**31)
    rollout = env.rollout(envs.spec(game).max_game_length)
    steps, seats = rollout.batch_size[0], len(aec.possible_agents)
    assert rollout["next", "done"][-1].item()
    assert not rollout["next", "done"][:-1].any()
    # One seat acts at a time, and what it did was legal.
    acting = rollout["seats", "mask"]
    assert acting.shape == (steps, seats)
    assert (acting.sum(1) == 1).all()
    masks = rollout["seats", "action_mask"][acting]
    actions = rollout["seats", "action"].reshape(steps, seats)[acting]
    assert masks[torch.arange(steps), actions].all()
    total = np.zeros(seats)
    envs.core.returns_at(aec.rules, aec.states, 0, total)
    rewards = rollout["next", "seats", "reward"].sum(0).squeeze(-1)
    assert rewards.tolist() == pytest.approx(total.tolist(), abs=1e-4)


def masked_env(seed: int) -> TransformedEnv:
    single = gymnasium.make(
        "stratagym/ConnectFour-v0", opponent="random", dict_observation=True, illegal="raise"
    )
    env = TransformedEnv(
        GymWrapper(single, categorical_action_encoding=True),
        Compose(
            DTypeCastTransform(torch.int8, torch.float32, in_keys=["observation"]),
            DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]),
            ActionMask(),
        ),
    )
    env.set_seed(seed % 2**31)
    return env


def test_specs_of_the_gymnasium_form(seed):
    check_env_specs(masked_env(seed))


def test_ppo_trains_on_masked_actions(seed):
    env = masked_env(seed)
    torch.manual_seed(seed % 2**31)
    cells = 6 * 7 * 2

    def network(outputs: int) -> torch.nn.Module:
        return torch.nn.Sequential(
            torch.nn.Flatten(-3), torch.nn.Linear(cells, 32), torch.nn.Tanh(),
            torch.nn.Linear(32, outputs),
        )  # fmt: skip

    actor = ProbabilisticActor(
        TensorDictSequential(TensorDictModule(network(7), ["observation"], ["logits"])),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        spec=env.action_spec,
        return_log_prob=True,
    )
    critic = ValueOperator(network(1), in_keys=["observation"])
    loss = ClipPPOLoss(actor, critic)
    advantage = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    before = torch.nn.utils.parameters_to_vector(actor.parameters()).detach().clone()
    collector = Collector(env, actor, frames_per_batch=128, total_frames=384)
    iterations = 0
    for batch in collector:
        legal = batch["action_mask"].gather(-1, batch["action"].reshape(-1, 1))
        assert legal.all()
        advantage(batch)
        losses = loss(batch)
        total = sum(value for key, value in losses.items() if key.startswith("loss_"))
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        assert torch.isfinite(total)
        iterations += 1
    collector.shutdown()
    assert iterations == 3
    after = torch.nn.utils.parameters_to_vector(actor.parameters())
    assert not torch.equal(before, after)
