"""What numba was told besides its own: overloads and the like, by whom, and what they are of."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from numba.core import imputils
from numba.core.typing import templates

from stratagym.envs.sources import is_versioned

_BY_USE = {bool, iter, next, *(f for f in vars(operator).values() if callable(f))}
"""What code may call without naming it."""
_MAKERS = {"numba.core.typing.templates", "numba.core.extending"}
"""Modules of numba that make classes of what others tell it."""


@dataclass(frozen=True, eq=False)
class Extension:
    """One thing that numba was told.

    Attributes:
        key: what it is of: a function, or a type where ``attribute`` is not None.
        attribute: the name of an attribute or a method.
        module: that told it. functions: of that module, which numba calls or compiles.
        is_named: whether code has to name it to use it.
    """

    key: Any
    attribute: str | None
    module: str
    functions: tuple[FunctionType, ...]
    is_named: bool

    @property
    def name(self) -> str:
        return self.attribute or str(getattr(self.key, "__qualname__", self.key))

    @property
    def is_of_numba(self) -> bool:
        """Whether it is of a function or a type that numba, numpy or Python has."""
        home = self.key if self.attribute is None or isinstance(self.key, type) else type(self.key)
        return is_versioned(str(getattr(home, "__module__", None) or "builtins"))

    def applies(self, walk: Any) -> bool:
        """Whether code that reached what ``walk`` did may use it."""
        if not self.is_named:
            return True
        if self.attribute is None:
            return bool(walk.has_reached(self.key))
        return self.attribute in walk.names and (self.is_of_numba or self.module in walk.modules)


def has(value: Any) -> bool:
    """Whether numba was told about a function or a class."""
    known()
    return id(value) in _keys


def known() -> list[Extension]:
    """All extensions by modules other than numba's own, in the order in which they came."""
    typing, lowering = templates.builtin_registry, imputils.builtin_registry
    for items, read in (
        (typing.functions, _of_template),
        (typing.attributes, _of_attribute),
        (typing.globals, _of_global),
        (lowering.functions, _of_lowering),
        (lowering.getattrs, _of_lowered_attribute),
        (lowering.setattrs, _of_lowered_attribute),
        (lowering.casts, _of_lowered_type),
        (lowering.constants, _of_lowered_type),
    ):
        for item in items[_counts.get(id(items), 0) :]:
            for extension in read(item):
                _extensions.append(extension)
                if extension.attribute is None:
                    _keys.add(id(extension.key))
        _counts[id(items)] = len(items)
    return _extensions


_counts: dict[int, int] = {}
_extensions: list[Extension] = []
_keys: set[int] = set()


def _told(key: Any, attribute: str | None, named: bool, *values: Any) -> Iterator[Extension]:
    """The extension, if somebody else's functions are among the values; none of our stubs."""
    if hasattr(key, "find_kernel"):
        return
    by_module: dict[str, list[FunctionType]] = {}
    for value in values:
        for function in _functions(value):
            by_module.setdefault(_home(function), []).append(function)
    for module, functions in by_module.items():
        yield Extension(key, attribute, module, tuple(functions), named)


def _functions(value: Any) -> Iterator[FunctionType]:
    """Functions of others than numba: a template's, or those that one of numba's holds."""
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if isinstance(value, FunctionType):
        if not is_versioned(_home(value)):
            yield value
        else:
            for cell in value.__closure__ or ():
                inner = cell.cell_contents
                if isinstance(inner, FunctionType) and not is_versioned(_home(inner)):
                    yield inner
    elif isinstance(value, type):
        for base in value.__mro__:
            made_for_others = base.__module__ in _MAKERS and "key" in vars(base)
            if made_for_others or not base.__module__.startswith(("numba.", "builtins")):
                for part in vars(base).values():
                    if isinstance(part, (FunctionType, staticmethod, classmethod)):
                        yield from _functions(part)


def _home(function: FunctionType) -> str:
    return str(function.__globals__.get("__name__", ""))


def _is_named(key: Any) -> bool:
    return callable(key) and key not in _BY_USE


def _of_template(template: Any) -> Iterator[Extension]:
    key = getattr(template, "key", None)
    return _told(key, None, _is_named(key), template)


def _of_attribute(template: Any) -> Iterator[Extension]:
    attribute = getattr(template, "_attr", None)
    return _told(template.key, attribute, attribute is not None, template)


def _of_global(item: Any) -> Iterator[Extension]:
    value, kind = item
    return _told(value, None, _is_named(value), *getattr(kind, "templates", ()))


def _of_lowering(item: Any) -> Iterator[Extension]:
    function, key, _ = item
    return _told(key, None, _is_named(key), function)


def _of_lowered_attribute(item: Any) -> Iterator[Extension]:
    function, attribute, signature = item
    return _told(signature[0], attribute, attribute is not None, function)


def _of_lowered_type(item: Any) -> Iterator[Extension]:
    return _told(None, None, False, item[0])
