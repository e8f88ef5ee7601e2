"""The sources of imported modules, as far as they decide what is compiled from them.

Of a module's source counts its syntax tree without comments and docstrings, of the modules that it
imports the same, and so on. Where an installed package begins that holds no games, its version and
the hashes of its files that its installer wrote down stand for it.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import json
import os
import platform
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from importlib.metadata import (
    PackageNotFoundError,
    distribution,
    entry_points,
    packages_distributions,
)
from importlib.util import resolve_name
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from stratagym.envs.cache_directory import directory, read_own, write_own

_OURS = __name__.partition(".")[0]
_VERSIONED = frozenset({*sys.stdlib_module_names, "numba", "numpy", "llvmlite"})
"""Packages whose code changes with a version only; every key holds these versions."""
_BEGAN = time.time_ns()
"""Before any module with kernels was imported: a file that changed later may have been changed
after its import."""

_adopted = {_OURS}


class NotFollowed(Exception):
    """It cannot be told with certainty what a kernel is made of, and why."""


def adopt(package: str) -> None:
    """Count a top-level package among those that hold games."""
    _adopted.add(package)


def holds_games(module: str) -> bool:
    """Whether a module is ours or of another package that holds games."""
    package = module.partition(".")[0]
    return package in _adopted or package in _installed()


@functools.cache
def _installed() -> frozenset[str]:
    """Top-level packages that say at installation that they hold games or players of them."""
    points = [*entry_points(group="stratagym.games"), *entry_points(group="stratagym.policies")]
    return frozenset(point.value.partition(":")[0].partition(".")[0] for point in points)


def is_versioned(module: str) -> bool:
    """Whether a module changes with the versions only that every key holds."""
    return module.partition(".")[0] in _VERSIONED


# --- one module ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """What counts of one source file.

    Attributes:
        digest: of its syntax tree.
        definitions: the first line and the name of each function, in order.
        imports: what is imported when the module is: (level, module, name) as in ``from module
            import name``, with an empty name in ``import module``.
    """

    digest: str
    definitions: tuple[tuple[int, str], ...]
    imports: tuple[tuple[int, str, str], ...]

    def place_of(self, code: CodeType) -> int:
        """Which of the functions it defines has this code.

        Raises:
            NotFollowed: none, or it could be more than one.
        """
        definition = code.co_firstlineno, code.co_name
        if self.definitions.count(definition) != 1:
            raise NotFollowed(f"{code.co_filename} does not tell one function {code.co_name} there")
        return self.definitions.index(definition)


_known: dict[str, tuple[Any, Source]] = {}


def source(module: ModuleType) -> Source:
    """The source that an imported module was made from.

    Raises:
        NotFollowed: there is none, or it may not be the one that was imported.
    """
    name, spec = module.__name__, module.__spec__
    known = _known.get(name)
    if known is None or known[0] is not spec:  # a module that is reloaded has another
        known = _known[name] = spec, _read(name, spec)
    return known[1]


def _read(name: str, spec: Any) -> Source:
    loader = getattr(spec, "loader", None)
    if type(loader) is not SourceFileLoader or loader.name != name:
        raise NotFollowed(f"{name} has no source that Python compiles as it stands")
    try:
        text = loader.get_data(loader.path)
        found = os.stat(loader.path)  # after it was read, in case it changes now
    except OSError as error:
        raise NotFollowed(f"{loader.path} cannot be read ({error.strerror})") from None
    if _BEGAN < found.st_mtime_ns < time.time_ns() or _has_stale_bytecode(spec.cached, found):
        raise NotFollowed(f"{loader.path} may have changed since it was imported")
    return _understood(text, loader.path)


def _has_stale_bytecode(cached: str | None, source: os.stat_result) -> bool:
    """Whether Python takes bytecode for that of a source which is younger.

    It compares sizes and whole seconds.
    """
    if cached is None:
        return False
    try:
        with open(cached, "rb") as file:
            head = file.read(16)
            younger = os.fstat(file.fileno()).st_mtime_ns < source.st_mtime_ns
    except OSError:
        return False
    stamps = (0, int(source.st_mtime), source.st_size)
    return younger and head[4:] == b"".join((n & 0xFFFFFFFF).to_bytes(4, "little") for n in stamps)


@functools.cache
def _reader() -> bytes:
    """What is understood of a source depends on this Python and on this file."""
    return hashlib.sha256(Path(__file__).read_bytes() + platform.python_version().encode()).digest()


def _understood(text: bytes, path: str) -> Source:
    """What counts of a source; it is kept beside the kernels, since parsing takes a while."""
    note = directory() / "sources" / hashlib.sha256(_reader() + text).hexdigest()[:32]
    try:
        digest, definitions, imports = json.loads(read_own(note))
    except (OSError, ValueError):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            raise NotFollowed(f"{path} cannot be parsed") from None
        definitions, imports = sorted(_definitions(tree)), list(_imports(tree.body))
        digest = hashlib.sha256(ast.dump(_Bare().visit(tree)).encode()).hexdigest()
        with contextlib.suppress(OSError):  # it is parsed again next time
            write_own(note, json.dumps([digest, definitions, imports]).encode())
    return Source(
        digest, tuple((line, name) for line, name in definitions), tuple(map(tuple, imports))
    )


class _Bare(ast.NodeTransformer):
    """Takes out docstrings and other texts that do nothing."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else self.generic_visit(node)


def _definitions(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield min(n.lineno for n in (node, *node.decorator_list)), node.name
        elif isinstance(node, ast.Lambda):
            yield node.lineno, "<lambda>"


def _imports(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str, str]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, alias.name, ""
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node.level, node.module or "", alias.name
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            yield from _imports(node.orelse)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from _imports(ast.iter_child_nodes(node))


# --- the modules that a module imports -----------------------------------------------------------


def closure(modules: Iterable[str]) -> dict[str, str]:
    """Modules and all that they import, directly or not, each with what counts of it.

    Raises:
        NotFollowed: one of them has no source, or another than was imported.
    """
    found: dict[str, str] = {}
    todo = list(modules)
    while todo:
        name = todo.pop()
        if name in found or is_versioned(name):
            continue
        package = name.partition(".")[0]
        if not holds_games(name) and (files := _files_of(package)):
            found[name] = files
            continue
        module = sys.modules.get(name)
        if module is None:  # imported under a condition that does not hold
            continue
        if getattr(module, "__file__", None) is None and hasattr(module, "__path__"):
            found[name] = "a folder without a file of its own"
            continue
        seen = source(module)
        found[name] = seen.digest
        todo += _imported(module, seen)
    return found


def _imported(module: ModuleType, source: Source) -> Iterator[str]:
    """Names of the modules that a module took what it imported from."""
    for level, name, what in source.imports:
        whole = resolve_name("." * level + name, module.__package__) if level else name
        bound = vars(sys.modules[whole]).get(what) if whole in sys.modules else None
        if isinstance(bound, ModuleType):
            yield bound.__name__
        else:
            yield whole
        if not what:  # ``import a.b`` binds ``a``
            parts = whole.split(".")
            yield from (".".join(parts[:k]) for k in range(1, len(parts)))


@functools.cache
def _files_of(package: str) -> str:
    """The version and a hash of the list of files of an installed package; "" if it has none.

    What is installed to be edited has a list without its modules.
    """
    names = [package]
    for tried in range(2):
        for name in names:
            try:
                found = distribution(name)
            except (PackageNotFoundError, ValueError):
                continue
            record = found.read_text("RECORD") or ""
            if any(line.startswith((f"{package}/", f"{package}.py,")) for line in record.split()):
                return f"{name} {found.version} {hashlib.sha256(record.encode()).hexdigest()}"
        if not tried:  # it takes a while
            names = packages_distributions().get(package, [])
    return ""
