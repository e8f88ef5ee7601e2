"""A policy that first asks what a game's own search for forced play says.

A game has one if its agents define ``tactic(rules, states, legal, level)``: the action to play in
``states[0]`` out of ``legal`` (n,) int64, or -1 if it finds none with the effort that ``level``
allows. What a level means is the game's: in reversi, how many empty squares are solved exactly, in
go, how many points a board that is solved may have.
It may define ``guard(rules, states, legal, level, action)`` as well: what to play in place of an
action that the policy has chosen, or that action itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from stratagym.agents import hooks
from stratagym.agents.core import Decision, Policy, with_option
from stratagym.envs import core, specs
from stratagym.envs.talk import Message, Said


class Tactical(Policy):
    """``POLICY?tactic=LEVEL``: the game's tactic, and where it finds nothing, the policy.

    Raises:
        ValueError: the level is no whole number above 0, or the game has no tactic.
    """

    def __init__(self, spec: core.GameSpec, policy: Policy, level: str):
        self.tactic, self.guard = hooks.found(spec, "tactic"), hooks.found(spec, "guard")
        if self.tactic is None:
            known = ", ".join(game.name for game in specs() if hooks.found(game, "tactic"))
            raise ValueError(
                f"policy {policy.name}: {spec.name} has no tactic; games with one are: {known}"
            )
        if not level.isascii() or not level.isdigit() or not 1 <= int(level) <= 64:
            raise ValueError(
                f"policy {policy.name}: tactic={level}: a whole number from 1 to 64 is needed"
            )
        self.policy, self.level, self.version = policy, int(level), policy.version
        self.name = with_option(policy.name, "tactic", str(self.level))

    def act(self, decision: Decision) -> int:
        asked = decision.rules, decision.states, decision.legal, self.level
        action = self.tactic(*asked)
        if action >= 0:
            return action
        action = self.policy.act(decision)
        return action if self.guard is None else self.guard(*asked, action)

    def say(self, decision: Decision, heard: Sequence[Message]) -> Sequence[Said]:
        return self.policy.say(decision, heard)

    @property
    def speaks(self) -> bool:
        return self.policy.speaks
