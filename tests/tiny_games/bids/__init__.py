"""Sealed bids: three items a round, bid for at the same time; a reply is a plan of three bids.

Who alone bids most for an item gets it, and pays. What was bid is shown when the round is over.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="bids",
    title="Sealed bids",
    version=1,
    min_players=2,
    max_players=4,
    dynamics="simultaneous",
    chance="deterministic",
    information="imperfect",
    utility="general",
    max_game_length=18,
    sources=(),
    options={
        "players": Option(2, integer(2, 4), "seats"),
        "rounds": Option(3, integer(1, 5), "rounds"),
    },
    package=__name__,
)
