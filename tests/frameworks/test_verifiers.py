"""Games as a verifiers environment: found by name, loaded, and played by a scripted player."""

from __future__ import annotations

import asyncio
import contextlib
from types import SimpleNamespace

import pytest

vf = pytest.importorskip(
    "verifiers.v1", reason="needs verifiers 0.4: pip install 'stratagym[verifiers]'"
)

from verifiers.v1.utils.loaders import env_config_type, environment_class, load_taskset  # noqa: E402

from stratagym.wrappers.dialogue import Dialogue  # noqa: E402
from stratagym.wrappers.verifiers import PLUGIN, GameEnv, GameTasksetConfig, load_environment  # noqa: E402


class Player:
    """A seat whose replies are scripted; keeps what it was told, rewards and metrics."""

    def __init__(self, say, turns: int = 10**6):
        self.say, self.turns = say, turns
        self.told: list[str] = []
        self.rewards: dict[str, float] = {}
        self.metrics: dict[str, float] = {}
        self.trace = SimpleNamespace(
            info={},
            record_reward=lambda name, value, weight: self.rewards.update({name: value * weight}),
            record_metric=lambda name, value: self.metrics.update({name: value}),
            has_error=False,
        )

    @contextlib.asynccontextmanager
    async def interaction(self, task):
        self.task = task
        yield self

    async def turn(self, message: str | None = None):
        self.told.append(self.task.data.prompt if message is None else message)
        over = len(self.told) > self.turns
        return SimpleNamespace(terminated=over, last_reply=self.say(len(self.told) - 1))


def played(env: GameEnv, task, say, turns: int = 10**6) -> Player:
    player = Player(say, turns)
    asyncio.run(env.run(task, SimpleNamespace(player=player)))
    return player


def squares(n: int) -> str:
    return f"Move: {n // 3 % 3 + 1},{n % 3 + 1}"


def test_verifiers_finds_the_environment_by_name():
    assert environment_class(PLUGIN.replace("_", "-")) is GameEnv
    assert "player" in env_config_type(PLUGIN).model_fields
    taskset = load_taskset(GameTasksetConfig(id=PLUGIN, game="tictactoe", opponent="random"))
    assert len(list(taskset)) == 20


def test_the_reward_is_the_games_return(seed):
    env = load_environment(game="tictactoe", opponent="random", games=6, seed=seed, tries=9)
    tasks = list(env.taskset)
    assert [task.data.seat for task in tasks] == [0, 1] * 3
    for task in tasks:
        player = played(env, task, squares)
        own = int(task.data.seed)
        same = Dialogue("tictactoe", "random", seed=own, seat=task.data.seat, tries=9)
        told = []
        while not same.over:
            told.append(same.news)
            same.answer(squares(len(told) - 1))
        assert player.told == told
        assert player.rewards == {"return": same.returns()[task.data.seat]}
        assert player.metrics == {k: v for k, v in same.scores().items() if k != "return"}
        assert player.trace.info["game"] == same.record() | {"seed": task.data.seed}


def test_bad_answers_are_told_and_forfeit(seed):
    env = load_environment(game="connect_four", opponent="random", games=2, seed=seed, tries=2)
    player = played(env, next(iter(env.taskset)), lambda n: "no")
    assert len(player.told) == 2 and "has no line `Move: <column>`" in player.told[1]
    assert player.rewards == {"return": -1.0}
    assert player.metrics["forfeit"] == 1 and player.metrics["unparseable"] == 2


def test_rewards_stay_apart_from_the_return(seed):
    env = load_environment(
        game="tictactoe", opponent="random", games=2, seed=seed, tries=2,
        rewards={"unparseable": -0.25, "forfeit": -3},
    )  # fmt: skip
    player = played(env, next(iter(env.taskset)), lambda n: "no")
    assert player.rewards == {"reward": 2 * -0.25 - 3}
    assert player.metrics["return"] == -1 and player.metrics["forfeit"] == 1


def test_a_game_that_a_limit_cuts_off_is_scored(seed):
    for cut_off, rewards in (("forfeit", {"return": -1.0}), ("none", {})):
        env = load_environment(
            game="connect_four", opponent="random", games=2, seed=seed, cut_off=cut_off
        )
        player = played(env, next(iter(env.taskset)), lambda n: f"Move: {n + 1}", turns=1)
        assert player.rewards == rewards and player.metrics["cut_off"] == 1
        assert player.trace.info["game"]["ended_by"] == "cut_off"
    env = load_environment(
        game="connect_four", opponent="random", games=2, seed=seed, rewards={"forfeit": -2}
    )
    player = played(env, next(iter(env.taskset)), lambda n: f"Move: {n + 1}", turns=1)
    assert player.rewards == {"reward": -2} and player.metrics["return"] == -1


def test_a_game_that_a_failed_call_ends_has_no_reward(seed):
    env = load_environment(game="connect_four", opponent="random", games=2, seed=seed)
    player = Player(lambda n: f"Move: {n + 1}", turns=1)
    player.trace.has_error = True
    asyncio.run(env.run(next(iter(env.taskset)), SimpleNamespace(player=player)))
    assert player.rewards == player.metrics == {}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"games": 3}, "multiple of 2"),
        ({"opponent": "nobody"}, "unknown policy"),
        ({"invalid": "shrug"}, "choose forfeit or random"),
        ({"cut_off": "shrug"}, "choose forfeit or none"),
        ({"rewards": {"win": 1}}, "unknown reward 'win'"),
    ],
)
def test_bad_settings_are_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        load_environment(game="tictactoe", **settings)
