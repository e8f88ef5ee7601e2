"""Play the golden runs with a version that is known to be right, and keep what they leave.

    python tests/golden/record_runs.py PYTHON [NAME ...]

PYTHON is the interpreter of an environment that has that version, for these files 0.1; NAME one of
the runs in ``tests/golden_runs.py``, by default all. Writes ``tests/golden/runs/NAME.json.gz``.
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


def record(python: str, run: Run) -> int:
    """Keep one run; returns the length of what is kept, in bytes."""
    environment = {**os.environ, **golden_runs.SURROUNDINGS, "PYTHONPATH": ""}
    environment = {k: v for k, v in environment.items() if not k.lower().endswith("_proxy")}

    def call(script: str, arguments: list[str], where: Path) -> tuple[int, str, str]:
        ended = subprocess.run(
            [python, "-m", f"stratagym.benchmarks.{script}", *arguments],
            cwd=where, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return ended.returncode, ended.stdout, ended.stderr

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


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    for run in RUNS:
        if not sys.argv[2:] or run.name in sys.argv[2:]:
            began = time.perf_counter()
            size = record(sys.argv[1], run)
            print(f"{run.name}: {size / 1e3:.0f} kB, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
