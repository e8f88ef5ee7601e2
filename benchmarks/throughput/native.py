"""Peers that are C and C++ libraries, called from loops of C: no Python between two calls.

Their sources are those of the package index, fetched by pip in the version named here and built
with the machine's compiler, at the first use. Libraries are kept in the user's cache directory.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import itertools
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from stratagym.benchmarks.harness.measuring import Episode

DRIVERS = Path(__file__).parent / "drivers"
FLAGS = ("-O3", "-march=native", "-flto", "-DNDEBUG", "-shared", "-fPIC", "-w")
HANDS, DECISIONS = 20_000, 20_000


@dataclass(frozen=True)
class Library:
    """What is compiled into one shared library.

    Attributes:
        driver: our file in ``drivers``. package, version: where the rest comes from, if anything.
        sources: names of the files among the package's that are compiled.
        headers: names of files beside which, or in the folder above which, headers lie.
    """

    driver: str
    package: str = ""
    version: str = ""
    sources: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()

    @property
    def compiler(self) -> str:
        """The command; raises RuntimeError where there is none."""
        command = "cc" if self.driver.endswith(".c") else "c++"
        found = shutil.which(command)
        if not found:
            raise RuntimeError(f"there is no compiler, {command}")
        return found


PHEVALUATOR = Library(
    "phevaluator.c",
    "phevaluator",
    "0.6.0",
    ("evaluator7.c", "hash.c", "hashtable.c", "hashtable7.c", "dptables.c", "tables_bitwise.c"),
    ("phevaluator.h",),
)
EVAL7 = Library("eval7.c")
HANABI = Library(
    "hanabi.cc",
    "hanabi-learning-environment",
    "0.0.4",
    (
        "canonical_encoders.cc",
        "hanabi_card.cc",
        "hanabi_game.cc",
        "hanabi_hand.cc",
        "hanabi_history_item.cc",
        "hanabi_move.cc",
        "hanabi_observation.cc",
        "hanabi_state.cc",
        "util.cc",
    ),
    ("hanabi_state.h",),
)


def load(library: Library) -> ctypes.CDLL:
    """The library, built if it is not there yet; RuntimeError says why it cannot be had."""
    text = (DRIVERS / library.driver).read_bytes() + repr((library, FLAGS)).encode()
    name = f"{Path(library.driver).stem}-{hashlib.sha256(text).hexdigest()[:16]}.so"
    kept = private_folder() / name
    if not kept.exists():
        with tempfile.TemporaryDirectory() as scratch:
            built = Path(scratch) / name
            if library.package:
                fetch(library, Path(scratch))
            build(library, Path(scratch), built)
            # Whole or not at all, also for a process that builds the same.
            with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as file:
                file.write(built.read_bytes())
            os.replace(file.name, kept)
    return ctypes.CDLL(str(kept))


def private_folder() -> Path:
    """Where libraries are kept: loading one runs it, so nobody else may be able to write there."""
    folder = user_cache_path("stratagym") / "peers"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    about = folder.stat()
    if hasattr(os, "getuid") and (about.st_uid != os.getuid() or about.st_mode & 0o022):
        return Path(tempfile.mkdtemp())
    return folder


def fetch(library: Library, folder: Path) -> None:
    """Unpack the package's source distribution into the folder."""
    wanted = f"{library.package}=={library.version}"
    # Of this package alone: what pip builds it with may be binary.
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    pip += ["--no-binary", library.package]
    _run([*pip, "--dest", str(folder), wanted], f"pip could not fetch the sources of {wanted}")
    for archive in folder.glob("*.tar.gz"):
        with tarfile.open(archive) as tar:
            # Guarded against paths that lead elsewhere where Python can (from 3.10.12 on).
            if hasattr(tarfile, "data_filter"):
                tar.extractall(folder, filter="data")
            else:
                tar.extractall(folder)


def build(library: Library, folder: Path, target: Path) -> None:
    """Compile the driver and the package's files, wherever in the folder they lie."""
    sources = [_find(folder, name) for name in library.sources]
    places = [_find(folder, name).parent for name in library.headers]
    includes = [f"-I{place}" for where in places for place in (where, where.parent)]
    command = [library.compiler, *FLAGS, *includes, "-o", str(target)]
    command += [str(DRIVERS / library.driver), *map(str, sources)]
    _run(command, f"{library.driver} could not be built")


def _find(folder: Path, name: str) -> Path:
    found = sorted(folder.rglob(name))
    if not found:
        raise RuntimeError(f"its sources hold no {name}")
    return found[0]


def _run(command: Sequence[str], failure: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise RuntimeError(f"{failure}: {said[-1]}")


def random_hands(count: int) -> np.ndarray:
    """(count, 7) int64: hands of distinct cards, 4 x rank + suit."""
    decks = np.tile(np.arange(52), (count, 1))
    return np.random.default_rng(1).permuted(decks, axis=1)[:, :7].copy()


def phevaluator_values(hands: np.ndarray) -> np.ndarray:
    """phevaluator's values of hands (N, 7) of its card numbers, which are ours; 1 is the best."""
    return _Hands(hands, load(PHEVALUATOR).evaluate_hands).values()


def eval7_values(hands: np.ndarray) -> np.ndarray:
    """eval7's values of hands (N, 7) of our card numbers; greater is better."""
    return _Hands(hands, load(EVAL7).evaluate_hands, _eval7_function()).values()


def phevaluator_hands(name: str) -> Episode:
    """phevaluator's C function on an array of hands."""
    return _Hands(random_hands(HANDS), load(PHEVALUATOR).evaluate_hands)


def eval7_hands(name: str) -> Episode:
    """eval7's C function on an array of hands."""
    return _Hands(random_hands(HANDS), load(EVAL7).evaluate_hands, _eval7_function())


class _Hands:
    """Hands in the layout of a driver's ``evaluate_hands``, and a call of it."""

    def __init__(self, hands: np.ndarray, evaluate: Any, *first: int):
        self._hands = np.ascontiguousarray(hands, np.intc)
        self._values = np.zeros(len(hands), np.intc)
        pointer = ctypes.c_void_p
        evaluate.argtypes = [*(pointer for _ in first), pointer, ctypes.c_long, pointer]
        evaluate.restype = None
        self._evaluate, self._first = evaluate, first

    def __call__(self) -> int:
        self._evaluate(
            *self._first, self._hands.ctypes.data, len(self._hands), self._values.ctypes.data
        )
        return len(self._hands)

    def values(self) -> np.ndarray:
        self()
        return self._values


def _eval7_function() -> int:
    """The address of the C function that eval7's ``evaluate`` calls, as it exports it to Cython."""
    # The package hides its module of this name behind the function.
    capsule = importlib.import_module("eval7.evaluate").__pyx_capi__["cy_evaluate"]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address: int = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
    return address


def hanabi_games(players: str, observe: bool = False) -> Episode:
    """Random games inside the Hanabi Learning Environment's C++.

    Args:
        observe: also encode what the seat to move sees, before every decision.
    """
    play = load(HANABI).play_games
    play.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_uint64, ctypes.c_int]
    play.restype = ctypes.c_long
    seeds, seats = itertools.count(), int(players.split()[0])
    return lambda: int(play(seats, DECISIONS, next(seeds), observe))


def hanabi_games_observed(players: str) -> Episode:
    """The same with the encoded observation of the seat to move before every decision."""
    return hanabi_games(players, observe=True)
