"""What the prompts of all games are made of."""

from __future__ import annotations


def section(title: str, *lines: str) -> str:
    """A titled part of a prompt."""
    return "\n".join([f"## {title}", *lines])
