"""Many conversations in a few rows, in which what they have in common stands once.

Prompts of a game begin with the same rules, and several answers may follow one prompt. A row is
the tree of some conversations' tokens, and every token sees those on the way to it alone. What the
model computes is the same as for each conversation by itself, in a fraction of the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

LONGEST = 512
"""Tokens of a row, if it has more than one conversation: attention takes their square."""
SHARED = 0.5
"""The share of a conversation's tokens that stand in its row already, at least."""


@dataclass(frozen=True)
class Asked:
    """A prompt and an answer to it, as tokens; the answer's end is one of them.

    Attributes:
        answer: nothing yet, where it is to be drawn.
    """

    prompt: tuple[int, ...]
    answer: tuple[int, ...] = ()

    @property
    def told(self) -> tuple[int, ...]:
        """The tokens that others follow: all but the answer's last."""
        return self.prompt + self.answer[:-1]


@dataclass(frozen=True)
class Row:
    """One sequence for the model.

    Attributes:
        members: the numbers of its conversations among all.
        tokens, places: (length,) int64: tokens, and their positions in their own conversations.
        sees: (length, length) bool: which tokens each token sees.
        answers: of each member where the tokens stand that its answer's tokens follow, the prompt's
            last first.
    """

    members: tuple[int, ...]
    tokens: np.ndarray
    places: np.ndarray
    sees: np.ndarray
    answers: tuple[list[int], ...]


def packed(asked: Sequence[Asked]) -> Iterator[Row]:
    """All conversations, in rows."""
    tree = _Tree()
    for k in sorted(range(len(asked)), key=lambda k: asked[k].told):
        told = asked[k].told
        new = len(told) - tree.shared(told)
        if tree.members and (len(tree.tokens) + new > LONGEST or new > (1 - SHARED) * len(told)):
            yield tree.row()
            tree = _Tree()
        tree.add(k, asked[k])
    if tree.members:
        yield tree.row()


class _Tree:
    """The tokens of a row as they come: each with the one before it."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.members: list[int] = []
        self._before: list[int] = []
        self._places: list[int] = []
        self._answers: list[list[int]] = []
        self._after: dict[tuple[int, int], int] = {}

    def shared(self, told: Sequence[int]) -> int:
        """How many of a conversation's tokens stand here."""
        at = -1
        for k, token in enumerate(told):
            if (at, token) not in self._after:
                return k
            at = self._after[at, token]
        return len(told)

    def add(self, number: int, asked: Asked) -> None:
        at, way = -1, []
        for place, token in enumerate(asked.told):
            if (at, token) not in self._after:
                self._after[at, token] = len(self.tokens)
                self.tokens.append(token)
                self._before.append(at)
                self._places.append(place)
            at = self._after[at, token]
            way.append(at)
        self.members.append(number)
        self._answers.append(way[len(asked.prompt) - 1 :])

    def row(self) -> Row:
        sees = np.eye(len(self.tokens), dtype=bool)
        for k, before in enumerate(self._before):
            if before >= 0:
                sees[k] |= sees[before]
        tokens, places = np.array(self.tokens), np.array(self._places)
        return Row(tuple(self.members), tokens, places, sees, tuple(self._answers))
