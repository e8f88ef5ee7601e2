"""What the options of AdvGameBench mean."""

from __future__ import annotations

from stratagym.benchmarks.advgamebench.games import GAMES
from stratagym.benchmarks.harness import cli


def games_of(text: str) -> list[str]:
    """The games of ``--game``."""
    games = cli.words(text)
    if not games or set(games) - set(GAMES):
        raise cli.InputError(f"--game {text!r}: choose from: {', '.join(GAMES)}")
    return games


def factors_of(text: str) -> list[float]:
    """The numbers of ``--budget``."""
    found = []
    for word in cli.words(text):
        try:
            factor = float(word)
        except ValueError:
            factor = 0.0
        if not 0.05 <= factor <= 4:
            raise cli.InputError(f"--budget {word!r}: a number from 0.05 to 4 is needed")
        found.append(factor)
    if len(set(found)) != len(found) or not found:
        raise cli.InputError(f"--budget {text!r}: name different numbers")
    return found
