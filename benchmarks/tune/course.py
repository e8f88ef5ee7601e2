"""How a model is tuned: the adapter's form and the course of updates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Lora:
    """The adapter's form.

    Attributes:
        rank: of its two matrices. alpha: their product counts ``alpha / rank`` times.
        layers: how many of the last layers it has a part in; what is below learns nothing and takes
            a third of the time.
        rate: the learning rate, the same in all updates. clip: the most that a gradient's norm is.
    """

    rank: int = 16
    alpha: int = 32
    layers: int = 20
    rate: float = 2e-3
    clip: float = 1.0


@dataclass(frozen=True)
class Course:
    """How long is learned, and how often it is looked at.

    Attributes:
        updates: of the adapter. batch: positions of each.
        every: updates between two looks at held-out positions, at which the state is saved too.
        looks: how many positions these are.
        longest: tokens of an answer.
    """

    updates: int
    batch: int
    every: int
    looks: int
    longest: int


@dataclass(frozen=True)
class Practice:
    """How a tuned model practises.

    Attributes:
        updates: of the adapter. games: played for each.
        opponent: a policy string, of all other seats.
        forfeit: what a forfeit earns; a loss is -1. regret: times what a move gives away, by the
            game's solver; 0 without one.
    """

    updates: int
    games: int
    opponent: str
    forfeit: float
    regret: float
