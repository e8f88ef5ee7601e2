"""Compiled functions that only other kernels call.

numba optimises every function that it compiles and makes machine code of it. A kernel that calls
the function links its code in and optimises all of it once more, so that what stands at the end of
a chain of calls is optimised once for every function in the chain. Here, only kernels that Python
calls are optimised and made into machine code, each together with all that it calls. A function
that kernels call stays as numba lowered it, unless it is small: LLVM decides by a function's size
whether to inline it, and sees the size of a small one only after optimising it.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core import compiler
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.environment import lookup_environment

_MARK = "callee"
_ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names of global variables begin that hold a function's environment."""
SMALL = 8192
"""Bytes of bitcode up to which a function is optimised by itself."""


class CalleeLibrary(JITCodeLibrary):
    """Code that kernels link in and nothing else calls.

    A function that calls itself needs an address, so it becomes machine code like any other.
    """

    @property
    def is_recursive(self) -> bool:
        module = self._final_module
        return any(one.name.startswith(RuntimeLinker.PREFIX) for one in module.global_variables)

    def load(self, bitcode: bytes) -> None:
        """Take what ``serialize_using_bitcode`` gave."""
        self._final_module = llvm.parse_bitcode(bitcode)
        self._finalize_final_module()

    def get_pointer_to_function(self, name: str) -> int:
        return super().get_pointer_to_function(name) if self.is_recursive else 0

    def _optimize_final_module(self) -> None:
        if len(self._final_module.as_bitcode()) <= SMALL or self.is_recursive:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if self.is_recursive:
            super()._finalize_final_module()
            return
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


def compile_callee(function: Any, args: Any, return_type: Any) -> Any:
    """Compile a function for kernels alone.

    Args:
        function: numba's dispatcher. args, return_type: numba's types; a return type of None is
            inferred.

    Returns:
        A ``CompileResult``. Its entry point is no address; by it numba's calls find the code.

    Raises:
        TypingError: as in numba.
    """
    maker = function._compiler
    context = maker.targetdescr.target_context
    flags: Any = compiler.Flags()
    maker.targetdescr.options.parse_as_flags(flags, maker.targetoptions)
    flags.no_cpython_wrapper = flags.no_compile = True
    library = CalleeLibrary(context.codegen(), function.py_func.__qualname__)
    library.enable_object_caching()
    compiled = compiler.compile_extra(
        maker.targetdescr.typing_context, context, maker._get_implementation(args, {}),
        args=args, return_type=return_type, flags=flags, locals=maker.locals,
        library=library, pipeline_class=maker.pipeline_class,
    )  # fmt: skip
    if compiled.typing_error is not None:
        raise compiled.typing_error
    library._ensure_finalized()
    compiled = compiled._replace(entry_point=object())
    context.insert_user_function(compiled.entry_point, compiled.fndesc, [library])
    if library.is_recursive:
        set_environments(compiled)
    return compiled


def set_environments(compiled: Any) -> None:
    """Tell machine code where the environments are of all functions that were linked into it."""
    for one in compiled.library._final_module.global_variables:
        if one.name.startswith(_ENVIRONMENT):
            environment = lookup_environment(one.name)
            if environment is not None:
                compiled.codegen.set_env(one.name, environment)


def reduced(compiled: Any) -> tuple[Any, ...] | None:
    """What of a callee pickles; None if it is none, or recursive."""
    library = compiled.library
    if not isinstance(library, CalleeLibrary) or library.is_recursive:
        return None
    compiled.fndesc.typemap = compiled.fndesc.calltypes = None
    name, _, bitcode = library.serialize_using_bitcode()
    environments = tuple(compiled._find_referenced_environments())
    rest = compiled.signature, str(compiled.type_annotation), compiled.reload_init, environments
    return _MARK, name, bitcode, compiled.fndesc, compiled.environment, *rest


def rebuilt(context: Any, data: Any) -> Any:
    """A callee from what ``reduced`` gave; None if the data are something else's."""
    if data[0] != _MARK:
        return None
    _, name, bitcode, fndesc, environment, signature, annotation, reload_init, environments = data
    for begin in reload_init:
        begin()
    library = CalleeLibrary(context.codegen(), name)
    library.load(bitcode)
    result: Any = compiler.CompileResult  # its fields are unknown to type checkers
    return result(
        target_context=context, typing_context=context.typing_context, library=library,
        environment=environment, entry_point=object(), fndesc=fndesc, type_annotation=annotation,
        signature=signature, objectmode=False, lifted=(), typing_error=None, call_helper=None,
        metadata=None, reload_init=reload_init, referenced_envs=environments,
    )  # fmt: skip
