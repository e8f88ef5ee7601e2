"""Spaces of actions that sample quickly under a mask, and are Gymnasium's in everything else.

``sample(mask)`` of Gymnasium's takes two to four times as long as a step of an environment: it
looks at the mask in half a dozen passes of numpy and draws through ``Generator.choice``. Here one
compiled call does it. The same seed gives the same draws.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space
from llvmlite import ir
from numba import carray, njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from stratagym.envs import blocks, core
from stratagym.envs.bits import BYTES, popcount

NOTHING, NO_MASK = -1, -2
"""What is drawn from a mask of zeros, and from what is no mask."""
_INT8 = np.dtype(np.int8)


def _typed_bits(typingctx: Any, function: Any, state: Any) -> Any:
    """32 random bits by the C function at an address, from the generator at another (NEP 19)."""
    byte_pointer = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.IntType(32), [byte_pointer]).as_pointer()

    def codegen(context, builder, signature, arguments):
        called, given = arguments
        return builder.call(builder.inttoptr(called, kind), [builder.inttoptr(given, byte_pointer)])

    return types.uint32(types.int64, types.int64), codegen


_bits: Any = intrinsic(_typed_bits)


@njit(cache=True)
def _draw(mask, function, state):
    """The index of one of the ones of a mask, all alike, or ``NOTHING`` or ``NO_MASK``.

    Bounded by Lemire's method ("Fast random integer generation in an interval", 2019), as
    ``Generator.choice`` is.
    """
    # Eight at a time: of thousands of actions, this is what takes the time.
    size, address = mask.shape[0], mask.ctypes.data
    whole = size // 8 if address % 8 == 0 else 0
    words = carray(blocks.words_at(address), whole).view(np.uint64)
    n, seen = 0, np.uint64(0)
    for k in range(whole):
        n += popcount(words[k])
        seen |= words[k]
    if seen & ~BYTES:
        return NO_MASK
    for k in range(8 * whole, size):
        n += mask[k]
        if mask[k] & ~1:
            return NO_MASK
    if n == 0:
        return NOTHING
    left, k = 0, 0
    if n > 1:
        product = np.int64(_bits(function, state)) * n
        while product & 0xFFFFFFFF < 2**32 % n:
            product = np.int64(_bits(function, state)) * n
        left = product >> 32
    while k < 8 * whole:
        here = popcount(words[k >> 3])
        if left < here:
            break
        left -= here
        k += 8
    while left >= mask[k]:
        left -= mask[k]
        k += 1
    return k


@cache
def _draw_directly() -> Callable[[np.ndarray, int, int], int]:
    return core.direct(_draw, np.zeros(1, np.int8), 0, 0)


class _Masked(gymnasium.Space[Any]):
    """A mixin: draws under masks, by the space's own generator."""

    _drawing: tuple[Any, ...] = (None,)

    def _drawn(self, mask: Any, n: Any) -> int:
        """An index of the (n,) int8 mask, or ``NOTHING`` or ``NO_MASK``."""
        if type(mask) is not np.ndarray or mask.dtype is not _INT8 or mask.ndim != 1:
            return NO_MASK
        if mask.size != n or mask.strides[0] != 1:
            return NO_MASK
        if self._drawing[0] is not self._np_random or self._np_random is None:
            self._bind()
        _, lock, draw, function, state = self._drawing
        with lock:
            return draw(mask, function, state)

    def _bind(self) -> None:
        """Find the C function of the generator, which is another one once it is seeded."""
        source = self.np_random.bit_generator
        function = ctypes.cast(source.ctypes.next_uint32, ctypes.c_void_p).value
        addresses = function, source.ctypes.state_address
        self._drawing = self.np_random, source.lock, _draw_directly(), *addresses

    def __getstate__(self) -> dict[str, Any]:
        # Addresses are this generator's: a copy finds those of its own.
        return {name: value for name, value in vars(self).items() if name != "_drawing"}


class Discrete(_Masked, gymnasium.spaces.Discrete):
    """``gymnasium.spaces.Discrete`` that draws from a mask by one compiled call."""

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        if mask is not None and probability is None:
            found = self._drawn(mask, self.n)
            if found >= 0:
                return self.start + self.dtype.type(found)
        return super().sample(mask, probability)


class MultiDiscrete(_Masked, gymnasium.spaces.MultiDiscrete):
    """``gymnasium.spaces.MultiDiscrete`` that draws from a tuple of masks likewise."""

    def sample(self, mask: Any = None, probability: Any = None) -> NDArray[np.int64]:
        if type(mask) is tuple and probability is None and self.nvec.shape == (len(mask),):
            found = np.array([*map(self._drawn, mask, self.nvec.tolist())], np.int64)
            if len(found) and found.min() > NO_MASK:
                return (np.maximum(found, 0) + self.start).astype(self.dtype)
        return super().sample(mask, probability)


@batch_space.register(Discrete)
def _batched(space: Discrete, n: int = 1) -> MultiDiscrete:
    """What ``gymnasium.vector`` makes of n spaces, of the class above."""
    plain: Any = batch_space.dispatch(gymnasium.spaces.Discrete)(space, n)
    return MultiDiscrete(plain.nvec, plain.dtype, plain.np_random, plain.start)
