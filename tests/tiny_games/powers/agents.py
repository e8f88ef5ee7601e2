"""An envoy: makes proposals in words, and follows those it hears."""

from __future__ import annotations

import random

from stratagym.agents.core import Policy
from stratagym.envs.talk import Message
from tiny_games.powers.view import NAMES, is_talk

PROPOSAL = "Let us attack {}."


class Envoy(Policy):
    """Proposes to one power to attack another, and attacks whom the last proposal to it named."""

    name = "envoy"

    def say(self, decision, heard):
        own, listeners = random.Random(decision.seed), decision.listeners()
        if not listeners:
            return [((decision.seat,), f"I have heard {len(heard)} messages.")]
        to, target = own.choice(listeners), own.choice(range(decision.rules.num_players))
        return [
            ((to,), PROPOSAL.format(NAMES[target])),
            (tuple(listeners), f"Good day, {len(heard)}."),
        ]

    def act(self, decision):
        choices = [int(a) for a in decision.legal]
        if not is_talk(decision.states[0]):
            for message in reversed(decision.heard):
                wanted = 1 + _proposed(message) if message.seat != decision.seat else 0
                if wanted in choices[1:]:
                    return wanted
        return random.Random(decision.seed + 1).choice(choices)


def _proposed(message: Message) -> int:
    targets = [k for k, name in enumerate(NAMES) if message.text == PROPOSAL.format(name)]
    return targets[0] if targets else -1


def envoy(spec, text):
    """``envoy``."""
    return Envoy()


POLICIES = {"envoy": envoy}
