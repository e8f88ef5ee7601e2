"""Who plays on for a seat that forfeits, in games of more than two sides.

Otherwise one seat's forfeit would end the game of all. What the stand-in does is nobody's result:
the seat's own is that of its forfeit, and the last rank.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.agents.core import Policy, make_policy
from stratagym.envs.core import GameSpec
from stratagym.wrappers.dialogue import forfeit_returns

END, STAND_IN = "end", "stand-in"
USUAL = "random"
"""The policy that stands in where none is named."""


def stand_in_policy(forfeit: str) -> str | None:
    """The policy that stands in; None where a forfeit ends the game.

    Args:
        forfeit: ``end``, ``stand-in`` or ``stand-in:POLICY``.

    Raises:
        ValueError: it is none of these.
    """
    word, colon, policy = forfeit.partition(":")
    if forfeit == END:
        return None
    if word != STAND_IN or bool(colon) != bool(policy):
        raise ValueError(
            f"forfeit {forfeit!r}: choose {END}, {STAND_IN} or {STAND_IN}:POLICY, such as "
            f"{STAND_IN}:{USUAL}"
        )
    return policy or USUAL


def may_stand_in(game: GameSpec, rules: Any) -> bool:
    """Whether the game can go on without one of its seats: more than two sides play it.

    Where roles are dealt, each seat is one.
    """
    if game.utility == "identical":
        return False
    sides = game.sides_of(rules)
    return (rules.num_players if sides is None else len(sides)) > 2


class StandIns:
    """The seats of a match that have forfeited, and who plays on for them.

    Attributes:
        policy: that plays on; None where a forfeit ends the game.
        records: ``stand_ins`` of the match's record.
    """

    def __init__(self, game: GameSpec, rules: Any, forfeit: str):
        self.game, self.rules = game, rules
        name = stand_in_policy(forfeit)
        stands_in = name is not None and may_stand_in(game, rules)
        self.policy: Policy | None = make_policy(game, name) if name and stands_in else None
        self.records: list[dict[str, Any]] = []
        self._returns: dict[int, float] = {}

    def take(self, seat: int, ply: int, states: np.ndarray, fault: dict[str, str]) -> Policy | None:
        """Who plays on for a seat that forfeits in ``states[0]``.

        None where the game ends: nobody stands in, or for this seat somebody does already, or all
        others have forfeited.
        """
        others = self.rules.num_players - len(self._returns) - 1
        if self.policy is None or seat in self._returns or not others:
            return None
        self._returns[seat] = forfeit_returns(self.game, self.rules, seat, states)[seat]
        name = self.policy.name
        self.records.append({"seat": seat, "ply": ply, "policy": name, "moves": 0, **fault})
        return self.policy

    def count(self, seat: int) -> None:
        """Take note of a move of a seat, whoever played it."""
        for record in self.records:
            record["moves"] += record["seat"] == seat

    def returns(self, returns: list[float] | None) -> list[float] | None:
        """The table's returns with those of forfeits in the place of the stand-ins'."""
        if returns is None:
            return None
        return [self._returns.get(seat, value) for seat, value in enumerate(returns)]
