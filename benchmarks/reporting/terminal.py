"""What reports are printed on."""

from __future__ import annotations

import os
import sys

from rich.console import Console

FULL = 10_000
"""Columns where no screen limits them."""


def output_console() -> Console:
    """Standard output: as wide as the terminal, and of full width in a file or pipe.

    ``COLUMNS`` in the environment sets the width of either.
    """
    limited = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return Console(highlight=False, width=None if limited else FULL)
