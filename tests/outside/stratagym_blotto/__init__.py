"""Blotto: raiders and guards send companies to three places, under a budget and sealed.

Each side sends one to six companies, to the ford (cost 1 each), the bridge (2) or the pass (3). A
place falls to the raiders if they have more companies there, else the guards hold it; the raiders
win with two places of three. Rounds, budgets and options are those of all games of sealed plans.

Action (`Discrete(6)`): 0-2 a company to the ford, the bridge, the pass; 3 ends the plan, which
needs at least one company; 4 keeps the old plan; 5 is a plan that breaks a rule. Observation
(`Box(-1, 6, (10,), float32)`): the own companies by place, the other side's of the round before,
budget left, round, result of the last round, seat.
"""

from stratagym.envs import sealed
from stratagym.envs.core import GameSpec

SPEC = GameSpec(
    name="blotto",
    title="Blotto",
    version=0,
    dynamics="simultaneous",
    information="imperfect",
    max_game_length=14,
    options=sealed.options(sealed.budget(1, 18), sealed.budget(1, 18)),
    package=__name__,
)
