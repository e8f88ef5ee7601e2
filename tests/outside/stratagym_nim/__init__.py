"""Nim.

Two players in turn take any number of stones from one of three heaps; +1 for the winner and -1 for
the loser. Action (`Discrete(15)`): `5 * heap + stones - 1` takes 1 to 5 stones from heap 0, 1 or 2.
Observation (`Box(0, 5, (3,), int8)`): the stones in each heap, the same for both seats.
"""

from stratagym.envs.core import GameSpec, Option

SPEC = GameSpec(
    name="nim",
    title="Nim",
    version=0,
    min_players=2,
    max_players=2,
    dynamics="sequential",
    chance="deterministic",
    information="perfect",
    utility="zero_sum",
    max_game_length=12,
    sources=("C. L. Bouton: Nim, a game with a complete mathematical theory (1901)",),
    options={"last": Option("wins", ("wins", "loses"), "what taking the last stone does")},
    package=__name__,
)
