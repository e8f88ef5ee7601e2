"""Whole games as an environment of verifiers (https://github.com/PrimeIntellect-ai/verifiers).

    eval stratagym-game --env.taskset.game tictactoe --env.taskset.opponent random

Written for verifiers 0.4, where an environment is a taskset (the games: a seed and the model's
seat) and an ``Env`` (how one is played). The conversation is one growing chat, as training wants
it: the task's prompt is the first question, each later one is the next user turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from stratagym.envs.text import TextOptions
from stratagym.wrappers.dialogue import FORFEIT, Dialogue, check_cut_off, pairings, players_of
from stratagym.wrappers.rewards import Rewards

try:
    import verifiers.v1 as vf
except ModuleNotFoundError as error:
    if error.name not in ("verifiers", "verifiers.v1"):
        raise
    raise ModuleNotFoundError(
        'this environment needs verifiers 0.4 or newer: pip install "stratagym[verifiers]"',
        name=error.name,
    ) from None

PLUGIN = "stratagym_game"
"""The name by which verifiers finds this environment."""


class GameTasksetConfig(vf.TasksetConfig):
    """Which games are played; recorded by verifiers with every run."""

    game: str = "connect_four"
    """A registered game."""
    opponent: str = "mcts:100"
    """A policy string for all other seats."""
    games: int | None = None
    """How many, a multiple of the number of seats; by default ten seeds from every seat."""
    seed: int = 0
    """Seed of the games' seeds."""
    tries: int = 3
    """Answers for one move; a bad one is quoted back."""
    invalid: str = FORFEIT
    """What follows the last bad answer: forfeit or random."""
    cut_off: str = FORFEIT
    """What a game comes to that a limit ends: forfeit, or none (no reward; only counted)."""
    list_legal: bool = False
    """Name the legal moves in the prompt."""
    lenient: bool = False
    """Also accept replies that the game's view calls lenient."""
    persona: str = "none"
    """A playing style the game's view knows."""
    renamed: bool = False
    """Tell the game under made-up names, its rules in full."""
    prompt: dict[str, Any] = {}  # noqa: RUF012 - pydantic copies defaults
    """More of ``TextOptions``, such as ``{"system": "merge", "hints": True}``."""
    options: dict[str, Any] = {}  # noqa: RUF012 - pydantic copies defaults
    """The game's options."""
    rewards: dict[str, Any] = {}  # noqa: RUF012 - pydantic copies defaults
    """Of ``Rewards``, such as ``{"illegal": -0.1, "forfeit": -2}``; by default the return alone."""

    def settings(self) -> dict[str, Any]:
        """``Dialogue``'s arguments, the seed and the seat apart."""
        check_cut_off(self.cut_off)
        text = TextOptions(
            self.persona, self.list_legal, self.lenient, renamed=self.renamed
        ).with_more(self.prompt)
        return {
            "game": self.game, "opponent": self.opponent, "tries": self.tries,
            "invalid": self.invalid, "text": text, "options": self.options,
            "rewards": Rewards.of(self.rewards),
        }  # fmt: skip


class GameData(vf.TaskData):
    """A game: its seed, as text because JavaScript rounds numbers above 2**53, and the seat."""

    seed: str
    seat: int


class GameTask(vf.Task[GameData, vf.State, vf.TaskConfig]):
    """One game."""


class GameTaskset(vf.Taskset[GameTask, GameTasksetConfig]):
    """The games of a configuration, every seed once from each seat."""

    def load(self) -> Iterator[GameTask]:
        """The games that the model has a decision in. Raises ``ValueError`` for a bad setting."""
        config = self.config
        players = players_of(config.game, config.options)
        for number, (seed, seat) in enumerate(pairings(players, config.games, config.seed)):
            dialogue = Dialogue(seed=seed, seat=seat, **config.settings())
            if not dialogue.over:
                name = f"{config.game}#{number // players}-{seat}"
                data = GameData(name=name, prompt=dialogue.news, seed=str(seed), seat=seat)
                yield GameTask(data, config.task)


class GameEnvConfig(vf.EnvConfig):
    """The one seat that a model has."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})


class GameEnv(vf.Env[GameEnvConfig]):
    """Plays a task's game; the reward is the seat's return, all other figures are metrics.

    With other ``rewards`` it is what they add up to, and the return is a metric among the others.
    """

    async def run(self, task: Any, agents: Any) -> None:
        """One game. If a limit ends it, ``cut_off`` says what it counts; a failed call counts
        nothing."""
        config = self.taskset.config
        data = task.data
        # In a thread: an opponent that thinks must not hold up other games' requests.
        dialogue = await asyncio.to_thread(
            Dialogue, seed=int(data.seed), seat=data.seat, **config.settings()
        )
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                await asyncio.to_thread(dialogue.answer, segment.last_reply)
                if dialogue.over:
                    break
                segment = await interaction.turn(dialogue.news)
        trace = interaction.trace
        cut_off = config.cut_off
        record = dialogue.record(cut_off)
        trace.info["game"] = {**record, "seed": data.seed}
        if not dialogue.over and trace.has_error:
            return
        scores = dialogue.scores(cut_off)
        earned = dialogue.earned(cut_off)
        if earned is None:
            trace.record_metric("cut_off", scores["cut_off"])
            return
        if dialogue.rewards.shaped:
            trace.record_reward("reward", earned, 1.0)
        else:
            trace.record_reward("return", scores.pop("return"), 1.0)
        for name, value in scores.items():
            trace.record_metric(name, value)


def load_environment(**settings: Any) -> vf.Env:
    """The environment for ``GameTasksetConfig``'s fields.

    Raises:
        ValueError: a bad setting, in one line.
    """
    config = GameTasksetConfig(id=PLUGIN, **settings)
    pairings(players_of(config.game, config.options), config.games, config.seed)
    Dialogue(seed=0, seat=0, **config.settings())
    return GameEnv(GameEnvConfig(taskset=config))
