"""Which trained agents look ahead without being told to, and the names of those that do not."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'stratagym[rl]'")

from stratagym import envs
from stratagym.agents import sb3
from stratagym.agents.core import make_policy


@pytest.mark.parametrize(
    ("text", "look", "name", "version"),
    [
        ("sb3", True, "sb3", 2),
        ("sb3?deterministic=1", True, "sb3?deterministic=1", 2),
        ("sb3?version=1", False, "sb3?version=1", 1),
        ("sb3?look=0", False, "sb3?look=0", 1),
        ("sb3?look=1", True, "sb3?look=1", 1),
    ],
)
def test_the_agent_of_chess_looks_ahead_unless_told_otherwise(text, look, name, version):
    policy = make_policy(envs.spec("chess"), text)
    assert (policy.look, policy.name, policy.version) == (look, name, version)
    assert make_policy(envs.spec("chess"), policy.name).look is look


def test_other_agents_look_ahead_on_request_alone():
    game = envs.spec("tictactoe")
    file = sb3.SHIPPED / "tictactoe.zip"
    for text in ("sb3", f"sb3:{file}", "sb3?version=1", "sb3?look=0"):
        policy = make_policy(game, text)
        assert not policy.look and policy.version == 1, text
