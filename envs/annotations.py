"""Types of what environments take and give, for type checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import numpy as np

if TYPE_CHECKING:
    Array = np.ndarray[tuple[int, ...], np.dtype[np.generic[object]]]
else:
    Array = np.ndarray
"""Of the shape and dtype that the game's page names."""
Mask = np.ndarray[tuple[int, ...], np.dtype[np.int8]]
"""(actions,): 1 for those that are legal."""
Action = int | np.int64 | np.int32 | None
"""What spaces sample and ``argmax`` gives; None for an agent whose game is over."""


class Observation(TypedDict):
    """What a seat sees."""

    observation: Array
    action_mask: Mask


class Illegal(TypedDict):
    """The illegal action that ended a game."""

    agent: str
    action: int | None
    action_mask: Mask


class _Mask(TypedDict):
    action_mask: Mask


class Info(_Mask, total=False):
    """An agent's info."""

    illegal: Illegal
