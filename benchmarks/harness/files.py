"""JSON and JSONL files: read as untrusted input, and written so that a kill or a full disk loses
little.

An error in a file is one line that names the file.
"""

from __future__ import annotations

import json
import math
import os
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from stratagym.benchmarks.harness import locks
from stratagym.benchmarks.harness.errors import InputError
from stratagym.benchmarks.reporting.terminal import one_line

SCHEMA = 1
_ENCODER = json.JSONEncoder(separators=(",", ":"), check_circular=False)
DEPTH = 50
"""The deepest nesting of objects and lists that a file may have."""


# --- reading -------------------------------------------------------------------------------------


def parse(content: bytes) -> Any:
    """The JSON value of UTF-8 text, with or without a byte order mark; all its strings are valid
    UTF-8.

    Raises:
        ValueError: why it is none, in one line.
    """
    try:
        value = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 text (byte {error.start})") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error})") from None
    except ValueError:  # Python's limit to digits
        raise ValueError("not JSON (a number of thousands of digits)") from None
    if content.count(b"[") + content.count(b"{") > DEPTH and _is_deep(value):
        raise ValueError(f"nested too deeply (more than {DEPTH} levels)")
    return _without_halves(value) if b"\\ud" in content.lower() else value


def _without_halves(value: Any) -> Any:
    """A value whose texts are UTF-8: "?" for halves of surrogate pairs, which JSON can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_without_halves(one) for one in value]
    if isinstance(value, dict):
        return {_without_halves(name): _without_halves(one) for name, one in value.items()}
    return value


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEPTH):
        below: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                below += one.values()
            elif isinstance(one, list):
                below += one
        level = below
    return any(isinstance(one, dict | list) for one in level)


def read_bytes(path: Path, what: str = "") -> bytes:
    """A file's content. Raises ``InputError`` with ``what`` and the file's name."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{what}{path}: cannot be read ({error.strerror})") from None


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object of a file.

    Raises:
        InputError: it cannot be read, or is none.
    """
    try:
        value = parse(read_bytes(path))
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    if not isinstance(value, dict):
        raise InputError(f"{path}: not a JSON object")
    return value


def read_jsonl(path: Path, shape: Shape | None = None) -> Iterator[dict[str, Any]]:
    """The records of a file, oldest first; none if there is no file.

    An incomplete last line, as a kill leaves it, is ignored.

    Args:
        shape: what every record must be like.

    Raises:
        InputError: a line in the middle that is not a JSON object or not of ``shape``, a record of
            a newer schema, or no file but a folder.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    with file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            where = f"{path}, line {number}"
            try:
                record = parse(line)
                if not isinstance(record, dict):
                    raise ValueError("not an object")
            except ValueError as error:
                raise InputError(f"{where}: not a JSON record ({error})") from None
            schema = record.get("schema", SCHEMA)
            if type(schema) is not int or schema > SCHEMA:
                raise InputError(
                    f"{where}: schema {brief(schema)} is newer than this version of stratagym "
                    f"reads ({SCHEMA}); upgrade stratagym"
                )
            try:
                if shape is not None:
                    shape.check(record)
            except ValueError as error:
                raise InputError(f"{where}: {error}") from None
            yield record


class Shape:
    """The fields of a record and their types, from a ``TypedDict``.

    Args:
        needed: the fields that no record may lack; by default those that the class requires. Others
            may be there, named or not.
        others: types that stand in place of those of the class.
    """

    def __init__(
        self,
        record: type,
        needed: Iterable[str] | None = None,
        others: Mapping[str, Any] | None = None,
    ):
        required = record.__required_keys__ if needed is None else needed  # type: ignore[attr-defined]
        self._needed = tuple(required)
        hints = get_type_hints(record) | dict(others or {})
        self._checks = {name: _check(hint) for name, hint in hints.items()}

    def check(self, record: Mapping[str, Any]) -> None:
        """Raises ``ValueError`` that names the first field that is missing or of another type."""
        for name in self._needed:
            if name not in record:
                raise ValueError(f"not a whole record, it has no {name!r}")
        for name, value in record.items():
            fits = self._checks.get(name)
            if fits is not None and not fits(value):
                raise ValueError(f"the field {name!r} cannot be {brief(value)}")

    def fits(self, record: Mapping[str, Any]) -> bool:
        """Whether ``check`` finds no fault."""
        try:
            self.check(record)
        except ValueError:
            return False
        return True


def _check(hint: Any) -> Callable[[Any], bool]:
    """Whether a value read from JSON is of a type; numbers must be finite and of 64 bits."""
    origin, within = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        checks = [_check(kind) for kind in within]
        return lambda value: any(fits(value) for fits in checks)
    if origin is list:
        fits = _check(within[0])
        return lambda value: type(value) is list and all(map(fits, value))
    if origin is dict:
        fits = _check(within[1])
        return lambda value: type(value) is dict and all(map(fits, value.values()))
    if is_typeddict(hint):
        shape = Shape(hint)
        return lambda value: type(value) is dict and shape.fits(value)
    if hint is int:
        return _is_int
    if hint is float:
        return lambda value: _is_int(value) or (type(value) is float and math.isfinite(value))
    if hint is Any:
        return lambda value: True
    return lambda value: type(value) is hint


def _is_int(value: Any) -> bool:
    return type(value) is int and -(1 << 63) <= value < 1 << 64


def brief(value: Any) -> str:
    """The beginning of a JSON value's text."""
    return one_line(json.dumps(value), 60)


# --- writing -------------------------------------------------------------------------------------


class JsonlWriter:
    """A JSONL file that only grows; several threads may write to it, and no other process.

    Raises:
        InputError: from this and from writing: the file cannot be written. What was written before
            is whole.
    """

    def __init__(self, path: Path):
        self._path = path
        self._lock = threading.Lock()
        locks.hold(path.parent)
        try:
            # Not buffered: a write that a full disk refused must not be repeated at closing.
            self._file = path.open("ab", buffering=0)
            _cut_torn_line(path)
        except OSError as error:
            locks.release(path.parent)
            raise unwritable(path, error) from None

    def write(self, record: Mapping[str, Any]) -> None:
        """Append one record and hand it to the operating system."""
        self.write_all([record])

    def write_all(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Append records, all or none of them."""
        lines = "".join(
            _ENCODER.encode({"schema": SCHEMA, **record}) + "\n" for record in records
        ).encode()
        with self._lock:
            before = os.fstat(self._file.fileno()).st_size
            try:
                left = memoryview(lines)
                while left:
                    left = left[self._file.write(left) :]
            except OSError as error:
                os.truncate(self._file.fileno(), before)
                raise unwritable(self._path, error) from None

    def close(self) -> None:
        """Close the file; may be called more than once."""
        if not self._file.closed:
            self._file.close()
            locks.release(self._path.parent)


def _cut_torn_line(path: Path) -> None:
    with path.open("rb+") as file:
        end = size = file.seek(0, os.SEEK_END)
        # Read backwards in blocks up to the last newline.
        while end > 0:
            start = max(0, end - 65536)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
        if end < size:
            file.truncate(end)


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file whole or not at all. Raises ``InputError`` if it cannot be written."""
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all. Raises ``InputError`` if it cannot be written."""
    draft = path.with_name(path.name + ".part")
    try:
        # Halves of surrogate pairs, as a damaged record may hold them, are not UTF-8.
        draft.write_bytes(text.encode("utf-8", "replace"))
        os.replace(draft, path)
    except OSError as error:
        if draft.is_file():
            draft.unlink()
        raise unwritable(path, error) from None


def unwritable(path: Path, error: OSError) -> InputError:
    """The line on a file that the operating system refuses to write."""
    return InputError(
        f"{path}: cannot be written ({error.strerror}); what was recorded before is kept"
    )
