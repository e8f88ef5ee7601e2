"""What is kept of kernels, and under which name, when things change while a process runs."""

from __future__ import annotations

import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import COUNT_COMPILED, told

SMALL = {
    "__init__": "",
    "numbers": "A = 1\n",
    "callee": """
from numba import njit
from small import numbers

@njit(cache=True)
def g(x):
    return x + numbers.A

@njit
def h(x):
    return x + numbers.A
""",
    "kernels": """
from numba import njit
from small.callee import g, h

@njit(cache=True)
def f(x):
    return g(x)

@njit(cache=True)
def k(x):
    return 10 * g(x)

@njit(cache=True)
def m(x):
    return 10 * h(x)
""",
}
BEFORE = f"""
import sys
from stratagym.envs import cache
{COUNT_COMPILED}
cache.adopt("small")
"""
SAY = "print('compiled', count.number)\n"
IMPORT = "from small import callee, kernels, numbers\n"
USE = f"{IMPORT}print(kernels.f(1))\n"


class Package:
    """A small package with kernels, and a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "small"
        self.home.mkdir()
        for name, text in SMALL.items():
            self.file(name).write_text(text)

    def file(self, name: str) -> Path:
        return self.home / f"{name}.py"

    def run(self, code: str, *flags: str, said: str = "", **environment: str) -> list[str]:
        """The words that a process prints; ``said``: what it says on standard error, if that."""
        done = subprocess.run(
            [sys.executable, *flags, "-c", BEFORE + code + SAY],
            cwd=self.folder, capture_output=True, text=True, timeout=300,
            env={
                "PYTHONDONTWRITEBYTECODE": "1",
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(self.folder), *filter(None, sys.path)]),
                "NUMBA_CACHE_DIR": str(self.folder / "cache"),
                **environment,
            },
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        lines = told(done.stderr)
        assert bool(lines) is bool(said) and len(lines) < 2, done.stderr
        assert said in done.stderr
        return done.stdout.split()


@pytest.fixture
def package(tmp_path) -> Package:
    return Package(tmp_path)


@pytest.fixture(scope="module")
def compiled(once) -> Path:
    def make(folder: Path) -> None:
        assert Package(folder).run(USE) == ["2", "compiled", "2"]

    return once("compiled", make)


@pytest.fixture
def kept(compiled, tmp_path) -> Package:
    """The package with ``f`` and ``g`` compiled already."""
    package = Package.__new__(Package)
    package.folder = tmp_path / "copy"
    package.home = package.folder / "small"
    shutil.copytree(compiled, package.folder)
    return package


MADE = """
from numba import njit

def make(k):
    @njit(cache=True)
    def f(x):
        return x + k
    return f
"""
BOTH = """
from numba import njit

one, five = make(1), make(5)

@njit
def both(x):
    return 100 * one(x) + five(x)

print(both(0))
"""


def test_closures_that_two_processes_compiled_are_two(package):
    """numba gives their code one name, where each is the first that its process compiled."""
    package.file("made").write_text(MADE)
    get = "from small.made import make\n"
    assert package.run(f"{get}print(make(1)(0))\n") == ["1", "compiled", "1"]
    assert package.run(f"{get}print(make(5)(0))\n") == ["5", "compiled", "1"]
    assert package.run(get + BOTH) == ["105", "compiled", "1"]


def test_what_python_called_serves_kernels_too(package):
    assert package.run(f"{IMPORT}print(kernels.g(1))\n") == ["2", "compiled", "1"]
    assert package.run(USE) == ["2", "compiled", "1"]  # ``f``


def test_a_callee_is_compiled_for_python_when_python_calls_it(kept):
    """``g`` was compiled for ``f`` alone, without a wrapper that Python could call."""
    both = f"{USE}print(kernels.g(1))\n"
    assert kept.run(both) == ["2", "2", "compiled", "1"]
    assert kept.run(both) == ["2", "2", "compiled", "0"]
    assert kept.run(f"{IMPORT}print(kernels.g(1))\n{USE}") == ["2", "2", "compiled", "0"]


CALLEES = """
import numpy as np
from numba import njit

TABLE = np.arange(5.0)

@njit(cache=True)
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)

@njit(cache=True)
def checked(n):
    if n < 0:
        raise ValueError("less than", n)
    print("checked", n, TABLE.sum())
    return n

@njit(cache=True)
def large(n):
    print("large", n, TABLE[n % 4], TABLE[n % 2])
    return (TABLE[:n] * n + TABLE[:n] // 2)[::-1]

@njit(cache=True)
def larger(n):
    if n == 6:
        raise ValueError("six", n)
    print("larger", n, TABLE[n % 3])
    return large(n) + (TABLE[:n] - n) * TABLE[1 : n + 1]

@njit(cache=True)
def one(n):
    return factorial(checked(n)), larger(n), large(n)

@njit(cache=True)
def two(n):
    return one(n), factorial(n)
"""
CALL_ONE = """
from small import made
print(made.one(4))
for wrong in (-1, 6):
    try:
        made.one(wrong)
    except ValueError as error:
        print(error.args)
print("end")
"""
ALONE = """
from stratagym.envs import callees
(compiled,) = made.one.overloads.values()
names = [name for name in ("factorial", "checked", "large", "larger", "one")
         for found, *_ in callees.standing(compiled.library) if f"made{len(name)}{name}" in found]
print("alone", *names)
"""


def test_callees_run_as_they_do_in_numba(package):
    """They recurse, print, raise and use arrays: fresh, from files, and taken into a new kernel."""
    package.file("made").write_text(CALLEES)
    bare = f"import sys\nsys.path.insert(0, {str(package.folder)!r})\n"
    code = f"{bare}{CALL_ONE}print(made.two(3))\nprint(made.factorial(5))\n"
    plain = {"PYTHONPATH": "", "NUMBA_CACHE_DIR": str(package.folder / "numbas")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, timeout=300, env={**os.environ, **plain},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    expected = done.stdout.split()
    first, last = expected[: expected.index("end") + 1], "print(made.two(3))\n"
    fresh = package.run(CALL_ONE + ALONE)
    assert fresh[:-2] == [*first, "alone", "large", "larger"] and int(fresh[-1]) > 4
    assert package.run(CALL_ONE) == [*first, "compiled", "0"]
    assert package.run(f"{CALL_ONE}{last}print(made.factorial(5))\n")[:-2] == expected


MANY = """
import math

import numpy as np
from numba import njit, prange

@njit(cache=True)
def hashes(word):
    counts = {5: len(word)}
    return hash(word), hash((1, 2.5)), counts[5]

@njit(cache=True)
def lists(values):
    found = [0.5]
    for value in values:
        found.append(value * 2)
    return np.array(found), math.sin(found[0]) + np.exp(found[1])

@njit(cache=True)
def drawn(seed):
    np.random.seed(seed)
    return np.random.random(3), np.random.randint(0, 9)

@njit(cache=True)
def product(a, b):
    return a @ b, complex(1, 2) ** 2

@njit(cache=True, parallel=True)
def added(values):
    total = 0.0
    for i in prange(len(values)):
        total += values[i]
    return total
"""
CALL_MANY = """
import numpy as np
from small import made
print(made.hashes("word")[0] == hash("word"), *made.hashes("word")[1:])
print(*made.lists(np.array([3.0, 1.0])))
print(*made.drawn(5))
print(*made.product(np.eye(2), np.full((2, 2), 0.5)))
print(made.added(np.arange(8.0)))
"""
CALL_ANOTHER = """
from numba import njit
print(njit(lambda values: values[::-1] + hash(2.0))(np.arange(3)))
"""


def test_kept_code_needs_nothing_that_only_compiling_loads(package):
    """Hashes, lists, dictionaries, random numbers, BLAS and threads; then code may be compiled."""
    package.file("made").write_text(MANY)
    fresh = package.run(CALL_MANY)
    assert fresh[0] == "True" and int(fresh[-1]) > 5
    again = package.run(CALL_MANY)
    assert again == [*fresh[:-1], "0"]
    results = fresh[:-2]
    assert package.run(CALL_MANY + CALL_ANOTHER)[: len(results) + 3] == [*results, "[4", "3", "2]"]


CHANGED = "uses was changed meanwhile"


def test_code_compiled_after_a_global_was_changed_is_not_kept(kept):
    """Neither by ``recompile`` under the old name, nor what calls older code under the new one."""
    anew = "numbers.A = 5\nkernels.g.recompile()\nprint(kernels.g(1))\n"
    assert kept.run(USE + anew, said="small.callee.g is compiled for this process only")[:2] == [
        "2",
        "6",
    ]
    assert kept.run(USE) == ["2", "compiled", "0"]
    # ``k`` is new, and calls ``g`` as it was compiled before.
    later = "numbers.A = 5\nprint(kernels.k(1))\n"
    old = f"{IMPORT}kernels.g(1)\n"
    assert kept.run(old + later, said=CHANGED) == ["20", "compiled", "2"]  # ``g`` for Python too
    assert kept.run(IMPORT + later) == ["60", "compiled", "2"]
    assert kept.run(IMPORT + later) == ["60", "compiled", "0"]
    assert kept.run(IMPORT + "print(kernels.k(1))\n") == ["20", "compiled", "1"]


def test_what_calls_code_from_before_a_change_is_not_kept(package):
    """Also where the callee has no cache of its own."""
    code = f"{IMPORT}callee.h(1)\nnumbers.A = 5\nprint(kernels.m(1))\n"
    assert package.run(code, said=CHANGED)[0] == "20"
    assert package.run(f"{IMPORT}numbers.A = 5\nprint(kernels.m(1))\n")[0] == "60"


def test_recompiling_what_has_not_changed_finds_it(kept):
    assert kept.run(USE + "kernels.f.recompile()\nprint(kernels.f(1))\n") == [
        "2", "2", "compiled", "0"
    ]  # fmt: skip


def test_a_file_under_anothers_name_is_refused(kept):
    (old,) = (kept.folder / "cache").rglob("kernels.f-*")
    kept.file("numbers").write_text("A = 7\n")
    assert kept.run(USE) == ["8", "compiled", "2"]
    (new,) = set(old.parent.glob("kernels.f-*")) - {old}
    new.write_bytes(old.read_bytes())
    assert kept.run(USE) == ["8", "compiled", "1"]
    assert kept.run(USE) == ["8", "compiled", "0"]


@pytest.mark.parametrize(
    "name, value",
    [
        ("OPT", "1"),
        ("CPU_NAME", "generic"),
        pytest.param("LOOP_VECTORIZE", "0", marks=pytest.mark.slow),
        pytest.param("BOUNDSCHECK", "1", marks=pytest.mark.slow),
    ],
)
def test_settings_that_change_code_have_kernels_of_their_own(kept, name, value):
    for compiled in ("2", "0"):
        assert kept.run(USE, **{f"NUMBA_{name}": value}) == ["2", "compiled", compiled]
    assert kept.run(USE) == ["2", "compiled", "0"]


def test_settings_that_change_no_code_have_not(kept):
    harmless = {"NUMBA_NUM_THREADS": "1", "NUMBA_COLOR_SCHEME": "light_bg"}
    assert kept.run(USE, **harmless) == ["2", "compiled", "0"]


def test_what_else_a_process_imported_does_not_count(package):
    """numpy has a part ``core`` from when scipy.stats is imported, and the kernel names another."""
    package.file("core").write_text("A = 1\n")
    package.file("kernels").write_text(
        "import numpy as np\nfrom numba import njit\nfrom small import core\n"
        "@njit(cache=True)\ndef f(x):\n    return np.abs(x) + core.A\n"
    )
    use = "from small import kernels\nprint(kernels.f(-1))\n"
    assert package.run(use) == ["2", "compiled", "1"]
    assert package.run(f"import numpy\nassert 'core' not in vars(numpy)\n{use}")[0] == "2"
    assert package.run(f"import numpy.core\n{use}") == ["2", "compiled", "0"]


def test_pythons_optimization_counts(kept):
    """It leaves out ``assert``, and numba compiles what Python left."""
    assert kept.run(USE, "-O") == ["2", "compiled", "2"]
    assert kept.run(USE, "-O") == ["2", "compiled", "0"]


EDITED = "numbers.py may have changed since it was imported"


def test_sources_that_change_while_a_process_runs_are_not_trusted(package):
    """It has imported the old one and would find the new."""
    edit = f"{IMPORT}open(numbers.__file__, 'w').write('A = 3')\nprint(kernels.f(1))\n"
    assert package.run(edit, said=EDITED) == ["2", "compiled", "2"]
    assert package.run(USE) == ["4", "compiled", "2"]
    assert package.run(USE) == ["4", "compiled", "0"]


def test_modules_that_are_loaded_again_are_not_trusted(kept):
    again = (
        "import importlib\nopen(numbers.__file__, 'w').write('A = 3')\n"
        "importlib.reload(numbers)\nimportlib.reload(callee)\nimportlib.reload(kernels)\n"
        "print(kernels.f(1))\n"
    )
    assert kept.run(USE + again, said="compiled for this process only")[:2] == ["2", "4"]
    assert kept.run(USE) == ["4", "compiled", "2"]


def test_a_module_without_source_is_not_kept_and_said_once(package):
    source = package.file("numbers")
    py_compile.compile(str(source), cfile=str(package.home / "numbers.pyc"))
    source.unlink()
    said = "small.kernels.f is compiled for this process only: small.numbers has no source"
    for _ in range(2):
        both = USE + "print(kernels.k(1))\n"
        assert package.run(both, said=said) == ["2", "20", "compiled", "3"]


def test_bytecode_of_an_older_source_is_not_trusted(package):
    """Python takes it where size and second are the same."""
    source = package.file("numbers")
    os.utime(source, ns=(10**18, 10**18))
    assert package.run(USE, PYTHONDONTWRITEBYTECODE="") == ["2", "compiled", "2"]
    (cached,) = (package.home / "__pycache__").glob("numbers.*")
    source.write_text("A = 3\n")
    os.utime(source, ns=(10**18 + 500, 10**18 + 500))
    os.utime(cached, ns=(10**18 + 400, 10**18 + 400))
    assert package.run(USE, said=EDITED) == ["2", "compiled", "2"]
    cached.unlink()
    assert package.run(USE) == ["4", "compiled", "2"]


def test_installed_packages_count_by_what_their_installer_wrote_down(kept):
    """A module without source in one of them does no harm."""
    library = kept.folder / "library"
    library.mkdir()
    (library / "__init__.py").write_text("from library import hidden\n")
    hidden = library / "hidden.py"
    hidden.write_text("B = 1\n")
    py_compile.compile(str(hidden), cfile=str(library / "hidden.pyc"))
    hidden.unlink()
    kept.file("numbers").write_text("import library\nA = 1\n")
    assert kept.run(USE, said="library.hidden has no source") == ["2", "compiled", "2"]
    info = kept.folder / "library-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: library\nVersion: 1.0\n")
    for content in ("one", "another"):
        (info / "RECORD").write_text(f"library/__init__.py,sha256={content},20\n")
        for compiled in ("2", "0"):
            assert kept.run(USE) == ["2", "compiled", compiled]
