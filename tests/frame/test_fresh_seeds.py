"""The command that repeats tests with fresh seeds, on tests that fail by chance, or never."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from scripts import TESTS

SOME = """
import pytest

made = []

@pytest.fixture(scope="module")
def shared():
    made.append("module")
    return made

@pytest.fixture
def own():
    made.append("test")

def test_even(seed):
    assert seed % 2 == 0

@pytest.mark.parametrize("n", [1, 2])
def test_draws(n, rng, shared, own, tmp_path):
    assert rng.random() < n
    assert not list(tmp_path.iterdir())
    (tmp_path / "here").touch()
    assert shared.count("module") == 1 and shared.count("test") == len(shared) - 1

def test_skipped(seed):
    pytest.skip("nothing here")

def test_without(tmp_path):
    raise RuntimeError("it draws nothing")
"""


def pytest_in(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(TESTS), **more}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=300
    )


def test_what_fails_by_chance_is_found_with_its_seed(tmp_path):
    """Of 60 even seeds in a row there is one in 10**18."""
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["fresh_seeds"]\n')
    (tmp_path / "test_some.py").write_text(SOME)
    (tmp_path / "pytest.ini").touch()
    file = tmp_path / "seeds.jsonl"
    line = [str(TESTS / "fresh_seeds.py"), "--times", "60", "--output", str(file)]
    done = pytest_in(tmp_path, *line)
    assert done.returncode == 1, done.stdout + done.stderr
    rows = [json.loads(row) for row in file.read_text().splitlines()]
    runs = {name: [row for row in rows if row["test"].endswith(name)]
            for name in ("even", "[1]", "[2]", "skipped", "without")}  # fmt: skip
    assert (len(runs["[1]"]), len(runs["[2]"]), len(runs["skipped"])) == (60, 60, 1)
    assert not runs["without"]
    assert len({row["seed"] for row in runs["[1]"]}) == 60
    *passed, failed = runs["even"]
    assert {row["outcome"] for row in passed} <= {"passed"} and failed["outcome"] == "failed"
    told = done.stdout[done.stdout.index("2 tests passed 60 times, 1 were skipped") :]
    assert f"STRATAGYM_TEST_SEED={failed['seed']} pytest 'test_some.py::test_even'" in told

    only = ("-m", "pytest", "-q", "test_some.py::test_even")
    again = pytest_in(tmp_path, *only, STRATAGYM_TEST_SEED=str(failed["seed"]))
    assert again.returncode == 1, again.stdout

    # Called again, it goes on where it ended.
    file.write_text("".join(json.dumps(row) + "\n" for row in rows if row not in runs["[2]"][9:]))
    pytest_in(tmp_path, *line)
    after = [json.loads(row) for row in file.read_text().splitlines()]
    assert len(after) == len(rows) and after[:-51] == [r for r in rows if r not in runs["[2]"][9:]]
