"""Training with MaskablePPO: settings by game, self-play, checkpoints."""

from __future__ import annotations

import io
import json
import os
import time
import zipfile
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.agents import hooks
from stratagym.agents.core import Policy, make_policy
from stratagym.agents.ladders import Ladder, ladder_of
from stratagym.agents.networks import Actor, actor_of
from stratagym.agents.sb3 import SB3Policy, facts_of, save_actor
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.reporting.terminal import one_line
from stratagym.envs.core import GameSpec


@dataclass(frozen=True)
class Settings:
    """How a game is learned.

    Attributes:
        steps: the learner's decisions. opponent: as ``--opponent``. against: as ``--against``.
        options: the game's options, where they are not its defaults.
        envs, rollout: games side by side, decisions in each between updates.
        batch, epochs: of an update. learning_rate: at the start; it falls linearly to 0.
        gamma, gae_lambda, entropy: as in PPO's paper.
        net: widths of the layers of actor and critic. board: whether these are convolutions over
            a board, shared by both, instead of a multilayer perceptron. planes: how many of the
            observation's planes they look at; None for all.
        reward_scale, shaping: of ``SB3VecEnv``.
        greedy: whether evaluations play the likeliest action; where chance or hidden cards make
            mixed play sensible, they sample.
    """

    steps: int
    opponent: str = "self"
    against: str = "random"
    options: dict[str, Any] = field(default_factory=dict)
    envs: int = 128
    rollout: int = 64
    batch: int = 256
    epochs: int = 4
    learning_rate: float = 1e-3
    gamma: float = 0.99
    gae_lambda: float = 0.95
    entropy: float = 0.01
    net: tuple[int, ...] = (128, 128)
    board: bool = False
    planes: int | None = None
    reward_scale: float = 1.0
    shaping: float = 0.0
    greedy: bool = True


PLANS: dict[str, Any] = {
    "opponent": "self,random,ladder", "against": "random,plan:fill,ladder", "batch": 512,
    "gamma": 1.0,
}  # fmt: skip
"""Of sealed plans: a commit's micro-actions are rewarded when it is resolved, all alike."""
SETTINGS = {
    "tictactoe": Settings(
        150_000, opponent="self,random,mcts:100", against="random,mcts:100,perfect,ladder",
        rollout=32, epochs=8, net=(64, 64), entropy=0.02,
    ),
    "connect_four": Settings(
        600_000, opponent="self,random,heuristic", against="random,mcts:20,mcts:100,ladder",
        batch=1024, entropy=0.03,
    ),
    "ludo": Settings(
        400_000, opponent="random", against="random,heuristic,ladder", options={"players": 2},
        gamma=0.995, net=(64, 64), shaping=1.0,
    ),
    "texas_holdem": Settings(
        200_000, against="random,heuristic,ladder", options={"hands": 1}, reward_scale=0.02,
        gamma=1.0, greedy=False,
    ),
    "hanabi": Settings(
        150_000, against="random,rule:simple,ladder", gamma=0.97, reward_scale=0.3,
    ),
    "chess": Settings(
        250_000, opponent="random", against="random,ladder", envs=64, batch=512, epochs=3,
        learning_rate=3e-3, gamma=0.97, gae_lambda=0.7, entropy=0.003, net=(32, 32, 32),
        board=True, planes=20, shaping=1.0,
    ),
    "reversi": Settings(
        1_000_000, opponent="self,random,ladder", against="random,rule:table?random=0.3,ladder",
        batch=1024, gamma=0.97, gae_lambda=0.7, net=(256, 256), shaping=1.0,
    ),
    "ataxx": Settings(
        200_000, opponent="self,random,ladder", against="random,heuristic?random=0.48,ladder",
        envs=64, batch=512, gamma=0.97, gae_lambda=0.7, entropy=0.003, net=(16, 16, 16),
        learning_rate=3e-3, epochs=3, board=True, planes=2, shaping=1.0,
    ),
    "gomoku": Settings(
        300_000, opponent="self,random,ladder", against="random,heuristic?random=0.82,ladder",
        options={"columns": 9, "rows": 9}, envs=64, batch=512, gamma=0.97, gae_lambda=0.7,
        entropy=0.003, net=(16, 16, 16, 16), learning_rate=3e-3, epochs=3, board=True, shaping=1.0,
    ),
    "breakthrough": Settings(
        300_000, opponent="self,random,ladder", against="random,heuristic?random=0.65,ladder",
        envs=64, batch=512, gamma=0.97, gae_lambda=0.7, entropy=0.003, net=(16, 16, 16, 16),
        learning_rate=3e-3, epochs=3, board=True, shaping=1.0,
    ),
}  # fmt: skip
"""About half a CPU-minute of learning each, chess seven, the boards below it two or three."""
OTHERS = Settings(500_000)


def settings_of(game: GameSpec) -> Settings:
    """How a game is learned: as ``TRAINING`` of its agents says, a dict of fields of ``Settings``;
    or as above; a game of sealed plans as ``PLANS``."""
    told = hooks.found(game, "TRAINING")
    if told is not None:
        return Settings(**told)
    if game.name not in SETTINGS and hooks.found(game, "ARCHETYPES"):
        return Settings(200_000, **PLANS)
    return SETTINGS.get(game.name, OTHERS)


SELF, LADDER = "self", "ladder"
"""What ``--opponent`` and ``--against`` name beside policies."""


# --- opponents -----------------------------------------------------------------------------------


class LadderOpponents:
    """The levels of a ladder as opponents: those near the learner's strength.

    The learner's level is the first that it has not beaten. It meets this level, the one below
    and the one above in a third of the games each; at an end of the ladder the level at the end
    stands for the one that is missing. A level is beaten while the returns of its last ``WINDOW``
    games sum to more than 0. On a ladder of scores nobody is beaten: all levels get games.

    Args:
        games: how many are played side by side, those against others included.

    Attributes:
        results: by level, the learner's returns of up to ``WINDOW`` games, the oldest first.
    """

    WINDOW = 50

    def __init__(self, ladder: Ladder, games: int):
        top, _ = ladder.reachable()
        self.has_winners = ladder.measure != "score"
        self.levels = [
            [make_policy(ladder.game, ladder.player(name)) for name in names]
            for names in ladder.levels[: top + 1]
        ]
        self.results: list[list[float]] = [[] for _ in self.levels]
        # Which level a game meets, and whether it has met it from the game's start.
        self._met = np.full(games, -1)
        self._whole = np.ones(games, bool)

    @property
    def level(self) -> int:
        """The first level that is not beaten, or else the last."""
        for level, returns in enumerate(self.results[:-1]):
            if len(returns) < self.WINDOW or sum(returns) <= 0:
                return level
        return len(self.levels) - 1

    def deal(self, games: np.ndarray) -> list[Policy]:
        """The opponents of ``games`` (K,) int64; they change only when the learner's level does."""
        order, top = np.arange(len(games)), len(self.levels) - 1
        if self.has_winners:
            # Numbers by threes, so that a step up or down changes a third of the games only.
            lowest = self.level - 1
            met = np.clip(lowest + (order - lowest) % 3, 0, top)
            turn = order // 3
        else:
            met, turn = order % (top + 1), order // (top + 1)
        before = self._met[games]
        self._whole[games[(before >= 0) & (before != met)]] = False
        self._met[games] = met
        chosen = [self.levels[level] for level in met.tolist()]
        return [policies[k % len(policies)] for policies, k in zip(chosen, turn, strict=True)]

    def take(self, game: int, gained: float) -> None:
        """Take note that a game has ended; one that changed its opponent is passed over."""
        level = self._met[game]
        if level >= 0 and self._whole[game]:
            self.results[level] = [*self.results[level], gained][-self.WINDOW :]
        self._whole[game] = True

    def snapshot(self) -> dict[str, Any]:
        """All that later deals depend on, as JSON."""
        return {
            "results": self.results,
            "met": self._met.tolist(),
            "whole": self._whole.tolist(),
        }

    def restore(self, notes: dict[str, Any]) -> None:
        """Go on from a ``snapshot`` of the same ladder and number of games."""
        self.results = notes["results"]
        self._met, self._whole = np.array(notes["met"]), np.array(notes["whole"])


class Opponents:
    """Who the learner meets: policies, its present and former selves, the levels of a ladder.

    Games are dealt out evenly among the opponents named. Of those for ``self``, half meet the
    present network and half one of the snapshots, another one in every rollout; snapshots are
    taken ``SNAPSHOTS`` times in the course of training, the untrained network is the first.
    Where all seats share one return, the partners are always the present network.
    """

    SNAPSHOTS = 10

    def __init__(
        self,
        game: GameSpec,
        names: list[str],
        envs: int,
        steps: int,
        seed: int,
        ladder: Ladder | None = None,
    ):
        self.names, self.seed = names, seed
        self.fixed = {name: make_policy(game, name) for name in names if name not in (SELF, LADDER)}
        self.ladder = None
        if LADDER in names:
            self.ladder = LadderOpponents(ladder or ladder_of(game.name), envs)
        self.use_pool = SELF in names and game.utility != "identical"
        self.every = max(1, steps // self.SNAPSHOTS)
        self.pool: list[Actor] = []
        self._deal = np.arange(envs)

    @property
    def compiled(self) -> bool:
        """Whether nothing has to be set before every rollout."""
        return len(self.names) == 1 and len(self.fixed) == 1

    @property
    def ladder_level(self) -> int | None:
        """The level that the learner is at, where it meets a ladder that can be climbed."""
        if self.ladder is None or not self.ladder.has_winners:
            return None
        return self.ladder.level

    def grow(self, present: Actor, steps: int) -> None:
        """Take a snapshot if it is time for one."""
        if self.use_pool and steps >= len(self.pool) * self.every:
            weights = {name: tensor.clone() for name, tensor in present.weights.items()}
            self.pool.append(actor_of(weights, present.activation))

    def now(self, present: Actor, steps: int) -> tuple[list[Policy], np.ndarray]:
        """The policies of the next rollout and which of them each game meets."""
        policies: list[Policy] = []
        kinds = self._deal % len(self.names)
        choice = np.zeros(len(kinds), np.int64)
        for kind, name in enumerate(self.names):
            own = np.flatnonzero(kinds == kind)
            choice[own] = len(policies)
            if name == SELF:
                policies.append(SB3Policy("present", present))
                if self.pool:
                    drawn = np.random.default_rng([self.seed, steps]).integers(len(self.pool))
                    choice[own[len(own) // 2 :]] = len(policies)
                    policies.append(SB3Policy("former", self.pool[drawn]))
            elif name == LADDER:
                assert self.ladder is not None
                dealt = self.ladder.deal(own)
                different = list(dict.fromkeys(dealt))
                choice[own] += [different.index(policy) for policy in dealt]
                policies += different
            else:
                policies.append(self.fixed[name])
        return policies, choice

    def take(self, ended: np.ndarray, infos: list[dict[str, Any]]) -> None:
        """Take note of the games that ended in a step.

        Args:
            ended: (N,) bool. infos: of all N games, as ``SB3VecEnv`` gives them.
        """
        if self.ladder is not None:
            for game in np.flatnonzero(ended).tolist():
                self.ladder.take(game, infos[game]["episode"]["r"])


# --- checkpoints ---------------------------------------------------------------------------------


def save_checkpoint(path: Path, model: Any, opponents: Opponents, notes: dict[str, Any]) -> None:
    """Write all that training needs to go on as if nothing had happened, whole or not at all."""
    import torch

    state: Any = np.random.get_state(legacy=True)
    name, keys, *rest = state
    notes = {
        **notes,
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "episodes": list(model.ep_info_buffer),
        "numpy": [name, np.asarray(keys).tolist(), *rest],
        "ladder": None if opponents.ladder is None else opponents.ladder.snapshot(),
    }
    tensors = {
        "parameters": model.get_parameters(),
        "pool": [actor.weights for actor in opponents.pool],
        "torch": torch.get_rng_state(),
        "starts": torch.from_numpy(np.asarray(model._last_episode_starts, np.uint8)),
    }
    draft = path.with_name(path.name + ".part")
    with zipfile.ZipFile(draft, "w") as archive:
        archive.writestr("notes.json", json.dumps(notes))
        for entry, write in (
            ("tensors.pth", lambda file: torch.save(tensors, file)),
            ("games.npz", lambda file: np.savez(file, **model.env.snapshot())),
        ):
            buffer = io.BytesIO()
            write(buffer)
            archive.writestr(entry, buffer.getvalue())
    os.replace(draft, path)


def load_checkpoint(path: Path, model: Any, opponents: Opponents) -> dict[str, Any]:
    """Bring a new model of the same settings to where a checkpoint was written.

    Only tensors, arrays and JSON are read. Call it right before ``learn``.

    Raises:
        InputError: the file is damaged or of other settings.
    """
    import torch

    try:
        with zipfile.ZipFile(path) as archive:
            notes = json.loads(archive.read("notes.json"))
            tensors = torch.load(io.BytesIO(archive.read("tensors.pth")), weights_only=True)
            arrays = dict(np.load(io.BytesIO(archive.read("games.npz"))))
        model.set_parameters(tensors["parameters"], exact_match=True, device="cpu")
        activation = model.policy.activation_fn.__name__
        opponents.pool = [actor_of(weights, activation) for weights in tensors["pool"]]
        if opponents.ladder is not None:
            opponents.ladder.restore(notes["ladder"])
        model._last_obs = model.env.restore(arrays)
        model._last_episode_starts = tensors["starts"].numpy().astype(bool)
        model.num_timesteps, model._n_updates = notes["steps"], notes["updates"]
        model.ep_info_buffer = deque(notes["episodes"], maxlen=model._stats_window_size)
        model.ep_success_buffer = deque(maxlen=model._stats_window_size)
        name, keys, *rest = notes["numpy"]
        np.random.set_state((name, np.array(keys, np.uint32), *rest))
        torch.set_rng_state(tensors["torch"])
    except Exception as error:  # whatever stands in it: zipfile, torch and SB3 have many names
        said = one_line(str(error), 80) or type(error).__name__
        raise InputError(f"{path} is damaged: {said}; start a new run") from None
    return notes


# --- training ------------------------------------------------------------------------------------


@dataclass
class Spent:
    """What training has cost so far, evaluations and checkpoints left out.

    Attributes:
        wall_s, cpu_s: seconds. rules_s: of the wall time, what went into stepping games.
        opponents_s: what went into asking opponents.
    """

    wall_s: float = 0.0
    cpu_s: float = 0.0
    rules_s: float = 0.0
    opponents_s: float = 0.0


class Trainer:
    """A model, its games and opponents, from a new run's start or from a checkpoint.

    Args:
        folder: of the run; holds ``checkpoint.zip``, ``agent.zip`` and TensorBoard's files.
        settings: with the run's own steps, opponent and options filled in.
        threads: PyTorch's. ladder: that opponents are taken from, the game's by default.
        start: the agent to go on from, whose ``settings`` these are.
    """

    def __init__(
        self,
        game: GameSpec,
        settings: Settings,
        seed: int,
        folder: Path,
        threads: int,
        ladder: Ladder | None = None,
        start: Any = None,
    ):
        import torch
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.logger import configure

        from stratagym.wrappers.sb3 import SB3VecEnv

        torch.set_num_threads(threads)
        self.game, self.settings, self.seed, self.folder = game, settings, seed, folder
        names = [name.strip() for name in settings.opponent.split(",")]
        self.opponents = Opponents(game, names, settings.envs, settings.steps, seed, ladder)
        # A policy that is never asked keeps the games open to those of ``set_opponents``.
        first: Any = names[0] if self.opponents.compiled else _Nobody()
        self.env = SB3VecEnv(
            game.name, settings.envs, first, "rotate", seed=seed,
            reward_scale=settings.reward_scale, shaping=settings.shaping, gamma=settings.gamma,
            **settings.options,
        )  # fmt: skip
        policy, policy_kwargs = self._network()
        self.model = MaskablePPO(
            policy, self.env, learning_rate=_Falling(settings.learning_rate),
            n_steps=settings.rollout, batch_size=settings.batch, n_epochs=settings.epochs,
            gamma=settings.gamma, gae_lambda=settings.gae_lambda, ent_coef=settings.entropy,
            policy_kwargs=policy_kwargs,
            seed=seed % 2**32, device="cpu",
        )  # fmt: skip
        self.start = start
        if start is not None:
            start.into(self.model.policy)
        self.actor = actor_of(self.model.policy.state_dict(), "ReLU")
        formats = ["tensorboard"] if has_tensorboard() else []
        self.model.set_logger(configure(str(folder / "tensorboard"), formats))
        self.spent = Spent()
        self.evaluated = -1
        self._resumed = False

    def _network(self) -> tuple[Any, dict[str, Any]]:
        """SB3's policy and its arguments."""
        import torch

        from stratagym.wrappers.sb3_board import BoardPolicy, board_settings

        net = self.settings.net
        if self.settings.board:
            return BoardPolicy, board_settings(self.env.rules, net, self.settings.planes)
        return "MlpPolicy", {"net_arch": list(net), "activation_fn": torch.nn.ReLU}

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint.zip"

    def resume(self) -> None:
        """Go on from the checkpoint, if there is one."""
        if not self.checkpoint.exists():
            return
        notes = load_checkpoint(self.checkpoint, self.model, self.opponents)
        self.spent, self.evaluated = Spent(**notes["spent"]), notes["evaluated"]
        self._resumed = True

    def learn(
        self,
        evaluate: Callable[[int], Any],
        evaluations: int,
        advance: Callable[[int], Any],
        checkpoint_s: float,
    ) -> None:
        """Train until ``settings.steps``.

        Args:
            evaluate: called with the steps done, ``evaluations`` times and at the start.
            advance: told the steps done after each step of all games.
            checkpoint_s: seconds between checkpoints.
        """
        from stable_baselines3.common.callbacks import BaseCallback

        trainer, model = self, self.model
        every = max(1, self.settings.steps // evaluations)
        written = time.monotonic()
        clock: list[float] = []

        def start_clock() -> None:
            clock[:] = _clock(self.env)

        def stop_clock() -> None:
            if not clock:  # what comes before the first rollout is compilation
                return
            spent = [now - then for now, then in zip(_clock(self.env), clock, strict=True)]
            for name, seconds in zip(Spent.__dataclass_fields__, spent, strict=True):
                setattr(self.spent, name, getattr(self.spent, name) + seconds)

        class BetweenUpdates(BaseCallback):
            def _on_rollout_start(self) -> None:
                nonlocal written
                stop_clock()
                steps = model.num_timesteps
                due = trainer.evaluated < 0 or steps // every > trainer.evaluated // every
                if due:
                    evaluate(steps)
                    trainer.evaluated = steps
                if trainer.start is not None:
                    trainer.start.hold(model.policy, steps / trainer.settings.steps)
                trainer.opponents.grow(trainer.actor, steps)
                if due or time.monotonic() - written >= checkpoint_s:
                    trainer.save()
                    written = time.monotonic()
                if not trainer.opponents.compiled:
                    trainer.env.set_opponents(*trainer.opponents.now(trainer.actor, steps))
                start_clock()

            def _on_step(self) -> bool:
                trainer.opponents.take(self.locals["dones"], self.locals["infos"])
                advance(model.num_timesteps)
                return True

        left = self.settings.steps - model.num_timesteps
        if left > 0:
            if not self.opponents.compiled:
                # Before SB3 resets the games, in which opponents may have the first move.
                self.opponents.grow(self.actor, model.num_timesteps)
                self.env.set_opponents(*self.opponents.now(self.actor, model.num_timesteps))
            model.learn(left, BetweenUpdates(), reset_num_timesteps=not self._resumed)
            stop_clock()
        if self.evaluated < model.num_timesteps:
            evaluate(model.num_timesteps)
            self.evaluated = model.num_timesteps
        self.save()

    def save(self) -> None:
        """Write the checkpoint, and the actor alone as ``agent.zip``."""
        notes = {"spent": self.spent.__dict__, "evaluated": self.evaluated}
        save_checkpoint(self.checkpoint, self.model, self.opponents, notes)
        draft = self.folder / "agent.zip.part"
        facts = facts_of(self.game, "ReLU", **self.settings.options)
        trained: dict[str, Any] = {
            "steps": self.model.num_timesteps,
            "opponent": self.settings.opponent,
            "seed": self.seed,
        }
        if self.start is not None:
            trained["from"] = self.start.record()
        save_actor(self.actor, draft, facts | trained)
        os.replace(draft, self.folder / "agent.zip")


class _Falling:
    """SB3's schedule from ``rate`` to 0, by the share of training that is left."""

    def __init__(self, rate: float):
        self.rate = rate

    def __call__(self, left: float) -> float:
        return self.rate * left


class _Nobody(Policy):
    """Stands where opponents will be."""

    name = "nobody"

    def act(self, view: Any) -> int:
        raise RuntimeError("no opponents have been set")


def _clock(env: Any) -> tuple[float, float, float, float]:
    return time.perf_counter(), time.process_time(), env.rules_s, env.opponents_s


def has_tensorboard() -> bool:
    """Whether TensorBoard's writer can be had."""
    try:
        import torch.utils.tensorboard  # noqa: F401
    except ImportError:
        return False
    return True
