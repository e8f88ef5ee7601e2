"""Play the golden runs with a version that is known to be right, and keep what they leave.

    python tests/golden/record_runs.py PYTHON [NAME ...]
    python tests/golden/record_runs.py --replays PYTHON [NAME ...]

PYTHON is the interpreter of an environment that has that version, for these files 0.1; NAME one of
the runs in ``tests/golden_runs.py``, by default all. Writes ``tests/golden/runs/NAME.json.gz``.

With ``--replays`` the runs stay, and only what PYTHON's ``replay`` shows of them is kept anew: for
when it was made to show other things. That every difference is meant has to be looked at first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import golden_runs
from golden_runs import RUNS, Run

REPLAYS = ("replay --all", "replay --html")


def caller(python: str) -> golden_runs.Call:
    """What runs a script with an interpreter."""
    environment = {**os.environ, **golden_runs.SURROUNDINGS, "PYTHONPATH": ""}
    environment = {k: v for k, v in environment.items() if not k.lower().endswith("_proxy")}

    def call(script: str, arguments: list[str], where: Path) -> tuple[int, str, str]:
        ended = subprocess.run(
            [python, "-m", f"stratagym.benchmarks.{script}", *arguments],
            cwd=where, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return ended.returncode, ended.stdout, ended.stderr

    return call


def record(python: str, run: Run) -> int:
    """Keep one run; returns the length of what is kept, in bytes."""
    call = caller(python)
    with tempfile.TemporaryDirectory() as place, golden_runs.served(run) as server:
        root = Path(place)
        code, screen, err = call(run.script, run.words(server), root / ".")
        if code:
            raise SystemExit(f"{run.name}: exit code {code}: {err}")
        files = golden_runs.files_of(root / run.name)
        # Read again as it is kept, so that both see the same latencies.
        again = root / "again"
        golden_runs.write(again / run.name, files)
        readings = golden_runs.readings(run, again, call)
        resumed, requests = golden_runs.resume(run, again, run.words(server), server, call)
        content = {
            "script": run.script,
            "arguments": run.words(None),
            "files": files,
            "screen": screen,
            "readings": readings,
            "resumed": {name: text for name, text in resumed.items() if text != files[name]},
            "requests": requests,
        }
        return golden_runs.save(golden_runs.path_of(run.name), content)


def record_replays(python: str, run: Run) -> int:
    """Keep what replays of a kept run show; returns the length of what is kept, in bytes."""
    path = golden_runs.path_of(run.name)
    content = golden_runs.load(path)
    with tempfile.TemporaryDirectory() as place:
        golden_runs.write(Path(place) / run.name, content["files"])
        readings = golden_runs.readings(run, Path(place), caller(python))
    content["readings"] |= {name: readings[name] for name in REPLAYS}
    return golden_runs.save(path, content)


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "--replays"]
    if not words:
        raise SystemExit(__doc__)
    keep = record_replays if "--replays" in sys.argv else record
    for run in RUNS:
        if not words[1:] or run.name in words[1:]:
            began = time.perf_counter()
            size = keep(words[0], run)
            print(f"{run.name}: {size / 1e3:.0f} kB, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
