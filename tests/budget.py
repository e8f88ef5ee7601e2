"""What each game costs the suite: processor seconds of tests and of compiling, beside a budget.

A pytest plugin. Seconds are those of the processor, of the test's process and of the children that
it has waited for, so that they mean the same with more workers than cores; what a child compiles
counts as running. Tests marked slow stand apart from the budget. A test belongs to the game whose
folder it is in, else to the game that its file or its parameters name, else to none.
Nothing fails here: timings depend on the machine. The table at the end of a run is for those who
add a game.
"""

from __future__ import annotations

import os
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


def processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


class _Compiling(event.Listener):
    """Processor seconds of this process for compiling; what one function needs counts once."""

    seconds, depth, began = 0.0, 0, 0.0

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.began = time.process_time()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.process_time() - self.began


_COMPILING = _Compiling()
event.register("numba:compile", _COMPILING)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Keep what was spent before a test."""
    item.stash[_BEFORE] = processor_seconds(), _COMPILING.seconds
    return (yield)


_BEFORE = pytest.StashKey[tuple[float, float]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        began, compiled = item.stash[_BEFORE]
        report.user_properties.append(("cpu_seconds", processor_seconds() - began))
        report.user_properties.append(("compile_seconds", _COMPILING.seconds - compiled))
    return report


MINUTE = 60.0


def spent(report: pytest.TestReport) -> tuple[float, float]:
    """Processor seconds of a test and those of compiling; zeros in all reports but its last."""
    told = dict(report.user_properties)
    return told.get("cpu_seconds", 0.0), told.get("compile_seconds", 0.0)


def unmarked(reports: Iterable[pytest.TestReport]) -> dict[str, float]:
    """Tests that ran for over a minute and are not marked slow, with their processor seconds."""
    took: dict[str, float] = {}
    for report in reports:
        if "slow" not in report.keywords:
            seconds, compiling = spent(report)
            took[report.nodeid] = took.get(report.nodeid, 0.0) + seconds - compiling
    return {nodeid: seconds for nodeid, seconds in took.items() if seconds > MINUTE}


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tests that want the mark ``slow``, and the table of games, the dearest first."""
    reports = [
        report
        for group in list(terminalreporter.stats.values())
        for report in group
        if isinstance(report, pytest.TestReport)
    ]
    for nodeid, seconds in unmarked(reports).items():
        terminalreporter.line(f"takes {seconds:.0f} s and is not marked slow: {nodeid}")
    rows: dict[str, list[float]] = {}
    for report in reports:
        row = rows.setdefault(game_of(report.nodeid), [0, 0.0, 0.0, 0.0])
        seconds, compiling = spent(report)
        row[0] += report.when == "call"
        if "slow" in report.keywords:
            row[3] += seconds
        else:
            row[1] += seconds - compiling
            row[2] += compiling
    if sum(row[0] for row in rows.values()) < 50:
        return
    terminalreporter.section("processor seconds a game", sep="-")
    terminalreporter.line(f"{'game':<18}{'tests':>7}{'running':>10}{'compiling':>11}{'slow':>8}")
    for game, row in sorted(rows.items(), key=lambda pair: -sum(pair[1][1:])):
        tests, running, compiling, slow = row
        over = game != "-" and (running > TEST_SECONDS or compiling > COMPILE_SECONDS)
        line = f"{game:<18}{tests:>7.0f}{running:>10.1f}{compiling:>11.1f}{slow:>8.1f}"
        terminalreporter.line(line + "  over the budget" * over)
    terminalreporter.line(
        f"budget of a game: {TEST_SECONDS:.0f} s of running and {COMPILE_SECONDS:.0f} s of "
        "compiling; tests marked slow stand apart"
    )
