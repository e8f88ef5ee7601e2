"""Strategy games: PettingZoo AEC environments over numba rules.

``make("ludo", players=2)`` gives an environment, ``games()`` lists what there is, ``spec("ludo")``
gives a game's facts. Importing this package registers our games with PettingZoo (1.27 or newer)
as ``stratagym/<name>-v<version>`` and with Gymnasium as ``stratagym/<Name>-v<version>``; a game of
another package is registered so when its facts are first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stratagym.envs import cache

cache.configure()

from stratagym.envs.registry import games, register, register_ids, spec, specs  # noqa: E402

if TYPE_CHECKING:
    from stratagym.envs.aec import GameEnv
    from stratagym.envs.batch import BatchEnv

__all__ = ["games", "make", "make_batch", "register", "spec", "specs"]


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


register_ids()
