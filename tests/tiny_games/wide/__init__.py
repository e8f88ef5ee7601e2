"""A game of many actions: two seats name numbers in turn, and who named more wins.

Which are legal is told by the move, at equal distances.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="wide",
    title="Wide",
    version=1,
    max_game_length=20,
    options={
        "actions": Option(5000, integer(2, 1_000_000), "numbers from 0"),
        "legal": Option(30, integer(1, 1_000_000), "how many of them are legal at most"),
    },
    package=__name__,
)
