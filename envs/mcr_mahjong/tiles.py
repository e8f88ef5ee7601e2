"""The 34 kinds of tiles as numbers and words, and melds.

W1-W9 (characters) are 0-8, T1-T9 (bamboo) 9-17, B1-B9 (dots) 18-26, F1-F4 (winds, East South West
North) 27-30, J1-J3 (red, green, white dragon) 31-33. The letters are Botzone's.

A meld is a row (kind, tile, offer) of an int8 array: kind ``CHOW``, ``PUNG`` or ``KONG``; the
tile, of a chow the middle one; whose tile was claimed, 1 to 3, which matters in a kong alone: 0
makes it a concealed one.
"""

from __future__ import annotations

KINDS = 34
"""How many kinds of tiles there are; four of each."""
TILES = tuple(
    [f"{suit}{rank}" for suit in "WTB" for rank in range(1, 10)]
    + [f"F{wind}" for wind in range(1, 5)]
    + [f"J{dragon}" for dragon in range(1, 4)]
)
"""A word for each kind."""
NUMBERS = {word: number for number, word in enumerate(TILES)}
"""The kind of each word."""
HONORS = 27
"""The first kind that has no suit: East."""
DRAGONS = 31

CHOW, PUNG, KONG = 1, 2, 3
