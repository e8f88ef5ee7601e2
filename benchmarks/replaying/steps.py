"""What a replay shows, step by step: the position after each decision, and moments on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from stratagym.benchmarks.harness.replays import Position, Replay

Remarks: TypeAlias = Callable[[Position, Position], list[str]]
Moment: TypeAlias = tuple[str, str, Callable[[], np.ndarray]]
"""A moment within a move: a label, the board as text, and what draws it."""


@dataclass
class Step:
    """What the replay shows at one time.

    Attributes:
        shown: the position on the board. at: its place among the replay's positions.
        heading: which step it is.
        decided: the position whose decision led here; None at the start and between decisions.
        number: of the move that was made, from 1; None without one.
        news: what came with the position: throws, cards, what was sealed before.
        moment: what is shown in place of the position, of what happens within a move.
    """

    shown: Position
    at: int
    heading: str
    decided: Position | None = None
    number: int | None = None
    news: list[str] = field(default_factory=list)
    moment: Moment | None = None

    @property
    def to_move(self) -> int | None:
        """The seat that decides next; None while nobody does."""
        return None if self.moment else self.shown.seat

    def board(self) -> str:
        """What is shown, as text."""
        return self.shown.board() if self.moment is None else self.moment[1]


def steps(replay: Replay, remarks: Remarks | None = None) -> list[Step]:
    """All steps of a replay.

    Of a game: the start, then for every decision the position after it. Where much happens within
    a move, such as a battle, its moments come between, and then the position. Single decisions are
    shown in the position that was asked about.

    Args:
        remarks: what else there is to say of what came between two positions, such as a battle.
    """
    positions = replay.positions
    if not replay.whole:
        return [Step(p, k, p.heading, p, news=p.chance) for k, p in enumerate(positions)]
    found = [Step(positions[0], 0, "Start", news=positions[0].chance)]
    for k, (before, after) in enumerate(pairwise(positions), 1):
        move = Step(after, k, before.heading, before, k, before.words() + after.chance)
        found.append(move)
        moments = _moments(before, after)
        if not moments:
            continue
        # The first shows where all stand when it begins: that is what the move brought about.
        move.moment = moments[0]
        found += [Step(after, k, moment[0], moment=moment) for moment in moments[1:]]
        more = [] if remarks is None else remarks(before, after)
        heading = after.heading if after.seat is None else f"After move {k}"
        found.append(Step(after, k, heading, news=more))
    last = positions[-1]
    if last.seat is not None:
        found.append(Step(last, len(positions) - 1, last.heading, last))
    return found


def own_part(position: Position, name: str) -> Any:
    """A function of the ``replay`` module of a position's game, or None."""
    if position.states is None:
        return None
    return getattr(position.spec.optional_module("replay"), name, None)


def _moments(before: Position, after: Position) -> list[Moment]:
    found = own_part(before, "frames")
    if found is None or before.states is None or after.states is None:
        return []
    return found(before.rules, before.states[0], after.states[0])
