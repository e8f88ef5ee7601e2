"""What can go wrong between a model and a game, and what a record shows of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from stratagym.envs.reading import FIRST

FAULTS = {
    "earlier_answer": "another move was taken than the last that the reply states",
    "guessed": "a move was taken from a reply that states none",
    "unread": "the reply states a move, which was not read",
    "example_played": "the answer is an example that the prompt gives",
    "form_repeated": "the answer is the form itself, with its placeholders",
    "other_seat": "the prompt says what is true for another seat",
    "seat_mistaken": "the reply says that it plays a seat that is another's",
    "rule_untold": "the prompt lacks a sentence of the rules in force",
    "other_position": "the prompt lacks a line of the position that it is asked in",
    "asked_again": "after a bad answer the model was told something else than what was wrong",
    "slow": "the answer took far longer than others of the same model in the game",
    "long": "the answer has far more tokens than others of the same model in the game",
    "repeated_game": "a round of games is, move by move, one that was played before",
    "other_game": "the game that its rules, seed and moves give is not the recorded one",
}
"""Each fault's name, and what it is in words."""
OF_GAMES = ("repeated_game", "other_game")
"""Those that are counted by games and not by replies."""


class Who(NamedTuple):
    """Whose replies are counted together; of games, ``policy`` names those of all seats."""

    game: str
    policy: str
    reader: int

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Who:
        """Who gave the reply of a decision's record."""
        return cls(record["game"], record["policy"], record.get("reader", FIRST))


class Example(NamedTuple):
    """Where a fault shows, and how.

    Attributes:
        match: its name, or the item's. ply, attempt: which reply; None of a whole game.
        shown: what was found there, in one line.
    """

    match: str
    ply: int | None
    attempt: int | None
    shown: str


@dataclass
class Tally:
    """How often a fault shows: by match, the cases that were looked at and those that have it."""

    looked: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    found: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    examples: list[Example] = field(default_factory=list)


class Findings:
    """What was found in a run.

    Attributes:
        tallies: by fault and who. passed_over: replies that a check could not look at, by reason.
    """

    def __init__(self) -> None:
        self.tallies: defaultdict[tuple[str, Who], Tally] = defaultdict(Tally)
        self.passed_over: defaultdict[str, int] = defaultdict(int)

    def looked(self, fault: str, who: Who, match: str, example: Example | None) -> None:
        """Count a case that was looked at for a fault; with an example, it has it."""
        tally = self.tallies[fault, who]
        tally.looked[match] += 1
        if example is not None:
            tally.found[match] += 1
            tally.examples.append(example)

    def reply(self, fault: str, record: Mapping[str, Any], shown: str) -> None:
        """The same for a reply; it has the fault if there is anything to show."""
        at = record["item"], record["ply"], record["attempt"]
        self.looked(fault, Who.of(record), record["item"], Example(*at, shown) if shown else None)
