"""The empty cells of a board, listed eight at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from stratagym.envs.bits import ONE

_CLEAR = [[k for k in range(8) if not octet >> k & 1] for octet in range(256)]
_PLACES = np.array([sum(k << 8 * i for i, k in enumerate(clear)) for clear in _CLEAR], np.uint64)
"""Of every octet the places of its zeros, a byte each, the lowest first."""
_COUNTS = np.array([len(clear) for clear in _CLEAR], np.int64)
_EIGHT, _BYTE = np.uint64(8), np.uint64(255)


def _eight(typingctx, out, at, places, first):
    """``out[at + k] = first + byte k of places`` for all eight, as one vector."""
    if out != types.Array(types.int64, 1, "C"):
        return None
    bytes_, words = ir.VectorType(ir.IntType(8), 8), ir.VectorType(ir.IntType(64), 8)

    def codegen(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        blank, zero = ir.Constant(words, ir.Undefined), ir.Constant(ir.IntType(32), 0)
        one_first = builder.insert_element(blank, args[3], zero)
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), 8), [0] * 8)
        firsts = builder.shuffle_vector(one_first, blank, lanes)
        cells = builder.add(builder.zext(builder.bitcast(args[2], bytes_), words), firsts)
        place = builder.bitcast(builder.gep(array.data, [args[1]]), words.as_pointer())
        builder.store(cells, place, align=8)
        return context.get_dummy_value()

    return types.void(out, types.int64, types.uint64, types.int64), codegen


_write_eight: Any = intrinsic(_eight)


@njit(cache=True)
def list_clear(taken, cells, out):
    """Write the clear bits below ``cells`` of ``taken`` (uint64 words) into ``out``, ascending.

    What an octet writes too much the next one overwrites. Returns how many there are; ``out``
    (int64) holds at least ``cells``, beyond the count anything.
    """
    n = 0
    for word in range((cells + 63) >> 6):
        octets = taken[word]
        for first in range(64 * word, min(64 * word + 57, cells - 7), 8):
            octet = octets & _BYTE
            _write_eight(out, n, _PLACES[octet], first)
            n += _COUNTS[octet]
            octets >>= _EIGHT
    for cell in range(cells & ~7, cells):
        if not taken[cell >> 6] >> np.uint64(cell & 63) & ONE:
            out[n] = cell
            n += 1
    return n
