"""Records of a run: append-only JSONL that survives a kill, and their reader.

A run is a folder: ``config.json``, ``decisions.jsonl``, ``games.jsonl``, ``summary.json`` and the
report. Every line is flushed when it is written; a torn last line is cut off on opening.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypedDict, cast

from stratagym.benchmarks.harness.cli import InputError
from stratagym.envs.facts import Sides, alone, side_returns

SCHEMA = 1


class _SomeDecisions(TypedDict, total=False):
    """What only some lines have: those of the spots, of servers, of games."""

    category: str | None
    tokens_reasoning: int
    tokens_cached: int
    actions: list[int] | None
    rejected: list[list[str]]
    said: list[dict[str, Any]]


class DecisionRecord(_SomeDecisions):
    """A line of ``decisions.jsonl``: a reply of a language model, or any policy's in the spots.

    The meaning of every field stands in ``docs/records.md``.
    """

    schema: int
    benchmark: str
    game: str
    item: str
    seed: int
    ply: int
    seat: int
    policy: str
    persona: str
    kind: str
    reason: str | None
    attempt: int
    prompt: list[dict[str, str]] | None
    prompt_version: str | None
    prompt_sha256: str | None
    reply: str | None
    reasoning: str | None
    move_text: str | None
    chosen: int | None
    action: int | None
    legal: list[int]
    latency_s: float | None
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    finish_reason: str | None
    retries: int | None


class _SomeGames(TypedDict, total=False):
    """What only some lines have: those of games in real time or with sides of several seats, and
    of later versions than 0.1."""

    pairing: str
    round: int | None
    seat: int | None
    clock: str
    rejected: list[list[str]]
    sides: list[list[int]]


class GameRecord(_SomeGames):
    """A line of ``games.jsonl``: a game that ended or was broken off."""

    schema: int
    benchmark: str
    game: str
    match: str
    seed: int
    rules: dict[str, Any]
    seats: list[str]
    returns: list[float] | None
    outcome: list[int] | None
    plies: int
    actions: list[int]
    ended_by: str
    forfeited_by: int | None


def game_record(fields: Mapping[str, Any]) -> GameRecord:
    """The record that ``fields`` are, with the schema's number."""
    return cast(GameRecord, {"schema": SCHEMA, **fields})


def returns_of(record: GameRecord) -> list[float]:
    """Each seat's return in a finished game."""
    returns = record["returns"]
    assert returns is not None, "the game was broken off"
    return returns


def sides_of(record: GameRecord) -> Sides:
    """The seats that win together; each alone where the record says nothing."""
    found = record.get("sides")
    return alone(len(record["seats"])) if found is None else tuple(map(tuple, found))


def side_policies(record: GameRecord) -> list[str]:
    """The policy of each side, which has one in all of its seats."""
    return [record["seats"][side[0]] for side in sides_of(record)]


def side_return(record: GameRecord, seat: int) -> float:
    """What the side of a seat came to in a finished game."""
    (side,) = (side for side in sides_of(record) if seat in side)
    return float(side_returns((side,), returns_of(record))[0])


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file, oldest first; none if there is no file.

    A torn last line, as a kill leaves it, is passed over.

    Raises:
        InputError: a line in the middle that is not JSON, or a record of a newer schema.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                record = json.loads(line)
            except ValueError:
                raise InputError(f"{path}, line {number}: not a JSON record") from None
            if record.get("schema", SCHEMA) > SCHEMA:
                raise InputError(
                    f"{path}, line {number}: schema {record['schema']} is newer than this "
                    f"version of stratagym reads ({SCHEMA}); upgrade stratagym"
                )
            yield record


def read_games(folder: Path) -> Iterator[GameRecord]:
    """The lines of a run's ``games.jsonl``, oldest first."""
    for record in read_jsonl(folder / "games.jsonl"):
        yield cast(GameRecord, record)


def read_decisions(folder: Path) -> Iterator[DecisionRecord]:
    """The lines of a run's ``decisions.jsonl``, oldest first."""
    for record in read_jsonl(folder / "decisions.jsonl"):
        yield cast(DecisionRecord, record)


class JsonlWriter:
    """A JSONL file that only grows; several threads may write to it."""

    def __init__(self, path: Path):
        _cut_torn_line(path)
        self._lock = threading.Lock()
        self._file = path.open("a", encoding="utf-8")

    def write(self, record: Mapping[str, Any]) -> None:
        """Append one record and hand it to the operating system."""
        self.write_all([record])

    def write_all(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Append records with one flush."""
        lines = "".join(
            json.dumps({"schema": SCHEMA, **record}, separators=(",", ":")) + "\n"
            for record in records
        )
        with self._lock:
            self._file.write(lines)
            self._file.flush()

    def close(self) -> None:
        self._file.close()


def _cut_torn_line(path: Path) -> None:
    if not path.exists():
        return
    with path.open("rb+") as file:
        content = file.read()
        if content and not content.endswith(b"\n"):
            file.truncate(content.rfind(b"\n") + 1)


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file whole or not at all."""
    draft = path.with_name(path.name + ".part")
    draft.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(draft, path)


def open_run(benchmark: str, output: str | None, config: dict[str, Any], resume: bool) -> Path:
    """The folder of a new run, or of the one to go on with.

    Args:
        output: the folder; by default a new one under ``results/<benchmark>/``, or with
            ``resume`` the newest there.
        config: all that decides the run's results; a resumed run must have the same, but for
            ``connections``.

    Raises:
        InputError: the folder cannot be written, holds a run already, holds none to resume, or
            holds one of another configuration.
    """
    root = Path("results") / benchmark
    if output is not None:
        folder = Path(output)
    elif resume:
        runs = sorted(root.glob("*/config.json"), key=lambda path: path.stat().st_mtime)
        if not runs:
            raise InputError(f"--resume: there is no run in {root}; name one with --output")
        folder = runs[-1].parent
    else:
        folder = root / datetime.now().strftime("%Y%m%d-%H%M%S")
    path = folder / "config.json"
    config = json.loads(json.dumps({"schema": SCHEMA, "benchmark": benchmark, **config}))
    if resume:
        if not path.exists():
            raise InputError(f"--resume: {folder} holds no run")
        _same_config(path, json.loads(path.read_text()), config)
    elif path.exists():
        raise InputError(f"{folder} holds a run already; add --resume or name another --output")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_json(path, config)
    except OSError as error:
        raise InputError(f"--output {folder}: cannot be written ({error.strerror})") from None
    return folder


SINCE_0_1: dict[str, Any] = {
    "clock": "sync",
    "text.system": "merge",
    "text.rules": "usual",
    "text.position": "",
    "text.hints": False,
    "text.reasoning": "free",
    "text.answer": "move",
    "text.template": "",
}
"""What a field of ``config.json`` that came after version 0.1 is taken to be where it is not there:
what 0.1 did. A field below another is named with a dot. Those not named here are None."""


def _same_config(path: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    difference = _difference(
        {k: v for k, v in old.items() if k != "connections"},
        {k: v for k, v in new.items() if k != "connections"},
    )
    if difference is not None:
        key, before, now = difference
        raise InputError(
            f"--resume: {path} has {key}={_brief(before)}, this call asks for {_brief(now)}; "
            "repeat the options of the run, or start a new one"
        )


def _difference(old: Any, new: Any, key: str = "") -> tuple[str, Any, Any] | None:
    """(key, old value, new value) of the first field that differs, None where all are the same."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(set(old) | set(new)):
            below = f"{key}.{name}" if key else name
            unsaid = SINCE_0_1.get(below)
            difference = _difference(old.get(name, unsaid), new.get(name, unsaid), below)
            if difference is not None:
                return difference
        return None
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for before, now in zip(old, new, strict=True):
            if _difference(before, now, key) is not None:
                return _difference(before, now, key)
        return None
    return None if old == new else (key, old, new)


def _brief(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
