"""Edits of every kind, each compared with a fresh cache: no kernel is older than its sources."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_edits import KINDS, write

RUN = """
import importlib, json, os, sys
from numba.core import event
from stratagym.envs import cache

class Count(event.Listener):
    def on_start(self, event):
        compiled.append(type(event.data["dispatcher"]._cache) is cache.KernelCache)
    def on_end(self, event):
        pass

event.register("numba:compile", Count())
cache.adopt("edited")
results, where, names = {}, sys.argv[1], sys.argv[2:]

def used(name):
    value = repr(importlib.import_module(f"edited.{name}.main").result())
    return value, sum(compiled)

for name in names:
    compiled = []
    if where == "here":
        results[name] = used(name)
    elif os.fork():
        assert os.wait()[1] == 0, name
    else:
        print(json.dumps({name: used(name)}), flush=True)
        os._exit(0)
if where == "here":
    print(json.dumps(results))
"""
ALONE = "alone"
"""The group of those that need processes of their own: forked, where the system can."""
HEAVY = ("vectorize", "stencil", "jitclass")
"""Callees that take long to compile."""
ONCE_STALE = ("fields", "locals", "signature", "overload", "nothing")
"""What earlier caches did not see, and what they must not see."""


def run(folder: Path, kernels: Path, names: tuple[str, ...]) -> tuple[dict[str, list], str]:
    """What each kind's kernel gives and how many kernels were compiled; and what was said."""
    apart = group(names[0]) == ALONE
    done = subprocess.run(
        [sys.executable, "-c", RUN, "apart" if apart else "here", *names],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "NUMBA_CACHE_DIR": str(kernels),
        },
        capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    return {name: found for one in results for name, found in one.items()}, done.stderr


def group(name: str) -> str:
    """Kinds of one group share their processes."""
    if KINDS[name].alone:
        return ALONE if hasattr(os, "fork") else name
    if any(word in name for word in HEAVY):
        return "heavy"
    return "quick" if name.startswith(ONCE_STALE) else "rest"


@pytest.fixture(scope="module")
def compared(once):
    """Of a group: what its kernels give before an edit, again, after it, and with a new cache."""

    def compare(name: str) -> tuple[list[dict[str, list]], str]:
        names = tuple(kind for kind in KINDS if group(kind) == name)

        def make(folder: Path) -> None:
            write(folder, names, after=False)
            first, said = run(folder, folder / "warm", names)
            results = [first, run(folder, folder / "warm", names)[0]]
            write(folder, names, after=True)
            results.append(run(folder, folder / "warm", names)[0])
            results.append(run(folder, folder / "fresh", names)[0])
            (folder / "results.json").write_text(json.dumps([results, said]))

        return json.loads((once(f"edits-{name}", make) / "results.json").read_text())

    return compare


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if group(name) == "quick" else pytest.mark.slow)
        for name in KINDS
    ],
)
def test_no_kernel_is_older_than_what_it_is_made_of(compared, name):
    results, said = compared(group(name))
    (before, _), (again, compiled), (after, anew), (fresh, _) = (r[name] for r in results)
    assert again == before and after == fresh
    assert (fresh == before) is KINDS[name].same
    assert (compiled == 0) is KINDS[name].kept
    assert (anew == 0) is KINDS[name].same
    lines = [line for line in said.splitlines() if f" edited.{name}." in line]
    if KINDS[name].kept:
        assert not lines
    elif "cfunc" not in name:  # numba itself warns of an address in the code
        (line,) = lines
        assert line.startswith(f"stratagym: edited.{name}.main.f is compiled for this process only")
