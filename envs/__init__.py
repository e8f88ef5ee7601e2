"""Strategy games: PettingZoo AEC environments over numba rules.

``make("ludo", players=2)`` gives an environment, ``games()`` lists what there is, ``spec("ludo")``
gives a game's facts. Importing this package registers every game with PettingZoo (1.27 or newer)
as ``stratagym/<name>-v<version>`` and with Gymnasium as ``stratagym/<Name>-v<version>``.
"""

from __future__ import annotations

import functools
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stratagym.envs import cache

cache.configure()

if TYPE_CHECKING:
    from stratagym.envs.aec import GameEnv
    from stratagym.envs.batch import BatchEnv
    from stratagym.envs.core import GameSpec

__all__ = ["games", "make", "make_batch", "spec"]


def games() -> list[str]:
    """Names of all games: every folder here that holds a ``rules.py``."""
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/rules.py"))


@functools.cache
def spec(name: str) -> GameSpec:
    """The facts of a game. Raises ``ValueError`` that lists the games if there is none so named."""
    if name not in games():
        raise ValueError(f"unknown game {name!r}; the games are: {', '.join(games())}")
    return importlib.import_module(f"stratagym.envs.{name}").SPEC


def make(
    name: str,
    *,
    render_mode: str | None = None,
    illegal: str = "terminate",
    max_cycles: int | None = None,
    **options: Any,
) -> GameEnv:
    """Make a game's AEC environment.

    Args:
        name: one of ``games()``.
        render_mode: ``"human"`` (a window), ``"ansi"``, ``"rgb_array"`` or None.
        illegal: ``"terminate"`` ends the game with -1 for the offender, ``"raise"`` raises
            ``ValueError`` and leaves the game as it was.
        max_cycles: truncate after this many decisions (all seats together).
        **options: the game's own options, as its page lists them.

    Raises:
        ValueError: an unknown game, option or value, in one line that names the choices.
    """
    from stratagym.envs.aec import GameEnv

    game = spec(name)
    return GameEnv(
        game,
        game.make_rules(**options),
        render_mode=render_mode,
        illegal=illegal,
        max_cycles=max_cycles,
    )


def make_batch(name: str, num_envs: int, *, seed: int = 0, **options: Any) -> BatchEnv:
    """Make ``num_envs`` games of one kind that are stepped together in numba; see ``BatchEnv``."""
    from stratagym.envs.batch import BatchEnv

    game = spec(name)
    return BatchEnv(game, game.make_rules(**options), num_envs, seed=seed)


def _register() -> None:
    import gymnasium
    import pettingzoo

    for name in games():
        version = spec(name).version
        title = "".join(part.capitalize() for part in name.split("_"))
        gymnasium.register(
            f"stratagym/{title}-v{version}",
            entry_point="stratagym.wrappers.single_agent:SingleAgentEnv",
            vector_entry_point="stratagym.wrappers.vector:VectorEnv",
            kwargs={"game": name},
        )
        if hasattr(pettingzoo, "register"):
            pettingzoo.register(
                "aec", f"stratagym/{name}-v{version}", functools.partial(make, name)
            )


_register()
