"""One game as an object to step from Python: OpenSpiel's words, a compiled call a move.

``envs.make_state("connect_four")`` makes a ``State``. Environments hand out observations, masks,
rewards and infos at every move; a state does what it is asked for, which is what searches,
evaluations and players want.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import checks, core
from stratagym.envs.display import Display, about

FEW = 54
"""Actions of a game whose legal ones fit into a code."""
_REFUSED = -100
_MOST = 2**62


@njit(cache=True)
def _code(rules, s, player, scratch):
    """All a ``State`` has to know, as one number: below 0 as ``current_player``, else
    256 * x + the seat to move, where x has a bit for each legal action.

    In games of more than ``FEW`` actions x is how many are legal, and they stand in ``scratch``.
    """
    if player < 0:
        return np.int64(player)
    actions = scratch.shape[0] - core.MAX_OUTCOMES
    n = core.legal_actions(rules, s, scratch[:actions])
    if actions > FEW:
        return np.int64(n << 8 | player)
    bits = np.int64(0)
    for k in range(n):
        bits |= np.int64(1) << scratch[k]
    return np.int64(bits << 8 | player)


@njit(cache=True)
def _look(rules, states, scratch):
    """The code of ``states[0]``."""
    s = states[0]
    return _code(rules, s, core.current_player(rules, s), scratch)


@njit(cache=True)
def _is_legal(action, code, scratch):
    actions = scratch.shape[0] - core.MAX_OUTCOMES
    if code < 0 or action < 0 or action >= actions:
        return False
    if actions <= FEW:
        return (code >> 8) >> action & 1 == 1
    low, high = 0, code >> 8
    while low < high:
        middle = (low + high) >> 1
        if scratch[middle] < action:
            low = middle + 1
        else:
            high = middle
    return low < code >> 8 and scratch[low] == action


@njit(cache=True)
def _apply(rules, states, action, code, scratch):
    """Play a legal action; returns the code after it, or ``_REFUSED``."""
    if not _is_legal(action, code, scratch):
        return np.int64(_REFUSED)
    s = states[0]
    probs = scratch[scratch.shape[0] - core.MAX_OUTCOMES :].view(np.float64)
    return _code(rules, s, core.play(rules, s, action, probs), scratch)


class Calls:
    """Compiled functions for one ``rules``, called by ``core.direct``.

    A call takes 0.2 us where one of ``core``'s takes 1 us, and like it checks nothing: arguments
    must be of the types named here. Each is compiled, or found in the cache, when first used.

    Attributes:
        few: whether legal actions fit into a code. lists: the legal actions of codes met so far.
        shape, dtype: of an observation.
        probs, scratch: for all who call while they hold Python's lock.
    """

    def __init__(self, rules: Any):
        self.rules = rules
        self.few = rules.num_actions <= FEW
        self.lists: dict[int, list[int]] = {}
        self.shape, self.dtype = rules.observation_shape, np.dtype(rules.observation_dtype)
        self.states = core.new_states(rules)
        self.legal, self.probs = core.new_scratch(rules)
        self.scratch = self.new_scratch()

    def new_scratch(self) -> np.ndarray:
        """(A + MAX_OUTCOMES,) int64: legal actions, then probabilities."""
        return np.empty(self.rules.num_actions + core.MAX_OUTCOMES, np.int64)

    def legal_in(self, code: int) -> list[int]:
        """The legal actions of a code, where they fit into it; to be copied."""
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
        """(rules, states, scratch); see ``_look``."""
        return core.direct(_look, self.rules, self.states, self.scratch)

    @cached_property
    def apply(self) -> Callable[..., int]:
        """(rules, states, action, code, scratch); see ``_apply``."""
        return core.direct(_apply, self.rules, self.states, 0, 0, self.scratch)

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


class State(Display):
    """A game that is played by ``apply_action``.

    >>> state = make_state("connect_four", seed=1)
    >>> while not state.is_terminal():
    ...     state.apply_action(random.choice(state.legal_actions()))
    >>> state.returns()

    Methods are named and mean what those of OpenSpiel's ``pyspiel.State`` do, but that dice and
    cards fall by themselves, from the seed: no state is a chance node.

    Args:
        spec: the game's facts. rules: its options in force.
        seed: of dice and cards, 0 to 2**64 - 1; the same seed gives the same game.

    Attributes:
        spec, rules: as given. ply: moves played.
        states: (1,) record, the game itself, for kernels and views; always the same array. Who
            changes it calls ``begin`` behind.

    Raises:
        ValueError: a seed that is none.
    """

    __slots__ = (
        "_apply", "_calls", "_code", "_few", "_lists", "_scratch", "ply", "rules", "spec", "states",
    )  # fmt: skip

    def __init__(self, spec: core.GameSpec, rules: Any, seed: int = 0):
        self._hold(spec, rules, core.new_states(rules))
        self.reset(seed)

    def _hold(self, spec: core.GameSpec, rules: Any, states: np.ndarray) -> None:
        found = calls(rules)
        self.spec, self.rules, self.states = spec, rules, states
        self._calls, self._apply = found, found.apply
        self._few, self._lists = found.few, found.lists
        self._scratch = found.scratch if found.few else found.new_scratch()
        self._code, self.ply = core.TERMINAL, 0

    def reset(self, seed: int = 0) -> None:
        """Start a game anew. Raises ``ValueError`` for a seed that is none."""
        number, found = checks.seed_number(seed), self._calls
        found.start_at(self.rules, self.states, 0, number, found.probs)
        self._code, self.ply = found.look(self.rules, self.states, self._scratch), 0

    def begin(self, states: np.ndarray | None = None, ply: int = 0) -> None:
        """Go on from the position in ``states[0]``, or in the state's own record."""
        if states is not None:
            self.states[0] = states[0]
        self._code = self._calls.look(self.rules, self.states, self._scratch)
        self.ply = ply

    def current_player(self) -> int:
        """The seat to move, or ``core.TERMINAL`` -4, or ``core.TRUNCATED`` -5."""
        return self._code & 255 if self._code >= 0 else self._code

    def is_terminal(self) -> bool:
        """Whether the game is over, by its rules or by a limit of them."""
        return self._code < 0

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat to move, ascending; none when the game is over."""
        code = self._code
        if self._few:
            found = self._lists.get(code)
            return self._calls.legal_in(code)[:] if found is None else found[:]
        return self._scratch[: code >> 8].tolist() if code >= 0 else []

    def legal_actions_mask(self) -> np.ndarray:
        """The same as (A,) int8: 1 for a legal action."""
        mask = np.zeros(self.rules.num_actions, np.int8)
        mask[self.legal_actions()] = 1
        return mask

    def is_legal(self, action: int) -> bool:
        """Whether the seat to move may play ``action``; as quick among many actions as among few.

        Raises:
            TypeError: ``action`` is no whole number.
        """
        return bool(_is_legal(self._number(action), self._code, self._scratch))

    def apply_action(self, action: int) -> None:
        """Play a legal action of the seat to move, and what dice and cards do after it.

        Raises:
            TypeError: ``action`` is no whole number.
            ValueError: it is not legal, or the game is over. In both cases the game is as before.
        """
        if type(action) is not int or not -1 <= action <= _MOST:
            self._apply_any(action)
            return
        code = self._apply(self.rules, self.states, action, self._code, self._scratch)
        if code == _REFUSED:
            self._refuse(action)
        self._code = code
        self.ply += 1

    def _apply_any(self, action: Any) -> None:
        number = self._number(action)
        if number < 0:
            self._refuse(action)
        self.apply_action(number)

    def _number(self, action: Any) -> int:
        """An action as an int, -1 for what is too large to be one."""
        number = checks.action_number(self.spec.name, f"player {self.current_player()}", action)
        return number if 0 <= number <= _MOST else -1

    def _refuse(self, action: int) -> None:
        if self._code < 0:
            raise ValueError(f"{self.spec.name}: the game is over; call reset()")
        raise ValueError(
            f"{self.spec.name}: player {self.current_player()} may not play {action}; "
            f"legal: {self.legal_actions()}"
        )

    def returns(self) -> list[float]:
        """Every seat's return so far; at the end, the result."""
        out = np.empty(self.rules.num_players)
        self._calls.returns_at(self.rules, self.states, 0, out)
        return out.tolist()

    def observation_tensor(
        self, player: int | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """What a seat sees, as environments give it.

        Args:
            player: the seat; by default the one to move, after the end seat 0.
            out: the array to write to, C-contiguous, of an observation's shape and dtype; by
                default a new one.

        Raises:
            ValueError: no such seat, or ``out`` is not like that.
        """
        found = self._calls
        if out is None:
            out = np.empty(found.shape, found.dtype)
        elif out.shape != found.shape or out.dtype != found.dtype or not out.flags.c_contiguous:
            raise ValueError(
                f"{self.spec.name}: out has to be a C-contiguous array of shape {found.shape} and "
                f"type {found.dtype}"
            )
        if player is None:
            player = self._code & 255 if self._code >= 0 else 0
        elif player not in range(self.rules.num_players):
            raise ValueError(f"{self.spec.name}: there is no seat {player!r}")
        found.observe_at(self.rules, self.states, 0, player, out)
        return out

    def clone(self) -> State:
        """A copy that plays on by itself, with the same dice and cards to come."""
        twin = State.__new__(State)
        twin._hold(self.spec, self.rules, self.states.copy())
        twin.ply = self.ply
        if self._few:
            twin._code = self._code
        else:
            twin.begin(ply=self.ply)
        return twin

    def resample_from_infostate(self, player: int, seed: int) -> State:
        """A copy in which all that ``player`` cannot know is redrawn: hands, decks, dice to come.

        It agrees with what the seat has seen. A search that plays on copies like this one does
        not cheat.

        Raises:
            ValueError: no such seat, or a seed that is none.
        """
        if player not in range(self.rules.num_players):
            raise ValueError(f"{self.spec.name}: there is no seat {player!r}")
        number, twin = checks.seed_number(seed), self.clone()
        twin._calls.determinize_at(self.rules, twin.states, 0, player, number)
        twin.begin(ply=self.ply)
        return twin

    def action_to_string(self, action: int) -> str:
        """A legal action as the game's notation has it, such as ``e2e4``."""
        return self.spec.module("view").action_to_string(self.rules, self.states[0], action)

    def string_to_action(self, text: str) -> int:
        """The action of a text. Raises ``ValueError`` with a word on what is wrong with it."""
        return self.spec.module("view").string_to_action(self.rules, self.states[0], text)

    def __str__(self) -> str:
        """The board as text."""
        return self.spec.module("view").board_text(self.rules, self.states[0])

    def _shown(self) -> tuple[core.GameSpec, Any, np.ndarray, str]:
        return self.spec, self.rules, self.states, about(self.current_player(), self.ply)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.spec, self.rules, self.states, self.ply

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        spec, rules, states, ply = state
        self._hold(spec, rules, states)
        self.begin(ply=ply)
