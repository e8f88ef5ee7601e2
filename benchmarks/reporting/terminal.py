"""Printing: names, replies and paths as texts that cannot control a terminal.

Models, their replies, files and recorded runs are written by others. No string is taken for
markup, and what would move the cursor, change colours or the direction of writing is written out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from stratagym.envs.echo import echoed

_PLAIN = "\n\t"
FULL = 10_000
"""Columns if no screen limits them."""


def printable(text: str) -> str:
    r"""Text with all that is not seen, or that steers a terminal, by its code, such as ``\x1b``.

    Newlines and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _PLAIN else _code(c) for c in text)


def _code(character: str) -> str:
    code = ord(character)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\u{code:04x}" if code > 0xFF else f"\\x{code:02x}"


def one_line(text: str, limit: int | None = None) -> str:
    """Printable text in one line; what is longer than ``limit`` characters is cut."""
    line = printable(" ".join(text.split()))
    return line if limit is None or len(line) <= limit else line[: limit - 3] + "..."


class Screen(Console):
    """A console on which strings are shown as they are: no markup, no emoji codes, no steering.

    What should have a style is a ``rich.text.Text``.
    """

    def __init__(self, *, stderr: bool = False, **options: Any):
        defaults = {"markup": False, "emoji": False, "highlight": False}
        super().__init__(stderr=stderr, **(defaults | options))

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """As a console's; the texts of all segments that are no control codes are printable."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)


def output_console() -> Screen:
    """Standard output: as wide as the terminal, and of full width in a file or pipe.

    ``COLUMNS`` in the environment sets the width of either.
    """
    limited = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return Screen(width=None if limited else FULL)


def say(line: str, file: TextIO | None = None, values: Iterable[str] = ()) -> None:
    """Print one line on standard error, or on ``file``.

    Values in it are cut, and passwords masked, as ``echo`` has it; ``values`` are such as it holds.
    """
    print(one_line(echoed(line, values)), file=file or sys.stderr)
