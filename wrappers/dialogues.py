"""Many dialogues at once, for models that answer many prompts in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from stratagym.agents.core import Policy, make_policy
from stratagym.envs import spec
from stratagym.envs.text import Outcome
from stratagym.wrappers.dialogue import Dialogue, Generated, pairings, players_of

Generate = Callable[[list[list[dict[str, str]]]], Sequence["str | Generated"]]
"""The replies of a model to a list of prompts, in their order."""


class Dialogues:
    """Games that are played side by side: all open questions are asked in one call.

    Examples:
        >>> both = Dialogues("tictactoe", "random", [(1, 0), (2, 0)])
        >>> len(both.prompts), both.prompts[0][-1]["role"]
        (2, 'user')
        >>> [outcome.kind for outcome in both.answer(["Move: 2,2", "I pass."])]
        ['ok', 'unparseable']

    Args:
        game: a registered game. opponent: a policy string, or a policy, of all other seats.
        games: (seed, seat) of each game, as ``pairings`` gives them.
        settings: ``Dialogue``'s other arguments.

    Attributes:
        each: the dialogues, in the order of ``games``.
        open: the numbers of those that have a question.

    Raises:
        ValueError: a bad argument, in one line.
    """

    def __init__(
        self,
        game: str,
        opponent: str | Policy,
        games: Iterable[tuple[int, int]],
        **settings: Any,
    ):
        if isinstance(opponent, str):
            opponent = make_policy(spec(game), opponent)
        self.each = [
            Dialogue(game, opponent, seed=seed, seat=seat, **settings) for seed, seat in games
        ]

    @property
    def open(self) -> list[int]:
        return [k for k, dialogue in enumerate(self.each) if not dialogue.over]

    @property
    def over(self) -> bool:
        """Whether no more answers are wanted."""
        return all(dialogue.over for dialogue in self.each)

    @property
    def prompts(self) -> list[list[dict[str, str]]]:
        """The open questions as chat messages, in the order of ``open``."""
        return [self.each[k].messages for k in self.open]

    @property
    def moves(self) -> list[list[str]]:
        """The legal moves of each open question, as answers name them."""
        return [self.each[k].moves for k in self.open]

    def answer(self, replies: Sequence[str | Generated]) -> list[Outcome]:
        """Take an answer to every open question, in the order of ``open``.

        Raises:
            ValueError: there are more answers than questions, or fewer; none is taken.
        """
        asked = self.open
        if len(replies) != len(asked):
            raise ValueError(f"{len(replies)} answers for {len(asked)} open questions")
        return [self.each[k].answer(reply) for k, reply in zip(asked, replies, strict=True)]

    def play(self, generate: Generate, most: int | None = None) -> list[Dialogue]:
        """Have a model answer until every game is over; returns the dialogues.

        Args:
            generate: the model. most: prompts in one call; default all.
        """
        while not self.over:
            prompts = self.prompts
            size = most or len(prompts)
            parts = [prompts[k : k + size] for k in range(0, len(prompts), size)]
            self.answer([reply for part in parts for reply in generate(part)])
        return self.each


def all_seats(
    game: str, opponent: str | Policy, games: int | None = None, seed: int = 0, **settings: Any
) -> Dialogues:
    """``Dialogues`` in which every seed is played once from every seat, as ``pairings`` says."""
    players = players_of(game, settings.get("options"))
    return Dialogues(game, opponent, pairings(players, games, seed), **settings)
