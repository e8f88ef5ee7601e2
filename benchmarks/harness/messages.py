"""What players of a run said: ``messages.jsonl``."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict

from stratagym.benchmarks.harness.files import Shape
from stratagym.benchmarks.harness.records import JsonlWriter, read_jsonl
from stratagym.envs.core import GameSpec
from stratagym.envs.prompts import is_legal
from stratagym.envs.text import TextGame

MESSAGES = "messages.jsonl"


class MessageRecord(TypedDict):
    """A line of ``messages.jsonl``; the meaning of every field stands in ``docs/records.md``."""

    benchmark: str
    game: str
    match: str
    number: int
    ply: int
    seat: int
    to: list[int]
    text: str


def read_messages(folder: Path) -> Iterator[dict[str, Any]]:
    """The recorded messages of a run, oldest first. Raises ``InputError`` as ``read_jsonl``."""
    return read_jsonl(folder / MESSAGES, Shape(MessageRecord))


class MessageLog:
    """The messages of a run, written with the first of them, and none of a match twice.

    A match that is gone on with, or played again, says again what it said; only another text is
    written again, and of one number the last counts. Several threads may write.

    Args:
        matches: the names of those that are played now.
    """

    def __init__(self, folder: Path, matches: Iterable[str]):
        self._folder, self._lock = folder, threading.Lock()
        self._file: JsonlWriter | None = None
        self._said: dict[tuple[str, int], dict[str, Any]] = {}
        wanted = set(matches)
        for record in read_messages(folder) if wanted else ():
            if record["match"] in wanted:
                record.pop("schema", None)
                self._said[record["match"], record["number"]] = record

    def write(self, record: Mapping[str, Any]) -> None:
        """Write a message, unless it has been written before."""
        self.write_all([record])

    def write_all(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Write those messages that have not been written before."""
        with self._lock:
            new = [dict(r) for r in records if self._said.get((r["match"], r["number"])) != r]
            if not new:
                return
            if self._file is None:
                self._file = JsonlWriter(self._folder / MESSAGES)
            self._file.write_all(new)
            self._said |= {(record["match"], record["number"]): record for record in new}

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def made_again(
    game: GameSpec, rules: Any, seed: int, actions: Iterable[int], silent: int = 0
) -> list[dict[str, Any]]:
    """The words of a game whose players have none of their own, from its actions.

    Returns records with ``ply``, ``seat``, ``to`` and ``text``, up to the first illegal action.

    Args:
        silent: how many of the first actions nobody in the game chose.
    """
    told = TextGame(game.name, rules=rules)
    if not told.has_words:
        return []
    told.reset(seed)
    for ply, action in enumerate(actions):
        if told.over or not is_legal(rules, told.states, action):
            break
        told.speak(told.seat, told.spoken(action) if ply >= silent else ())
        told.play(action)
    return [message.record() for message in told.transcript.messages]
