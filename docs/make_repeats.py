"""Measures how many answers differ between two runs with four slots, for ``docs/local_models.md``.

``python docs/make_repeats.py`` asks SmolLM2-135M-Instruct 30 questions of three games twice, four
at a time and at temperature 0, the second time in another order, as it comes between runs, and
prints the share of answers that differ.
"""

from __future__ import annotations

import asyncio
import random

from stratagym.agents.gguf import GGUFChat
from stratagym.agents.gguf_engine import build
from stratagym.benchmarks.reporting.stats import wilson
from stratagym.envs.prompts import legal_list
from stratagym.envs.text import TextGame

GAMES, SEED, TOKENS = ("tictactoe", "connect_four", "coin_game"), 0, 32


def prompts(each: int) -> list[list[dict[str, str]]]:
    """Questions in positions of random games."""
    draws, found = random.Random(SEED), []
    for name in GAMES:
        for nth in range(each):
            game = TextGame(name)
            game.reset(seed=nth)
            for _ in range(draws.randrange(4)):
                game.play(draws.choice(legal_list(game.rules, game.states)))
            found.append(list(game.observe().messages))
    return found


def answers(slots: int, asked: list[list[dict[str, str]]], seed: int) -> list[str]:
    """Answers to all, as many at a time as there are slots, in an order of the seed."""
    chat = GGUFChat("smollm2", slots=slots, context=1024, max_tokens=TOKENS, timeout_s=3000)
    found = [""] * len(asked)
    left = list(range(len(asked)))
    random.Random(seed).shuffle(left)

    async def work() -> None:
        while left:
            k = left.pop()
            found[k] = (await chat.generate(asked[k])).text

    async def ask() -> None:
        await asyncio.gather(*(work() for _ in range(slots)))

    asyncio.run(ask())
    return found


def main() -> None:
    """Ask and print."""
    asked = prompts(10)
    one, other = answers(4, asked, 1), answers(4, asked, 2)
    differ = sum(a != b for a, b in zip(one, other, strict=True))
    print(f"{build()}: of {len(asked)} answers with four slots {differ} differ between two runs,")
    print(f"a share of {wilson(differ, len(asked)).text()}")


if __name__ == "__main__":
    main()
