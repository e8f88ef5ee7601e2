"""What compiled code depends on, as a hash.

numba compiles into a kernel every function that it calls and every global that it reads, whatever
files they stand in. Two things are hashed. The first are the sources of all modules that these
functions stand in or that such a module imports (``sources``): with them count decorators, classes,
overloads and whatever else a module does when it is imported. The second are values, which no
source may tell, such as an array loaded from a file. They are looked up by the names in the
functions' bytecode, through the stubs of ``core.kernel`` to the functions of the game in hand.

What can be followed in neither way is not kept on disk: ``NotFollowed`` says why.
"""

from __future__ import annotations

import builtins
import contextlib
import enum
import hashlib
import sys
from collections.abc import Callable, Collection, Iterable
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.registry import cpu_target
from numba.core.types import Type
from numba.experimental.jitclass.base import JitClassType
from numba.np.ufunc.dufunc import DUFunc
from numba.np.ufunc.gufunc import GUFunc
from numba.stencils.stencil import StencilFunc

from stratagym.envs import extensions, sources
from stratagym.envs.extensions import Extension
from stratagym.envs.sources import NotFollowed, is_versioned

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), range, slice)


def stamp(
    function: FunctionType, options: Any, classes: Collection[type], others: Iterable[Any] = ()
) -> bytes:
    """32 bytes that change if what is compiled into ``function`` changes.

    Args:
        function: the Python function.
        options: numba's options for it.
        classes: the NamedTuple classes in its signature; a game's ``Rules`` among them tells
            which functions the stubs stand for.
        others: functions and other classes in its signature.

    Raises:
        NotFollowed: it cannot be told what is compiled into it.
    """
    walk = _Walk(classes)
    walk.text(options)
    walk.function(function, False)
    for value in (*classes, *others):
        walk.value(value)
    walk.follow()
    return walk.hash.digest()


take_over: Callable[[Dispatcher], None] = lambda function: None  # noqa: E731 - ``cache`` sets it
"""Gives a function a cache that goes by stamps, before numba has asked its own."""
_first_seen: dict[FunctionType, tuple[bytes, tuple[int, ...]]] = {}
"""What a function's names stood for when it was first looked at, before it was compiled."""
_first_extended: list[set[str]] = []
"""The modules that had extended numba when anything was first looked at."""


def look(function: FunctionType) -> None:
    """Remember what a function's names stand for, since numba is about to compile it."""
    with contextlib.suppress(NotFollowed):
        _Walk(()).function(function, False)


class _Walk:
    """One pass over what a function reaches, each thing once, all of it hashed in order."""

    def __init__(self, classes: Collection[type]) -> None:
        self.hash = hashlib.sha256()
        self.classes = classes
        self.seen: dict[int, int] = {}
        self.reached: list[Any] = []  # whose ids are in ``seen``, so that they stay theirs
        self.versioned: dict[int, Any] = {}  # what was reached in versioned modules, by id
        self.done: set[tuple[int, bool]] = set()
        self.todo: list[tuple[Any, bool]] = []
        self.modules: set[str] = set()
        self.names: set[str] = set()
        self.own = hashlib.sha256()  # of one function's values; where they lie in ``bound``
        self.bound: list[int] = []
        self.inside: dict[int, Any] = {}  # what is there already; kept, so that ids stay theirs

    def add(self, *texts: str) -> None:
        self.bytes(*(text.encode("utf-8", "surrogatepass") for text in texts))

    def bytes(self, *texts: bytes) -> None:
        for text in texts:
            text = b"%d:%b" % (len(text), text)
            self.hash.update(text)
            self.own.update(text)

    def text(self, value: Any) -> None:
        text = repr(value)
        if " at 0x" in text:
            raise NotFollowed(f"{text[:100]} is told by its address only")
        self.add(text)

    def has_reached(self, value: Any) -> bool:
        return id(value) in self.seen or id(value) in self.versioned

    def mark(self, value: Any) -> int:
        """A number for what was reached."""
        number = self.seen.setdefault(id(value), len(self.reached))
        if number == len(self.reached):
            self.reached.append(value)
        return number

    def follow(self) -> None:
        """Hash all that is reached, and the sources that it stands in."""
        applied: set[Extension] = set()
        while True:
            while self.todo:
                self.take(*self.todo.pop(0))
            closure = sources.closure(self.modules)
            found = [e for e in extensions.known() if e not in applied and e.applies(self)]
            inside = [e for e in found if e.module in closure]
            if not inside:
                break
            applied.update(inside)
            for extension in inside:
                for function in extension.functions:
                    self.function(function, True)
        for extension in found:
            if extension.is_named:
                raise NotFollowed(
                    f"{extension.module}, which it does not import, tells numba about "
                    f"{extension.name}"
                )
        closure |= sources.closure(self.extended(closure))
        for name, digest in sorted(closure.items()):
            self.add(name, digest)

    def extended(self, closure: Collection[str]) -> set[str]:
        """Other modules that told numba something that any code may use without naming it."""
        modules = {e.module for e in extensions.known() if e.is_of_numba}
        if not _first_extended:
            _first_extended.append(modules)
        for module in (modules - _first_extended[0]).difference(closure):
            raise NotFollowed(f"{module} has extended numba since the first kernel was compiled")
        return modules

    def function(self, function: FunctionType, in_host: bool) -> None:
        """Hash what a function's names stand for, and follow functions among it.

        ``in_host``: Python runs it while numba compiles, so that it may use anything.
        """
        if (id(function), in_host) in self.done:
            return
        self.mark(function)
        self.done.add((id(function), in_host))
        code, known = function.__code__, function.__globals__
        home = known.get("__name__", "")
        module = sys.modules.get(home)
        if module is None or vars(module) is not known:
            raise NotFollowed(f"{home}.{function.__qualname__} is in no imported module")
        if code.co_filename != getattr(module, "__file__", None):
            raise NotFollowed(f"{home}.{function.__qualname__} is not in the file of its module")
        self.modules.add(home)
        self.add(home, function.__qualname__, str(sources.source(module).place_of(code)))
        self.own, self.bound, self.inside = hashlib.sha256(), [], {}
        names = _names(code)
        self.names.update(names)
        self.value(function.__defaults__)
        self.value(function.__kwdefaults__ or (), names, True)
        for cell in function.__closure__ or ():
            self.value(cell.cell_contents, names, in_host)
        for name in names:
            value = known.get(name, vars(builtins).get(name))
            if value is None and in_host:  # it may be imported there
                value = sys.modules.get(name) or sys.modules.get(f"{module.__package__}.{name}")
            if value is not None or name in known:
                self.add(name)
                self.value(value, names, in_host)
        now = self.own.digest(), tuple(self.bound)
        if now != _first_seen.setdefault(function, now):
            raise NotFollowed(f"what {home}.{function.__qualname__} uses was changed meanwhile")

    def value(self, value: Any, names: Iterable[str] = (), in_host: bool = False) -> None:
        """Hash a value; what is no plain value is followed later."""
        kind = type(value)
        if isinstance(value, ModuleType):
            self.module(value, names, in_host)
            return
        self.add(kind.__qualname__)
        if isinstance(value, enum.Enum):
            self.add(value.name)
            self.value(value.value)
            self.later(kind, in_host)
        elif isinstance(value, _PLAIN):
            self.add(repr(value))
        elif isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
            array = np.asarray(value)
            self.add(repr(array.dtype), repr(array.shape), repr(array.flags.f_contiguous))
            self.bytes(array.tobytes())
        elif isinstance(value, (np.dtype, Type)):
            self.text(value)
        elif isinstance(value, (tuple, list)) or (in_host and isinstance(value, (dict, set))):
            if hasattr(kind, "_fields"):
                self.later(kind, in_host)
            self.items(value, names, in_host)
        else:
            self.later(value, in_host)

    def items(self, value: Any, names: Iterable[str], in_host: bool) -> None:
        if id(value) in self.inside:  # a list may hold itself
            return
        self.inside[id(value)] = value
        if isinstance(value, (set, frozenset)):
            value = sorted(value, key=repr)
        elif isinstance(value, dict):
            value = [part for item in value.items() for part in item]
        self.add(str(len(value)))
        for item in value:
            self.value(item, names, in_host)

    def module(self, module: ModuleType, names: Iterable[str], in_host: bool) -> None:
        """Hash whatever a module holds under one of the names."""
        home = module.__name__
        self.add(home)
        if id(module) in self.inside:
            return
        self.inside[id(module)] = module
        if is_versioned(home):
            self.parts(module, names, in_host)
            return
        if type(module) is not ModuleType or "__getattr__" in vars(module):
            raise NotFollowed(f"{home} makes up attributes when it is asked for them")
        self.modules.add(home)
        for name in names:
            if name in vars(module):
                self.add(name)
                self.value(vars(module)[name], names, in_host)

    def parts(self, module: ModuleType, names: Iterable[str], in_host: bool) -> None:
        """Reach what a versioned module holds under one of the names, without a hash of it.

        Its version tells what it is, and which of its parts were imported must not count.
        """
        for name in names:
            value = vars(module).get(name)
            if isinstance(value, ModuleType) and not is_versioned(value.__name__):
                self.module(value, names, in_host)
            elif isinstance(value, ModuleType) and id(value) not in self.inside:
                self.inside[id(value)] = value
                self.parts(value, names, in_host)
            elif callable(value):
                self.versioned[id(value)] = value

    def later(self, value: Any, in_host: bool) -> None:
        """Hash which thing it is; what it is made of, when the function in hand is done."""
        self.add(str(getattr(value, "__module__", "")), str(getattr(value, "__qualname__", "")))
        self.bound.append(id(value))
        self.hash.update(b"#%d" % self.mark(value))
        if (id(value), in_host) not in self.done:
            self.done.add((id(value), in_host))
            self.todo.append((value, in_host))

    def take(self, value: Any, in_host: bool) -> None:
        """Follow what is no plain value."""
        inner: Any = value  # numba's classes do not declare all that they have
        if find := getattr(value, "find_kernel", None):
            for rules_class in self.classes:
                found = find(rules_class)
                if found is not None:  # the stub compiles the Python function
                    self.function(getattr(found, "py_func", found), False)
        elif isinstance(value, Dispatcher):
            if type(inner._cache) is FunctionCache and not value.overloads:
                take_over(value)
            _refuse_numbas_cache(value, inner._cache)
            self.text(sorted(value.targetoptions.items()))
            self.text(value.locals)
            if not inner._can_compile:
                self.text(list(value.overloads))
            self.function(value.py_func, False)
        elif isinstance(value, DUFunc):
            _refuse_numbas_cache(value, inner._dispatcher.cache)
            self.function(inner._dispatcher.py_func, False)
        elif isinstance(value, GUFunc):
            _refuse_numbas_cache(value, inner.gufunc_builder.nb_func.cache)
            self.function(inner.gufunc_builder.py_func, False)
        elif isinstance(value, StencilFunc):
            self.text(sorted(value.options.items()))
            self.function(value.kernel_ir.func_id.func, False)
        elif isinstance(value, _Intrinsic):
            self.function(value._defn, True)
        elif isinstance(value, JitClassType):
            self.jitclass(value)
        elif is_versioned(str(getattr(value, "__module__", None) or type(value).__module__)):
            if in_host and not callable(value):
                raise NotFollowed(f"a {type(value).__name__} is used while numba compiles")
        elif isinstance(value, type):
            self.type(value, in_host)
        elif isinstance(value, FunctionType):
            if in_host or extensions.has(value):
                self.function(value, in_host)
        elif in_host or _is_typed(value):
            raise NotFollowed(f"it uses a {type(value).__module__}.{type(value).__qualname__}")

    def jitclass(self, kind: Any) -> None:
        made = kind.class_type.instance_type
        self.modules.add(kind.__module__)
        self.text(list(made.struct.items()))
        for methods in (made.jit_methods, made.jit_props, made.jit_static_methods):
            for name, method in sorted(methods.items()):
                self.add(name)
                self.value(method, (), True)

    def type(self, kind: type, in_host: bool) -> None:
        if issubclass(kind, enum.Enum):
            self.value(list(kind))
        elif hasattr(kind, "_fields"):
            self.value(kind._fields)
            self.value(list(getattr(kind, "_field_defaults", {}).items()))
        elif not (in_host or issubclass(kind, (BaseException, Type)) or extensions.has(kind)):
            return
        self.modules.add(kind.__module__)


def _refuse_numbas_cache(value: Any, cache: Any) -> None:
    """numba looks at the file alone that a function of its own cache stands in."""
    if type(cache) is FunctionCache:
        raise NotFollowed(f"numba keeps {value.__module__}.{value.__name__} by its file alone")


def _is_typed(value: Any) -> bool:
    """Whether numba can compile a global of this value into a function."""
    try:
        cpu_target.typing_context.resolve_value_type(value)
    except Exception:  # of many kinds
        return False
    return True


_codes: dict[CodeType, tuple[str, ...]] = {}


def _names(code: CodeType) -> tuple[str, ...]:
    """The names that a function looks up, functions inside it included."""
    if code not in _codes:
        inner = [name for c in code.co_consts if isinstance(c, CodeType) for name in _names(c)]
        _codes[code] = tuple(dict.fromkeys((*code.co_names, *inner)))
    return _codes[code]
