"""What each game costs the suite: seconds of tests and of compiling, beside a budget.

A pytest plugin. A test belongs to the game whose folder it is in, else to the game that its file or
its parameters name, else to none.
Nothing fails here: timings depend on the machine. The table at the end of a run is for those who
add a game.
"""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterable
from typing import Any

import pytest
from numba.core import event
from ours import our_games

TEST_SECONDS, COMPILE_SECONDS = 75.0, 45.0
"""Budget of a game on one core of 2.5 GHz with an empty cache: 25 games stay within 40 minutes on
two cores, with ten minutes for all else."""

_GAMES = re.compile(rf"(?<![a-z])({'|'.join(sorted(our_games(), key=len, reverse=True))})(?![a-z])")


def game_of(nodeid: str) -> str:
    """The game that a test's id names, or ``-``."""
    path, _, test = nodeid.partition("::")
    *folders, name = path.split("/")
    if folders[:2] == ["tests", "games"]:
        return folders[-1]
    found = _GAMES.findall(f"{name}::{test}")
    return found[0] if found else "-"


class _Compiling(event.Listener):
    """Seconds that this process has spent compiling; what one function needs counts once."""

    seconds, depth, began = 0.0, 0, 0.0

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.began = time.perf_counter()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.began


_COMPILING = _Compiling()
event.register("numba:compile", _COMPILING)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Say with each test how long it compiled."""
    before = _COMPILING.seconds
    item.stash[_BEFORE] = before
    return (yield)


_BEFORE = pytest.StashKey[float]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        spent = _COMPILING.seconds - item.stash[_BEFORE]
        report.user_properties.append(("compile_seconds", spent))
    return report


MINUTE = 60.0


def unmarked(groups: Iterable[list[Any]]) -> dict[str, float]:
    """Seconds of the tests that took over a minute, compiling left out, and are not marked slow."""
    spent: dict[str, float] = {}
    for report in (report for group in groups for report in group):
        if isinstance(report, pytest.TestReport) and "slow" not in report.keywords:
            compiling = dict(report.user_properties).get("compile_seconds", 0.0)
            spent[report.nodeid] = spent.get(report.nodeid, 0.0) + report.duration - compiling
    return {nodeid: seconds for nodeid, seconds in spent.items() if seconds > MINUTE}


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tests that want the mark ``slow``, and the table of games, the dearest first."""
    for nodeid, seconds in unmarked(terminalreporter.stats.values()).items():
        terminalreporter.line(f"takes {seconds:.0f} s and is not marked slow: {nodeid}")
    rows: dict[str, list[float]] = {}
    for reports in list(terminalreporter.stats.values()):
        for report in reports:
            if not isinstance(report, pytest.TestReport):
                continue
            row = rows.setdefault(game_of(report.nodeid), [0, 0.0, 0.0])
            row[0] += report.when == "call"
            row[1] += report.duration
            row[2] += dict(report.user_properties).get("compile_seconds", 0.0)
    if sum(row[0] for row in rows.values()) < 50:
        return
    terminalreporter.section("seconds a game", sep="-")
    terminalreporter.line(f"{'game':<16}{'tests':>7}{'seconds':>10}{'of these compiling':>20}")
    for game, (tests, seconds, compiling) in sorted(rows.items(), key=lambda row: -row[1][1]):
        over = game != "-" and (seconds - compiling > TEST_SECONDS or compiling > COMPILE_SECONDS)
        line = f"{game:<16}{tests:>7.0f}{seconds:>10.1f}{compiling:>20.1f}"
        terminalreporter.line(line + "  over the budget" * over)
    terminalreporter.line(
        f"budget of a game: {TEST_SECONDS:.0f} s of tests and {COMPILE_SECONDS:.0f} s of compiling"
    )
