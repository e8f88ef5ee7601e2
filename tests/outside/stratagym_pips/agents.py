"""Players of pips."""

from numba import njit

from stratagym.agents.core import Policy
from stratagym.agents.ladders import Ladder


@njit(cache=True)
def heuristic(rules, s, legal, n):
    return 1


class Steady(Policy):
    """Rolls until it is so many pips from the goal, then takes one by one."""

    def __init__(self, name, left):
        self.name, self.left = name, left

    def act(self, decision):
        own = int(decision.states["pips"][0][decision.seat])
        return int(decision.rules.goal - own > self.left)


def steady(spec, text):
    if not text.argument.isdigit():
        raise ValueError(f"policy steady:{text.argument}: a number of pips is needed")
    return Steady(f"steady:{text.argument}", int(text.argument))


POLICIES = {"steady": steady}
LADDER = Ladder("pips/ladder-v1", (("random",), ("heuristic",)))
