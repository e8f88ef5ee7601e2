"""The code's rooms: how long files are, and that imports go down and never in a circle.

Everything is read from the sources; nothing is imported.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLOORS = ("envs", "agents", "wrappers", "benchmarks")
"""From the ground up: a module imports from its own floor and those below."""
ABOVE_ALL = ("testing",)
"""Modules beside the floors, which may use all of them."""
SCRIPTS = sorted((ROOT / "benchmarks").glob("*/__main__.py"))
LINES = 600
SCRIPT_LINES = 250
FOLDER_LINES = {"envs/connect_four": 470}
"""The house style of a game: what one folder takes."""
SCRIPTS_LINES = {"ludo_arena": 130}
"""The house style of a whole-game benchmark."""


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def name_of(path: Path) -> str:
    """A file's module, such as ``envs.ludo.rules``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


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
    return {name.removeprefix("stratagym.") for name in found if name.startswith("stratagym.")}


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
    scripts = {name_of(path) for path in SCRIPTS}
    taken = {
        f"{name} imports {target}"
        for name, targets in arrows().items()
        for target in sorted(targets & scripts)
    }
    assert not taken


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


def test_what_this_file_finds():
    """On sources that break the rules, so that silence above means something."""
    source = "import stratagym.a\ndef f():\n    from stratagym.b import c\n    from ..d import e\n"
    assert imported(source, "x.y") == {"a", "b.c", "x.d.e"}
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"e"}}
    assert circles(graph) == [["b", "c"]]
    assert modules()["envs.core"].name == "core.py" and len(modules()) > 100
    assert "envs.core" in arrows()["agents.mcts"]
