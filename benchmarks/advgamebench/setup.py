"""What the options of AdvGameBench mean."""

from __future__ import annotations

from pathlib import Path

from stratagym.benchmarks.advgamebench.embeddings import Embeddings
from stratagym.benchmarks.advgamebench.games import GAMES
from stratagym.benchmarks.harness import cli


def games_of(text: str, option: str = "--game") -> list[str]:
    """The games that ``option`` names."""
    games = cli.words(text)
    if not games or set(games) - set(GAMES):
        raise cli.InputError(f"{option} {text!r}: choose from: {', '.join(GAMES)}")
    return games


def check_rounds(option: str, rounds: int) -> None:
    """Raises ``InputError`` for a match of so many rounds."""
    if not 2 <= rounds <= 20:
        raise cli.InputError(f"{option} {rounds}: choose from 2 to 20")


def factors_of(text: str, option: str = "--budget") -> list[float]:
    """The numbers of ``option``."""
    found = []
    for word in cli.words(text):
        try:
            factor = float(word)
        except ValueError:
            factor = 0.0
        if not 0.05 <= factor <= 4:
            raise cli.InputError(f"{option} {word!r}: a number from 0.05 to 4 is needed")
        found.append(factor)
    if len(set(found)) != len(found) or not found:
        raise cli.InputError(f"{option} {text!r}: name different numbers")
    return found


def embeddings_of(
    folder: Path, model: str, base_url: str | None, api_key_env: str
) -> Embeddings | None:
    """The embeddings of ``--embedding-model``, which has been asked for one; None without a model.

    Raises:
        Unavailable: it gives none.
    """
    if not model:
        return None
    try:
        found = Embeddings(folder, model, base_url, api_key_env)
    except ModuleNotFoundError as error:
        raise cli.InputError(f"--embedding-model: {error}") from None
    except ValueError as error:
        raise cli.InputError(f"--embedding-url: {error}") from None
    found.learn(["{}"])
    return found
