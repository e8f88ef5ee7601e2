"""The tutorial's new game, in a copy of the project: its length, the contract, its pages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pages import files_in, read
from scripts import ROOT, TESTS

PAGE = "docs/tutorials/new_game.md"
PACKAGES = ("envs", "wrappers", "agents", "benchmarks")


class Copy:
    """The project with the tutorial's files in it, which its own interpreters import."""

    def __init__(self, folder: Path):
        self.folder = folder

    @classmethod
    def of(cls, folder: Path) -> Copy:
        """A new copy."""
        ignored = shutil.ignore_patterns("__pycache__")
        for name in (*PACKAGES, "tests", "docs"):
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md"):
            shutil.copy(ROOT / name, folder / name)
        (folder / "stratagym").mkdir()
        shutil.copy(ROOT / "package" / "__init__.py", folder / "stratagym")
        for name in PACKAGES:
            (folder / "stratagym" / name).symlink_to(folder / name)
        (folder / "stratagym" / "testing").symlink_to(folder / "tests" / "testing")
        for path, content in files_in(read(PAGE)).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            assert not (folder / path).exists(), f"{path} is there already"
            (folder / path).write_text(content, encoding="utf-8")
        return cls(folder)

    def python(self, *arguments: str) -> str:
        """What an interpreter that finds the copy prints; fails with it if it fails."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder, capture_output=True, text=True, timeout=900, check=False,
            env={
                **os.environ,
                "PYTHONPATH": str(self.folder),
                "PYTEST_ADDOPTS": "",
            },
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def copy(once) -> Copy:
    def make(folder: Path) -> None:
        made = Copy.of(folder / "stratagym")
        where = made.python("-c", "import stratagym.envs; print(stratagym.envs.__file__)")
        assert Path(where.strip()).is_relative_to(made.folder)
        made.python("tests/golden/record.py", "nim")

    return Copy(once("tutorial", make) / "stratagym")


def test_the_game_is_one_folder_of_at_most_100_lines():
    files = files_in(read(PAGE))
    lines = {path: content.count("\n") for path, content in files.items()}
    assert {Path(path).parent.as_posix() for path in lines} == {"envs/nim", "tests/games/nim"}
    assert 0 < sum(n for path, n in lines.items() if path.startswith("envs/")) <= 100


@pytest.mark.slow
def test_the_game_keeps_the_contract_and_obeys_the_theorem(copy):
    said = copy.python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/frame/test_contract.py",
        "tests/games/nim/test_nim.py", "-k", "nim",
    )  # fmt: skip
    assert " passed" in said
    # What may be missing is hidden cards or the window's library, not the game's own parts.
    assert "no view" not in said
    assert "stratagym.envs.nim" not in said


def shared() -> list[str]:
    """The files of tests that try something on every game of ours."""
    aside = {"test_docs.py", "test_outside_games.py", Path(__file__).name}
    words = "our_games()", "games_of_moves()"
    return sorted(
        path.relative_to(ROOT).as_posix()
        for path in TESTS.rglob("test_*.py")
        if path.name not in aside and any(word in path.read_text() for word in words)
    )


@pytest.mark.slow
def test_what_is_tried_on_every_game_is_tried_on_it_and_passes(copy):
    """Adding a game edits nothing else, not even a test."""
    files = shared()
    assert "tests/frame/test_reply_readers.py" in files and len(files) > 10
    said = copy.python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", "-k", "nim", *files
    )
    passed = re.search(r"(\d+) passed", said)
    assert passed and int(passed[1]) > 20, said


@pytest.mark.slow
@pytest.mark.parametrize("page", [PAGE, "docs/tutorials/evaluate_model.md"])
def test_pages_about_the_game_print_what_they_say(copy, page):
    said = copy.python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider",
        f"tests/frame/test_docs.py::test_code_runs_and_prints_what_the_page_says[{page}]",
    )  # fmt: skip
    assert "1 passed" in said
