"""A heap that everybody takes from: in turn, each seat takes 0 to 3, for so many rounds.

Returns are what was taken, so that nearly everybody has a positive one, and ties are frequent.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="heap",
    title="A heap",
    version=1,
    max_players=7,
    utility="general",
    max_game_length=9,
    options={
        "players": Option(3, integer(2, 7), "seats"),
        "rounds": Option(3, integer(1, 5), "turns of a seat"),
    },
    package=__name__,
)
