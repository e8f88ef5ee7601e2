"""A stand-in for DIAMBRA's engine: our own fighter, which tells what the engine tells.

``Cabinet`` is the machine. ``arena()`` makes what the adapter uses of the package diambra-arena,
with the same names, spaces and values, around it; tests/frameworks/test_diambra.py serves it by
gRPC.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from stratagym.envs import core, spec

GAME = spec("street_fighter")
KEN = 18
COMMON = {"stage": (1, 10), "timer": (0, 99)}
BOXES = {
    "wins": (0, 2), "stun_bar": (0, 72), "super_bar": (0, 128), "super_count": (0, 3),
    "super_max_count": (1, 3), "health": (-1, 160),
}  # fmt: skip
CHOICES = {"side": 2, "character": 20, "stunned": 2, "super_type": 3}
"""What the engine tells and its bounds, as diambra-arena's integratedGames.json has them."""
COLOURS = ((248, 0, 0), (48, 88, 152))
FLAGS = ("round_done", "stage_done", "game_done", "episode_done", "env_done")


class Cabinet:
    """A match of two; where there is one player, the other does nothing.

    Attributes:
        states: (1,) the true position. flags: of the last step. reward: of the first player.
    """

    def __init__(self, rounds: int = 3, frames: int = 6):
        self.rules = GAME.make_rules(rounds=rounds, frames=frames)
        self.states, self._scratch = core.new_states(self.rules), core.new_scratch(self.rules)
        self.begin()

    def begin(self) -> None:
        core.start_at(self.rules, self.states, 0, np.uint64(0), self._scratch[1])
        self.flags, self.reward = dict.fromkeys(FLAGS, False), 0

    def step(self, inputs: list[int]) -> None:
        s = self.states[0]
        before = s["health"].astype(int).tolist()
        played = int(s["round"])
        for action in inputs:
            core.play_at(self.rules, self.states, 0, action, *self._scratch)
        is_round_over = int(s["round"]) > played
        after = (s["rounds_health"][played] if is_round_over else s["health"]).astype(int).tolist()
        self.reward = after[0] - after[1] - before[0] + before[1]
        over = bool(s["over"])
        self.flags = dict(zip(FLAGS, (is_round_over, over, over, over, over), strict=True))

    def told(self) -> dict[str, Any]:
        """All numbers, by the engine's names."""
        s = self.states[0]
        is_on_right = (s["side"] > 0, s["side"] < 0)
        found: dict[str, Any] = {"stage": 1, "timer": 99 - int(s["clock"]) // 60}
        for i, name in enumerate(("P1", "P2")):
            meter = int(s["meter"][i])
            found[name] = {
                "side": int(is_on_right[i]), "wins": int(s["wins"][i]), "character": KEN,
                "health": int(s["health"][i]) or -1, "super_bar": meter % 80,
                "super_count": meter // 80, "super_max_count": 3, "super_type": 2,
                "stun_bar": int(s["stun"][i]), "stunned": int(s["stance"][i] == 9),
            }  # fmt: skip
        return found

    def frame(self) -> np.ndarray:
        """A picture with a block of colour where each fighter stands."""
        found = np.zeros((224, 384, 3), np.uint8)
        for i, colour in enumerate(COLOURS):
            x = int(self.states[0]["x"][i]) // 2
            found[120:180, x - 4 : x + 5] = colour
        return found


class _Env(gym.Env):
    """What ``diambra.arena.make`` returns, as far as the adapter uses it."""

    def __init__(self, settings: Any, cabinet: Cabinet, inputs: int):
        self.settings, self.cabinet = settings, cabinet
        self.closed = 0
        own = {key: spaces.Box(*bounds, (1,), np.int16) for key, bounds in BOXES.items()}
        own |= {key: spaces.Discrete(n) for key, n in CHOICES.items()}
        told: dict[str, Any] = {
            key: spaces.Box(*bounds, (1,), np.int16) for key, bounds in COMMON.items()
        }
        told["frame"] = spaces.Box(0, 255, (224, 384, 3), np.uint8)
        self.observation_space = spaces.Dict(
            {**told, "P1": spaces.Dict(own), "P2": spaces.Dict(own)}
        )
        one = spaces.Discrete(inputs)
        two = settings.n_players == 2
        self.action_space = spaces.Dict({"agent_0": one, "agent_1": one}) if two else one

    def _seen(self) -> dict[str, Any]:
        told = self.cabinet.told()
        for boxes, part in ((COMMON, told), (BOXES, told["P1"]), (BOXES, told["P2"])):
            for key in boxes:
                part[key] = np.array([part[key]], np.int16)
        return {**told, "frame": self.cabinet.frame()}

    def reset(self, seed=None, options=None):
        self.cabinet.begin()
        return self._seen(), dict(self.cabinet.flags)

    def step(self, action):
        two = isinstance(action, dict)
        self.cabinet.step([action["agent_0"], action["agent_1"]] if two else [action, 0])
        done = self.cabinet.flags["game_done" if two else "episode_done"]
        return self._seen(), self.cabinet.reward, done, False, dict(self.cabinet.flags)

    def close(self):
        self.closed += 1


def arena(cabinet: Cabinet, inputs: int = 18, tell: set[str] | None = None) -> SimpleNamespace:
    """A module in the place of ``diambra.arena``; ``made`` has what it made.

    Args:
        inputs: of a player. tell: of each player, where it is not everything.
    """
    made: list[_Env] = []

    def make(game_id, env_settings, **given):
        env = _Env(env_settings, cabinet, inputs)
        if tell is not None:
            for player in ("P1", "P2"):
                own = env.observation_space[player].spaces
                for key in set(own) - tell:
                    del own[key]
        made.append(env)
        return env

    return SimpleNamespace(
        make=make,
        made=made,
        SpaceTypes=SimpleNamespace(DISCRETE=1, MULTI_DISCRETE=2),
        Roles=SimpleNamespace(P1=2, P2=3),
        EnvironmentSettings=lambda: SimpleNamespace(n_players=1),
        EnvironmentSettingsMultiAgent=lambda: SimpleNamespace(n_players=2),
    )
