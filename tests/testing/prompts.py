"""Prompts side by side, for a person to read: one of every phase for every seat, and what differs.

    python -m stratagym.testing.prompts GAME [--option players=3] [--games 20] [--seed 1]

A phase is known by the titles of the parts that its prompts have, and by the game's
own words for it. Whatever is true for one seat alone shows
in the lines that differ between seats: each directed word (up, first, yours) should be among them.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagym.envs import spec
from stratagym.envs.facts import GameSpec
from stratagym.envs.text import TextGame
from stratagym.envs.views import part

Phases = dict[tuple[str, ...], dict[int, str]]
"""By what a phase is known by, the first prompt of each seat."""


def phases(game: GameSpec, games: int, seed: int, **options: Any) -> Phases:
    """The prompts of the phases that random games reach.

    Args:
        games: how many are played. seed: of the games and of their moves. options: of the game.
    """
    at, found, rng = TextGame(game.name, **options), Phases(), np.random.default_rng(seed)
    view = game.module("view")
    for _ in range(games):
        at.reset(int(rng.integers(2**31)))
        while not at.over:
            turn = at.observe()
            text = "\n\n".join(message["content"] for message in turn.messages)
            named = part(view, "phase_text")(at.rules, at.states[0])
            titles = re.findall(r"(?m)^## \D+$", text)
            known = found.setdefault((re.sub(r"\d+", "", named), *titles), {})
            known.setdefault(turn.seat, text)
            at.play(turn.legal[int(rng.integers(len(turn.legal)))])
    return found


def differences(first: str, second: str) -> list[str]:
    """The lines of two prompts that differ, behind ``-`` and ``+``."""
    lines = difflib.unified_diff(first.split("\n"), second.split("\n"), lineterm="", n=0)
    return [line for line in lines if line[:3] not in ("---", "+++") and line[:2] != "@@"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the prompts of a game; 2 for no such game or option."""
    parser = argparse.ArgumentParser(
        prog="python -m stratagym.testing.prompts", description="Prompts of a game side by side."
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("--option", action="append", default=[], help="such as players=3")
    parser.add_argument("--games", type=int, default=20, help="random games that are played")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    try:
        game = spec(given.game)
        options = dict(one.split("=", 1) for one in given.option)
        found = phases(game, given.games, given.seed, **options)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for number, (known, by_seat) in enumerate(found.items(), 1):
        name = ", ".join(filter(None, (known[0], *(title[3:] for title in known[1:]))))
        print(f"===== phase {number} of {len(found)}: {name or 'the only one'}")
        (first, text), *others = sorted(by_seat.items())
        print(f"----- seat {first}\n{text}")
        for seat, other in others:
            print(f"----- seat {seat}, where it differs from seat {first}")
            print("\n".join(differences(text, other)) or "(nothing)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
