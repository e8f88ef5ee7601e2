"""What callers give to environments, checked: actions, seeds, counts, options of ``reset``."""

from __future__ import annotations

import functools
import logging
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from stratagym.envs.annotations import Illegal

SEED_MASK = 2**64 - 1
LISTED = 100
"""How many legal actions a refusal names."""
_log = logging.getLogger("stratagym")


def check_words(render_mode: str | None, modes: list[str], illegal: str) -> None:
    """Raise ``ValueError`` with the choices for a wrong ``render_mode`` or ``illegal``."""
    if render_mode not in (None, *modes):
        raise ValueError(f"render_mode={render_mode!r}; choose one of: {', '.join(modes)}, None")
    if illegal not in ("terminate", "raise"):
        raise ValueError(f"illegal={illegal!r}; choose one of: terminate, raise")


def whole_number(value: Any) -> int | None:
    """``value`` as an int if it is one of Python's or numpy's, a truth value aside; else None."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def action_number(game: str, agent: str, action: Any) -> int:
    """An action as an int, legal or not.

    Raises:
        TypeError: it is no whole number: 1.0, True, "1", an array with a dimension.
    """
    number = whole_number(action)
    if number is None:
        raise TypeError(
            f"{game}: {agent}'s action has to be a whole number, such as 0 or numpy.int64(0), and "
            f"is {action!r} ({type(action).__name__})"
        )
    return number


def action_array(game: str, num_envs: int, actions: Any) -> np.ndarray:
    """One action for each game, as (N,) int64; numbers that do not fit become illegal ones.

    Raises:
        ValueError: another shape, or no integers.
    """
    try:
        given = np.asarray(actions)
    except ValueError:  # rows of different lengths
        given = np.empty(0, object)
    if given.shape != (num_envs,) or given.dtype.kind not in "iu":
        raise ValueError(
            f"{game}: actions of shape {given.shape} and type {given.dtype}; "
            f"({num_envs},) integers are needed"
        )
    return np.ascontiguousarray(given, np.int64)


def seed_number(seed: Any) -> int:
    """A seed as an int.

    Raises:
        ValueError: it is no whole number from 0 to 2**64 - 1.
    """
    number = whole_number(seed)
    if number is None or not 0 <= number <= SEED_MASK:
        raise ValueError(f"seed={seed!r}; a whole number from 0 to 2**64 - 1 is needed")
    return number


def seed_array(num_envs: int, seeds: Any) -> np.ndarray:
    """A seed for each game, as (N,) uint64.

    Raises:
        ValueError: another shape, or one that is no whole number from 0 to 2**64 - 1.
    """
    if np.shape(seeds) != (num_envs,):
        raise ValueError(f"seed: one whole number or {num_envs} of them are needed")
    return np.array([seed_number(one) for one in seeds], np.uint64)


def count(name: str, value: Any) -> int:
    """A number of things, at least one. Raises ``ValueError`` for any other value."""
    number = whole_number(value)
    if number is None or number < 1:
        raise ValueError(f"{name}={value!r}; a whole number of at least 1 is needed")
    return number


def no_options(game: str, options: dict[str, Any] | None, known: tuple[str, ...] = ()) -> None:
    """Refuse what ``reset`` would have to ignore.

    Raises:
        ValueError: options that are not ``known``.
    """
    unknown = [name for name in options or {} if name not in known]
    if unknown:
        raise ValueError(_about_options(game, unknown, known))


@functools.cache
def warn_of_options(game: str, unknown: tuple[str, ...]) -> None:
    """Say, once a process, that ``reset`` ignores options: PettingZoo's own tests give some."""
    _log.warning("%s (ignored)", _about_options(game, unknown, ()))


def _about_options(game: str, unknown: Iterable[str], known: tuple[str, ...]) -> str:
    return (
        f"{game}: reset(options=...) knows {', '.join(known) or 'none'}, not "
        f"{', '.join(map(repr, unknown))}; options of the game are given when it is made"
    )


def some_of(legal: Iterable[int]) -> str:
    """Legal actions as a refusal lists them: of thousands, as a game may have, the first."""
    actions = [int(action) for action in legal]
    more = f" and {len(actions) - LISTED} more" if len(actions) > LISTED else ""
    return f"{actions[:LISTED]}{more}"


def illegal_info(agent: str, action: Any, mask: np.ndarray) -> Illegal:
    """What ``infos[agent]["illegal"]`` says of the action that ended a game.

    ``agent``, its ``action``, and ``action_mask``, (A,) int8, the legal ones that there were.
    """
    return {"agent": agent, "action": action, "action_mask": mask.copy()}


@functools.cache
def warn_of_illegal(game: str) -> None:
    """Say, once a process for each game, that an illegal action has ended it."""
    _log.warning(
        "%s: an illegal action has ended the game, with -1 for the offender (said once). "
        'The mask in observation and info marks the legal actions, info["illegal"] says what was '
        'played; illegal="raise" refuses such actions instead.',
        game,
    )
