"""Records of a run: append-only JSONL that survives a kill, and their reader.

A run is a folder: ``config.json``, ``decisions.jsonl``, ``games.jsonl``, ``summary.json`` and the
report. Every line is handed to the operating system when it is written; a torn last line is cut off
on opening.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypedDict, cast

import numpy as np

from stratagym.benchmarks.harness import locks
from stratagym.benchmarks.harness.begun import BEGUN, Begun
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.files import SCHEMA as SCHEMA
from stratagym.benchmarks.harness.files import JsonlWriter as JsonlWriter
from stratagym.benchmarks.harness.files import Shape, brief, read_object
from stratagym.benchmarks.harness.files import read_jsonl as read_jsonl
from stratagym.benchmarks.harness.files import write_json as write_json
from stratagym.benchmarks.harness.outcomes import placed_results
from stratagym.benchmarks.reporting.terminal import say
from stratagym.envs import games, spec
from stratagym.envs.data_files import changed_file
from stratagym.envs.facts import Sides, alone, leads_of
from stratagym.envs.views import part


class PromptMessage(TypedDict):
    """A message of a prompt; messages are in the order in which the model received them."""

    role: str
    content: str


class SaidMessage(TypedDict):
    """What a reply says to other seats."""

    to: list[int]
    text: str


class _SomeDecisions(TypedDict, total=False):
    """Fields that only some lines have: lines of the spots, of servers, of games."""

    category: str | None
    reader: int
    tokens_reasoning: int
    tokens_cached: int
    actions: list[int] | None
    rejected: list[list[str]]
    said: list[SaidMessage]
    plan: dict[str, int]
    legal_count: int
    facts: dict[str, int]
    about: str
    task: str
    domain: str
    size: str
    generated: int | None
    failure: str
    held_to: dict[str, Any]
    scores: list[list[int | float]]


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
    seat: int | None
    policy: str
    persona: str
    kind: str
    reason: str | None
    attempt: int
    prompt: list[PromptMessage] | None
    prompt_version: str | None
    prompt_sha256: str | None
    reply: str | None
    reasoning: str | None
    move_text: str | None
    chosen: int | None
    action: int | None
    legal: list[int] | None
    latency_s: float | None
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    finish_reason: str | None
    retries: int | None


class _SomeStandIns(TypedDict, total=False):
    """Fields that only stand-ins for a failed engine have."""

    fault: str


class StandInRecord(_SomeStandIns):
    """Who played on for a seat that forfeited, from which decision of the game on."""

    seat: int
    ply: int
    policy: str
    moves: int


class _SomeGames(TypedDict, total=False):
    """What only some lines have: those of games in real time or with sides of several seats, of
    games with random openings or that an engine's fault ended, and of later versions than 0.1."""

    pairing: str
    round: int | None
    seat: int | None
    clock: str
    rejected: list[list[int | str]]
    sides: list[list[int]]
    leads: list[int] | None
    roles: list[str]
    stand_ins: list[StandInRecord]
    opening: int
    given: int
    refusals: list[str]
    fault: str
    messages: int


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


def side_leads_of(record: GameRecord) -> np.ndarray:
    """By how much each side was ahead in a finished game, (sides,): above 0 if it won.

    A record of more than two sides that does not say who leads is of a game that does not tell who
    won with whom, or of an earlier version: a side's own result counts there.
    """
    sides = sides_of(record)
    results = placed_results(sides, returns_of(record), gone_seats(record))
    return results if len(sides) > 2 and "leads" not in record else leads_of(results)


def side_lead(record: GameRecord, seat: int) -> float:
    """The entry of ``side_leads_of`` for the side of a seat."""
    (own,) = (k for k, side in enumerate(sides_of(record)) if seat in side)
    return float(side_leads_of(record)[own])


def gone_seats(record: GameRecord) -> set[int]:
    """The seats that forfeited, those that somebody stood in for included."""
    last = record.get("forfeited_by")
    own = {one["seat"] for one in record.get("stand_ins", ())}
    return own if last is None else own | {last}


def side_points(record: GameRecord, seat: int) -> float:
    """The sum of the returns of all seats on a seat's side at the end of a game."""
    (own,) = (side for side in sides_of(record) if seat in side)
    returns = returns_of(record)
    return float(sum(returns[member] for member in own))


GAME_FIELDS = ("game", "match", "seed", "rules", "seats", "returns", "actions", "ended_by")
"""The fields from which a game can be played again and shown."""


def read_games(folder: Path) -> Iterator[GameRecord]:
    """The lines of a run's ``games.jsonl``, oldest first. Raises ``InputError`` as ``read_jsonl``.

    Their fields are of the types of ``GameRecord``, and agree on the numbers of seats and moves.
    """
    path = folder / "games.jsonl"
    for number, record in enumerate(_games(path, Shape(GameRecord)), 1):
        if record["plies"] != len(record["actions"]):
            said = f"{len(record['actions'])} actions in {record['plies']} plies"
            raise InputError(f"{path}, line {number}: {said}")
        yield record


def read_any_games(path: Path) -> Iterator[GameRecord]:
    """The games of a file, to be shown only: all fields but ``GAME_FIELDS`` may be missing.

    What stands among the actions need not be one.
    """
    return _games(path, Shape(GameRecord, GAME_FIELDS, {"actions": list[Any]}))


def _games(path: Path, shape: Shape) -> Iterator[GameRecord]:
    for number, record in enumerate(read_jsonl(path, shape), 1):
        seats, returns = len(record["seats"]), record["returns"]
        if returns is not None and len(returns) != seats:
            raise InputError(f"{path}, line {number}: {len(returns)} returns of {seats} seats")
        yield cast(GameRecord, record)


def read_decisions(folder: Path) -> Iterator[DecisionRecord]:
    """The lines of a run's ``decisions.jsonl``, oldest first, of the types of ``DecisionRecord``.

    Raises:
        InputError: as ``read_jsonl``.
    """
    for record in read_jsonl(folder / "decisions.jsonl", Shape(DecisionRecord)):
        yield cast(DecisionRecord, record)


def read_config(folder: Path) -> dict[str, Any]:
    """The object in a run's ``config.json``. Raises ``InputError``."""
    return read_object(folder / "config.json")


def begun_config(benchmark: str, output: str | None) -> dict[str, Any]:
    """The configuration of the run that ``open_run`` resumes; empty where there is none."""
    folder = _newest(Path("results") / benchmark) if output is None else Path(output)
    there = folder is not None and (folder / "config.json").exists()
    return read_config(folder) if folder is not None and there else {}


def _newest(root: Path) -> Path | None:
    """The folder of the newest run below ``root``."""
    runs = sorted(root.glob("*/config.json"), key=lambda path: path.stat().st_mtime)
    return runs[-1].parent if runs else None


def open_run(benchmark: str, output: str | None, config: dict[str, Any], resume: bool) -> Path:
    """The folder of a new run, or of the run to be resumed, locked against other processes.

    ``locks.release`` lets others have it.

    Args:
        output: the folder; by default a new one under ``results/<benchmark>/``, or with
            ``resume`` the newest there.
        config: all that decides the run's results; a resumed run must have the same, but for
            ``connections`` and ``begun``, which becomes that of the run's first call.

    Raises:
        InputError: the folder cannot be written, holds a run already, holds none to resume,
            holds one of another configuration, or another process writes there.
    """
    root = Path("results") / benchmark
    if output is not None:
        folder = Path(output)
    elif resume:
        newest = _newest(root)
        if newest is None:
            raise InputError(f"--resume: there is no run in {root}; name one with --output")
        folder = newest
    else:
        folder = root / datetime.now().strftime("%Y%m%d-%H%M%S")
    path = folder / "config.json"
    given = config
    config = json.loads(json.dumps({"schema": SCHEMA, "benchmark": benchmark, **config}))
    if resume and not path.exists():
        raise InputError(f"--resume: {folder} holds no run")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--output {folder}: cannot be written ({error.strerror})") from None
    locks.hold(folder)
    try:
        if resume:
            old = read_config(folder)
            _same_config(path, old, config)
            first_call = _begun(path, old)
            for one in (given, config):
                one.pop(BEGUN, None)
                one |= first_call
            for line in earlier_prompts(folder):
                say(line)
        elif path.exists():
            raise InputError(f"{folder} holds a run already; add --resume or name another --output")
        write_json(path, config)
    except BaseException:
        locks.release(folder)
        raise
    return folder


class _BegunConfig(TypedDict, total=False):
    begun: Begun


def _begun(path: Path, config: dict[str, Any]) -> dict[str, Any]:
    """``begun`` of a configuration, which has none in runs of version 0.1."""
    try:
        Shape(_BegunConfig).check(config)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    return {BEGUN: config[BEGUN]} if BEGUN in config else {}


def earlier_prompts(folder: Path) -> list[str]:
    """A line for each game of a run in which models were asked in the words of other versions.

    Games that are not installed any more have none.
    """
    asked: dict[str, dict[str, None]] = {}  # versions in the order in which they came
    for record in read_decisions(folder):
        if record["prompt_version"]:
            asked.setdefault(record["game"], {})[record["prompt_version"]] = None
    told = []
    for game, versions in asked.items():
        if game not in games():
            continue
        view = spec(game).module("view")
        now = (view.PROMPT_VERSION, part(view, "MERGED_VERSION"))
        if earlier := ", ".join(version for version in versions if version not in now):
            told.append(
                f"{game}: this run was begun with earlier prompts ({earlier}); what is asked from "
                f"here on has those of today ({view.PROMPT_VERSION})"
            )
    return told


MAY_DIFFER = ("connections", BEGUN)
"""Fields of ``config.json`` that may differ in a resumed run."""
SINCE_0_1: dict[str, Any] = {
    "clock": "sync",
    "again": True,
    "tries_on_violation": 1,
    "forfeit": "end",
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
        {k: v for k, v in old.items() if k not in MAY_DIFFER},
        {k: v for k, v in new.items() if k not in MAY_DIFFER},
    )
    if difference is not None:
        key, before, now = difference
        if name := changed_file(before, now):
            raise InputError(
                f"--resume: {key}: the file {name} is not the one that the run was begun with "
                f"(another SHA-256 stands in {path}); put that one back, or start a new run"
            )
        raise InputError(
            f"--resume: {path} has {key}={brief(before)}, this call asks for {brief(now)}; "
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
