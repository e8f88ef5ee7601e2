"""The package in ``tests/outside``, installed outside the tree, and interpreters that find it."""

from __future__ import annotations

import json
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


def left_out_of_contract(game: str, path: Path) -> set[str]:
    """The checks of the contract that a game has to do without; it keeps the others."""
    code = (
        "import json\nfrom stratagym.testing import contract\n"
        f"print('\\n' + json.dumps(contract({game!r})))"
    )
    return set(dict(json.loads(python("-c", code, path=path)[0].splitlines()[-1])))


def distribution(
    folder: Path, name: str, points: dict[str, str], code: str = "", *, group: str, prefix: str
) -> None:
    """An installed package of one module, ``prefix`` and name, with entry points of a group."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    told = "\n".join(f"{point} = {value}" for point, value in points.items())
    (info / "entry_points.txt").write_text(f"[{group}]\n{told}\n")
    (folder / f"{prefix}{name}.py").write_text(code)
