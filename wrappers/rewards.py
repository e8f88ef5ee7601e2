"""What a learner is told of its answers, which is not what a game came to.

Results and scores are the game's. A language model that forfeits most of its games has one and the
same result in all of them, and learns nothing from it; so a reward can hold more. All of it is off
by default: then the rewards of a game add up to the seat's return.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from stratagym.agents.perfect import solver_of
from stratagym.envs import core
from stratagym.envs import text as words


@dataclass(frozen=True)
class Rewards:
    """What each answer earns, in units of a game's return; penalties are negative.

    Attributes:
        result: times the seat's return, for the last answer.
        forfeit: in place of the return of a game that the seat forfeits, such as -2 where a loss is
            -1; None keeps it. It is multiplied by ``result`` too.
        illegal, unparseable: for an answer that is no legal move, or that cannot be read.
        readable: for an answer from which a move can be read, legal or not: the reward of the form.
        turn: for an answer that is played.
        regret: times what a played move gives away: the result that the position had, less the one
            after the move, by the game's solver, 0 to 2. Negative, to reward good moves.
    """

    result: float = 1.0
    forfeit: float | None = None
    illegal: float = 0.0
    unparseable: float = 0.0
    readable: float = 0.0
    turn: float = 0.0
    regret: float = 0.0

    @classmethod
    def of(cls, values: Mapping[str, Any] | None) -> Rewards:
        """From values by name. Raises ``ValueError`` for a name that there is not, or no number."""
        known = [field.name for field in fields(cls)]
        for name, value in (values or {}).items():
            if name not in known:
                raise ValueError(f"unknown reward {name!r}; the rewards are: {', '.join(known)}")
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not (is_number and np.isfinite(value)) and not (name == "forfeit" and value is None):
                raise ValueError(f"reward {name}={value!r}: a number is needed")
        return cls(**(values or {}))

    @property
    def shaped(self) -> bool:
        """Whether rewards are anything else than the return."""
        return self != Rewards()

    def check(self, game: core.GameSpec) -> None:
        """Raises ``ValueError`` where the game cannot give what is asked for."""
        if self.regret and solver_of(game.name) is None:
            raise ValueError(f"reward regret={self.regret:g}: {game.name} has no solver")

    def of_answer(self, outcome: words.Outcome, regret: Callable[[], float]) -> float:
        """What an answer earns by itself; ``regret`` is asked only if it counts."""
        if outcome.kind == words.UNPARSEABLE:
            return self.unparseable
        if outcome.kind == words.ILLEGAL:
            return self.readable + self.illegal
        given_away = self.regret * regret() if self.regret else 0.0
        return self.readable + self.turn + given_away

    def of_end(self, own_return: float, forfeited: bool) -> float:
        """What the end of the game earns."""
        if forfeited and self.forfeit is not None:
            return self.result * self.forfeit
        return self.result * own_return


def regret_of(game: core.GameSpec, rules: Any, states: np.ndarray, action: int) -> float:
    """How much of the result that ``states[0]`` has for the mover an action gives away: 0, 1 or 2.

    Raises:
        ValueError: the game has no solver, or not under these rules.
    """
    solve = solver_of(game.name)
    if solve is None:
        raise ValueError(f"{game.name} has no solver")
    scores = solve(rules, states[:1])[0].astype(int)
    legal = words.legal_list(rules, states)
    return float(np.sign(scores[legal].max()) - np.sign(scores[action]))
