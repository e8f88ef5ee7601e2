"""Runs that are killed at random moments and gone on with: ``killing.py``, briefly."""

from __future__ import annotations

import subprocess
import sys

import pytest
from scripts import TESTS


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize(
    "scripts", ["duel,ludo_arena,hanabi_teams,anchored_levels,botzone", "table"]
)
def test_killed_runs_come_to_what_they_would_have(scripts, seed):
    line = [sys.executable, "killing.py", "--kills", "12", "--only", scripts, "--seed"]
    result = subprocess.run(
        [*line, str(seed % 2**32)], cwd=TESTS, capture_output=True, text=True, timeout=600
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "nothing lost" in result.stdout.splitlines()[-1]
