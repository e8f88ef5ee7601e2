"""Three seats choose once each, in an order that nobody knows: not even whose turn it is, but for
the seat to move. Who is in the minority wins a point; all of one mind win nothing.
"""

from stratagym.envs.core import GameSpec

SPEC = GameSpec(
    name="night",
    title="Night",
    version=1,
    min_players=3,
    max_players=3,
    max_game_length=3,
    chance="sampled",
    information="imperfect",
    utility="general",
    package=__name__,
)
