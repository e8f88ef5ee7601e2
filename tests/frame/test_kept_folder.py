"""``.ci/run FOLDER``: kernels are kept between runs, and thrown away while nobody uses them."""

from __future__ import annotations

import os
import shutil
import subprocess
import time

import pytest
from scripts import ROOT

pytestmark = pytest.mark.skipif(shutil.which("flock") is None, reason="needs flock")
SCRIPT = f'set -euo pipefail; source {ROOT}/.ci/kernels; keep_kernels "$@"; '


def kept(*words: object, then: str = "echo $NUMBA_CACHE_DIR") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", SCRIPT + then, "run", *map(str, words)],
        env={**os.environ, "NUMBA_CACHE_DIR": "elsewhere"},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip


def filled(folder):
    """A folder with a kernel in it, and a file of somebody else's."""
    assert kept(folder).stdout.splitlines()[-1] == str(folder / "kernels")
    (folder / "kernels").mkdir()
    (folder / "kernels" / "one").touch()
    (folder / "mine").touch()
    return folder / "kernels" / "one"


def test_without_a_folder_nothing_is_kept():
    assert kept().stdout == "elsewhere\n"


def test_kernels_are_kept_for_a_day(tmp_path):
    kernel = filled(tmp_path / "a")
    assert kept(tmp_path / "a").returncode == 0 and kernel.exists()
    assert kept("--fresh", tmp_path / "a").returncode == 0 and not kernel.exists()
    kernel.parent.mkdir()
    kernel.touch()
    for hours, stays in ((23, True), (25, False)):
        then = time.time() - hours * 3600
        os.utime(tmp_path / "a" / "since", (then, then))
        assert kept(tmp_path / "a").returncode == 0 and kernel.exists() == stays
    assert (tmp_path / "a" / "mine").exists()


def test_none_is_thrown_away_while_another_run_uses_it(tmp_path):
    kernel = filled(tmp_path)
    line = ["bash", "-c", SCRIPT + "echo; read -r", "run", tmp_path]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()  # it has the folder
        done = kept("--fresh", tmp_path)
        assert done.returncode == 2 and "in use by another run" in done.stderr
        os.utime(tmp_path / "since", (0, 0))
        done = kept(tmp_path)
        assert done.returncode == 0 and "are kept for now" in done.stdout and kernel.exists()
        other.communicate(b"\n")
    assert kept(tmp_path).returncode == 0 and not kernel.exists()


@pytest.mark.parametrize("words", [("a", "b"), ("--old",), ("--fresh", "--fresh")])
def test_other_words_are_refused(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = kept(*words)
    assert done.returncode == 2 and "usage: .ci/run [--fresh] [FOLDER]" in done.stderr
    assert not list(tmp_path.iterdir())
