"""What was said in recorded games of Diplomacy, by phase and round, and what was agreed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stratagym.agents.games.diplomacy.phrases import Agreement, agreements
from stratagym.envs.diplomacy.metrics import Told


@dataclass(frozen=True)
class Spoken:
    """A message in a game, notes to oneself left out.

    Attributes:
        number: in its match, as in ``messages.jsonl``. phase: number of the movement phase before
            which it was said. round: of talk. seat: who spoke. to: who heard it.
    """

    number: int
    phase: int
    round: int
    seat: int
    to: tuple[int, ...]
    text: str


def by_match(messages: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Records of messages by match; of one number the last counts."""
    found: defaultdict[str, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for message in messages:
        found[message["match"]][message["number"]] = message
    return {match: list(own.values()) for match, own in found.items()}


def spoken_in(told: Told, messages: Iterable[Mapping[str, Any]]) -> list[Spoken]:
    """The messages of a game, oldest first."""
    return [
        Spoken(
            one["number"], told.phase_at(one["ply"]), told.talk.get(one["ply"], 0), one["seat"],
            tuple(one["to"]), one["text"],
        )
        for one in messages
        if one["to"] != [one["seat"]]
    ]  # fmt: skip


def agreed_in(told: Told, said: Sequence[Spoken]) -> list[tuple[int, Agreement]]:
    """(number of the phase, agreement) of all movement phases, from messages in known words."""
    return [
        (t, agreement)
        for t, movement in enumerate(told.movements)
        for agreement in agreements(said, movement.phase)
    ]
