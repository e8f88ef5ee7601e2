"""Reads JSON out of what language models say: tolerant of the text around it, strict within.

One reader for every game. It never evaluates anything, does not recurse, and takes time linear in
the reply's length. What is wrong with a reply is a ``ReplyError``, whose text is one word.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NamedTuple

REPLY_LIMIT = 100_000
"""The longest reply that is read, in characters, reasoning in front of it apart."""
DEPTH_LIMIT = 16
"""The most objects and lists within each other."""


class ReplyError(ValueError):
    """A reply that cannot be read. Its text is why, as one word.

    ``too_long`` (over ``REPLY_LIMIT``), ``too_deep`` (over ``DEPTH_LIMIT``), ``duplicate_key``,
    ``no_json`` (no object or list such as is wanted); a view may add words of its own.
    """


class Found(NamedTuple):
    """A JSON object or list in a text: its value and where it stands."""

    value: Any
    start: int
    end: int


class _Duplicate:
    """Stands for an object of which two members have one name."""


_OPENING = re.compile(r'\{(?=[ \t\r\n]*["}])|\[')
_BLANKS = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(
    r'(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")'
    r"|(?P<number>-?(?:0|[1-9]\d{0,300})(?:\.\d{1,300})?(?:[eE][+-]?\d{1,4})?)(?![\w.])"
    r"|(?P<word>true|false|null)(?!\w)",
    re.DOTALL | re.ASCII,
)
_WORDS = {"true": True, "false": False, "null": None}
_STRING = json.JSONDecoder(strict=False)


def find_json(text: str) -> list[Found]:
    """The well-formed objects and lists of a text that stand in no other, in order.

    Newlines within strings are tolerated; NaN and infinities are not JSON.

    Raises:
        ReplyError: ``too_long``, ``too_deep``.
    """
    return [found for found in _scan(text) if not isinstance(found.value, _Duplicate)]


def last_json(text: str, kind: type | tuple[type, ...] = dict, *keys: str | None) -> Any:
    """The last JSON value of a kind in a text, in a fence or not.

    Args:
        kind: ``dict``, ``list`` or both. keys: of objects, only those that have this member; the
            next is looked for where there is none with the first, and None is any object.

    Raises:
        ReplyError: there is none (``no_json``), or the last JSON of the text names a member twice
            (``duplicate_key``); and as ``find_json``.
    """
    objects = _scan(text)
    for key in keys or (None,):
        for found in reversed(objects):
            if isinstance(found.value, _Duplicate):
                raise ReplyError("duplicate_key")
            if isinstance(found.value, kind) and (
                key is None or not isinstance(found.value, dict) or key in found.value
            ):
                return found.value
    raise ReplyError("no_json")


def _scan(text: str) -> list[Found]:
    if len(text) > REPLY_LIMIT:
        raise ReplyError("too_long")
    found, at = [], 0
    while (start := _OPENING.search(text, at)) is not None:
        parsed = _parse(text, start.start())
        if parsed is None:
            at = start.end()
        else:
            found.append(parsed)
            at = parsed.end
    return found


def _parse(text: str, start: int) -> Found | None:
    """The object or list that begins at ``start``; None if it is not well-formed."""
    # One entry for each open object or list: itself, and of an object the member's name.
    stack: list[tuple[Any, list[str]]] = []
    duplicate, at = False, start
    while True:
        # A value is due, or the end of an object or list that is still empty.
        character = text[at : at + 1]
        value: Any
        if character and character in "{[":
            if len(stack) == DEPTH_LIMIT:
                raise ReplyError("too_deep")
            stack.append(({} if character == "{" else [], []))
            at = _after_blanks(text, at + 1)
            if text[at : at + 1] != "}]"[character == "["]:
                if character == "{":
                    key, at = _key(text, at)
                    if key is None:
                        return None
                    stack[-1][1].append(key)
                continue
            at += 1
            value = stack.pop()[0]
        else:
            scalar = _SCALAR.match(text, at)
            if scalar is None:
                return None
            try:
                value = _value(scalar)
            except ValueError:
                return None
            at = scalar.end()
        # The value is in hand: put it where it belongs, and close what ends after it.
        while True:
            if not stack:
                return Found(_Duplicate() if duplicate else value, start, at)
            into, keys = stack[-1]
            if isinstance(into, dict):
                name = keys.pop()
                duplicate |= name in into
                into[name] = value
            else:
                into.append(value)
            at = _after_blanks(text, at)
            character = text[at : at + 1]
            if character == ",":
                at = _after_blanks(text, at + 1)
                if isinstance(into, dict):
                    key, at = _key(text, at)
                    if key is None:
                        return None
                    keys.append(key)
                break
            if character != ("}" if isinstance(into, dict) else "]"):
                return None
            at += 1
            value = stack.pop()[0]


def _after_blanks(text: str, at: int) -> int:
    if text[at : at + 1] > " ":
        return at
    blanks = _BLANKS.match(text, at)
    assert blanks is not None
    return blanks.end()


def _key(text: str, at: int) -> tuple[str | None, int]:
    """A member's name and where its value begins; None if no name stands there."""
    name = _SCALAR.match(text, at)
    if name is None or name.lastgroup != "string":
        return None, at
    at = _after_blanks(text, name.end())
    if text[at : at + 1] != ":":
        return None, at
    try:
        return _value(name), _after_blanks(text, at + 1)
    except ValueError:
        return None, at


def _value(scalar: re.Match[str]) -> Any:
    """Raises ``ValueError`` for a string with a wrong escape, and a number beyond all floats."""
    said = scalar[0]
    if scalar.lastgroup == "string":
        # Halves of surrogate pairs, which JSON can smuggle in, cannot be written as UTF-8.
        return _STRING.decode(said).encode("utf-8", "replace").decode("utf-8")
    if scalar.lastgroup == "word":
        return _WORDS[said]
    try:
        return int(said)
    except ValueError:
        number = float(said)
    if not math.isfinite(number):
        raise ValueError(said)
    return number
