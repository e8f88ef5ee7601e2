"""Compiled functions that only other kernels call.

numba optimises every function that it compiles and makes machine code of it. A kernel that calls
the function links its code in, optimises all of it once more and makes machine code of it again, so
that what stands at the end of a chain of calls is optimised for every function in the chain. Here,
a function that kernels call is optimised alone. If it is small, kernels link it in, so that LLVM
may inline it, and it is no machine code of its own. If it is too large to be inlined, it becomes
machine code once, and kernels call it there: it *stands alone*. numba's engine finds its address by
its name, so what stands alone has to be loaded before what calls it.
"""

from __future__ import annotations

import itertools
from typing import Any

import llvmlite.binding as llvm
from numba.core import compiler
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.environment import lookup_environment

_MARK = "callee"
_ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names of global variables begin that hold a function's environment."""
_DYNAMIC = "numba.dynamic.globals"
"""How the names of global variables begin that hold addresses of this process."""
INLINED = 200
"""Instructions up to which a function may be inlined.

LLVM inlines about 50, more where a call has constants. From 100 to 500 nothing changes much; at
1,500, compiling Hanabi takes half as long again.
"""


class CalleeLibrary(JITCodeLibrary):
    """Code that kernels link in or call, and Python does not.

    A function that calls itself needs an address, so it becomes machine code as well as being
    linked in.

    Attributes:
        main: LLVM's name of the function that others call; set before the library is finalized.
        stands_alone: whether it is machine code that is not linked in.
        machine_code: the object file of what stands alone.
        known_code: bitcode that callers link in, to be optimised by (``_for_callers``).
        callees: what else stands alone and is called by it.
        environments: numba's environments of all functions in it.
    """

    main = ""
    stands_alone = False
    callees: tuple[CalleeLibrary, ...] = ()
    environments: tuple[Any, ...] = ()
    machine_code = known_code = b""

    @property
    def is_recursive(self) -> bool:
        return self._has_variable(RuntimeLinker.PREFIX)

    def _has_variable(self, prefix: str) -> bool:
        return any(one.name.startswith(prefix) for one in self._final_module.global_variables)

    def load(self, bitcode: bytes) -> None:
        """Take the code of what is linked in."""
        self._final_module = llvm.parse_bitcode(bitcode)
        self._finalize_final_module()

    def load_machine_code(self, machine_code: bytes) -> None:
        """Take the code of what stands alone; the other attributes are set before."""
        self.stands_alone, self.machine_code = True, machine_code
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()
        for environment in self.environments:
            self.codegen.set_env(environment.env_name, environment)

    def get_pointer_to_function(self, name: str) -> int:
        return super().get_pointer_to_function(name) if self.is_recursive else 0

    def _get_module_for_linking(self) -> Any:
        if self.stands_alone and self._shared_module is None:
            self._shared_module = llvm.parse_bitcode(self.known_code)
        return super()._get_module_for_linking()

    def _optimize_final_module(self) -> None:
        super()._optimize_final_module()
        if not self.is_recursive and not self._has_variable(_DYNAMIC):
            blocks = self._final_module.get_function(self.main).blocks
            instructions = itertools.chain.from_iterable(one.instructions for one in blocks)
            self.stands_alone = any(itertools.islice(instructions, INLINED, INLINED + 1))
        if self.stands_alone:  # what is linked in is optimised with its callers once more, too
            super()._optimize_final_module()
            self.known_code = _for_callers(self._final_module)

    def _finalize_final_module(self) -> None:
        if self.is_recursive or self.stands_alone:
            super()._finalize_final_module()
        else:
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True
        if self.stands_alone:
            self.machine_code = self.machine_code or self._get_compiled_object()
            self.callees = self.callees or called(self._final_module)
            _STANDING[self.main] = self


def _for_callers(module: Any) -> bytes:
    """Bitcode of functions as LLVM knows them, for it to optimise their callers by.

    It neither inlines, optimises nor emits them. Where callers had no more than the functions'
    names, games of the elemental duel were a tenth slower.
    """
    module = module.clone()
    for one in module.functions:
        if not one.is_declaration:
            one.linkage = "available_externally"
            one.add_function_attribute("noinline")
            one.add_function_attribute("optnone")
    return bytes(module.as_bitcode())


_STANDING: dict[str, CalleeLibrary] = {}
"""What stands alone in this process, by ``main``; numba's engine keeps it to the end as well."""


def called(module: Any) -> tuple[CalleeLibrary, ...]:
    """What stands alone and is called by the code of an LLVM module itself."""
    names = (one.name for one in module.functions)
    return tuple(_STANDING[name] for name in names if name in _STANDING)


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
    library.main = compiled.fndesc.llvm_func_name
    library._ensure_finalized()
    compiled = compiled._replace(entry_point=object())
    context.insert_user_function(compiled.entry_point, compiled.fndesc, [library])
    if library.is_recursive or library.stands_alone:
        set_environments(compiled)
    if library.stands_alone:
        library.environments = tuple(compiled._find_referenced_environments())
    return compiled


def set_environments(compiled: Any) -> None:
    """Tell machine code where the environments are of all functions that were linked into it."""
    for one in compiled.library._final_module.global_variables:
        if one.name.startswith(_ENVIRONMENT):
            environment = lookup_environment(one.name)
            if environment is not None:
                compiled.codegen.set_env(one.name, environment)


def reduced(compiled: Any) -> tuple[Any, ...] | None:
    """What of a callee pickles, beside ``standing``; None if it is none, or recursive."""
    library = compiled.library
    if not isinstance(library, CalleeLibrary) or library.is_recursive:
        return None
    compiled.fndesc.typemap = compiled.fndesc.calltypes = None
    bitcode = b"" if library.stands_alone else library._final_module.as_bitcode()
    environments = tuple(compiled._find_referenced_environments())
    rest = compiled.signature, str(compiled.type_annotation), compiled.reload_init, environments
    return _MARK, library.name, bitcode, compiled.fndesc, compiled.environment, *rest


def rebuilt(context: Any, data: Any) -> Any:
    """A callee from what ``reduced`` gave; None if the data are something else's."""
    if data[0] != _MARK:
        return None
    _, name, bitcode, fndesc, environment, signature, annotation, reload_init, environments = data
    for begin in reload_init:
        begin()
    if bitcode:
        library = CalleeLibrary(context.codegen(), name)
        library.load(bitcode)
    else:
        library = _STANDING[fndesc.llvm_func_name]
    result: Any = compiler.CompileResult  # its fields are unknown to type checkers
    return result(
        target_context=context, typing_context=context.typing_context, library=library,
        environment=environment, entry_point=object(), fndesc=fndesc, type_annotation=annotation,
        signature=signature, objectmode=False, lifted=(), typing_error=None, call_helper=None,
        metadata=None, reload_init=reload_init, referenced_envs=environments,
    )  # fmt: skip


def standing(library: Any) -> list[tuple[Any, ...]]:
    """What pickles of all that stands alone in or below a library, callees first."""
    found: dict[str, tuple[Any, ...]] = {}

    def look(callees: tuple[CalleeLibrary, ...]) -> None:
        for one in callees:
            if one.main not in found:
                look(one.callees)
                names = tuple(callee.main for callee in one.callees)
                codes = one.machine_code, one.known_code
                found[one.main] = one.main, one.name, *codes, one.environments, names

    look((library,) if getattr(library, "stands_alone", False) else called(library._final_module))
    return list(found.values())


def load(codegen: Any, data: list[tuple[Any, ...]]) -> None:
    """Take what ``standing`` gave, but for what is there."""
    for main, name, machine_code, known_code, environments, names in data:
        if main not in _STANDING:
            library = CalleeLibrary(codegen, name)
            library.main, library.environments = main, environments
            library.known_code = known_code
            library.callees = tuple(_STANDING[callee] for callee in names)
            library.load_machine_code(machine_code)
