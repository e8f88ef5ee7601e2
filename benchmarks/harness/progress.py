"""Progress on standard error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from stratagym.benchmarks.reporting.terminal import Screen


def progress_bar() -> Progress:
    """A progress bar on standard error, so that standard output stays clean."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Screen(stderr=True),
    )


class Lines:
    """Lines of a progress bar by their names; each shows once something of it is done."""

    def __init__(self, bar: Progress):
        self._bar = bar
        self._tasks: dict[str, TaskID] = {}
        self._totals: Counter[str] = Counter()

    def add(self, names: Iterable[str]) -> None:
        """That there is more to do, one step for each time that a name comes."""
        more = Counter(names)
        self._totals += more
        for name in more:
            if name not in self._tasks:
                self._tasks[name] = self._bar.add_task(name, visible=False)
            self._bar.update(self._tasks[name], total=self._totals[name])

    def advance(self, name: str) -> None:
        """That a step of a line is done."""
        self._bar.update(self._tasks[name], advance=1, visible=True)


@contextmanager
def lines() -> Iterator[Lines]:
    """Lines of a progress bar on standard error."""
    with progress_bar() as bar:
        yield Lines(bar)
