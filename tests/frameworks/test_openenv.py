"""OpenEnv: its server and its client, over a socket of this machine."""

import asyncio
import socket
import threading
import time

import numpy as np
import pytest
from local_engine import missing

openenv = pytest.importorskip("openenv", reason="pip install 'stratagym[openenv]'")

import uvicorn  # noqa: E402
from openenv.core import GenericEnvClient  # noqa: E402

from stratagym.agents.gguf import GGUFChat  # noqa: E402
from stratagym.wrappers import openenv as served  # noqa: E402
from stratagym.wrappers.dialogue import Dialogue  # noqa: E402

SETTINGS = {"tries": 2, "rewards": {"illegal": -0.25, "turn": 0.5}}


@pytest.fixture(scope="module")
def address():
    """A server of connect four."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = uvicorn.Config(
        served.app("connect_four", "random", **SETTINGS), port=port, log_level="warning"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    for _ in range(600):
        if server.started:
            break
        time.sleep(0.1)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(60)


def client_of(address):
    """A client that waits: the first game compiles its kernels."""
    waits = {"connect_timeout_s": 300, "message_timeout_s": 600, "websocket_ping_interval_s": None}
    return GenericEnvClient(base_url=address, **waits).sync()


def dialogue(seed, seat):
    found = served.GameEnvironment("connect_four", "random", **SETTINGS)
    found.reset(seed=seed, seat=seat)
    return found._dialogue


@pytest.mark.parametrize("seat", [0, 1])
def test_a_game_is_the_one_of_the_dialogue(address, seed, seat, rng):
    mine = dialogue(seed % 2**31, seat)
    assert isinstance(mine, Dialogue)
    with client_of(address) as client:
        result = client.reset(seed=seed % 2**31, seat=seat)
        while not result.done:
            seen = result.observation
            assert seen["messages"] == mine.messages and seen["legal"] == mine.moves
            assert seen["news"] == mine.news
            reply = f"Move: {rng.choice(mine.moves)}" if rng.random() < 0.8 else "Move: 9"
            outcome = mine.answer(reply)
            result = client.step({"text": reply})
            assert result.observation["kind"] == outcome.kind
            assert result.reward == pytest.approx(mine.answers[-1].reward)
        assert mine.over
        assert result.observation["result"] == mine.result()
        assert result.observation["scores"] == pytest.approx(mine.scores())
        state = client.state()
        state = state if isinstance(state, dict) else state.model_dump()
        assert state["game"] == "connect_four" and state["seat"] == seat
        assert state["seed"] == str(seed % 2**31) and state["answers"] == len(mine.answers)


def test_sessions_have_games_of_their_own(address):
    with (
        client_of(address) as one,
        client_of(address) as other,
    ):
        first = one.reset(seed=1)
        other.reset(seed=1)
        for _ in range(3):
            other.step({"text": "Move: 3"})
        now = one.step({"text": "Move: 0"})
        assert now.observation["messages"] != first.observation["messages"]
        assert one.state() != other.state()


def test_a_bad_server_is_one_line(capsys):
    for arguments, words in (
        (["--game", "nothing"], "nothing"),
        (["--opponent", "nobody"], "unknown policy"),
        (["--tries", "0"], "tries 0"),
    ):
        with pytest.raises(SystemExit) as ended:
            served.main(arguments)
        assert ended.value.code == 2
        # What is compiled for the first time says so before.
        last = capsys.readouterr().err.splitlines()[-1]
        assert last.startswith("python -m stratagym.wrappers.openenv: ") and words in last


@pytest.mark.skipif(bool(missing()), reason=missing())
def test_a_real_model_answers(address):
    """SmolLM2 is asked what the server asks; whatever it says, the game goes on or ends."""
    chat = GGUFChat("smollm2", slots=1, threads=1, context=1024, max_tokens=8)
    kinds = []
    with client_of(address) as client:
        result = client.reset(seed=1)
        while not result.done and len(kinds) < 4:
            reply = asyncio.run(chat.generate(result.observation["messages"]))
            result = client.step({"text": reply.text})
            kinds.append(result.observation["kind"])
    assert kinds and set(kinds) <= {"ok", "unparseable", "illegal"}
    assert np.isfinite(result.reward)
