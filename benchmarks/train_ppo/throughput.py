"""How fast SB3 is fed: our vector environment beside SB3's DummyVecEnv over PettingZoo.

PettingZoo's connect four is wrapped as its documentation's tutorial for sb3-contrib does it; both
sides play every seat of the game through SB3's ``VecEnv`` interface, masks included. The two take
turns, so that a machine that slows down slows both; rates count CPU time.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.measuring import (
    Episode,
    choose_random,
    machine_line,
    rate,
    short,
    spread_of,
)
from stratagym.benchmarks.reporting.page import Table
from stratagym.benchmarks.reporting.terminal import output_console
from stratagym.benchmarks.train_ppo import ppo
from stratagym.envs import core, spec

GAME = "connect_four"


def pettingzoo_dummy(num_envs: int) -> Any:
    """SB3's ``DummyVecEnv`` of ``num_envs`` PettingZoo games of connect four."""
    import gymnasium
    from pettingzoo.classic import connect_four_v3
    from pettingzoo.utils import BaseWrapper
    from sb3_contrib.common.wrappers import ActionMasker
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    class EverySeat(BaseWrapper, gymnasium.Env):
        """One agent in every seat: a step answers with what the next seat sees."""

        def reset(self, seed: Any = None, options: Any = None) -> Any:
            self.env.reset(seed, options)
            first = self.possible_agents[0]
            self.observation_space = self.env.observation_space(first)["observation"]
            self.action_space = self.env.action_space(first)
            return self.observe(self.agent_selection), {}

        def step(self, action: Any) -> Any:
            agent = self.agent_selection
            self.env.step(action)
            return (
                self.observe(self.agent_selection),
                self._cumulative_rewards[agent],
                self.terminations[agent],
                self.truncations[agent],
                self.infos[agent],
            )

        def observe(self, agent: Any) -> Any:
            return self.env.observe(agent)["observation"]

        def action_mask(self) -> Any:
            return self.env.observe(self.agent_selection)["action_mask"]

    def make() -> Any:
        env = EverySeat(connect_four_v3.env())
        env.reset(seed=0)
        return Monitor(ActionMasker(env, EverySeat.action_mask))

    return DummyVecEnv([make] * num_envs)


def ours(num_envs: int) -> Any:
    """Our ``VecEnv`` with the learner in every seat."""
    from stratagym.wrappers.sb3 import SB3VecEnv

    return SB3VecEnv(GAME, num_envs, "self")


def delivery(env: Any) -> Episode:
    """One step of all games with random legal actions, as a learner would take it."""
    from sb3_contrib.common.maskable.utils import get_action_masks

    generators = core.new_states(spec(GAME).make_rules())
    actions = np.zeros(env.num_envs, np.int64)
    env.reset()

    def episode() -> int:
        choose_random(get_action_masks(env).astype(np.int8), generators, actions)
        env.step(actions)
        return env.num_envs

    return episode


def learning(env: Any, steps: int) -> dict[str, float]:
    """CPU rate of MaskablePPO with connect four's settings on ``env``, and the environment's share
    of its wall time."""
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import VecEnvWrapper

    class Timed(VecEnvWrapper):
        seconds = 0.0

        def reset(self) -> Any:
            return self.venv.reset()

        def step_wait(self) -> Any:
            return self.venv.step_wait()

        def step(self, actions: np.ndarray) -> Any:
            began = time.perf_counter()
            result = super().step(actions)
            self.seconds += time.perf_counter() - began
            return result

        def env_method(self, *args: Any, **kwargs: Any) -> Any:
            began = time.perf_counter()
            result = self.venv.env_method(*args, **kwargs)
            self.seconds += time.perf_counter() - began
            return result

    settings = ppo.SETTINGS[GAME]
    timed = Timed(env)
    model = MaskablePPO(
        "MlpPolicy", timed, settings.learning_rate, n_steps=settings.rollout,
        batch_size=settings.batch, n_epochs=settings.epochs, device="cpu",
        policy_kwargs={"net_arch": list(settings.net), "activation_fn": torch.nn.ReLU},
    )  # fmt: skip
    model.learn(1)
    timed.seconds = 0.0
    wall, cpu, done = time.perf_counter(), time.process_time(), model.num_timesteps
    model.learn(steps, reset_num_timesteps=False)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {
        "decisions_per_cpu_s": (model.num_timesteps - done) / cpu,
        "environment_share": timed.seconds / wall,
    }


def measure(seconds: float, repeats: int, steps: int) -> dict[str, Any]:
    """Rates of both, and ratios repeat by repeat.

    Args:
        seconds: of one repeat. steps: decisions to learn from in the measurement of training.
    """
    import torch

    torch.set_num_threads(1)
    envs = {"stratagym": ours, "DummyVecEnv of PettingZoo": pettingzoo_dummy}
    num_envs = ppo.SETTINGS[GAME].envs
    episodes = {name: delivery(make(num_envs)) for name, make in envs.items()}
    rates: dict[str, list[float]] = {name: [] for name in envs}
    for episode in episodes.values():
        episode()
    for _ in range(repeats):
        for name, episode in episodes.items():
            rates[name].append(rate(episode, seconds))
    first, second = rates.values()
    ratios = [a / b for a, b in zip(first, second, strict=True)]
    return {
        "game": GAME,
        "games_side_by_side": num_envs,
        "delivered": {name: spread_of(r) for name, r in rates.items()},
        "ratio": spread_of(ratios),
        "training": {name: learning(make(num_envs), steps) for name, make in envs.items()},
    }


def screen(found: dict[str, Any], repeats: int) -> None:
    """Print what ``measure`` found, with the ``machine`` it was found on."""
    table = Table(["", "delivered", "min", "max", "training", "environment's share"])
    for name, rates in found["delivered"].items():
        learned = found["training"][name]
        table.rows.append(
            [
                name,
                *(short(rates[key]) for key in ("median", "min", "max")),
                short(learned["decisions_per_cpu_s"]),
                f"{learned['environment_share']:.1%}",
            ]
        )
    ratio = found["ratio"]
    console = output_console()
    console.print(machine_line(found["machine"]), table.rich(), sep="\n", markup=False)
    console.print(
        f"Decisions per CPU-second with {found['games_side_by_side']} games side by side. "
        f"stratagym's VecEnv delivers {ratio['median']:.1f} times as many decisions as DummyVecEnv "
        f"({ratio['min']:.1f} to {ratio['max']:.1f} in {repeats} repeats).",
        soft_wrap=True,
        markup=False,
    )
