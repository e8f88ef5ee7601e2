"""Where compiled kernels lie, who could write there, and what is removed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from stratagym.envs import cache_directory


def fresh_directory() -> Path:
    return cache_directory.directory.__wrapped__()


def test_directory_is_where_it_was_asked_for_and_private(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "a" / "b"))
    path = fresh_directory()
    assert path == fresh_directory() == tmp_path / "a" / "b" / "stratagym" / "kernels"
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


@pytest.mark.parametrize("wrong", ["nothing", "mode", "owner", "link", "file"])
def test_a_fallback_that_others_could_write_is_not_used(monkeypatch, tmp_path, wrong):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    expected = temporary / f"stratagym-kernels-{os.getuid()}"
    if wrong == "mode":
        expected.mkdir()
        expected.chmod(0o777)
    elif wrong == "owner":
        expected.mkdir(mode=0o700)
        expected = temporary / f"stratagym-kernels-{os.getuid() + 1}"
        expected.mkdir(mode=0o700)
        me = os.getuid()
        monkeypatch.setattr("os.getuid", lambda: me + 1)
    elif wrong == "link":
        (temporary / "theirs").mkdir(mode=0o700)
        expected.symlink_to(temporary / "theirs")
    elif wrong == "file":
        expected.touch()
    found = fresh_directory()
    if wrong == "nothing":
        assert found == expected == fresh_directory()
    else:
        assert found != expected and found.parent == temporary
        assert found != fresh_directory()
    assert stat.S_IMODE(found.stat().st_mode) == 0o700


def test_files_unused_for_longest_are_removed(tmp_path):
    for k in range(7):
        path = tmp_path / f"game-{k % 2}" / str(k)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(100))
        os.utime(path, (k, k))
    cache_directory.prune(tmp_path, 350)
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["4", "5", "6"]
