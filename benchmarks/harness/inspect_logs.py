"""Games in the logs of Inspect, ``.json`` and ``.eval``, as records that are replayed."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.records import GAME_FIELDS

ENDINGS = (".json", ".eval")
SCORE = "outcome"
"""The scorer whose metadata hold a game; see ``wrappers/inspect_ai.py``."""


def is_log(path: Path) -> bool:
    """Whether a path may be a log of Inspect's."""
    return path.suffix in ENDINGS


def read_log(path: Path) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """The games of a log, in the order of its samples, and what was said in each, by match.

    Raises:
        InputError: there is no such file, it is no log, or none of its samples holds a game.
    """
    games: list[dict[str, Any]] = []
    messages: dict[str, list[dict[str, Any]]] = {}
    try:
        for sample in _samples(path):
            record = _game_of(sample)
            if record is None:
                continue
            said = record.pop("messages", [])
            record["match"] = f"{sample['id']}/{sample.get('epoch', 1)}"
            games.append(record)
            messages[record["match"]] = [
                {"match": record["match"], "number": number, **one}
                for number, one in enumerate(said, 1)
            ]
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: cannot be read as a log of Inspect ({error})") from None
    except InputError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InputError(f"{path}: no log of Inspect's") from None
    if not games:
        raise InputError(
            f"{path}: no sample holds a game with {', '.join(GAME_FIELDS)}; logs of the task "
            "stratagym/game do"
        )
    return games, messages


def _samples(path: Path) -> Iterator[dict[str, Any]]:
    """The samples of a log, whose ``.eval`` is an archive with a file for each."""
    if path.suffix == ".json":
        yield from json.loads(path.read_text(encoding="utf-8")).get("samples") or ()
        return
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.startswith("samples/")]
            found = [json.loads(archive.read(name)) for name in names]
    except NotImplementedError:  # packed by zstd, which Python's own reader knows from 3.14 on
        found = _samples_by_inspect(path)
    yield from sorted(found, key=lambda sample: (str(sample["id"]), sample.get("epoch", 1)))


def _samples_by_inspect(path: Path) -> list[dict[str, Any]]:
    """The samples of an archive, read by Inspect itself; what is needed of them."""
    try:
        from inspect_ai.log import read_eval_log
    except ModuleNotFoundError:
        raise InputError(
            f"{path}: this archive is read by Inspect: pip install 'stratagym[inspect]'; or make "
            "it a .json with: inspect log convert --to json"
        ) from None
    return [
        {
            "id": sample.id,
            "epoch": sample.epoch,
            "scores": {name: {"metadata": s.metadata} for name, s in (sample.scores or {}).items()},
        }
        for sample in read_eval_log(str(path)).samples or ()
    ]


def _game_of(sample: dict[str, Any]) -> dict[str, Any] | None:
    """A sample's game; None where it holds none, or one of before logs had the rules."""
    found = ((sample.get("scores") or {}).get(SCORE) or {}).get("metadata") or {}
    if not set(GAME_FIELDS) <= found.keys():
        return None
    return {**found, "seed": int(found["seed"])}
