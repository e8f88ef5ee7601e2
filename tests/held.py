"""Answers of a model that are held to legal moves, from positions of all lengths of a game."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np

from stratagym.agents.answering import GRAMMAR, fields
from stratagym.agents.gguf import GGUFChat
from stratagym.envs import spec
from stratagym.envs.constraints import LEGAL, constrained
from stratagym.envs.prompts import TextOptions, legal_list
from stratagym.envs.text import TextGame, judge

ASKED = [{"role": "user", "content": "Your move."}]
"""Whether an answer is legal follows from what it is held to, not from the prompt: a short one
takes a hundredth of the time."""


def positions(name: str, count: int, rng: np.random.Generator) -> list[TextGame]:
    """Positions with a move to make, at random moments of random games."""
    found = []
    while len(found) < count:
        game, seed = TextGame(name), int(rng.integers(2**31))
        game.reset(seed=seed)
        length = 0
        while not game.over:
            game.play(int(rng.choice(legal_list(game.rules, game.states))))
            length += 1
        actions = game.actions[: int(rng.integers(length))]
        game.reset(seed=seed)
        for action in actions:
            game.play(action)
        if not game.over:
            found.append(game)
    return found


def held_answers(chat: GGUFChat, name: str, count: int, rng: np.random.Generator) -> list[str]:
    """What became of ``count`` answers that were held to legal moves."""

    async def ask(game: TextGame) -> str:
        asked: tuple[Any, ...] = (spec(name), game.rules, game.states, TextOptions())
        shape = constrained(*asked, LEGAL)
        assert shape is not None
        reply = await chat.generate(ASKED, None, fields(shape, GRAMMAR))
        return judge(*asked[:3], reply.text).kind

    async def ask_all() -> list[str]:
        return list(await asyncio.gather(*(ask(game) for game in positions(name, count, rng))))

    return asyncio.run(ask_all())
