"""Parts of pages in Markdown that commands write, between lines that mark them."""

from __future__ import annotations

from pathlib import Path


def marks(name: str) -> tuple[str, str]:
    """The lines before and behind a part."""
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def between(page: str, name: str) -> tuple[str, str]:
    """The text before and after a part of a page, including the marks.

    Raises:
        ValueError: the lines that mark it are not there once each, in order.
    """
    begin, end = marks(name)
    head, found, rest = page.partition(begin)
    _, closed, tail = rest.partition(end)
    if not found or not closed or begin in rest or end in tail:
        raise ValueError(f"it needs the lines {begin} and {end}, once each and in this order")
    return head + begin, end + tail


def part(page: str, name: str) -> str:
    """The text between the marks. Raises ``ValueError`` as ``between``."""
    head, tail = between(page, name)
    return page[len(head) : len(page) - len(tail)].strip("\n")


def write(path: Path, name: str, text: str) -> None:
    """Put a text between the marks. Raises ``ValueError`` as ``between``, and ``OSError``."""
    head, tail = between(path.read_text(encoding="utf-8"), name)
    path.write_text(f"{head}\n\n{text.strip()}\n\n{tail}", encoding="utf-8")
