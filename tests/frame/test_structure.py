"""The code's rooms: how long files are, that imports go down and never in circles; and the tests'.

Everything is read from the sources; nothing is imported.
"""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FLOORS = ("envs", "agents", "wrappers", "benchmarks")
"""From the ground up: a module imports from its own floor and those below."""
ABOVE_ALL = ("testing",)
"""Modules beside the floors, which may use all of them."""
SHARED = ("harness", "reporting", "replaying")
"""Folders of the benchmarks that several commands take from; every other one is a command's."""
GAMES = {path.parent.name for path in (ROOT / "envs").glob("*/rules.py")}
SCRIPTS = sorted((ROOT / "benchmarks").glob("*/__main__.py"))
LINES = 600
SCRIPT_LINES = 250
FOLDER_LINES = {"envs/connect_four": 430}
"""The house style of a game: what one folder takes."""
SCRIPTS_LINES = {"ludo_arena": 100, "coin_teams": 100, "hanabi_teams": 110, "table": 120}
"""The house style of whole-game benchmarks."""


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def name_of(path: Path) -> str:
    """A file's module, such as ``envs.ludo.rules``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def in_the_list() -> set[str]:
    """The commands that the list of commands has under a heading."""
    source = (ROOT / "benchmarks/harness/commands.py").read_text(encoding="utf-8")
    (groups,) = (
        node.value
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "GROUPS"
    )
    return {name for names in ast.literal_eval(groups).values() for name in names}


@cache
def modules() -> dict[str, Path]:
    """All modules of the package by name."""
    return {name_of(path): path for path in sources(*FLOORS)}


def imported(source: str, here: str) -> set[str]:
    """The package's own names that a module's source imports, without ``stratagym.``.

    Those inside functions and for type checkers alone are among them.

    Args:
        here: the package that the source stands in, for relative imports.
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = here.split(".")
                base = ".".join(
                    ["stratagym", *up[: len(up) + 1 - node.level], *filter(None, [base])]
                )
            found |= {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and (name := imported_by_call(node)):
            found.add(name)
    return {name.removeprefix("stratagym.") for name in found if name.startswith("stratagym.")}


def imported_by_call(node: ast.Call) -> str:
    """The module that ``import_module`` and its kin are given as a string, or how its name begins.

    Tables of names, such as ``FACTORIES``, and entry points are apart: they may point up.
    """
    function = ast.unparse(node.func).rpartition(".")[2]
    if function not in ("import_module", "__import__") or not node.args:
        return ""
    text = node.args[0]
    if isinstance(text, ast.JoinedStr):
        text = text.values[0]
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return ""
    return text.value.rstrip(".")


@cache
def all_imports() -> dict[str, set[str]]:
    """What each module imports, names inside modules included."""
    return {
        name: imported(
            path.read_text(encoding="utf-8"),
            name if path.name == "__init__.py" else name.rpartition(".")[0],
        )
        for name, path in modules().items()
    }


@cache
def arrows() -> dict[str, set[str]]:
    """The modules that each module imports; a package's own names count as the package."""
    known, found = modules(), {}
    for name, targets in all_imports().items():
        found[name] = set()
        for target in targets:
            while target and target not in known:
                target = target.rpartition(".")[0]
            found[name] |= {target} - {"", name}
    return found


def floor(module: str) -> int:
    return FLOORS.index(module.partition(".")[0])


def folder_of(module: str) -> str:
    """The folder of the benchmarks that a module is in; nothing for other modules."""
    floor_, _, rest = module.partition(".")
    return rest.partition(".")[0] if floor_ == "benchmarks" else ""


def is_of_another_name(node: ast.AST) -> bool:
    """Whether it imports what would go by two names: relatively, or from ``benchmarks`` itself."""
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] in FLOORS for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return bool(node.level) or (node.module or "").partition(".")[0] in FLOORS
    return False


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Sets of nodes that reach each other, each sorted (Tarjan's components of two and more)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            at = stack.index(node)
            component = sorted(stack[at:])
            del stack[at:]
            if len(component) > 1:
                found.append(component)

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return found


# --- lines ---------------------------------------------------------------------------------------


def test_no_file_is_too_long():
    long = {
        str(path.relative_to(ROOT)): lines(path)
        for path in sources(*FLOORS, "tests")
        if lines(path) > LINES
    }
    assert not long


def test_every_command_is_a_folder_with_a_script():
    """Otherwise the tests of scripts would look at none, and pass."""
    scripts = {path.parent.name for path in SCRIPTS}
    assert scripts >= in_the_list() and len(scripts) >= 19
    folders = {path.parent.name for path in (ROOT / "benchmarks").glob("*/*.py")}
    assert folders == scripts | set(SHARED)
    assert set(SCRIPTS_LINES) <= scripts
    beside = {path.name for path in (ROOT / "benchmarks").glob("*.py")}
    assert beside == {"__init__.py", "__main__.py"}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.parent.name)
def test_a_script_is_options_and_straight_code(path):
    assert lines(path) <= SCRIPTS_LINES.get(path.parent.name, SCRIPT_LINES)


@pytest.mark.parametrize("folder", FOLDER_LINES)
def test_a_game_takes_no_more_than_what_is_its_own(folder):
    assert sum(map(lines, sources(folder))) <= FOLDER_LINES[folder]


# --- imports -------------------------------------------------------------------------------------


def test_no_import_goes_up():
    up = [
        f"{name} imports {target}"
        for name, targets in arrows().items()
        for target in sorted(targets)
        if floor(target) > floor(name)
    ]
    assert not up


def test_no_module_imports_what_stands_beside_the_floors():
    above = [
        f"{name} imports {target}"
        for name, targets in all_imports().items()
        for target in sorted(targets)
        if target.partition(".")[0] in ABOVE_ALL
    ]
    assert not above


def test_no_script_is_imported():
    """Worker processes do not import one either: nothing that is sent to them may stand there."""
    taken = {
        f"{name} imports {target}"
        for name, targets in arrows().items()
        for target in sorted(targets)
        if target.endswith("__main__")
    }
    assert not taken


def test_no_command_takes_from_anothers_folder():
    commands = {path.parent.name for path in SCRIPTS}
    taken = {
        f"{name} imports {target}"
        for name, targets in arrows().items()
        for target in sorted(targets)
        if (owner := folder_of(target)) in commands and folder_of(name) != owner
    }
    assert not taken


def test_a_module_of_the_benchmarks_is_loaded_under_one_name():
    """``python -m benchmarks.duel`` runs in a package ``benchmarks``, all else is in ``stratagym``.

    A relative import would therefore load a part of a command a second time.
    """
    twice = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sources("benchmarks")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if is_of_another_name(node)
    ]
    assert not twice
    for path in SCRIPTS:
        assert not (path.parent / "__init__.py").read_text(encoding="utf-8"), path
    for folder in SHARED:
        init = ROOT / "benchmarks" / folder / "__init__.py"
        (docstring,) = ast.parse(init.read_text(encoding="utf-8")).body
        assert isinstance(docstring, ast.Expr), init


def test_every_folder_with_modules_is_a_package():
    """What is none is not in the wheel."""
    folders = {path.parent for path in sources(*FLOORS)}
    assert not [folder for folder in folders if not (folder / "__init__.py").exists()]


def test_no_modules_import_each_other():
    """Not even when a function is first called, or for types alone."""
    assert not circles(arrows())


def test_no_rooms_of_the_benchmarks_import_each_other():
    """Their folders, at any time: a family takes from the harness, never the other way."""

    def room(name: str) -> str:
        is_folder = modules()[name].name == "__init__.py"
        return name if is_folder else name.rpartition(".")[0]

    found: dict[str, set[str]] = {}
    for name, targets in arrows().items():
        if floor(name) == FLOORS.index("benchmarks"):
            own = {room(target) for target in targets if floor(target) == floor(name)}
            found.setdefault(room(name), set()).update(own)
    assert not circles(found)


def private_names(source: str) -> set[str]:
    """The private names of Python's library that are imported whatever Python's version is."""
    tree = ast.parse(source)
    by_version = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "sys.version_info" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    return {
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not node.level and id(node) not in by_version
        for alias in node.names
        if (node.module or "").partition(".")[0] in sys.stdlib_module_names
        and alias.name.startswith("_")
    }


def test_private_names_of_pythons_library_are_chosen_by_version():
    """Such a name may have come with a later Python than the oldest that is supported."""
    assert private_names("from re import _parser, compile") == {"re._parser"}
    assert not private_names("if sys.version_info >= (3, 11):\n    from re import _parser")
    found = {path: private_names(path.read_text(encoding="utf-8")) for path in sources(*FLOORS)}
    assert not {str(path): names for path, names in found.items() if names}


def test_what_this_file_finds():
    """On sources that break the rules, so that silence above means something."""
    source = "import stratagym.a\ndef f():\n    from stratagym.b import c\n    from ..d import e\n"
    assert imported(source, "x.y") == {"a", "b.c", "x.d.e"}
    source = "import_module('stratagym.a')\nimportlib.import_module(f'stratagym.b.{c}')\n"
    assert imported(source + "import_module(name)\n__import__('numpy')\n", "x.y") == {"a", "b"}
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"e"}}
    assert circles(graph) == [["b", "c"]]
    assert folder_of("benchmarks.duel.__main__") == "duel" and folder_of("envs.ludo") == ""
    for line in (
        "from . import a",
        "from .a import b",
        "import benchmarks.a",
        "from envs import a",
    ):
        assert is_of_another_name(ast.parse(line).body[0])
    assert not is_of_another_name(ast.parse("from stratagym.benchmarks.a import b").body[0])
    assert modules()["envs.core"].name == "core.py" and len(modules()) > 100
    assert "envs.core" in arrows()["agents.mcts"]


# --- tests ---------------------------------------------------------------------------------------


def wrong_place(path: str) -> str:
    """What is wrong with where a file of tests lies, given below ``tests``; nothing if it is right.

    The tests of a game or of a command have a folder of their own; by the words that their files'
    names begin with, none of them lies elsewhere.
    """
    commands = {script.parent.name for script in SCRIPTS}
    owners = {"games": GAMES, "benchmarks": commands}
    folder, _, name = path.rpartition("/")
    room, *folders = folder.split("/")
    if room in ("frame", "frameworks"):
        right = not folders
    else:
        right = len(folders) == 1 and folders[0] in owners.get(room, ())
    if not right:
        return f"{path}: tests lie in frame, frameworks, games/<game> or benchmarks/<command>"
    words = name.removeprefix("test_").removesuffix(".py") + "_"
    begun = {n for n in GAMES | commands if words.startswith(f"{n}_")}
    if room == "games":
        begun -= commands  # a game has replays too
    if begun and [owner := max(begun, key=len)] != folders:
        return f"{path}: belongs to {owner}"
    return ""


def test_tests_lie_where_what_they_test_lies():
    paths = [path.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(paths) > 100
    assert not [wrong for path in paths if (wrong := wrong_place(path.as_posix()))]
    assert {path.parts[1] for path in paths if path.parts[0] == "games"} == GAMES


def test_wrong_places_are_found():
    right = (
        "frame/test_core.py", "frame/test_tables.py", "games/go/test_go_words.py",
        "games/ludo/test_replay.py", "benchmarks/ludo_arena/test_ludo_arena.py",
        "benchmarks/search/test_climbs.py", "frameworks/test_rllib.py",
    )  # fmt: skip
    assert not [wrong for path in right if (wrong := wrong_place(path))]
    wrong = (
        "test_core.py", "frame/test_ludo.py", "frame/test_table_of_many.py", "frame/go/test_go.py",
        "games/test_go.py", "games/chess/test_go.py", "games/harness/test_go.py",
        "benchmarks/duel/test_table.py", "benchmarks/duel/test_go.py", "tiny_games/test_catch.py",
    )  # fmt: skip
    assert [path for path in wrong if wrong_place(path)] == list(wrong)


def test_no_folder_or_helper_of_tests_has_a_librarys_name():
    """Only ``tests`` is on the path: its folders and helpers can be imported, those below cannot.

    A file of tests is imported by its path from the root, unless its folder is a package.
    """
    config = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'^pythonpath = \["tests"\]', config, re.MULTILINE)
    assert re.search(r"^addopts = .*--import-mode=importlib", config, re.MULTILINE)
    tests = ROOT / "tests"
    assert not [path for path in tests.rglob("test_*.py") if (path.parent / "__init__.py").exists()]
    path = [entry for entry in sys.path if Path(entry).resolve() not in (tests, ROOT)]
    names = {entry.stem for entry in tests.iterdir() if entry.suffix == ".py" or entry.is_dir()}
    taken = {
        name
        for name in names - {"__pycache__"}
        if name in sys.stdlib_module_names or PathFinder.find_spec(name, path) is not None
    }
    assert not taken
