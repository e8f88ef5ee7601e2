"""Running the benchmarks' scripts from the outside, and reading what they leave."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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


def lines(path: Path) -> list[dict]:
    """The records of a JSONL file."""
    return [json.loads(line) for line in path.read_text().splitlines()]
