"""Pips: four seats race to a goal.

In turn each rests or rolls a die, whose pips it gains; on a 1 it loses up to two instead. +1 for
the first at the goal, -1 for the others; after 80 turns whoever has most. Action (`Discrete(2)`):
0 rests, 1 rolls. Observation (`Box(-2, 100, (6,), int16)`): the seat, the turn, all pips.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="pips",
    title="Pips",
    version=0,
    min_players=4,
    max_players=4,
    chance="sampled",
    utility="general",
    max_game_length=80,
    options={"goal": Option(20, integer(5, 50), "pips to reach")},
    package=__name__,
)
