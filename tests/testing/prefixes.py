"""How much of a prompt a server has in its cache, if the same seat was asked before in the game.

    python -m stratagym.testing.prefixes GAME [GAME ...] [--policy heuristic] [--number 20]

All seats of a game are played by one policy. Every prompt, its system message included, is compared
with the one before it of the same seat: the share is that of its characters that both begin with.
Printed is the mean over games of the mean over prompts, and the same for the last prompt alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from stratagym.agents.core import decision_for, make_policy
from stratagym.envs import spec
from stratagym.envs.text import TextGame, TextOptions


class Shares(NamedTuple):
    """What prompts share with the ones before them.

    Attributes:
        mean: over games, of the mean over prompts. last: over games, of the last prompt.
        prompts: how many a seat is asked in a game, in the mean.
    """

    mean: float
    last: float
    prompts: float


def shares(
    game: str,
    policy: str,
    games: int,
    seed: int,
    text: TextOptions = TextOptions(history=1000),  # noqa: B008 - frozen
    **options: Any,
) -> Shares:
    """Play games and compare consecutive prompts.

    Args:
        policy: of all seats. games: how many. seed: of the games and of the policy.
        options: of the game.

    Raises:
        ValueError: a game, policy or option that there is not.
    """
    player = make_policy(spec(game), policy)  # before the game, which may have to be compiled
    at, means, last, asked = TextGame(game, text, **options), [], [], []
    for own in np.random.SeedSequence(seed).generate_state(games, np.uint64):
        at.reset(int(own) >> 1)
        before: dict[int, str] = {}
        shared: list[float] = []
        while not at.over:
            turn = at.observe()
            prompt = "\n\n".join(message["content"] for message in turn.messages)
            if turn.seat in before:
                shared.append(_shared(before[turn.seat], prompt) / len(prompt))
            before[turn.seat] = prompt
            decision = decision_for(at.spec, at.rules, at.states, int(own) + len(at.actions))
            at.play(player.act(decision))
        asked.append((len(shared) + len(before)) / at.rules.num_players)
        if shared:
            means.append(np.mean(shared))
            last.append(shared[-1])
    return Shares(*(float(np.mean(values)) for values in (means, last, asked)))


def _shared(one: str, other: str) -> int:
    """How many characters both begin with."""
    both = zip(one, other, strict=False)
    return next((k for k, (a, b) in enumerate(both) if a != b), min(len(one), len(other)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the shares of games; 2 for no such game or policy."""
    parser = argparse.ArgumentParser(
        prog="python -m stratagym.testing.prefixes",
        description="What consecutive prompts share under a whole history.",
    )
    parser.add_argument("games", metavar="GAME", nargs="+")
    parser.add_argument("--policy", default="heuristic", help="of all seats")
    parser.add_argument("--number", type=int, default=20, help="of games that are played")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--prompt-version", default="", help="by default today's")
    given = parser.parse_args(arguments)
    try:
        if given.number < 1 or given.seed < 0:
            raise ValueError(f"--number {given.number}, --seed {given.seed}: at least 1 and 0")
        for game in given.games:
            text = TextOptions(history=1000, prompt_version=given.prompt_version)
            text.check(spec(game))
            found = shares(game, given.policy, given.number, given.seed, text)
            print(
                f"{game}: {found.mean:.3f}, last prompt {found.last:.3f}, "
                f"{found.prompts:.0f} prompts a seat"
            )
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
