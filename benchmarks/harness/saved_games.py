"""Saved games of other programs, read as records that are replayed, and written from records.

A game whose package has a module ``saved`` takes part. It has ``from_game(rules, actions, name,
messages)``, which makes a JSON object; ``options`` and ``read_game`` of such an object, which raise
``ValueError`` in one line and give ``actions`` and what was ``said(rules, asked)``;
``seats(rules)``, who sits where; and ``OTHER_RULES``, options by which a game may have been played
instead.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.files import parse, read_bytes
from stratagym.envs import core, spec, specs
from stratagym.envs.core import GameSpec

KEY = "phases"
"""A member that every saved game has, and no log or record."""
SUFFIXES = (".json", ".jsonl")
ENDED = {core.TERMINAL: "terminal", core.TRUNCATED: "truncated"}
Records = tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]


def writes_saved(game: GameSpec) -> bool:
    """Whether a game's records can be written so."""
    return game.optional_module("saved") is not None


def is_saved(path: Path) -> bool:
    """Whether a file begins with a saved game."""
    if path.suffix not in SUFFIXES or not path.is_file():
        return False
    content = read_bytes(path)
    first = content.partition(b"\n")[0] if path.suffix == ".jsonl" else content
    try:
        found = parse(first)
    except ValueError:
        return False
    return isinstance(found, dict) and KEY in found


def read_saved(path: Path) -> Records:
    """The games of a file of one or, one a line, several saved games, and their messages by match.

    Raises:
        InputError: a game that cannot be read, or comes to other positions than the file has.
    """
    games, said = [], {}
    (game,) = [one for one in specs() if writes_saved(one)]
    for number, saved in enumerate(_objects(path), 1):
        try:
            record, messages = _read(game, saved, f"{number}")
        except (ValueError, TypeError) as error:
            raise InputError(f"{path}, game {number}: {error}") from None
        games.append(record)
        said[record["match"]] = messages
    return games, said


def saved_game(record: dict[str, Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The saved game of a record. Raises ``ValueError`` for a game that is not written so."""
    game = spec(record["game"])
    module = game.optional_module("saved")
    if module is None:
        raise ValueError(f"{game.name} is not written in this format")
    rules = game.make_rules(**record["rules"])
    found: dict[str, Any] = module.from_game(rules, record["actions"], record["match"], messages)
    return found


def _read(game: GameSpec, saved: Any, name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    module = game.module("saved")
    options = module.options(saved)
    rules = game.make_rules(**options)
    try:
        found = module.read_game(rules, saved)
    except ValueError as error:
        options |= module.OTHER_RULES
        rules = game.make_rules(**options)
        try:
            found = module.read_game(rules, saved)
        except ValueError:
            raise error from None
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    player = core.start_at(rules, states, 0, np.uint64(0), probs)
    asked = []
    for action in found.actions:
        asked.append(int(player))
        player, _ = core.play_at(rules, states, 0, action, legal, probs)
    ended, returns = ENDED.get(int(player)), np.zeros(rules.num_players)
    core.returns_at(rules, states, 0, returns)
    match = str(saved.get("id") or name)
    record = {
        "game": game.name,
        "match": match,
        "seed": 0,
        "rules": game.options_in_force(**options),
        "seats": module.seats(rules),
        "returns": returns.tolist() if ended else None,
        "outcome": None,
        "plies": len(found.actions),
        "actions": found.actions,
        "ended_by": ended or "transport",
        "forfeited_by": None,
    }
    messages = [
        {"match": match, "number": number, **one}
        for number, one in enumerate(found.said(rules, asked), 1)
    ]
    return record, messages


def _objects(path: Path) -> list[Any]:
    """The JSON values of a file: one, or one a line. Raises ``InputError``."""
    content = read_bytes(path)
    parts = content.splitlines() if path.suffix == ".jsonl" else [content]
    try:
        return [parse(part) for part in parts if part.strip()]
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def write_saved(path: Path, found: list[dict[str, Any]]) -> None:
    """Write saved games, one a line."""
    lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in found)
    path.write_text("".join(lines), encoding="utf-8", errors="replace")
