"""Where compiled kernels are kept between processes.

numba's on-disk cache looks only at the file a function stands in: when another file that was
compiled into it changes, it answers with the old code (numba issue 1833). And its index of a
function names the classes of every signature, so that one game which cannot be imported makes the
function's whole cache unreadable. So our functions, and those of other packages' games, have a
cache of their own: one file for each function and signature, named by a hash of all that was
compiled into it (``stamps``), in a folder for each package and game. Everybody else's
``njit(cache=True)`` keeps numba's.

A file is never changed, only replaced whole, so that any number of processes share them; of those
that want the same one at once, one compiles it (``cache_locks``).
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import importlib
import itertools
import os
import pickle
import platform
import secrets
import sys
import time
import warnings
from collections.abc import Iterator
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite.binding import llvm_version_info
from numba.core import entrypoints, event, sigutils, types
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.errors import TypingError
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.targetconfig import TargetConfig
from numba.np import linalg
from numba.np.ufunc.ufuncbuilder import UFuncDispatcher

from stratagym.envs import cache_locks, callees, sources, stamps
from stratagym.envs.cache_directory import directory, prune, read_own, write_own
from stratagym.envs.sources import NotFollowed, holds_games, is_versioned

_OURS = __name__.partition(".")[0]
_COMMON = "common"
_LAYOUT = "callees first"
"""Of a file; another layout has another name here, and so other files."""
_FRESH = 24 * 3600.0
"""Seconds for which a file counts as just used."""


def configure() -> None:
    """Give the functions of this package, from now on, their own cache; call it once."""
    numbas, numbas_of_ufuncs = Dispatcher.enable_caching, UFuncDispatcher.enable_caching

    @functools.wraps(numbas)
    def enable_caching(self: Any) -> None:
        module = self.py_func.__module__
        if holds_games(module):
            _give_cache(self)
        else:
            numbas(self)
        if module.partition(".")[0] == _OURS:
            # None of ours is called from C, and the wrappers are a tenth of compiling.
            self.targetoptions.setdefault("no_cfunc_wrapper", True)

    @functools.wraps(numbas_of_ufuncs)
    def enable_caching_of_ufuncs(self: Any) -> None:
        if not holds_games(self.py_func.__module__):  # else the kernels that call it are kept
            numbas_of_ufuncs(self)

    setattr(Dispatcher, "enable_caching", enable_caching)  # noqa: B010 - unknown to type checkers
    setattr(UFuncDispatcher, "enable_caching", enable_caching_of_ufuncs)  # noqa: B010
    stamps.take_over = _give_cache
    _compare_flags_quickly()
    # numba counts functions from 1 and names their code by it. Closures of one function that were
    # compiled by two processes had one name, and who called both ran the same code twice.
    setattr(FunctionIdentity, "_unique_ids", itertools.count(secrets.randbits(48)))  # noqa: B010
    event.register("numba:compile", _ANNOUNCE)
    event.register("numba:compile", _LetGo())
    event.register("numba:compile", _NoGarbage())


def _compare_flags_quickly() -> None:
    """Compare flags by those that are set, and hash their names once.

    numba lists all forty of both sides, and their names for the hash, whenever it looks for an
    overload: a twelfth of the time to compile Hanabi.
    """
    compared = TargetConfig.__eq__
    hashes: dict[type, int] = {}

    def equal(self: Any, other: Any) -> Any:
        if type(self) is not type(other):
            return compared(self, other)
        mine, others = self._values, other._values
        if mine == others:
            return True
        return all(getattr(self, name) == getattr(other, name) for name in mine.keys() | others)

    def hashed(self: Any) -> int:
        kind = type(self)
        if kind not in hashes:
            hashes[kind] = hash(tuple(sorted(kind.options)))
        return hashes[kind]

    setattr(TargetConfig, "__eq__", equal)  # noqa: B010 - as above
    setattr(TargetConfig, "__hash__", hashed)  # noqa: B010


def _give_cache(function: Any) -> None:
    """Give a function the cache below, and compile it for kernels only with what these need.

    numba compiles a function anew for every constant among the arguments of a call, such as
    ``works(s, f, SHIELD)``; LLVM puts constants into what it inlines all the same. And it makes
    machine code of each, with a wrapper for callers in Python. What only kernels have called has
    neither (``callees``); it is compiled again, with both, at its first call from Python.
    """
    numbas = SimpleNamespace(
        get_call_template=function.get_call_template,
        compile=function.compile,
        add_overload=function.add_overload,
        compile_core=function._compiler._compile_core,
    )
    cache = function._cache = KernelCache(function)

    def get_call_template(args: Any, kws: Any) -> Any:
        plain = tuple(map(types.unliteral, args)), {k: types.unliteral(v) for k, v in kws.items()}
        with cache.for_kernels():
            try:
                return numbas.get_call_template(*plain)
            except TypingError:
                if plain == (args, kws):
                    raise
                # It needs the constant, to choose a field of a tuple by.
                return numbas.get_call_template(args, kws)

    def compile(sig: Any) -> Any:
        with global_compiler_lock:
            if not cache.is_for_kernels:
                args = tuple(sigutils.normalize_signature(sig)[0])
                if args in function.overloads and not _has_wrapper(function.overloads[args]):
                    del function.overloads[args]
            return numbas.compile(sig)

    def add_overload(compiled: Any) -> None:
        if _has_wrapper(compiled):
            numbas.add_overload(compiled)
        else:  # no call from Python may find it
            function.overloads[tuple(compiled.signature.args)] = compiled

    def compile_core(args: Any, return_type: Any) -> Any:
        if cache.is_for_kernels:
            return callees.compile_callee(function, args, return_type)
        compiled = numbas.compile_core(args, return_type)
        callees.set_environments(compiled)
        return compiled

    function.get_call_template, function.compile = get_call_template, compile
    function.add_overload, function._compiler._compile_core = add_overload, compile_core


def _has_wrapper(compiled: Any) -> bool:
    """Whether Python can call what was compiled."""
    name = compiled.fndesc.llvm_cpython_wrapper_name
    return bool(compiled.objectmode or compiled.library.get_pointer_to_function(name))


def adopt(package: str) -> None:
    """Give the functions of a top-level package that holds a game this cache too.

    A package that the entry points ``stratagym.games`` name needs no call.
    """
    sources.adopt(package)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == package:
            functions: list[Any] = [v for v in vars(module).values() if isinstance(v, Dispatcher)]
            for function in functions:
                if type(function._cache) is FunctionCache:
                    _give_cache(function)


# --- a function's cache --------------------------------------------------------------------------


class _Reduce(CompileResultCacheImpl):
    """What pickles of compiled code: what it calls, then numba's way or callees'; no place."""

    def __init__(self, function: Any) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = SimpleNamespace(_py_file=function.__code__.co_filename)

    def reduce(self, compiled: Any) -> Any:
        code = callees.reduced(compiled) or super().reduce(compiled)
        return callees.standing(compiled.library), code

    def rebuild(self, target_context: Any, data: Any) -> Any:
        standing, code = data
        callees.load(target_context.codegen(), standing)
        found = callees.rebuilt(target_context, code)
        return super().rebuild(target_context, code) if found is None else found


class KernelCache(FunctionCache):
    """Loads and saves the compiled code of one function.

    Attributes:
        is_for_kernels: whether what is compiled now is called by another kernel (``callees``).
    """

    def __init__(self, dispatcher: Any) -> None:
        function = dispatcher.py_func
        self._py_func, self._name = function, repr(function)
        self._options = dispatcher.targetoptions
        self._impl = _Reduce(function)
        self._looked: dict[Any, Path] = {}
        self._held: set[int] = set()
        self.is_for_kernels = False
        self.enable()

    @contextlib.contextmanager
    def for_kernels(self) -> Iterator[None]:
        """While it is compiled for another kernel, under numba's lock."""
        before, self.is_for_kernels = self.is_for_kernels, True
        try:
            yield
        finally:
            self.is_for_kernels = before

    @property
    def cache_path(self) -> str:
        return str(directory())

    def flush(self) -> None:
        """Nothing: what is stale is not found."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        _prepare_to_run(target_context)
        paths = self._paths(sig, target_context.codegen())
        if paths is None:
            self._looked.pop(sig, None)
            return None
        path = self._looked[sig] = paths[self.is_for_kernels]
        compiled = self._load(path, target_context)
        if compiled is None and self.is_for_kernels:  # what has a wrapper does as well
            compiled = self._load(paths[False], target_context)
        if compiled is None:
            name = path.parent.name if path.parent.name != _COMMON else self._py_func.__name__
            lock = int(path.name[-15:], 16)
            self._held.add(lock)
            if cache_locks.hold(directory(), lock, lambda: _ANNOUNCE.waiting_for(name)):
                compiled = self._load(path, target_context)
                _ANNOUNCE.clear()
            if compiled is not None:
                self.let_go()
        return compiled

    def let_go(self) -> None:
        """Let other processes compile what this one has compiled, or could not."""
        while self._held:
            cache_locks.release(directory(), self._held.pop())

    def _load(self, path: Path, target_context: Any) -> Any:
        try:
            data = read_own(path)
        except OSError:  # not there, or torn, or another's: it is made anew and replaced
            return None
        try:
            compiled = self._impl.rebuild(target_context, pickle.loads(data))
        except Exception as error:
            warnings.warn(f"{path} cannot be used ({error!r}); compiling again", stacklevel=2)
            return None
        with contextlib.suppress(OSError):  # only the order in which old files go
            if time.time() - path.stat().st_mtime > _FRESH:
                os.utime(path)
        return compiled

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self._save(sig, data)
        finally:
            self.let_go()

    def _save(self, sig: Any, data: Any) -> None:
        path = self._looked.get(sig)
        if path is None or not self._impl.check_cachable(data):
            return
        now = self._paths(sig, data.codegen)
        if now is None:
            return
        if now[self.is_for_kernels] != path:
            _say_not_kept(self._py_func, "what it uses was changed while it was compiled")
            return
        try:
            write_own(path, dumps(self._impl.reduce(data)))
            _prune_once()
        except OSError as error:
            _warn_once(f"compiled kernels cannot be kept in {directory()}: {error}")

    def _paths(self, sig: Any, codegen: Any) -> tuple[Path, Path] | None:
        """The files for a signature as things stand, with a wrapper and without.

        None if it cannot be kept; that is said.
        """
        if not self._enabled:
            return None
        try:
            return self._find_paths(sig, codegen)
        except NotFollowed as error:
            _say_not_kept(self._py_func, str(error))
            return None

    def _find_paths(self, sig: Any, codegen: Any) -> tuple[Path, Path]:
        args, returned = sigutils.normalize_signature(sig)
        described = _Described()
        text = "\n".join(map(described.text, (*args, returned)))
        function = self._py_func
        others = (*described.functions, *described.others)
        stamp = stamps.stamp(function, self._options, described.classes, others)
        key = repr((_versions(), codegen.magic_tuple(), _settings(), text)).encode()
        name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        name = "".join(c if c.isalnum() or c in "._" else "-" for c in name)[:80]
        package, game = _place(function.__module__, described.classes)
        with_wrapper, without = (
            directory() / package / game / f"{name}-{hashlib.sha256(made).hexdigest()[:32]}"
            for made in (key + stamp, key + stamp + b"called by kernels")
        )
        return with_wrapper, without


def _prepare_to_run(target_context: Any) -> None:
    """Let numba run code that is kept; before it compiles, it prepares the rest itself.

    All that it knows of types and functions takes more than half as long to load as its import.
    Kept code needs its runtime, and what extensions of other packages define.
    """
    _import_array_functions()
    rtsys.initialize(target_context)
    entrypoints.init_all()


@functools.cache
def _import_array_functions() -> None:
    """Import numba's array functions without scipy.linalg.

    They import it only to learn whether it is there, and it takes a fifth of the time until a game
    is made from kernels that are kept. What multiplies matrices in a kernel imports it itself.
    """
    asked, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = asked


@functools.cache
def _versions() -> tuple[Any, ...]:
    """What compiled code depends on besides sources and values."""
    ours = numba.__version__, llvmlite.__version__, llvm_version_info, np.__version__
    flags = sys.flags.optimize, getattr(sys, "abiflags", "")
    return _LAYOUT, *ours, platform.python_implementation(), platform.python_version(), *flags


_HARMLESS = (
    "CACHE_", "CHROME_TRACE", "COLOR_SCHEME", "CUDA_", "DEBUG_CACHE", "DISABLE_CUDA",
    "DISABLE_PERFORMANCE_WARNINGS", "DUMP_", "ENABLE_CUDASIM", "FORCE_CUDA_CC",
    "FUNCTION_CACHE_SIZE", "GDB_BINARY", "HIGHLIGHT_DUMPS", "HTML", "NUMBA_", "SHOW_HELP",
    "THREADING_LAYER",
)  # fmt: skip
"""How those of numba's settings begin that change no code: where things lie, what is shown."""


def _settings() -> list[tuple[str, str]]:
    """numba's settings that may change code."""
    config = vars(numba.config)
    names = sorted(name for name in config if name.isupper() and not name.startswith(_HARMLESS))
    return [(name, str(config[name])) for name in names]


class _Described:
    """Texts of numba types that are the same in every process, and what the types stand for."""

    def __init__(self) -> None:
        self.classes: list[type] = []
        self.others: list[type] = []
        self.functions: list[Any] = []

    def text(self, kind: Any) -> str:
        """Raises ``NotFollowed`` where a type is not told the same in every process."""
        if isinstance(kind, types.Dispatcher):
            self.functions.append(kind.dispatcher)
            return f"function {kind.dispatcher.__module__}.{kind.dispatcher.__qualname__}"
        if isinstance(kind, types.Omitted):
            return f"omitted {kind.value!r}"
        if isinstance(kind, types.Type):
            self.told_by(type(kind))
            if isinstance(kind, (types.ClassInstanceType, types.ClassType)):
                raise NotFollowed(f"numba tells {kind.name} by its address")
            return _without_address(f"{type(kind).__name__} {kind.name} {self.text(kind.key)}")
        if isinstance(kind, tuple):
            return f"({', '.join(map(self.text, kind))})"
        if isinstance(kind, type):
            if issubclass(kind, tuple) and hasattr(kind, "_fields"):
                self.classes.append(kind)
            self.told_by(kind)
            return f"{kind.__module__}.{kind.__qualname__}"
        return _without_address(repr(kind))

    def told_by(self, kind: type) -> None:
        """Note a class that another process has to find by its name."""
        if is_versioned(kind.__module__) or kind in self.others:
            return
        module = sys.modules.get(kind.__module__)
        if kind.__module__ == "__main__" or getattr(module, kind.__qualname__, None) is not kind:
            raise NotFollowed(f"no other process can import {kind.__module__}.{kind.__qualname__}")
        self.others.append(kind)


def _without_address(text: str) -> str:
    if " at 0x" in text:
        raise NotFollowed(f"numba tells {text[:100]} by its address")
    return text


def game_of(kind: type) -> tuple[str, str] | None:
    """(top-level package, game) if a class is a game's ``Rules``, else None."""
    module = sys.modules[kind.__module__]
    if not (hasattr(module, "reset") and hasattr(module, "legal_actions")):
        return None
    parts = module.__name__.split(".")
    return parts[0], parts[-2] if parts[-1] == "rules" and len(parts) > 1 else parts[-1]


def _place(module: str, classes: list[type]) -> tuple[str, str]:
    """(top-level package, game or ``common``) of a function for these classes: its folder."""
    for kind in classes:
        if game := game_of(kind):
            return game
    foreign = [kind.__module__ for kind in classes if kind.__module__.partition(".")[0] != _OURS]
    parts = (foreign[0] if foreign else module).split(".")
    if len(parts) < 4:
        return parts[0], _COMMON
    return parts[0], parts[3] if parts[2] == "games" else parts[2]


@functools.cache
def _prune_once() -> None:
    prune(directory())


@functools.cache
def _warn_once(message: str) -> None:
    warnings.warn(message, stacklevel=2)


_not_kept: set[str] = set()


def _say_not_kept(function: Any, reason: str) -> None:
    """Say, once for each reason, which function it was first."""
    if reason not in _not_kept:
        _not_kept.add(reason)
        name = f"{function.__module__}.{function.__qualname__}"
        said = f"stratagym: {name} is compiled for this process only: {reason}"
        print(said, file=sys.stderr, flush=True)


# --- saying so -----------------------------------------------------------------------------------


class _Announce(event.Listener):
    """Says on standard error which game is being compiled.

    On a terminal in one line, which is written anew and taken away at the end; elsewhere, and where
    something else has taken standard error over, once for each game.
    """

    EVERY = 0.2
    """Seconds between two such lines on a terminal."""

    def __init__(self) -> None:
        self.latest = ""
        self.functions: dict[str, int] = {}
        self.told: set[str] = set()
        self.depth = 0
        self.last = -inf

    def on_start(self, event: Any) -> None:
        self.depth += 1
        module = event.data["dispatcher"].py_func.__module__ or ""  # jitclass makes some up
        if not holds_games(module):
            return
        stamps.look(event.data["dispatcher"].py_func)
        described = _Described()
        with contextlib.suppress(NotFollowed):
            for kind in event.data["args"]:
                described.text(kind)
        package, game = _place(module, described.classes)
        if game != _COMMON:
            self.latest = game
        elif package != _OURS:
            self.latest = package
        name = self.latest
        if not name:  # a small one that all games share
            return
        self.functions[name] = n = self.functions.get(name, 0) + 1
        self._say(f"{name} for this machine (first use only)", f", {n} function{'s' * (n > 1)}")

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        self.clear()

    def clear(self) -> None:
        """Take away what stands on the terminal, unless there is more to come."""
        if self.depth == 0 and self.last > -inf:
            self.last = -inf
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def waiting_for(self, name: str) -> None:
        """Say that another process compiles what is needed."""
        self._say(f"{name} is another process' work now; waiting for it", "")

    def _say(self, what: str, so_far: str) -> None:
        line = f"stratagym: compiling {what}"
        if sys.stderr is sys.__stderr__ and sys.stderr is not None and sys.stderr.isatty():
            now = time.monotonic()
            if now - self.last >= self.EVERY:
                self.last = now
                print(f"\r{line}{so_far} ...\x1b[K", end="", file=sys.stderr, flush=True)
        elif sys.stderr is not None and line not in self.told:
            self.told.add(line)
            print(f"{line} ...", file=sys.stderr, flush=True)


_ANNOUNCE = _Announce()


class _LetGo(event.Listener):
    """Lets others compile what could not be compiled here: nothing is saved after a failure."""

    def on_start(self, event: Any) -> None:
        pass

    def on_end(self, event: Any) -> None:
        function = event.data["dispatcher"]
        # numba's own ``is_failed`` says the opposite of what it should.
        failed = tuple(event.data["args"]) not in function.overloads
        if failed and isinstance(function._cache, KernelCache):
            function._cache.let_go()


class _NoGarbage(event.Listener):
    """Stops the collector of garbage while a function is compiled.

    It looks through the objects that compiling makes, nearly all of which are needed to its end: a
    twelfth of the time in connect four, for 9 of 356 MB.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.was_enabled = False

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.was_enabled = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.was_enabled:
            gc.enable()
