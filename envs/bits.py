"""What the bitboards of all games are made of: sets of squares as 64-bit numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

EMPTY, ONE = np.uint64(0), np.uint64(1)
FULL = np.uint64(2**64 - 1)


def _typed(function: Any) -> Any:
    """``intrinsic``, whose callers give no typing context; type checkers think they should."""
    return intrinsic(function)


def _unary(emit):
    """An intrinsic from uint64 to int64 of one machine instruction."""

    def typed(typingctx, board):
        def codegen(context, builder, signature, args):
            return emit(builder, args[0])

        return types.int64(types.uint64), codegen

    return intrinsic(typed)


_NOT_POISON = ir.Constant(ir.IntType(1), 0)

popcount = _unary(lambda builder, board: builder.ctpop(board))
lowest = _unary(lambda builder, board: builder.cttz(board, _NOT_POISON))
"""The lowest square of a set that is not empty."""
leading_zeros = _unary(lambda builder, board: builder.ctlz(board, _NOT_POISON))


@njit(cache=True)
def bit(square):
    """The set of one square."""
    return ONE << np.uint64(square)


BYTES = np.uint64(0x0101010101010101)
"""The lowest bit of each byte."""
_DIAGONAL, _SEVENS = np.uint64(0x8040201008040201), np.uint64(0x7F7F7F7F7F7F7F7F)


@njit(cache=True)
def spread(bits):
    """The lowest 8 bits of a set, one a byte."""
    one_each = (bits & np.uint64(255)) * BYTES & _DIAGONAL
    return (one_each + _SEVENS) >> np.uint64(7) & BYTES


@_typed
def holds_bytes(typingctx, array):
    """Whether ``store_word`` may write to an array: its numbers are bytes, row after row."""
    plain = array.dtype in (types.int8, types.uint8)
    answer = ir.Constant(ir.IntType(1), int(plain and array.layout == "C"))
    return types.boolean(array), lambda context, builder, signature, args: answer


@_typed
def store_word(typingctx, array, at, word):
    """Write the 8 bytes of a uint64, lowest first, at byte ``at`` of a contiguous array's data.

    For planes of many small numbers, which cost more to write one by one than to work out.
    """

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        data = builder.bitcast(data, ir.IntType(8).as_pointer())
        place = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(64).as_pointer())
        builder.store(args[2], place, align=1)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64), codegen


@_typed
def load_word(typingctx, array, at):
    """The 8 bytes from byte ``at`` of a contiguous array's data on, as a uint64, lowest first."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        data = builder.bitcast(data, ir.IntType(8).as_pointer())
        place = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(64).as_pointer())
        return builder.load(place, align=1)

    return types.uint64(array, types.int64), codegen
