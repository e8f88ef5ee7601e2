"""The package in ``tests/outside``, installed outside the tree, and interpreters that find it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from scripts import ROOT

SOURCE = Path(__file__).parent / "outside"


def install(work: Path) -> None:
    """Fill ``work / "site"`` with the package, by pip and from nothing but its source."""
    shutil.copytree(SOURCE, work / "source", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
         "--no-build-isolation", "--target", work / "site", work / "source"],
        check=True,
    )  # fmt: skip


def python(*arguments: object, path: Path, code: int = 0, **environment: str) -> tuple[str, str]:
    """What an interpreter that finds ``path`` prints, on both streams."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": str(path), **environment},
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout, done.stderr


def script(name: str, *arguments: object, path: Path) -> str:
    """What a benchmark prints."""
    return python("-m", f"benchmarks.{name}", *arguments, path=path)[0]
