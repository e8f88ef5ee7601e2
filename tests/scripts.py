"""Running the benchmarks' scripts, from the inside and the outside, and reading what they leave."""

from __future__ import annotations

import importlib
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from rich.console import Console

from stratagym.benchmarks.harness import cli

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
KEY = "sk-test-0123456789abcdef-not-a-real-key"
"""What the scripts find in ``STRATAGYM_TEST_KEY``, and may not write anywhere."""

COUNT_COMPILED = """
from numba.core import event

class Count(event.Listener):
    number = 0
    def on_start(self, event):
        self.number += 1
    def on_end(self, event):
        pass

count = Count()
event.register("numba:compile", count)
"""
"""Code of a process that counts in ``count.number`` what numba compiles."""


def command(script: str, *arguments: object) -> list[str]:
    """The command line of ``python -m benchmarks.<script>``."""
    return [sys.executable, "-m", f"benchmarks.{script}", *map(str, arguments)]


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The script's end, whatever it is, with its output as text.

    It runs in this process, which has everything loaded: a process of its own costs a second.
    """
    module = importlib.import_module(f"stratagym.benchmarks.{script}.__main__")
    words = [str(argument) for argument in arguments]
    out, err = io.StringIO(), io.StringIO()
    status: object = 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setenv("STRATAGYM_TEST_KEY", KEY)
        patch.setattr("sys.stdin", io.StringIO())
        patch.chdir(ROOT)
        # The application keeps its console, and with it how wide an earlier test wanted the help.
        patch.setattr(module.APP, "console", Console())
        try:
            cli.run(module.APP, words)
        except SystemExit as ended:
            status = ended.code
    code = status if isinstance(status, int) else int(bool(status))
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def run_process(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The same from the outside: the command line in a process of its own."""
    return subprocess.run(
        command(script, *arguments),
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "STRATAGYM_TEST_KEY": KEY},
        timeout=300,
    )


def wait_until(condition: Callable[[], object], seconds: float = 300.0) -> None:
    """Look until something is so, and fail where it does not come to that."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"it is not so after {seconds:g} s"
        time.sleep(0.005)


def recorded(path: Path) -> int:
    """How many whole records a JSONL file holds; 0 if there is none."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_for_records(process: subprocess.Popen, path: Path, records: int) -> None:
    """Wait until a process that goes on has written so many records."""

    def there() -> bool:
        goes_on = process.poll() is None
        found = recorded(path) >= records
        assert found or goes_on, f"it ended with code {process.returncode}"
        return found

    wait_until(there)


def kill_at(
    line: Sequence[str], path: Path, records: int, cwd: Path = ROOT, env: Mapping[str, str] = {}
) -> int:
    """Start a script and kill it when ``path`` holds so many records; returns how many it has.

    Args:
        env: what its environment has besides.
    """
    process = subprocess.Popen(
        line, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "STRATAGYM_TEST_KEY": KEY, **env},
    )  # fmt: skip
    try:
        wait_for_records(process, path, records)
    finally:
        process.kill()
        process.wait()
    return recorded(path)


def told(said: str) -> list[str]:
    """The lines that a command said, without the notice of compiling, which a first use brings."""
    return [x for x in said.splitlines() if not x.startswith("stratagym: compiling ")]


def assert_refused(result: subprocess.CompletedProcess, words: Sequence[str]) -> None:
    """That a script ended with exit code 2 and one line that holds all ``words``."""
    assert result.returncode == 2
    (line,) = told(result.stderr)
    assert all(word in line for word in words)


def lines(path: Path) -> list[dict]:
    """The records of a JSONL file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def timeless(models: Mapping[str, Mapping[str, object]]) -> dict[str, dict[str, object]]:
    """``models`` of a summary without what a clock decides."""
    return {
        name: {key: value for key, value in own.items() if key != "median_latency_s"}
        for name, own in models.items()
    }
