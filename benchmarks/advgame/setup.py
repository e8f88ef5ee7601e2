"""What the options of AdvGameBench mean."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stratagym.agents.controls import REDRAW_TEMPERATURE, RedrawnModel
from stratagym.agents.core import Policy
from stratagym.benchmarks.advgame.embeddings import Embeddings
from stratagym.benchmarks.advgame.matches import NAME
from stratagym.benchmarks.harness import cli, records
from stratagym.benchmarks.harness.begun import BEGUN
from stratagym.benchmarks.harness.options import RunArgs
from stratagym.benchmarks.harness.sealed_games import GAMES

YARDSTICKS = ("plan:fill", "plan:reply")
"""Who plays beside the policies where budgets differ: what the budget alone is worth."""
CHANCE = ("random", "control:keep")
"""Who plays beside language models: what rates are by chance, and without revisions."""


def games_of(text: str, option: str = "--game") -> list[str]:
    """The games that ``option`` names."""
    return cli.some_of(option, text, GAMES)


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


def begun_by(args: RunArgs) -> dict[str, Any]:
    """The configuration of the run to go on with; empty for a new one."""
    return records.begun_config(NAME, args.output) if args.resume else {}


def chance_of(
    named: Sequence[str],
    models: Collection[str],
    opponents: Iterable[str],
    begun: Mapping[str, Any],
) -> list[str]:
    """Who plays for chance where a language model is among the policies.

    Nobody in a run that an earlier version began without them, and nobody where every opponent
    would have to be asked for it.

    Args:
        models: all that are language models. begun: the configuration of the run to go on with.
    """
    if (begun and "chance" not in begun) or set(opponents) <= set(models):
        return []
    return [name for name in CHANCE if name not in named] if set(named) & set(models) else []


def sample_as_begun(policies: Iterable[Policy], begun: Mapping[str, Any]) -> None:
    """Give redraws the temperature that they have in a run of an earlier version: the model's."""
    if not begun or BEGUN in begun:
        return
    listed = begun.get("policies")
    old = {
        one["name"]: one["temperature"]
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, dict) and {"name", "temperature"} <= one.keys()
    }
    for policy in policies:
        if isinstance(policy, RedrawnModel) and policy.name in old:
            chat: Any = policy.chat
            if chat.settings().get("temperature") == REDRAW_TEMPERATURE:
                chat.temperature = old[policy.name]
