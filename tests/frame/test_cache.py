"""Compiled kernels between processes: what is found again, what is made anew, and where it lies."""

from __future__ import annotations

import os
import pickle
import re
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
import tug
from numba import njit, typeof
from numba.core.caching import FunctionCache
from numba.core.errors import TypingError
from scripts import COUNT_COMPILED

from stratagym import envs
from stratagym.envs import cache, cache_directory, cache_locks, core, sources, stamps
from stratagym.envs.sources import NotFollowed

PACKAGE = Path(envs.__file__).resolve().parent.parent

# A game of one draw: the return is a constant that stands in a file of its own.
INIT = """
from stratagym.envs.core import GameSpec

SPEC = GameSpec(
    name="NAME", title="Toy", version=0, min_players=2, max_players=2, dynamics="sequential",
    chance="deterministic", information="perfect", utility="general", max_game_length=1,
    sources=(),
)
"""
NUMBERS = "PRIZE = 1.0\n"
RULES = """
from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, seed_rng
from PACKAGE.numbers import PRIZE

STATE = np.dtype([("rng", "u8"), ("over", "i1")], align=True)


class Rules(NamedTuple):
    num_players: int
    num_actions = 1


Rules.__name__ = "PACKAGE"  # numba's calls tell NamedTuples apart by this name


def make_rules():
    return Rules(2)


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.over = 0


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.over else 0


@njit(cache=True)
def legal_actions(rules, s, out):
    out[0] = 0
    return 1


@njit(cache=True)
def step(rules, s, action):
    s.over = 1


@njit(cache=True)
def returns(rules, s, out):
    out[:] = PRIZE * s.over
"""
PLAY = """
import importlib, sys
import numpy as np
from stratagym import envs
from stratagym.envs import core

for package in sys.argv[1:]:
    rules = importlib.import_module(package + ".rules").make_rules()
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(0), probs)
    core.play_at(rules, states, 0, 0, legal, probs)
    out = np.zeros(2)
    core.returns_at(rules, states, 0, out)
    print(out[0])
"""
TOY, TWIN, FOREIGN = "stratagym.envs.toy", "stratagym.envs.twin", "foreign"


class Tree:
    """A copy of the project with two small games, an outside one, and a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "stratagym"
        for part in ("envs", "agents"):
            shutil.copytree(
                PACKAGE / part, self.root / part, ignore=shutil.ignore_patterns("__pycache__")
            )
        (self.root / "__init__.py").touch()
        for package in (TOY, TWIN, FOREIGN):
            home = folder.joinpath(*package.split("."))
            home.mkdir()
            (home / "__init__.py").write_text(INIT.replace("NAME", home.name))
            (home / "numbers.py").write_text(NUMBERS)
            (home / "rules.py").write_text(RULES.replace("PACKAGE", package))
        self.kernels = folder / "cache" / "stratagym" / "kernels"

    def start(self, *packages: str, before: str = "") -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", before + PLAY, *packages],
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONDONTWRITEBYTECODE": "1",  # it tells sources apart by seconds and sizes
                "PYTHONPATH": str(self.folder),
                "NUMBA_CACHE_DIR": str(self.folder / "cache"),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def play(self, *packages: str) -> tuple[list[float], list[str]]:
        """The games' constants as compiled, and what was said to be compiled in this process."""
        return self.result(self.start(*packages))

    def result(self, process: subprocess.Popen[str]) -> tuple[list[float], list[str]]:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        assert "Warning" not in err
        return [float(word) for word in out.split()], re.findall("compiling ([^ ]+) for", err)

    def files(self) -> dict[Path, bytes]:
        """The kernels; notes on sources, and the file of locks, are none."""
        return {path: path.read_bytes() for path in self.kernels.glob("*/*/*-*")}


@pytest.fixture(scope="module")
def made(once) -> Path:
    """The folder of a tree whose three games are compiled; not to be changed."""

    def make(folder: Path) -> None:
        played = Tree(folder).play(TOY, TWIN, FOREIGN)
        assert played == ([1, 1, 1], ["toy", "twin", "foreign"])

    return once("tree", make)


@pytest.fixture
def tree(made, tmp_path):
    """A copy of it, elsewhere, that finds the kernels of the original."""
    shutil.copytree(made, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    copy = object.__new__(Tree)
    copy.folder = tmp_path / "copy"
    copy.root = copy.folder / "stratagym"
    copy.kernels = copy.folder / "cache" / "stratagym" / "kernels"
    return copy


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_edits_that_no_kernel_sees_compile_nothing(tree):
    """Also that a clone elsewhere with the same sources shares what is compiled."""
    before = tree.files()
    for name in (
        "envs/core.py", "envs/facts.py", "envs/chess/rules.py", "envs/toy/rules.py",
        "envs/toy/numbers.py",
    ):  # fmt: skip
        path = tree.root / name
        path.write_text(f"# A comment.\n{path.read_text()}\n# Another.\n")
    for name in (
        "agents/sb3.py", "agents/llm.py", "agents/core.py", "agents/ladders.py", "envs/aec.py",
        "envs/views.py", "envs/registry.py", "envs/state.py", "envs/chess/view.py",
        "envs/chess/render.py", "envs/chess/rules.py",
    ):  # fmt: skip
        path = tree.root / name
        path.write_text(f"{path.read_text()}\n\ndef new_function():\n    return 7\n")
    edit(tree.root / "envs/core.py", '"""splitmix64\'s finalizer', '"""The finalizer of splitmix64')
    over = "    s.over = 1\n"
    edit(tree.root / "envs/twin/rules.py", over, f'    """Text."""\n    # Done.\n{over}')
    assert tree.play(TOY, TWIN, FOREIGN) == ([1, 1, 1], [])
    assert tree.files() == before


def test_an_edit_reaches_the_compiled_rules_of_its_game_alone(tree):
    """Of the file itself, and of another one: numba's own index knows the caller only."""
    edit(tree.root / "envs/toy/numbers.py", "1.0", "5.0")
    assert tree.play(TOY, TWIN) == ([5, 1], ["toy"])
    assert tree.play(TOY, TWIN) == ([5, 1], [])
    edit(tree.root / "envs/twin/rules.py", "s.over = 1", "s.over = 3")
    assert tree.play(TOY, TWIN) == ([5, 3], ["twin"])
    edit(tree.root / "envs/toy/numbers.py", "5.0", "1.0")
    assert tree.play(TOY, TWIN) == ([1, 3], [])  # both versions are kept


def test_an_edit_in_the_core_reaches_every_game(tree):
    step = "    step(rules, s, action)\n"
    edit(tree.root / "envs/core.py", f"{step}    return", f"{step}{step}    return")
    assert tree.play(TOY, TWIN) == ([1, 1], ["toy", "twin"])


def test_a_foreign_game_that_is_gone_does_no_harm(tree):
    folders = {path.name for path in tree.kernels.iterdir() if path.is_dir()}
    assert folders == {"stratagym", "foreign", "sources"}
    ours = b"".join(map(Path.read_bytes, filter(Path.is_file, tree.kernels.glob("stratagym/**/*"))))
    assert b"foreign" not in ours
    shutil.rmtree(tree.folder / "foreign")
    assert tree.play(TOY, TWIN) == ([1, 1], [])


@pytest.mark.parametrize("left", [0, 0.5, -1])
def test_torn_files_are_replaced(tree, left):
    """Empty, cut in the middle, or with the last byte missing."""
    whole = tree.files()
    for path, content in whole.items():
        path.write_bytes(content[: int(len(content) * left) if isinstance(left, float) else left])
    assert tree.play(TOY)[0] == [1]
    assert tree.play(TOY) == ([1], [])
    for path in tree.kernels.glob("stratagym/toy/*"):
        assert len(path.read_bytes()) == pytest.approx(len(whole[path]), rel=0.1)


def test_a_file_that_cannot_be_read_is_named_and_replaced(tree):
    """Whole by its digest, but with a class that is not there, as another version's could be."""
    (path,) = tree.kernels.glob("stratagym/toy/core.returns_at-*")
    content = b"cno_such_module\nname\n."
    with pytest.raises(ModuleNotFoundError):
        pickle.loads(content)
    cache_directory.write_own(path, content)
    out, err = tree.start(TOY).communicate(timeout=300)
    assert out.split() == ["1.0"]
    assert f"{path} cannot be used" in err and "no_such_module" in err
    assert tree.play(TOY) == ([1], [])


def test_a_file_that_others_could_write_is_replaced(tree):
    """It could be anybody's by now; reading a kernel runs what stands in it."""
    files = list(tree.kernels.glob("stratagym/toy/*"))
    for path in files:
        path.chmod(0o666)
    assert tree.play(TOY) == ([1], ["toy"])
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert tree.play(TOY) == ([1], [])


COUNTING = f"""
import atexit
{COUNT_COMPILED}
atexit.register(lambda: print(count.number))
"""


def test_of_processes_that_need_the_same_at_once_one_compiles_it(tree):
    shutil.rmtree(tree.kernels)
    (one, alone), (_, anyway) = (tree.result(tree.start(TOY, before=COUNTING))[0] for _ in range(2))
    shutil.rmtree(tree.kernels)
    three = [tree.start(TOY, before=COUNTING) for _ in range(3)]
    results = [tree.result(process)[0] for process in three]
    assert [result[0] for result in results] == [one] * 3 == [1] * 3
    # What cannot be kept, if there is anything, each compiles for itself.
    assert sum(result[1] - anyway for result in results) == alone - anyway > 0
    assert tree.play(TOY) == ([1], [])
    assert {path.name for path in tree.kernels.iterdir()} == {"locks", "sources", "stratagym"}
    written = [path for path in (tree.kernels / "stratagym").rglob("*") if path.is_file()]
    assert all(re.search("-[0-9a-f]{32}$", path.name) for path in written)  # nothing half written


HOLDING = """
import sys, time
from pathlib import Path
from stratagym.envs import cache_locks

assert not cache_locks.hold(Path(sys.argv[1]), 7)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds lock 7 of ``tmp_path``; it goes when its input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, tmp_path],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_lock_is_waited_for_until_its_process_has_gone(tmp_path, holder):
    asked = []
    assert cache_locks.hold(tmp_path, 7, lambda: (asked.append(1), holder.kill()))
    assert asked == [1]
    cache_locks.release(tmp_path, 7)
    assert not cache_locks.hold(tmp_path, 7, lambda: asked.append(2)) and asked == [1]
    cache_locks.release(tmp_path, 7)


def test_a_lock_is_not_waited_for_without_end(tmp_path, holder, monkeypatch):
    monkeypatch.setattr(cache_locks, "LONGEST_S", 0.1)
    assert not cache_locks.hold(tmp_path, 8)
    assert cache_locks.hold(tmp_path, 7)
    assert holder.poll() is None


def test_without_locks_nobody_waits(tmp_path):
    assert not cache_locks.hold(tmp_path / "missing", 7)
    cache_locks.release(tmp_path / "missing", 7)


def test_what_cannot_be_compiled_holds_nobody_up(monkeypatch):
    monkeypatch.setattr(sources, "_adopted", {__name__.partition(".")[0]})
    monkeypatch.setattr(stamps, "stamp", lambda *args: b"")
    calls = []
    for name in ("hold", "release"):
        monkeypatch.setattr(
            cache_locks, name, lambda _, number, *more, name=name: calls.append((name, number))
        )

    @njit(cache=True)
    def impossible(x):
        return x.nothing

    with pytest.raises(TypingError):
        impossible(1)
    assert [name for name, _ in calls] == ["hold", "release"] and calls[0][1] == calls[1][1]


def test_other_peoples_functions_keep_numbas_cache(tmp_path):
    (tmp_path / "theirs.py").write_text(
        "import numba\n"
        "from numba import njit\n"
        "import stratagym.envs\n"
        "from stratagym.envs import core\n"
        "@njit(cache=True)\n"
        "def twice(x):\n"
        "    return 2 * x\n"
        "print(twice(3), repr(numba.config.CACHE_DIR))\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "home")}
    environment.pop("NUMBA_CACHE_DIR", None)
    for _ in range(2):
        out = subprocess.run(
            [sys.executable, "-c", "import theirs"],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=True, timeout=300,
        ).stdout  # fmt: skip
        assert out.split() == ["6", "''"]
    assert len(list(tmp_path.glob("__pycache__/theirs.twice-*.nb[ic]"))) == 2
    assert not [path for path in tmp_path.glob("home/stratagym/**/*") if path.is_file()]


def test_an_adopted_package_has_this_cache(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sources, "_adopted", set(sources._adopted))
    (tmp_path / "adopted.py").write_text(
        "from numba import njit\n@njit(cache=True)\ndef f(x):\n    return x\n"
    )
    import adopted  # type: ignore[import-not-found]

    assert type(adopted.f._cache) is FunctionCache
    cache.adopt("adopted")
    assert type(adopted.f._cache) is cache.KernelCache
    del sys.modules["adopted"]
    import adopted

    assert type(adopted.f._cache) is cache.KernelCache
    assert type(njit(cache=True)(edit)._cache) is FunctionCache


def test_games_that_only_this_process_knows_are_not_kept():
    rules = tug.Rules(4)
    described = cache._Described()
    described.text(typeof(rules))
    assert described.classes == described.others == [tug.Rules]
    local = type("Rules", (tug.Rules,), {})
    with pytest.raises(NotFollowed, match="no other process can import"):
        described.text(typeof(local(4)))


def test_a_stamp_sees_options_and_the_game():
    play = core.play.py_func
    rules = type(envs.spec("ludo").make_rules())
    assert stamps.stamp(play, {}, [rules]) == stamps.stamp(play, {}, [rules])
    assert stamps.stamp(play, {}, [rules]) != stamps.stamp(play, {"fastmath": True}, [rules])
    games = {type(envs.spec(game).make_rules()) for game in envs.games()}
    found = {stamps.stamp(play, {}, [rules]) for rules in games}
    assert len(found) == len(games) > 1


COVER = """
import sys
import numpy as np
from numba.core import bytecode, event
from stratagym import envs
from stratagym.agents import kernel_policies as kernels
from stratagym.envs import cache, core, stamps

walked, reached, compiling, checked = set(), {}, [], 0
find_paths, function = cache.KernelCache._find_paths, stamps._Walk.function
take_up = bytecode.FunctionIdentity.from_function.__func__


def note_paths(self, *args):
    walked.clear()
    paths = find_paths(self, *args)
    reached.setdefault(self._py_func, set()).update(walked)
    return paths


def note_function(self, fn, in_host):
    walked.add(fn.__code__)
    function(self, fn, in_host)


def note_taken(cls, fn):
    global checked
    if fn.__module__.startswith("stratagym."):
        for root in compiling:
            assert fn.__code__ in reached[root], (root, fn)
            checked += 1
    return take_up(cls, fn)


class Compiling(event.Listener):
    def on_start(self, event):
        if event.data["dispatcher"].py_func in reached:
            compiling.append(event.data["dispatcher"].py_func)

    def on_end(self, event):
        if event.data["dispatcher"].py_func in reached:
            compiling.pop()


cache.KernelCache._find_paths = note_paths
stamps._Walk.function = note_function
bytecode.FunctionIdentity.from_function = classmethod(note_taken)
event.register("numba:compile", Compiling())
for game in sys.argv[1:]:
    rules = envs.spec(game).make_rules()
    states, scratch = core.new_states(rules), core.new_scratch(rules)
    core.random_games(rules, states, *scratch, np.uint64(1), 10)
    seating = np.zeros((1, rules.num_players), np.int64)
    policy = kernels.KernelPolicy("random", kernels.RANDOM)
    kernels.play_many(rules, [policy], np.zeros(1, np.uint64), seating)
print(checked)
"""


def test_stamps_cover_every_function_that_numba_compiles(tmp_path):
    """Each whose bytecode numba takes up for a kernel was hashed for that kernel before."""
    done = subprocess.run(
        [sys.executable, "-c", COVER, "tictactoe"],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 50


def test_a_full_disk_is_said_and_nothing_else(monkeypatch, tmp_path):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache, "directory", lambda: tmp_path / "kernels")
    monkeypatch.setattr("tempfile.mkstemp", full)
    fresh = type(core.mix64)(core.mix64.py_func)
    fresh.enable_caching()
    with pytest.warns(UserWarning, match="cannot be kept in .*No space left on device"):
        assert fresh(np.uint64(1)) == core.mix64(np.uint64(1))


@njit
def _add(a, b):
    return a + b


@njit
def _first_or_second(pair, which):
    return pair[which]


@njit
def _callers_of_many_constants():
    return _add(1, 2) + _add(3, 4) + _add(5, 6)


@njit
def _caller_of_what_needs_a_constant():
    return _first_or_second((1.5, "two"), 0)


def test_constants_in_calls_make_no_functions_of_their_own():
    for function in (_add, _first_or_second):
        cache._give_cache(function)
    assert _callers_of_many_constants() == 21
    assert len(_add.signatures) == 1
    assert _caller_of_what_needs_a_constant() == 1.5


def test_every_named_tuple_is_hashed_whole():
    """Lists that are made while hashing are gone again; their places in memory are used anew."""

    def stamp(*defaults: int) -> str:
        walk = stamps._Walk([])
        for k, default in enumerate(defaults):
            walk.type(namedtuple(f"Pair{k}", "left right", defaults=[default, default]), False)
        return walk.hash.hexdigest()

    assert stamp(*range(40)) == stamp(*range(40))
    for k in range(40):
        assert stamp(*range(40)) != stamp(*(n + (n == k) for n in range(40)))
