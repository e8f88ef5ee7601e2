"""Progress on standard error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def progress_bar() -> Progress:
    """A progress bar on standard error, so that standard output stays clean."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )


def counter(bar: Progress, description: str, total: int) -> Callable[[Any], None]:
    """A line of the bar that every call, whatever it is told, takes one step on."""
    task = bar.add_task(description, total=total)
    return lambda _: bar.advance(task)
