"""The running turn of a game in which seats decide at the same time.

Such a game takes the seats' commits one after the other into its record. ``OpenTurn`` keeps the
record as it was before the first of them, so that every seat is asked from there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core


def copied(states: np.ndarray) -> np.ndarray:
    """A copy of contiguous records by their bytes: numpy's own goes by fields, six times slower."""
    return states.view(np.uint8).copy().view(states.dtype)


@njit(cache=True)
def _play_first(rules, states, legal, probs, most):
    """Play the first legal action while the same seat is to move in the same turn.

    ``most`` actions at most. Returns how many.
    """
    s = states[0]
    seat, number, played = core.current_player(rules, s), core.turn(rules, s), 0
    player = seat
    while played < most and player == seat and core.turn(rules, s) == number:
        core.legal_actions(rules, s, legal)
        player = core.play(rules, s, legal[0], probs)
        played += 1
    return played


def is_deciding(rules: Any, states: np.ndarray, seat: int, number: int) -> bool:
    """Whether ``seat`` is still to move in turn ``number``; without turns, whether it is to move.

    Args:
        number: what ``core.turn_at`` said when the turn began.
    """
    if core.current_player_at(rules, states, 0) != seat:
        return False
    return core.turn_at(rules, states, 0) == number


class OpenTurn:
    """A turn from before its first commit: who commits in it, and what each seat may know.

    A seat's position is the opened one in which the seats before it have played their first legal
    actions in place of what they really commit. Neither legal actions nor what a seat sees depend
    on hidden commits, so the position is as good as the real one and gives nothing away.

    Attributes:
        states: (1,) record, as the turn began. number: of the turn.
        seats: those that commit, in the order in which they do.

    Raises:
        ValueError: the game's turn does not come to an end.
    """

    def __init__(self, rules: Any, states: np.ndarray):
        self.rules, self.states = rules, copied(states[:1])
        self.number = int(core.turn_at(rules, states, 0))
        self._positions: dict[int, np.ndarray] = {}
        legal, probs = core.new_scratch(rules)
        trial = copied(self.states)
        left = rules.max_game_length + 1
        while left > 0:
            seat = int(core.current_player_at(rules, trial, 0))
            if seat < 0 or core.turn_at(rules, trial, 0) != self.number:
                break
            if seat not in self._positions:
                self._positions[seat] = copied(trial)
            left -= _play_first(rules, trial, legal, probs, left)
        else:
            raise ValueError(f"{type(rules).__module__}: turn {self.number} does not end")
        self.seats = list(self._positions)

    def position(self, seat: int, own: list[int] | tuple[int, ...] = ()) -> np.ndarray:
        """A copy of the seat's position, after its ``own`` actions of this turn: (1,) record."""
        states = copied(self._positions[seat])
        legal, probs = core.new_scratch(self.rules)
        for action in own:
            core.play_at(self.rules, states, 0, action, legal, probs)
        return states

    def is_deciding(self, seat: int, states: np.ndarray) -> bool:
        """Whether ``seat`` still owes an action of this turn in ``states[0]``."""
        return is_deciding(self.rules, states, seat, self.number)
