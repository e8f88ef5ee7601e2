"""What compiled code depends on, as a hash.

numba compiles into a kernel every function that it calls and every global that it reads, whatever
files they stand in. ``stamp`` follows them from a function the way numba does: by the names in its
bytecode, to functions, modules and constants, through the stubs of ``core.kernel`` to the functions
of the game in hand. What the kernel does not reach is not looked at: an edit there, a comment or a
docstring changes no stamp.

It cannot follow ``numba.extending.overload`` from a plain function to its implementation, so the
whole source of such a function's module counts.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.types import Type

_VERSIONED = frozenset({*sys.stdlib_module_names, "numba", "numpy", "llvmlite"})
"""Packages whose code changes with a version only; the cache's keys hold the versions."""
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), range, slice)


def stamp(function: FunctionType, options: Any, classes: Collection[type]) -> bytes:
    """32 bytes that change if what is compiled into ``function`` changes.

    Args:
        function: the Python function.
        options: numba's options for it.
        classes: the NamedTuple classes in its signature; a game's ``Rules`` among them tells
            which functions the stubs stand for.
    """
    walk = _Walk(classes)
    walk.add(repr(options))
    walk.function(function)
    return walk.hash.digest()


class _Walk:
    """One pass over what a function reaches, each function once, all of it hashed in order."""

    def __init__(self, classes: Collection[type]) -> None:
        self.hash = hashlib.sha256()
        self.classes = classes
        self.seen: dict[object, int] = {}

    def add(self, *texts: str) -> None:
        for text in texts:
            self.hash.update(f"{len(text)}:{text}".encode("utf-8", "surrogatepass"))

    def once(self, key: object) -> bool:
        """True if ``key`` is new; if not, its number stands for what was hashed."""
        new = key not in self.seen
        self.add(f"#{self.seen.setdefault(key, len(self.seen))}")
        return new

    def function(self, function: FunctionType) -> None:
        if not self.once(id(function)):
            return
        digest, names = _code(function.__code__, function.__doc__)
        self.add(function.__module__, function.__qualname__)
        self.hash.update(digest)
        self.value(function.__defaults__)
        self.value(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            self.value(cell.cell_contents, names)
        known = function.__globals__
        for name in names:
            if name in known:
                self.add(name)
                self.value(known[name], names)

    def value(self, value: Any, names: Iterable[str] = ()) -> None:
        """Hash a constant or follow a function; ``names`` are those looked up in a module."""
        kind = type(value)
        self.add(kind.__qualname__)
        if isinstance(value, _PLAIN):
            self.add(repr(value))
        elif isinstance(value, (np.ndarray, np.generic)):
            array = np.asarray(value)
            self.add(repr(array.dtype), repr(array.shape), repr(array.flags.f_contiguous))
            self.hash.update(array.tobytes())
        elif isinstance(value, (np.dtype, Type)):
            self.add(repr(value))
        elif isinstance(value, ModuleType):
            self.module(value, names)
        elif isinstance(value, type):
            self.type(value)
        elif isinstance(value, enum.Enum):
            self.add(value.name)
            self.value(value.value)
        elif isinstance(value, (tuple, list)):
            self.add(kind.__module__, str(len(value)))
            for item in value:
                self.value(item)
        elif isinstance(value, dict):
            self.value(list(value.items()))
        elif isinstance(value, (set, frozenset)):
            self.add(*sorted(map(repr, value)))
        else:
            self.callable(value)

    def callable(self, value: Any) -> None:
        if find := getattr(value, "find_kernel", None):
            self.add(value.__qualname__)
            for rules_class in self.classes:
                found = find(rules_class)
                if isinstance(found, FunctionType):  # compiled as it stands, by the stub
                    self.function(found)
                elif found is not None:
                    self.value(found)
        elif isinstance(value, Dispatcher):
            self.add(repr(value.targetoptions))
            self.function(value.py_func)
        elif compiled := getattr(value, "_dispatcher", None):  # of vectorize
            self.value(compiled)
        elif inner := getattr(value, "_defn", None) or getattr(value, "_pyfunc", None):
            self.function(inner)  # of an intrinsic, of a cfunc
        elif isinstance(value, FunctionType) and not _is_versioned(value.__module__):
            self.function(value)
            self.source(value.__module__)
        elif isinstance(value, FunctionType):
            self.add(value.__module__, value.__qualname__)
        else:
            self.add(str(getattr(value, "__module__", "")), str(getattr(value, "__name__", "")))
            self.type(type(value))

    def module(self, module: ModuleType, names: Iterable[str]) -> None:
        self.add(module.__name__)
        if _is_versioned(module.__name__) or not self.once((id(module), tuple(names))):
            return
        for name in names:
            if name in vars(module):
                self.add(name)
                self.value(vars(module)[name], names)

    def type(self, kind: type) -> None:
        self.add(kind.__module__, kind.__qualname__)
        if _is_versioned(kind.__module__) or not self.once(id(kind)):
            return
        if issubclass(kind, enum.Enum):
            self.value(list(kind))
        elif hasattr(kind, "_fields"):
            self.value(kind._fields)
            self.value(getattr(kind, "_field_defaults", {}))
        else:
            self.source(kind.__module__)

    def source(self, module: str) -> None:
        file = getattr(sys.modules.get(module), "__file__", None)
        if file and self.once(file):
            self.hash.update(_file_hash(file))


def _is_versioned(module: str) -> bool:
    return module.partition(".")[0] in _VERSIONED


@functools.cache
def _file_hash(file: str) -> bytes:
    return hashlib.sha256(Path(file).read_bytes()).digest()


_codes: dict[int, tuple[CodeType, bytes, tuple[str, ...]]] = {}


def _code(code: CodeType, doc: str | None = None) -> tuple[bytes, tuple[str, ...]]:
    """A hash of what a function's code says, without lines and docstring, and its names."""
    known = _codes.get(id(code))
    if known is None:
        consts: tuple[Any, ...] = code.co_consts
        if doc is not None and consts and consts[0] == doc:
            consts = consts[1:]
        names = list(code.co_names)
        walk = _Walk(())
        walk.hash.update(code.co_code)
        walk.hash.update(getattr(code, "co_exceptiontable", b""))
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        for part in (counts, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars):
            walk.value(part)
        for const in consts:
            if isinstance(const, CodeType):
                digest, inner = _code(const)
                walk.hash.update(digest)
                names += inner
            else:
                walk.value(const)
        known = _codes[id(code)] = (code, walk.hash.digest(), tuple(dict.fromkeys(names)))
    return known[1:]


def versions() -> tuple[str, ...]:
    """What else compiled code depends on: numba, numpy, this Python."""
    flags = getattr(sys, "abiflags", "")
    return numba.__version__, np.__version__, f"{sys.implementation.cache_tag}{flags}"
