"""Players of Blotto: plans that people would make, edits of plans, and a ladder of frozen ones."""

from numba import njit

from stratagym.agents.ladders import Ladder
from stratagym.envs.sealed import ATTACKER, DEFENDER, budget_of

from .rules import COSTS, END, MOST, PLACES


@njit(cache=True)
def fillers(rules, s, legal, n):
    count = 0
    while count < n and legal[count] < END:
        count += 1
    return count if count > 0 else n


PLAN_STEPS = (8, 8), (8, 8), (8, 8)
ORACLE_STEPS = 8, 8
ARCHETYPES = {
    "crossing": (ATTACKER, ("ford", "ford", "ford", "bridge", "bridge", "end")),
    "wall": (DEFENDER, ("ford", "bridge", "bridge", "end")),
}


def entries_of(rules, seat, actions):
    return tuple(sorted(action for action in actions.tolist() if action < END))


def actions_of(rules, seat, entries):
    return [*entries, END]


def edited(rules, seat, entries, rng):
    """One company more, or one sent elsewhere; what then costs too much is left at home."""
    places = list(entries)
    if len(places) < MOST and rng.random() < 0.5:
        places.append(rng.randrange(PLACES))
    else:
        places[rng.randrange(len(places))] = rng.randrange(PLACES)
    while len(places) > 1 and sum(COSTS[places]) > budget_of.py_func(rules, seat):
        places.pop(rng.randrange(len(places)))
    return (
        tuple(sorted(places)) if sum(COSTS[places]) <= budget_of.py_func(rules, seat) else entries
    )


LADDER = Ladder(
    "blotto/ladder-v1",
    (("random",), ("plan:level?k=1",), ("plan:level?k=5",)),
    {"rounds": 3},
)
