"""One game as an object to step from Python: OpenSpiel's words, a compiled call a move.

``envs.make_state("connect_four")`` makes a ``State``. Environments hand out observations, masks,
rewards and infos at every move; a state does what it is asked for, which is what searches,
evaluations and players want.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stratagym.envs import checks, core
from stratagym.envs.direct import PLY, REFUSED, calls
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

    __slots__ = (
        "_address", "_apply", "_calls", "_checked", "_code", "_dtype", "_few", "_firsts", "_frame",
        "_lists", "_states", "rules", "spec",
    )  # fmt: skip

    def __init__(self, spec: core.GameSpec, rules: Any, seed: int = 0):
        self._hold(spec, rules, core.new_states(rules))
        self.reset(seed)

    def _hold(self, spec: core.GameSpec, rules: Any, states: np.ndarray) -> None:
        found = calls(rules)
        self.spec, self.rules, self._states, self._dtype = spec, rules, states, found.record
        self._frame, self._address = found.new_frame(states)
        self._calls, self._apply = found, found.apply
        self._few, self._lists = found.few, found.lists
        # Lists of the first n legal actions of the frame, by n; -1 when the game is over.
        self._firsts: dict[int, Callable[[], list[int]]] = {-1: list}
        self._code = core.TERMINAL
        self._checked: np.ndarray | None = None

    @property
    def states(self) -> np.ndarray:
        return self._states

    @property
    def ply(self) -> int:
        return int(self._frame[PLY])

    def reset(self, seed: int = 0) -> None:
        """Start a game anew. Raises ``ValueError`` for a seed that is none."""
        if type(seed) is not int or not 0 <= seed <= checks.SEED_MASK:
            seed = checks.seed_number(seed)
        self._calls.start_at(self.rules, self._states, 0, seed, self._calls.probs)
        self._code = self._calls.look(self.rules, self._dtype, self._address, 0)

    def begin(self, states: np.ndarray | None = None, ply: int = 0) -> None:
        """Go on from the position in ``states[0]``, or in the state's own record."""
        if states is not None:
            self._states[0] = states[0]
        self._code = self._calls.look(self.rules, self._dtype, self._address, ply)

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
        listed = self._firsts.get(code >> 8)
        if listed is None:
            # Slicing an array costs as much as listing it.
            listed = self._calls.legal_of(self._frame)[: code >> 8].tolist
            self._firsts[code >> 8] = listed
        return listed()

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
        return self._calls.is_legal(self._frame, self._number(action))

    def apply_action(self, action: int) -> None:
        """Play a legal action of the seat to move, and what dice and cards do after it.

        Raises:
            TypeError: ``action`` is no whole number.
            ValueError: it is not legal, or the game is over. In both cases the game is as before.
        """
        if type(action) is not int:
            action = self._number(action)
        try:
            code = self._apply(self.rules, self._dtype, self._address, action)
        except OverflowError:
            code = REFUSED
        if code == REFUSED:
            self._refuse(action)
        self._code = code

    def _number(self, action: Any) -> int:
        """An action as an int, -1 for what is too far from 0 to be one."""
        number = checks.action_number(self.spec.name, f"player {self.current_player()}", action)
        return number if abs(number) < 2**62 else -1

    def _refuse(self, action: int) -> None:
        if self._code < 0:
            raise ValueError(f"{self.spec.name}: the game is over; call reset()")
        raise ValueError(
            f"{self.spec.name}: player {self.current_player()} may not play {action}; "
            f"legal: {checks.some_of(self.legal_actions())}"
        )

    def returns(self) -> list[float]:
        """Every seat's return so far; at the end, the result."""
        out = np.empty(self.rules.num_players)
        self._calls.returns_at(self.rules, self._states, 0, out)
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
        elif out is self._checked:
            pass
        elif out.shape == found.shape and out.dtype == found.dtype and out.flags.c_contiguous:
            self._checked = out
        else:
            raise ValueError(
                f"{self.spec.name}: out has to be a C-contiguous array of shape {found.shape} and "
                f"type {found.dtype}"
            )
        if player is None:
            player = self._code & 255 if self._code >= 0 else 0
        elif player not in range(self.rules.num_players):
            raise ValueError(f"{self.spec.name}: there is no seat {player!r}")
        found.observe_at(self.rules, self._states, 0, player, out)
        return out

    def clone(self) -> State:
        """A copy that plays on by itself, with the same dice and cards to come."""
        twin = State.__new__(State)
        twin._hold(self.spec, self.rules, self._states.copy())
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
        return self.spec.module("view").action_to_string(self.rules, self._states[0], action)

    def string_to_action(self, text: str) -> int:
        """The action of a text. Raises ``ValueError`` with a word on what is wrong with it."""
        return self.spec.module("view").string_to_action(self.rules, self._states[0], text)

    def __str__(self) -> str:
        """The board as text."""
        return self.spec.module("view").board_text(self.rules, self._states[0])

    def _shown(self) -> tuple[core.GameSpec, Any, np.ndarray, str]:
        return self.spec, self.rules, self._states, about(self.current_player(), self.ply)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.spec, self.rules, self._states, self.ply

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        spec, rules, states, ply = state
        self._hold(spec, rules, states)
        self.begin(ply=ply)
