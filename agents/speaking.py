"""What policies that are no language models play and say."""

from __future__ import annotations

from dataclasses import replace

from stratagym.agents.core import Decision, Policy, PolicyFault
from stratagym.envs.talk import Said, limited


def decide(policy: Policy, decision: Decision) -> tuple[int, tuple[Said, ...]]:
    """A policy's action, and what it says before it plays it.

    Raises:
        PolicyFault: the policy's, or it says something to a seat that may not be spoken to.
    """
    if not policy.speaks:
        return policy.act(decision), ()
    # Who acts may play on in the position.
    asked = replace(decision, states=decision.states.copy())
    listeners, said = set(decision.listeners()), []
    for to, text in policy.say(asked, decision.heard):
        seats = tuple(sorted(set(to)))
        if seats != (decision.seat,) and (not seats or not listeners.issuperset(seats)):
            raise PolicyFault(
                f"{policy.name}: seat {decision.seat} says something to {list(to)}, and may speak "
                f"to {sorted(listeners)}"
            )
        said.append((seats, limited(text)))
    return policy.act(decision), tuple(said)
