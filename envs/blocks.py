"""What numba has to know of a state's block of bytes, so that Python passes nothing else.

Unpacking a record's array, a game's rules and a dtype costs more than most moves. A block is a
``bytearray``, of which compiled code gets the address by one call of Python's C interface; what
else it needs lies in there, or follows from the type. A copy of the bytes is a copy of the state.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.core.types import (
    Array,
    CPointer,
    Float,
    Record,
    Tuple,
    Type,
    UniTuple,
    float64,
    int8,
    int64,
    intp,
)
from numba.extending import (
    NativeValue,
    box,
    intrinsic,
    models,
    register_model,
    unbox,
)
from numba.np.arrayobj import make_array, populate_array

_POINTER, _INT64 = ir.IntType(8).as_pointer(), ir.IntType(64)


class Block(Type):
    """The numba type of a block: (type of the rules, of the record, of an observation)."""

    def __init__(self, rules: Type, record: Record, seen: Array):
        self.rules, self.record, self.seen = rules, record, seen
        super().__init__(name=f"Block({rules}, {record}, {seen})")

    @property
    def key(self) -> tuple[Type, ...]:
        return self.rules, self.record, self.seen

    @property
    def size(self) -> int:
        """Bytes of the record, up to where words may begin."""
        return -(-int(self.record.size) // 8) * 8


@register_model(Block)
class _BlockModel(models.OpaqueModel):
    pass


@unbox(Block)
def _unbox_block(kind: Any, block: Any, c: Any) -> NativeValue:
    signature = ir.FunctionType(_POINTER, [c.pyapi.pyobj])
    address = c.pyapi._get_function(signature, name="PyByteArray_AsString")
    return NativeValue(c.builder.call(address, [block]))


class Whole(Type):
    """The numba type of what may be a Python int: -1 stands for all else, and for beyond 64 bits.

    numba's own int64 takes True and 1.5 for ints, makes a new object of each and raises errors.
    """

    def __init__(self) -> None:
        super().__init__(name="Whole")


@register_model(Whole)
class _WholeModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, _INT64)


@unbox(Whole)
def _unbox_whole(kind: Any, number: Any, c: Any) -> NativeValue:
    builder, api = c.builder, c.pyapi
    found = cgutils.alloca_once_value(builder, ir.Constant(_INT64, -1))
    overflow = cgutils.alloca_once(builder, ir.IntType(32))
    given = api.get_type(number)  # not held, as Py_TYPE
    int_type = c.context.get_c_value(builder, api.pyobj.pointee, "PyLong_Type", dllimport=True)
    exact = builder.icmp_unsigned("==", given, int_type)
    with builder.if_then(exact, likely=True):
        signature = ir.FunctionType(_INT64, [api.pyobj, overflow.type])
        read = api._get_function(signature, name="PyLong_AsLongLongAndOverflow")
        builder.store(builder.call(read, [number, overflow]), found)
    return NativeValue(builder.load(found))


class Room(Type):
    """The numba type of an array to write to: the address of its first number, and no more."""

    def __init__(self) -> None:
        super().__init__(name="Room")


@register_model(Room)
class _RoomModel(models.OpaqueModel):
    pass


@unbox(Room)
def _unbox_room(kind: Any, array: Any, c: Any) -> NativeValue:
    # PyArray_DATA: the field behind those that every object has.
    place = c.builder.bitcast(array, _POINTER.as_pointer())
    field = c.builder.gep(place, [ir.Constant(_INT64, object.__basicsize__ // 8)])
    return NativeValue(c.builder.load(field))


class Bytes(Type):
    """The numba type of Python's ``bytes``: their address and their number."""

    def __init__(self) -> None:
        super().__init__(name="Bytes")


@register_model(Bytes)
class _BytesModel(models.StructModel):
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, [("first", CPointer(int8)), ("number", int64)])


@unbox(Bytes)
def _unbox_bytes(kind: Any, given: Any, c: Any) -> NativeValue:
    native = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    for field, result, name in (
        ("first", _POINTER, "PyBytes_AsString"),
        ("number", _INT64, "PyBytes_Size"),
    ):
        function = c.pyapi._get_function(ir.FunctionType(result, [c.pyapi.pyobj]), name=name)
        setattr(native, field, c.builder.call(function, [given]))
    return NativeValue(native._getvalue())


class Made(Type):
    """The numba type of a new Python object, for functions that return one."""

    def __init__(self) -> None:
        super().__init__(name="Made")


@register_model(Made)
class _MadeModel(models.OpaqueModel):
    pass


@box(Made)
def _box_made(kind: Any, made: Any, c: Any) -> Any:
    return made


def _typed_int(typingctx: Any, whole: Any) -> Any:
    """The int64 of a ``Whole``."""
    return int64(whole), lambda context, builder, signature, arguments: arguments[0]


def _typed_record(typingctx: Any, block: Any) -> Any:
    """The record of a block, as ``states[0]`` gives it."""

    def codegen(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(block.record))

    return block.record(block), codegen


def _typed_words(typingctx: Any, block: Any) -> Any:
    """A pointer to the words behind the record of a block."""
    words = CPointer(int64)

    def codegen(context, builder, signature, arguments):
        behind = builder.gep(arguments[0], [ir.Constant(_INT64, block.size)])
        return builder.bitcast(behind, context.get_value_type(words))

    return words(block), codegen


def _typed_bytes(typingctx: Any, given: Any) -> Any:
    """(pointer to the first of some bytes, how many there are)"""
    kind = Tuple((CPointer(int8), int64))

    def codegen(context, builder, signature, arguments):
        native = cgutils.create_struct_proxy(given)(context, builder, arguments[0])
        return context.make_tuple(builder, kind, [native.first, native.number])

    return kind(given), codegen


def _typed_words_at(typingctx: Any, address: Any) -> Any:
    """A pointer to the words at an address."""
    return _pointer_to(int64)


def _typed_floats_at(typingctx: Any, address: Any) -> Any:
    """A pointer to the floats at an address."""
    return _pointer_to(float64)


def _pointer_to(kind: Any) -> Any:
    pointer = CPointer(kind)

    def codegen(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(pointer))

    return pointer(int64), codegen


def _typed_numbers(typingctx: Any, block: Any, room: Any) -> Any:
    """A pointer to the first number of an observation."""
    numbers = CPointer(block.seen.dtype)

    def codegen(context, builder, signature, arguments):
        return builder.bitcast(arguments[1], context.get_value_type(numbers))

    return numbers(block, room), codegen


def _array_at(context: Any, builder: Any, kind: Array, address: Any, shape: list[Any]) -> Any:
    """A C-contiguous array at an address; who holds its memory is not numba's to know."""
    array = make_array(kind)(context, builder)
    itemsize = context.get_constant(intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [itemsize]
    for side in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], side))
    data = builder.inttoptr(address, array.data.type)
    populate_array(array, data, shape, strides[: kind.ndim], itemsize, meminfo=None)
    return array._getvalue()


def _typed_rules(typingctx: Any, block: Any, address: Any) -> Any:
    """The rules at an address, as ``rules_words`` has them."""

    def codegen(context, builder, signature, arguments):
        address = builder.inttoptr(arguments[1], _INT64.as_pointer())
        sizes = [1 + kind.ndim if isinstance(kind, Array) else 1 for kind in block.rules]
        places = [builder.gep(address, [ir.Constant(_INT64, k)]) for k in range(sum(sizes))]
        words = iter([builder.load(place) for place in places])
        values = []
        for kind in block.rules:
            word = next(words)
            if isinstance(kind, Array):
                shape = [next(words) for _ in range(kind.ndim)]
                values.append(_array_at(context, builder, kind, word, shape))
            elif isinstance(kind, Float):
                values.append(builder.bitcast(word, ir.DoubleType()))
            else:
                values.append(builder.trunc(word, context.get_value_type(kind)))
        return context.make_tuple(builder, block.rules, values)

    return block.rules(block, int64), codegen


def rules_words(rules: Any) -> np.ndarray:
    """Rules as words, int64: of a float its bits, of an array its address and its shape."""
    words: list[Any] = []
    for value in rules:
        if isinstance(value, np.ndarray):
            words += [value.ctypes.data, *value.shape]
        else:
            words.append(np.float64(value).view(np.int64) if isinstance(value, float) else value)
    return np.array(words, np.int64)


def _typed_shape(typingctx: Any, block: Any, address: Any) -> Any:
    """The shape of an observation at an address."""
    shape = UniTuple(int64, block.seen.ndim)

    def codegen(context, builder, signature, arguments):
        words = builder.inttoptr(arguments[1], _INT64.as_pointer())
        sides = [builder.gep(words, [ir.Constant(_INT64, k)]) for k in range(block.seen.ndim)]
        return context.make_tuple(builder, shape, [builder.load(side) for side in sides])

    return shape(block, int64), codegen


def _hold(api: Any, number: Any, item: Any) -> None:
    """Py_INCREF of the item that is a number."""
    builder = api.builder
    if sys.version_info >= (3, 12):
        counted = builder.icmp_signed(">", number, ir.Constant(_INT64, 256))  # others never die
        with builder.if_then(counted):
            function = ir.FunctionType(ir.VoidType(), [_POINTER])
            builder.call(api._get_function(function, name="Py_IncRef"), [item])
    else:  # a call would take longer than all the rest
        count = builder.bitcast(item, _INT64.as_pointer())
        builder.store(builder.add(builder.load(count), ir.Constant(_INT64, 1)), count)


def _typed_ints(typingctx: Any, numbers: Any, n: Any, table: Any) -> Any:
    """The list of the first ``n`` of the words at an address; None where ``n`` is below 0.

    Its items are those of a ``table`` of Python's ints, an address too: with them a list is made
    in half of the time that ``tolist`` takes.
    """

    def codegen(context, builder, signature, arguments):
        api, (start, length, objects) = context.get_python_api(builder), arguments
        result = cgutils.alloca_once_value(builder, api.get_null_object())
        with builder.if_else(builder.icmp_signed("<", length, length.type(0))) as (none, some):
            with none:
                builder.store(api.make_none(), result)
            with some:
                made = api.list_new(length)
                builder.store(made, result)
                start = builder.inttoptr(start, _INT64.as_pointer())
                objects = builder.inttoptr(objects, _POINTER.as_pointer())
                # PyList_SET_ITEM: the last two fields are the items and how many there is room for.
                field = ir.Constant(_INT64, list.__basicsize__ - 16)
                items = builder.gep(builder.bitcast(made, _POINTER), [field])
                items = builder.load(builder.bitcast(items, _POINTER.as_pointer().as_pointer()))
                with cgutils.for_range(builder, length) as loop:
                    number = builder.load(builder.gep(start, [loop.index]))
                    item = builder.load(builder.gep(objects, [number]))
                    _hold(api, number, item)
                    builder.store(item, builder.gep(items, [loop.index]))
        return builder.load(result)

    return Made()(int64, int64, int64), codegen


def _typed_floats(typingctx: Any, numbers: Any, n: Any) -> Any:
    """The list of the first ``n`` of the float64 at an address."""

    def codegen(context, builder, signature, arguments):
        api, (start, length) = context.get_python_api(builder), arguments
        made = api.list_new(length)
        start = builder.inttoptr(start, ir.DoubleType().as_pointer())
        with cgutils.for_range(builder, length) as loop:
            number = builder.load(builder.gep(start, [loop.index]))
            api.list_setitem(made, loop.index, api.float_from_double(number))
        return made

    return Made()(int64, int64), codegen


int_of: Any = intrinsic(_typed_int)
record_of: Any = intrinsic(_typed_record)
words_of: Any = intrinsic(_typed_words)
bytes_of: Any = intrinsic(_typed_bytes)
words_at: Any = intrinsic(_typed_words_at)
floats_at: Any = intrinsic(_typed_floats_at)
rules_at: Any = intrinsic(_typed_rules)
shape_at: Any = intrinsic(_typed_shape)
numbers_of: Any = intrinsic(_typed_numbers)
ints_of: Any = intrinsic(_typed_ints)
floats_of: Any = intrinsic(_typed_floats)
