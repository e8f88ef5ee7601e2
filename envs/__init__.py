"""Strategy games: PettingZoo AEC environments over numba rules.

``make("ludo", players=2)`` gives an environment, ``make_batch`` many games at once, ``make_state``
one game to step by hand; ``games()`` lists what there is, ``spec("ludo")`` gives a game's facts.
Importing this package registers our games with PettingZoo (1.27 or newer) as
``stratagym/<name>-v<version>`` and with Gymnasium as ``stratagym/<Name>-v<version>``; a game of
another package is registered so when its facts are first asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagym.envs import cache

cache.configure()

from stratagym.envs.registry import games, register, register_ids, spec, specs  # noqa: E402

if TYPE_CHECKING:
    from stratagym.envs.aec import GameEnv
    from stratagym.envs.batch import BatchEnv
    from stratagym.envs.state import State

__all__ = ["games", "make", "make_batch", "make_state", "register", "spec", "specs"]


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


def make_batch(
    name: str,
    num_envs: int,
    *,
    seed: int | Sequence[int] | np.ndarray = 0,
    autoreset: bool = True,
    threads: int = 1,
    observe: bool = True,
    final_observations: bool = False,
    **options: Any,
) -> BatchEnv:
    """Make ``num_envs`` games of one kind that are stepped together in numba; see ``BatchEnv``.

    Args:
        name, **options: as for ``make``.
        seed: one for all, or one for each game.
        autoreset: whether the step that ends a game starts its next episode.
        threads: that share out the games of a step; the games are the same with any number.
        observe: whether every step writes observations; else ``observe()`` does when called.
        final_observations: whether what every seat sees at a game's end is kept.

    Raises:
        ValueError: a wrong argument, in one line that says what would be right.
    """
    from stratagym.envs.batch import BatchEnv

    game = spec(name)
    rules = game.make_rules(**options)
    return BatchEnv(
        game,
        rules,
        num_envs,
        seed=seed,
        autoreset=autoreset,
        threads=threads,
        observe=observe,
        final_observations=final_observations,
    )


def make_state(name: str, seed: int = 0, **options: Any) -> State:
    """Make a game as an object that is stepped by hand, quicker than an environment.

    Args:
        name, **options: as for ``make``.
        seed: of its dice and cards.

    Raises:
        ValueError: a wrong argument, in one line that says what would be right.
    """
    from stratagym.envs.state import State

    game = spec(name)
    return State(game, game.make_rules(**options), seed)


register_ids()
