"""Running the benchmarks' scripts from the outside, and reading what they leave."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEY = "sk-test-0123456789abcdef-not-a-real-key"
"""What the scripts find in ``STRATAGYM_TEST_KEY``, and may not write anywhere."""


def command(script: str, *arguments: object) -> list[str]:
    """The command line of ``python -m benchmarks.<script>``."""
    return [sys.executable, "-m", f"benchmarks.{script}", *map(str, arguments)]


def run(script: str, *arguments: object) -> subprocess.CompletedProcess:
    """The script's end, whatever it is, with its output as text."""
    return subprocess.run(
        command(script, *arguments),
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "STRATAGYM_TEST_KEY": KEY},
        timeout=300,
    )


def kill_at(line: Sequence[str], path: Path, records: int) -> int:
    """Start a script and kill it when ``path`` holds so many records; returns how many it has."""
    process = subprocess.Popen(
        line, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "STRATAGYM_TEST_KEY": KEY},
    )  # fmt: skip
    while not path.exists() or path.read_bytes().count(b"\n") < records:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    return path.read_bytes().count(b"\n")


def assert_refused(result: subprocess.CompletedProcess, words: Sequence[str]) -> None:
    """That a script ended with exit code 2 and one line that holds all ``words``."""
    assert result.returncode == 2
    (line,) = [line for line in result.stderr.splitlines() if "compiling" not in line]
    assert all(word in line for word in words)


def lines(path: Path) -> list[dict]:
    """The records of a JSONL file."""
    return [json.loads(line) for line in path.read_text().splitlines()]
