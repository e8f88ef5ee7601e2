"""One against two: in turn, each of three seats takes 1 or 2 from another, for eight moves.

Seat 0 wins what the others lose together, whichever of them holds more.
"""

from stratagym.envs.core import GameSpec

SPEC = GameSpec(
    name="duo",
    title="One against two",
    version=1,
    min_players=3,
    max_players=3,
    max_game_length=8,
    sides=((0,), (1, 2)),
    package=__name__,
)
