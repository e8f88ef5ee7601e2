"""Where compiled kernels lie, who could write there, and what is removed."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from stratagym.envs import cache_directory

grp, pwd = pytest.importorskip("grp"), pytest.importorskip("pwd")  # owners, as Unix has them


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


@pytest.mark.parametrize(
    "mode, private, said",
    [
        (0o700, False, None),
        (0o755, False, None),
        (0o1777, False, None),
        (0o775, True, None),
        (0o775, False, "open, above .*, can be written by others"),
        (0o777, True, "open, above .*, can be written by others"),
        (0o707, False, "open, above .*, can be written by others"),
    ],
)
@pytest.mark.parametrize("between", ["", "sticky"])
def test_folders_above_are_closed_to_others(
    monkeypatch, tmp_path, capsys, mode, private, said, between
):
    """Those of a folder that anybody may write in count too, up to one where only the user may."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(cache_directory, "_is_private_group", lambda number: private)
    wanted = tmp_path / "open" / between / "stratagym" / "kernels"
    wanted.parent.mkdir(parents=True)
    wanted.parent.chmod(0o1777)
    wanted.parent.parent.chmod(0o1777)
    (tmp_path / "open").chmod(mode)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(wanted.parent.parent))
    found, printed = fresh_directory(), capsys.readouterr().err
    if said is None:
        assert found == wanted and printed == ""
    else:
        assert found == tmp_path / f"stratagym-kernels-{os.getuid()}"
        assert re.search(f"{said}; compiled kernels are kept in {found}\n", printed)


def test_a_folder_that_nobody_else_can_write_ends_the_look_upwards(monkeypatch, tmp_path):
    wanted = tmp_path / "open" / "mine" / "cache"
    wanted.mkdir(parents=True)
    (tmp_path / "open").chmod(0o777)
    for mode, private in ((0o755, True), (0o1777, False)):
        wanted.parent.chmod(mode)
        assert (not cache_directory.why_not_private(wanted)) is private


def test_a_folder_of_somebody_else_above_is_refused(monkeypatch, tmp_path):
    """Sticky or not: who owns a folder may rename what is in it."""
    folder = tmp_path / "theirs" / "kernels"
    folder.mkdir(parents=True, mode=0o700)
    lstat, theirs = Path.lstat, folder.parent

    def as_theirs(path):
        found = lstat(path)
        if path != theirs:
            return found
        return os.stat_result([*found[:4], os.getuid() + 1, *found[5:]])

    monkeypatch.setattr(Path, "lstat", as_theirs)
    for mode in (0o755, 0o1777):
        theirs.chmod(mode)
        assert "theirs, above" in cache_directory.why_not_private(folder)


def test_a_private_group_is_the_users_own(monkeypatch):
    user = pwd.getpwuid(os.getuid())
    for name, number, members, private in (
        (user.pw_name, user.pw_gid, [], True),
        (user.pw_name, user.pw_gid, [user.pw_name], True),
        (user.pw_name, user.pw_gid, [user.pw_name, "somebody"], False),
        ("users", user.pw_gid, [], False),
        (user.pw_name, user.pw_gid + 1, [], False),
    ):
        group = grp.struct_group((name, "x", number, members))
        monkeypatch.setattr("grp.getgrgid", lambda _, group=group: group)
        assert cache_directory._is_private_group(number) is private


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_folders_that_are_made_are_private_whatever_the_umask(monkeypatch, tmp_path, umask):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "a" / "b"))
    before = os.umask(umask)
    try:
        path = fresh_directory()
        cache_directory.make(path / "package" / "game")
    finally:
        os.umask(before)
    made = [path / "package" / "game", path / "package", path, *path.parents[:3]]
    assert made[-1] == tmp_path / "a"
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in made} == {0o700}


def test_only_files_of_the_user_alone_are_read(monkeypatch, tmp_path):
    def is_read(path: Path) -> bool:
        try:
            os.close(cache_directory.open_own(path, os.O_RDONLY))
        except OSError:
            return False
        return True

    file, link, pipe = tmp_path / "file", tmp_path / "link", tmp_path / "pipe"
    file.touch(mode=0o600)
    link.symlink_to(file)
    os.mkfifo(pipe, 0o600)
    assert [is_read(path) for path in (file, link, pipe, tmp_path)] == [True, False, False, False]
    for mode, read in ((0o644, True), (0o602, False), (0o666, False), (0o600, True)):
        file.chmod(mode)
        assert is_read(file) is read
    me = os.getuid()
    monkeypatch.setattr("os.getuid", lambda: me + 1)
    assert not is_read(file)


def test_files_unused_for_longest_are_removed(tmp_path):
    for k in range(7):
        path = tmp_path / f"game-{k % 2}" / str(k)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(100))
        os.utime(path, (k, k))
    cache_directory.prune(tmp_path, 350)
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["4", "5", "6"]
