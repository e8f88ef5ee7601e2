"""A village of five, two of whom are wolves, which is dealt: in turn, each votes another out.

Who has most votes, the first of them in a tie, is out. The village wins if it was a wolf. Wolves
know each other; the seer, one of the village, knows one wolf.
"""

from stratagym.envs.core import GameSpec

SPEC = GameSpec(
    name="village",
    title="A village",
    version=1,
    min_players=5,
    max_players=5,
    chance="sampled",
    information="imperfect",
    utility="general",
    max_game_length=5,
    sides=None,
    package=__name__,
)
