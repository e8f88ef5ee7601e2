"""Who plays on for a seat that forfeits, in games of more than two sides.

Otherwise one seat's forfeit would end the game of all. What the stand-in does is nobody's result:
the seat's own is that of its forfeit, and the last rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stratagym.agents.core import VERSIONS, Policy, PolicyString, at_version, make_policy
from stratagym.benchmarks.harness.errors import InputError
from stratagym.benchmarks.harness.files import brief
from stratagym.envs.core import GameSpec
from stratagym.wrappers.dialogue import forfeit_returns

END, STAND_IN = "end", "stand-in"
USUAL = "random"
"""The policy that stands in where none is named."""


VERSION = "stand_in_version"
"""The field of ``config.json`` that holds the version of a stand-in that had an earlier one."""
UNSAID = {"alphabeta": 3, "gt": 2, "mcts": 2, "rule": 2}
"""The versions of players that stood in in runs that do not say so."""


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


def version_of(forfeit: str) -> dict[str, int]:
    """``VERSION`` of a run's configuration; nothing where there is one version of who stands in."""
    policy = stand_in_policy(forfeit)
    parsed = None if policy is None else PolicyString.parse(policy)
    return {} if parsed is None or parsed.name not in VERSIONS else {VERSION: parsed.version}


def begun_forfeit(forfeit: str, config: dict[str, Any], begun: Mapping[str, Any]) -> str | None:
    """``forfeit`` of a run that is resumed, where an earlier version stands in in it; else None.

    Args:
        config: of this call; its version becomes that of the run.
        begun: the configuration of the run.

    Raises:
        InputError: a version that there is not.
    """
    policy, newest = stand_in_policy(forfeit), config.pop(VERSION, None)
    if policy is None or newest is None:
        return None
    found = begun.get(VERSION, UNSAID.get(PolicyString.parse(policy).name, 1))
    if type(found) is not int or not 1 <= found <= newest:
        raise InputError(
            f"--resume: config.json has {VERSION}={brief(found)}; there are versions 1 to {newest} "
            f"of {policy}"
        )
    if VERSION in begun:
        config[VERSION] = found
    return None if found == newest else f"{STAND_IN}:{at_version(policy, found)}"


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
