"""Requests to a scripted server through ``OpenAIChat``, for the tests of models."""

from __future__ import annotations

import asyncio
import os

import pytest
from openai_server import OpenAIServer

from stratagym.agents import chat as chats
from stratagym.agents.chat import OpenAIChat, TransportError
from stratagym.agents.chat_clients import CLIENTS

KEY = "sk-proj-Zq81tiresomelySecret0042"
HELLO = [{"role": "user", "content": "hello"}]


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    """No key or proxy of whoever runs the tests, and short back-offs."""
    for variable in list(os.environ):
        if variable.startswith("OPENAI_") or variable.lower().endswith("_proxy"):
            monkeypatch.delenv(variable)
    monkeypatch.setattr(chats, "FIRST_BACK_OFF_S", 0.01)


@pytest.fixture(params=CLIENTS)
def client(request, monkeypatch):
    """One after the other, each client as what ``OpenAIChat`` takes by itself."""
    pytest.importorskip(request.param)
    monkeypatch.setitem(OpenAIChat.__init__.__kwdefaults__, "client", request.param)
    return request.param


def ask(chat, *prompts):
    """The replies to prompts asked at once, errors among them, in one event loop."""

    async def ask_all():
        try:
            return await asyncio.gather(
                *(chat.generate([{"role": "user", "content": prompt}]) for prompt in prompts),
                return_exceptions=True,
            )
        finally:
            await chat.close()

    return asyncio.run(ask_all())


def reply_to(script, **options):
    """The server after, and the reply or error to, one request."""
    with OpenAIServer(script) as server:
        (result,) = ask(OpenAIChat("model", base_url=server.base_url, **options), "hello")
    return server, result


def failure(script, **options):
    server, result = reply_to(script, **options)
    assert isinstance(result, TransportError), result
    return server, result
