"""What others wrote, as messages show it: cut, in one line, without passwords."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 200
"""Characters of a value."""
_QUOTED = re.compile(r"""(?<!\w)('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?!\w)""", re.DOTALL)
_RUN = re.compile(rf"\S{{{LONGEST + 1},}}")
_LOGIN = re.compile(r"(?<=://)\S*@")


def masked(text: str) -> str:
    """Text in which addresses have ``[hidden]`` in the place of user and password.

    >>> masked("no proxy at http://me:secret@127.0.0.1:1")
    'no proxy at http://[hidden]@127.0.0.1:1'
    """
    return _LOGIN.sub("[hidden]@", text)


def shortened(text: str) -> str:
    """The beginning of a text that is longer than ``LONGEST``, with three dots; else all of it."""
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def shown(value: str) -> str:
    """A value as a message may quote it: without a password, though it holds blanks, and cut."""
    scheme, mark, rest = value.partition("://")
    _, at, place = rest.rpartition("@")
    return shortened(f"{scheme}{mark}[hidden]@{place}" if at else value)


def echoed(message: str, values: Iterable[str] = ()) -> str:
    """A message as it may be shown, whatever values it quotes.

    Those are the texts within quotation marks, what has no blank in it, and ``values``.
    """
    for value in sorted(set(values), key=len, reverse=True):
        if shown(value) != value:
            message = message.replace(value, shown(value))
    message = _QUOTED.sub(lambda found: _short_quote(found[0]), masked(message))
    return _RUN.sub(lambda found: shortened(found[0]), message)


def _short_quote(text: str) -> str:
    return text if len(text) <= LONGEST + 2 else f"{text[:LONGEST]}...{text[0]}"
