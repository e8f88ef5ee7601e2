"""Options that name a file: what was in it is part of the option, so that no other is taken for it.

``Option(default, data_file, help)`` takes the name of a file and makes ``NAME@sha256:HEX`` of it,
as images of containers are named. Records and configurations hold that; where they are played again
or gone on with, and the file has changed, it is refused. A game whose option may also be a word,
such as the name of a built-in problem, calls ``data_file`` for what is none.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

MARK = "@sha256:"


def data_file(value: Any) -> str:
    """A ``choices`` function: ``NAME@sha256:HEX`` of a file, by its name alone or by all of that.

    Raises:
        ValueError: the file cannot be read, or it is not the one whose SHA-256 is given.
    """
    return _read(str(value))[0]


def read_data_file(value: str) -> bytes:
    """What is in a file that an option names.

    Raises:
        ValueError: as above; somebody may have changed it since.
    """
    return _read(value)[1]


def changed_file(before: Any, now: Any) -> str:
    """The name of a file that is named by two options and of which they hold different hashes."""
    if not isinstance(before, str) or not isinstance(now, str) or before == now:
        return ""
    name, mark, _ = before.rpartition(MARK)
    return name if mark and name == now.rpartition(MARK)[0] else ""


def _read(text: str) -> tuple[str, bytes]:
    name, mark, wanted = text.rpartition(MARK)
    if not mark:
        name = text
    try:
        data = Path(name).read_bytes()
    except (OSError, ValueError) as error:  # a null character is no OSError
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"the file cannot be read ({reason})") from None
    found = hashlib.sha256(data).hexdigest()
    if mark and found != wanted:
        raise ValueError(f"another file is there now, with the SHA-256 {found}")
    return f"{name}{MARK}{found}", data
