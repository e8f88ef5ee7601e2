"""Seven powers: each year all talk, then all give an order at the same time, to attack or to hold.

Who is attacked by two or more is out. Who is left at the end has survived.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="powers",
    title="Seven powers",
    version=1,
    min_players=3,
    max_players=7,
    dynamics="simultaneous",
    chance="deterministic",
    information="imperfect",
    utility="general",
    max_game_length=42,
    sources=(),
    options={
        "players": Option(7, integer(3, 7), "seats"),
        "years": Option(3, integer(1, 5), "years"),
    },
    package=__name__,
)
