"""Progress on standard error: bars in a terminal, lines where it goes anywhere else."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from stratagym.benchmarks.reporting.terminal import Screen, say

SECONDS = 10.0
"""Seconds between two checks whether a line is due."""


def progress_bar(*columns: str | ProgressColumn, auto_refresh: bool = True) -> Progress:
    """A progress bar on standard error, so that standard output stays clean.

    Where standard error is no terminal, lines tell every ten seconds what has changed, and at the
    end what was not told yet.

    Args:
        columns: of the bar in a terminal, by default name, bar, count, and times.
        auto_refresh: whether a thread draws the bar or tells the lines; without one, ``refresh``
            does.
    """
    columns = columns or (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = Screen(stderr=True)
    kind = Progress if console.is_terminal else _Told
    return kind(*columns, console=console, auto_refresh=auto_refresh)


class _Told(Progress):
    """The progress bar as lines, for output that is no terminal."""

    def __init__(self, *columns: str | ProgressColumn, console: Screen, auto_refresh: bool):
        super().__init__(*columns, console=console, disable=True)
        self._told: dict[TaskID, tuple[float, float | None]] = {}
        self._over = threading.Event()
        self._teller = threading.Thread(target=self._tell_at_times, daemon=True)
        self._at_times, self._last = auto_refresh, time.monotonic()

    def start(self) -> None:
        if self._at_times:
            self._teller.start()

    def refresh(self) -> None:
        if not self._at_times and time.monotonic() - self._last >= SECONDS:
            self._tell()

    def stop(self) -> None:
        self._over.set()
        if self._at_times:
            self._teller.join()
        self._tell()

    def _tell_at_times(self) -> None:
        while not self._over.wait(SECONDS):
            self._tell()

    def _tell(self) -> None:
        self._last = time.monotonic()
        for task in self.tasks:
            now = task.completed, task.total
            if task.visible and self._told.get(task.id) != now:
                self._told[task.id] = now
                say(_line(task))


def _line(task: Task) -> str:
    of = "" if task.total is None else f" of {task.total:,.0f}"
    left = task.time_remaining
    return f"{task.description}: {task.completed:,.0f}{of}, {task.elapsed or 0.0:.0f} s" + (
        "" if left is None or task.finished else f", about {left:.0f} s left"
    )


@contextmanager
def stage(doing: str) -> Iterator[None]:
    """Announce work that takes seconds and has no progress bar."""
    console = Screen(stderr=True)
    if console.is_terminal:
        with console.status(f"{doing} ..."):
            yield
    else:
        print(f"{doing} ...", file=sys.stderr, flush=True)
        yield


class Lines:
    """Lines of a progress bar by their names; a line appears with its first finished step."""

    def __init__(self, bar: Progress):
        self._bar = bar
        self._tasks: dict[str, TaskID] = {}
        self._totals: Counter[str] = Counter()

    def add(self, names: Iterable[str]) -> None:
        """Add work: one step for each occurrence of a name."""
        more = Counter(names)
        self._totals += more
        for name in more:
            if name not in self._tasks:
                self._tasks[name] = self._bar.add_task(name, visible=False)
            self._bar.update(self._tasks[name], total=self._totals[name])

    def advance(self, name: str) -> None:
        """Mark one step of a line as done."""
        self._bar.update(self._tasks[name], advance=1, visible=True)


@contextmanager
def lines() -> Iterator[Lines]:
    """Lines of a progress bar on standard error."""
    with progress_bar() as bar:
        yield Lines(bar)
