"""One game as an object to step from Python: OpenSpiel's words, a compiled call a move.

``envs.make_state("connect_four")`` makes a ``State``. Environments hand out observations, masks,
rewards and infos at every move; a state does what it is asked for, which is what searches,
evaluations and players want.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.envs import checks, core
from stratagym.envs.direct import ASK_AGAIN, REFUSED, Calls, calls
from stratagym.envs.display import Display, about


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
        spec, rules: as given. ply: moves played since ``reset`` or ``begin``.
        states: (1,) record, the game itself, for kernels and views; always the same array. Who
            changes it calls ``begin`` behind.

    Raises:
        ValueError: a seed that is none.
    """

    __slots__ = ("_apply", "_block", "_calls", "_legal", "_player", "_view", "spec")

    def __init__(self, spec: core.GameSpec, rules: Any, seed: int = 0):
        self._hold(spec, calls(rules))
        self.reset(seed)

    def _hold(self, spec: core.GameSpec, found: Calls) -> None:
        self.spec, self._calls = spec, found
        self._apply, self._legal = found.apply, found.legal_actions
        self._block = bytearray(found.blank)
        self._player = core.TERMINAL

    @property
    def rules(self) -> Any:
        return self._calls.rules

    @property
    def states(self) -> np.ndarray:
        try:
            return self._view
        except AttributeError:  # made when it is first asked for: most copies are never asked
            self._view: np.ndarray = self._calls.states_of(self._block)
            return self._view

    @property
    def ply(self) -> int:
        return self._calls.ply_of(self._block)

    def reset(self, seed: int = 0) -> None:
        """Start a game anew. Raises ``ValueError`` for a seed that is none."""
        if type(seed) is not int or not 0 <= seed <= checks.SEED_MASK:
            seed = checks.seed_number(seed)
        self._player = self._calls.start(self._block, seed)

    def begin(self, states: np.ndarray | None = None, ply: int = 0) -> None:
        """Go on from the position in ``states[0]``, or in the state's own record."""
        if states is not None:
            self._calls.put(self._block, states)
        self._player = self._calls.look(self._block, int(ply))

    def current_player(self) -> int:
        """The seat to move, or ``core.TERMINAL`` -4, or ``core.TRUNCATED`` -5."""
        return self._player

    def is_terminal(self) -> bool:
        """Whether the game is over, by its rules or by a limit of them."""
        return self._player < 0

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat to move, ascending; none when the game is over."""
        legal = self._legal  # by way of a local name, as in apply_action: 20 ns less
        while (listed := legal(self._block)) is None:
            self._look_again()
        return listed

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
        is_legal, number = self._calls.is_legal, self._number(action)
        while (found := is_legal(self._block, number)) == ASK_AGAIN:
            self._look_again()
        return found == 1

    def _look_again(self) -> None:
        """List the legal actions anew, as another state has listed its own, maybe in a thread."""
        self._calls.look(self._block, self.ply)

    def apply_action(self, action: int) -> None:
        """Play a legal action of the seat to move, and what dice and cards do after it.

        Raises:
            TypeError: ``action`` is no whole number.
            ValueError: it is not legal, or the game is over. In both cases the game is as before.
        """
        apply = self._apply
        player = apply(self._block, action)
        if player == REFUSED:
            player = apply(self._block, self._number(action))
            if player == REFUSED:
                self._refuse(action)
        self._player = player

    def child(self, action: int) -> State:
        """A copy in which ``action`` is played; the state itself is as before.

        Raises:
            TypeError: ``action`` is no whole number.
            ValueError: it is not legal, or the game is over.
        """
        twin = _Copy()
        twin.spec, twin._calls, twin._legal = self.spec, self._calls, self._legal
        twin._apply = apply = self._apply
        twin._block = block = self._block.copy()
        player = apply(block, action)
        twin._player = self._player if player == REFUSED else player
        if player == REFUSED:
            twin.apply_action(action)
        return twin

    def _number(self, action: Any) -> int:
        """An action as an int."""
        return checks.action_number(self.spec.name, f"player {self.current_player()}", action)

    def _refuse(self, action: int) -> None:
        if self._player < 0:
            raise ValueError(f"{self.spec.name}: the game is over; call reset()")
        raise ValueError(
            f"{self.spec.name}: player {self.current_player()} may not play {action}; "
            f"legal: {checks.some_of(self.legal_actions())}"
        )

    def returns(self) -> list[float]:
        """Every seat's return so far; at the end, the result."""
        return self._calls.returns(self._block)

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
        if out is not found.last:
            if out is None:
                out = np.empty(found.shape, found.dtype)
            else:
                found.check(out)
        if player is None:
            player = self._player if self._player > 0 else 0
        elif type(player) is not int or not 0 <= player < found.players:
            player = self._seat(player)
        observe = found.observe
        observe(self._block, player, out)
        return out

    def _seat(self, player: Any) -> int:
        for seat in range(self._calls.players):
            if player == seat:
                return seat
        raise ValueError(f"{self.spec.name}: there is no seat {player!r}")

    def clone(self) -> State:
        """A copy that plays on by itself, with the same dice and cards to come."""
        twin = _Copy()
        twin.spec, twin._calls, twin._player = self.spec, self._calls, self._player
        twin._apply, twin._legal = self._apply, self._legal
        twin._block = self._block.copy()
        return twin

    def resample_from_infostate(self, player: int, seed: int) -> State:
        """A copy in which all that ``player`` cannot know is redrawn: hands, decks, dice to come.

        It agrees with what the seat has seen. A search that plays on copies like this one does
        not cheat.

        Raises:
            ValueError: no such seat, or a seed that is none.
        """
        number, twin = checks.seed_number(seed), self.clone()
        twin._player = self._calls.determinize(twin._block, self._seat(player), number)
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

    def __reduce__(self) -> tuple[Any, ...]:
        return state_of, (self.spec, self.rules, self.states, self.ply)


class _Copy(State):
    """A state made without ``__init__``, with which copies would take a quarter longer."""

    __slots__ = ()
    __init__ = object.__init__


_Copy.__name__ = _Copy.__qualname__ = State.__name__


def state_of(spec: core.GameSpec, rules: Any, states: np.ndarray, ply: int = 0) -> State:
    """The position in ``states[0]`` as a state of its own."""
    state = _Copy()
    state._hold(spec, calls(rules))
    state.begin(states, ply)
    return state
