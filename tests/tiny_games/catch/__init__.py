"""Catch, in real time: two seats on one row of lanes; every fourth tick a ball comes down a lane.

Who stands there gets a point, both if both do. A decision is a tick, of half a second: stay, go
left, go right. A reply is a list of moves for the next ticks.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="catch",
    title="Catch",
    version=1,
    min_players=2,
    max_players=2,
    dynamics="simultaneous",
    chance="sampled",
    information="imperfect",
    utility="general",
    max_game_length=48,
    sources=(),
    options={
        "ticks": Option(24, integer(4, 100), "length"),
        "tick_ms": Option(500, integer(0, 5000), "0: nobody's time runs", came_later=True),
    },
    decision_seconds=lambda rules: rules.tick_ms / 1000 or None,
    package=__name__,
)
