"""Random numbers of tests: the run's seed, and tests repeated many times with fresh ones.

    python tests/fresh_seeds.py --times 200 --output seeds.jsonl -n 2 [pytest's own options]

runs every test that asks for the fixture ``seed``, by itself or through another such as ``rng``, so
many times, each time from another seed and with fixtures of its own but for those of its module, in
as many processes as ``-n`` says, so that what is imported and compiled serves all repetitions. The
cheapest come first. Each repetition is a line of the file: called again with the same file, the
command goes on where it ended. It prints a table of what failed, with a command that repeats it.
A test that failed is repeated no more.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import secrets
import subprocess
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _pytest.runner import runtestprotocol

VARIABLE = "STRATAGYM_TEST_SEED"
os.environ.setdefault(VARIABLE, str(secrets.randbits(32)))


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed of this run and this test, below 2**63."""
    drawn = [int(os.environ[VARIABLE]), zlib.crc32(request.node.nodeid.encode())]
    return int(np.random.default_rng(drawn).integers(2**63))


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """For a test's own random choices."""
    return np.random.default_rng(seed)


def pytest_report_header() -> str:
    return (
        f"stratagym: random games from {VARIABLE}={os.environ[VARIABLE]} (set it to run it again)"
    )


# --- what is recorded ----------------------------------------------------------------------------


@dataclass
class Repeated:
    """How often a test was run, and how that ended.

    Attributes:
        runs: repetitions so far. seconds: of all of them. failures: (seed, what was said last).
        skipped: why it was, or None.
    """

    runs: int = 0
    seconds: float = 0.0
    failures: list[tuple[int, str]] = field(default_factory=list)
    skipped: str | None = None

    def left(self, times: int, seconds: float) -> int:
        """How many more repetitions are wanted, of ``times`` and of what ``seconds`` allow."""
        if self.failures or self.skipped is not None:
            return 0
        rest: float = times - self.runs
        if self.seconds:
            rest = min(rest, (seconds - self.seconds) * self.runs / self.seconds)
        return max(0, int(rest))


def read(path: Path) -> dict[str, Repeated]:
    """What a file of repetitions comes to, by the tests' ids."""
    found: defaultdict[str, Repeated] = defaultdict(Repeated)
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        one = json.loads(line)
        test = found[one["test"]]
        test.runs += 1
        test.seconds += one["seconds"]
        if one["outcome"] == "failed":
            test.failures.append((one["seed"], one["said"]))
        elif one["outcome"] == "skipped":
            test.skipped = one["said"]
    return found


def table(found: dict[str, Repeated], times: int) -> str:
    """What ran how often, and each failure with the command that repeats it."""
    whole = [name for name, test in found.items() if test.runs >= times and not test.failures]
    skipped = [name for name, test in found.items() if test.skipped is not None]
    failed = {name: test.failures for name, test in found.items() if test.failures}
    fewer = {
        name: test
        for name, test in sorted(found.items(), key=lambda item: item[1].seconds / item[1].runs)
        if test.runs < times and name not in failed and name not in skipped
    }
    said = [f"{len(whole)} tests passed {times} times, {len(skipped)} were skipped"]
    said += [
        f"{test.runs:>6} times, {test.seconds / test.runs:.1f} s each: {name}"
        for name, test in fewer.items()
    ]
    said.append(f"{len(failed)} tests failed")
    for name, failures in failed.items():
        for seed, why in failures:
            said.append(f"  {VARIABLE}={seed} pytest '{name}'  after {found[name].runs - 1} passes")
            said.append(f"      {why}")
    return "\n".join(said)


# --- the plugin ----------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fresh seeds", "see tests/fresh_seeds.py, which gives these")
    group.addoption("--fresh-seeds", type=int, metavar="TIMES", help="repeat tests that draw seeds")
    group.addoption("--fresh-seconds", type=float, default=float("inf"), metavar="S")
    group.addoption("--fresh-file", type=Path, metavar="FILE")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("fresh_seeds") is not None:
        config.pluginmanager.register(_Repeating(config), "repeating")


class _Repeating:
    """Repeats each test that draws a seed, in place of running it once."""

    def __init__(self, config: pytest.Config):
        self.times, self.seconds = (
            config.getoption(name) for name in ("fresh_seeds", "fresh_seconds")
        )
        self.path: Path = config.getoption("fresh_file")
        self.found = read(self.path)

    def left(self, item: pytest.Item) -> int:
        found = self.found.get(item.nodeid, Repeated())
        return found.left(self.times, self.seconds)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Keep those that draw a seed and are not done, the cheapest first."""
        chosen = [
            item for item in items
            if "seed" in getattr(item, "fixturenames", ()) and self.left(item)
        ]  # fmt: skip
        kept = {id(item) for item in chosen}
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])

        def mean_seconds(item: pytest.Item) -> float:
            test = self.found.get(item.nodeid, Repeated())
            return test.seconds / max(test.runs, 1)

        items[:] = sorted(chosen, key=mean_seconds)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        test = self.found.setdefault(item.nodeid, Repeated())
        reports: list[pytest.TestReport] = []
        while self.left(item) and not item.session.shouldstop:
            drawn = secrets.randbits(32)
            os.environ[VARIABLE] = str(drawn)
            # Another node of the same parents: what belongs to the test alone is made anew.
            again: Any = copy.copy(item)
            again._initrequest()
            began = time.perf_counter()
            reports = runtestprotocol(again, log=False, nextitem=item)
            self._record(item.nodeid, drawn, time.perf_counter() - began, reports, test)
        item.session._setupstate.teardown_exact(nextitem)
        for report in reports:
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _record(
        self, name: str, drawn: int, seconds: float, reports: list[pytest.TestReport],
        test: Repeated,
    ) -> None:  # fmt: skip
        """Add one repetition to the file, whole, and to ``test``."""
        test.runs += 1
        test.seconds += seconds
        outcome, said = "passed", ""
        for report in reports:
            if report.failed:
                crash = getattr(report.longrepr, "reprcrash", None)
                message = crash.message if crash is not None else str(report.longrepr)
                outcome, said = "failed", " ".join(message.split())[:400]
                test.failures.append((drawn, said))
                break
            if report.skipped:
                reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
                outcome, said = "skipped", reason
                test.skipped = reason
        line = {"test": name, "seed": drawn, "outcome": outcome, "seconds": round(seconds, 4)}
        text = json.dumps(line | ({"said": said} if said else {})) + "\n"
        # One write a line: several processes add to the file.
        with self.path.open("ab", buffering=0) as file:
            file.write(text.encode())


# --- the command ---------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=200, help="repetitions of each test")
    parser.add_argument(
        "--seconds", type=float, default=float("inf"),
        help="for the repetitions of one test at most; the table says which had fewer",
    )  # fmt: skip
    parser.add_argument("--output", type=Path, required=True, help="the file to add to")
    args, more = parser.parse_known_args(arguments)
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    # With "=": before pytest knows an option it takes the word after it for a path of tests.
    line += [f"--fresh-file={args.output.resolve()}", f"--fresh-seconds={args.seconds}"]
    for times in (1, args.times):  # once all, so that it is known which are cheap
        ended = subprocess.run([*line, f"--fresh-seeds={times}", *more]).returncode
        if ended not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED,
                         pytest.ExitCode.NO_TESTS_COLLECTED):  # fmt: skip
            return ended
    found = read(args.output)
    print(table(found, args.times))
    return int(any(test.failures for test in found.values()))


if __name__ == "__main__":
    sys.exit(main())
