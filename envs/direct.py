"""Compiled code of one game, called from Python at the least cost.

numba looks at the types of all arguments at every call, 1 us for those of a game; ``core.direct``
leaves that out, and the functions of ``Calls`` are found once for each game. ``State`` goes one
step further: unpacking an array costs 30 ns, so what a move needs lies in one block of memory, the
frame, and only its address is passed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numba import carray, njit, types
from numba.extending import intrinsic

from stratagym.envs import core

CODE, PLY, ACTIONS, STATE_AT, LEGAL = range(5)
"""Words of a frame, (5 + A + MAX_OUTCOMES - 1,) int64: the code, moves played, A, the address of
the record; then A words for the legal actions and the rest for probabilities of chance."""
FEW = 54
"""Actions of a game whose legal ones fit into a code."""
REFUSED = -100
"""The code of an illegal action."""


def _typed_record(typingctx: Any, dtype: Any, address: Any) -> Any:
    """The record at an address, as ``states[0]`` gives it; ``dtype`` is its type."""
    record = dtype.dtype

    def codegen(context, builder, signature, arguments):
        return builder.inttoptr(arguments[1], context.get_value_type(record))

    return record(dtype, types.int64), codegen


_record_at: Any = intrinsic(_typed_record)


def _typed_words(typingctx: Any, address: Any) -> Any:
    """A pointer to the int64 at an address."""
    pointer = types.CPointer(types.int64)

    def codegen(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(pointer))

    return pointer(types.int64), codegen


_words_at: Any = intrinsic(_typed_words)


@njit(cache=True)
def _frame_at(address):
    actions = carray(_words_at(address), LEGAL)[ACTIONS]
    return carray(_words_at(address), LEGAL + actions + core.MAX_OUTCOMES)


@njit(cache=True)
def _update(rules, s, player, frame):
    """Write and return the code: below 0 as ``current_player``, else 256 * x + the seat to move,
    where x has a bit for each legal action.

    In games of more than ``FEW`` actions x is how many are legal, and the frame has which.
    """
    code, actions = np.int64(player), frame[ACTIONS]
    if player >= 0:
        legal = frame[LEGAL : LEGAL + actions]
        n = core.legal_actions(rules, s, legal)
        if actions > FEW:
            code |= np.int64(n) << 8
        else:
            for k in range(n):
                code |= np.int64(256) << legal[k]
    frame[CODE] = code
    return code


@njit(cache=True)
def _is_legal(frame, action):
    code, actions = frame[CODE], frame[ACTIONS]
    if code < 0 or action < 0 or action >= actions:
        return False
    if actions <= FEW:
        return (code >> 8) >> action & 1 == 1
    low, high = 0, code >> 8
    while low < high:
        middle = (low + high) >> 1
        if frame[LEGAL + middle] < action:
            low = middle + 1
        else:
            high = middle
    return low < code >> 8 and frame[LEGAL + low] == action


@njit(cache=True)
def _look(rules, dtype, address, ply):
    """Bring a frame to date with its record; returns the code."""
    frame = _frame_at(address)
    frame[PLY] = ply
    s = _record_at(dtype, frame[STATE_AT])
    return _update(rules, s, core.current_player(rules, s), frame)


@njit(cache=True)
def _apply(rules, dtype, address, action):
    """Play a legal action; returns the code after it, or ``REFUSED``."""
    frame = _frame_at(address)
    if not _is_legal(frame, action):
        return np.int64(REFUSED)
    s = _record_at(dtype, frame[STATE_AT])
    probs = frame[LEGAL + frame[ACTIONS] :].view(np.float64)
    frame[PLY] += 1
    return _update(rules, s, core.play(rules, s, action, probs), frame)


class Calls:
    """Compiled functions for one ``rules``, compiled or found in the cache when first used.

    They check nothing: arguments must be of the types named here.

    Attributes:
        few: whether legal actions fit into a code. lists: the legal actions of codes met so far.
        record: the dtype of a state. shape, dtype: of an observation.
        probs: scratch, for all who call while they hold Python's lock.
    """

    def __init__(self, rules: Any):
        self.rules = rules
        self.few = rules.num_actions <= FEW
        self.lists: dict[int, list[int]] = {}
        self.shape, self.dtype = rules.observation_shape, np.dtype(rules.observation_dtype)
        self.states = core.new_states(rules)
        self.record = self.states.dtype
        self.legal, self.probs = core.new_scratch(rules)

    def new_frame(self, states: np.ndarray) -> tuple[np.ndarray, int]:
        """A frame for ``states[0]``, and its address; the caller keeps both arrays."""
        actions = self.rules.num_actions
        frame = np.empty(LEGAL + actions + core.MAX_OUTCOMES, np.int64)
        frame[ACTIONS], frame[STATE_AT] = actions, states.ctypes.data
        return frame, frame.ctypes.data

    def legal_of(self, frame: np.ndarray) -> np.ndarray:
        """The words of a frame in which legal actions stand first."""
        return frame[LEGAL : LEGAL + self.rules.num_actions]

    def legal_in(self, code: int) -> list[int]:
        """The legal actions of a code into which they fit; to be copied."""
        found = self.lists.get(code)
        if found is None:
            if len(self.lists) >= 4096:
                self.lists.clear()
            bits = code >> 8 if code >= 0 else 0
            found = [action for action in range(self.rules.num_actions) if bits >> action & 1]
            self.lists[code] = found
        return found

    @cached_property
    def look(self) -> Callable[..., int]:
        """(rules, dtype, address, ply); see ``_look``."""
        return core.direct(_look, self.rules, self.record, 0, 0)

    @cached_property
    def apply(self) -> Callable[..., int]:
        """(rules, dtype, address, action); see ``_apply``."""
        return core.direct(_apply, self.rules, self.record, 0, 0)

    @cached_property
    def is_legal(self) -> Callable[[np.ndarray, int], bool]:
        """(frame, action); whether an action is among those that the frame has as legal."""
        return core.direct(_is_legal, self.legal, 0)

    @cached_property
    def start_at(self) -> Callable[..., int]:
        """(rules, states, i, seed, probs)"""
        return core.direct(core.start_at, self.rules, self.states, 0, np.uint64(0), self.probs)

    @cached_property
    def current_player_at(self) -> Callable[..., int]:
        """(rules, states, i)"""
        return core.direct(core.current_player_at, self.rules, self.states, 0)

    @cached_property
    def legal_actions_at(self) -> Callable[..., int]:
        """(rules, states, i, legal)"""
        return core.direct(core.legal_actions_at, self.rules, self.states, 0, self.legal)

    @cached_property
    def observe_at(self) -> Callable[..., None]:
        """(rules, states, i, player, out)"""
        out = np.empty(self.shape, self.dtype)
        return core.direct(core.observe_at, self.rules, self.states, 0, 0, out)

    @cached_property
    def returns_at(self) -> Callable[..., None]:
        """(rules, states, i, out)"""
        out = np.empty(self.rules.num_players)
        return core.direct(core.returns_at, self.rules, self.states, 0, out)

    @cached_property
    def determinize_at(self) -> Callable[..., None]:
        """(rules, states, i, player, seed)"""
        return core.direct(core.determinize_at, self.rules, self.states, 0, 0, np.uint64(0))


@lru_cache(maxsize=64, typed=True)  # rules of different games may be equal as tuples
def calls(rules: Any) -> Calls:
    """The ``Calls`` of these rules, made once."""
    return Calls(rules)
