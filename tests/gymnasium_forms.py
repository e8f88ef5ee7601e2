"""What the tests of the Gymnasium forms share: ids, choices of actions, a policy."""

from __future__ import annotations

import numpy as np

from stratagym.agents.core import Decision, Policy
from stratagym.envs import spec


def gymnasium_id(game: str) -> str:
    title = "".join(part.capitalize() for part in game.split("_"))
    return f"stratagym/{title}-v{spec(game).version}"


def sample(rng: np.random.Generator, mask: np.ndarray) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def sample_each(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    return np.array([sample(rng, mask) for mask in masks])


class Scripted(Policy):
    """The lowest legal action; remembers whose turns it was asked for."""

    def __init__(self, name: str = "scripted"):
        self.name = name
        self.seats: list[int] = []

    def act(self, view: Decision) -> int:
        self.seats.append(view.seat)
        return int(view.legal[0])
