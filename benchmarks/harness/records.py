"""Records of a run: append-only JSONL that survives a kill, and their reader.

A run is a folder: ``config.json``, ``decisions.jsonl``, ``games.jsonl``, ``summary.json`` and the
report. Every line is flushed when it is written; a torn last line is cut off on opening.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from stratagym.benchmarks.harness.cli import InputError

SCHEMA = 1


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


class JsonlWriter:
    """A JSONL file that only grows."""

    def __init__(self, path: Path):
        _cut_torn_line(path)
        self._file = path.open("a", encoding="utf-8")

    def write(self, record: dict[str, Any]) -> None:
        """Append one record and hand it to the operating system."""
        self.write_all([record])

    def write_all(self, records: list[dict[str, Any]]) -> None:
        """Append records with one flush."""
        self._file.write(
            "".join(
                json.dumps({"schema": SCHEMA, **record}, separators=(",", ":")) + "\n"
                for record in records
            )
        )
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


def _same_config(path: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    for key in sorted((set(old) | set(new)) - {"connections"}):
        if old.get(key) != new.get(key):
            raise InputError(
                f"--resume: {path} has {key}={_brief(old.get(key))}, this call asks for "
                f"{_brief(new.get(key))}; repeat the options of the run, or start a new one"
            )


def _brief(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
