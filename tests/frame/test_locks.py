"""One process at a time writes into a run's folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from recorded_runs import run_script

from stratagym.benchmarks.duel import __main__ as duel
from stratagym.benchmarks.export import __main__ as export
from stratagym.benchmarks.harness import locks
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.records import JsonlWriter, open_run
from stratagym.benchmarks.replay import __main__ as replay

HOLD = """
import sys
from pathlib import Path
from stratagym.benchmarks.harness import locks
locks.hold(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""
SMALL = ("--game", "tictactoe", "--policies", "random,heuristic", "--games", "4", "--output")


@contextmanager
def held(folder):
    """Another process that holds the folder, until it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def holder(tmp_path):
    with held(tmp_path) as process:
        yield process


@pytest.fixture(autouse=True)
def nothing_held():
    yield
    locks.release_all()


def test_a_second_process_is_refused_in_one_line(tmp_path, holder):
    for attempt in (
        lambda: locks.hold(tmp_path),
        lambda: open_run("test", str(tmp_path), {}, False),
        lambda: JsonlWriter(tmp_path / "games.jsonl"),
    ):
        with pytest.raises(InputError, match=f"is in use by process {holder.pid} on .* since 20"):
            attempt()
    assert not (tmp_path / "config.json").exists()
    _, said = run_script(duel, *SMALL, tmp_path, code=2)
    assert f"process {holder.pid}" in said and len(said.splitlines()) == 1


def test_a_killed_process_holds_nobody_up(tmp_path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert json.loads((tmp_path / "run.lock").read_text())["pid"] == holder.pid
    run_script(duel, *SMALL, tmp_path)
    assert not (tmp_path / "run.lock").exists()


@pytest.mark.parametrize("kind", ["link", "hard link", "link to nothing", "pipe"])
def test_a_lock_file_that_is_a_link_is_not_followed(tmp_path, kind):
    """What it stands for would be emptied."""
    other, lock = tmp_path / "precious", tmp_path / "run" / "run.lock"
    lock.parent.mkdir()
    if kind != "link to nothing":
        other.write_text("all my work")
    if kind == "hard link":
        lock.hardlink_to(other)
    elif kind == "pipe":
        os.mkfifo(lock)
    else:
        lock.symlink_to(other)
    with pytest.raises(InputError, match=r"run\.lock is a link or no plain file.*; remove it"):
        locks.hold(lock.parent)
    assert kind == "link to nothing" or other.read_text() == "all my work"
    assert other.exists() == (kind != "link to nothing") and os.path.lexists(lock)


def test_readers_need_no_lock(tmp_path):
    folder = tmp_path / "run"
    run_script(duel, *SMALL, folder)
    with held(folder):
        run_script(replay, folder, "--match", "1", "--all")
        table = ("--format", "table", "--rows", "games", "--output", tmp_path / "games.csv")
        assert "4 games" in run_script(export, folder, *table)[0]
        assert "in use by" in run_script(duel, *SMALL, folder, "--resume", code=2)[1]
    run_script(duel, *SMALL, folder, "--resume")


def test_a_process_may_hold_a_folder_more_than_once(tmp_path):
    one, two = JsonlWriter(tmp_path / "games.jsonl"), JsonlWriter(tmp_path / "decisions.jsonl")
    one.close()
    one.close()
    assert (tmp_path / "run.lock").exists()
    two.close()
    assert list(map(Path.name.fget, sorted(tmp_path.iterdir()))) == [  # type: ignore[attr-defined]
        "decisions.jsonl",
        "games.jsonl",
    ]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_no_lock_of_its_parent(tmp_path):
    locks.hold(tmp_path)
    child = os.fork()
    if child == 0:
        try:
            locks.hold(tmp_path)
        except InputError as error:
            os._exit(0 if f"process {os.getppid()}" in str(error) else 2)
        finally:  # no error leads into a second run of the tests
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    locks.release(tmp_path)
    assert not (tmp_path / "run.lock").exists()
