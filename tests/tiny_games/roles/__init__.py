"""Hidden roles: one of three is the spy. All talk in turn, with words and with acts; then all vote.

A speech is up to ``ACTS`` acts (accuse a seat, claim to be innocent) and an end. Votes are given at
the same time. The spy wins unless two name it.
"""

from stratagym.envs.core import GameSpec, Option, integer

SPEC = GameSpec(
    name="roles",
    title="Hidden roles",
    version=1,
    min_players=3,
    max_players=3,
    dynamics="simultaneous",
    chance="sampled",
    information="imperfect",
    utility="general",
    max_game_length=21,
    sources=(),
    options={"talks": Option(2, integer(1, 3), "rounds of talk before the vote")},
    sides=None,
    package=__name__,
)
