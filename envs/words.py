"""What the prompts and boards of all games are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

MARKS = "XO"
"""What the two players of a board game of marks or stones put down, the first player's first."""


def section(title: str, *lines: str) -> str:
    """A titled part of a prompt."""
    return "\n".join([f"## {title}", *lines])


def style_and_history(style: str, history: str) -> list[str]:
    """The sections of a prompt that name a playing style and what happened before, if any."""
    parts = []
    if style:
        parts.append(section("Persona", "Play in this style:", style))
    if history:
        parts.append(section("History", history))
    return parts


def plain_style_and_history(style: str, history: str) -> list[str]:
    """The same for prompts without sections."""
    parts = []
    if style:
        parts.append(f"Play in this style: {style}")
    if history:
        parts.append(f"What happened before:\n{history}")
    return parts


def message(parts: Iterable[str]) -> list[dict[str, str]]:
    """The parts of a prompt as one chat message, blank lines between them."""
    return [{"role": "user", "content": "\n\n".join(parts)}]


def extract_move_line(text: str, move: str, lenient: bool = False) -> str | None:
    """The move's text in a reply with a line ``Move: <move>``, the last of them; or None.

    Args:
        move: regular expression of a move, without groups.
        lenient: also take a reply that is the move alone, in brackets or not.
    """
    found = re.findall(rf"(?im)^\W*move:\s*({move})\W*$", text)
    if lenient and not found:
        found = re.findall(rf"^\W*?({move})\W*$", text)
    return found[-1] if found else None


def marks_text(first: int, second: int, squares: Iterable[int]) -> str:
    """A row of X, O and ``.`` for an empty square, from two bitboards."""
    return " ".join(
        MARKS[0] if first >> k & 1 else MARKS[1] if second >> k & 1 else "." for k in squares
    )


class Renaming:
    """Words of a game and those that stand for them, both ways.

    A word is found in small letters, with a capital and in capitals, and never inside another
    word; letters that stand for something (``X``) only as they are given.
    """

    def __init__(self, words: Mapping[str, str]):
        self._new: dict[str, str] = {}
        for old, new in words.items():
            for form in (str, str.capitalize, str.upper):
                self._new.setdefault(form(old), form(new))
        self._old: dict[str, str] = {}
        for old, new in self._new.items():
            self._old.setdefault(new, old)

    def renamed(self, text: str) -> str:
        """The text with the other words."""
        return _replaced(text, self._new)

    def original(self, text: str) -> str:
        """The text with the game's own words again."""
        return _replaced(text, self._old)


def _replaced(text: str, words: Mapping[str, str]) -> str:
    longest_first = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    pattern = rf"(?<![A-Za-z])(?:{longest_first})(?![A-Za-z])"
    return re.sub(pattern, lambda match: words[match[0]], text)
