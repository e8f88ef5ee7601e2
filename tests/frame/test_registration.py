"""The ids under which other libraries find the games, each tried in a fresh process."""

from __future__ import annotations

import subprocess
import sys

import pettingzoo
import pytest

GYMNASIUM_WITHOUT_IMPORT = """
import gymnasium
env = gymnasium.make("stratagym.envs:stratagym/Tictactoe-v0", opponent="random")
print(env.reset(seed=1)[0].shape, env.unwrapped.game.name)
"""

GYMNASIUM_VECTOR_WITHOUT_IMPORT = """
import gymnasium
env = gymnasium.make_vec("stratagym.envs:stratagym/Tictactoe-v0", num_envs=5, opponent="random")
print(env.reset(seed=1)[0].shape, type(env.unwrapped).__name__)
"""

AFTER_IMPORT = """
import gymnasium
import stratagym.envs
env = gymnasium.make("stratagym/ConnectFour-v0", opponent="random", seat=1)
env.reset(seed=1)
observation, reward, terminated, truncated, info = env.step(3)
print(observation.sum(), info["seat"])
batch = gymnasium.make_vec("stratagym/ConnectFour-v0", num_envs=3, opponent="random")
print(batch.reset(seed=1)[0].shape, type(batch.unwrapped).__name__)
"""

PETTINGZOO = """
import pettingzoo
import stratagym.envs
env = pettingzoo.make("aec", "stratagym/connect_four-v0", illegal="raise")
env.reset(seed=1)
print(env.last()[0]["observation"].shape, env.metadata["name"], env.illegal)
"""


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_gymnasium_finds_a_game_by_module_and_id():
    """Gymnasium has had no entry points since 1.0: the module in front of the id is its way."""
    assert python(GYMNASIUM_WITHOUT_IMPORT) == "(3, 3, 2) tictactoe\n"


def test_gymnasium_finds_a_vector_by_module_and_id():
    assert python(GYMNASIUM_VECTOR_WITHOUT_IMPORT) == "(5, 3, 3, 2) VectorEnv\n"


def test_gymnasium_ids_after_an_import():
    # Its opponent opened, the learner answered, the opponent played again.
    assert python(AFTER_IMPORT) == "3 1\n(3, 6, 7, 2) VectorEnv\n"


def test_pettingzoo_ids_after_an_import():
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this PettingZoo has no registry: it came with 1.27")
    assert python(PETTINGZOO) == "(6, 7, 2) connect_four_v0 raise\n"
