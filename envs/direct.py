"""Compiled code of one game, called from Python at the least cost.

numba looks at the types of all arguments at every call, 1 us for those of a game; ``core.direct``
leaves that out, and the functions of ``Calls`` are found once for each game. ``State`` goes one
step further: it keeps all that a move needs in one block of bytes (``blocks``), and passes that.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

import numba
import numpy as np
from numba import carray, njit
from numba.core.types import uint64

from stratagym.envs import blocks, core

PLY, DESK, LIST, WORDS = range(4)
"""Words of a block, behind the record: moves played, the address of the desk, the number of the
list of its legal actions."""
ACTIONS, PLAYERS, LISTS, COUNT, LEGAL, INTS, PROBS, RETURNS, SHAPE, RULES, DESK_WORDS = range(11)
"""Words of a desk, which all states under the same rules share: how many actions and players there
are; the number of lists of legal actions made so far, of which the last is there, and how long
that is; then addresses: of that list, of Python's ints from 0 to the last action, of scratch for
probabilities and for returns, of an observation's shape and of the rules."""
REFUSED, ASK_AGAIN = -100, -1
"""Returned for an illegal action; where ``look`` has to list the legal ones anew before."""


@njit(cache=True)
def _desk(block):
    return carray(blocks.words_at(blocks.words_of(block)[DESK]), DESK_WORDS)


@njit(cache=True)
def _probs(desk):
    return carray(blocks.floats_at(desk[PROBS]), core.MAX_OUTCOMES)


@njit(cache=True)
def _refresh(rules, s, block, desk, player):
    """List what is legal, where ``player`` is to move; returns the same."""
    legal, n = carray(blocks.words_at(desk[LEGAL]), desk[ACTIONS]), 0
    if player >= 0:
        n = core.legal_actions(rules, s, legal)
    desk[LISTS] += 1
    desk[COUNT], blocks.words_of(block)[LIST] = n, desk[LISTS]
    return np.int64(player)


@njit(cache=True)
def _is_there(block, desk):
    """Whether the list is still that of this block, and not of another state's."""
    return blocks.words_of(block)[LIST] == desk[LISTS]


@njit(cache=True)
def _holds(desk, action):
    legal, found = carray(blocks.words_at(desk[LEGAL]), desk[ACTIONS]), False
    for k in range(desk[COUNT]):  # no early exit: several are compared at once
        found |= legal[k] == action
    return found


@njit(cache=True)
def _start(block, seed):
    """Start a game; returns ``current_player``."""
    desk, s = _desk(block), blocks.record_of(block)
    rules = blocks.rules_at(block, desk[RULES])
    blocks.words_of(block)[PLY] = 0
    return _refresh(rules, s, block, desk, core.start(rules, s, seed, _probs(desk)))


@njit(cache=True)
def _look(block, ply):
    """Bring a block to date with its record; returns ``current_player``."""
    desk, s = _desk(block), blocks.record_of(block)
    rules = blocks.rules_at(block, desk[RULES])
    blocks.words_of(block)[PLY] = blocks.int_of(ply)
    return _refresh(rules, s, block, desk, core.current_player(rules, s))


@njit(cache=True)
def _is_legal(block, action):
    """1 or 0, or ``ASK_AGAIN``."""
    desk = _desk(block)
    if not _is_there(block, desk):
        return ASK_AGAIN
    return np.int64(_holds(desk, blocks.int_of(action)))


@njit(cache=True)
def _apply(block, action):
    """Play a legal action; returns ``current_player`` after it, or ``REFUSED``."""
    desk, s = _desk(block), blocks.record_of(block)
    rules = blocks.rules_at(block, desk[RULES])
    player, played = np.int64(0), False
    while True:  # so that what lists the legal actions is compiled once
        if _is_there(block, desk):
            if played:
                return player
            if not _holds(desk, blocks.int_of(action)):
                return np.int64(REFUSED)
            blocks.words_of(block)[PLY] += 1
            player = np.int64(core.play(rules, s, blocks.int_of(action), _probs(desk)))
            played = True
        else:
            player = np.int64(core.current_player(rules, s))
        _refresh(rules, s, block, desk, player)


@njit(cache=True)
def _legal_actions(block):
    """The legal actions of a block, ascending, as a new list, or None: ``look``, and ask again."""
    desk = _desk(block)
    return blocks.ints_of(desk[LEGAL], desk[COUNT] if _is_there(block, desk) else -1, desk[INTS])


@njit(cache=True)
def _observe(block, player, room):
    desk, s = _desk(block), blocks.record_of(block)
    rules = blocks.rules_at(block, desk[RULES])
    out = carray(blocks.numbers_of(block, room), blocks.shape_at(block, desk[SHAPE]))
    core.observe(rules, s, blocks.int_of(player), out)


@njit(cache=True)
def _returns(block):
    """Every seat's return so far, as a new list."""
    desk, s = _desk(block), blocks.record_of(block)
    rules = blocks.rules_at(block, desk[RULES])
    out = carray(blocks.floats_at(desk[RETURNS]), desk[PLAYERS])
    core.returns(rules, s, out)
    return blocks.floats_of(desk[RETURNS], desk[PLAYERS])


@njit(cache=True)
def _determinize(block, player, seed):
    """Redraw what a seat cannot know; returns ``current_player``."""
    desk, s = _desk(block), blocks.record_of(block)
    rules = blocks.rules_at(block, desk[RULES])
    core.seed_rng(s, seed)
    core.determinize(rules, s, blocks.int_of(player))
    return _refresh(rules, s, block, desk, core.current_player(rules, s))


@njit(cache=True)
def _decide(rules, states, own, legal, seed):
    """What a seat to move may know of ``states[0]``, in ``own[0]``, and the legal actions.

    Returns (seat, how many are legal).
    """
    own[0] = states[0]
    s = own[0]
    seat = core.current_player(rules, s)
    n = core.legal_actions(rules, s, legal)
    core.seed_rng(s, seed)
    core.determinize(rules, s, seat)
    return seat, n


class Calls:
    """Compiled functions for one ``rules``, compiled or found in the cache when first used.

    They check nothing: arguments must be of the types named here, numbers Python's own. A block
    is a ``bytearray`` that began as a copy of ``blank``.

    Attributes:
        record: the dtype of a state. shape, dtype: of an observation.
        blank: the block of a state of zeros.
        legal: scratch, for all who call while they hold Python's lock.
        last: the array that ``check`` has seen last.
    """

    def __init__(self, rules: Any):
        self.rules, self.players = rules, int(rules.num_players)
        self.shape, self.dtype = rules.observation_shape, np.dtype(rules.observation_dtype)
        self.states = core.new_states(rules)
        self.record = self.states.dtype
        self.legal = np.zeros(rules.num_actions, np.int64)
        self.last = self.states
        seen = np.empty(self.shape, self.dtype)
        kinds = numba.typeof(rules), numba.typeof(self.states).dtype, numba.typeof(seen)
        self._block = blocks.Block(*kinds)
        listed, probs = core.new_scratch(rules)
        arrays = (
            listed,
            np.array([*range(rules.num_actions), None], object)[:-1],
            probs,
            np.zeros(rules.num_players),
            np.array(self.shape, np.int64),
            blocks.rules_words(rules),
        )
        addresses = [array.ctypes.data for array in arrays]
        desk = np.array([rules.num_actions, rules.num_players, 0, 0, *addresses], np.int64)
        self._desk = desk, arrays  # whose addresses are in every block
        words = np.zeros(WORDS, np.int64)
        words[DESK] = desk.ctypes.data
        self.blank = bytes(self._block.size) + words.tobytes()

    def states_of(self, block: bytearray) -> np.ndarray:
        """The record of a block as an array (1,), on the same memory."""
        return np.frombuffer(block, self.record, 1)

    def put(self, block: bytearray, states: np.ndarray) -> None:
        """Write the record ``states[0]`` to a block."""
        if states.dtype == self.record:
            block[: self.record.itemsize] = states[:1].tobytes()  # numpy copies field by field
        else:
            self.states_of(block)[0] = states[0]

    def ply_of(self, block: bytearray) -> int:
        """The moves played in a block."""
        return int(struct.unpack_from("q", block, self._block.size)[0])

    def check(self, out: np.ndarray) -> None:
        """See whether an array has room for an observation, and remember it in ``last``.

        Raises:
            ValueError: it is not C-contiguous and writeable, or of another shape or dtype.
        """
        if out.shape != self.shape or out.dtype != self.dtype or not out.flags.carray:
            raise ValueError(
                f"out has to be a C-contiguous, writeable array of shape {self.shape} and type "
                f"{self.dtype}"
            )
        self.last = out

    def _of_block(self, function: Any, *others: Any) -> Callable[..., Any]:
        return function.compile((self._block, *others))

    @cached_property
    def start(self) -> Callable[[bytearray, int], int]:
        """(block, seed); see ``_start``."""
        return self._of_block(_start, uint64)

    @cached_property
    def look(self) -> Callable[[bytearray, int], int]:
        """(block, ply); see ``_look``."""
        return self._of_block(_look, blocks.Whole())

    @cached_property
    def apply(self) -> Callable[[bytearray, int], int]:
        """(block, action); see ``_apply``."""
        return self._of_block(_apply, blocks.Whole())

    @cached_property
    def is_legal(self) -> Callable[[bytearray, int], int]:
        """(block, action); see ``_is_legal``."""
        return self._of_block(_is_legal, blocks.Whole())

    @cached_property
    def legal_actions(self) -> Callable[[bytearray], list[int] | None]:
        """(block); see ``_legal_actions``."""
        return self._of_block(_legal_actions)

    @cached_property
    def observe(self) -> Callable[[bytearray, int, np.ndarray], None]:
        """(block, player, out): an array that ``check`` would let pass."""
        return self._of_block(_observe, blocks.Whole(), blocks.Room())

    @cached_property
    def returns(self) -> Callable[[bytearray], list[float]]:
        """(block); see ``_returns``."""
        return self._of_block(_returns)

    @cached_property
    def determinize(self) -> Callable[[bytearray, int, int], int]:
        """(block, player, seed); see ``_determinize``."""
        return self._of_block(_determinize, blocks.Whole(), uint64)

    @cached_property
    def observe_at(self) -> Callable[..., None]:
        """(rules, states, i, player, out)"""
        out = np.empty(self.shape, self.dtype)
        return core.direct(core.observe_at, self.rules, self.states, 0, 0, out)

    @cached_property
    def decide(self) -> Callable[..., tuple[int, int]]:
        """(rules, states, own, legal, seed); see ``_decide``."""
        given = self.rules, self.states, self.states, self.legal, np.uint64(0)
        return core.direct(_decide, *given)


@lru_cache(maxsize=64, typed=True)  # rules of different games may be equal as tuples
def calls(rules: Any) -> Calls:
    """The ``Calls`` of these rules, made once."""
    return Calls(rules)
