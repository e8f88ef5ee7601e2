"""A real model, held to legal moves in every game whose answer is one move."""

import pytest
from held import held_answers
from local_engine import missing

from stratagym.agents.gguf import GGUFChat
from stratagym.envs import games, spec
from stratagym.envs.plans import plan_kind

ONE_MOVE = [name for name in games() if plan_kind(spec(name)) is None]
ENGINE = {"threads": 1, "slots": 2, "context": 512}
"""Two threads wait for each other where other tests take their processors."""


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=missing())
@pytest.mark.parametrize("name", ONE_MOVE)
def test_every_answer_that_is_held_to_legal_moves_is_legal(name, rng):
    chat = GGUFChat("smollm2", **ENGINE, max_tokens=200, temperature=1.0, timeout_s=600)
    outcomes = held_answers(chat, name, 50, rng)
    assert outcomes == ["ok"] * 50
