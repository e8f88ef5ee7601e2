"""What the prompts and boards of all games are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
        parts.append(f"Moves so far:\n{history}")
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
